// "Show what it thinks": the switch, who is asked, the bar beside the board, and every move with its score.

import { games } from "../api.js";
import { clear, el, newId } from "../dom.js";
import { createGraph, sentence } from "./graph.js";
import { progress } from "./players.js";

const MEANING = {
  value: "How good it thinks each move is, from −1 (lost) to +1 (won).",
  probability: "How likely it is to play each move.",
  result: "What each move leads to with perfect play. This is exact.",
  chance: "The chance of winning after each move with perfect play. This is exact.",
};

export function createThink(session) {
  const [toggleId, byId] = [newId("think"), newId("by")];
  const toggle = el("input", {
    type: "checkbox", id: toggleId, role: "switch", "data-command": "analyse",
    on: { change: () => session.setAnalysis(toggle.checked) },
  });
  const by = el("select", { id: byId, on: { change: () => session.setAnalysis(session.analyse.on, by.value || null) } },
    el("option", { value: "", text: "Perfect play, else the opponent" }));
  const told = el("div", { class: "stack" });
  const graph = createGraph(session);
  let drawn = null;

  games().then((known) => {
    const ladder = known.find((game) => game.id === session.live.game)?.ladder ?? [];
    by.append(...ladder.map((step) => el("option", { value: step.spec, text: `${step.label} (${step.spec})` })));
  }, () => {}); // without the ladder, the default is still there

  function update() {
    const { analyse, analysis, live } = session;
    toggle.checked = analyse.on;
    const waiting = analyse.on && !analysis && session.advising && progress(session.advising);
    const key = [analyse.on, analysis?.version, analysis?.by, waiting, live.version, session.veiledFor].join();
    if (key === drawn) return;
    drawn = key;
    clear(told);
    const say = (text) => told.append(el("p", { class: "muted", role: "status", text }));
    if (!analyse.on) say("Switch it on to see a number on every legal move, and who is ahead.");
    else if (session.veiledFor !== null) say("Shown when the next person is at the device.");
    else if (analysis) told.append(...verdict(analysis));
    else if (waiting) say(`The answer is on its way: ${waiting} …`);
    else say(live.over ? "The game is over: see the review." : "It speaks at your turn.");
  }

  function verdict(analysis) {
    const sorted = [...analysis.moves].sort((a, b) => Number(b.best) - Number(a.best) || b.score - a.score);
    const rows = sorted.map((move) => el("tr", { class: move.best ? "best" : "" },
      el("th", { scope: "row", text: move.name }),
      el("td", { text: move.text }),
      el("td", { text: move.best ? "★ best" : "" })));
    return [
      el("p", {}, el("strong", { text: analysis.text || (analysis.value === null ? "" : sentence(session, analysis.value)) })),
      el("p", { class: "muted small", text: `${analysis.label}. ${meaning(analysis)}` }),
      rows.length > 0 && el("div", { class: "scores" }, el("table", {},
        el("caption", { class: "sr-only", text: "Legal moves and what is thought of them" }),
        el("thead", {}, el("tr", {}, ["Move", "Score", "Note"].map((text) => el("th", { scope: "col", text })))),
        el("tbody", {}, rows))),
    ].filter(Boolean);
  }

  session.listen(update);
  update();
  return {
    element: el("div", { class: "stack" },
      el("label", { class: "switch", for: toggleId }, toggle, el("span", { text: "Show what it thinks" })),
      el("div", { class: "field" }, el("label", { for: byId, text: "Ask" }), by),
      told, graph.element),
  };
}

/** What the numbers are. Words instead of numbers speak for themselves. */
function meaning({ kind, moves }) {
  return kind === "value" && !/\d$/.test(moves[0]?.text ?? "") ? "" : MEANING[kind];
}

/** The bar beside the board: seat 0's share of the prospects, from below. */
export function createBar(session) {
  const fill = el("div", { class: "bar-fill" });
  const role = { role: "meter", "aria-label": "Evaluation", "aria-valuemin": -1, "aria-valuemax": 1, "aria-valuenow": 0 };
  const element = el("div", { class: "bar", ...role, hidden: true }, fill);
  function update() {
    const at = session.at ?? session.live.ply;
    const value = session.at === null && session.live.over ? finalValue(session) : session.values.get(at);
    element.hidden = !(session.analyse.on || session.review) || (session.values.size === 0 && session.analysis?.value === null);
    element.classList.toggle("unknown", value === undefined);
    if (value === undefined) {
      element.setAttribute("aria-valuetext", "not known yet");
      return; // the fill stays where it was until something is known
    }
    fill.style.setProperty("--share", String((value + 1) / 2));
    element.setAttribute("aria-valuenow", value.toFixed(2));
    element.setAttribute("aria-valuetext", sentence(session, value));
  }
  session.listen(update);
  update();
  return { element };
}

function finalValue(session) {
  const { returns } = session.live.result;
  const seat = "hand" in session.live.board ? (session.live.you ?? 0) : 0;
  return Math.max(-1, Math.min(1, returns[seat]));
}
