/**
 * What boards of squares share: where squares lie, which of them has the focus, what is dragged, and how things move.
 *
 * A board draws in layers, and the cells made here lie on top of them all: transparent squares that take clicks, taps
 * and keys and are read out. What lies beneath is for the eye only, and marked so (`aria-hidden`).
 */

import { svg } from "../dom.js";

const DRAG_STARTS = 5; // pixels that a pointer moves before a press becomes a drag
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Where squares are drawn, whichever way round the board lies. Square 0 is a1, square 1 is b1. */
export class Squares {
  /** `cell` is the side of a square, `left` and `top` where the first begins; `upwards` if row 1 is the lowest. */
  constructor({ columns, rows, cell, left = 0, top = 0, upwards = false }) {
    Object.assign(this, { columns, rows, cell, left, top, upwards, flipped: false });
    this.count = columns * rows;
  }

  /** `f5`. */
  name(square) {
    return `${"abcdefgh"[square % this.columns]}${Math.floor(square / this.columns) + 1}`;
  }

  /** The square's place on the screen: columns from the left, rows from the top. */
  place(square) {
    const column = square % this.columns;
    const row = Math.floor(square / this.columns);
    return {
      column: this.flipped ? this.columns - 1 - column : column,
      row: this.upwards !== this.flipped ? this.rows - 1 - row : row,
    };
  }

  /** The square at a place on the screen, null outside the board. */
  from({ column, row }) {
    if (column < 0 || row < 0 || column >= this.columns || row >= this.rows) return null;
    const file = this.flipped ? this.columns - 1 - column : column;
    const rank = this.upwards !== this.flipped ? this.rows - 1 - row : row;
    return rank * this.columns + file;
  }

  /** The square's upper left corner in the drawing. */
  corner(square) {
    const { column, row } = this.place(square);
    return { x: this.left + column * this.cell, y: this.top + row * this.cell };
  }

  /** The middle of the square in the drawing. */
  centre(square) {
    const { x, y } = this.corner(square);
    return { x: x + this.cell / 2, y: y + this.cell / 2 };
  }

  /** The square under a point of the drawing, null outside the board. */
  at({ x, y }) {
    return this.from({ column: Math.floor((x - this.left) / this.cell), row: Math.floor((y - this.top) / this.cell) });
  }

  /** The square that an arrow key, Home or End leads to, null for other keys and at the edge. */
  next(square, key) {
    const { column, row } = this.place(square);
    if (key === "Home") return this.from({ column: 0, row });
    if (key === "End") return this.from({ column: this.columns - 1, row });
    if (!(key in ARROWS)) return null;
    return this.from({ column: column + ARROWS[key][0], row: row + ARROWS[key][1] });
  }
}

/** The squares as a reader, a keyboard and a pointer meet them: one grid with one stop for Tab. */
export class Cells {
  /**
   * `press(square)` on click, tap, Enter or Space; `cancel()` on Escape; `key(square, name)` on other keys, true if it
   * used one; `enter(square)` and `leave()` as a pointer or the focus comes and goes.
   */
  constructor(squares, { label, press, cancel = () => {}, key = () => false, enter = () => {}, leave = () => {} }) {
    this.squares = squares;
    this.current = 0;
    const heard = { press, cancel, enter, leave, key };
    this.cells = Array.from({ length: squares.count }, (_, square) => this.#cell(square, heard));
    const rows = Array.from({ length: squares.rows }, (_, row) =>
      svg("g", { role: "row" }, ...this.cells.slice(row * squares.columns, (row + 1) * squares.columns)),
    );
    this.element = svg("g", { class: "cells", role: "grid", "aria-label": label }, ...rows);
    this.stop(squares.from({ column: Math.floor((squares.columns - 1) / 2), row: Math.floor((squares.rows - 1) / 2) }));
    this.layout();
  }

  /** Put every cell where its square lies now; call it after the board was flipped. */
  layout() {
    this.cells.forEach((cell, square) => cell.setAttribute("transform", translate(this.squares.corner(square))));
  }

  /**
   * Tell every cell what it is: `describe(square)` gives `{label, action, enabled, selected, liftable}`, where `action`
   * is what a single press plays (null if it takes more) and `liftable` whether something can be dragged from here.
   */
  update(describe) {
    this.cells.forEach((cell, square) => {
      const { label, action = null, enabled = false, selected = false, liftable = false } = describe(square);
      cell.setAttribute("aria-label", label);
      cell.setAttribute("aria-disabled", String(!enabled));
      cell.setAttribute("aria-selected", String(selected));
      cell.classList.toggle("enabled", enabled);
      cell.classList.toggle("liftable", liftable);
      if (action === null) delete cell.dataset.action;
      else cell.dataset.action = action;
    });
  }

  /** Make `square` the one that Tab reaches. */
  stop(square) {
    this.cells[this.current].setAttribute("tabindex", "-1");
    this.cells[square].setAttribute("tabindex", "0");
    this.current = square;
  }

  /** Make `square` the one that Tab reaches, and go there. */
  focus(square) {
    this.stop(square);
    this.cells[square].focus({ preventScroll: true });
  }

  #cell(square, { press, cancel, enter, leave, key }) {
    const { cell: side } = this.squares;
    const inset = side * 0.045;
    const ring = { x: inset, y: inset, width: side - 2 * inset, height: side - 2 * inset, rx: side * 0.08 };
    const cell = svg(
      "g",
      { class: "cell", role: "gridcell", tabindex: -1, "data-square": square },
      svg("rect", { class: "cell-hit", width: side, height: side }),
      svg("rect", { class: "cell-focus", ...ring }),
    );
    cell.addEventListener("click", () => {
      this.stop(square);
      press(square);
    });
    cell.addEventListener("pointerenter", () => enter(square));
    cell.addEventListener("pointerleave", () => leave());
    cell.addEventListener("focus", () => enter(square));
    cell.addEventListener("blur", () => leave());
    cell.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const next = this.squares.next(square, event.key);
      if (next !== null) this.focus(next);
      else if (event.key === "Enter" || event.key === " ") press(square);
      else if (event.key === "Escape") cancel();
      else if (!(event.key in ARROWS) && !key(square, event.key)) return;
      event.preventDefault(); // an arrow at the edge must not scroll the page either
    });
    return cell;
  }
}

