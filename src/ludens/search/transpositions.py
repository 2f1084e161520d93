"""A table of positions met before, and how a compiled loop reads and changes what it holds in place.

An entry is four words: both of the position's hash; its best move, what kind of value it has and how many plies deep it
was searched; and the value. Whatever is written last to a slot stays there.

Shapes: `T` slots.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.types import Array

SLOTS = 1 << 20
"""T, 16 bytes each."""
EXACT, LOWER, UPPER = 1, 2, 3
"""What the value of an entry is: the position's, or a bound of it."""


class Entry(NamedTuple):
    """What the table says of a position."""

    met: Array
    """Whether it says anything, `bool[]`."""
    choice: Array
    """The best move, `int32[]`."""
    kind: Array
    depth: Array
    """Plies, `int32[]`."""
    value: Array
    """To the side to move, `float32[]`."""

    def decides(self, alpha: Array, beta: Array) -> Array:
        """Whether no search with this window could say more, `bool[]`, if the depth is right."""
        above, below = (self.kind == LOWER) & (self.value >= beta), (self.kind == UPPER) & (self.value <= alpha)
        return self.met & ((self.kind == EXACT) | above | below)


def empty(slots: int) -> Array:
    """`uint32[T + 1, 4]`; the last slot is nobody's."""
    return jnp.zeros((slots + 1, 4), jnp.uint32)


def look_up(table: Array, hash: Array) -> Entry:
    """The entry of the position with this hash, `uint32[2]`."""
    words = get(table, _slot(table, hash))
    packed = words[2].astype(jnp.int32)
    met = (words[0] == hash[0]) & (words[1] == hash[1])
    value = lax.bitcast_convert_type(words[3], jnp.float32)
    return Entry(met, packed & 0xFFFF, packed >> 16 & 3, packed >> 20, value)


def written(table: Array, wanted: Array, hash: Array, entry: Entry) -> Array:
    """The table with this entry, if it is `wanted`."""
    packed = (entry.choice | entry.kind << 16 | entry.depth << 20).astype(jnp.uint32)
    words = jnp.stack([hash[0], hash[1], packed, lax.bitcast_convert_type(entry.value, jnp.uint32)])
    return put(table, words, jnp.where(wanted, _slot(table, hash), table.shape[0] - 1))


def _slot(table: Array, hash: Array) -> Array:
    return (hash[0] % (table.shape[0] - 1)).astype(jnp.int32)


def hash_of(state: Any) -> Array:
    """Two words that tell positions apart, `uint32[2]`."""
    words = [word for leaf in jax.tree.leaves(state) for word in _words(leaf)]
    first, second = jnp.uint32(0x9E3779B9), jnp.uint32(0x85EBCA6B)
    for word in words:
        first = (first ^ word) * jnp.uint32(0xCC9E2D51)
        first = first ^ (first >> 15)
        second = (second + word) * jnp.uint32(0x1B873593)
        second = second ^ (second >> 13)
    return jnp.stack([first * jnp.uint32(0x27D4EB2F) ^ second >> 7, second])


def _words(leaf: Array) -> list[Array]:
    flat = jnp.ravel(leaf)
    if flat.dtype == jnp.float32:
        flat = lax.bitcast_convert_type(flat, jnp.uint32)
    return list(flat.astype(jnp.uint32))


def get(x: Array, *index: Array) -> Array:
    """`x[*index]`, by the operation that a loop can do in place."""
    rest = x.shape[len(index) :]
    start = (*index, *([jnp.int32(0)] * len(rest)))
    return lax.dynamic_slice(x, start, (1,) * len(index) + rest).reshape(rest)


def put(x: Array, y: Array, *index: Array) -> Array:
    """`x` with `y` at this index."""
    rest = x.shape[len(index) :]
    start = (*index, *([jnp.int32(0)] * len(rest)))
    return lax.dynamic_update_slice(x, y.reshape((1,) * len(index) + rest), start)


def just_above(x: Array) -> Array:
    """The next larger number; around 0 one that is not flushed to 0."""
    tiny = 2 * float(np.finfo(np.float32).tiny)
    return jnp.where(jnp.abs(x) < tiny, tiny, jnp.nextafter(x, jnp.inf))


def sortable(x: Array) -> Array:
    """Integers in the order of these numbers, `float32[...] -> int32[...]`."""
    i = lax.bitcast_convert_type(x, jnp.int32)
    return i ^ ((i >> 31) & np.int32(0x7FFFFFFF))
