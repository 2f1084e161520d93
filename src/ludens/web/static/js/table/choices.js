// Every legal move as a button: the board's moves for whoever would rather read them than look for them.

import { clear, el } from "../dom.js";

export function createChoices(session) {
  const element = el("div", { class: "choices" });
  let drawnFor = null;

  function update() {
    const { live } = session;
    const key = `${live.version} ${session.analysis ? "told" : ""} ${session.veiledFor} ${session.at}`;
    if (key === drawnFor) return;
    drawnFor = key;
    element.dataset.version = live.version;
    const focused = element.contains(document.activeElement);
    clear(element);
    const words = whyNone();
    if (words) element.append(el("p", { class: "muted", text: words }));
    else element.append(el("ul", { class: "choice-list" }, live.moves.map((move) => el("li", {}, choice(move)))));
    if (focused) (element.querySelector("button") ?? element.closest("[role=tabpanel]"))?.focus();
  }

  /** Why there is nothing to choose, "" if there is. */
  function whyNone() {
    if (session.at !== null) return "You are looking at the past. Go back to now to move.";
    if (session.live.over) return "The game is over.";
    return session.live.moves.length && session.veiledFor === null ? "" : "It is not your turn.";
  }

  function choice(move) {
    const score = session.analysis?.moves.find((each) => each.action === move.action);
    const click = () => session.play(move.action);
    return el("button", { type: "button", class: "button", "data-action": move.action, on: { click } },
      el("span", { text: move.name }),
      score && el("span", { class: score.best ? "score best" : "score", text: score.best ? `${score.text} ★` : score.text }));
  }

  session.listen(update);
  update();
  return { element };
}
