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

from ludens.core.game import Game, S
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.oracles.numbering import numbering
from ludens.players.value_table import ValueTable, after_moves
from ludens.returns.exploration import epsilon_greedy, linear


@dataclass(frozen=True)
class TDTableConfig(Config):
    """Settings of our own: the paper has no such learner."""

    episodes: int = setting(1_000_000, "Games to train.", least=1)
    num_envs: int = setting(32, "Games side by side; where two visit one position, one of them is heard.", least=1)
    alpha: float = setting(1.0, "How far an entry moves to its target.", least=0, most=1)
    epsilon: float = setting(0.5, "Probability of a random move at first.", least=0, most=1)
    epsilon_end: float = setting(0.1, "Probability of a random move after the last game.", least=0, most=1)


@dataclass(frozen=True)
class TDTable(Learner[S]):
    """State: the table, `float32[N]`, zeros at first: a draw until something else is known."""

    name: ClassVar[str] = "td-table"
    config_type: ClassVar[type[Config]] = TDTableConfig

    config: TDTableConfig

    @classmethod
    def learns(cls, game: Game[Any]) -> bool:
        return ValueTable.plays(game)

    def init(self, key: Key) -> Array:
        return jnp.zeros(numbering(self.game).decisions, jnp.float32)

    def act(self, state: Array, memory: None, views: S, keys: Key, clock: Clock) -> tuple[Array, Array]:
        """Epsilon-greedy; and what the best move is worth, `float32[B]`."""
        epsilon = linear(self.config.epsilon, self.config.epsilon_end, clock.games / self.config.episodes)
        values = jax.vmap(lambda s: after_moves(self.game, state, s))(views)  # [B, A]
        action = jax.vmap(epsilon_greedy, in_axes=(0, 0, None, 0))(values, values > -jnp.inf, epsilon, keys)
        return action, values.max(axis=1)

    def update(self, state: Array, memory: None, turn: Turn[S], key: Key, clock: Clock) -> tuple[Array, None, Means]:
        """Entries of the positions in which moves were made, towards their best moves."""
        rows = jax.vmap(numbering(self.game).decision)(turn.s)
        error = turn.extra - state[rows]
        return state.at[rows].set(state[rows] + self.config.alpha * error), None, {"loss": Mean.of(error**2)}

    def params(self, state: Array) -> dict[str, Array]:
        return {"v": state}

    def agent(self) -> dict[str, Any]:
        return {"kind": ValueTable.kind}
