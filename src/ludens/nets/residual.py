"""A residual net for any game: a preference for each action, and what the position is worth.

A board, an observation `[planes, height, width]`, goes through blocks of two 3x3 convolutions each; anything else is
flattened and goes through blocks of two dense layers. There are no batch statistics: signals are normalized over the
channels of each square, so that a position alone is judged as in a batch, while learning as while playing.

What lies far apart on a board meets in two places: every square is told about the whole observation at the start (in
Onitama the cards, which are drawn in the middle of their planes, matter everywhere), and every block tells every square
the mean and the maximum of each channel over the board.

A third head, used only while learning, foresees what will be observed at the end of the game: in Othello who owns which
square. A result is one number; where it comes from is many, and what helps to foresee them helps to judge.

Weights are 32-bit; on an accelerator the blocks compute in bfloat16.

Shapes: `F` channels, `H x W` squares, `A` actions.
"""

from collections.abc import Sequence
from math import prod

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.types import Array, Key

HEAD_PLANES, VALUE_UNITS = 16, 64
"""Channels in which each square speaks to the heads; units of the value head's hidden layer."""


class Dense(eqx.Module):
    weight: Array  # `float32[in, out]`
    bias: Array  # `float32[out]`

    @classmethod
    def create(cls, key: Key, inputs: int, outputs: int, gain: float = 1.0) -> "Dense":
        return cls(_normal(key, (inputs, outputs), inputs, gain), jnp.zeros(outputs))

    def __call__(self, x: Array) -> Array:
        """`[..., in]` to `[..., out]`."""
        return x @ self.weight.astype(x.dtype) + self.bias.astype(x.dtype)


class Block(eqx.Module):
    """x + g(f(x)), f and g layers of rectified, normalized units; on a board convolutions."""

    first: Array  # `float32[3, 3, F, F]`, or `float32[F, F]` without a board
    second: Array
    scales: Array  # `float32[2, F]`, of the normalized channels
    shifts: Array  # `float32[2, F]`
    common: Dense | None  # from the mean and maximum over the board to all squares

    @classmethod
    def create(cls, key: Key, channels: int, board: bool) -> "Block":
        one, two, three = jax.random.split(key, 3)
        shape = (3, 3, channels, channels) if board else (channels, channels)
        inputs = channels * (9 if board else 1)
        return cls(
            _normal(one, shape, inputs, 2**0.5),
            _normal(two, shape, inputs, 0.1),
            jnp.ones((2, channels)),
            jnp.zeros((2, channels)),
            Dense.create(three, 2 * channels, channels, 0.1) if board else None,
        )

    def __call__(self, x: Array) -> Array:
        """`[H, W, F]`, or `[F]` without a board."""
        y = _layer(jax.nn.relu(_normalized(x, self.scales[0], self.shifts[0])), self.first)
        if self.common is not None:
            y = y + self.common(jnp.concatenate([y.mean(axis=(0, 1)), y.max(axis=(0, 1))]))
        return x + _layer(jax.nn.relu(_normalized(y, self.scales[1], self.shifts[1])), self.second)


