"""The last decision of each seat until its next one: how learners come by transitions in games of several seats.

A transition of a seat goes from a decision of its own to the next one, or to the end of the game, and what the others
do in between is part of the world. Until then the decision is pending, and what the seat is paid adds up.

Shapes: `B` games, `P` seats. Where only one seat of each game learns, nothing has an axis `P`.
"""

from functools import reduce
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from ludens.core.types import Array

T = TypeVar("T")


class Played(NamedTuple):
    """A decision: what the seat saw and what it did."""

    x: Any
    action: Array  # `int32`; -1 before the seat's first decision


class Pending(NamedTuple):
    """What was decided last, and what it has brought so far."""

    decision: Any  # a pytree `[B, P, ...]`, such as `Played`
    reward: Array  # what the seat was paid since, `float32[B, P]`

    def follow(self, decides: Array, decision: Any, reward: Array) -> "Pending":
        """After a move in each game: a new `decision` (`[B, ...]`) where the seat `decides` (`bool[B, P]`).

        `reward` (`float32[B, P]`) is what the move paid every seat.
        """
        return Pending(put(decides, decision, self.decision), jnp.where(decides, 0, self.reward) + reward)


def of_seat(mask: Array, tree: T) -> T:
    """`[B, ...]` of a pytree `[B, P, ...]`: what belongs to the one seat that is set in `mask` (`bool[B, P]`)."""

    def one(each: Array) -> Array:
        seats = range(1, each.shape[1])
        return reduce(
            lambda found, seat: jnp.where(_like(mask[:, seat], found), each[:, seat], found), seats, each[:, 0]
        )

    found: T = jax.tree.map(one, tree)
    return found


def put(mask: Array, new: T, old: T) -> T:
    """`old` (`[B, P, ...]` or `[B, ...]`) with `new` (`[B, ...]`) where `mask` (`bool[B, P]` or `bool[B]`) is set."""

    def one(new: Array, old: Array) -> Array:
        return jnp.where(_like(mask, old), new[:, None] if mask.ndim == 2 else new, old)

    kept: T = jax.tree.map(one, new, old)
    return kept


def closed(before: T, last: T) -> T:
    """Side by side, `[B (1 + P)]`: transitions that a move closes, `[B]`, and that the game's end does, `[B, P]`."""
    both: T = jax.tree.map(lambda a, b: jnp.concatenate([a, b.reshape(-1, *a.shape[1:])]), before, last)
    return both


def _like(mask: Array, each: Array) -> Array:
    """`mask` with as many axes as `each`."""
    return mask.reshape(mask.shape + (1,) * (each.ndim - mask.ndim))
