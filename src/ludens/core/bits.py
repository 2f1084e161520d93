"""Bit tricks that several games share, on pairs of 32-bit words.

A board of up to 64 squares is a `Bits` pair: square `i` is bit `i` of `lo` for `i < 32`, bit `i - 32` of `hi`
otherwise. Pairs need no 64-bit mode in JAX and vectorise as well as native 64-bit words do.
"""

from collections.abc import Sequence
from functools import cache, reduce
from operator import or_
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import ArrayLike

from ludens.core.types import Array


class Bits(NamedTuple):
    """A set of squares. Both words are `uint32[...]` of one shape."""

    lo: Array
    hi: Array

    def __and__(self, other: "Bits") -> "Bits":
        return Bits(self.lo & other.lo, self.hi & other.hi)

    def __or__(self, other: "Bits") -> "Bits":
        return Bits(self.lo | other.lo, self.hi | other.hi)

    def __xor__(self, other: "Bits") -> "Bits":
        return Bits(self.lo ^ other.lo, self.hi ^ other.hi)

    def __invert__(self) -> "Bits":
        return Bits(~self.lo, ~self.hi)

    def shift(self, by: int) -> "Bits":
        """Move every square up by `by` (down if negative), `0 < |by| < 32`; what leaves the 64 is lost."""
        lo, hi = self
        if by > 0:
            return Bits(lo << by, (hi << by) | (lo >> (32 - by)))
        return Bits((lo >> -by) | (hi << (32 + by)), hi >> -by)

    def any(self) -> Array:
        """Whether any square is set, `bool[...]`."""
        return (self.lo | self.hi) != 0

    def total(self) -> Array:
        """Number of squares set, `int32[...]`."""
        return (lax.population_count(self.lo) + lax.population_count(self.hi)).astype(jnp.int32)


def bits(value: int) -> Bits:
    """The pair for a Python integer of up to 64 bits."""
    return Bits(jnp.uint32(value & 0xFFFFFFFF), jnp.uint32(value >> 32))


def one_bit(square: Array) -> Bits:
    """The set with just `square` in it (empty if `square` is not in 0..63)."""
    square = jnp.asarray(square).astype(jnp.uint32)
    one = jnp.uint32(1)
    low = jnp.where(square < 32, one << (square & 31), 0).astype(jnp.uint32)
    high = jnp.where((square >= 32) & (square < 64), one << (square & 31), 0).astype(jnp.uint32)
    return Bits(low, high)


def to_int(board: Bits) -> int:
    """The Python integer for one concrete pair: the inverse of `bits`."""
    return int(board.lo) | int(board.hi) << 32


def spread(words: Sequence[Array], word: ArrayLike, bit: ArrayLike) -> Array:
    """Bit `bit` of word number `word`, as flags `bool[...]` of the shape of these two."""
    chosen = words[0]
    for i, candidate in enumerate(words[1:], start=1):
        chosen = jnp.where(word == i, candidate, chosen)
    return (chosen >> bit) & 1 != 0


def unpack(words: Sequence[Array], size: int) -> Array:
    """Spread words `uint32[]` over one flag per bit: `bool[size]`."""
    return planes((words,), size)[0]


