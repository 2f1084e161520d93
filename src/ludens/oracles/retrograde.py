"""Games without fate, solved backwards from their ends: who wins, and in how many plies.

The outcome of a position is one number: `FAR - d` if the side to move wins in `d` plies, `-(FAR - d)` if it loses in
`d`, 0 if neither can force a win. So a larger outcome is always better: win rather than draw, win soon, lose late. One
ply back an outcome moves one step towards 0, and a position has the best outcome among its moves. Beginning with 0 for
every open position, sweep `k` settles exactly those that are decided within `k` plies; the first sweep that settles
nothing proves that the rest are draws.
"""

import time
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.game import Game, S, sign
from ludens.core.types import Array
from ludens.oracles.graph import reachable, targets
from ludens.oracles.oracle import Lookup, Oracle, Progress, Solution

FAR = 10_000
"""More plies than any decided position lasts."""


class Graph(NamedTuple):
    """All positions, by their numbers, and how they lead to one another."""

    keys: dict[str, np.ndarray]
    """What `index` needs to number positions; becomes part of the table."""
    out: Array
    """Arrows of the legal actions, `int32[N, K]`, as `graph.arrows` draws them."""
    over: Array
    """Which positions are finished, `bool[N]`."""
    end: Array
    """The outcomes of those, `int32[N]`."""


@dataclass(frozen=True)
class Retrograde(Oracle[S]):
    """An oracle whose table has the `outcome` of every position, `int16[N]`."""

    @abstractmethod
    def graph(self) -> Graph:
        """All positions of the game, and perhaps some that play cannot reach."""

    @abstractmethod
    def index(self, table: Lookup, s: S) -> Array:
        """The number of a position, `int32[]`, whatever its seats; -1 if it is not in the table."""

    def decision(self, table: Lookup, s: S) -> Array:
        return self.index(table, s)

    def solve(self, progress: Progress | None = None, unfinished: Path | None = None) -> Solution:
        """List the positions, draw their arrows, and settle them backwards from the ends."""
        begun = time.perf_counter()
        graph = self.graph()
        if progress:
            progress(0.8)
        outcome = np.asarray(_settle(graph.out, graph.over, graph.end))
        table = {**graph.keys, "outcome": outcome.astype(np.int16)}
        start, out = self.game.init(jax.random.key(0)), np.asarray(graph.out)
        real = outcome[reachable(lambda some: out[some], int(self.index(table, start)), len(outcome))]
        start_value = float(self.value(table, start))
        if progress:
            progress(1.0)
        return Solution(
            table=table,
            states=len(real),
            wins=int((real > 0).sum()),
            draws=int((real == 0).sum()),
            losses=int((real < 0).sum()),
            longest=int(FAR - np.abs(real[real != 0]).min()),
            start_value=start_value,
            seconds=time.perf_counter() - begun,
        )

    def value(self, table: Lookup, s: S) -> Array:
        """+1, 0 or -1, `float32[]`; NaN if play can never lead to `s`."""
        return jnp.sign(self._outcome(table, s))

    def values(self, table: Lookup, s: S) -> Array:
        return self._after_each(s, lambda t: sign(self.game, s, t) * self.value(table, t))

    def preference(self, table: Lookup, s: S) -> Array:
        return self._after_each(s, lambda t: sign(self.game, s, t) * self._outcome(table, t))

    def distance(self, table: Lookup, s: S) -> Array:
        outcome = self._outcome(table, s)
        return jnp.where(jnp.abs(outcome) > 0, FAR - jnp.abs(outcome), -1).astype(jnp.int32)

    def _outcome(self, table: Lookup, s: S) -> Array:
        """The outcome of `s` as a number that may be NaN, `float32[]`."""
        i = self.index(table, s)
        outcome = jnp.asarray(table["outcome"])[jnp.maximum(i, 0)].astype(jnp.float32)
        return jnp.where(i >= 0, outcome, jnp.nan)


def end(game: Game[S], s: S) -> tuple[Array, Array]:
    """Whether `s` is finished, `bool[]`, and its outcome if so, `int32[]`."""
    return game.done(s), (FAR * game.returns(s)[game.player(s)]).astype(jnp.int32)


@jax.jit
def _settle(out: Array, over: Array, final: Array) -> Array:
    """The outcomes `int32[N]` of positions with arrows `int32[N, K]`, given which are over `bool[N]` and how."""

    def sweep(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        outcome, _ = carry
        after = outcome[targets(out)]
        best = jnp.where(out < 0, after, -after).max(axis=1)
        settled = jnp.where(over, final, best - jnp.sign(best))
        return settled, (settled != outcome).any()

    return lax.while_loop(lambda carry: carry[1], sweep, (jnp.where(over, final, 0), jnp.bool_(True)))[0]
