/** The pair to choose from where a piece of Chung Toi is set down: straight or diagonal. */

import { svg } from "../dom.js";
import { piece } from "./chung-toi-pieces.js";
import { translate } from "./grid.js";
import { plate } from "./marks.js";

const KEYS = { "+": false, x: true, X: true };

/** Which way the key that a person typed turns a piece: true diagonal, false straight, undefined for other keys. */
export function wayOf(key) {
  return KEYS[key];
}

/** Two pieces on a tablet over a square: press the one that shall stand there. */
export class Chooser {
  /** `choose(action)` when one is pressed; `cancel(refocus)` when none is, told whether the focus should go back. */
  constructor({ choose, cancel }) {
    this.choose = choose;
    this.cancel = cancel;
    this.choices = [];
    this.element = svg("g", {});
    this.element.addEventListener("focusout", (event) => {
      if (this.open && !this.element.contains(event.relatedTarget)) this.cancel(false);
    });
  }

  get open() {
    return this.choices.length > 0;
  }

  /** Offer `choices` ({action, diagonal, label, score}) around `point` of a drawing so wide; focus the `likely` one. */
  show({ choices, seat, point, cell, width, label, likely }) {
    const [r, half] = [cell * 0.3, cell * 0.69];
    const x = Math.min(Math.max(point.x, half + 8), width - half - 8);
    const nodes = choices.map((choice, i) => this.#choice(choice, seat, r, { x: (i - 0.5) * cell * 0.66, y: 0 }));
    const tall = cell * 0.84;
    const back = { x: -half, y: -tall / 2, width: 2 * half, height: tall, rx: cell * 0.14 };
    this.element.replaceChildren(
      svg(
        "g",
        { class: "chooser", role: "group", "aria-label": label, transform: translate({ x, y: point.y }) },
        svg("rect", { class: "chooser-back", ...back }),
        nodes,
      ),
    );
    this.choices = choices.map((choice, i) => ({ ...choice, node: nodes[i] }));
    this.choices[likely].node.focus({ preventScroll: true });
  }

  close() {
    this.choices = []; // first, for taking nodes away moves the focus out
    this.element.replaceChildren();
  }

  #choice({ action, diagonal, label, score }, seat, r, point) {
    const node = svg(
      "g",
      { class: "choice", role: "button", tabindex: 0, "data-action": action, "aria-label": label },
      svg("rect", { class: "choice-hit", x: -r * 1.06, y: -r * 1.36, width: r * 2.12, height: r * 2.72, rx: r * 0.3 }),
      svg("g", { "aria-hidden": "true" }, piece(seat, diagonal, r)),
      score && plate(score, { x: 0, y: r * 1.08 }, { width: r * 2.1, size: r * 0.45 }),
    );
    node.setAttribute("transform", translate(point));
    node.addEventListener("click", () => this.choose(action));
    node.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const typed = this.choices.find((choice) => choice.diagonal === wayOf(event.key));
      if (event.key === "Enter" || event.key === " ") this.choose(action);
      else if (event.key === "Escape") this.cancel(true);
      else if (event.key.startsWith("Arrow")) this.choices.find((choice) => choice.action !== action)?.node.focus();
      else if (typed) this.choose(typed.action);
      else return;
      event.preventDefault();
    });
    return node;
  }
}
