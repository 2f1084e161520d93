/** What has been chosen of a move of Onitama so far (a card, a piece, a target), and what that leaves of the legal moves. */

export class Choice {
  constructor(moves) {
    this.moves = moves.filter((move) => !move.pass);
    this.passes = moves.filter((move) => move.pass);
    this.clear();
  }

  clear() {
    this.card = this.square = this.target = null;
  }

  /** The moves that agree with what was chosen, or with `asked` instead. */
  left({ card = this.card, square = this.square, target = null } = {}) {
    return this.moves.filter(
      (move) => (card === null || move.card === card) && (square === null || move.from === square) && (target === null || move.to === target),
    );
  }

  /** Squares whose piece can move by the card chosen, by any card if none is. */
  get sources() {
    return new Set(this.left({ square: null }).map((move) => move.from));
  }

  /** Squares that the piece chosen can reach, each with the moves that lead there. */
  get targets() {
    const targets = new Map();
    if (this.square === null) return targets;
    for (const move of this.left()) targets.set(move.to, [...(targets.get(move.to) ?? []), move]);
    return targets;
  }

  /** Cards that still have a move for the piece chosen, or can be given away. */
  get cards() {
    const target = this.target ?? null;
    return new Set([...this.left({ card: null, target }), ...this.passes].map((move) => move.card));
  }

  /** Choose a card, or drop it; the action that this completes, or null. */
  pressCard(name) {
    const given = this.passes.find((move) => move.card === name);
    if (given) return given.action;
    if (this.square !== null && this.target !== null) {
      const [move] = this.left({ card: name, target: this.target });
      if (move) return move.action;
    }
    this.target = null;
    if (this.card === name) this.card = null;
    else if (this.moves.some((move) => move.card === name)) {
      this.card = name;
      if (this.square !== null && this.left().length === 0) this.square = null;
    }
    return null;
  }

  /** Choose a piece, drop it, or name its target; the action that this completes, or null. */
  pressSquare(square) {
    const [move, another] = this.targets.get(square) ?? [];
    if (move && !another) return move.action;
    if (move) {
      this.target = square;
      return null;
    }
    this.target = null;
    if (this.square === square || !this.moves.some(({ from }) => from === square)) this.square = null;
    else this.take(square);
    return null;
  }

  /** Choose the piece on a square; a card that cannot move it is dropped. */
  take(square) {
    this.square = square;
    this.target = null;
    if (this.left().length === 0) this.card = null;
  }
}
