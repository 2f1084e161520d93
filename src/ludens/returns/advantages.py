"""Advantages: how much better a decision turned out than its position was valued.

Generalized advantage estimation (Schulman et al. 2016), for games with any number of seats in any order: each seat's
decisions are a chain of their own, from one to its next, whatever others do in between.

    delta_k = r_k + gamma V(s_k+1) - V(s_k)         A_k = delta_k + gamma lambda A_k+1

where `r_k` is all that the seat earned until its next decision, and values after the end of a game are 0.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax

from ludens.core.types import Array


class _Later(NamedTuple):
    """What is known about each seat when looking back from the end, everything `[P]`."""

    value: Array
    """Value of its next decision."""
    advantage: Array
    earned: Array
    """What it is paid until then."""
    known: Array
    """Whether there is a next decision, or an end of the game, among what was recorded, `bool[P]`."""


def advantages(
    values: Array, earned: Array, mover: Array, done: Array, *, gamma: float, decay: float
) -> tuple[Array, Array]:
    """Advantages `float32[T]` of decisions in the order in which they were made, and which are known, `bool[T]`.

    Values `float32[T]` to the mover, what each seat earned by each move `float32[T, P]`, the mover `int32[T]`, and
    whether the move ended the game `bool[T]`, after which another begins. The last decision of each seat is not known:
    what comes after it was not recorded. It still tells what the one before it led to.
    """
    seats = jnp.arange(earned.shape[1])
    nothing = jnp.zeros(earned.shape[1])

    def back(later: _Later, step: tuple[Array, Array, Array, Array]) -> tuple[_Later, tuple[Array, Array]]:
        value, paid, who, over = step
        mine = seats == who
        last = _Later(nothing, nothing, nothing, jnp.ones(len(seats), jnp.bool_))
        later = _Later(*(jnp.where(over, end, then) for end, then in zip(last, later, strict=True)))
        total = later.earned + paid

        def of_mover(each: Array) -> Array:
            return jnp.where(mine, each, 0).sum()

        known = (mine & later.known).any()
        delta = of_mover(total) + gamma * of_mover(later.value) - value
        advantage = jnp.where(known, delta + gamma * decay * of_mover(later.advantage), 0.0)
        now = _Later(
            jnp.where(mine, value, later.value),
            jnp.where(mine, advantage, later.advantage),
            jnp.where(mine, 0.0, total),
            later.known | mine,
        )
        return now, (advantage, known)

    unknown = _Later(nothing, nothing, nothing, jnp.zeros(len(seats), jnp.bool_))
    _, found = lax.scan(back, unknown, (values, earned, mover, done), reverse=True)
    return found
