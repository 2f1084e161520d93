"""Othello's formulas: the positional and the mobility player of van Eck and van Wezel 2008, section 4, and the score.

Both players of the paper switch to counting discs (equation 18) in the end game, which begins when at least 80 % of
the squares or all corners are occupied. Values are in the paper's units. One thing is different: the paper gives
finished games +1, -1 and 0. Beside values of up to hundreds a player would then rather not win, so here a won game
counts `win`, more than any open position.

Smaller boards keep the outer squares: the paper's table without its middle rows and columns.
"""

from functools import cache, partial
from typing import Any, ClassVar

import jax.numpy as jnp
from jax import lax

from ludens.core.batching import once
from ludens.core.bits import Bits, bits
from ludens.core.evaluator import Evaluator
from ludens.core.types import Array
from ludens.games.othello import Othello, State, flips, placements
from ludens.search.alpha_beta import alpha_beta

VALUES = (
    (100, -20, 10, 5, 5, 10, -20, 100),
    (-20, -50, -2, -2, -2, -2, -50, -20),
    (10, -2, -1, -1, -1, -1, -2, 10),
    (5, -2, -1, -1, -1, -1, -2, 5),
    (5, -2, -1, -1, -1, -1, -2, 5),
    (10, -2, -1, -1, -1, -1, -2, 10),
    (-20, -50, -2, -2, -2, -2, -50, -20),
    (100, -20, 10, 5, 5, 10, -20, 100),
)
"""Figure 10: what a disc on each square counts, row 1 first."""
CORNER_WEIGHT, MOBILITY_WEIGHT = 10.0, 1.0
"""w1 and w2 of equation 19."""


class Positional(Evaluator[State]):
    """The discs by the value of their squares (equation 17, figure 10); in the end game by their number."""

    games: ClassVar[tuple[str, ...]] = ("othello",)
    win: ClassVar[float] = 1000.0
    scale: ClassVar[float | None] = 80.0
    game: Othello

    def value(self, params: Any, s: State) -> Array:
        classes = _classes(self.game.size)
        total = sum((worth * _lead(s, mask) for worth, mask in classes.items()), start=jnp.int32(0))
        return jnp.where(_is_end_game(s, self.game.size), _disc_lead(s), total).astype(jnp.float32)


class Mobility(Evaluator[State]):
    """Ten for each corner and the lead in mobility as a share (equation 19); in the end game the discs."""

    games: ClassVar[tuple[str, ...]] = ("othello",)
    win: ClassVar[float] = 100.0
    scale: ClassVar[float | None] = 12.0
    game: Othello

    def value(self, params: Any, s: State) -> Array:
        own, opponent = s.moves.total(), _replies(self.game, s)
        share = (own - opponent) / jnp.maximum(own + opponent, 1).astype(jnp.float32)
        total = CORNER_WEIGHT * _lead(s, _corners(self.game.size)) + MOBILITY_WEIGHT * share
        return jnp.where(_is_end_game(s, self.game.size), _disc_lead(s), total).astype(jnp.float32)


class Discs(Evaluator[State]):
    """The final score, for exact end games: the lead in discs, empty squares counted for the winner.

    Of an open position it only says who has more moves, so that a search tries first what leaves the opponent few.
    """

    games: ClassVar[tuple[str, ...]] = ("othello",)
    win: ClassVar[float] = 64.0
    scale: ClassVar[float | None] = 10.0
    game: Othello

    def value(self, params: Any, s: State) -> Array:
        return (s.moves.total() - _replies(self.game, s)).astype(jnp.float32)

    def settled(self, s: State) -> Array:
        """With one or two empty squares there are so few ways to go on that all are counted at once."""
        return ~s.over & (_empty(s, self.game.size).total() <= 2)

    def outcome(self, s: State) -> Array:
        """The mover's final score, -64 to 64 on the full board."""
        lead, empty, settled = _disc_lead(s), _empty(s, self.game.size), self.settled(s)
        last = once(partial(_last_two, size=self.game.size))(settled.astype(jnp.uint32), s.own, s.opponent, empty)
        return jnp.where(settled, last, lead + jnp.sign(lead) * empty.total()).astype(jnp.float32)


class EndGame(Discs):
    """As `Discs`, for searches to the very end: what looks promising there is what leaves the opponent few moves."""

    def value(self, params: Any, s: State) -> Array:
        own, corners = s.moves.total(), _count(s.moves, _corners(self.game.size))
        return (2 * (own + corners) - _replies(self.game, s)).astype(jnp.float32)

    def left(self, s: State) -> Array:
        """Squares that are empty, `int32[]`."""
        return _empty(s, self.game.size).total()


