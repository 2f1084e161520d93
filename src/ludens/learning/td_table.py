"""TD learning with a number for every position instead of a net: how far self-play goes if nothing is approximated.

With every move the entry of the position it was made in comes nearer to what the best reply makes of it,

    V(s) <- V(s) + alpha * (max_a -V(s.a) - V(s)),

+1 for a move that wins and -1 for one that loses; V belongs to the side to move, so where the same side moves again the
sign stays. The target is the best move and not the one made: what exploration tries does not lower the value of a
position (Littman's minimax-Q, 1994, for games in which one side moves at a time). Without fate the target is exact, so
alpha may be 1: then this is value iteration on the positions that play visits, and what was learned is only wrong where
play has not been often enough.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ludens.core.game import Game, S, pick
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.oracles.numbering import numbering
from ludens.players.value_table import ValueTable, after_moves
from ludens.returns.schedules import linear


@dataclass(frozen=True)
class TDTableConfig(Config):
    """Settings of our own: the paper has no such learner."""

    games: int = 1_000_000
    """Games to train."""
    num_envs: int = 32
    """Games side by side; where two visit one position, one of them is heard."""
    alpha: float = 1.0
    """How far an entry moves to its target."""
    epsilon: float = 0.5
    """Chance of the best move at first, as in `td_lambda`."""
    epsilon_end: float = 0.9
    """Chance of the best move after the last game."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("alpha", "epsilon", "epsilon_end"):
            self.within(name, 0, 1)


@dataclass(frozen=True)
class TDTable(Learner[S]):
    """State: the table, `float32[N]`, zeros at first: a draw until something else is known."""

    name: ClassVar[str] = "td-table"
    config_type: ClassVar[type[Config]] = TDTableConfig

    config: TDTableConfig

    @classmethod
    def learns(cls, game: Game[Any]) -> bool:
        """What a value table plays."""
        return ValueTable.plays(game)

    def init(self, key: Key) -> Array:
        """Nothing is known."""
        return jnp.zeros(numbering(self.game).decisions, jnp.float32)

    def act(self, state: Array, memory: None, views: S, keys: Key, clock: Clock) -> tuple[Array, Array]:
        """The best move with probability epsilon, else any; and what the best move is worth."""
        epsilon = linear(self.config.epsilon, self.config.epsilon_end, clock.games / self.config.games)
        values = jax.vmap(lambda s: after_moves(self.game, state, s))(views)  # [B, A]
        best = values.max(axis=1)

        def choose(values: Array, best: Array, key: Key) -> Array:
            explore, which = jax.random.split(key)
            wanted = jnp.where(jax.random.uniform(explore) < epsilon, values == best, values > -jnp.inf)
            return pick(wanted, jax.random.bits(which, dtype=jnp.uint32))

        return jax.vmap(choose)(values, best, keys), best

    def update(self, state: Array, memory: None, turn: Turn[S], key: Key, clock: Clock) -> tuple[Array, None, Means]:
        """Entries of the positions in which moves were made, towards their best moves."""
        rows = jax.vmap(numbering(self.game).decision)(turn.s)
        surprise = turn.extra - state[rows]
        return state.at[rows].set(state[rows] + self.config.alpha * surprise), None, {"loss": Mean.of(surprise**2)}

    def params(self, state: Array) -> dict[str, Array]:
        """The table."""
        return {"v": state}

    def agent(self) -> dict[str, Any]:
        """A player with this table."""
        return {"kind": ValueTable.kind}
