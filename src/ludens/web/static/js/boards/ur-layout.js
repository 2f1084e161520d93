/**
 * Where things lie on the board of Ur, whichever way round it is drawn.
 *
 * Everything is placed by `u` (0 to 8 along the board, column 1 first) and `v` (0 to 3 across it, row a first; the
 * side of the first seat lies below 0, that of the second above 3). A wide board lies on its side with the near seat
 * below; a narrow one stands upright with the near seat on the right.
 */

export const CELL = 100;
const ENDS = 0.3; // of a cell, beyond both ends of the board
const SIDES = 1.5; // of a cell, beyond both long sides: trays and dice
const TRAY = 0.82; // how far from the board the middle of a tray lies

/** The twenty squares. */
export const SQUARES = [..."abc"].flatMap((row) =>
  [..."12345678"].filter((column) => row === "b" || !"56".includes(column)).map((column) => row + column),
);

export class UrLayout {
  portrait = false;
  near = 0;

  /** The drawing's width and height. */
  get size() {
    const along = (8 + 2 * ENDS) * CELL;
    const across = (3 + 2 * SIDES) * CELL;
    return this.portrait ? { width: across, height: along } : { width: along, height: across };
  }

  point(u, v) {
    const along = (this.near === 0 ? u : 8 - u) + ENDS;
    const across = (this.near === 0 ? v : 3 - v) + SIDES;
    const { width, height } = this.size;
    return this.portrait
      ? { x: width - across * CELL, y: height - along * CELL }
      : { x: along * CELL, y: height - across * CELL };
  }

  /** The box between two corners, as attributes of a <rect>; `grow` makes it larger all around. */
  box(u, v, toU, toV, grow = 0) {
    const [from, to] = [this.point(u, v), this.point(toU, toV)];
    return {
      x: Math.min(from.x, to.x) - grow,
      y: Math.min(from.y, to.y) - grow,
      width: Math.abs(from.x - to.x) + 2 * grow,
      height: Math.abs(from.y - to.y) + 2 * grow,
    };
  }

  square(name) {
    return this.point(Number(name[1]) - 0.5, "abc".indexOf(name[0]) + 0.5);
  }

  /** A place on a seat's own side: `out` cells away from the board (negative: upon it). */
  beside(seat, u, out) {
    return this.point(u, seat === 0 ? -out : 3 + out);
  }

  /** The tray of those that wait (`start`) or are home (`off`), as attributes of a <rect>. */
  tray(seat, kind) {
    const [from, to] = kind === "start" ? [0, 3.9] : [6.1, 8];
    const [inner, outer] = [TRAY - 0.5, TRAY + 0.5];
    return seat === 0 ? this.box(from, -inner, to, -outer) : this.box(from, 3 + inner, to, 3 + outer);
  }

  /** The middle of a tray. */
  trayCentre(seat, kind) {
    return this.beside(seat, kind === "start" ? 1.95 : 7.05, TRAY);
  }

  /** Where a tray says how many pieces it holds. */
  trayCount(seat, kind) {
    return this.beside(seat, kind === "start" ? 0.56 : 7.5, TRAY);
  }

  /** The place of the piece `index` of `count` in a tray; the last waiting one stands nearest to its first square. */
  inTray(seat, kind, index, count) {
    if (kind === "start") {
      const step = Math.min(0.62, 2.2 / Math.max(1, count - 1));
      return this.beside(seat, 3.5 - step * (count - 1 - index), TRAY);
    }
    const step = Math.min(0.24, 0.5 / Math.max(1, count - 1));
    return this.beside(seat, 6.52 + step * index, TRAY);
  }

  /** Where the dice of a seat lie, `count` of them: in the notch beside the bridge and a little beyond. */
  dice(seat, count) {
    const rows = count > 2 ? [0.45, -0.34] : [0.1];
    return Array.from({ length: count }, (_, die) => {
      const row = rows[Math.floor(die / 2)];
      const alone = count - 2 * Math.floor(die / 2) === 1;
      return this.beside(seat, alone ? 5 : 4.57 + 0.86 * (die % 2), row);
    });
  }

  /** Where the throw stands in figures. */
  throwAt(seat) {
    return this.beside(seat, 5, 1.14);
  }

  /** The place under a point of the drawing: a square's name, or `start` or `off` with the seat (`start0`), or null. */
  at({ x, y }) {
    const square = SQUARES.find((name) => {
      const centre = this.square(name);
      return Math.max(Math.abs(x - centre.x), Math.abs(y - centre.y)) <= CELL / 2;
    });
    if (square) return square;
    for (const seat of [0, 1]) {
      for (const kind of ["start", "off"]) {
        const { x: left, y: top, width, height } = this.tray(seat, kind);
        if (x >= left && x <= left + width && y >= top && y <= top + height) return `${kind}${seat}`;
      }
    }
    return null;
  }
}
