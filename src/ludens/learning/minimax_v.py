"""Minimax over positions: a net for what a position is worth, drawn to what the best move makes of it.

Our own answer to van Eck and van Wezel (2008), whose learners value moves. Here the net values positions, V(s) for the
side to move, and the target looks one ply ahead:

    V_target(s) = max_a (r if a ends the game, else -V(s'), or V(s') if the same side moves again)

The same one ply is looked ahead to choose a move, so a step knows its target at once. One net plays both sides; each
position is first turned or mirrored at random, in one of the eight ways that leave Othello what it is.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import optax

from ludens.core.game import S
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.nets.mlp import MLP
from ludens.players.v_net import PLANES, VNet, after_moves, net, planes
from ludens.returns.exploration import boltzmann, linear, sample


@dataclass(frozen=True)
class MinimaxVConfig(Config):
    episodes: int = setting(3_000_000, "Games to train; learning rate and temperature fall over them.", least=1)
    num_envs: int = setting(256, "B: games played side by side.", least=1)
    hidden: int = setting(128, "Units of the first hidden layer.", least=1)
    hidden2: int = setting(32, "Units of the second hidden layer.", least=1)
    learning_rate: float = setting(0.001, "Of Adam at first; annealed linearly to 0.", least=0)
    temperature: float = setting(0.5, "Boltzmann temperature at first.", least=1e-6)
    temperature_end: float = setting(0.02, "Boltzmann temperature after the last game.", least=1e-6)


class VState(NamedTuple):
    net: MLP
    optimizer: Any


@dataclass(frozen=True)
class MinimaxV(Learner[S]):
    name: ClassVar[str] = "minimax-v"
    config_type: ClassVar[type[Config]] = MinimaxVConfig
    games: ClassVar[tuple[str, ...]] = VNet.games

    config: MinimaxVConfig

    def init(self, key: Key) -> VState:
        first = net(key, self.game, (self.config.hidden, self.config.hidden2))
        return VState(first, _adam().init(first))

    def act(self, state: VState, memory: None, views: S, keys: Key, clock: Clock) -> tuple[Array, Array]:
        """Boltzmann exploration one ply ahead; and what the moves are worth, `float32[B, A]`."""
        config, legal = self.config, jax.vmap(self.game.legal)(views)
        q_values = jax.vmap(lambda s: after_moves(self.game, state.net, s))(views)
        share = jnp.minimum(clock.games / config.episodes, 1.0)
        temperature = config.temperature * (config.temperature_end / config.temperature) ** share
        return sample(boltzmann(q_values, legal, jnp.asarray(temperature)), keys), jnp.where(legal, q_values, -jnp.inf)

    def update(self, state: VState, memory: None, turn: Turn[S], key: Key, clock: Clock) -> tuple[VState, None, Means]:
        """V of the positions in which moves were made, towards their best moves."""
        targets = turn.extra.max(axis=1)
        x = _turned(jax.vmap(lambda s: planes(self.game, s))(turn.s), jax.random.split(key, len(targets)))

        def half_squared_errors(net: MLP) -> Array:
            errors: Array = jax.vmap(net)(x)[:, 0] - targets
            return (errors**2).sum() / 2

        loss, grads = jax.value_and_grad(half_squared_errors)(state.net)
        updates, optimizer = _adam().update(grads, state.optimizer)
        rate = linear(self.config.learning_rate, 0.0, clock.games / self.config.episodes)
        learned = VState(jax.tree.map(lambda w, update: w - rate * update, state.net, updates), optimizer)
        metrics = {"loss": Mean(loss, jnp.float32(len(x))), "black": Mean.of(turn.returns[:, 0], turn.done)}
        return learned, None, metrics

    def params(self, state: VState) -> MLP:
        return state.net

    def agent(self) -> dict[str, Any]:
        return {"kind": VNet.kind, "hidden": [self.config.hidden, self.config.hidden2]}


def _adam() -> optax.GradientTransformation:
    return optax.scale_by_adam()


def _turned(x: Array, keys: Key) -> Array:
    """Boards `float32[B, 3 N]`, each turned or mirrored in one of eight ways."""
    size = math.isqrt(x.shape[1] // PLANES)
    noise = jax.vmap(lambda key: jax.random.bits(jax.random.fold_in(key, 1), dtype=jnp.uint32))(keys)
    upside_down, mirrored, transposed = ((noise >> bit & 1 != 0)[:, None, None, None] for bit in (29, 30, 31))
    boards = x.reshape(len(x), PLANES, size, size)
    boards = jnp.where(upside_down, boards[:, :, ::-1], boards)
    boards = jnp.where(mirrored, boards[..., ::-1], boards)
    return jnp.where(transposed, boards.swapaxes(2, 3), boards).reshape(x.shape)
