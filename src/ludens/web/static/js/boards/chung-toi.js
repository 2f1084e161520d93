/**
 * The board of Chung Toi. A piece is placed or moved and turned in one go: press a square, then one of the two pieces
 * offered there; or drag a piece into the left half of a square to set it down straight, into the right for diagonal.
 */

import { el, svg } from "../dom.js";
import { Chooser, wayOf } from "./chung-toi-chooser.js";
import { badge, bar, dot, fields, frame, ghost, halves, way } from "./chung-toi-marks.js";
import { Pieces, WAYS, piece } from "./chung-toi-pieces.js";
import { Cells, Motion, Squares, draggable } from "./grid.js";
import { coordinates, plate } from "./marks.js";

const CELL = 160;
const MARGIN = 34; // the frame, where coordinates stand
const WIDTH = 3 * CELL + 2 * MARGIN;
const RADIUS = CELL * 0.37;
const SIDES = ["White", "Red"];
const PHASES = { placing: "places", moving: "moves or turns" };

export function createBoard(options) {
  return new ChungToiBoard(options);
}

class ChungToiBoard {
  constructor({ play, announce, reducedMotion }) {
    this.play = play;
    this.announce = announce;
    this.motion = new Motion(reducedMotion);
    this.squares = new Squares({ columns: 3, rows: 3, cell: CELL, left: MARGIN, top: MARGIN, upwards: true });
    this.pieces = new Pieces(this.squares, this.motion, RADIUS);
    this.state = null;
    this.moves = [];
    this.selected = null;
    this.hinted = null;
    this.scores = new Map();
    this.#build();
  }

  async render(state, { animate = false } = {}) {
    this.motion.finish();
    const before = this.state;
    this.state = state;
    this.moves = state.moves ?? [];
    this.scores = new Map();
    this.hinted = null;
    if (before?.version !== state.version || before.ply !== state.ply) {
      this.selected = null; // the same state may come again, after a dropped line: then what was begun goes on
      this.chooser.close();
    }
    this.halves.replaceChildren();
    this.#trays();
    const moving = this.pieces.arrange(state.board.squares, animate && before ? state.last : null);
    this.#refresh();
    await Promise.all(moving);
  }

  overlay(analysis) {
    this.scores = new Map((analysis?.moves ?? []).map((scored) => [scored.action, scored]));
    if (this.state) this.#refresh();
  }

  hint(action) {
    this.hinted = this.moves.find((move) => move.action === action) ?? null;
    if (this.hinted && this.hinted.to !== null) this.cells.stop(this.hinted.from ?? this.hinted.to);
    if (this.state) this.#refresh();
  }

  flip(flipped) {
    if (this.squares.flipped === flipped) return;
    this.motion.finish();
    this.chooser.close();
    this.squares.flipped = flipped;
    this.cells.layout();
    this.edge.replaceChildren(coordinates(this.squares, MARGIN));
    this.pieces.layout();
    if (this.state) this.#refresh();
  }

