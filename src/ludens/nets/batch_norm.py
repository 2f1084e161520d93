"""Batch normalisation (Ioffe and Szegedy 2015): every channel brought to mean 0 and deviation 1, then scaled and moved.

While a net learns, mean and variance are those of the batch, and running averages follow them. Whoever plays with the
net uses the averages, so that what it thinks of a position does not depend on the others in the batch.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax

from ludens.core.types import Array

MOMENTUM = 0.1  # how far a running average follows each batch
EPSILON = 1e-5  # what is added to a variance, so that a channel that never changes divides by something


class BatchNorm(NamedTuple):
    """What is learned by gradient, everything `float32[C]`."""

    scale: Array
    shift: Array


class Moments(NamedTuple):
    """Mean and variance of each channel, of one batch or on the average, everything `float32[C]`."""

    mean: Array
    variance: Array


def create(channels: int) -> tuple[BatchNorm, Moments]:
    """What leaves a normal channel as it is."""
    ones, zeros = jnp.ones(channels), jnp.zeros(channels)
    return BatchNorm(ones, zeros), Moments(zeros, ones)


def normalise(norm: BatchNorm, averages: Moments, x: Array, by_batch: Array | bool) -> tuple[Array, Moments]:
    """`x` (`float32[..., C]`) normalised, and the averages afterwards.

    `by_batch` (`bool[]`): whether by the moments of `x` itself, which the averages then follow; else by the averages,
    which stay.
    """
    if by_batch is False:
        used = follows = averages
    else:
        every = tuple(range(x.ndim - 1))
        mean = x.mean(every)
        batch = Moments(mean, jnp.square(x - mean).mean(every))
        used = Moments(*(jnp.where(by_batch, now, before) for now, before in zip(batch, averages, strict=True)))
        follows = Moments(*(_follow(now, before) for now, before in zip(used, averages, strict=True)))
    slope = norm.scale * lax.rsqrt(used.variance + EPSILON)
    return x * slope + (norm.shift - used.mean * slope), follows


def _follow(now: Array, before: Array) -> Array:
    """An average after `now`; where `now` is the average itself it stays, to the last bit."""
    return before + MOMENTUM * lax.stop_gradient(now - before)
