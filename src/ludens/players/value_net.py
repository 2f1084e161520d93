"""The player with a net for positions: it looks at every position its moves lead to, and takes the best."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ludens.core.game import Game, S
from ludens.core.player import Decision, best
from ludens.core.types import Array, Key
from ludens.nets.mlp import MLP, fan_in, scaled_tanh
from ludens.players.agent import Agent
from ludens.players.lookahead import Worth, after_each


def net(key: Key, game: Game[Any], hidden: int) -> MLP:
    """The net of Gatti et al. 2011, section 3.4: observation to one hidden layer to the first player's prospects."""
    inputs = jax.eval_shape(game.observe, jax.eval_shape(game.init, jax.random.key(0))).shape[0]
    return MLP.create(key, [inputs, hidden, 1], draw=fan_in, hidden=scaled_tanh)


def prospects(game: Game[S], params: MLP, s: S) -> Array:
    """What the net gives for a position, to the first player, `float32[]`."""
    return params(game.observe(s))[0]


def after_moves(game: Game[S], params: MLP, s: S, *, known_ends: bool) -> Array:
    """The prospects after each legal move as the mover likes them, `float32[A]`; -inf where illegal.

    The first player wants the greatest value, the second the smallest. With `known_ends` a finished game counts its
    result, not what the net thinks of it.
    """
    values = after_each(game, _judge(game, known_ends), params, s)
    return jnp.where(game.legal(s), jnp.where(game.player(s) == 0, values, -values), -jnp.inf)


@lru_cache(maxsize=64)
def _judge(game: Game[Any], known_ends: bool) -> Worth:
    if not known_ends:
        return lambda params, s, t: prospects(game, params, t)
    return lambda params, s, t: jnp.where(game.done(t), game.returns(t)[0], prospects(game, params, t))


@dataclass(frozen=True)
class ValueNet(Agent[S]):
    """Takes the move with the best prospects, at random among equals."""

    kind: ClassVar[str] = "value-net"
    games: ClassVar[tuple[str, ...]] = ("chung-toi",)  # its observation is the paper's, the same for both seats

    hidden: int = 30
    known_ends: bool = False
    """Whether it sees that a game is won or lost; else even a finished game counts what the net thinks of it."""

    def create(self, key: Key) -> MLP:
        return net(key, self.game, self.hidden)

    def act(self, params: MLP, key: Key, view: S) -> Decision:
        return best(after_moves(self.game, params, view, known_ends=self.known_ends), key)

    def value(self, params: MLP, s: S) -> Array:
        value = prospects(self.game, params, s)
        return jnp.where(self.game.player(s) == 0, value, -value)
