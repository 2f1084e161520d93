"""Any small game of two sides, solved through the contract alone: `ludens solve NAME`.

Positions are enumerated from the start (`enumeration.py`) and settled backwards from the ends, each as soon as what it
leads to is settled. Without fate, what never settles is drawn, as in `retrograde.py`. With fate, a position is worth
the mean over the outcomes; what lies on cycles has a lower and an upper bound, and sweeps draw them together as in
`ur.py`.

Nothing is solved unasked: `optimal` and the others know such a game once its table is stored.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from ludens.core.game import Game, S, sign
from ludens.core.types import Array
from ludens.oracles.enumeration import Positions, enumerated, key_of, ranges
from ludens.oracles.oracle import Lookup, Oracle, Progress, Solution
from ludens.oracles.retrograde import FAR, Graph, Retrograde

RUN = 8
"""No more keys than this agree in their first 32 bits."""
FOUND = 0.7
"""The share of the work that is done when all positions are found."""
GAP, EVEN, MOST_SWEEPS = 1e-10, 1e-9, 100_000
"""How far apart bounds may stay, what counts as even, and when sweeping is given up."""


@dataclass(frozen=True)
class _Enumerated(Oracle[S]):
    """An oracle whose table has the `keys` of positions in order, `uint32[N, 2]`."""

    numbered_by: ClassVar[tuple[str, ...]] = ("keys",)

    @property
    def most_moves(self) -> int:
        return self.game.num_actions

    def decisions(self, table: Lookup) -> int:
        """Every position, finished ones and those that wait for fate too."""
        return len(table["keys"])

    def decision(self, table: Lookup, s: S) -> Array:
        return self.index(table, s)

    def index(self, table: Lookup, s: S) -> Array:
        """Its place among the keys, `int32[]`; -1 if it is not there."""
        keys, key = jnp.asarray(table["keys"]), key_of(s)
        some = jnp.searchsorted(keys[:, 0], key[0]).astype(jnp.int32) + jnp.arange(RUN, dtype=jnp.int32)
        some = jnp.minimum(some, keys.shape[0] - 1)
        same = (keys[some] == key).all(axis=1)
        return jnp.where(same.any(), some[jnp.argmax(same)], -1)


@dataclass(frozen=True)
class SmallOracle(_Enumerated[S], Retrograde[S]):
    """Perfect play in a small game without fate. Table: `keys` and `outcome`."""

    @classmethod
    def solves(cls, game: Game[Any]) -> bool:
        return game.num_players == 2 and not game.hidden and not game.rolls

    def graph(self) -> Graph:
        raise NotImplementedError("positions have any number of arrows here, not a table of them")

    def solve(self, progress: Progress | None = None, unfinished: Path | None = None) -> Solution:
        begun, tell = time.perf_counter(), progress or (lambda share: None)
        found = enumerated(self.game, lambda share: tell(FOUND * share))
        if not np.isin(found.final, (-1, 0, 1)).all():
            odd = found.final[~np.isin(found.final, (-1, 0, 1))][0]
            raise ValueError(f"{self.game.id} has {odd:g} as a result: expected 1, 0 or -1")
        outcome = _outcomes(found, lambda share: tell(FOUND + (1 - FOUND) * share))
        decided = np.abs(outcome[outcome != 0])
        return Solution(
            table={"keys": _pairs(found.keys), "outcome": outcome.astype(np.int16)},
            states=len(outcome),
            wins=int((outcome > 0).sum()),
            draws=int((outcome == 0).sum()),
            losses=int((outcome < 0).sum()),
            longest=int(FAR - decided.min()) if decided.size else None,
            start_value=float(np.sign(outcome[found.starts]) @ found.weights),
            seconds=time.perf_counter() - begun,
        )


@dataclass(frozen=True)
class SmallChanceOracle(_Enumerated[S]):
    """Perfect play in a small game with fate: expected points, a draw being half of one. Table: `keys`, `chance`."""

    values_are: ClassVar[str] = "probability"

    @property
    def tolerance(self) -> float:
        return 2.0**-22

    @classmethod
    def solves(cls, game: Game[Any]) -> bool:
        return game.num_players == 2 and not game.hidden and game.rolls > 0

    def solve(self, progress: Progress | None = None, unfinished: Path | None = None) -> Solution:
        begun, tell = time.perf_counter(), progress or (lambda share: None)
        found = enumerated(self.game, lambda share: tell(FOUND * share))
        chance = (1 + _values(self.game, found, lambda share: tell(FOUND + (1 - FOUND) * share))) / 2
        wins, losses = int((chance > 0.5 + EVEN).sum()), int((chance < 0.5 - EVEN).sum())
        start = float(chance[found.starts] @ found.weights)
        return Solution(
            table={"keys": _pairs(found.keys), "chance": chance},
            states=len(chance),
            wins=wins,
            draws=len(chance) - wins - losses,
            losses=losses,
            longest=None,
            start_value=start if len(found.starts) == 1 else round(start, 3),  # starts were drawn
            seconds=time.perf_counter() - begun,
        )

    def value(self, table: Lookup, s: S) -> Array:
        i = self.index(table, s)
        return jnp.where(i >= 0, jnp.asarray(table["chance"])[jnp.maximum(i, 0)], jnp.nan)

    def values(self, table: Lookup, s: S) -> Array:
        def mine(t: S) -> Array:
            chance = self.value(table, t)
            return jnp.where(sign(self.game, s, t) > 0, chance, 1 - chance)

        return self._after_each(s, mine)


def _pairs(keys: np.ndarray) -> np.ndarray:
    """Keys `uint64[N]` as pairs of words, `uint32[N, 2]`; ValueError if too many agree in the first."""
    high = (keys >> np.uint64(32)).astype(np.uint32)
    if len(high) > RUN and (high[RUN:] == high[:-RUN]).any():
        raise ValueError("too many positions look alike: expected states whose numbers differ")
    return np.stack([high, (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32)], axis=1)


class _Back:
    """The arrows of `found` turned around: those that lead to a position stand together."""

    def __init__(self, found: Positions) -> None:
        counts = np.bincount(found.to, minlength=len(found.keys))
        self.first = np.concatenate([[0], np.cumsum(counts)])
        self.order = np.argsort(found.to, kind="stable")
        self.source = np.repeat(np.arange(len(found.keys), dtype=np.int32), np.diff(found.first))[self.order]

    def into(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Arrows that lead to `places`, `int64[M]` among those turned around, and how many lead to each."""
        counts = self.first[places + 1] - self.first[places]
        return ranges(self.first[places], counts), counts


