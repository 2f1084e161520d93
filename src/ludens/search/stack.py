"""Stacks of many lanes, as a compiled search needs them: entries at each lane's own level, and moves taken off words.

Shapes: `R` levels, `L` lanes, `W` moves at a time.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.types import Array


class Node(NamedTuple):
    """One node per lane and level, everything `[R, L, ...]`."""

    state: Any
    """The position."""
    rest: tuple[Array, ...]
    """Legal moves that have not been expanded, as words `uint32[R, L]`."""
    moves: Array
    """Moves expanded in the last turn, `int32[R, L, W]`."""
    promise: Array
    """Value of the child behind each of them to this node's mover, `float32[R, L, W]`; -inf once it is searched."""
    lent: Array
    """Children that other lanes are searching, `int32[R, L]`."""
    best: Array
    """Best value so far to this node's mover, `float32[R, L]`."""
    alpha: Array
    """Values up to here do not matter to the mover: it has better elsewhere. `float32[R, L]`."""
    beta: Array
    """Values from here on do not matter: the opponent will avoid this node. `float32[R, L]`."""
    sign: Array
    """+1 if the same side moves in the node above, else -1, `float32[R, L]`."""


def next_moves(rest: tuple[Array, ...], actions: int, width: int) -> tuple[Array, tuple[Array, ...]]:
    """The first `W` moves in `rest` (words `uint32[L]`), `int32[L, W]` with `actions` for none, and what remains."""
    moves = []
    for _ in range(width):
        move, before, remaining = jnp.full(rest[0].shape, actions, jnp.int32), jnp.zeros(rest[0].shape, bool), []
        for i, word in enumerate(rest):
            here = ~before & (word != 0)
            lowest = word & (~word + 1)
            move = jnp.where(here, 32 * i + lax.population_count(lowest - 1).astype(jnp.int32), move)
            remaining.append(jnp.where(here, word ^ lowest, word))
            before = before | here
        moves.append(move)
        rest = tuple(remaining)
    return jnp.stack(moves, axis=1), rest


def first(flags: Array) -> Array:
    """Index of the first flag set in each row of `bool[L, W]`, `int32[L]`."""
    return jnp.where(flags, jnp.arange(flags.shape[1], dtype=jnp.int32), flags.shape[1]).min(axis=1)


def read(tree: Any, level: Array) -> Any:
    """Each lane's entry at its level, `[R, L, ...] -> [L, ...]`; a masked sum, since CPUs gather one by one."""

    def one(x: Array) -> Array:
        picked = jnp.where(_at(level, x), x, jnp.zeros((), x.dtype))
        return picked.any(axis=0) if x.dtype == bool else picked.sum(axis=0, dtype=x.dtype)

    return jax.tree.map(one, tree)


def write(tree: Any, level: Array, new: Any) -> Any:
    """Each lane's entry at its level replaced, `[R, L, ...]`; none where the level is -1."""

    def one(x: Array, y: Array) -> Array:
        return jnp.where(_at(level, x), y, x)

    return jax.tree.map(one, tree, new)


def _at(level: Array, x: Array) -> Array:
    """Where each lane is in `x` `[R, L, ...]`, with as many axes, `bool[R, L, 1, ...]`."""
    here = level == jnp.arange(x.shape[0])[:, None]
    return here.reshape(here.shape + (1,) * (x.ndim - 2))
