/** The places of Ur as a reader, a keyboard and a pointer meet them: twenty squares and four trays, one stop for Tab. */

import { svg } from "../dom.js";
import { SQUARES } from "./ur-layout.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const TRAYS = ["start0", "off0", "start1", "off1"];
const ASIDE = 2.5; // how much worse it is to lie aside than further on, when an arrow looks for the next place

export class Spots {
  /** `press(id)` on click, tap, Enter or Space; `enter(id)` and `leave()` as a pointer or the focus comes and goes. */
  constructor({ label, press, enter, leave }) {
    this.spots = new Map([...SQUARES, ...TRAYS].map((id) => [id, this.#spot(id, { press, enter, leave })]));
    this.element = svg("g", { class: "cells", role: "group", "aria-label": label }, ...this.spots.values());
    this.stop("b4");
  }

  /** Put every spot where its place lies now. */
  layout(layout) {
    this.boxes = new Map();
    for (const [id, spot] of this.spots) {
      const tray = TRAYS.includes(id);
      const column = Number(id[1]) - 1;
      const row = "abc".indexOf(id[0]);
      const box = tray ? layout.tray(Number(id.at(-1)), id.slice(0, -1)) : layout.box(column, row, column + 1, row + 1);
      this.boxes.set(id, box);
      const [hit, focus] = spot.children;
      const inset = tray ? 3 : 5;
      set(hit, box);
      set(focus, { x: box.x + inset, y: box.y + inset, width: box.width - 2 * inset, height: box.height - 2 * inset, rx: tray ? 19 : 9 });
    }
  }

  /** Tell every spot what it is: `describe(id)` gives `{label, action, from, enabled, explains}`; see `Cells` in grid.js. */
  update(describe) {
    for (const [id, spot] of this.spots) {
      const { label, action = null, from = null, enabled = false, explains = false } = describe(id);
      spot.setAttribute("aria-label", label);
      spot.setAttribute("aria-disabled", String(!enabled && !explains)); // who asks why is answered
      spot.classList.toggle("enabled", enabled);
      spot.classList.toggle("explains", explains);
      spot.classList.toggle("liftable", action !== null);
      mark(spot, "action", action);
      mark(spot, "from", from);
    }
  }

  /** Make a spot the one that Tab reaches. */
  stop(id) {
    this.spots.get(this.current)?.setAttribute("tabindex", "-1");
    this.spots.get(id).setAttribute("tabindex", "0");
    this.current = id;
  }

  #next(id, [right, down]) {
    const middle = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });
    const here = middle(this.boxes.get(id));
    let best = null;
    let least = Infinity;
    for (const [other, box] of this.boxes) {
      const there = middle(box);
      const on = (there.x - here.x) * right + (there.y - here.y) * down;
      const aside = Math.abs((there.x - here.x) * down) + Math.abs((there.y - here.y) * right);
      if (on > 10 && on + ASIDE * aside < least) [best, least] = [other, on + ASIDE * aside];
    }
    return best;
  }

  #spot(id, { press, enter, leave }) {
    const at = TRAYS.includes(id) ? { "data-tray": id } : { "data-square": id };
    const spot = svg(
      "g",
      { class: "cell", role: "button", tabindex: -1, ...at },
      svg("rect", { class: "cell-hit" }),
      svg("rect", { class: "cell-focus" }),
    );
    spot.addEventListener("click", () => {
      this.stop(id);
      press(id);
    });
    for (const event of ["pointerenter", "focus"]) spot.addEventListener(event, () => enter(id));
    for (const event of ["pointerleave", "blur"]) spot.addEventListener(event, () => leave());
    spot.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) this.#go(this.#next(id, ARROWS[event.key]));
      else if (event.key === "Enter" || event.key === " ") press(id);
      else return;
      event.preventDefault();
    });
    return spot;
  }

  #go(id) {
    if (id === null) return;
    this.stop(id);
    this.spots.get(id).focus({ preventScroll: true });
  }
}

function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
}

function mark(node, name, value) {
  if (value === null) delete node.dataset[name];
  else node.dataset[name] = value;
}
