/** The board of Othello: discs that turn over, on a board of 4, 6 or 8 squares a side. */

import { el, svg } from "../dom.js";
import { Cells, Motion, Squares, translate } from "./grid.js";
import { coordinates, plate } from "./marks.js";

const FIELD = 480; // the squares together, whatever their number
const MARGIN = 32; // the frame, where coordinates stand
const STAGGER = 28; // milliseconds by which a disc turns later than its neighbour nearer to the one placed
const DROP = [{ opacity: 0, transform: "scale(1.35)" }, { opacity: 1, transform: "scale(1)" }];
const SIDES = ["black", "white"];
const SYMBOLS = "XO";

export function createBoard(options) {
  return new OthelloBoard(options);
}

class OthelloBoard {
  constructor({ play, announce, reducedMotion }) {
    this.play = play;
    this.announce = announce;
    this.motion = new Motion(reducedMotion);
    this.flipped = false;
    this.state = null;
    this.analysis = null;
    this.scores = new Map();
    this.hinted = null;
    this.tally = SIDES.map((_, seat) => el("span", { class: `tally-count seat-${seat}`, role: "img" }));
    this.balance = el("span", { class: "balance", "aria-hidden": "true" });
    this.surface = svg("svg", { class: "grid-board", viewBox: `0 0 ${FIELD + 2 * MARGIN} ${FIELD + 2 * MARGIN}` });
    this.element = el(
      "div",
      { class: "board-othello", "data-game": "othello" },
      el("div", { class: "tally" }, this.tally[0], this.balance, this.tally[1]),
      this.surface,
    );
  }

  async render(state, { animate = false } = {}) {
    this.motion.finish();
    if (state.board.size !== this.squares?.columns) this.#build(state.board.size);
    const first = this.state === null;
    this.state = state;
    this.moves = new Map((state.moves ?? []).filter((move) => !move.pass).map((move) => [move.square, move]));
    this.overlay(null);
    this.hint(null);
    this.#preview(null);
    this.#count(state.board.counts);
    const moved = this.#discs(state.board.squares, animate && !first ? state.last : null);
    this.#marks();
    await Promise.all(moved);
  }

