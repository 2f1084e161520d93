"""Ludens: classic games that learn to play themselves.

`ludens.make("othello", size=6)` gives a game; the rooms below (`core`, `games`, `players`, ...) hold everything else.
JAX is imported only when a game is.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludens.core.game import Game

__version__ = "0.1.0"


def make(name: str, **variant: Any) -> "Game[Any]":
    """The game called `name`, with the given fields choosing its variant; ValueError says what exists."""
    from ludens.games import make as make_game

    return make_game(name, **variant)
