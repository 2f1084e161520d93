// The game as a curve: who stood better after each move. It is a slider, too: click or use arrows to step.

import { clear, el, svg } from "../dom.js";

const [WIDTH, HEIGHT, PAD] = [320, 120, 8];
const STEPS = {
  ArrowLeft: -1, ArrowDown: -1, PageDown: -10, Home: -Infinity, ArrowRight: 1, ArrowUp: 1, PageUp: 10, End: Infinity,
};
const SHARP = new Set(["mistake", "blunder"]);
const LEADS = [[0.999, "winning"], [0.6, "far ahead"], [0.25, "ahead"], [0, "slightly ahead"]]; // more than this is called so

export function createGraph(session) {
  const viewBox = `0 0 ${WIDTH} ${HEIGHT}`;
  const picture = svg("svg", { viewBox, class: "graph-picture", preserveAspectRatio: "none", "aria-hidden": "true" });
  const role = { role: "slider", tabindex: 0, "aria-label": "Graph of the game", "aria-valuemin": 0 };
  const slider = el("div", { class: "graph", ...role }, picture);
  const [up, down] = [el("span", { class: "graph-up" }), el("span", { class: "graph-down" })];
  const words = el("figcaption", { class: "muted small" });
  const element = el("figure", { class: "graph-figure" }, el("div", { class: "graph-box" }, up, slider, down), words);

  const place = (ply) => PAD + ((WIDTH - 2 * PAD) * ply) / Math.max(1, session.live.ply);
  const height = (value) => HEIGHT / 2 - (HEIGHT / 2 - PAD) * Math.max(-1, Math.min(1, value));

  function update() {
    const points = [...session.values].filter(([ply]) => ply <= session.live.ply).sort(([a], [b]) => a - b);
    element.hidden = points.length < 2;
    if (element.hidden) return;
    const at = session.at ?? session.live.ply;
    const line = points.map(([ply, value], i) => `${i ? "L" : "M"}${place(ply).toFixed(1)} ${height(value).toFixed(1)}`).join("");
    const [left, right] = [place(points[0][0]), place(points.at(-1)[0])];
    clear(picture).append(
      svg("path", { class: "graph-area", d: `${line}L${right.toFixed(1)} ${HEIGHT / 2}L${left.toFixed(1)} ${HEIGHT / 2}Z` }),
      svg("path", { class: "graph-zero", d: `M${PAD} ${HEIGHT / 2}H${WIDTH - PAD}` }),
      svg("path", { class: "graph-line", d: line }),
      svg("path", { class: "graph-now", d: `M${place(at).toFixed(1)} 0V${HEIGHT}` }),
      ...marks(),
    );
    const value = session.values.get(at);
    const said = `Move ${at} of ${session.live.ply}${value === undefined ? "" : `: ${sentence(session, value)}`}`;
    slider.setAttribute("aria-valuemax", session.live.ply);
    slider.setAttribute("aria-valuenow", at);
    slider.setAttribute("aria-valuetext", said);
    words.textContent = said;
    up.textContent = sides(session)[0];
    down.textContent = sides(session)[1];
  }

  /** Where the review found mistakes: a mark of its own shape for each sort. */
  function marks() {
    const sharp = (session.review?.moves ?? []).filter(({ grade, ply }) => SHARP.has(grade) && session.values.has(ply));
    return sharp.map(({ grade, ply }) => {
      const [x, y] = [place(ply), height(session.values.get(ply))];
      const shape = grade === "blunder" ? `M${x} ${y - 5}l5 9h-10z` : `M${x - 3.5} ${y - 3.5}h7v7h-7z`;
      return svg("path", { class: `graph-mark grade-${grade}`, d: shape }, svg("title", { text: `Move ${ply}: ${grade}` }));
    });
  }

  slider.addEventListener("click", (event) => {
    const box = slider.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width - PAD / WIDTH) / (1 - (2 * PAD) / WIDTH);
    session.go(Math.round(share * session.live.ply));
  });
  slider.addEventListener("keydown", (event) => {
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    session.go(session.place + STEPS[event.key]);
  });
  session.listen(update);
  update();
  return { element };
}

/** Who is above and below the middle line: seat 0 and the other, or whoever looks where hands are hidden. */
export function sides(session) {
  const { seats, you, board } = session.live;
  const own = "hand" in board ? (you ?? 0) : 0;
  return [seats[own].name, seats.length === 2 ? seats[1 - own].name : "The others"];
}

/** A value from -1 to 1 in words. */
export function sentence(session, value) {
  const [first, second] = sides(session);
  const ahead = value >= 0 ? first : second;
  const number = `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`;
  if (Math.abs(value) < 0.05) return `even (${number})`;
  const verb = ahead === "The others" ? "are" : "is";
  const [, how] = LEADS.find(([least]) => Math.abs(value) > least);
  return `${ahead} ${verb} ${how} (${number})`;
}
