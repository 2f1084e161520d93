"""The player who looks one act ahead and trusts its evaluator: base of the players that have a formula."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import jax.numpy as jnp

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S, sign
from ludens.core.player import Decision, Player, best
from ludens.core.types import Array, Key
from ludens.players.lookahead import after_each


@dataclass(frozen=True)
class Greedy(Player[S]):
    """Plays to the best position, as `evaluator` sees it before fate or the opponent answers; ties at random.

    A player with a formula of its own is a subclass that names it: `formula = Positional`.
    """

    formula: ClassVar[type[Evaluator[Any]]]
    """The evaluator of the player that a spec names."""

    evaluator: Evaluator[S]

    @classmethod
    def from_options(cls, game: Game[S], options: tuple[str, ...]) -> Self:
        """No options: the formula is all there is."""
        if options:
            raise ValueError(f"it has options it cannot take ('{':'.join(options)}'): expected none")
        return cls(game, cls.formula(game))

    def init(self, key: Key) -> Any:
        """What the evaluator needs."""
        return self.evaluator.init(key)

    def act(self, params: Any, key: Key, view: S) -> Decision:
        """A move with the best score: the value, for the mover, of the position it leads to."""
        scores = after_each(self.game, self._worth, params, view)
        return best(jnp.where(self.game.legal(view), scores, -jnp.inf), key)

    def _worth(self, params: Any, s: S, t: S) -> Array:
        """What `t` is worth to the mover of `s`, `float32[]`."""
        value = jnp.where(self.game.done(t), self.evaluator.outcome(t), self.evaluator.value(params, t))
        return sign(self.game, s, t) * value
