"""Schedules: how settings change while training goes on."""

import math

import jax.numpy as jnp

from ludens.core.types import Array


def temperature(n: Array, *, a: float, b: float, c: float) -> Array:
    """T = a b^n after `n` games (van Eck and van Wezel 2008, equation 20), and 0, greedy, once below `c`.

    `n` is `int32[]`, T `float32[]`.
    """
    # b is so close to 1 that 32 bits would lose its distance from it: its logarithm is taken before.
    warm = jnp.float32(a) * jnp.exp(n.astype(jnp.float32) * jnp.float32(math.log(b)))
    return jnp.where(warm < c, 0.0, warm)


def linear(first: float, last: float, share: Array) -> Array:
    """From `first` to `last` in a straight line as `share` (`float32[]`) goes from 0 to 1, and no further."""
    return first + (last - first) * jnp.clip(share, 0, 1)
