"""The agent of DQN: a net that gives every action a value, of which the legal ones count."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ludens.core.game import Game, S
from ludens.core.player import Decision, best
from ludens.core.types import Array, Key
from ludens.nets.mlp import MLP, fan_in
from ludens.players.agent import Agent


def net(key: Key, game: Game[Any], hidden: Sequence[int]) -> MLP:
    """From the mover's observation over `hidden` layers of rectified units to a value for each action."""
    inputs = jax.eval_shape(game.observe, jax.eval_shape(game.init, jax.random.key(0))).size
    return MLP.create(key, [inputs, *hidden, game.num_actions], draw=fan_in, hidden=jax.nn.relu)


def sees(game: Game[S], s: S) -> Array:
    """What the net is fed: the mover's observation, `float32[inputs]`."""
    return game.observe(s).astype(jnp.float32).reshape(-1)


@dataclass(frozen=True)
class QMLP(Agent[S]):
    """Plays the legal action with the highest value, in whichever seat."""

    kind: ClassVar[str] = "q-mlp"

    hidden: tuple[int, ...]
    """Units of the hidden layers."""

    def create(self, key: Key) -> MLP:
        return net(key, self.game, self.hidden)

    def act(self, params: MLP, key: Key, view: S) -> Decision:
        return best(jnp.where(self.game.legal(view), params(sees(self.game, view)), -jnp.inf), key)

    def value(self, params: MLP, s: S) -> Array:
        """The best Q, in units of the most that a move can earn."""
        return jnp.where(self.game.legal(s), params(sees(self.game, s)), -jnp.inf).max()
