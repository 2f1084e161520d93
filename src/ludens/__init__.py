"""Ludens: classic games that learn to play themselves.

`ludens.make("othello", size=6)` gives a game; the rooms below (`core`, `games`, `players`, ...) hold everything else.
JAX is imported only when a game is. Where Gymnasium is imported before Ludens, as in `import gymnasium, ludens`, it
knows the games at once: `gymnasium.make("ludens/Othello-v0")`.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludens.core.game import Game

__version__ = "0.1.0"


def make(name: str, **variant: Any) -> "Game[Any]":
    """The game called `name`, with the given fields choosing its variant; ValueError says what exists."""
    from ludens.games import make as make_game

    return make_game(name, **variant)


if "gymnasium" in sys.modules:
    import ludens.adapters.gymnasium_env  # noqa: F401 - importing it registers the games
