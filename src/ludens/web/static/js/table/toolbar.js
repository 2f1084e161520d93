// What can be done at any time, one button each, and the same by keys.

import { el } from "../dom.js";
import { button, relabel } from "../widgets.js";
import { showKeys, showRules } from "./dialogs.js";

/** Beside the title: what concerns the page more than the game. `commands`: {undo, hint, flip, analyse, fresh}. */
export function createHead(session, commands) {
  const small = (label, sign, command, onClick) => button(label, { sign, iconOnly: true, "data-command": command, onClick });
  const fresh = small("New game", "more", "new", commands.fresh);
  const flip = small("Flip board", "flip", "flip", commands.flip);
  const keys = small("Keyboard shortcuts", "keys", "keys", showKeys);
  const element = el("div", { class: "table-head" }, el("h1", { text: session.live.title }), fresh, flip, keys);
  return { element, pressed: (flipped) => flip.setAttribute("aria-pressed", String(flipped)) };
}

/** Above the panel: what helps with the next move. */
export function createToolbar(session, commands) {
  const undo = button("Undo", { sign: "undo", "data-command": "undo", onClick: commands.undo });
  const hint = button("Hint", { sign: "hint", "data-command": "hint", onClick: commands.hint });
  const onRules = () => showRules(session.live.game, session.live.title);
  const rules = button("Rules", { sign: "rules", "data-command": "rules", onClick: onRules });
  const element = el("div", { class: "toolbar", role: "group", "aria-label": "Help" }, undo, hint, rules);

  function update() {
    const { live } = session;
    relabel(undo, live.undo_label ?? "Undo");
    undo.title = live.undo_label === "Take back" ? "Take your move back; the game notes it" : "Undo your move and the reply";
    undo.disabled = !live.can_undo;
    undo.hidden = session.watching;
    hint.disabled = !session.yourTurn || session.veiledFor !== null;
    hint.hidden = session.watching;
  }

  session.listen(update);
  update();
  return { element };
}

const TYPING = "input, textarea, select, [contenteditable], dialog";
const OWN_ARROWS = "[role=tablist], [role=slider], [role=radiogroup], .board-frame";

/** Keys work wherever nothing else needs them. Returns a function that stops listening. */
export function listenToKeys(session, commands) {
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
    const arrows = !event.target.closest?.(OWN_ARROWS);
    const keyed = {
      u: commands.undo,
      h: commands.hint,
      f: commands.flip,
      a: commands.analyse,
      n: commands.fresh,
      r: () => showRules(session.live.game, session.live.title),
      "?": showKeys,
      ArrowLeft: arrows && (() => session.go(session.place - 1)),
      ArrowRight: arrows && (() => session.go(session.place + 1)),
      Home: arrows && (() => session.go(0)),
      End: arrows && (() => session.now()),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!keyed) return;
    event.preventDefault();
    keyed();
  }
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
