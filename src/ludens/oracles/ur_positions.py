"""Positions of Ur as numbers without gaps: 137,870,097 of them with seven pieces, each before its throw.

Pieces that are home stay there, so a game passes from one *stage* to the next: a stage is how many pieces the side that
is further, called A, has home, and how many the other, B, has. With as many home either side may be called A. Within a
stage a position is who stands on the eight shared squares, then where A's other pieces stand, then where B's do; and
who is to move. Shared rows with as many pieces of each side lie together, and the sets of private squares are in order
of their size: however many pieces are left to stand there, the sets that are possible are the first of the 64.

    number = start of the stage + (A to move: 0, B to move: size of the stage) + place within the stage
    place  = start of the shared row + (number of A's private set) * (sets B may have) + (number of B's private set)

With as many pieces home the mover is A: the other half would say the same again.
"""

from functools import cache
from math import comb
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from ludens.core.types import Array

PRIVATE, ROW = 6, 8
"""Squares of a side that the other never enters, and squares that both walk."""


class Layout(NamedTuple):
    """Where the positions with so many pieces a side are."""

    stage: np.ndarray
    """The number of the first position of a stage, `int32[pieces, pieces]`, for A's and B's pieces home; 0 if A < B."""
    size: np.ndarray
    """Places of a stage, `int32[pieces, pieces]`; it has a position for each with either side to move, unless A = B."""
    row: np.ndarray
    """The place of the first shared row with so many pieces of A and B, `int32[pieces, pieces, 9, 9]`."""
    sets: np.ndarray
    """Private sets of at most so many pieces, `int32[pieces + 1]`."""
    positions: int
    """How many there are in all."""


@cache
def layout(pieces: int) -> Layout:
    sets = np.cumsum([comb(PRIVATE, k) for k in range(pieces + 1)]).astype(np.int32)
    row = np.zeros((pieces, pieces, ROW + 1, ROW + 1), np.int32)
    stage, size = (np.zeros((pieces, pieces), np.int32) for _ in range(2))
    positions = 0
    for a in range(pieces):
        for b in range(a + 1):
            for u, v in _counts(pieces - a, pieces - b):
                row[a, b, u, v] = size[a, b]
                size[a, b] += comb(ROW, u) * comb(ROW - u, v) * sets[pieces - a - u] * sets[pieces - b - v]
            stage[a, b] = positions
            positions += int(size[a, b]) * (1 if a == b else 2)
    return Layout(stage, size, row, sets, positions)


def _counts(left_a: int, left_b: int) -> list[tuple[int, int]]:
    """How many pieces of A and B may stand on the shared row."""
    return [(u, v) for u in range(min(ROW, left_a) + 1) for v in range(min(ROW - u, left_b) + 1)]


@cache
def private_rank() -> np.ndarray:
    """The number of a set of private squares, fewest pieces first, by its bits (squares 1-4, 13, 14), `int32[64]`."""
    order = np.argsort(np.bitwise_count(np.arange(1 << PRIVATE)), kind="stable")
    return np.argsort(order).astype(np.int32)


@cache
def row_rank() -> np.ndarray:
    """The number of a shared row among those with as many pieces of each side, by A's eight bits and then B's,
    `int32[2^16]`; 0 where both would stand on one square."""
    bits = np.arange(1 << 2 * ROW)
    a, b = bits >> ROW, bits & 0xFF
    group = np.where(a & b, -1, np.bitwise_count(a).astype(np.int32) * (ROW + 1) + np.bitwise_count(b))
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], group)
    rank = np.empty(bits.size, np.int32)
    rank[order] = np.arange(bits.size)
    return np.where(a & b, 0, rank - first).astype(np.int32)


def split(board: Array) -> tuple[Array, Array]:
    """A side's pieces (`uint32`, bit `i` for square `i`) on the shared row, `int32`, and on its private squares."""
    private = (board >> 1) & 0xF | (board >> 13 & 3) << 4
    return (board >> 5 & 0xFF).astype(jnp.int32), private.astype(jnp.int32)