class ResidualNet(eqx.Module):
    stem: Array | None  # `float32[3, 3, planes, F]` on a board
    whole: Dense  # from the whole observation to all squares, or to the units
    blocks: tuple[Block, ...]
    scale: Array  # `float32[F]`, of what the last block leaves
    shift: Array
    planes: Dense | None  # what each square says to the heads
    policy: Dense
    hidden: Dense
    value: Dense
    final: Dense  # from each square to its planes at the end, or from the units to the whole observation

    @classmethod
    def create(cls, key: Key, shape: Sequence[int], actions: int, *, blocks: int, channels: int) -> "ResidualNet":
        """For observations of `shape`, with `blocks` of `channels` channels."""
        board = len(shape) == 3
        stem, whole, planes, policy, hidden, value, final, *keys = jax.random.split(key, 7 + blocks)
        told = HEAD_PLANES * shape[1] * shape[2] + 2 * channels if board else channels
        return cls(
            stem=_normal(stem, (3, 3, shape[0], channels), 9 * shape[0], 1.0) if board else None,
            whole=Dense.create(whole, prod(shape), channels),
            blocks=tuple(Block.create(key, channels, board) for key in keys),
            scale=jnp.ones(channels),
            shift=jnp.zeros(channels),
            planes=Dense.create(planes, channels, HEAD_PLANES, 2**0.5) if board else None,
            policy=Dense.create(policy, told, actions, 0.1),
            hidden=Dense.create(hidden, told, VALUE_UNITS, 2**0.5),
            value=Dense.create(value, VALUE_UNITS, 1, 0.1),
            final=Dense.create(final, channels, shape[0] if board else prod(shape), 0.1),
        )

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """Logits `float32[A]` and the value `float32[]`, -1 to 1, for an observation."""
        return self.and_final(x)[:2]

    def and_final(self, x: Array) -> tuple[Array, Array, Array]:
        """The same, and what will be observed at the end, of the shape of the observation."""
        shape = x.shape
        x = x.astype(jnp.float32 if jax.default_backend() == "cpu" else jnp.bfloat16)
        y = self.whole(x.reshape(-1))
        if self.stem is not None:
            y = y + _layer(x.transpose(1, 2, 0), self.stem)
        for block in self.blocks:
            y = block(y)
        y = jax.nn.relu(_normalized(y, self.scale, self.shift))
        final = jnp.tanh(self.final(y).astype(jnp.float32))
        if self.planes is not None:
            squares = jax.nn.relu(self.planes(y)).reshape(-1)
            y = jnp.concatenate([squares, y.mean(axis=(0, 1)), y.max(axis=(0, 1))])
            final = final.transpose(2, 0, 1)
        y = y.astype(jnp.float32)
        value = jnp.tanh(self.value(jax.nn.relu(self.hidden(y)))[0])
        return self.policy(y), value, final.reshape(shape)


def _layer(x: Array, weights: Array) -> Array:
    """A convolution of `[H, W, F]` that keeps the board's size, or a product with `[F]`."""
    if weights.ndim == 2:
        return x @ weights.astype(x.dtype)
    convolve = _convolved_on_cpu if jax.default_backend() == "cpu" else _convolved
    convolved: Array = convolve(x, weights.astype(x.dtype))
    return convolved


def _convolved(x: Array, weights: Array) -> Array:
    convolved: Array = lax.conv_general_dilated(
        x[None], weights, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return convolved[0]


def _as_a_product(x: Array, weights: Array) -> Array:
    """The same convolution as one product of matrices, `[H W, 9 F]` by `[9 F, F]`."""
    height, width = x.shape[:2]
    padded = jnp.pad(x, ((1, 1), (1, 1), (0, 0)))
    around = [padded[i : i + height, j : j + width] for i in range(3) for j in range(3)]
    return jnp.concatenate(around, axis=-1) @ weights.reshape(-1, weights.shape[-1])


# On CPUs XLA is quick with a convolution and fifteen times slower than need be with its gradient.
_convolved_on_cpu = jax.custom_vjp(_convolved)
_convolved_on_cpu.defvjp(
    lambda x, weights: (_convolved(x, weights), (x, weights)),
    lambda seen, slope: jax.vjp(_as_a_product, *seen)[1](slope),
)


def _normalized(x: Array, scale: Array, shift: Array) -> Array:
    """Each square's channels with mean 0 and deviation 1, then scaled and shifted; `[..., F]`."""
    y = x.astype(jnp.float32)
    y = y - y.mean(axis=-1, keepdims=True)
    y = y * lax.rsqrt((y**2).mean(axis=-1, keepdims=True) + 1e-5)
    y = y * scale + shift
    return y.astype(x.dtype)


def _normal(key: Key, shape: tuple[int, ...], inputs: int, gain: float) -> Array:
    weights: Array = gain * inputs**-0.5 * jax.random.normal(key, shape, jnp.float32)
    return weights