def planes(boards: Sequence[Sequence[Array]], size: int) -> Array:
    """The first `size` bits of several boards of as many words each, `bool[len(boards), size]`.

    Three ways that differ in nothing but speed. On CPUs choosing words by a computed index vectorises, and loading the
    index or concatenating words is several times slower. On GPUs concatenating whole words is best, and for odd sizes
    the index from memory.
    """
    words = [word for board in boards for word in board[: -(-size // 32)]]
    elsewhere = _by_remembered_index if size % 32 else _by_whole_words
    flags: Array = lax.platform_dependent(
        *words,
        cpu=lambda *words: _by_computed_index(words, len(boards), size),
        default=lambda *words: elsewhere(words, len(boards), size),
    )
    return flags


def pack(mask: Array) -> tuple[Array, ...]:
    """Gather flags `bool[size]` into words `uint32[]`, 32 flags each: the inverse of `unpack`.

    On GPUs one long expression is best; on CPUs four flags at a time.
    """
    words: tuple[Array, ...] = lax.platform_dependent(mask, cpu=_by_fours, default=_by_single_flags)
    return words


@cache
def square_symmetries(side: int) -> np.ndarray:
    """Where each square of a board goes when it is turned and mirrored, `int32[8, side * side]`; 0 leaves it alone."""
    squares = np.arange(side**2).reshape(side, side)
    turned = [np.rot90(board, k) for board in (squares, squares.T) for k in range(4)]
    return np.stack([board.reshape(-1).argsort() for board in turned]).astype(np.int32)


def nth_set_bit(words: tuple[Array, ...], n: Array) -> Array:
    """Index of the `n`-th set bit (from 0) over all words, `int32[]`; 0 if there are not that many.

    Halving popcounts: six small steps instead of a prefix sum as wide as the mask.
    """
    n = n.astype(jnp.uint32)
    word, base, rest = jnp.zeros_like(words[0]), jnp.uint32(0), n
    found = jnp.bool_(False)
    for i, candidate in enumerate(words):
        size = lax.population_count(candidate)
        here = ~found & (rest < size)
        word = jnp.where(here, candidate, word)
        base = jnp.where(here, jnp.uint32(32 * i), base)
        found = found | here
        rest = jnp.where(found, rest, rest - size)
    for width in (16, 8, 4, 2, 1):
        low = word & jnp.uint32((1 << width) - 1)
        size = lax.population_count(low)
        above = rest >= size
        rest = jnp.where(above, rest - size, rest)
        word = jnp.where(above, word >> width, low)
        base = jnp.where(above, base + width, base)
    return jnp.where(found, base, 0).astype(jnp.int32)


def _by_computed_index(words: Sequence[Array], boards: int, size: int) -> Array:
    # Always plus 0, which XLA does not see: it would compute the index once before a loop and load it in each turn.
    nothing = (words[0] >> 16) >> 16
    return _by_index(words, boards, size, jnp.arange(boards * size, dtype=jnp.uint32) + nothing)


def _by_remembered_index(words: Sequence[Array], boards: int, size: int) -> Array:
    return _by_index(words, boards, size, np.arange(boards * size, dtype=np.uint32))


def _by_index(words: Sequence[Array], boards: int, size: int, index: Any) -> Array:
    """`bool[boards, size]`, flag `index` of all being bit `index % size` of its board."""
    square = index % size
    wide = len(words) // boards
    return spread(words, index // size * wide + square // 32, square % 32).reshape(boards, size)


def _by_whole_words(words: Sequence[Array], boards: int, size: int) -> Array:
    """For sizes that are a multiple of 32."""
    flags = [(word >> jnp.arange(32, dtype=jnp.uint32)) & 1 != 0 for word in words]
    return jnp.concatenate(flags).reshape(boards, size)


def _by_fours(mask: Array) -> tuple[Array, ...]:
    """Four flags are read as one word, whose bits a multiplication moves side by side; a rest flag by flag."""
    words = []
    for start in range(0, mask.shape[-1], 32):
        part = mask[start : start + 32]
        if part.size == 32:
            fours = lax.bitcast_convert_type(part.astype(jnp.uint8).reshape(8, 4), jnp.uint32)
            part, width = (fours * jnp.uint32(0x10204080)) >> 28, 4
        else:
            part, width = part.astype(jnp.uint32), 1
        words.append((part << (width * jnp.arange(part.size, dtype=jnp.uint32))).sum(dtype=jnp.uint32))
    return tuple(words)


def _by_single_flags(mask: Array) -> tuple[Array, ...]:
    size = mask.shape[-1]
    flags = [mask[i].astype(jnp.uint32) << (i % 32) for i in range(size)]
    return tuple(reduce(or_, flags[start : start + 32]) for start in range(0, size, 32))
