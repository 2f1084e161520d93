"""The games as other libraries know them: Gymnasium, PettingZoo, Pgx.

Each adapter is one module and imports its library; the rest of Ludens needs none of them. The adapters
speak to a game through its contract alone, so a new game is at once in all of them.
"""

from typing import Any, NamedTuple

from ludens.core.game import Game
from ludens.core.types import Array, Key
from ludens.games import make


class Episode(NamedTuple):
    """A game in progress, as the adapters for the host's loops keep it on the device."""

    state: Any
    """The game's state."""
    turns: Array
    """Actions taken so far by all seats, `int32[]`."""
    key: Key
    """Whence fate and built-in opponents draw."""
    memory: Any = ()
    """What an adapter remembers beside the state, a pytree of arrays."""


def as_game(game: str | Game[Any], variant: dict[str, Any]) -> Game[Any]:
    """The game meant: by name and variant, or as it is given (then the variant is chosen already)."""
    if isinstance(game, str):
        return make(game, **variant)
    if variant:
        raise ValueError(f"{game.id} is ready made: expected no options beside it, got {', '.join(variant)}")
    return game
