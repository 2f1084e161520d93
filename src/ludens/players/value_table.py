"""The player with a number for every position: it looks up where its moves lead, and takes the best."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import jax.numpy as jnp

from ludens.core.game import Game, S, sign
from ludens.core.player import Decision, best
from ludens.core.types import Array, Key
from ludens.oracles.numbering import numbered, numbering
from ludens.players.agent import Agent
from ludens.players.lookahead import Worth, after_each


def after_moves(game: Game[S], values: Array, s: S) -> Array:
    """What the table `float32[N]` says of each legal move, to the mover, `float32[A]`; -inf where illegal."""
    return jnp.where(game.legal(s), after_each(game, _judge(game), values, s), -jnp.inf)


@lru_cache(maxsize=64)
def _judge(game: Game[Any]) -> Worth:
    rows = numbering(game)

    def judge(values: Array, s: Any, t: Any) -> Array:
        """The result if the game is over in `t`, else the entry of `t`, as the mover of `s` sees it."""
        return jnp.where(game.done(t), game.returns(t)[game.player(s)], sign(game, s, t) * values[rows.decision(t)])

    return judge


@dataclass(frozen=True)
class ValueTable(Agent[S]):
    """Takes a move to the position that is best for it, at random among equals. Weights: `v`, `float32[N]`."""

    kind: ClassVar[str] = "value-table"

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        """Where positions are numbered and nothing is left to fate."""
        return numbered(game) and not game.rolls

    def create(self, key: Key) -> Any:
        return {"v": jnp.zeros(numbering(self.game).decisions, jnp.float32)}

    def act(self, params: Any, key: Key, view: S) -> Decision:
        return best(after_moves(self.game, params["v"], view), key)

    def value(self, params: Any, s: S) -> Array:
        value: Array = params["v"][numbering(self.game).decision(s)]
        return value