_CANNOT = -1000
"""In place of the score of who cannot move."""
MOST_EMPTY = 14
"""Empty squares of an end game that is solved in seconds; twelve take a fraction of one."""


def final_scores(game: Othello, states: State) -> Array:
    """Final score of each move to its mover with perfect play, `float32[B, A]`; -inf where illegal.

    A score is the lead in discs with empty squares counted for the winner, as end-game problems are published.
    NaN in a position with more than `MOST_EMPTY` empty squares.
    """
    # Between two placements there can be a pass, so the end is at most twice as many plies away as squares are empty.
    search = alpha_beta(game, Discs(game), None, states, depth=2 * MOST_EMPTY, exact=True, width=8)
    empty = game.size**2 - (states.own | states.opponent).total()
    return jnp.where((empty <= MOST_EMPTY)[:, None], search.scores, jnp.nan)


def _last_two(wanted: Array, own: Bits, opponent: Bits, empty: Bits, *, size: int) -> Array:
    """Final score to the mover with one or two `empty` squares, `int32[]`; 0 if it is not `wanted`."""
    low = Bits(empty.lo & (~empty.lo + 1), jnp.where(empty.lo == 0, empty.hi & (~empty.hi + 1), 0))
    first = partial(_who_begins, size=size)
    value = first(wanted, own, opponent, low, empty ^ low)
    passes = (wanted != 0) & (value == _CANNOT)
    return jnp.where(passes, -once(first)(passes, opponent, own, low, empty ^ low), value)


def _who_begins(wanted: Array, own: Bits, opponent: Bits, one: Bits, other: Bits, *, size: int) -> Array:
    """Final score to the mover who plays on one of two empty squares first; `_CANNOT` if it has no move."""
    values = []
    for here, there in ((one, other), (other, one)):
        turned = flips(here, own, opponent, size=size)
        value = -_last_one(opponent & ~turned, own | here | turned, there, size=size)
        values.append(jnp.where(turned.any(), value, _CANNOT))
    return jnp.where(wanted != 0, jnp.maximum(*values), 0)


def _last_one(own: Bits, opponent: Bits, empty: Bits, *, size: int) -> Array:
    """Final score to the mover, `int32[]`, with one empty square or none."""
    lead = own.total() - opponent.total()
    gain, loss = flips(empty, own, opponent, size=size).total(), flips(empty, opponent, own, size=size).total()
    closed = jnp.where(loss > 0, lead - 2 * loss - 1, lead + jnp.sign(lead) * empty.total())
    return jnp.where(gain > 0, lead + 2 * gain + 1, closed)


def _empty(s: State, size: int) -> Bits:
    return ~(s.own | s.opponent) & bits((1 << size**2) - 1)


@cache
def _classes(size: int) -> dict[int, int]:
    """The squares of each value as an integer's bits: 64 numbers would be far slower to add up than seven counts."""
    kept = [*range(size // 2), *range(8 - size // 2, 8)]
    values = [VALUES[row][column] for row in kept for column in kept]
    return {worth: sum(1 << i for i, value in enumerate(values) if value == worth) for worth in set(values)}


def _corners(size: int) -> int:
    return _classes(size)[100]


def _lead(s: State, mask: int) -> Array:
    """Own discs minus the opponent's on the squares of `mask`, `int32[]`."""
    return _count(s.own, mask) - _count(s.opponent, mask)


def _count(board: Bits, mask: int) -> Array:
    """Discs of `board` on the squares of `mask`, `int32[]`."""
    low, high = mask & 0xFFFFFFFF, mask >> 32
    if low & high:
        return (board & bits(mask)).total()
    # On 8x8 every class has its squares in different places of the two words: one count does for both.
    return lax.population_count(board.lo & jnp.uint32(low) | board.hi & jnp.uint32(high)).astype(jnp.int32)


def _disc_lead(s: State) -> Array:
    return s.own.total() - s.opponent.total()


def _is_end_game(s: State, size: int) -> Array:
    """Whether at least 80 % of the squares or all corners are occupied, `bool[]`."""
    occupied = s.own | s.opponent
    return (5 * occupied.total() >= 4 * size**2) | (_count(occupied, _corners(size)) == 4)


def _replies(game: Othello, s: State) -> Array:
    """In how many ways the opponent could place if it were to move, `int32[]`."""
    return placements(s.opponent, s.own, game.size).total()