  #build() {
    const layer = (name) => svg("g", { class: name, "aria-hidden": "true" });
    this.edge = svg("g", {}, coordinates(this.squares, MARGIN));
    [this.under, this.halves, this.over] = ["under", "halves", "over"].map(layer);
    this.cells = new Cells(this.squares, {
      label: "Chung Toi board",
      press: (square) => this.#press(square),
      cancel: () => this.#select(null),
      key: (square, key) => this.#type(square, wayOf(key)),
    });
    this.chooser = new Chooser({
      choose: (action) => this.#play(action),
      cancel: (refocus) => this.#cancel(refocus),
    });
    this.surface = svg(
      "svg",
      { class: "grid-board", viewBox: `0 0 ${WIDTH} ${WIDTH}` },
      svg(
        "g",
        { "aria-hidden": "true" },
        svg("rect", { class: "frame", width: WIDTH, height: WIDTH, rx: 18 }),
        fields(this.squares),
        this.edge,
      ),
      this.under,
      this.halves,
      this.pieces.element,
      this.over,
      this.cells.element,
      this.chooser.element,
    );
    draggable(this.surface, this.squares, {
      lift: (square, { target }) => (target.closest(".liftable") ? this.pieces.on(square).node : null),
      start: (square) => this.#select(square),
      over: (square, point) => this.#hover(square, point),
      drop: (square, point) => this.#drop(square, point),
    });
    this.trays = SIDES.map((_, seat) => el("div", { class: "tray", role: "img" }, [0, 1, 2].map(() => tile(seat))));
    this.phase = el("p", { class: "phase" });
    this.element = el(
      "div",
      { class: "board-chung-toi", "data-game": "chung-toi" },
      el("div", { class: "trays" }, this.trays[0], this.phase, this.trays[1]),
      this.surface,
    );
  }

  // ---------------------------------------------------------------- what a person does

  #press(square) {
    if (!this.moves.length) return;
    const turn = this.selected === square && this.#to(square).find((move) => move.kind === "turn");
    if (turn) this.#play(turn.action);
    else if (this.#to(square).length) this.#offer(square);
    else if (this.#from(square).length) this.#select(square);
    else {
      this.#select(null);
      this.announce(`${this.squares.name(square)}: nothing to play here`);
    }
  }

  /** `+` and `x` on a square say at once what the two pieces offered there would. */
  #type(square, diagonal) {
    const meant = this.#to(square).find((move) => move.diagonal === diagonal);
    if (meant) this.#play(meant.action);
    return Boolean(meant);
  }

  #select(square) {
    this.chooser.close();
    this.selected = square;
    this.#refresh();
    if (square === null) return;
    const ways = this.#from(square).filter((move) => move.kind === "move");
    const targets = [...new Set(ways.map((move) => this.squares.name(move.to)))];
    const where = targets.length ? `can go to ${targets.join(", ")}` : "cannot go anywhere";
    this.announce(`${this.squares.name(square)} chosen, ${where}; press it again to turn it`);
  }

  #offer(square) {
    const moves = this.#to(square);
    const verb = this.selected === null ? "Place on" : `Move ${this.squares.name(this.selected)} to`;
    const choices = moves.map(({ action, diagonal }) => {
      const score = this.scores.get(action);
      const words = [`${verb} ${this.squares.name(square)}`, WAYS[Number(diagonal)], score?.text];
      return { action, diagonal, score, label: words.filter(Boolean).join(", ") };
    });
    const now = this.selected !== null && this.pieces.on(this.selected).diagonal;
    this.offered = square;
    this.chooser.show({
      choices,
      likely: Math.max(0, moves.findIndex((move) => move.diagonal === now)),
      label: `Which way on ${this.squares.name(square)}?`,
      seat: this.state.mover,
      point: this.squares.centre(square),
      cell: CELL,
      width: WIDTH,
    });
    this.motion.appear(this.chooser.element, { duration: 140 });
  }

  #cancel(refocus) {
    this.chooser.close();
    if (refocus) this.cells.focus(this.offered);
  }

  #play(action) {
    this.#cancel(this.chooser.element.contains(document.activeElement));
    this.play(action);
  }

  /** A dragged piece is over `square`: show its halves, and the piece as it would stand. */
  #hover(square, point) {
    if (this.selected === null) return; // a new state came while it was in the air
    const goes = square !== null && this.#to(square).some((move) => move.kind === "move");
    const diagonal = goes ? this.#right(square, point) : this.pieces.on(this.selected).diagonal;
    this.pieces.pretend(this.selected, diagonal);
    this.halves.replaceChildren(...(goes ? halves(this.squares, square, diagonal) : []));
  }

  #drop(square, point) {
    if (this.selected === null) return;
    const moves = square === null ? [] : this.#to(square).filter((move) => move.kind === "move");
    const move = moves.find((each) => each.diagonal === this.#right(square, point));
    this.halves.replaceChildren();
    this.pieces.settle(this.selected, move ? square : this.selected, point);
    this.pieces.pretend(this.selected, move ? move.diagonal : this.pieces.on(this.selected).diagonal);
    if (move) this.#play(move.action);
    else this.#select(null);
  }

  #right(square, point) {
    return point.x > this.squares.centre(square).x;
  }

  // ---------------------------------------------------------------- what is to be seen

  /** Moves that end on `square`: from where a piece is chosen, or by placing one. */
  #to(square) {
    return this.moves.filter((move) => move.to === square && (move.kind === "place" || move.from === this.selected));
  }

  #from(square) {
    return this.moves.filter((move) => move.from === square);
  }

  #trays() {
    const { board, mover, over } = this.state;
    this.trays.forEach((tray, seat) => {
      [...tray.children].forEach((each, i) => each.classList.toggle("gone", i >= board.left[seat]));
      tray.setAttribute("aria-label", `${SIDES[seat]}: ${board.left[seat]} of 3 pieces still to place`);
      tray.classList.toggle("to-move", !over && mover === seat);
    });
    this.phase.textContent = over ? "The game is over" : `${SIDES[mover]} ${PHASES[board.phase]}`;
  }

  /** Marks, plates and labels for the position and what is chosen in it. */
  #refresh() {
    const { board, last } = this.state;
    const marks = [];
    if (last?.from != null && last.from !== last.to) marks.push(frame(this.squares, last.from, "last was"));
    if (last?.to != null) marks.push(frame(this.squares, last.to, "last"));
    if (board.line) marks.push(bar(this.squares, board.line));
    if (this.selected !== null) marks.push(frame(this.squares, this.selected, "chosen"));
    board.squares.forEach((stands, square) => {
      if (!stands && this.#to(square).length) marks.push(dot(this.squares, square));
    });
    this.under.replaceChildren(...marks);
    this.pieces.crown(board.line ?? []);
    this.over.replaceChildren(...this.#turnBadge(), ...this.#hintMarks(), ...this.#plates());
    this.cells.update((square) => this.#described(square));
  }

  #described(square) {
    const { board, last } = this.state;
    const stands = board.squares[square];
    const [own, ends] = [this.#from(square), this.#to(square)];
    const turn = this.selected === square ? ends.find((move) => move.kind === "turn") : undefined;
    const what = stands ? `${SIDES[stands.seat].toLowerCase()} piece, ${WAYS[Number(stands.diagonal)]}` : "empty";
    const words = [this.squares.name(square), what];
    if (board.line?.includes(square)) words.push("in the row of three");
    if (last?.to === square) words.push("last move");
    if (turn) words.push(`chosen, press again to turn it ${WAYS[Number(turn.diagonal)]}`);
    else if (own.length) words.push("can be moved or turned");
    else if (ends.length && this.selected === null) words.push("you can place here");
    else if (ends.length) words.push(`${this.squares.name(this.selected)} can go here`);
    const score = this.#score(turn ? [turn] : own.length ? own : ends);
    if (score) words.push(score.best ? `${score.text}, best` : score.text);
    return {
      label: words.join(", "),
      action: turn?.action ?? null,
      enabled: own.length > 0 || ends.length > 0,
      selected: this.selected === square,
      liftable: own.length > 0,
    };
  }

  /** The best that an agent thinks of any of these moves. */
  #score(moves) {
    const scored = moves.map((move) => this.scores.get(move.action)).filter(Boolean);
    return scored.find((each) => each.best) ?? scored.sort((a, b) => b.score - a.score)[0];
  }

  #plates() {
    const drawn = this.state.board.squares.map((stands, square) => {
      const moves = this.selected === null && stands ? this.#from(square) : this.#to(square);
      const score = this.#score(moves);
      const { x, y } = this.squares.centre(square);
      return score && plate(score, { x, y: stands ? y + CELL * 0.38 : y }, { width: CELL * 0.92, size: CELL * 0.135 });
    });
    return drawn.filter(Boolean);
  }

  /** In the corner of a chosen piece: what it turns into when it is pressed again. */
  #turnBadge() {
    const turn = this.selected === null ? undefined : this.#from(this.selected).find((move) => move.kind === "turn");
    return turn ? [badge(this.squares, this.selected, this.state.mover, turn.diagonal, "turn")] : [];
  }

  #hintMarks() {
    if (!this.hinted || this.hinted.to === null) return [];
    const { from, to, diagonal, kind } = this.hinted;
    if (kind === "turn") return [badge(this.squares, to, this.state.mover, diagonal, "hint")];
    const there = ghost(this.squares, to, this.state.mover, diagonal, RADIUS * 0.85);
    return from === null ? [there] : [way(this.squares, from, to), there];
  }
}

/** A small piece in a tray. */
function tile(seat) {
  return svg("svg", { class: "tile", viewBox: "-12 -12 24 24", "aria-hidden": "true" }, piece(seat, false, 10));
}
