"""Onitama as slow plain Python, straight from the rules: a dict of squares and sets of card names.

Squares are (file, rank) with (0, 0) blue's left corner. Blue looks up the ranks, red looks down them.
"""

from dataclasses import dataclass, field

CARD_TABLE = """
tiger    blue  (0,2) (0,-1)
dragon   red   (-2,1) (2,1) (-1,-1) (1,-1)
frog     red   (-2,0) (-1,1) (1,-1)
rabbit   blue  (2,0) (1,1) (-1,-1)
crab     blue  (0,1) (-2,0) (2,0)
elephant red   (-1,0) (1,0) (-1,1) (1,1)
goose    blue  (-1,0) (-1,1) (1,0) (1,-1)
rooster  red   (-1,0) (-1,-1) (1,0) (1,1)
monkey   blue  (-1,1) (1,1) (-1,-1) (1,-1)
mantis   red   (-1,1) (1,1) (0,-1)
horse    red   (0,1) (-1,0) (0,-1)
ox       blue  (0,1) (1,0) (0,-1)
crane    blue  (0,1) (-1,-1) (1,-1)
boar     red   (0,1) (-1,0) (1,0)
eel      blue  (-1,1) (-1,-1) (1,0)
cobra    red   (1,1) (1,-1) (-1,0)
"""
STAMP: dict[str, str] = {}
OFFSETS: dict[str, set[tuple[int, int]]] = {}
for line in CARD_TABLE.split("\n")[1:-1]:
    name, stamp, *pairs = line.split()
    STAMP[name] = stamp
    OFFSETS[name] = {tuple(int(number) for number in pair.strip("()").split(",")) for pair in pairs}

TEMPLE = {"blue": (2, 0), "red": (2, 4)}
OTHER = {"blue": "red", "red": "blue"}


@dataclass
class Position:
    """Who stands where, who holds what, who moves, who has won."""

    pieces: dict[tuple[int, int], tuple[str, str]]  # square -> (side, "student" or "master")
    hands: dict[str, set[str]]
    aside: str
    mover: str
    winner: str | None = None
    text: str = field(init=False)

    def __post_init__(self):
        self.text = self.write()

    def write(self):
        """The position in the game's text form, cards of a hand in the order of the table."""
        letters = {
            ("blue", "student"): "b",
            ("blue", "master"): "B",
            ("red", "student"): "r",
            ("red", "master"): "R",
        }
        ranks = []
        for rank in (4, 3, 2, 1, 0):
            row, empty = "", 0
            for file in range(5):
                if (file, rank) in self.pieces:
                    row += (str(empty) if empty else "") + letters[self.pieces[file, rank]]
                    empty = 0
                else:
                    empty += 1
            ranks.append(row + (str(empty) if empty else ""))
        hand = {side: ",".join(card for card in OFFSETS if card in self.hands[side]) for side in self.hands}
        cards = f"blue {hand['blue']} red {hand['red']} side {self.aside}"
        return f"{'/'.join(ranks)} {cards} turn {self.mover}"


def start(blue, red, aside):
    """The first position of a game with these cards."""
    pieces = {}
    for file in range(5):
        kind = "master" if file == 2 else "student"
        pieces[file, 0], pieces[file, 4] = ("blue", kind), ("red", kind)
    return Position(pieces, {"blue": set(blue), "red": set(red)}, aside, STAMP[aside])


def square_name(square):
    return "abcde"[square[0]] + str(square[1] + 1)


def moves(position):
    """Legal moves: name -> (card, from, to), squares None for a pass."""
    if position.winner:
        return {}
    found = {}
    for card in position.hands[position.mover]:
        for square, (side, _) in position.pieces.items():
            if side != position.mover:
                continue
            for right, forward in OFFSETS[card]:
                if side == "blue":
                    target = square[0] + right, square[1] + forward
                else:
                    target = square[0] - right, square[1] - forward
                on_board = target[0] in range(5) and target[1] in range(5)
                if on_board and position.pieces.get(target, ("nobody", ""))[0] != side:
                    found[f"{card} {square_name(square)}{square_name(target)}"] = card, square, target
    if not found:
        return {f"{card} pass": (card, None, None) for card in position.hands[position.mover]}
    return found


def play(position, move):
    """The position after a move, given as `moves` gives it."""
    card, square, target = move
    mover, opponent = position.mover, OTHER[position.mover]
    pieces = dict(position.pieces)
    if square is not None:
        pieces[target] = pieces.pop(square)
    winner = None
    if (opponent, "master") not in pieces.values() or pieces.get(TEMPLE[opponent]) == (mover, "master"):
        winner = mover
    hands, aside = position.hands, position.aside
    if winner is None:
        hands = {mover: hands[mover] - {card} | {aside}, opponent: hands[opponent]}
        aside = card
    return Position(pieces, hands, aside, opponent, winner)


def leaves(position, depth):
    """How many ways the next `depth` moves can go; a won position is one leaf at every depth."""
    if depth == 0 or position.winner:
        return 1
    return sum(leaves(play(position, move), depth - 1) for move in moves(position).values())
