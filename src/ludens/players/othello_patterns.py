"""Othello by patterns: what a position is worth is a sum of table entries, one for each pattern on the board.

The patterns are those of Logistello (Buro 1998): edges with the two X squares beside them, corners of 3x3 and 2x5
squares, rows and columns, and diagonals of four squares or more. A pattern's squares, each empty, own or the
opponent's, are the digits of a number in base 3: its entry in the pattern's table. Patterns that turning or mirroring
the board makes of each other share a table, and so do the two ways to read a pattern that is its own mirror image. Two
more entries are found by the number of discs on the board and by the number of moves.

Every phase of the game has tables of its own. Entries are in 1/256 of a disc, whole numbers: half as much memory to
read as floats, and sums that are the same in every order, so that a position and its mirror images are worth the same
to the last bit.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_batching import custom_vmap

from ludens.core.batching import apart
from ludens.core.bits import Bits
from ludens.core.game import Game, sign
from ludens.core.player import Decision, best
from ludens.core.types import Array, Key
from ludens.games.othello import Othello, State
from ludens.players.agent import Agent, LearnedEvaluator
from ludens.players.lookahead import Worth, after_each
from ludens.players.othello import Discs

UNIT = 256
"""Entries of a table that make one disc."""
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


def board(s: State) -> Board:
    return Board(s.own, s.opponent, s.moves)


def discs(s: State) -> Array:
    """How many lie on the board, `int32[]`."""
    return (s.own | s.opponent).total()


def entries(game: Game[Any], phases: int, boards: Board, *, mirrored: bool = False) -> Array:
    """Which entries of all tables (`[P E]`) belong to boards `[N]`, `int32[I + 2, N]`.

    With `mirrored`, those of the patterns' mirror images, which are kept equal to them.
    """
    size = _size(game)
    known = patterns(size)
    squares = known.mirrored if mirrored else known.squares
    # Along the batch, which vectorises; constants are columns, so that few operations are compiled for all patterns.
    index = jnp.zeros((len(squares), 1), jnp.uint32)
    for column in squares.T[:, :, None]:
        high, shift = column >= 32, (column % 32).astype(np.uint32)
        some = (column != EMPTY).astype(np.uint32)
        own = jnp.where(high, boards.own.hi, boards.own.lo) >> shift & some
        opponent = jnp.where(high, boards.opponent.hi, boards.opponent.lo) >> shift & some
        index = index * 3 + own + 2 * opponent
    number, moves = (boards.own | boards.opponent).total(), jnp.minimum(boards.moves.total(), MOST_MOVES)
    counts = jnp.stack([number + known.discs, moves + known.moves])
    phase = (number - 4) * phases // (size**2 - 3)
    return jnp.concatenate([index.astype(jnp.int32) + known.offsets[:, None], counts]) + phase * known.entries


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


def lead(game: Game[Any], tables: Array, s: State) -> Array:
    """The lead in discs with which the side to move will end, as `tables` (`int16[P, E]`) have it, `float32[]`."""
    units: Array = _reader(game)(tables, board(s))
    return units.astype(jnp.float32) / UNIT


@lru_cache(maxsize=8)
def _reader(game: Game[Any]) -> Any:
    """From tables and a board to the sum of its entries, `int32[]`; batches are read with the batch as last axis."""

    def several(tables: Array, boards: Board) -> Array:
        return total(tables, entries(game, len(tables), boards))

    def single(tables: Array, one: Board) -> Array:
        return several(tables, jax.tree.map(lambda x: x[None], one))[0]

    read = custom_vmap(single)

    @read.def_vmap
    def batched(axis_size: int, in_batched: list[Any], tables: Array, boards: Board) -> tuple[Array, bool]:
        boards = jax.tree.map(
            lambda x, batched: x if batched else jnp.broadcast_to(x, (axis_size, *x.shape)), boards, in_batched[1]
        )
        if in_batched[0]:  # as many tables as boards
            return jax.vmap(single)(tables, boards), True
        # Apart, or a CPU would work the boards out again for every pattern.
        return apart((boards.own | boards.opponent).any().any(), several, tables, boards), True

    return read


def after_moves(game: Game[Any], tables: Array, s: State) -> Array:
    """The lead in discs with which the mover will end after each legal move, `float32[A]`; 0 where illegal."""
    return after_each(game, _judge(game), tables, s)


def blank(game: Game[Any], phases: int) -> Array:
    """Tables that know nothing, `int16[P, E]`."""
    return jnp.zeros((phases, patterns(_size(game)).entries), jnp.int16)


@lru_cache(maxsize=8)
def _judge(game: Game[Any]) -> Worth:
    final = Discs(game)

    def judge(tables: Array, s: State, t: State) -> Array:
        return sign(game, s, t) * jnp.where(game.done(t), final.outcome(t), lead(game, tables, t))

    return judge


def _size(game: Game[Any]) -> int:
    assert isinstance(game, Othello)
    return game.size


@dataclass(frozen=True)
class PatternAgent(Agent[State]):
    """Plays to the position with the greatest lead in the end, at random among equals."""

    kind: ClassVar[str] = "patterns"
    games: ClassVar[tuple[str, ...]] = ("othello",)

    phases: int

    def create(self, key: Key) -> Array:
        return blank(self.game, self.phases)

    def act(self, params: Array, key: Key, view: State) -> Decision:
        leads = after_moves(self.game, params, view)
        return best(jnp.where(self.game.legal(view), leads, -jnp.inf), key)

    def value(self, params: Array, s: State) -> Array:
        return jnp.tanh(lead(self.game, params, s) / SCALE)

    def evaluator(self) -> "LeadEvaluator":
        return LeadEvaluator(self.game, self)


class LeadEvaluator(LearnedEvaluator[State]):
    """The lead in discs with which the side to move will end."""

    win: ClassVar[float] = 100.0
    scale: ClassVar[float | None] = SCALE
    predicts: ClassVar[bool] = True

    def value(self, params: Array, s: State) -> Array:
        return jnp.clip(lead(self.game, params, s), -MOST_LEAD, MOST_LEAD)

    def error(self, s: State, shallow: Array, deep: Array) -> Array:
        """It grows as the game goes on."""
        start, disc, ply = ERROR
        return (start + disc * discs(s)) * (1.0 + ply * (deep - 2 * shallow))
