"""Replay: what was lived through lately, to be learned from again and again, in any order.

A ring of fixed length: once it is full, the newest takes the place of the oldest. The functions are pure, items are
pytrees, and many go in and come out at once.

In a **prioritized** replay (Schaul et al. 2016) each item is `Ranked`: it has a priority, commonly the size of the
temporal-difference error that it was met with. Items come out by `top`, the highest priorities, or by `draw`, at
random with the probabilities and importance weights

    P(i) = p_i^alpha / sum_k p_k^alpha          w_i = (N P(i))^-beta / max_j w_j

where N items are stored and j goes over what was drawn. Both give slots, so that `renew` can set new priorities.
What depends on the priorities alone, `lots`, can be prepared once for many draws.

No function ever gives an empty slot, provided that there is an item at all.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.types import Array, Key

LOTS = 2**30  # into how many equal lots a draw by priorities is divided; whole numbers add up without any rounding
TINY = 2.0**-126  # smaller priorities count as 0: devices differ in what they make of such numbers


class Replay(NamedTuple):
    items: Any  # the slots, a pytree with an axis `[capacity]` in front
    head: Array  # where the next item goes, `int32[]`
    size: Array  # how many slots are filled, `int32[]`: always the first ones


class Ranked(NamedTuple):
    item: Any
    priority: Array  # how important it is, `float32[]`, 0 or more


class Sampled(NamedTuple):
    slots: Array  # `int32[n]`
    weights: Array  # their importance, `float32[n]`: 1 for the least likely of them, less for the others


def empty(item: Any, capacity: int) -> Replay:
    """A ring with room for `capacity` items like `item`, a pytree of arrays or of their shapes."""
    slots = jax.tree.map(lambda x: jnp.zeros((capacity, *x.shape), x.dtype), item)
    return Replay(slots, jnp.int32(0), jnp.int32(0))


def add(replay: Replay, items: Any, wanted: Array) -> Replay:
    """`replay` with those of the `items` `[M]` in it that are `wanted`, `bool[M]`, in their order."""
    capacity = _capacity(replay)
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


def take(replay: Replay, slots: Array) -> Any:
    """The items in `slots` `int32[n]`: a pytree `[n]`."""
    return jax.tree.map(lambda x: x[slots], replay.items)


def sample(replay: Replay, key: Key, n: int) -> Any:
    """`n` items drawn from the filled slots, each as likely as another and perhaps more than once: a pytree `[n]`.

    There must be one.
    """
    return take(replay, jax.random.randint(key, (n,), 0, jnp.maximum(replay.size, 1)))


# ---------------------------------------------------------------------- by priority


def top(replay: Replay, n: int) -> Array:
    """The `n` slots with the highest priorities, highest first and of equal ones the lower slot: `int32[n]`.

    Where fewer are filled, those are given over and over, from the first. There must be one.
    """
    most = min(n, _capacity(replay))
    order = lax.top_k(jnp.where(_filled(replay), replay.items.priority, -jnp.inf), most)[1]
    return order[jnp.arange(n) % jnp.clip(replay.size, 1, most)].astype(jnp.int32)


def lots(replay: Replay, alpha: float) -> Array:
    """How many lots all slots up to each have between them, `int32[capacity]`: a slot has P(i) of them.

    One without priority has none, unless all are without; one with the least priority has one at least.
    """
    filled = _filled(replay)
    priority = jnp.where(filled & (replay.items.priority >= TINY), replay.items.priority, 0.0)
    most = priority.max()
    # In units of the largest: otherwise powers of small or large numbers could leave the range of a float.
    share = jnp.where(filled, jnp.where(most > 0, priority / jnp.maximum(most, TINY), 1.0) ** alpha, 0.0)
    number = jnp.round(share * (LOTS / jnp.maximum(share.sum(), 1.0))).astype(jnp.int32)
    return jnp.cumsum(jnp.where((share > 0) | (priority > 0), jnp.maximum(number, 1), 0), dtype=jnp.int32)


def draw(ends: Array, size: Array, key: Key, n: int, *, beta: float) -> Sampled:
    """`n` of `size` (`int32[]`) filled slots, drawn by the `lots` that end at `ends`."""
    total = ends[-1]
    lot = jax.random.randint(key, (n,), 0, jnp.maximum(total, 1))
    slots = jnp.searchsorted(ends, lot, side="right").astype(jnp.int32)
    own = ends[slots] - jnp.where(slots > 0, ends[jnp.maximum(slots - 1, 0)], 0)
    return Sampled(slots, importance_weights(own / total, size, beta))


def importance_weights(probs: Array, size: Array, beta: float) -> Array:
    """w_i = (N P(i))^-beta / max_j w_j, of what was drawn with `probs` (`float32[n]`) from N = `size`: `float32[n]`."""
    weights = (size * probs) ** -beta
    return weights / weights.max()


def renew(replay: Replay, slots: Array, priorities: Array) -> Replay:
    """`replay` with new `priorities` `float32[n]` in `slots` `int32[n]`; equal slots must have equal ones."""
    return replay._replace(items=replay.items._replace(priority=replay.items.priority.at[slots].set(priorities)))


def _capacity(replay: Replay) -> int:
    return int(jax.tree.leaves(replay.items)[0].shape[0])


def _filled(replay: Replay) -> Array:
    """Which slots are filled, `bool[capacity]`."""
    return jnp.arange(_capacity(replay)) < replay.size
