// After the game: what each move lost against the best there was, counted, listed, and shown on the board.

import { getJson, postJson } from "../api.js";
import { clear, el } from "../dom.js";
import { button, icon } from "../widgets.js";
import { createGraph } from "./graph.js";
import { branch } from "./status.js";

const POLL = 600;
const GRADES = [
  { grade: "best", sign: "star" },
  { grade: "good", sign: "check" },
  { grade: "inaccuracy", sign: "question" },
  { grade: "mistake", sign: "wrong" },
  { grade: "blunder", sign: "worse" },
];

export function createReview(session) {
  const path = `/api/tables/${session.id}/review`;
  const element = el("div", { class: "review stack" });
  const graph = createGraph(session);
  const list = el("ol", { class: "graded-list", "aria-label": "Graded moves" });
  let timer;
  let closed = false;
  let drawn = null;

  async function start() {
    clearTimeout(timer);
    let told;
    try {
      told = session.review?.state === "running" ? await getJson(path) : await postJson(path);
    } catch (error) {
      if (!closed) showProblem(error.message);
      return;
    }
    if (closed || !session.live.over) return;
    session.setReview(told);
    if (told.state === "running") timer = setTimeout(start, POLL);
  }

  function showProblem(text) {
    drawn = null;
    clear(element).append(el("p", { class: "problem", text }), again());
  }

  const again = () => el("p", {}, button("Review the game", { kind: "primary", sign: "eye", onClick: start }));

  function update() {
    const { review, live } = session;
    const key = `${live.over} ${review?.state} ${review?.done} ${review?.moves?.length}`;
    if (key !== drawn) redraw();
    drawn = key;
    mark();
  }

  function redraw() {
    const { review, live } = session;
    clear(element);
    const words = "Once the game is over, every move can be graded here.";
    if (!live.over) element.append(el("p", { class: "muted", text: words }));
    else if (!review) element.append(el("p", { text: "What did each move lose against the strongest player there is?" }), again());
    else if (review.state === "failed") showProblem(review.detail ?? "The review did not come to an end.");
    else {
      if (review.state === "running") element.append(progress(review));
      else element.append(summary(review), el("p", { class: "muted small", text: `Graded by ${review.by}.` }));
      element.append(graph.element, list);
      clear(list).append(...review.moves.map((move) => graded(move)));
    }
  }

  function progress(review) {
    return el("div", { role: "status" },
      el("p", { text: `Looking at move ${Math.min(review.done + 1, review.total)} of ${review.total} …` }),
      el("progress", { max: review.total || 1, value: review.done, "aria-label": "Progress of the review" }));
  }

  /** How often each grade was given, seat by seat. */
  function summary(review) {
    const seats = session.live.seats.filter(({ seat }) => review.moves.some((move) => move.seat === seat));
    const count = (seat, grade) => review.moves.filter((move) => move.seat === seat && move.grade === grade).length;
    return el("div", { class: "scores" }, el("table", { class: "summary" },
      el("caption", { class: "sr-only", text: "Moves by grade" }),
      el("thead", {}, el("tr", {}, ["Moves", ...seats.map(({ name }) => name)].map((text) => el("th", { scope: "col", text })))),
      el("tbody", {}, GRADES.map(({ grade }) => el("tr", {},
        el("th", { scope: "row" }, badge(grade)), seats.map(({ seat }) => el("td", { text: String(count(seat, grade)) })))))));
  }

  function graded(move) {
    return el("li", { "data-before": move.before },
      el("button", { type: "button", class: "graded", on: { click: () => session.go(move.before) } },
        el("span", { class: "graded-head" },
          el("i", { class: "seat-dot small-dot", vars: { "--seat": `var(--seat-${move.seat})` }, "aria-hidden": "true" }),
          el("span", { text: `${move.before + 1}. ${move.name}` }), badge(move.grade)),
        el("span", { class: "muted small", text: told(move) })),
      button("Try another move here", {
        sign: "branch", iconOnly: true, kind: "quiet", onClick: () => branch(session, move.before),
      }));
  }

  function told(move) {
    const better = move.grade === "best" || !move.best?.length ? "" : ` Better: ${move.best.slice(0, 3).join(", ")}.`;
    return `${session.name(move.seat)}. ${move.text ?? ""}${better}`;
  }

  function mark() {
    for (const item of list.children) {
      const here = Number(item.dataset.before) === session.at;
      if (here && !item.classList.contains("here")) keepInSight(item);
      item.classList.toggle("here", here);
    }
  }

  function keepInSight(item) {
    const [box, mine] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
    if (mine.top < box.top || mine.bottom > box.bottom) list.scrollTop += mine.top - box.top - box.height / 3;
  }

  session.listen(update);
  update();
  return {
    element,
    start: () => {
      if (session.live.over && (!session.review || session.review.state === "failed")) start();
    },
    destroy: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** A grade is a sign, a word and a colour: never a colour alone. */
function badge(grade) {
  const sign = GRADES.find((each) => each.grade === grade)?.sign ?? "question";
  return el("span", { class: `grade grade-${grade}` }, icon(sign, 14), el("span", { text: grade }));
}
