"""Othello as slow plain Python, straight from the rules: a dict from squares to discs, one ray at a time.

Squares have their names, `a1` in the first row and column; black is "X" and white is "O". A move is a square or "pass".
"""

from dataclasses import dataclass

OTHER = {"X": "O", "O": "X"}


@dataclass(frozen=True)
class Position:
    """Which disc lies where, and whose turn it is (even if the game is over)."""

    size: int
    discs: dict[str, str]
    mover: str


def start(size):
    """Four discs in the middle, black to move; on 8x8 black has d5 and e4."""
    left, right = "abcdefgh"[size // 2 - 1], "abcdefgh"[size // 2]
    upper, lower = str(size // 2), str(size // 2 + 1)
    return Position(size, {left + lower: "X", right + upper: "X", left + upper: "O", right + lower: "O"}, "X")


def squares(size):
    """All squares, row by row from a1."""
    return [column + str(row) for row in range(1, size + 1) for column in "abcdefgh"[:size]]


def neighbour(size, square, right, down):
    """The square so many columns and rows away, or None beyond the border."""
    column, row = "abcdefgh".index(square[0]) + right, int(square[1:]) + down
    return "abcdefgh"[column] + str(row) if 0 <= column < size and 1 <= row <= size else None


def turned(position, square, side):
    """The discs that `side` turns over by placing on `square`."""
    if square in position.discs:
        return set()
    found = set()
    for right, down in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]:
        between = []
        here = neighbour(position.size, square, right, down)
        while here is not None and position.discs.get(here) == OTHER[side]:
            between.append(here)
            here = neighbour(position.size, here, right, down)
        if here is not None and position.discs.get(here) == side:
            found.update(between)
    return found


def placements(position, side):
    """Where `side` can place, row by row from a1."""
    return [square for square in squares(position.size) if turned(position, square, side)]


def moves(position):
    """What the mover can do: place, or pass if only the other side can place; nothing once neither can."""
    if placing := placements(position, position.mover):
        return placing
    return ["pass"] if placements(position, OTHER[position.mover]) else []


def over(position):
    """Whether neither side can place."""
    return not moves(position)


def play(position, move):
    """The position after a legal move."""
    discs = dict(position.discs)
    if move != "pass":
        for square in {move} | turned(position, move, position.mover):
            discs[square] = position.mover
    return Position(position.size, discs, OTHER[position.mover])


def margin(position):
    """Black's discs less white's."""
    held = list(position.discs.values())
    return held.count("X") - held.count("O")


def text(position):
    """The squares row by row from a1, then the side to move."""
    return "".join(position.discs.get(square, "-") for square in squares(position.size)) + " " + position.mover


def reachable(position):
    """Every position that play can reach, by its text."""
    found = {text(position): position}
    waiting = [position]
    while waiting:
        here = waiting.pop()
        for move in moves(here):
            there = play(here, move)
            if text(there) not in found:
                found[text(there)] = there
                waiting.append(there)
    return found


def perft(position, depth, known=None):
    """In how many ways the next 1, 2, ..., `depth` moves can go; a finished game is one leaf at every deeper depth.

    `known` remembers the positions met before.
    """
    known = {} if known is None else known
    key = (text(position), depth)
    if depth > 0 and key not in known:
        options = moves(position)
        below = [perft(play(position, move), depth - 1, known) for move in options]
        known[key] = [len(options), *(sum(counts) for counts in zip(*below, strict=True))] if options else [1] * depth
    return known[key] if depth > 0 else []
