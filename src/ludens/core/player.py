"""The player contract: whoever decides, by dice, formula, search or learning, has this shape."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple

from ludens.core.game import Game, S
from ludens.core.types import Array, Key


class Decision(NamedTuple):
    """What a player does and how it sees its choices."""

    action: Array
    """The action chosen, `int32[]`."""
    scores: Array
    """What the player thinks of each action, `float32[A]`; -inf where illegal."""


@dataclass(frozen=True)
class Player(ABC, Generic[S]):
    """One who plays `game`. `act` is pure, so a batch of players is a `vmap`."""

    scores_are: ClassVar[str] = "value"
    """What `Decision.scores` mean: `value` or `probability`."""

    game: Game[S]

    def init(self, key: Key) -> Any:
        """What `act` needs beyond the position (weights, tables): a pytree, None for most."""
        return None

    @abstractmethod
    def act(self, params: Any, key: Key, view: S) -> Decision:
        """Decide in a position given as the mover's `view`."""