def _outcomes(found: Positions, progress: Progress) -> np.ndarray:
    """Who wins and in how many plies, `int32[N]`, as `Retrograde` counts them."""
    outcome: np.ndarray = (FAR * found.final * found.over).astype(np.int32)
    back, left = _Back(found), np.diff(found.first)
    again = found.again[back.order]
    latest, plies, settled = np.flatnonzero(outcome), 0, 0
    while latest.size:
        plies += 1
        if plies >= FAR:
            raise ValueError(f"there are positions decided only after {FAR:,} plies: expected a shorter game")
        settled += latest.size
        progress(settled / len(outcome))
        arrows, counts = back.into(latest)
        source = back.source[arrows]
        won = (np.repeat(outcome[latest], counts) > 0) == again[arrows]  # by whoever moves there
        is_open = (outcome[source] == 0) & ~found.over[source]
        wins = np.unique(source[won & is_open])
        outcome[wins] = FAR - plies
        lost, times = np.unique(source[~won & is_open], return_counts=True)
        left[lost] -= times
        losses = lost[(left[lost] == 0) & (outcome[lost] == 0)]
        outcome[losses] = plies - FAR
        latest = np.concatenate([wins, losses])
    return outcome


def _values(game: Game[Any], found: Positions, progress: Progress) -> np.ndarray:
    """Expected results to whoever is to move, or would be, `float64[N]`."""
    value = np.where(found.over, found.final.astype(np.float64), np.nan)
    back, left = _Back(found), np.diff(found.first)
    latest, settled = np.flatnonzero(found.over), 0
    while latest.size:
        settled += latest.size
        progress(settled / len(value))
        source, times = np.unique(back.source[back.into(latest)[0]], return_counts=True)
        left[source] -= times
        latest = source[left[source] == 0]
        value[latest] = _one_back(found, latest)(value, value)
    cyclic = np.flatnonzero(np.isnan(value))
    if cyclic.size:
        low, high = np.where(np.isnan(value), -1.0, value), np.where(np.isnan(value), 1.0, value)
        improve = _one_back(found, cyclic)
        for _ in range(MOST_SWEEPS):
            low[cyclic], high[cyclic] = improve(low, high), improve(high, low)
            gap = (high[cyclic] - low[cyclic]).max()
            if gap <= GAP:
                break
        else:
            raise ValueError(f"{game.id} has positions whose worth stays open by {gap:g}: expected chance to end it")
        value = (low + high) / 2
    return value


def _one_back(found: Positions, places: np.ndarray) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """What `places` `[M]` are worth, `float64[M]`, given values of all positions for a mover and for its opponent."""
    counts = found.first[places + 1] - found.first[places]
    arrows = ranges(found.first[places], counts)
    begins = np.cumsum(counts) - counts
    to, again, odds = found.to[arrows], found.again[arrows], found.odds[arrows].astype(np.float64)
    fate = found.fate[places]
    whole = np.add.reduceat(odds, begins) if len(begins) else odds  # 1 but for 32-bit rounding

    def worth(own: np.ndarray, other: np.ndarray) -> np.ndarray:
        if not len(begins):
            return np.zeros(0)
        after = np.where(again, own[to], -other[to])
        mean = np.add.reduceat(odds * after, begins) / np.where(fate, whole, 1.0)
        return np.where(fate, mean, np.maximum.reduceat(after, begins))

    return worth
