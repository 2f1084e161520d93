"""What Okey's actor-critic learns from a transition: the equations of section 3.2, one function each.

    y = r + gamma V(x')                       (y = r if the game ended)         td-target
    delta = y - V(x)                                                            td-error
    critic    (y - V(x))^2                    actor    -delta log pi(what it chose | what it saw)

Everything is `[N]`, and sums are taken with weights, so that padding costs nothing.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.types import Array
from ludens.learning.okey_transitions import Thrown
from ludens.nets.mlp import MLP


class Nets(NamedTuple):
    """The nets, or something for each of them."""

    draw: Any
    discard: Any
    critic: Any


def errors(critic: MLP, rows: Thrown, gamma: float) -> tuple[Array, Array]:
    """Targets y and errors delta of transitions, `float32[N]` each."""
    value, then = (jax.vmap(critic)(x.astype(jnp.float32))[:, 0] for x in (rows.x, rows.then))
    y = rows.earned + gamma * jnp.where(rows.done, 0, then)
    return y, y - value


def losses(nets: Nets, rows: Thrown, y: Array, error: Array, weights: Array) -> tuple[Array, Array]:
    """Of the discard actor and of the critic, `float32[]` each; y, errors and weights `float32[N]` are given."""
    value = jax.vmap(nets.critic)(rows.x.astype(jnp.float32))[:, 0]
    return reinforced(nets.discard, rows.x, rows.place, weights * error), (weights * (y - value) ** 2).sum()


def reinforced(actor: MLP, x: Array, chosen: Array, lesson: Array) -> Array:
    """The loss of an actor, `float32[]`: the more likely it finds what it chose, the less of each `lesson` is lost.

    x `int8[N, in]`, chosen `int8[N]` (below 0: nothing), lesson `float32[N]`.
    """
    chances = jax.nn.log_softmax(jax.vmap(actor)(x.astype(jnp.float32)))
    likelihood = jnp.where(jnp.arange(chances.shape[1]) == chosen[:, None], chances, 0).sum(axis=1)
    return -(lesson * likelihood).sum()
