"""The agent of the tabular learners: it looks up what it learned about each move."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import jax.numpy as jnp
from jax import lax

from ludens.core.game import Game, S
from ludens.core.player import Decision, best
from ludens.core.types import Array, Key
from ludens.oracles.numbering import numbering
from ludens.players.agent import Agent, Source
from ludens.players.rewards import reward


@dataclass(frozen=True)
class QTable(Agent[S]):
    """Plays a move with the highest entry, at random among equals. Where nothing was learned all entries are 0.

    Weights: `q`, `float32[tables, N, K]`, one table for each seat or one for all, with a row for each decision
    (`oracles.numbering`) and an entry for each of its moves.
    """

    kind: ClassVar[str] = "q-table"

    shared: bool = False
    """Whether all seats play by one table."""
    most: float = 1.0
    """The most that a move earned in training: the unit of its entries."""

    @classmethod
    def from_facts(cls, game: Game[S], facts: Mapping[str, Any], source: Source) -> Self:
        """`{"shared": false, "most": 100.0}`; runs that do not say `most` are taken to be paid as the paper does."""
        return cls(game, source, facts["shared"], facts.get("most", reward("paper", game).most))

    def create(self, key: Key) -> Any:
        rows, tables = numbering(self.game), 1 if self.shared else self.game.num_players
        return {"q": jnp.zeros((tables, rows.decisions, rows.width), jnp.float32)}

    def q_values(self, params: Any, view: S) -> Array:
        """The entries of the mover's table by action, `float32[A]`; -inf where illegal."""
        rows = numbering(self.game)
        table = jnp.int32(0) if self.shared else self.game.player(view)
        row = lax.dynamic_slice(params["q"], (table, rows.decision(view), jnp.int32(0)), (1, 1, rows.width))
        return rows.by_action(view, row.reshape(rows.width))

    def act(self, params: Any, key: Key, view: S) -> Decision:
        return best(self.q_values(params, view), key)

    def value(self, params: Any, s: S) -> Array:
        """The highest entry, in units of the most that a move can earn."""
        return self.q_values(params, s).max() / self.most
