"""Who plays with a net that values positions: one move ahead by itself, further in a search.

The net sees three numbers for each square, all 0 or 1: whether a disc of the side to move lies there, whether one of
the other side's, and whether the side to move can place one. The last is a matter of rules, not of taste, but it is
what a layer of weights cannot work out from the discs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import jax.numpy as jnp

from ludens.core.game import Game, S, sign
from ludens.core.player import Decision, best
from ludens.core.types import Array, Key
from ludens.nets.mlp import MLP, fan_in
from ludens.players.agent import Agent
from ludens.players.lookahead import Worth, after_each

PLANES = 3


def net(key: Key, game: Game[Any], hidden: Sequence[int]) -> MLP:
    """A net with so many units in each hidden layer, tanh everywhere."""
    squares = game.num_actions - 1
    return MLP.create(key, [PLANES * squares, *hidden, 1], draw=fan_in, hidden=jnp.tanh, output=jnp.tanh)


def planes(game: Game[S], s: S) -> Array:
    """What the net sees of a position, `float32[3 N]`."""
    return jnp.concatenate([game.observe(s).reshape(-1), game.legal(s)[:-1]]).astype(jnp.float32)


def worth(game: Game[S], params: MLP, s: S) -> Array:
    """What a position is worth to the side to move, or would be if the game were not over: `float32[]`."""
    result = game.returns(s)[game.player(s)]
    return jnp.where(game.done(s), result, params(planes(game, s))[0])


def after_moves(game: Game[S], params: MLP, s: S) -> Array:
    """What the mover has after each legal move, `float32[A]`; 0 where illegal."""
    return after_each(game, _judge(game), params, s)


@lru_cache(maxsize=64)
def _judge(game: Game[Any]) -> Worth:
    return lambda params, s, t: sign(game, s, t) * worth(game, params, t)


@dataclass(frozen=True)
class VNet(Agent[S]):
    """Plays to the position that is worth the most, at random among equals."""

    kind: ClassVar[str] = "v-net"
    games: ClassVar[tuple[str, ...]] = ("othello",)

    hidden: tuple[int, ...]

    def create(self, key: Key) -> MLP:
        return net(key, self.game, self.hidden)

    def act(self, params: MLP, key: Key, view: S) -> Decision:
        scores = after_moves(self.game, params, view)
        return best(jnp.where(self.game.legal(view), scores, -jnp.inf), key)

    def value(self, params: MLP, s: S) -> Array:
        return params(planes(self.game, s))[0]
