"""The evaluator contract: a number for a position, by formula or by net. Searches look ahead, evaluators judge."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

import jax.numpy as jnp

from ludens.core.game import Game, S
from ludens.core.types import Array, Key


@dataclass(frozen=True)
class Evaluator(ABC, Generic[S]):
    """How good a position is for the side to move; the other side sees the same number with the opposite sign."""

    games: ClassVar[tuple[str, ...]] = ()
    """Ids of the games it can judge; empty: all of them."""
    win: ClassVar[float] = 1.0
    """What a won game counts: more than any position that is still open."""
    scale: ClassVar[float | None] = None
    """A lead that decides most games, in its own units; None if values are expected results, -1 to 1."""

    predicts: ClassVar[bool] = False
    """Whether it says how well a shallow search predicts a deep one, so that searches can be selective."""

    game: Game[S]

    def init(self, key: Key) -> Any:
        """What `value` needs beyond the position (weights): a pytree, None for a formula."""
        return None

    @abstractmethod
    def value(self, params: Any, s: S) -> Array:
        """What an open position is worth to the side to move, `float32[]` between `-win` and `win`."""

    def outcome(self, s: S) -> Array:
        """What a finished game is worth to the side that would be to move, `float32[]`."""
        return self.win * self.game.returns(s)[self.game.player(s)]

    def settled(self, s: S) -> Array:
        """Whether `outcome` knows what an open position comes to with perfect play, `bool[]`."""
        return jnp.zeros((), bool)

    def error(self, s: S, shallow: Array, deep: Array) -> Array:
        """Standard deviation of what a search of `s` says `shallow` plies deep from what it says `deep` plies deep.

        `float32[]`; asked only if it `predicts`.
        """
        raise NotImplementedError

    def result(self, value: Array | float) -> Array:
        """What a value says of the result, from -1 (lost) to 1 (won), of the same shape."""
        if self.scale is None:
            return jnp.clip(value, -1.0, 1.0)
        return jnp.where(jnp.abs(value) >= self.win, jnp.sign(value), jnp.tanh(value / self.scale))

    def logits(self, params: Any, s: S) -> Array:
        """How likely each action is to be played, `float32[A]`: all the same to who has no opinion of actions."""
        return jnp.zeros(self.game.num_actions, jnp.float32)
