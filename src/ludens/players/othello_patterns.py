"""Othello by patterns: what a position is worth is a sum of table entries, one for each pattern on the board.

The patterns are those of Logistello (Buro 1998): edges with the two X squares beside them, corners of 3x3 and 2x5
squares, rows and columns, and diagonals of four squares or more. A pattern's squares, each empty, own or the
opponent's, are the digits of a number in base 3: its entry in the pattern's table. Patterns that turning or mirroring
the board makes of each other share a table, and so do the two ways to read a pattern that is its own mirror image. Two
more entries are found by the number of discs on the board and by the number of moves.

A value is the lead in discs with which the side to move will end. Entries are in 1/256 of a disc.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import jax.numpy as jnp
import numpy as np

from ludens.core.bits import Bits
from ludens.core.types import Array
from ludens.games.othello import Othello, State
from ludens.players.agent import LearnedEvaluator
from ludens.players.othello import Discs
from ludens.players.pattern_tables import PatternTables

SCALE = 10.0
"""A lead in discs that decides most games."""
MOST_LEAD = 64.0
ERROR = (1.2, 0.05, 0.04)
"""How wrong a shallow search is about a deep one with the tables that ship, in discs; `benchmarks/prediction.py`."""
EMPTY = -1  # in place of a square where a pattern has fewer than the longest
MOST_MOVES = 32  # no position that was ever seen has more


class Patterns(NamedTuple):
    """The patterns of a board, `I` of them with up to `K` squares, and where in a phase's tables theirs begins."""

    squares: Any  # `int[I, K]`, the most significant digit first, filled up with `EMPTY` in front
    mirrored: Any  # the same in the order of the mirror image, `int[I, K]`
    offsets: Any  # `int[I]`
    discs: int  # where the entries for the number of discs begin
    moves: int  # and for the number of moves
    entries: int  # of a phase


@lru_cache(maxsize=8)
def patterns(size: int) -> Patterns:
    """The patterns of a board of so many squares a side."""
    grid = np.arange(size**2).reshape(size, size)
    ways = [np.rot90(each, turns).ravel() for each in (grid, grid.T) for turns in range(4)]
    orders: list[tuple[int, list[tuple[int, ...]]]] = []  # of every pattern: offset, and all ways to read its squares
    offset = 0
    for shape in _shapes(size):
        found: dict[frozenset[int], list[tuple[int, ...]]] = {}
        for way in ways:
            image = tuple(int(way[square]) for square in shape)
            known = found.setdefault(frozenset(image), [])
            if image not in known:
                known.append(image)
        orders += [(offset, each) for each in found.values()]
        offset += 3 ** len(shape)
    longest = max(len(each[0]) for _, each in orders)

    def table(which: int) -> Any:
        return np.array([(EMPTY,) * (longest - len(each[0])) + each[which] for _, each in orders])

    discs, moves = offset, offset + size**2 + 1
    offsets = np.array([offset for offset, _ in orders], np.int32)
    return Patterns(table(0), table(-1), offsets, discs, moves, moves + MOST_MOVES + 1)


def _shapes(size: int) -> list[list[int]]:
    """One pattern of each kind, as squares."""

    def block(rows: int, columns: int) -> list[int]:
        return [row * size + column for row in range(rows) for column in range(columns)]

    edge = [*range(size), size + 1, 2 * size - 2]
    rows = [[row * size + column for column in range(size)] for row in range(1, size // 2)]
    diagonals = [[row * size + row + start for row in range(size - start)] for start in range(size - 3)]
    return [edge, *rows, *diagonals, block(3, 3), block(2, min(5, size))]


class Board(NamedTuple):
    """What tables are read by; words `uint32`, all of one shape."""

    own: Bits
    opponent: Bits
    moves: Bits


class LeadEvaluator(LearnedEvaluator[State]):
    """The lead in discs with which the side to move will end."""

    win: ClassVar[float] = 100.0
    scale: ClassVar[float | None] = SCALE
    predicts: ClassVar[bool] = True

    def value(self, params: Array, s: State) -> Array:
        return jnp.clip(OthelloTables(self.game).worth(params, s), -MOST_LEAD, MOST_LEAD)

    def error(self, s: State, shallow: Array, deep: Array) -> Array:
        """It grows as the game goes on."""
        start, disc, ply = ERROR
        return (start + disc * (s.own | s.opponent).total()) * (1.0 + ply * (deep - 2 * shallow))


@dataclass(frozen=True)
class OthelloTables(PatternTables[State]):
    evaluator: ClassVar[type[LearnedEvaluator[State]]] = LeadEvaluator
    unit: ClassVar[int] = 256
    largest_error: ClassVar[int] = 64
    meetings: ClassVar[int] = 4

    @property
    def size(self) -> int:
        assert isinstance(self.game, Othello)
        return self.game.size

    @property
    def entries_of_a_phase(self) -> int:
        return patterns(self.size).entries

    def board(self, s: State) -> Board:
        return Board(s.own, s.opponent, s.moves)

    def entries(self, phases: int, boards: Board, *, mirrored: bool = False) -> Array:
        known = patterns(self.size)
        squares = known.mirrored if mirrored else known.squares
        # Along the batch, which vectorises; constants are columns, so that few operations are compiled for all of them.
        index = jnp.zeros((len(squares), 1), jnp.uint32)
        for column in squares.T[:, :, None]:
            high, shift = column >= 32, (column % 32).astype(np.uint32)
            some = (column != EMPTY).astype(np.uint32)
            own = jnp.where(high, boards.own.hi, boards.own.lo) >> shift & some
            opponent = jnp.where(high, boards.opponent.hi, boards.opponent.lo) >> shift & some
            index = index * 3 + own + 2 * opponent
        number, moves = (boards.own | boards.opponent).total(), jnp.minimum(boards.moves.total(), MOST_MOVES)
        counts = jnp.stack([number + known.discs, moves + known.moves])
        phase = (number - 4) * phases // (self.size**2 - 3)
        return jnp.concatenate([index.astype(jnp.int32) + known.offsets[:, None], counts]) + phase * known.entries

    def plies(self, s: State) -> Array:
        return (s.own | s.opponent).total() - 4

    def value(self, total: Array) -> Array:
        return total

    def outcome(self, s: State) -> Array:
        return Discs(self.game).outcome(s)

    def result(self, value: Array) -> Array:
        return jnp.tanh(value / SCALE)
