/** What is drawn on the squares of Chung Toi beside the pieces: frames, ways, halves, and what a piece turns into. */

import { svg } from "../dom.js";
import { WAYS, piece } from "./chung-toi-pieces.js";
import { translate } from "./grid.js";

const GAP = 3; // between a square's field and its edge

/** The fields themselves, light and dark by turns. */
export function fields(squares) {
  return Array.from({ length: squares.count }, (_, square) =>
    svg("rect", { class: square % 2 ? "field" : "field dark", rx: 10, ...inside(squares, square, GAP) }),
  );
}

/** A frame around a square; `name` says what for. */
export function frame(squares, square, name) {
  return svg("rect", { class: name, rx: 9, ...inside(squares, square, 2 * GAP) });
}

/** A dot where a piece may go. */
export function dot(squares, square) {
  const { x, y } = squares.centre(square);
  return svg("circle", { class: "legal", r: squares.cell * 0.09, cx: x, cy: y });
}

/** The bar through three in a row. */
export function bar(squares, line) {
  const [a, , b] = line.map((square) => squares.centre(square));
  return svg("path", { class: "line", d: `M${a.x} ${a.y}L${b.x} ${b.y}` });
}

/** The way from one piece to another square, from rim to rim. */
export function way(squares, from, to) {
  const [a, b] = [squares.centre(from), squares.centre(to)];
  const far = Math.hypot(b.x - a.x, b.y - a.y);
  const [x, y] = [((b.x - a.x) / far) * squares.cell * 0.42, ((b.y - a.y) / far) * squares.cell * 0.42];
  return svg("path", { class: "hint-way", d: `M${a.x + x} ${a.y + y}L${b.x - x} ${b.y - y}` });
}

/** The piece that might stand on a square. */
export function ghost(squares, square, seat, diagonal, r) {
  return svg("g", { class: "hint", transform: translate(squares.centre(square)) }, piece(seat, diagonal, r));
}

/** In the corner of a square: what the piece on it would turn into. */
export function badge(squares, square, seat, diagonal, name) {
  const { x, y } = squares.corner(square);
  const r = squares.cell * 0.15;
  return svg(
    "g",
    { class: `badge ${name}`, transform: translate({ x: x + squares.cell - r * 1.35, y: y + r * 1.35 }) },
    svg("circle", { class: "badge-back", r: r * 1.2 }),
    piece(seat, diagonal, r),
  );
}

/** The halves of a square under a dragged piece, straight on the left and diagonal on the right. */
export function halves(squares, square, diagonal) {
  const { x, y, width, height } = inside(squares, square, GAP);
  return WAYS.map((_, i) =>
    svg(
      "g",
      { class: Boolean(i) === diagonal ? "half aimed" : "half" },
      svg("rect", { x: x + (i * width) / 2, y, width: width / 2, height, rx: 10 }),
      svg("text", { x: x + width * (0.12 + 0.76 * i), y: y + height * 0.13, text: i ? "×" : "+" }),
    ),
  );
}

function inside(squares, square, gap) {
  const { x, y } = squares.corner(square);
  return { x: x + gap, y: y + gap, width: squares.cell - 2 * gap, height: squares.cell - 2 * gap };
}
