"""The Royal Game of Ur, solved: the chance of winning in every position under perfect play, to better than 1e-9.

A position is counted before its throw. One side's pieces make one number, its code: how many are home, then where the
others stand. The table is a square over the mover's code and the other side's, NaN where two pieces would share a
square.

Pieces that are home stay there, so positions with more pieces home are solved first, total by total. Among positions
with the same total only captures lead backwards: they are swept from the most advanced to the least, over and over,
each step using what the step before has found. Two numbers are kept for every position, one that the chance of winning
is never below and one that it is never above, 0 and 1 at first. If such bounds hold where the moves lead, the bounds
that a sweep makes of them hold too, because the best of several moves can only gain if one of them does. Once they have
met to within `GAP`, the middle between them is wrong by half of that at most (rounding, some 1e-15, aside). This is a
proof, not an estimate; and that they meet at all shows that no way of playing puts off the end for ever.
"""

import time
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.game import Game, sign
from ludens.core.types import Array
from ludens.games.ur import NO_THROW, State, Ur
from ludens.oracles.graph import arrows, reachable, targets
from ludens.oracles.oracle import Lookup, Oracle, Progress, Solution

MOST_PIECES = 4
"""More would need tables too large to keep: 14,669,769 positions with five pieces, 137,870,097 with seven."""
GAP = 1e-10
"""Between the bounds on a chance of winning once it is known."""
EVEN = 1e-9
"""A chance so close to one half counts as even."""
CHUNK = 2048
"""Positions that one step of a sweep treats together."""
MOST_SWEEPS = 20_000
"""More than bounds need to meet: some 150 as a rule, 2,600 with a single die and four pieces."""
SHARED = 0x1FE0
"""Path squares 5-12, where both sides' pieces walk."""


