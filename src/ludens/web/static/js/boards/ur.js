/** The board of the Royal Game of Ur: dice that roll, counters that run along their path, and why one cannot. */

import { el, svg } from "../dom.js";
import { draggable, Motion } from "./grid.js";
import { plate } from "./marks.js";
import { drawBoard, drawPiece, drawTray } from "./ur-art.js";
import { Dice } from "./ur-dice.js";
import { CELL, UrLayout } from "./ur-layout.js";
import { Pieces } from "./ur-pieces.js";
import { Spots } from "./ur-spots.js";
import { moveWords, placeWords, situation, throwing } from "./ur-words.js";

const NARROW = 520; // pixels below which the board stands upright
const ROLL = 700; // milliseconds; agents are not the ones in suspense
const ROLL_FOR_AGENTS = 450;
const UNHEARD = 2500; // milliseconds after which a counter that was put down goes back, if nothing came of it
const RING = 40; // around a counter
const LAYERS = ["base", "last", "marks", "pieces", "path", "dice", "plates"];

export function createBoard(options) {
  return new UrBoard(options);
}

class UrBoard {
  constructor({ play, announce, reducedMotion }) {
    Object.assign(this, { play, announce, state: null, analysis: null, hinted: null, dragged: null, flipped: false, resting: true, shown: 0 });
    this.motion = new Motion(reducedMotion);
    this.layout = new UrLayout();
    this.dice = new Dice();
    this.pieces = new Pieces(this.motion, this.layout);
    this.spots = new Spots({
      label: "Board of the Royal Game of Ur",
      press: (id) => this.#press(id),
      enter: (id) => this.#look(id),
      leave: () => this.#look(null),
    });
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, svg("g", { class: `ur-${name}`, "aria-hidden": "true" })]));
    this.layers.pieces.append(this.pieces.element);
    this.layers.dice.append(this.dice.element);
    this.surface = svg("svg", { class: "grid-board" }, ...Object.values(this.layers), this.spots.element);
    this.caption = el("p", { class: "ur-caption" });
    this.element = el("div", { class: "board-ur", "data-game": "ur" }, this.surface, this.caption);
    this.#listen();
  }

  async render(state, { animate = false } = {}) {
    this.motion.finish();
    const shown = ++this.shown;
    const before = this.state;
    this.state = state;
    this.moves = state.moves.filter((move) => !move.pass);
    this.resting = this.hurry = false;
    this.dragged = null;
    const persons = state.seats.filter(({ kind }) => kind === "person");
    this.home = persons.length === 1 ? persons[0].seat : 0;
    if (!before || this.layout.near !== this.#near()) this.#layOut();
    this.overlay(null);
    this.hint(null);
    this.#quiet();
    const forward = animate && (!before || state.ply > before.ply);
    const thrown = forward && state.board.throw !== null && state.version !== before?.version; // not in a game looked through again
    await this.pieces.settle(state.board, { animate: animate && before !== null, last: forward ? state.last : null });
    if (shown !== this.shown) return;
    this.#count();
    this.#lastMove();
    this.#showDice();
    if (thrown && !this.hurry) await this.#roll();
    if (shown !== this.shown) return;
    if (thrown) this.announce(throwing(state));
    this.resting = true;
    this.#mark();
  }

  overlay(analysis) {
    this.analysis = analysis;
    const scores = (analysis?.moves ?? []).map((score) => ({ ...this.#move(score.action), ...score })).filter(({ from }) => from);
    this.layers.plates.replaceChildren(
      ...scores.map((score) => {
        const { x, y } = this.#origin(score.from);
        return plate(score, { x, y: y + 31 }, { width: CELL * 0.98, size: 25 });
      }),
    );
    this.scores = new Map(scores.map(({ from, text, best }) => [this.#spot(from), best ? `${text}, best` : text]));
    if (this.state && this.resting) this.#describe();
  }

  hint(action) {
    this.hinted = action === null ? null : (this.#move(action) ?? null);
    if (this.hinted) this.spots.stop(this.#spot(this.hinted.from));
    this.#look(null);
  }

  flip(flipped) {
    this.flipped = flipped;
    if (!this.state || this.layout.near === this.#near()) return;
    this.motion.finish();
    this.#layOut();
  }

  destroy() {
    this.resized.disconnect();
    document.removeEventListener("keydown", this.skip);
  }

  #near() {
    return this.flipped ? 1 - this.home : this.home;
  }

  #listen() {
    this.resized = new ResizeObserver(([{ contentRect }]) => {
      const portrait = contentRect.width < NARROW;
      if (!contentRect.width || portrait === this.layout.portrait) return;
      this.layout.portrait = portrait;
      if (this.state) this.#layOut();
    });
    this.resized.observe(this.element);
    draggable(this.surface, this.layout, {
      lift: (id) => (this.#from(id) ? this.pieces.at(id).element : null),
      start: (id) => {
        this.dragged = this.#from(id);
        this.surface.classList.add("dragging");
        this.#look(id);
      },
      over: () => {},
      drop: (id, point) => this.#drop(id, point),
    });
    this.skip = () => this.#skip();
    document.addEventListener("keydown", this.skip);
    for (const event of ["click", "keydown"]) {
      this.element.addEventListener(event, (pressed) => {
        if (this.resting || pressed.key === "Tab") return;
        pressed.stopPropagation(); // what was pressed while nobody knew the throw plays nothing
        pressed.preventDefault();
        this.#skip();
      }, { capture: true });
    }
  }

  #skip() {
    if (this.resting) return;
    this.hurry = true;
    this.motion.finish();
  }

  #roll() {
    const { running, delay, seats, mover } = this.state;
    this.caption.textContent = "The dice roll; a click or a key lets them rest.";
    const person = seats[mover].kind === "person";
    return this.dice.roll(this.motion, running ? Math.min(ROLL, delay * 450) : person ? ROLL : ROLL_FOR_AGENTS);
  }

  /** Draw everything anew: the board was turned, or has another shape. */
  #layOut() {
    this.layout.near = this.#near();
    const { width, height } = this.layout.size;
    this.surface.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const trays = [0, 1].flatMap((seat) => [["start", "waiting"], ["off", "home"]].map(([kind, word]) => drawTray(this.layout, seat, kind, word)));
    this.layers.base.replaceChildren(drawBoard(this.layout, this.state.board.rosettes), ...trays);
    this.counts = trays.map((tray) => tray.querySelector(".ur-count"));
    this.spots.layout(this.layout);
    if (!this.pieces.pieces.length) return;
    this.pieces.layOut();
    this.#count();
    this.#lastMove();
    this.#showDice();
    if (this.resting) this.#mark();
    this.overlay(this.analysis);
  }

  #count() {
    const { waiting, home } = this.state.board;
    [waiting[0], home[0], waiting[1], home[1]].forEach((count, i) => (this.counts[i].textContent = count));
  }

  #showDice() {
    const { mover, board } = this.state;
    this.dice.show(board.dice, board.throw, this.layout.dice(mover, board.dice.length), this.layout.throwAt(mover));
  }

  #lastMove() {
    const { last } = this.state;
    const squares = last?.from ? [last.from, last.to].filter((place) => place.length === 2) : [];
    this.layers.last.replaceChildren(
      ...squares.map((square) => {
        const { x, y } = this.layout.square(square);
        return svg("rect", { class: "ur-was", x: x - 45, y: y - 45, width: 90, height: 90, rx: 7 });
      }),
    );
  }

  /** While things move nothing can be played, and nothing is marked. */
  #quiet() {
    this.layers.marks.replaceChildren();
    this.layers.path.replaceChildren();
    this.#describe();
  }

  #mark() {
    const rings = this.moves.map(({ from }) => svg("circle", { class: "ur-can", r: RING, ...centre(this.#origin(from)) }));
    const targets = this.moves.map(({ to, captures }) =>
      svg("circle", { class: captures ? "ur-target captures" : "ur-target", r: captures ? RING : 11, ...centre(this.#target(to)) }),
    );
    this.layers.marks.replaceChildren(...rings, ...targets);
    this.#describe();
    this.#look(this.looking ?? null);
  }

  /** Show where the counter at a place would go, or say why it cannot; with nothing looked at, the hint. */
  #look(id) {
    this.looking = id;
    if (!this.state || !this.resting) return;
    const move = this.dragged ?? (id && this.#from(id)) ?? null;
    const shown = move ?? this.hinted;
    this.layers.path.replaceChildren(...(shown ? this.#path(shown, shown !== move) : []));
    const blocked = id && this.#blocked(id);
    this.caption.classList.toggle("why", Boolean(blocked));
    this.caption.textContent = move ? `${moveWords(this.state, move)}.` : (blocked ?? situation(this.state, this.moves.length > 0));
  }

  #path(move, hint) {
    const squares = move.path.filter((place) => place !== "off").map((square) => this.layout.square(square));
    const points = [this.#origin(move.from), ...squares, ...(move.to === "off" ? [this.#target("off")] : [])];
    const ghost = drawPiece(this.state.mover);
    const { x, y } = points.at(-1);
    ghost.setAttribute("transform", `translate(${x} ${y})`);
    ghost.classList.add("ghost");
    const ends = [toward(points[0], points[1]), ...points.slice(1, -1), toward(points.at(-1), points.at(-2))];
    const line = `M${ends.map((point) => `${point.x} ${point.y}`).join(" L")}`;
    const kind = hint ? "hint" : move.captures ? "captures" : "";
    return [
      svg("path", { class: "ur-way-edge", d: line }),
      svg("path", { class: `ur-way ${kind}`, d: line }),
      svg("circle", { class: `ur-from ${kind}`, r: RING, ...centre(points[0]) }),
      ...(move.captures ? [] : [ghost]),
      svg("circle", { class: `ur-goal ${kind}`, r: RING, cx: x, cy: y }),
    ];
  }

  #press(id) {
    if (!this.resting) return;
    const [toward, another] = this.moves.filter((move) => this.#spot(move.to) === id);
    const move = this.#from(id) ?? (another ? null : toward);
    if (move) this.play(move.action);
    else if (this.#blocked(id)) {
      this.#look(id);
      this.announce(this.#blocked(id));
    }
  }

  #drop(id, point) {
    const move = this.dragged;
    this.dragged = null;
    this.surface.classList.remove("dragging");
    if (!move || !this.moves.includes(move)) return this.pieces.layOut(); // another position came meanwhile
    const piece = this.pieces.at(this.#spot(move.from));
    this.pieces.carried(piece, id === this.#spot(move.to) ? this.#target(move.to) : point);
    this.#look(null);
    if (id !== this.#spot(move.to)) return this.pieces.settle(this.state.board, { animate: true });
    this.play(move.action);
    const { shown } = this;
    return setTimeout(() => shown === this.shown && this.pieces.settle(this.state.board, { animate: true }), UNHEARD);
  }

  #describe() {
    this.spots.update((id) => {
      const move = this.resting ? this.#from(id) : null;
      const toward = this.resting ? this.moves.filter(({ to }) => this.#spot(to) === id) : [];
      const words = placeWords(this.state, id);
      if (move) words.push(`legal move: ${moveWords(this.state, move)}`);
      if (this.scores?.has(id)) words.push(this.scores.get(id));
      if (toward.length) words.push(`can be reached from ${toward.map(({ from }) => from).join(" and ")}`);
      const why = this.resting ? this.#blocked(id) : null;
      if (why) words.push(`cannot move: ${why}`);
      const enabled = Boolean(move) || toward.length === 1;
      return { label: words.join(", "), action: move?.action ?? null, from: move?.from ?? null, enabled, explains: Boolean(why) };
    });
  }

  #move(action) {
    return this.moves?.find((move) => move.action === action);
  }

  #from(id) {
    return this.resting ? this.moves?.find((move) => this.#spot(move.from) === id) : undefined;
  }

  #blocked(id) {
    return this.state.board.blocked.find(({ from }) => this.#spot(from) === id)?.why;
  }

  /** The id of a place of the mover: `start` is `start0` for the first seat. */
  #spot(place) {
    return place.length === 2 ? place : `${place}${this.state.mover}`;
  }

  #origin(from) {
    return this.pieces.at(this.#spot(from))?.point ?? this.layout.trayCentre(this.state.mover, "start");
  }

  #target(to) {
    return to === "off" ? this.layout.trayCentre(this.state.mover, "off") : this.layout.square(to);
  }
}

function centre({ x, y }) {
  return { cx: x, cy: y };
}

/** Where a line from `here` to `there` leaves the ring around `here`. */
function toward(here, there) {
  const share = RING / Math.hypot(there.x - here.x, there.y - here.y);
  return { x: here.x + (there.x - here.x) * share, y: here.y + (there.y - here.y) * share };
}
