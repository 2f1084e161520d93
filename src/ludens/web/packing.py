"""States as bytes: how they travel between processes, one after the other or many at once.

All states of a game have the same arrays, so the bytes of a state are those of its arrays one after the other. Compiled
rules take and give batches of such bytes, which spares the host dozens of small arrays for every call.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.game import Game
from ludens.core.types import Array


class Packing:
    """How the states of one game become bytes."""

    def __init__(self, game: Game[Any]) -> None:
        self._leaves, self._tree = jax.tree.flatten(jax.eval_shape(game.init, jax.random.key(0)))
        self._columns = [f"leaf {number}" for number in range(len(self._leaves))]
        self._row = np.dtype([(name, x.dtype, x.shape) for name, x in zip(self._columns, self._leaves, strict=True)])

    def batch(self, packed: Sequence[bytes], size: int) -> np.ndarray:
        """The bytes of states, `uint8[size, N]`; the first fills them up."""
        joined = b"".join([*packed, *[packed[0]] * (size - len(packed))])
        return np.frombuffer(joined, np.uint8).reshape(size, self._row.itemsize)

    def one(self, packed: bytes) -> Any:
        """A state of NumPy arrays."""
        row = np.frombuffer(packed, self._row)[0]
        return jax.tree.unflatten(self._tree, [row[name] for name in self._columns])

    def pack(self, state: Any) -> bytes:
        """The bytes of one state, whatever its arrays are."""
        return b"".join(
            np.asarray(leaf, like.dtype).tobytes()
            for leaf, like in zip(jax.tree.leaves(state), self._leaves, strict=True)
        )

    def to_bytes(self, state: Any) -> Array:
        """The same in compiled code, `uint8[N]`."""
        return jnp.concatenate([_to_bytes(leaf) for leaf in jax.tree.leaves(state)])

    def from_bytes(self, packed: Array) -> Any:
        """And back, in compiled code."""
        leaves, at = [], 0
        for like in self._leaves:
            size = like.size * like.dtype.itemsize
            leaves.append(_from_bytes(packed[at : at + size], like))
            at += size
        return jax.tree.unflatten(self._tree, leaves)


@lru_cache(maxsize=64)
def packing(game: Game[Any]) -> Packing:
    """How the states of `game` become bytes."""
    return Packing(game)


def _to_bytes(leaf: Array) -> Array:
    if leaf.dtype == jnp.bool_:
        return leaf.astype(jnp.uint8).reshape(-1)
    return lax.bitcast_convert_type(leaf, jnp.uint8).reshape(-1)


def _from_bytes(packed: Array, like: Any) -> Array:
    if like.dtype == jnp.bool_:
        return (packed != 0).reshape(like.shape)
    wide = (like.dtype.itemsize,) if like.dtype.itemsize > 1 else ()
    return lax.bitcast_convert_type(packed.reshape(*like.shape, *wide), like.dtype)
