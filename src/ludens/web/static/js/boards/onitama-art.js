/** The mat of Onitama with its two temples, and the pieces: students in plain robes, masters with a crown. */

import { svg } from "../dom.js";
import { translate } from "./grid.js";

const TEMPLES = [2, 22]; // c1 and c5

/** The mat, its squares and the temples, as `squares` (grid.js) lie now. */
export function drawMat(squares, margin) {
  const { left, top, cell } = squares;
  const size = 5 * cell + 2 * margin;
  const box = { x: left - margin, y: top - margin, width: size, height: size };
  return svg(
    "g",
    { class: "onitama-mat", "aria-hidden": "true" },
    svg("rect", { class: "mat-edge", ...box, rx: 18 }),
    svg("rect", { class: "mat", x: box.x + 3, y: box.y + 3, width: size - 6, height: size - 6, rx: 15 }),
    ...Array.from({ length: 25 }, (_, square) => {
      const { x, y } = squares.corner(square);
      const dark = square % 2 ? " dark" : "";
      return svg("rect", { class: `mat-square${dark}`, x: x + 2, y: y + 2, width: cell - 4, height: cell - 4, rx: 6 });
    }),
    ...TEMPLES.map((square, seat) => temple(squares.centre(square), seat)),
  );
}

/** A piece around the point 0, 0 of a square of 100. */
export function drawPiece({ seat, master }) {
  const kind = master ? "master" : "student";
  return svg(
    "g",
    { class: `onitama-piece seat-${seat} ${kind}`, "aria-hidden": "true" },
    svg("ellipse", { class: "piece-shade", cx: 2, cy: master ? 37 : 34, rx: master ? 32 : 28, ry: 8 }),
    ...(master ? masterParts() : studentParts()),
  );
}

function studentParts() {
  return [
    svg("path", { class: "piece-body", d: "M-27 32 Q-27 25 -19 22 Q-10 14 -9 1 L9 1 Q10 14 19 22 Q27 25 27 32 Q27 37 21 37 L-21 37 Q-27 37 -27 32 Z" }),
    svg("path", { class: "piece-trim", d: "M-12 2 Q0 8 12 2" }),
    svg("circle", { class: "piece-body", cy: -13, r: 17 }),
    svg("circle", { class: "piece-light", cx: -6, cy: -19, r: 4.4 }),
  ];
}

function masterParts() {
  return [
    svg("path", { class: "piece-body", d: "M-31 35 Q-31 27 -22 24 Q-11 16 -10 -2 L10 -2 Q11 16 22 24 Q31 27 31 35 Q31 40 25 40 L-25 40 Q-31 40 -31 35 Z" }),
    svg("path", { class: "piece-trim", d: "M-19 25 Q0 33 19 25 M-13 0 Q0 7 13 0" }),
    svg("circle", { class: "piece-body", cy: -13, r: 17 }),
    svg("path", { class: "piece-crown", d: "M-17 -24 L-21 -42 L-9 -34 L0 -47 L9 -34 L21 -42 L17 -24 Q0 -19 -17 -24 Z" }),
    svg("circle", { class: "piece-jewel", cy: -28.5, r: 3.2 }),
  ];
}

/** A gate: seen whole while empty, and around whoever stands in it. */
function temple(point, seat) {
  return svg(
    "g",
    { class: `temple seat-${seat}`, transform: translate(point) },
    svg("path", { class: "temple-ground", d: "M-42 46 L-42 -6 Q-42 -44 0 -44 Q42 -44 42 -6 L42 46 Z" }),
    svg("path", { class: "temple-arch", d: "M-42 46 L-42 -6 Q-42 -44 0 -44 Q42 -44 42 -6 L42 46" }),
    svg("path", { class: "temple-inner", d: "M-31 46 L-31 -4 Q-31 -33 0 -33 Q31 -33 31 -4 L31 46" }),
  );
}