/**
 * Let pieces be dragged over `surface` (an <svg>). `lift(square, event)` gives the piece that may be taken up there,
 * null if none; `start(square)` when it leaves, `over(square, point)` as it moves (null outside the board), and
 * `drop(square, point)` when it is let go. Where it then stands is up to the caller. A press without a drag is a click.
 */
export function draggable(surface, squares, { lift, start, over, drop }) {
  let held = null;

  surface.addEventListener("pointerdown", (event) => {
    if (held || event.button !== 0 || !event.isPrimary) return;
    const origin = squares.at(pointOf(surface, event));
    const piece = origin === null ? null : lift(origin, event);
    const { pointerId: id, clientX: x, clientY: y } = event;
    if (piece) held = { piece, origin, id, x, y, moving: false };
  });

  surface.addEventListener("pointermove", (event) => {
    if (!held || event.pointerId !== held.id) return;
    if (!held.moving) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < DRAG_STARTS) return;
      held.moving = true;
      surface.setPointerCapture(held.id);
      surface.classList.add("dragging");
      held.piece.classList.add("dragged");
      held.piece.parentNode.append(held.piece); // above all other pieces
      start(held.origin);
    }
    const point = pointOf(surface, event);
    held.piece.setAttribute("transform", translate(point));
    over(squares.at(point), point);
  });

  // A finger on a piece drags it; anywhere else it scrolls the page. (The inside of an <svg> has no touch-action.)
  surface.addEventListener("touchmove", (event) => held && event.preventDefault(), { passive: false });

  const release = (event) => {
    if (!held || event.pointerId !== held.id) return;
    const { piece, moving } = held;
    held = null;
    if (!moving) return;
    surface.classList.remove("dragging");
    piece.classList.remove("dragged");
    surface.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => surface.removeEventListener("click", swallow, { capture: true }));
    const point = pointOf(surface, event);
    drop(event.type === "pointerup" ? squares.at(point) : null, point);
  };
  surface.addEventListener("pointerup", release);
  surface.addEventListener("pointercancel", release);
}

/** Things that move. Nothing does where people asked for stillness, or where nobody looks. */
export class Motion {
  constructor(reduced) {
    this.reduced = reduced;
    this.running = new Set();
  }

  /** Animate `element` to how it already stands; resolves when that is over. */
  async play(element, keyframes, { duration = 240, delay = 0, easing = "ease-out" } = {}) {
    if (this.reduced || document.hidden) return;
    const animation = element.animate(keyframes, { duration, delay, easing, fill: "backwards" });
    this.running.add(animation);
    await animation.finished.catch(() => {}); // cancelled: the element went away
    this.running.delete(animation);
  }

  /** Let a piece that already stands on point `to` come there from point `from`. */
  slide(element, from, to, options) {
    return this.play(element, [{ transform: shift(from) }, { transform: shift(to) }], options);
  }

  /** Let something that is already there appear. */
  appear(element, options) {
    return this.play(element, [{ opacity: 0 }, { opacity: 1 }], options);
  }

  /** Bring everything that still moves to its end. */
  finish() {
    for (const animation of this.running) animation.finish();
    this.running.clear();
  }
}

/** The `transform` attribute that puts something at a point of the drawing. */
export function translate({ x, y }) {
  return `translate(${x} ${y})`;
}

/** Where in the drawing of `surface` an event happened. */
export function pointOf(surface, event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(surface.getScreenCTM().inverse());
}

function shift({ x, y }) {
  return `translate(${x}px, ${y}px)`;
}

function swallow(event) {
  event.stopPropagation();
}
