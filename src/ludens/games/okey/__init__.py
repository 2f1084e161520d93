"""Okey: the rules in `game.py`; `melds.py` says what a hand is worth, `text.py` writes positions."""

from ludens.games.okey.game import (
    DISCARD,
    DRAW,
    FACES,
    FATE,
    FIRST_DISCARD,
    HAND,
    JOKER,
    KINDS,
    OVER,
    SHOW,
    TAKE,
    TILES,
    Okey,
    State,
)

__all__ = [
    "DISCARD",
    "DRAW",
    "FACES",
    "FATE",
    "FIRST_DISCARD",
    "HAND",
    "JOKER",
    "KINDS",
    "OVER",
    "SHOW",
    "TAKE",
    "TILES",
    "Okey",
    "State",
]