@dataclass(frozen=True)
class UrOracle(Oracle[State]):
    """Perfect play in Ur. Table: `chance`, `float64[codes * codes]`."""

    values_are: ClassVar[str] = "probability"
    tolerance: ClassVar[float] = 2.0**-22

    @classmethod
    def solves(cls, game: Game[Any]) -> bool:
        """Either rules and any dice with up to four pieces."""
        return isinstance(game, Ur) and cast(int, game.pieces) <= MOST_PIECES

    def index(self, s: State) -> Array:
        """The place of an unfinished position in the table, whatever its throw and its seats, `int32[]`."""
        codes = self._codes
        first, rank = jnp.asarray(codes.first), jnp.asarray(codes.rank)
        own, other = (first[home] + rank[board >> 1] for home, board in ((s.own_home, s.own), (s.other_home, s.other)))
        return own * len(codes.home) + other

    @property
    def most_moves(self) -> int:
        return cast(int, self._game.pieces)

    def decisions(self, table: Lookup) -> int:
        """All pairs of codes, also those that would have two pieces on one square, with every throw."""
        return len(self._codes.home) ** 2 * len(self._thrown)

    def decision(self, table: Lookup, s: State) -> Array:
        """Its index, and its throw among those that can be made."""
        throw = jnp.maximum(s.throw - self._thrown[0], 0)  # what can be thrown has no gaps
        return self.index(s) * len(self._thrown) + throw

    def solve(self, progress: Progress | None = None) -> Solution:
        """Arrange the positions, draw their arrows, and close in on the chances, total by total."""
        begun = time.perf_counter()
        plan = _arrange(self._codes)
        out = jax.jit(self._arrows)(plan.place, plan.slot)
        with jax.enable_x64(True):
            odds = jnp.array([share for share in self._game.throws if share > 0], jnp.float64)
            # One more than there are positions: a game that is over is lost for sure.
            bounds = Bounds(jnp.zeros(plan.place.size + 1), jnp.ones(plan.place.size + 1).at[-1].set(0))
            for number, (first, last) in enumerate(plan.totals, start=1):
                # What one total leaves open stays open in the next: each may leave a little more.
                gap = GAP * number / len(plan.totals)
                bounds, sweeps = _close_in(bounds, out, odds, first, last, gap)
                if int(sweeps) == MOST_SWEEPS:
                    raise RuntimeError(f"the bounds in {self.game} have not met after {MOST_SWEEPS} sweeps")
                if progress:
                    progress(last / len(plan.place))
            chances = np.asarray((bounds.low + bounds.high) / 2)[:-1]
        table = np.full(len(plan.slot) - 1, np.nan)
        table[plan.place.ravel()] = chances
        start = int(plan.slot[0])  # nothing on the board and nothing home is code 0
        arrows_from = np.asarray(out)
        real = reachable(lambda some: arrows_from[some // CHUNK, :, :, some % CHUNK], start, plan.place.size)
        counted = chances[real]
        wins, losses = int((counted > 0.5 + EVEN).sum()), int((counted < 0.5 - EVEN).sum())
        return Solution(
            table={"chance": table},
            states=len(counted),
            wins=wins,
            draws=len(counted) - wins - losses,
            losses=losses,
            longest=None,
            start_value=float(chances[start]),
            seconds=time.perf_counter() - begun,
        )

    def value(self, table: Lookup, s: State) -> Array:
        """The mover's chance of winning, before its throw or with it, `float32[]`."""
        return jnp.where(s.throw == NO_THROW, self._unthrown(table, s), self.values(table, s).max())

    def values(self, table: Lookup, s: State) -> Array:
        """The mover's chance of winning after each legal action, `float32[16]`."""

        def mine(t: State) -> Array:
            chance = self._unthrown(table, t)
            return jnp.where(sign(self.game, s, t) > 0, chance, 1 - chance)

        return self._after_each(s, mine)

    def _unthrown(self, table: Lookup, s: State) -> Array:
        """The chance of winning of the side that is to throw, or has lost."""
        over = self.game.done(s)
        chance = jnp.asarray(table["chance"])[jnp.where(over, 0, self.index(s))]
        return jnp.where(over, 0, chance)

    @property
    def _game(self) -> Ur:
        return cast(Ur, self.game)

    @property
    def _thrown(self) -> list[int]:
        """The throws that can be made."""
        return [c for c, share in enumerate(self._game.throws) if share > 0]

    @property
    def _codes(self) -> "_Codes":
        return _codes(cast(int, self._game.pieces))

    def _arrows(self, place: Array, slot: Array) -> Array:
        """Arrows between slots for all positions, throws and moves, `int32[chunks, T, K, CHUNK]`."""
        throws = jnp.array(self._thrown, jnp.int32)
        board, home = jnp.asarray(self._codes.board), jnp.asarray(self._codes.home)

        def number(s: State) -> Array:
            return slot[jnp.where(self.game.done(s), len(slot) - 1, self.index(s))]

        def from_one(index: Array, throw: Array) -> Array:
            own, other = index // len(home), index % len(home)
            s = State(board[own], board[other], home[own], home[other], throw, jnp.int32(0))
            return arrows(self.game, number, s, cast(int, self._game.pieces))

        by_throw = jax.vmap(from_one, in_axes=(None, 0))
        by_slot = jax.vmap(by_throw, in_axes=(0, None), out_axes=-1)
        out: Array = lax.map(lambda chunk: by_slot(chunk, throws), place)
        return out


class Bounds(NamedTuple):
    """What is known of the chance of winning in each slot: no less than `low`, no more than `high`."""

    low: Array
    """`float64[slots + 1]`, as in `high`; the last is a game that is over."""
    high: Array


class _Codes(NamedTuple):
    """The ways in which one side's pieces can stand while the game is on."""

    board: np.ndarray
    """Squares they stand on, by code, `uint32[codes]`."""
    home: np.ndarray
    """Pieces that are home, by code, `int32[codes]`."""
    first: np.ndarray
    """The first code with so many pieces home, `int32[pieces + 1]`; the last belongs to a game that is over."""
    rank: np.ndarray
    """How many codes after that one a board stands, by its squares 1-14 as bits 0-13, `int32[2^14]`."""


@cache
def _codes(pieces: int) -> _Codes:
    """All codes. Boards stand in order of their pieces, so that those with few are the same run for any count home."""
    counts = np.bitwise_count(np.arange(1 << 14))
    order = np.argsort(counts, kind="stable")
    rank = np.empty(1 << 14, np.int32)
    rank[order] = np.arange(1 << 14)
    runs = [order[counts[order] <= pieces - home] for home in range(pieces)]
    first = np.cumsum([0, *(len(run) for run in runs)]).astype(np.int32)
    board = (np.concatenate(runs) << 1).astype(np.uint32)
    home = np.repeat(np.arange(pieces), np.diff(first)).astype(np.int32)
    return _Codes(board, home, first, rank)


class _Plan(NamedTuple):
    """The order in which positions are solved. Each has a slot; some slots repeat one, to fill the last chunk."""

    place: np.ndarray
    """The index of the position in each slot, `int32[chunks, CHUNK]`."""
    slot: np.ndarray
    """The slot of each index, `int32[codes^2 + 1]`; the last is the slot after all, for a lost game."""
    totals: list[tuple[int, int]]
    """First chunk and end of the chunks for each number of pieces home, the most first."""


def _arrange(codes: _Codes) -> _Plan:
    """Most pieces home first, then the most advanced."""
    own, other = np.nonzero((codes.board[:, None] & codes.board[None, :] & SHARED) == 0)
    squares = np.arange(16, dtype=np.uint32)
    advance = (((codes.board[:, None] >> squares) & 1) * squares).sum(axis=1).astype(np.int32)
    total = codes.home[own] + codes.home[other]
    order = np.lexsort((-(advance[own] + advance[other]), -total))
    index = (own * len(codes.home) + other).astype(np.int32)[order]
    sizes = np.unique_counts(-total).counts
    chunks: list[np.ndarray] = []
    totals: list[tuple[int, int]] = []
    for some in np.split(index, np.cumsum(sizes)[:-1]):
        length = -(-len(some) // CHUNK)
        totals.append((len(chunks), len(chunks) + length))
        chunks += list(np.resize(some, (length, CHUNK)))
    place = np.stack(chunks)
    slot = np.full(len(codes.home) ** 2 + 1, place.size, np.int32)
    slot[place.ravel()] = np.arange(place.size)
    return _Plan(place, slot, totals)


@jax.jit
def _close_in(bounds: Bounds, out: Array, odds: Array, first: Array, last: Array, gap: Array) -> tuple[Bounds, Array]:
    """Sweep the chunks from `first` up to `last` until no bounds there are further apart than `gap`.

    Returns the new bounds and the number of sweeps, `int32[]`.
    """

    def improve(chunk: Array, carry: tuple[Bounds, Array]) -> tuple[Bounds, Array]:
        bounds, widest = carry
        again, to = out[chunk] < 0, targets(out[chunk])  # [T, K, CHUNK]
        low, high = bounds.low[to], bounds.high[to]
        low, high = jnp.where(again, low, 1 - high), jnp.where(again, high, 1 - low)
        low, high = odds @ low.max(axis=1), odds @ high.max(axis=1)
        at = (chunk * CHUNK,)
        bounds = Bounds(lax.dynamic_update_slice(bounds.low, low, at), lax.dynamic_update_slice(bounds.high, high, at))
        return bounds, jnp.maximum(widest, (high - low).max())

    def sweep(carry: tuple[Bounds, Array, Array]) -> tuple[Bounds, Array, Array]:
        bounds, _, sweeps = carry
        return *lax.fori_loop(first, last, improve, (bounds, jnp.float64(0))), sweeps + 1

    def apart(carry: tuple[Bounds, Array, Array]) -> Array:
        return (carry[1] > gap) & (carry[2] < MOST_SWEEPS)

    bounds, _, sweeps = lax.while_loop(apart, sweep, (bounds, jnp.float64(jnp.inf), jnp.int32(0)))
    return bounds, sweeps