class Rows(NamedTuple):
    """What finds a place within one stage."""

    start: np.ndarray
    """The place of the first position with a shared row, by A's eight bits and then B's, `int32[2^16]`."""
    sets: np.ndarray
    """Private sets B may have beside its shared squares, by its eight bits, `int32[2^8]`."""


def rows(pieces: int, a: int, b: int) -> Rows:
    """For the stage with `a` and `b` pieces home; what cannot be is 0. Stages beyond the end have nothing."""
    bits = np.arange(1 << ROW)
    if max(a, b) >= pieces:
        return Rows(np.zeros(1 << 2 * ROW, np.int32), np.zeros(1 << ROW, np.int32))
    where, count = layout(pieces), np.bitwise_count(bits).astype(np.int32)
    sets_a, sets_b = (np.where(count <= pieces - h, where.sets[np.maximum(pieces - h - count, 0)], 0) for h in (a, b))
    of_a, of_b = np.repeat(bits, 1 << ROW), np.tile(bits, 1 << ROW)
    possible = (of_a & of_b == 0) & (sets_a[of_a] > 0) & (sets_b[of_b] > 0)
    start = where.row[a, b, count[of_a], count[of_b]] + row_rank() * sets_a[of_a] * sets_b[of_b]
    return Rows(np.where(possible, start, 0).astype(np.int32), sets_b.astype(np.int32))


def place(of: Rows, board_a: Array, board_b: Array) -> Array:
    """Where a position stands in its stage, `int32`."""
    (row_a, private_a), (row_b, private_b) = split(board_a), split(board_b)
    rank = jnp.asarray(private_rank())
    at: Array = jnp.asarray(of.start)[row_a << ROW | row_b] + rank[private_a] * jnp.asarray(of.sets)[row_b]
    return at + rank[private_b]


def number(pieces: int, own: Array, other: Array, own_home: Array, other_home: Array) -> Array:
    """The number of a position as the side to move sees it, `int32`; the game must be on."""
    where = layout(pieces)
    ahead = own_home >= other_home
    board_a, board_b = jnp.where(ahead, own, other), jnp.where(ahead, other, own)
    a, b = jnp.maximum(own_home, other_home), jnp.minimum(own_home, other_home)
    (row_a, private_a), (row_b, private_b) = split(board_a), split(board_b)
    u, v = (jnp.asarray(np.bitwise_count(np.arange(1 << ROW)).astype(np.int32))[row] for row in (row_a, row_b))
    sets_a, sets_b = (jnp.asarray(where.sets)[pieces - home - on] for home, on in ((a, u), (b, v)))
    rank = jnp.asarray(private_rank())
    row = jnp.asarray(where.row)[a, b, u, v] + jnp.asarray(row_rank())[row_a << ROW | row_b] * sets_a * sets_b
    start = jnp.asarray(where.stage)[a, b] + jnp.where(ahead, 0, jnp.asarray(where.size)[a, b])
    return start + row + rank[private_a] * sets_b + rank[private_b]


def boards(pieces: int, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """A's and B's squares by place in a stage, `uint16[size]` each, bit `i` for square `i`."""
    spread = np.argsort(private_rank())  # the bits of each private set, by its number
    spread = ((spread & 0xF) << 1 | (spread >> 4) << 13).astype(np.uint16)
    bits = np.arange(1 << 2 * ROW)
    row_a, row_b = bits >> ROW, bits & 0xFF
    counts = np.where(row_a & row_b, -1, np.bitwise_count(row_a).astype(np.int32) * (ROW + 1) + np.bitwise_count(row_b))
    of_a, of_b = [], []
    for u, v in _counts(pieces - a, pieces - b):
        some = np.flatnonzero(counts == u * (ROW + 1) + v)
        sets_a, sets_b = (spread[: layout(pieces).sets[left]] for left in (pieces - a - u, pieces - b - v))
        shape = (len(some), len(sets_a), len(sets_b))
        shared_a, shared_b = ((row[some] << 5).astype(np.uint16)[:, None, None] for row in (row_a, row_b))
        of_a.append(np.broadcast_to(shared_a | sets_a[:, None], shape).ravel())
        of_b.append(np.broadcast_to(shared_b | sets_b, shape).ravel())
    return np.concatenate(of_a), np.concatenate(of_b)
