/** The pieces of Chung Toi: octagons with four arrows. */

import { svg } from "../dom.js";
import { translate } from "./grid.js";

export const WAYS = ["straight", "diagonal"];

/** A piece around the origin, `r` from its middle to its corners. Its arrows turn with the class `diagonal`. */
export function piece(seat, diagonal, r) {
  return svg(
    "g",
    { class: `piece seat-${seat}${diagonal ? " diagonal" : ""}` },
    svg("path", { class: "piece-shadow", d: octagon(r * 1.03), transform: `translate(0 ${r * 0.11})` }),
    svg("path", { class: "piece-side", d: octagon(r), transform: `translate(0 ${r * 0.06})` }),
    svg(
      "g",
      { class: "spin" },
      svg("path", { class: "piece-top", d: octagon(r) }),
      svg("path", { class: "piece-rim", d: octagon(r * 0.88), "stroke-width": r * 0.035 }),
      [0, 90, 180, 270].map((angle) => svg("path", { class: "arrow", d: arrow(r), transform: `rotate(${angle})` })),
      svg("circle", { class: "arrow", r: r * 0.1 }),
    ),
  );
}

/** All pieces on the board: what is drawn now, and how that becomes what the next state says. */
export class Pieces {
  constructor(squares, motion, r) {
    Object.assign(this, { squares, motion, r });
    this.drawn = Array(squares.count).fill(null); // {node, seat, diagonal, point} by square
    this.element = svg("g", { class: "standing", "aria-hidden": "true" });
  }

  /** What is drawn on a square, null if nothing. */
  on(square) {
    return this.drawn[square];
  }

  /** Draw the pieces where they stand; what `last` did is animated (nothing if null). Gives what is still moving. */
  arrange(standing, last) {
    const moving = [];
    if (last?.kind === "move" && this.on(last.from) && !standing[last.from] && !this.on(last.to)) {
      this.drawn[last.to] = this.drawn[last.from];
      this.drawn[last.from] = null;
    }
    standing.forEach((now, square) => {
      const before = this.on(square);
      if (before && before.seat !== now?.seat) {
        before.node.remove();
        this.drawn[square] = null;
      }
      if (!now) return;
      if (!this.on(square)) moving.push(this.#add(square, now, last?.to === square));
      else if (last) moving.push(...this.#move(square, now));
      this.#set(square, now.diagonal, this.squares.centre(square));
    });
    return moving;
  }

  /** Put everything where its square lies now; call it after the board was flipped. */
  layout() {
    this.drawn.forEach((piece, square) => piece && this.#set(square, piece.diagonal, this.squares.centre(square)));
  }

  /** Let those three stand out that made the row. */
  crown(line) {
    this.drawn.forEach((piece, square) => piece?.node.classList.toggle("won", line.includes(square)));
  }

  /** Show the piece of a square as if its arrows pointed that way. */
  pretend(square, diagonal) {
    this.on(square).node.classList.toggle("diagonal", diagonal);
  }

  /** A piece was let go at `point`: let it glide to the middle of `target`. */
  settle(square, target, point) {
    const rest = this.squares.centre(target);
    this.on(square).point = rest;
    this.on(square).node.setAttribute("transform", translate(rest));
    this.motion.slide(this.on(square).node, point, rest, { duration: 160 });
  }

  #add(square, { seat, diagonal }, appears) {
    const node = piece(seat, diagonal, this.r);
    this.drawn[square] = { node, seat };
    this.element.append(node);
    const steps = [{ opacity: 0, scale: 1.3 }, { opacity: 1, scale: 1 }];
    return appears ? this.motion.play(node.lastChild, steps, { duration: 200 }) : undefined;
  }

  #move(square, now) {
    const { node, point } = this.on(square);
    const place = this.squares.centre(square);
    const shown = node.classList.contains("diagonal");
    const turn = [shown, now.diagonal].map((diagonal) => ({ transform: `rotate(${diagonal ? 45 : 0}deg)` }));
    return [
      point.x === place.x && point.y === place.y ? undefined : this.motion.slide(node, point, place),
      shown === now.diagonal ? undefined : this.motion.play(node.lastChild, turn),
    ];
  }

  #set(square, diagonal, point) {
    Object.assign(this.on(square), { diagonal, point });
    this.pretend(square, diagonal);
    this.on(square).node.setAttribute("transform", translate(point));
  }
}

function octagon(r) {
  const corners = Array.from({ length: 8 }, (_, i) => (i + 0.5) * (Math.PI / 4));
  const points = corners.map((angle) => `${(r * Math.cos(angle)).toFixed(2)} ${(r * Math.sin(angle)).toFixed(2)}`);
  return `M${points.join("L")}Z`;
}

/** An arrow from the middle up to the rim. */
function arrow(r) {
  const [shaft, neck, wing, tip] = [0.075, 0.5, 0.19, 0.8].map((part) => part * r);
  return `M${-shaft} 0V${-neck}H${-wing}L0 ${-tip}L${wing} ${-neck}H${shaft}V0Z`;
}
