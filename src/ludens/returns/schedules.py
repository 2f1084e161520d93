"""Schedules: how settings change while training goes on; and exploration by a temperature."""

import math

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.types import Array, Key


def temperature(n: Array, *, a: float, b: float, c: float) -> Array:
    """T = a b^n after `n` games (othello.txt, equation 20), and 0, which means greedy, once that is below `c`.

    `n` is `int32[]`, T `float32[]`.
    """
    # b is so close to 1 that 32 bits would lose its distance from it: its logarithm is taken before.
    warm = jnp.float32(a) * jnp.exp(n.astype(jnp.float32) * jnp.float32(math.log(b)))
    return jnp.where(warm < c, 0.0, warm)


def boltzmann(values: Array, legal: Array, warmth: Array) -> Array:
    """Weights with which to try actions, not all zero: exp(Q / T) (othello.txt, equation 16); the best alone if T is 0.

    Values `float32[A]`, legal actions `bool[A]` (at least one), the temperature `float32[]`: `float32[A]`, 0 where
    illegal, 1 for the best.
    """
    behind = values - jnp.where(legal, values, -jnp.inf).max(axis=-1, keepdims=True)
    cold = (behind == 0).astype(jnp.float32)
    warm = jnp.exp(behind / jnp.where(warmth > 0, warmth, 1))
    return jnp.where(legal, jnp.where(warmth > 0, warm, cold), 0)


def draw(weights: Array, keys: Key) -> Array:
    """Actions drawn in proportion to `weights` (`float32[B, A]`, not all zero) with keys `[B]`, `int32[B]`."""
    actions = jnp.arange(weights.shape[1], dtype=jnp.int32)
    # One product instead of running sums, which a CPU is slow to make. It must be precise: the sums must not fall.
    edges = jnp.dot(weights, (actions[:, None] <= actions).astype(jnp.float32), precision=lax.Precision.HIGHEST)
    point = jax.vmap(jax.random.uniform)(keys) * edges[:, -1]
    last = jnp.where(weights > 0, actions, 0).max(axis=1)
    return jnp.where((weights > 0) & (edges > point[:, None]), actions, last[:, None]).min(axis=1)


def linear(first: float, last: float, share: Array) -> Array:
    """From `first` to `last` in a straight line as `share` (`float32[]`) goes from 0 to 1, and no further."""
    return first + (last - first) * jnp.clip(share, 0, 1)
