"""Tables of patterns (n-tuples): what a position is worth is a sum of table entries, and a game says which.

Every phase of the game has tables of its own. Entries are whole numbers: half as much memory to read as floats, and
sums that are the same in every order, so that a position and its mirror images are worth the same to the last bit.

Shapes: `N` positions, `I` entries that make a value, `P` phases of `E` entries.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Generic

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap

from ludens.core.batching import apart
from ludens.core.game import Game, S
from ludens.core.types import Array
from ludens.players.agent import LearnedEvaluator


@dataclass(frozen=True)
class PatternTables(ABC, Generic[S]):
    """Which entries of which tables belong to a position of a game, and what their sum says."""

    evaluator: ClassVar[type[LearnedEvaluator[Any]]] = LearnedEvaluator
    """Who judges by them in a search."""
    unit: ClassVar[int]
    """Entries are in 1 / unit of what they add up to."""
    largest_error: ClassVar[int]
    """By which a value can differ from what it should be."""
    meetings: ClassVar[int]
    """How often one entry can be met on one board and its mirror image, at most."""

    game: Game[S]

    @property
    @abstractmethod
    def entries_of_a_phase(self) -> int:
        """E."""

    @abstractmethod
    def board(self, s: S) -> Any:
        """What tables are read by: a pytree of numbers `[]`, the first of them not 0."""

    @abstractmethod
    def entries(self, phases: int, boards: Any, *, mirrored: bool = False) -> Array:
        """Which entries of all tables (`[P E]`) belong to boards `[N]`, `int32[I, N]`.

        With `mirrored`, those of their mirror images, which learning keeps equal to them.
        """

    @abstractmethod
    def plies(self, s: S) -> Array:
        """How many plies have been played, as far as the board shows it, `int32[]`."""

    @abstractmethod
    def value(self, total: Array) -> Array:
        """What a sum of entries (in units of 1) says of an open position, to its side to move; of the same shape."""

    @abstractmethod
    def outcome(self, s: S) -> Array:
        """What a finished game is worth to the side that would be to move, as `value` has it, `float32[]`."""

    @abstractmethod
    def result(self, value: Array) -> Array:
        """What a value says of the result, from -1 (lost) to 1 (won)."""

    def worth(self, tables: Array, s: S) -> Array:
        """What an open position is worth by `tables` (`int16[P, E]`) to the side to move, `float32[]`."""
        units: Array = _reader(self)(tables, self.board(s))
        return self.value(units.astype(jnp.float32) / self.unit)


def total(tables: Array, index: Array) -> Array:
    """The sums of entries `index` (`int32[I, N]`) of `tables` (`int16[P, E]`), `int32[N]`.

    On a CPU a few rows at a time: reading all of them as one operation is ten times as slow.
    """

    def read(flat: Array, index: Array) -> Array:
        return flat.at[index].get(mode="promise_in_bounds").astype(jnp.int32)

    def row_by_row(flat: Array, index: Array) -> Array:
        nothing = jnp.zeros(index.shape[1], jnp.int32)
        summed: Array = lax.scan(lambda sum, row: (sum + read(flat, row), None), nothing, index, unroll=8)[0]
        return summed

    sums: Array = lax.platform_dependent(
        tables.reshape(-1), index, cpu=row_by_row, default=lambda flat, index: read(flat, index).sum(axis=0)
    )
    return sums


@lru_cache(maxsize=8)
def _reader(known: PatternTables[Any]) -> Callable[[Array, Any], Array]:
    """From tables and a board to the sum of its entries, `int32[]`; batches are read with the batch as last axis."""

    def several(tables: Array, boards: Any) -> Array:
        return total(tables, known.entries(len(tables), boards))

    def single(tables: Array, one: Any) -> Array:
        return several(tables, jax.tree.map(lambda x: x[None], one))[0]

    read = custom_vmap(single)

    @read.def_vmap
    def batched(axis_size: int, in_batched: list[Any], tables: Array, boards: Any) -> tuple[Array, bool]:
        boards = jax.tree.map(
            lambda x, batched: x if batched else jnp.broadcast_to(x, (axis_size, *x.shape)), boards, in_batched[1]
        )
        if in_batched[0]:  # as many tables as boards
            return jax.vmap(single)(tables, boards), True
        # Apart, or a CPU would work the boards out again for every pattern.
        some = jnp.stack([leaf.any() for leaf in jax.tree.leaves(boards)]).any()
        return apart(some, several, tables, boards), True

    return read
