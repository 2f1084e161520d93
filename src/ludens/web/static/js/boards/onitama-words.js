/** What is said about a position of Onitama: on squares and cards, and under the board. */

const TEMPLES = { 2: 0, 22: 1 };

/** `c1, Blue's temple, Blue's master`. */
export function squareWords({ board, seats }, name, square) {
  const piece = board.squares[square];
  const temple = square in TEMPLES ? [`${seats[TEMPLES[square]].name}'s temple`] : [];
  return [name, ...temple, piece ? `${seats[piece.seat].name}'s ${piece.master ? "master" : "student"}` : "empty"];
}

/** `boar, Blue's card, leads 1 forward, 1 left, 1 right`. */
export function cardWords({ board, seats }, name) {
  const owner = board.hands.findIndex((hand) => hand.includes(name));
  const leads = board.cards[name].offsets.map(offsetWords).join(", ");
  return [name, owner < 0 ? "the card aside" : `${seats[owner].name}'s card`, `leads ${leads}`];
}

/** What to do next, as a line under the board. */
export function prompt(state, choice) {
  if (choice.passes.length) return "No piece can move: choose a card to give away.";
  if (!choice.moves.length) return "";
  if (choice.target !== null) return "Both cards lead there: choose one.";
  if (choice.square !== null && choice.card !== null) return `Choose where to go by ${choice.card}.`;
  if (choice.square !== null) return "Choose where to go, or a card.";
  if (choice.card !== null) return `Choose a piece to move by ${choice.card}.`;
  return "Choose a card or a piece.";
}

function offsetWords([right, forward]) {
  const words = [];
  if (forward) words.push(`${Math.abs(forward)} ${forward > 0 ? "forward" : "back"}`);
  if (right) words.push(`${Math.abs(right)} ${right > 0 ? "right" : "left"}`);
  return words.join(" ");
}
