/** What is written on boards of squares: coordinates along the edge, and plates with what an agent thinks. */

import { svg } from "../dom.js";

const LETTER = 0.62; // how wide a letter is, by its height

/** The letters and numbers along the frame, `margin` wide, as the squares lie now. */
export function coordinates(squares, margin) {
  const label = (text, x, y) => svg("text", { class: "coordinate", x, y, text });
  const { columns, rows, left, top, cell } = squares;
  const letters = Array.from({ length: columns }, (_, column) => {
    const { x } = squares.centre(column);
    const text = squares.name(column)[0];
    return [label(text, x, top - margin / 2), label(text, x, top + rows * cell + margin / 2)];
  });
  const numbers = Array.from({ length: rows }, (_, row) => {
    const { y } = squares.centre(row * columns);
    const text = String(row + 1);
    return [label(text, left - margin / 2, y), label(text, left + columns * cell + margin / 2, y)];
  });
  return svg("g", { class: "coordinates", "aria-hidden": "true" }, letters, numbers);
}

/**
 * A plate with what an agent thinks (`{text, best}`) around the point `{x, y}`, in letters of `size`, or smaller ones
 * where `width` is too little for that.
 */
export function plate({ text, best }, { x, y }, { width, size }) {
  const letters = Math.min(size, width / (text.length * LETTER + 0.7));
  const length = (text.length * LETTER + 0.7) * letters;
  const height = size * 1.4;
  return svg(
    "g",
    { class: best ? "plate best" : "plate", transform: `translate(${x} ${y})` },
    svg("rect", { class: "plate-back", x: -length / 2, y: -height / 2, width: length, height, rx: height / 2 }),
    svg("text", { class: "plate-text", "font-size": letters, text }),
  );
}
