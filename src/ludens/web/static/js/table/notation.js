// The game so far as a list of moves to step through, and what can be copied or taken away.

import { clear, el } from "../dom.js";
import { button, copy } from "../widgets.js";

const FINE = new Set(["best", "good"]); // not worth a mark in the list

export function createNotation(session) {
  const list = el("ol", { class: "move-list", "aria-label": "Moves so far" });
  const extras = el("div", { class: "extras stack" });
  const step = (label, sign, onClick) => button(label, { sign, iconOnly: true, onClick });
  const steps = {
    first: step("First position", "first", () => session.go(0)),
    previous: step("Previous move", "previous", () => session.go(session.place - 1)),
    next: step("Next move", "next", () => session.go(session.place + 1)),
    last: step("Now", "last", () => session.now()),
  };
  const stepper = el("div", { class: "stepper", role: "group", "aria-label": "Step through the game" }, Object.values(steps));
  let length = -1;

  function update() {
    const { live } = session;
    const at = session.at ?? live.ply;
    if (live.history.length !== length || session.review !== update.review) redraw();
    for (const [index, item] of [...list.querySelectorAll("button")].entries()) {
      const here = index + 1 === at;
      if (here) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
      if (here) keepInSight(item);
    }
    if (at === 0) list.scrollTop = 0;
    steps.first.disabled = steps.previous.disabled = at === 0;
    steps.next.disabled = steps.last.disabled = session.at === null;
    showExtras();
  }

  function redraw() {
    const { live } = session;
    length = live.history.length;
    update.review = session.review;
    clear(list);
    if (length === 0) list.append(el("li", { class: "muted none", text: "No moves yet." }));
    list.append(...live.history.map((move, index) => entry(move, index + 1)));
  }

  function entry(move, ply) {
    const grade = session.review?.moves.find((each) => each.ply === ply)?.grade;
    const label = `Move ${ply}, ${session.name(move.seat)}: ${move.name}${grade ? `, ${grade}` : ""}`;
    return el("li", {},
      el("span", { class: "move-number", text: `${ply}` }),
      el("button", { type: "button", "data-ply": ply, "aria-label": label, on: { click: () => session.go(ply) } },
        el("i", { class: "seat-dot small-dot", vars: { "--seat": `var(--seat-${move.seat})` }, "aria-hidden": "true" }),
        el("span", { text: move.name }),
        grade && !FINE.has(grade) && el("span", { class: `grade-mark grade-${grade}`, text: grade, "aria-hidden": "true" })));
  }

  /** The list scrolls, the page does not. */
  function keepInSight(item) {
    const [box, mine] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
    if (mine.top < box.top) list.scrollTop -= box.top - mine.top + 4;
    if (mine.bottom > box.bottom) list.scrollTop += mine.bottom - box.bottom + 4;
  }

  function showExtras() {
    const { live } = session;
    const open = live.over || !("hand" in live.board);
    const position = session.veiledFor === null ? live.position : null; // it tells the hand
    const key = JSON.stringify([live.transcript, position, open]);
    if (extras.dataset.key === key) return;
    extras.dataset.key = key;
    const path = `/api/tables/${session.id}`;
    clear(extras).append(...[
      typeof live.transcript === "string" && textToCopy("Transcript", live.transcript),
      position && textToCopy("Position", position),
      open && el("div", { class: "row" },
        typeof live.transcript === "string" && download("GGF", `${path}/ggf`, `${session.id}.ggf`),
        download("record", `${path}/record`, `${session.id}.json`)),
    ].filter(Boolean));
  }

  session.listen(update);
  update();
  return { element: el("div", { class: "notation" }, stepper, list, extras) };
}

function download(what, href, name) {
  return el("a", { class: "button", href, download: name, text: `Download ${what}` });
}

function textToCopy(what, text) {
  const role = { role: "textbox", "aria-readonly": "true", "aria-label": what, tabindex: 0 };
  return el("div", { class: "copy-line" },
    el("strong", { text: what }),
    el("code", { class: "copy-text", ...role, "data-copy": what.toLowerCase(), text: text || "–" }),
    button(`Copy ${what.toLowerCase()}`, { sign: "copy", iconOnly: true, onClick: () => copy(text, what) }));
}
