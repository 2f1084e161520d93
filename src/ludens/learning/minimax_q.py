"""Minimax-Q with nets: what van Eck and van Wezel plan to do next (othello.txt, section 6).

M. L. Littman, "Markov games as a framework for multi-agent reinforcement learning", ICML 1994. In a game of two sides
that move in turn, what is good for one is bad for the other, and one learner does for both:

    Q_target(s, a) = (1 - alpha) Q(s, a) + alpha (r - gamma max_a' Q(s', a'))

where s' is the next position in which anybody decides; if it is the same side again, because the other must pass, the
maximum counts for it. Littman's players choose at the same time and his maximum is over mixed strategies, by linear
programming; where one side sees the other's move, this is what is left of it.

Everything else is as in neural Q-learning (`neural_q.py`), and the paper's settings are the defaults. Three switches
are ours: `optimizer`, `symmetries` and `anneal`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import optax

from ludens.core.game import S
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config
from ludens.learning.q_net_learner import QNetConfig, QNetLearner, QNetState
from ludens.nets.q_nets import Lessons, Weights
from ludens.returns.schedules import linear


@dataclass(frozen=True)
class MinimaxQConfig(QNetConfig):
    """The paper's settings for its own learner, and what can be improved on."""

    optimizer: str = "sgd"
    """`sgd`: steps as in the paper; `adam`: steps of the size of `learning_rate`, whatever `alpha` is."""
    symmetries: bool = False
    """Whether a lesson is turned or mirrored at random before it is learned."""
    anneal: bool = False
    """Whether the learning rate falls in a straight line, to 0 after the last game."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.one_of("optimizer", "sgd", "adam")


@dataclass(frozen=True)
class MinimaxQ(QNetLearner[S]):
    """One learner for both sides."""

    name: ClassVar[str] = "minimax-q"
    config_type: ClassVar[type[Config]] = MinimaxQConfig
    learners: ClassVar[int] = 1

    config: MinimaxQConfig

    def _first_optimizer(self, weights: Weights) -> Any:
        return optax.scale_by_adam().init(weights) if self.config.optimizer == "adam" else ()

    def _learning_rate(self, clock: Clock) -> float | Array:
        rate = self.config.learning_rate
        return linear(rate, 0.0, clock.games / self.config.games) if self.config.anneal else rate

    def _learn(self, state: QNetState, lessons: Lessons, keys: Key, clock: Clock) -> tuple[Weights, Any, Array]:
        """As in the paper, or by Adam, which makes steps of one size whatever the size of the gradient."""
        if self.config.symmetries:
            lessons = _turned(lessons, keys)
        if self.config.optimizer == "sgd":
            return super()._learn(state, lessons, keys, clock)
        gradients, values = self.nets.backward(state.weights, lessons)
        steps, optimizer = optax.scale_by_adam().update(gradients, state.optimizer)
        rate = self._learning_rate(clock)
        return {name: state.weights[name] + rate * steps[name] for name in steps}, optimizer, values


def _turned(lessons: Lessons, keys: Key) -> Lessons:
    """The lessons, each turned or mirrored in one of the eight ways a board can be."""
    count, squares = lessons.x.shape
    size = round(squares**0.5)
    noise = jax.vmap(lambda key: jax.random.bits(jax.random.fold_in(key, 1), dtype=jnp.uint32))(keys)
    upside_down, mirrored, transposed = (noise >> bit & 1 != 0 for bit in (29, 30, 31))
    x = lessons.x.reshape(count, size, size)
    row, column = lessons.action // size, lessons.action % size
    x, row = _choose(upside_down, x[:, ::-1], x), jnp.where(upside_down, size - 1 - row, row)
    x, column = _choose(mirrored, x[:, :, ::-1], x), jnp.where(mirrored, size - 1 - column, column)
    x, action = (
        _choose(transposed, x.swapaxes(1, 2), x),
        jnp.where(transposed, column * size + row, row * size + column),
    )
    return lessons._replace(x=x.reshape(count, squares), action=action)


def _choose(flags: Array, yes: Array, no: Array) -> Array:
    """Boards `[B, size, size]`, each as its flag `bool[B]` says."""
    return jnp.where(flags[:, None, None], yes, no)
