"""The Royal Game of Ur, solved: the chance of winning in every position under perfect play.

A position is counted before its throw (`ur_positions.py` numbers them). Pieces that are home stay there, so a game goes
from stage to stage, and stages with more pieces home are solved first. Two numbers are kept for every position, one
that the chance of winning is never below and one that it is never above, 0 and 1 at first. If such bounds hold where
the moves lead, the bounds that a sweep (`ur_sweep.py`) makes of them hold too, because the best of several moves can
only gain if one of them does. Once they have met to within a gap, the middle between them is wrong by half of that at
most, and by what was left open in the stages after it (rounding, some 1e-15, aside); in all by `ERROR` at most. This is
a proof, not an estimate; and that they meet at all shows that no way of playing puts off the end for ever.

Up to `SMALL` pieces the table has 64 bits a position. With more it has 16, and is wrong by half a step (7.6e-6) more.
"""

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core import storage
from ludens.core.game import Game, sign, variant
from ludens.core.types import Array
from ludens.games.ur import NO_THROW, State, Ur
from ludens.oracles.oracle import Lookup, Oracle, Progress, Solution
from ludens.oracles.ur_figures import Figures, follow, nothing, reached
from ludens.oracles.ur_positions import layout, number
from ludens.oracles.ur_sweep import close_in, order, stage

SMALL = 4
"""Pieces up to which a table is made in under a minute, whenever it is needed; with seven it takes an hour."""
ERROR = 5e-11
"""The most that a chance is wrong before it is rounded."""
EVEN = 1e-9
"""A chance so close to one half counts as even."""
STEPS = 65_535
"""Of a chance in 16 bits."""
SHARED = 0x1FE0
"""Path squares 5-12, where both sides' pieces walk."""
UNFINISHED = 1
"""Format of what is kept of a solution under way."""


@dataclass(frozen=True)
class UrOracle(Oracle[State]):
    """Perfect play in Ur. Table: `chance` of the side to move, `float64[positions]` or `uint16[positions]`."""

    values_are: ClassVar[str] = "probability"

    @classmethod
    def solves(cls, game: Game[Any]) -> bool:
        """Either rules, any pieces, any dice."""
        return isinstance(game, Ur)

    @property
    def small(self) -> bool:
        return self._pieces <= SMALL

    @property
    def tolerance(self) -> float:
        """What 32-bit numbers cannot tell apart, or those in the table cannot: a step."""
        return 2.0**-22 if self.small else 1.01 / STEPS

    def index(self, s: State) -> Array:
        """The number of an unfinished position, whatever its throw and its seats, `int32[]`."""
        return number(self._pieces, s.own, s.other, s.own_home, s.other_home)

    @property
    def most_moves(self) -> int:
        return self._pieces

    def decisions(self, table: Lookup) -> int:
        """All pairs of codes, also those that would have two pieces on one square, with every throw."""
        return int(_codes(self._pieces).first[-1]) ** 2 * len(self._thrown)

    def decision(self, table: Lookup, s: State) -> Array:
        """The mover's code, the other's, and the throw among those that can be made.

        Agents that ship have tables in this order, which wastes room but stays as it is.
        """
        codes = _codes(self._pieces)
        first, rank = jnp.asarray(codes.first), jnp.asarray(codes.rank)
        own, other = (first[home] + rank[board >> 1] for home, board in ((s.own_home, s.own), (s.other_home, s.other)))
        throw = jnp.maximum(s.throw - self._thrown[0], 0)  # what can be thrown has no gaps
        return (own * int(codes.first[-1]) + other) * len(self._thrown) + throw

    def solve(self, progress: Progress | None = None, unfinished: Path | None = None) -> Solution:
        """Close in on the chances, stage by stage; stages that are kept in `unfinished` are not solved again."""
        begun = time.perf_counter()
        game, pieces, where = self._game, self._pieces, layout(self._pieces)
        stages = sorted(((a, b) for a in range(pieces) for b in range(a + 1)), key=lambda each: -sum(each))
        gap = 2 * ERROR / (2 * pieces - 1)  # what one total leaves open stays open in the next
        with jax.enable_x64(True):
            known, figures = jnp.zeros(where.positions), nothing(where.positions)
            done = 0
            for a, b in stages:
                size = int(where.size[a, b])
                rows = slice(int(where.stage[a, b]), int(where.stage[a, b]) + (size if a == b else 2 * size))
                length = rows.stop - rows.start
                new = _read(game, unfinished, a, b)
                if new is None:
                    tell = _part(progress, done / where.positions, length / where.positions)
                    at, course = stage(pieces, a, b), order(pieces, a, b)
                    bounds = close_in(game, at, known, course, gap, tell)
                    followed = follow(game, at, known, figures, bounds, course)
                    of_rows = Figures(followed.turns[:length], followed.captured[:length])
                    new = _movers_own(bounds, size)[:length], of_rows
                    _write(game, unfinished, a, b, new)
                known, figures = _put((known, figures), new, rows.start)
                done += length
            chance = np.asarray(known)
            reach = self._reach(reversed(stages))
            counted = chance[reach]
            wins, losses = int((counted > 0.5 + EVEN).sum()), int((counted < 0.5 - EVEN).sum())
            start = self.index(_empty())
            return Solution(
                table={"chance": chance if self.small else rounded(chance)},
                states=len(counted),
                wins=wins,
                draws=len(counted) - wins - losses,
                losses=losses,
                longest=None,
                start_value=float(chance[start]),
                seconds=time.perf_counter() - begun,
                error=ERROR if self.small else ERROR + 0.5 / STEPS,
                figures=self._figures(chance, figures, int(start)),
            )

    def _reach(self, stages: Iterable[tuple[int, int]]) -> np.ndarray:
        """Which positions can arise, `bool[positions]`; `stages` have the fewest pieces home first."""
        pieces, where = self._pieces, layout(self._pieces)
        found = jnp.zeros(where.positions, bool).at[self.index(_empty())].set(True)
        for a, b in stages:
            length = int(where.size[a, b]) * (1 if a == b else 2)
            course = order(pieces, a, b)
            found = reached(self._game, stage(pieces, a, b), found, course, int(where.stage[a, b]), length)
        return np.asarray(found)

    def _figures(self, chance: np.ndarray, figures: Figures, start: int) -> dict[str, Any]:
        """What is told of a game beside its value."""
        after = [self.exact({"chance": chance}, _empty()._replace(throw=jnp.int32(throw))) for throw in self._thrown]
        some, decided = (float(x) for x in figures.captured[start])
        return {
            "turns": float(figures.turns[start]),
            "wins_by_throw": dict(zip(map(str, self._thrown), after, strict=True)),
            "captures": some,
            "first_capture_wins": decided / some if some else None,
        }

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
        if chance.dtype == jnp.uint16:
            chance = chance.astype(jnp.float32) / STEPS
        two_on_one = (s.own & s.other & SHARED) != 0
        return jnp.where(over, 0, jnp.where(two_on_one, jnp.nan, chance))

    @property
    def _game(self) -> Ur:
        return cast(Ur, self.game)

    @property
    def _thrown(self) -> list[int]:
        """The throws that can be made."""
        return [c for c, share in enumerate(self._game.throws) if share > 0]

    @property
    def _pieces(self) -> int:
        return cast(int, self._game.pieces)


