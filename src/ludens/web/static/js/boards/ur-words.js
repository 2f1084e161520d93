/** What is said about a position of Ur: on squares and trays, under the board, and aloud. */

/** `You` for a lone person at this page, the seat's name for everybody else. */
export function who({ seats }, seat) {
  const persons = seats.filter(({ kind }) => kind === "person");
  return persons.length === 1 && persons[0].seat === seat ? "You" : seats[seat].name;
}

/** `You throw 2`. */
export function throwing(state) {
  const name = who(state, state.mover);
  return `${name} ${name === "You" ? "throw" : "throws"} ${state.board.throw}`;
}

/** What the mover has to play with, as a line under the board. */
export function situation(state, canMove) {
  if (state.over || state.board.throw === null) return "";
  return `${who(state, state.mover)} threw ${state.board.throw}${canMove ? ": choose a piece" : ""}.`;
}

/** What stands on a square, or how many pieces a tray (`start0`, `off1`) holds: words for a label. */
export function placeWords({ board, seats }, id) {
  if (id.length === 2) {
    const seat = board.squares[id];
    const rosette = board.rosettes.includes(id) ? ["rosette"] : [];
    return [id, ...rosette, seat === undefined ? "empty" : `${seats[seat].name}'s piece`];
  }
  const seat = Number(id.at(-1));
  const [count, word] = id.startsWith("start") ? [board.waiting[seat], "waiting"] : [board.home[seat], "home"];
  return [`${seats[seat].name}: ${count} of ${board.pieces} ${word}`];
}

/** A move: `b3 to b5, sends Second's piece back`. */
export function moveWords({ board, seats, mover }, { from, to, captures, rosette }) {
  const way = from === "start" ? `enters on ${to}` : to === "off" ? `${from} goes home` : `${from} to ${to}`;
  const sends = captures ? `, sends ${seats[1 - mover].name}'s piece back` : "";
  return `${way}${sends}${rosette && board.rules === "finkel" ? ", a rosette: another throw" : ""}`;
}
