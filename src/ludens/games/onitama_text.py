"""Squares, boards and cards of Onitama as text; `onitama.py` says what positions and moves look like."""

import re

from ludens.core.game import choices


def square(row: int, col: int, turn: int) -> str:
    """The name of a square as the side `turn` sees it."""
    return f"{'abcde'[col]}{row + 1}" if turn == 0 else f"{'edcba'[col]}{5 - row}"


def read_board(text: str) -> list[int]:
    """The bits of blue's students, blue's master, red's students and red's master, as blue sees the board."""
    ranks = text.split("/")
    if len(ranks) != 5:
        raise ValueError(f"the board '{text}' has {len(ranks)} ranks: expected 5, from rank 5 down to rank 1")
    for number, rank in zip((5, 4, 3, 2, 1), ranks, strict=True):
        if wrong := re.search("[^bBrR1-5]", rank):
            raise ValueError(f"'{wrong[0]}' on rank {number} is no piece: expected b, B, r, R or digits 1-5")
        size = sum(int(sign) if sign.isdigit() else 1 for sign in rank)
        if size != 5:
            raise ValueError(f"rank {number} '{rank}' has {size} squares: expected 5")
    squares = re.sub("[1-5]", lambda empty: "." * int(empty[0]), "".join(reversed(ranks)))
    for side, student, master in (("blue", "b", "B"), ("red", "r", "R")):
        if squares.count(student) > 4:
            raise ValueError(f"{side} has {squares.count(student)} students: expected at most 4")
        if squares.count(master) > 1:
            raise ValueError(f"{side} has {squares.count(master)} masters: expected one")
    return [sum(1 << i for i, sign in enumerate(squares) if sign == piece) for piece in "bBrR"]


def dealt(names: list[str], deck: tuple[str, ...]) -> list[str]:
    """The names, if they are those of different cards of the deck."""
    for name in names:
        if name not in deck:
            raise ValueError(f"'{name}' is not a card in play: expected {choices(list(deck))}")
        if names.count(name) > 1:
            raise ValueError(f"the card '{name}' is named twice: expected five different cards")
    return names
