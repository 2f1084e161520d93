"""The small nets of the papers: layers of weights, one activation for the hidden units and one for the outputs."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp

from ludens.core.types import Array, Key

Activation: TypeAlias = Callable[[Array], Array]
Draw: TypeAlias = Callable[[Key, tuple[int, int]], Array]
"""Weights `float32[out, in]` from a key and their shape."""


def linear(x: Array) -> Array:
    return x


def scaled_tanh(x: Array) -> Array:
    """1.7159 tanh(2x/3), after LeCun: its slope at 0 is near one, and targets of +-1 lie where it still bends."""
    return 1.7159 * jnp.tanh(x * (2.0 / 3.0))


def uniform(reach: float) -> Draw:
    """Weights between `-reach` and `reach`, biases too."""
    return lambda key, shape: jax.random.uniform(key, shape, jnp.float32, -reach, reach)


def fan_in(key: Key, shape: tuple[int, int]) -> Array:
    """Normal weights with a deviation of m^(-1/2), where m weights, the bias included, lead into a unit."""
    return jax.random.normal(key, shape, jnp.float32) / jnp.sqrt(jnp.float32(shape[1]))


class MLP(eqx.Module):
    """A fully connected net; a bias is one more weight, into which a constant 1 is fed."""

    weights: tuple[Array, ...]  # one `float32[out, in + 1]` for each layer; the last column is the bias
    hidden: Activation = eqx.field(static=True)
    output: Activation = eqx.field(static=True)

    @classmethod
    def create(
        cls, key: Key, sizes: Sequence[int], *, draw: Draw, hidden: Activation, output: Activation = linear
    ) -> "MLP":
        """A net with units `sizes` from inputs to outputs, its weights drawn by `draw`."""
        keys = jax.random.split(key, len(sizes) - 1)
        shapes = [(after, before + 1) for before, after in pairwise(sizes)]
        return cls(tuple(draw(key, shape) for key, shape in zip(keys, shapes, strict=True)), hidden, output)

    def __call__(self, x: Array) -> Array:
        """Outputs `float32[out]` for inputs `float32[in]`."""
        for weights in self.weights[:-1]:
            x = self.hidden(weights[:, :-1] @ x + weights[:, -1])
        return self.output(self.weights[-1][:, :-1] @ x + self.weights[-1][:, -1])
