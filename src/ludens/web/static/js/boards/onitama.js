/** The board of Onitama: five cards face up, pieces that move by them, and the swap after every move. */

import { el, svg } from "../dom.js";
import { Cells, draggable, Motion, Squares, translate } from "./grid.js";
import { coordinates, plate } from "./marks.js";
import { drawMat, drawPiece } from "./onitama-art.js";
import { CARD, CardLayout, Cards } from "./onitama-cards.js";
import { Choice } from "./onitama-choice.js";
import { cardWords, prompt, squareWords } from "./onitama-words.js";

const CELL = 100;
const MARGIN = 34; // the frame, where coordinates stand
const SIDE = 5 * CELL + 2 * MARGIN;
const NARROW = 560; // pixels below which hands lie above and below the board
const LAYERS = ["mat", "under", "pieces", "over"];

export function createBoard(options) {
  return new OnitamaBoard(options);
}

class OnitamaBoard {
  constructor({ play, announce, reducedMotion }) {
    Object.assign(this, { play, announce, state: null, analysis: null, hinted: null, shown: 0, choice: new Choice([]) });
    this.motion = new Motion(reducedMotion);
    this.layout = new CardLayout(SIDE);
    this.squares = new Squares({ columns: 5, rows: 5, cell: CELL, left: MARGIN, top: MARGIN, upwards: true });
    this.pieces = Array(25).fill(null);
    this.cells = new Cells(this.squares, {
      label: "Onitama board",
      press: (square) => this.#done(this.choice.pressSquare(square)),
      cancel: () => this.#cancel(),
    });
    this.cards = new Cards(this.layout, this.motion, { press: (name) => this.#done(this.choice.pressCard(name)), cancel: () => this.#cancel() });
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, svg("g", { class: `onitama-${name}`, "aria-hidden": "true" })]));
    this.plates = svg("g", { class: "plates", "aria-hidden": "true" });
    this.surface = svg("svg", { class: "grid-board" }, ...Object.values(this.layers), this.cells.element, this.cards.element, this.plates);
    this.caption = el("p", { class: "onitama-caption" });
    this.element = el("div", { class: "board-onitama", "data-game": "onitama" }, this.surface, this.caption);
    this.#listen();
    this.#layOut();
  }

  async render(state, { animate = false } = {}) {
    this.motion.finish();
    const shown = ++this.shown;
    const forward = animate && this.state !== null && state.ply > this.state.ply;
    this.state = state;
    this.choice = new Choice([]); // nothing can be chosen while things move
    this.analysis = this.hinted = null;
    const moved = this.#settlePieces(state.board.squares, forward ? state.last : null);
    const dealt = this.cards.settle(state.board, state.mover, { animate: forward, delay: 120 });
    this.#refresh();
    await Promise.all([...moved, dealt]);
    if (shown !== this.shown) return;
    this.choice = new Choice(state.moves);
    this.#refresh();
  }

  overlay(analysis) {
    this.analysis = analysis;
    if (this.state) this.#refresh();
  }

  hint(action) {
    this.hinted = action === null ? null : ([...this.choice.moves, ...this.choice.passes].find((move) => move.action === action) ?? null);
    if (this.hinted && this.hinted.from !== undefined) this.cells.stop(this.hinted.from);
    if (this.state) this.#refresh();
  }

  flip(flipped) {
    this.motion.finish();
    this.squares.flipped = flipped;
    this.layout.near = flipped ? 1 : 0;
    this.#layOut();
  }

  destroy() {
    this.resized.disconnect();
  }

  #listen() {
    this.resized = new ResizeObserver(([{ contentRect }]) => {
      const portrait = contentRect.width < NARROW;
      if (!contentRect.width || portrait === this.layout.portrait) return;
      this.layout.portrait = portrait;
      this.motion.finish();
      this.#layOut();
    });
    this.resized.observe(this.element);
    draggable(this.surface, this.squares, {
      lift: (square) => (this.choice.moves.some(({ from }) => from === square) ? this.pieces[square].element : null),
      start: (square) => {
        this.lifted = { square, shown: this.shown };
        this.surface.classList.add("dragging");
        this.choice.take(square);
        this.#refresh();
      },
      over: (square) => this.#hover(square),
      drop: (square, point) => this.#drop(square, point),
    });
  }

  #layOut() {
    const { width, height, left, top } = this.layout.frame;
    this.surface.setAttribute("viewBox", `0 0 ${width} ${height}`);
    Object.assign(this.squares, { left: left + MARGIN, top: top + MARGIN });
    this.layers.mat.replaceChildren(drawMat(this.squares, MARGIN), coordinates(this.squares, MARGIN));
    this.cells.layout();
    this.#standStill();
    this.cards.layOut();
    if (this.state) this.#refresh();
  }

  #standStill() {
    this.pieces.forEach((piece, square) => piece?.element.setAttribute("transform", translate(this.squares.centre(square))));
  }

  /** Put the pieces where they belong; the one that moved last glides, whoever it captured fades. */
  #settlePieces(wanted, last) {
    const moved = [];
    const mover = last?.from === undefined ? null : this.pieces[last.from];
    if (mover && same(mover, wanted[last.to])) {
      const captured = this.pieces[last.to];
      this.pieces[last.from] = null;
      this.pieces[last.to] = mover;
      if (captured) moved.push(this.motion.play(captured.element, [{ opacity: 1 }, { opacity: 0 }]).then(() => captured.element.remove()));
      const from = this.#drawnAt(mover, last.from);
      const to = this.squares.centre(last.to);
      this.layers.pieces.append(mover.element);
      moved.push(this.motion.slide(mover.element, from, to, { duration: 260 }));
    }
    wanted.forEach((piece, square) => {
      if (same(this.pieces[square], piece)) return;
      this.pieces[square]?.element.remove();
      this.pieces[square] = piece && { ...piece, element: drawPiece(piece) };
      if (piece) this.layers.pieces.append(this.pieces[square].element);
    });
    this.#standStill();
    return moved;
  }

  /** Where a piece is drawn: on its square, unless it was carried elsewhere by hand. */
  #drawnAt(piece, square) {
    const point = piece.dropped ?? this.squares.centre(square);
    piece.dropped = null;
    return point;
  }

  #done(action) {
    if (action === null) this.#refresh();
    else this.play(action);
  }

  #cancel() {
    this.choice.clear();
    this.#refresh();
  }

  #hover(square) {
    this.hovered = square;
    this.#refresh();
  }

  #drop(square, point) {
    const { square: origin, shown } = this.lifted;
    this.surface.classList.remove("dragging");
    this.hovered = null;
    const piece = this.pieces[origin];
    const action = shown === this.shown && square !== null && square !== origin && this.choice.targets.has(square) ? this.choice.pressSquare(square) : null;
    this.#standStill();
    if (action !== null) {
      piece.dropped = point;
      this.play(action);
    } else if (shown === this.shown && piece) {
      this.motion.slide(piece.element, point, this.squares.centre(origin));
    }
    this.#refresh();
  }

  /** Say and draw what can be chosen now. */
  #refresh() {
    const { choice, hinted, state } = this;
    const [targets, sources, last] = [choice.targets, choice.sources, state.last];
    this.cells.update((square) => {
      const reached = targets.get(square);
      const words = squareWords(state, this.squares.name(square), square);
      if (reached) words.push(`can be reached by ${reached.map(({ card }) => card).join(" or ")}`);
      else if (sources.has(square)) words.push("can move");
      const score = this.#scoreOf(reached ?? (choice.square === null ? choice.left({ square }) : []));
      if (score) words.push(score.best ? `${score.text}, best` : score.text);
      return {
        label: words.join(", "),
        action: reached?.length === 1 ? reached[0].action : null,
        enabled: Boolean(reached) || choice.moves.some(({ from }) => from === square),
        selected: choice.square === square,
        liftable: choice.moves.some(({ from }) => from === square),
      };
    });
    this.cards.update((name) => ({
      label: [...cardWords(state, name), ...(choice.cards.has(name) ? [choice.passes.length ? "give it away and pass" : "can be played"] : [])].join(", "),
      action: choice.passes.find(({ card }) => card === name)?.action ?? null,
      enabled: [...choice.moves, ...choice.passes].some(({ card }) => card === name),
      fits: choice.cards.has(name),
      selected: choice.card === name,
      hinted: hinted?.card === name,
      used: last?.card === name,
    }));
    this.#mark(targets, sources);
    this.#plates(targets, sources);
    this.caption.textContent = prompt(state, choice);
  }

  #mark(targets, sources) {
    const { choice, hinted, state } = this;
    const box = (square, kind, inset) => {
      const { x, y } = this.squares.corner(square);
      return svg("rect", { class: kind, x: x + inset, y: y + inset, width: CELL - 2 * inset, height: CELL - 2 * inset, rx: 9 });
    };
    const was = state.last?.from === undefined ? [] : [state.last.from, state.last.to];
    const can = choice.square === null ? [...sources].filter((square) => square !== hinted?.from) : [];
    this.layers.under.replaceChildren(
      ...was.map((square) => box(square, "was", 2)),
      ...can.map((square) => box(square, "can", 6)),
      ...(choice.square === null ? [] : [box(choice.square, "chosen", 5)]),
    );
    const reach = [...targets.keys()].map((square) => {
      if (state.board.squares[square]) return box(square, "reach captures", 7);
      const { x, y } = this.squares.centre(square);
      return svg("circle", { class: "reach", cx: x, cy: y, r: 13 });
    });
    const over = [this.hovered, choice.target].filter((square) => targets.has(square));
    this.layers.over.replaceChildren(
      ...reach,
      ...over.map((square) => box(square, "aim", 5)),
      ...(hinted?.from === undefined ? [] : [box(hinted.from, "hint", 6), box(hinted.to, "hint", 6)]),
    );
  }

  /** What the agent thinks: of targets once a piece is chosen, of pieces before, and of the mover's cards. */
  #plates(targets, sources) {
    const { choice } = this;
    const size = { width: CELL * 0.94, size: 24 };
    const plates = [];
    const add = (moves, point) => {
      const score = this.#scoreOf(moves);
      if (score) plates.push(plate(score, point, size));
    };
    const low = (square) => ({ ...this.squares.centre(square), y: this.squares.centre(square).y + 33 });
    if (choice.square === null) for (const square of sources) add(choice.left({ square }), low(square));
    else for (const [square, moves] of targets) add(moves, low(square));
    for (const name of choice.cards) {
      const { x, y, scale } = this.cards.middle(name);
      add([...choice.left({ card: name }), ...choice.passes.filter(({ card }) => card === name)], { x, y: y - (CARD.height / 2 - 4) * scale });
    }
    this.plates.replaceChildren(...plates);
  }

  /** The best that the agent thinks of any of these moves, or null. */
  #scoreOf(moves) {
    const actions = new Set(moves.map(({ action }) => action));
    const scores = (this.analysis?.moves ?? []).filter(({ action }) => actions.has(action));
    return scores.length ? scores.reduce((one, other) => (other.best || (!one.best && other.score > one.score) ? other : one)) : null;
  }
}

/** Whether two pieces (or nothing) look the same. */
function same(one, other) {
  return one && other ? one.seat === other.seat && one.master === other.master : !one && !other;
}
