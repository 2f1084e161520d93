/** The counters of Ur: which of them stands where, and how they get there. */

import { svg } from "../dom.js";
import { translate } from "./grid.js";
import { drawPiece } from "./ur-art.js";

const STEP = 90; // milliseconds for a square
const [QUICKEST, SLOWEST] = [180, 300];

export class Pieces {
  constructor(motion, layout) {
    Object.assign(this, { motion, layout, pieces: [] });
    this.element = svg("g", { class: "ur-pieces", "aria-hidden": "true" });
  }

  /**
   * Put the counters where `board` has them; each stays the same counter. With `last`, the one that moved goes along
   * its path. Resolves when all have arrived.
   */
  settle(board, { animate = false, last = null } = {}) {
    if (this.pieces.length !== 2 * board.pieces) this.#create(board.pieces);
    return Promise.all([0, 1].flatMap((seat) => this.#settleSeat(seat, board, animate, seat === last?.seat ? last : null)));
  }

  /** The counter that can be taken up at a place (`b3` or `start0`): the one on top. */
  at(place) {
    const together = this.pieces.filter((piece) => piece.place === place);
    return together.find((piece) => piece.index === together.length - 1) ?? null;
  }

  /** Put every counter where its place lies now. */
  layOut() {
    for (const piece of this.pieces) this.#put(piece, this.#point(piece));
  }

  /** Leave a counter at a point to which it was carried by hand. */
  carried(piece, point) {
    this.#put(piece, point);
    piece.byHand = true;
  }

  #create(count) {
    this.pieces = [0, 1].flatMap((seat) =>
      Array.from({ length: count }, (_, index) => ({ seat, index, count, place: null, point: null, byHand: false, element: drawPiece(seat) })),
    );
    this.element.replaceChildren(...this.pieces.map((piece) => piece.element));
  }

  #settleSeat(seat, board, animate, last) {
    const free = Object.keys(board.squares).filter((square) => board.squares[square] === seat);
    free.push(...Array(board.waiting[seat]).fill(`start${seat}`), ...Array(board.home[seat]).fill(`off${seat}`));
    const staying = [];
    const moving = [];
    const pieces = this.pieces.filter((piece) => piece.seat === seat).sort((one, other) => one.index - other.index);
    for (const piece of pieces) { // those beneath first, so that whoever leaves a tray comes from its top
      const place = free.indexOf(piece.place);
      (place < 0 ? moving : staying).push(piece);
      if (place >= 0) free.splice(place, 1);
    }
    for (const piece of moving) piece.place = free.shift();
    const order = [...staying, ...moving];
    const counts = new Map();
    for (const piece of order) {
      piece.index = counts.get(piece.place) ?? 0;
      counts.set(piece.place, piece.index + 1);
      this.element.append(piece.element);
    }
    for (const piece of order) piece.count = counts.get(piece.place);
    return order.map((piece) => this.#bring(piece, animate, moving.includes(piece) ? last : null));
  }

  #bring(piece, animate, last) {
    const from = piece.point;
    const to = this.#point(piece);
    const along = last?.path && !piece.byHand ? last.path.slice(0, -1).map((square) => this.layout.square(square)) : [];
    this.#put(piece, to);
    piece.byHand = false;
    if (!animate || !from || Math.hypot(from.x - to.x, from.y - to.y) < 1) return null;
    const points = [from, ...along, to];
    const duration = Math.min(SLOWEST, Math.max(QUICKEST, STEP * (points.length - 1)));
    return this.motion.play(piece.element, points.map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` })), { duration });
  }

  #put(piece, point) {
    piece.point = point;
    piece.element.setAttribute("transform", translate(point));
  }

  #point({ seat, place, index, count }) {
    const [, tray] = /^(start|off)\d$/.exec(place) ?? [];
    return tray ? this.layout.inTray(seat, tray, index, count) : this.layout.square(place);
  }
}
