"""The report's view of Onitama in plain Python, from the words of its sections 4.1 and 4.2: names of pieces, and lists.

Pawns have numbers, given once at the start and kept: 1 to 4 from their owner's left.
"""

from reference import onitama

CARDS = ["dragon", "elephant", "goose", "rooster", "monkey"]
MOVES = {
    line.split()[0]: [tuple(int(n) for n in pair.strip("()").split(",")) for pair in line.split()[2:]]
    for line in onitama.CARD_TABLE.strip().split("\n")
}
NAMES = ["1", "2", "3", "4", "master"]


class Report:
    """A game under way in which everybody can be told apart."""

    def __init__(self, position):
        self.position = position
        home = {"blue": 0, "red": 4}
        files = {"1": 0, "2": 1, "3": 3, "4": 4, "master": 2}
        self.where = {
            (side, name): (files[name] if side == "blue" else 4 - files[name], home[side])
            for side in home
            for name in NAMES
        }

    def play(self, move):
        """Carry out a move as `onitama.moves` gives it."""
        _, start, target = move
        for who, square in list(self.where.items()):
            if square == target:
                self.where[who] = None
        for who, square in list(self.where.items()):
            if square == start:
                self.where[who] = target
        self.position = onitama.play(self.position, move)

    def board(self, side):
        """Ten grids, `side`'s four pawns and master and then the opponent's, rows from `side`'s own home row on."""
        grids = []
        for owner in (side, onitama.OTHER[side]):
            for name in NAMES:
                grid = [[0.0] * 5 for _ in range(5)]
                if self.where[owner, name] is not None:
                    file, rank = self.where[owner, name]
                    row, col = (rank, file) if side == "blue" else (4 - rank, 4 - file)
                    grid[row][col] = 1.0
                grids.append(grid)
        return grids

    def cards(self, side):
        """Ten numbers: whether `side` holds each of the five cards, then whether the opponent does."""
        return [float(card in self.position.hands[who]) for who in (side, onitama.OTHER[side]) for card in CARDS]

    def actions(self):
        """The mover's move behind each of the 40 actions; None where it cannot be played."""
        mover = self.position.mover
        hand = [card for card in CARDS if card in self.position.hands[mover]]
        forward = 1 if mover == "blue" else -1
        legal = set(onitama.moves(self.position).values())
        found = []
        for name in NAMES:
            for card in hand:
                for right, ahead in MOVES[card]:
                    start = self.where[mover, name]
                    move = start and (card, start, (start[0] + forward * right, start[1] + forward * ahead))
                    found.append(move if move in legal else None)
        return found
