"""Exploration: which action to try while learning, and how that is annealed."""

import math

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.game import pick
from ludens.core.types import Array, Key


def epsilon_greedy(q_values: Array, legal: Array, epsilon: Array | float, key: Key) -> Array:
    """Any legal action with probability epsilon, else one with the highest value, at random among equals: `int32[]`.

    Values `float32[A]`, legal actions `bool[A]`, at least one.
    """
    lot, which = jax.random.bits(key, (2,), jnp.uint32)
    explores = (lot >> 8).astype(jnp.float32) * 2.0**-24 < epsilon
    best = legal & (q_values == jnp.where(legal, q_values, -jnp.inf).max())
    return pick(jnp.where(explores, legal, best), which)


def boltzmann(values: Array, legal: Array, temperature: Array) -> Array:
    """Weights with which to try actions: exp(Q / T) (van Eck and van Wezel 2008, eq. 16); the best alone if T is 0.

    Values `float32[A]`, legal actions `bool[A]` (at least one), the temperature `float32[]`: `float32[A]`, 0 where
    illegal, 1 for the best.
    """
    behind = values - jnp.where(legal, values, -jnp.inf).max(axis=-1, keepdims=True)
    best = (behind == 0).astype(jnp.float32)
    soft = jnp.exp(behind / jnp.where(temperature > 0, temperature, 1))
    return jnp.where(legal, jnp.where(temperature > 0, soft, best), 0)


def sample(weights: Array, keys: Key) -> Array:
    """Actions drawn in proportion to `weights` (`float32[B, A]`, not all zero) with keys `[B]`, `int32[B]`."""
    actions = jnp.arange(weights.shape[1], dtype=jnp.int32)
    # One product instead of running sums, which a CPU is slow to make. It must be precise: the sums must not fall.
    edges = jnp.dot(weights, (actions[:, None] <= actions).astype(jnp.float32), precision=lax.Precision.HIGHEST)
    point = jax.vmap(jax.random.uniform)(keys) * edges[:, -1]
    last = jnp.where(weights > 0, actions, 0).max(axis=1)
    return jnp.where((weights > 0) & (edges > point[:, None]), actions, last[:, None]).min(axis=1)


def temperature(n: Array, *, a: float, b: float, c: float) -> Array:
    """T = a b^n after `n` games (van Eck and van Wezel 2008, equation 20), and 0, greedy, once below `c`.

    `n` is `int32[]`, T `float32[]`.
    """
    # b is so close to 1 that 32 bits would lose its distance from it: its logarithm is taken before.
    falling = jnp.float32(a) * jnp.exp(n.astype(jnp.float32) * jnp.float32(math.log(b)))
    return jnp.where(falling < c, 0.0, falling)


def linear(first: float, last: float, share: Array) -> Array:
    """From `first` to `last` in a straight line as `share` (`float32[]`) goes from 0 to 1, and no further."""
    return first + (last - first) * jnp.clip(share, 0, 1)
