"""Chung Toi, solved: all variants, value and distance to the end of every position.

The table has all 162,259 ways in which the pieces can stand for a side to move: 0 to 3 pieces a side, the mover having
as many as the other side or one fewer. Those that play cannot reach (a mover who already has three in a row) have
outcomes too, but are not counted.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.game import Game
from ludens.core.types import Array, Key
from ludens.games.chung_toi import ChungToi, State
from ludens.oracles.graph import arrows
from ludens.oracles.oracle import Lookup
from ludens.oracles.retrograde import Graph, Retrograde, end

MOST_MOVES = 22
"""Three pieces that turn or move to one of three empty squares in either orientation, and a pass."""
_STAGES = ((0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3))
"""Pieces of the mover and of the other side, as the game goes on."""
_POWERS = 3 ** np.arange(9)


@dataclass(frozen=True)
class ChungToiOracle(Retrograde[State]):
    """Perfect play in Chung Toi. Table: `outcome`."""

    @classmethod
    def solves(cls, game: Game[Any]) -> bool:
        return isinstance(game, ChungToi)

    @property
    def most_moves(self) -> int:
        return MOST_MOVES

    def decisions(self, table: Lookup) -> int:
        """All placements, with every way their pieces can point."""
        return sum(1 << (own | other).bit_count() for own, other in _stands())

    def graph(self) -> Graph:
        """Every placement, with every way its pieces can point."""

        def look(s: State) -> tuple[Array, tuple[Array, Array]]:
            return arrows(self.game, lambda t: self.index({}, t), s, MOST_MOVES), end(self.game, s)

        own, other, diagonal = (jnp.asarray(board) for board in _placements())
        out, (over, final) = jax.jit(jax.vmap(look))(State(own, other, diagonal, jnp.zeros(len(own), jnp.int32)))
        return Graph({}, out, over, final)

    def drawn(self, key: Key) -> State:
        own, other, diagonal = (jnp.asarray(board) for board in _placements())
        place = jax.random.randint(key, (), 0, len(own))
        return State(own[place], other[place], diagonal[place], jnp.int32(0))

    def index(self, table: Lookup, s: State) -> Array:
        """First the squares the pieces stand on, then the way they point; `int32[]`."""
        squares = jnp.arange(9, dtype=jnp.uint32)
        own, other = (s.own >> squares) & 1, (s.other >> squares) & 1
        stand = ((own + 2 * other).astype(jnp.int32) * jnp.asarray(_POWERS, jnp.int32)).sum(dtype=jnp.int32)
        # The pieces are numbered from a1 on; each gives one bit to the way they all point.
        taken = (own + other).astype(jnp.int32)
        piece = jnp.cumsum(taken, dtype=jnp.int32) - taken
        points = jnp.where((s.diagonal >> squares) & 1 != 0, jnp.int32(1) << piece, 0).sum(dtype=jnp.int32)
        return jnp.asarray(_firsts())[stand] + points


@cache
def _stands() -> list[tuple[int, ...]]:
    """Squares of the mover's pieces and of the other side's, `(own, other)` as bits, in the order of the index."""
    return [
        (sum(1 << i for i in own), sum(1 << i for i in other))
        for mine, theirs in _STAGES
        for own in combinations(range(9), mine)
        for other in combinations([i for i in range(9) if i not in own], theirs)
    ]


@cache
def _firsts() -> np.ndarray:
    """The index of a stand with all pieces cardinal, by its nine squares as digits (1 own, 2 other); `int32[3^9]`."""
    firsts, index = np.full(3**9, -1, np.int32), 0
    for own, other in _stands():
        digits = [(own >> i & 1) + 2 * (other >> i & 1) for i in range(9)]
        firsts[np.dot(digits, _POWERS)] = index
        index += 1 << (own | other).bit_count()
    return firsts


@cache
def _placements() -> tuple[np.ndarray, ...]:
    """The mover's pieces, the other side's and the diagonal ones of every position in the order of the index."""
    rows = []
    for own, other in _stands():
        squares = [i for i in range(9) if (own | other) >> i & 1]
        for points in range(1 << len(squares)):
            rows.append((own, other, sum(1 << square for n, square in enumerate(squares) if points >> n & 1)))
    return tuple(np.array(rows, np.uint32).T)
