"""An evaluator that has nothing to do with the game."""

from typing import Any

import jax
import jax.numpy as jnp

from ludens.core.evaluator import Evaluator
from ludens.core.types import Array


class Whim(Evaluator[Any]):
    """A hash of the position, -9 to 9: few different numbers, so that there are many ties."""

    win = 10.0

    def value(self, params: Any, s: Any) -> Array:
        """Lowered by `params`, `float32[]`; the two sides do not agree on it, as with a net."""
        words = [jnp.ravel(x).astype(jnp.uint32) for x in jax.tree.leaves(s)]
        mixed = jnp.uint32(17)
        for word in jnp.concatenate(words):
            mixed = (mixed ^ word) * jnp.uint32(0x9E3779B1)
            mixed = mixed ^ (mixed >> 15)
        return (mixed % 19).astype(jnp.float32) - params
