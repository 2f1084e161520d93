"""Names for the arrays that travel between rooms, so that signatures read like sentences."""

from typing import TypeAlias

import jax

Array: TypeAlias = jax.Array
"""Any JAX array; the docstring beside it gives the shape."""

Key: TypeAlias = jax.Array
"""A typed PRNG key, as `jax.random.key` makes it. Shape `[]`."""

Action: TypeAlias = jax.Array | int
"""Index of an action, `0 <= a < game.num_actions`. Shape `[]`, any integer type."""
