// The line below the board: whose turn, why one must pass, a hint, how it ended and what to do then.

import { postJson } from "../api.js";
import { clear, el } from "../dom.js";
import { button, toast } from "../widgets.js";
import { progress } from "./players.js";

const PATIENCE = 900;

/** `onReview` opens the review. */
export function createStatus(session, { onReview }) {
  const element = el("div", { class: "status", role: "group", "aria-label": "State of the game" });

  function update() {
    const { live } = session;
    const parts = [];
    if (!session.up) parts.push(el("p", { class: "line-down", role: "status", text: "Connection lost. Trying again …" }));
    if (session.at !== null) parts.push(...past());
    else if (live.over) parts.push(...result());
    else parts.push(...turn());
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    clear(element).append(...parts);
    if (focused) element.querySelector(`[data-key="${focused}"]`)?.focus(); // redrawing must not lose the focus
  }

  function turn() {
    const { live, hint } = session;
    if (session.veiledFor !== null) return [el("p", { text: `${session.name(live.mover)} is to move.` })];
    const passes = live.moves.filter((move) => move.pass || move.kind === "pass");
    const forced = passes.length > 0 && passes.length === live.moves.length;
    const words = live.notice ?? (session.yourTurn ? yours() : theirs());
    return [
      el("p", { class: live.notice ? "notice" : "", text: words }),
      advice() && el("p", { class: "muted", text: `Advice is on its way: ${progress(session.advising)} …` }),
      live.practice && el("p", { class: "badge", text: "Practice: a move was taken back" }),
      hint && el("p", { class: "hint-words" },
        el("strong", { text: `Hint: ${hint.name}` }),
        hint.text && ` · ${hint.text}`,
        hint.by && el("span", { class: "muted", text: ` by ${hint.by}` })),
      (forced || passes.length === 1) && el("div", { class: "row" }, passes.map((move) => pass(move, passes.length, forced))),
    ].filter(Boolean);
  }

  function theirs() {
    const first = ["compiling", "solving"].includes(session.thinking?.what);
    return `${session.name(session.live.mover)} is to move.${first ? " Getting ready takes a while, but only the first time." : ""}`;
  }

  function pass(move, ways, forced) {
    return button(ways > 1 ? move.name : "Pass", {
      kind: forced ? "primary" : "", "data-action": move.action, "data-key": `pass-${move.action}`,
      onClick: () => session.play(move.action),
    });
  }

  /** Whether advice takes long enough to speak of it. */
  function advice() {
    return session.advising && performance.now() - session.advising.since > PATIENCE;
  }

  function yours() {
    return session.persons.length > 1 ? `${session.name(session.live.mover)} is to move.` : "Your turn.";
  }

  function past() {
    const graded = session.gradedHere;
    const open = session.live.over || !("hand" in session.live.board);
    return [
      el("p", { text: `Move ${session.at} of ${session.live.ply}: ${session.shown.last?.said ?? "the start"}` }),
      graded && el("p", { class: "muted", text: `Then ${session.name(graded.seat)} played ${graded.name}: ${graded.text}` }),
      el("div", { class: "row" },
        button("Back to now", { sign: "last", "data-key": "now", onClick: () => session.now() }),
        open && button("Try another move from here", { sign: "branch", "data-key": "branch", onClick: () => branch(session) })),
    ].filter(Boolean);
  }

  function result() {
    const again = (swap) => rematch(session, swap);
    return [
      el("p", { class: "result", "data-result": "", text: session.live.result.text }),
      el("div", { class: "row" },
        button("Review", { kind: "primary", sign: "eye", "data-key": "review", onClick: onReview }),
        button("Rematch", { sign: "again", "data-key": "rematch", onClick: () => again(false) }),
        button("Swap seats", { sign: "swap", "data-key": "swap", onClick: () => again(true) }),
        el("a", { class: "button", href: `#/new/${session.live.game}`, "data-key": "new", text: "New game" })),
    ];
  }

  session.listen(update);
  update();
  return { element };
}

/** The same players at a new table. */
export async function rematch(session, swap) {
  try {
    const state = await postJson(`/api/tables/${session.id}/rematch`, { swap });
    location.hash = `#/table/${state.table}`;
  } catch (error) {
    toast(error.message);
  }
}

/** A new table that begins with the moves up to the position looked at. */
export async function branch(session, ply = session.at) {
  try {
    const state = await postJson(`/api/tables/${session.id}/branch`, { ply });
    location.hash = `#/table/${state.table}`;
    toast(`A new table, from move ${ply} on.`);
  } catch (error) {
    toast(error.message);
  }
}
