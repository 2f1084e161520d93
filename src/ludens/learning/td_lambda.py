"""TD(lambda) with a small net, by self-play: Gatti, Linton, Embrechts, "A brief tutorial on reinforcement learning:
The game of Chung Toi", ESANN 2011, sections 3.2 to 3.4.

The net gives a position's prospects P for the first player. With every move its weights change by

    dw(t) = alpha * (P(t+1) - P(t)) * e(t),      e(t) = lambda * e(t-1) + grad P(t)

which is the paper's sum over all earlier positions, gathered as the game goes on. The first player chooses the move
that leads to the greatest P, the second the smallest. While training, both take wins, else moves that block one.

At the end the paper has no P(t+1), and the reward stands in for it. We read t as the number of the finished position,
which is so drawn to the reward: an agent that may not take greedy wins in its evaluation has to know won positions by
their value. With `known_ends` nobody has to: results count as such, and the position before learns from them. With
several games side by side their corrections are added up.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.game import Game, S
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.nets.mlp import MLP
from ludens.players.tactics import wins_and_blocks
from ludens.players.value_net import ValueNet, after_moves, net, prospects
from ludens.returns.exploration import epsilon_greedy, linear
from ludens.returns.td import accumulate_trace, td_error


@dataclass(frozen=True)
class TDLambdaConfig(Config):
    hidden: int = setting(30, "Hidden units.", least=1)
    lambda_: float = setting(0.7, "How far back a surprise is felt.", least=0, most=1)
    alpha: float = setting(0.0012, "Learning rate at first.", least=0)
    alpha_end: float = setting(0.0, "Learning rate after the last game.", least=0)
    epsilon: float = setting(0.15, "Probability of a random move at first (the paper's is 1 - this).", least=0, most=1)
    epsilon_end: float = setting(0.05, "Probability of a random move after the last game.", least=0, most=1)
    tactics: bool = setting(True, "Whether wins and blocks come first while training.")
    known_ends: bool = setting(False, "A finished game counts its result instead of what the net thinks of it.")


class Trace(NamedTuple):
    eligibility: MLP  # e(t-1): as many numbers as the net has weights


@dataclass(frozen=True)
class TDLambda(Learner[S]):
    """The tutorial's learner. Its state is the net."""

    name: ClassVar[str] = "td-lambda"
    config_type: ClassVar[type[Config]] = TDLambdaConfig

    config: TDLambdaConfig

    @classmethod
    def learns(cls, game: Game[Any]) -> bool:
        return ValueNet.plays(game)

    def init(self, key: Key) -> MLP:
        return net(key, self.game, self.config.hidden)

    def init_memory(self) -> Trace:
        shapes = jax.eval_shape(self.init, jax.random.key(0))
        return Trace(jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes))

    def act(self, state: MLP, memory: Trace, views: S, keys: Key, clock: Clock) -> tuple[Array, None]:
        """Epsilon-greedy for the mover's prospects; wins and blocks before others."""
        epsilon = linear(self.config.epsilon, self.config.epsilon_end, clock.games / self.config.episodes)

        def choose(s: S, key: Key) -> Array:
            allowed = wins_and_blocks(self.game, s) if self.config.tactics else self.game.legal(s)
            return epsilon_greedy(self._after_moves(state, s), allowed, epsilon, key)

        return jax.vmap(choose)(views, keys), None

    def update(self, state: MLP, memory: Trace, turn: Turn[S], key: Key, clock: Clock) -> tuple[MLP, Trace, Means]:
        """The paper's two equations for one time step; at the end of a game, for the last two."""
        config = self.config
        alpha = linear(config.alpha, config.alpha_end, clock.games / config.episodes)

        def trace_and_error(weights: MLP, e: MLP, s: S, following: Array) -> tuple[MLP, Array]:
            """e(t), and P(t+1) - P(t)."""
            value, grads = jax.value_and_grad(lambda weights: prospects(self.game, weights, s))(weights)
            return accumulate_trace(e, grads, config.lambda_), td_error(jnp.float32(0), 1.0, following, value)

        def correct(weights: MLP, e: MLP, errors: Array) -> MLP:
            """dw(t), of all games together."""
            corrected: MLP = jax.tree.map(lambda w, e: w + alpha * jnp.tensordot(errors, e, axes=1), weights, e)
            return corrected

        each_game = jax.vmap(trace_and_error, in_axes=(None, 0, 0, 0))
        following = jax.vmap(lambda t: prospects(self.game, state, t))(turn.t)
        if config.known_ends:
            following = jnp.where(turn.done, turn.returns[:, 0], following)
        e, errors = each_game(state, memory.eligibility, turn.s, following)
        state = correct(state, e, errors)
        if not config.known_ends:
            last, last_errors = each_game(state, e, turn.t, turn.returns[:, 0])
            last_errors = jnp.where(turn.done, last_errors, 0.0)
            state, errors = correct(state, last, last_errors), errors + last_errors
        return state, Trace(e), {"loss": Mean.of(errors**2)}

    def params(self, state: MLP) -> MLP:
        return state

    def agent(self) -> dict[str, Any]:
        return {"kind": ValueNet.kind, "hidden": self.config.hidden, "known_ends": self.config.known_ends}

    def _after_moves(self, net: MLP, s: S) -> Array:
        return after_moves(self.game, net, s, known_ends=self.config.known_ends)
