"""Replay: what was lived through lately, to be learned from again and again, in any order.

A ring of fixed length: once it is full, the newest takes the place of the oldest. The functions are pure, items are
pytrees, and many go in and come out at once.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.types import Array, Key


class Replay(NamedTuple):
    """The ring."""

    items: Any
    """The slots, a pytree with an axis `[capacity]` in front."""
    head: Array
    """Where the next item goes, `int32[]`."""
    size: Array
    """How many slots are filled, `int32[]`."""


def empty(item: Any, capacity: int) -> Replay:
    """A ring with room for `capacity` items like `item`, a pytree of arrays or of their shapes."""
    slots = jax.tree.map(lambda x: jnp.zeros((capacity, *x.shape), x.dtype), item)
    return Replay(slots, jnp.int32(0), jnp.int32(0))


def add(replay: Replay, items: Any, wanted: Array) -> Replay:
    """`replay` with those of the `items` `[M]` in it that are `wanted`, `bool[M]`, in their order."""
    capacity = jax.tree.leaves(replay.items)[0].shape[0]
    if len(wanted) > capacity:
        raise ValueError(f"{len(wanted)} items at once do not fit into a replay of {capacity}: expected a larger one")
    count = wanted.sum(dtype=jnp.int32)
    order = jnp.cumsum(wanted, dtype=jnp.int32) - 1
    slots = jnp.where(wanted, (replay.head + order) % capacity, capacity)  # `capacity` is no slot: dropped
    return Replay(
        jax.tree.map(lambda old, new: old.at[slots].set(new, mode="drop"), replay.items, items),
        (replay.head + count) % capacity,
        jnp.minimum(replay.size + count, capacity),
    )


def sample(replay: Replay, key: Key, n: int) -> Any:
    """`n` items drawn from the filled slots, each as likely as another and perhaps more than once: a pytree `[n]`.

    There must be one.
    """
    slots = jax.random.randint(key, (n,), 0, jnp.maximum(replay.size, 1))
    return jax.tree.map(lambda x: x[slots], replay.items)
