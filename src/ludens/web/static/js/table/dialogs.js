// The rules of each game, and the keys of the page.

import { el } from "../dom.js";
import { dialog } from "../widgets.js";

const KEYS = [
  ["Arrow keys", "move over the board, or step through the game when the focus is elsewhere"],
  ["Enter or Space", "choose a square, piece, card or tile"],
  ["Escape", "give up a choice"],
  ["U", "undo or take back"],
  ["H", "ask for a hint"],
  ["A", "show what the agent thinks"],
  ["F", "flip the board"],
  ["R", "read the rules"],
  ["N", "new game"],
  ["Home, End", "first position, now"],
  ["?", "this list"],
];

export function showRules(game, title) {
  return dialog(`Rules of ${title}`, fragment(`/static/rules/${game}.html`));
}

export function showKeys() {
  const rows = KEYS.map(([key, what]) => [el("dt", {}, el("kbd", { text: key })), el("dd", { text: what })]);
  return dialog("Keyboard", el("dl", { class: "keys" }, rows));
}

/** Our own static text, as nodes. */
async function fragment(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error("The rules could not be loaded.");
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  return el("div", { class: "rules" }, ...parsed.body.childNodes);
}
