/** The board of Ur as it was inlaid: shell squares with eyes, dots and diamonds, rosettes, and round counters. */

import { svg } from "../dom.js";
import { translate } from "./grid.js";
import { SQUARES } from "./ur-layout.js";

const INNER = 90; // the shell of a square, the rest is the frame
const PATTERNS = {
  eyes: ["a2", "a4", "c2", "c4", "b3", "b7"],
  dots: ["a3", "c3", "b2", "b5", "b8"],
  diamonds: ["b1", "b6", "a8", "c8"],
};

/** The frame, its shadow and the squares; `rosettes` are names of squares. */
export function drawBoard(layout, rosettes) {
  const blocks = [layout.box(0, 0, 4, 3, 13), layout.box(3.8, 1, 6.2, 2, 13), layout.box(6, 0, 8, 3, 13)];
  return svg(
    "g",
    { class: "ur-board", "aria-hidden": "true" },
    svg("g", { class: "ur-frame-edge" }, ...blocks.map((box) => svg("rect", { ...box, rx: 16 }))),
    svg("g", { class: "ur-frame" }, ...blocks.map((box) => svg("rect", { ...inset(box, 3), rx: 13 }))),
    ...SQUARES.map((name) =>
      svg(
        "g",
        { transform: translate(layout.square(name)) },
        svg("rect", { class: "ur-shell", x: -INNER / 2, y: -INNER / 2, width: INNER, height: INNER, rx: 7 }),
        svg("rect", { class: "ur-inlay", x: -39, y: -39, width: 78, height: 78, rx: 4 }),
        ...(rosettes.includes(name) ? rosette() : PATTERN[patternOf(name)]()),
      ),
    ),
  );
}

/** A counter of one seat: a disc with five dots, as they were found. */
export function drawPiece(seat) {
  const dots = [[0, 0], [-13, -13], [13, -13], [-13, 13], [13, 13]];
  return svg(
    "g",
    { class: `ur-piece seat-${seat}`, "aria-hidden": "true" },
    svg("ellipse", { class: "ur-piece-shade", cx: 1.5, cy: 5, rx: 34, ry: 33 }),
    svg("circle", { class: "ur-piece-body", r: 33 }),
    svg("circle", { class: "ur-piece-rim", r: 27 }),
    ...dots.map(([cx, cy]) => svg("circle", { class: "ur-piece-dot", cx, cy, r: 4.6 })),
  );
}

/** A tray with its count; the count is a <text> with class `ur-count`. */
export function drawTray(layout, seat, kind, word) {
  const { x, y } = layout.trayCount(seat, kind);
  return svg(
    "g",
    { class: "ur-tray", "aria-hidden": "true" },
    svg("rect", { class: "ur-tray-bed", ...layout.tray(seat, kind), rx: 22 }),
    svg("text", { class: "ur-count", x, y: y + 2 }),
    svg("text", { class: "ur-count-word", x, y: y + 28, text: word }),
  );
}

function rosette() {
  const turns = [0, 45, 90, 135, 180, 225, 270, 315];
  const petal = "M0 -7 C 13 -17 13 -30 0 -37 C -13 -30 -13 -17 0 -7 Z";
  return [
    ...turns.map((turn, i) =>
      svg("path", { class: i % 2 ? "ur-petal other" : "ur-petal", d: petal, transform: `rotate(${turn})` }),
    ),
    svg("circle", { class: "ur-heart", r: 9 }),
    svg("circle", { class: "ur-heart-dot", r: 3.6 }),
  ];
}

const PATTERN = {
  eyes: () => [-19, 19].flatMap((y) => [-19, 19].flatMap((x) => eye(x, y))),
  dots: () =>
    [[0, 0], [-22, -22], [22, -22], [-22, 22], [22, 22]].flatMap(([cx, cy]) => [
      svg("circle", { class: "ur-bead", cx, cy, r: 9 }),
      svg("circle", { class: "ur-bead-dot", cx, cy, r: 3.4 }),
    ]),
  diamonds: () =>
    [-26, 0, 26].flatMap((y) =>
      [-26, 0, 26].map((x) =>
        svg("path", {
          class: (x + y) % 52 ? "ur-diamond other" : "ur-diamond",
          d: `M${x} ${y - 12} l12 12 l-12 12 l-12 -12 Z`,
        }),
      ),
    ),
};

function eye(x, y) {
  return [
    svg("path", { class: "ur-eye", d: `M${x - 15} ${y} q15 -17 30 0 q-15 17 -30 0 Z` }),
    svg("circle", { class: "ur-pupil", cx: x, cy: y, r: 4.6 }),
  ];
}

function patternOf(name) {
  return Object.keys(PATTERNS).find((pattern) => PATTERNS[pattern].includes(name));
}

function inset({ x, y, width, height }, by) {
  return { x: x + by, y: y + by, width: width - 2 * by, height: height - 2 * by };
}
