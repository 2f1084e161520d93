"""What policy-gradient learners record while they play, and what they make of it when they look back."""

from typing import Any, NamedTuple

import jax.numpy as jnp

from ludens.core.types import Array


class Moves(NamedTuple):
    """What was played, everything `[T, B]`."""

    s: Any
    """Where, as the mover saw it."""
    x: Array
    """What the net saw of that, `float32[T, B, inputs]`."""
    action: Array
    likelihood: Array
    """The logarithm of the probability with which it was chosen."""
    value: Array
    """What the net thought of the position."""
    t: Any
    """The next decision, as who makes it sees it, or the end."""
    done: Array
    """Whether that ended the game."""
    own: Array
    """Whether the learner chose it."""


class Lesson(NamedTuple):
    """A decision to learn from, everything `[N]`."""

    x: Array
    """What the net saw, `float32[N, inputs]`."""
    legal: Array
    """`bool[N, A]`."""
    action: Array
    likelihood: Array
    value: Array
    advantage: Array
    counts: Array
    """1, or 0 if it is somebody else's or nothing is known about what came of it."""


def weighted(values: Array, weights: Array) -> Array:
    """The mean of `values` `[N]` by `weights` `[N]`, `float32[]`."""
    return (values * weights).sum() / jnp.maximum(weights.sum(), 1.0)


def standardized(values: Array, weights: Array) -> Array:
    """`values` `[N]` with mean 0 and deviation 1 where `weights` `[N]` are not 0."""
    centred = values - weighted(values, weights)
    return centred / (jnp.sqrt(weighted(centred**2, weights)) + 1e-8)