  overlay(analysis) {
    this.analysis = analysis;
    if (!this.state) return;
    const { cell } = this.squares;
    const measures = { width: cell * 0.94, size: Math.min(cell * 0.27, 24) };
    const scores = (analysis?.moves ?? []).filter(({ action }) => this.#square(action) !== null);
    this.scores = new Map(scores.map((score) => [this.#square(score.action), score]));
    this.plates.replaceChildren(
      ...[...this.scores].map(([square, score]) => plate(score, this.squares.centre(square), measures)),
    );
    this.surface.classList.toggle("scored", scores.length > 0);
    this.#describe();
  }

  hint(action) {
    this.hinted = action;
    if (!this.state) return;
    const square = action === null ? null : this.#square(action);
    this.hints.replaceChildren(...(square === null ? [] : [this.#circle("hint", square, 0.42)]));
    if (square !== null) this.cells.stop(square);
  }

  flip(flipped) {
    this.flipped = flipped;
    if (!this.squares || this.squares.flipped === flipped) return;
    this.motion.finish();
    this.squares.flipped = flipped;
    this.cells.layout();
    this.edge.replaceChildren(coordinates(this.squares, MARGIN));
    this.discs.forEach((disc, square) => disc?.setAttribute("transform", translate(this.squares.centre(square))));
    this.#marks();
    this.overlay(this.analysis);
    this.hint(this.hinted);
  }

  #square(action) {
    return [...this.moves.values()].find((move) => move.action === action)?.square ?? null;
  }

  #build(size) {
    const cell = FIELD / size;
    this.squares = new Squares({ columns: size, rows: size, cell, left: MARGIN, top: MARGIN });
    this.squares.flipped = this.flipped;
    this.state = null;
    this.discs = Array(size * size).fill(null);
    const layer = (name) => svg("g", { class: name, "aria-hidden": "true" });
    const layers = ["dots", "discs", "ghosts", "ring", "hints", "plates"].map(layer);
    [this.dots, this.pieces, this.ghosts, this.ring, this.hints, this.plates] = layers;
    const frame = svg("g", { "aria-hidden": "true" }, this.#frame());
    this.cells = new Cells(this.squares, {
      label: `Othello board, ${size} by ${size}`,
      press: (square) => this.#press(square),
      enter: (square) => this.#preview(square),
      leave: () => this.#preview(null),
    });
    this.surface.replaceChildren(light(), frame, ...layers, this.cells.element);
  }

  /** Everything that never changes: frame, felt, lines and dots; and the coordinates, which turn with the board. */
  #frame() {
    const { columns: size, cell } = this.squares;
    const whole = FIELD + 2 * MARGIN;
    const steps = Array.from({ length: size - 1 }, (_, i) => MARGIN + (i + 1) * cell);
    const lines = steps.map((at) => `M${at} ${MARGIN}V${MARGIN + FIELD}M${MARGIN} ${at}H${MARGIN + FIELD}`).join("");
    const dot = (i, j) => svg("circle", { class: "dot", cx: MARGIN + i * cell, cy: MARGIN + j * cell, r: 4.5 });
    this.edge = svg("g", {}, coordinates(this.squares, MARGIN));
    return [
      svg("rect", { class: "frame", width: whole, height: whole, rx: 16 }),
      svg("rect", { class: "frame-edge", x: MARGIN - 4, y: MARGIN - 4, width: FIELD + 8, height: FIELD + 8, rx: 5 }),
      svg("rect", { class: "felt", x: MARGIN, y: MARGIN, width: FIELD, height: FIELD }),
      svg("path", { class: "lines", d: lines }),
      size === 8 && [dot(2, 2), dot(2, 6), dot(6, 2), dot(6, 6)],
      this.edge,
    ];
  }

  #press(square) {
    const move = this.moves.get(square);
    if (move) {
      this.#preview(null);
      this.play(move.action);
    } else if (this.moves.size) {
      this.announce(`${this.squares.name(square)} is not a legal move`);
    }
  }

  /** Show what placing on `square` would do: the disc itself and marks on those that it turns. */
  #preview(square) {
    const move = square === null ? undefined : this.moves.get(square);
    const ghosts = move
      ? [
          this.#circle(`ghost seat-${this.state.mover}`, square, 0.4),
          ...move.turns.map((turned) => this.#circle(`turns seat-${this.state.mover}`, turned, 0.13)),
        ]
      : [];
    this.ghosts.replaceChildren(...ghosts);
  }

  #count(counts) {
    this.tally.forEach((count, seat) => {
      count.textContent = counts[seat];
      count.setAttribute("aria-label", `${counts[seat]} ${SIDES[seat]} ${counts[seat] === 1 ? "disc" : "discs"}`);
      count.classList.toggle("to-move", !this.state.over && this.state.mover === seat);
    });
    this.balance.style.setProperty("--share", counts[0] / (counts[0] + counts[1] || 1));
  }

  #describe() {
    const { board, last } = this.state;
    this.cells.update((square) => {
      const seat = SYMBOLS.indexOf(board.squares[square]);
      const move = this.moves.get(square);
      const words = [this.squares.name(square), seat < 0 ? "empty" : `${SIDES[seat]} disc`];
      if (last?.square === square) words.push("last move");
      if (move) words.push("legal move", `turns ${move.turns.length} ${move.turns.length === 1 ? "disc" : "discs"}`);
      const score = this.scores.get(square);
      if (score) words.push(score.best ? `${score.text}, best` : score.text);
      return { label: words.join(", "), action: move?.action ?? null, enabled: Boolean(move) };
    });
  }

  /** Put the discs where they belong; what `last` did is animated. Gives what is still moving. */
  #discs(squares, last) {
    const moving = [];
    this.discs.forEach((old, square) => {
      const seat = SYMBOLS.indexOf(squares[square]);
      const was = old ? Number(old.dataset.seat) : -1;
      if (seat === was) return;
      old?.remove();
      const disc = seat < 0 ? null : this.#disc(square, seat);
      this.discs[square] = disc;
      if (disc) this.pieces.append(disc);
      if (last && old && last.flipped.includes(square)) moving.push(this.#turn(old, disc, last.square));
      else if (disc && square === last?.square) moving.push(this.motion.play(disc.firstChild, DROP, { duration: 180 }));
    });
    return moving;
  }

  #disc(square, seat) {
    const r = this.squares.cell * 0.4;
    const [low, high] = [r * 0.075, -r * 0.045];
    return svg(
      "g",
      {
        class: `disc seat-${seat}`,
        "data-seat": seat,
        "data-at": square,
        transform: translate(this.squares.centre(square)),
      },
      svg(
        "g",
        { class: "turning" },
        svg("circle", { class: "disc-shadow", cx: r * 0.05, cy: r * 0.17, r: r * 1.02 }),
        svg("circle", { class: "disc-under", cy: low, r }),
        svg("circle", { class: "disc-top", cy: high, r }),
        svg("circle", { class: "disc-shine", cy: high, r: r * 0.985, fill: "url(#othello-shine)" }),
      ),
    );
  }

  /** The old face turns away, then the new one comes round. */
  async #turn(old, disc, placed) {
    const [half, delay] = [130, STAGGER * this.#distance(Number(old.dataset.at), placed)];
    const [flat, thin] = ["scaleX(1)", "scaleX(0.02) translateY(-6%)"].map((transform) => ({ transform }));
    this.pieces.append(old);
    const away = this.motion.play(old.firstChild, [flat, thin], { duration: half, delay, easing: "ease-in" });
    const back = this.motion.play(disc.firstChild, [thin, flat], { duration: half, delay: delay + half });
    await away;
    old.remove();
    await back;
  }

  #distance(square, from) {
    const [a, b] = [this.squares.place(square), this.squares.place(from)];
    return Math.max(Math.abs(a.column - b.column), Math.abs(a.row - b.row)) - 1;
  }

  #marks() {
    const { last } = this.state;
    this.dots.replaceChildren(...[...this.moves.keys()].map((square) => this.#circle("legal", square, 0.11)));
    this.ring.replaceChildren(...(last?.square === undefined ? [] : [this.#circle("last", last.square, 0.44)]));
  }

  /** A circle on a square, its radius in squares. */
  #circle(name, square, radius) {
    const { x, y } = this.squares.centre(square);
    return svg("circle", { class: name, cx: x, cy: y, r: radius * this.squares.cell });
  }
}

/** Light from above. */
function light() {
  const stops = ["lit", "mid", "dark"].map((name, i) => svg("stop", { class: `shine-${name}`, offset: i / 2 }));
  return svg("defs", {}, svg("radialGradient", { id: "othello-shine", cx: "38%", cy: "26%", r: "85%" }, stops));
}