def rounded(chance: np.ndarray) -> np.ndarray:
    """Chances `float64[N]` in 16 bits."""
    steps: np.ndarray = np.rint(chance * STEPS).astype(np.uint16)
    return steps


def _empty() -> State:
    """The start, before its throw."""
    none, zero = jnp.uint32(0), jnp.int32(0)
    return State(none, none, zero, zero, jnp.int32(NO_THROW), zero)


@partial(jax.jit, static_argnums=1)
def _movers_own(bounds: Array, size: int) -> Array:
    """What the sides to move win in a stage, by row, from bounds on A's chances."""
    chance = bounds.mean(axis=1)
    return jnp.where(jnp.arange(len(chance)) < size, chance, 1 - chance)


@partial(jax.jit, donate_argnums=0)
def _put(whole: Any, part: Any, start: Array) -> Any:
    """`part` written into `whole` from `start` on, array by array."""
    return jax.tree.map(lambda x, new: lax.dynamic_update_slice_in_dim(x, new, start, 0), whole, part)


def _part(progress: Progress | None, before: float, share: float) -> Progress:
    """Progress in a part of the work, of which `before` is done and which is a `share` of it."""
    return lambda done: progress(before + share * done) if progress else None


# ---------------------------------------------------------------------- a solution under way


def _write(game: Ur, folder: Path | None, a: int, b: int, stage: tuple[Array, Figures]) -> None:
    """Keep a solved stage, where there is room."""
    if folder is not None:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            facts = {"ludens": "ur", "variant": variant(game), "format": UNFINISHED}
            storage.write(folder / f"{a}-{b}.safetensors", {"chance": stage[0], **stage[1]._asdict()}, facts)


def _read(game: Ur, folder: Path | None, a: int, b: int) -> tuple[Array, Figures] | None:
    """A stage that was kept, None unless every bit of it is what was written."""
    try:
        facts, arrays = storage.load(folder / f"{a}-{b}.safetensors" if folder else Path())
    except ValueError:
        return None
    if facts != {"ludens": "ur", "variant": variant(game), "format": UNFINISHED}:
        return None
    return jnp.asarray(arrays["chance"]), Figures(jnp.asarray(arrays["turns"]), jnp.asarray(arrays["captured"]))


# ---------------------------------------------------------------------- decisions as learners number them


class _Codes(NamedTuple):
    """The ways in which one side's pieces can stand while the game is on."""

    first: np.ndarray
    """The first code with so many pieces home, `int32[pieces + 1]`; the last is how many there are."""
    rank: np.ndarray
    """How many codes after that one a board stands, by its squares 1-14 as bits 0-13, `int32[2^14]`."""


@cache
def _codes(pieces: int) -> _Codes:
    """All codes. Boards stand in order of their pieces, so that those with few are the same run for any count home."""
    counts = np.bitwise_count(np.arange(1 << 14))
    order = np.argsort(counts, kind="stable")
    rank = np.empty(1 << 14, np.int32)
    rank[order] = np.arange(1 << 14)
    runs = [int((counts <= pieces - home).sum()) for home in range(pieces)]
    return _Codes(np.cumsum([0, *runs]).astype(np.int32), rank)
