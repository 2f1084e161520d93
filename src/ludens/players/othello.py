"""Othello's formulas: the positional and the mobility player of van Eck and van Wezel 2008, section 4, and the score.

Both players of the paper switch to counting discs (equation 18) in the end game, which begins when at least 80 % of
the squares or all corners are occupied. Values are in the paper's units. One thing is different: the paper gives
finished games +1, -1 and 0. Beside values of up to hundreds a player would then rather not win, so here a won game
counts `win`, more than any open position.

Smaller boards keep the outer squares: the paper's table without its middle rows and columns.
"""

from functools import cache
from typing import Any, ClassVar

import jax.numpy as jnp
from jax import lax

from ludens.core.bits import Bits, bits
from ludens.core.evaluator import Evaluator
from ludens.core.types import Array
from ludens.games.othello import Othello, State, placements
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

    def outcome(self, s: State) -> Array:
        """The mover's final score, -64 to 64 on the full board."""
        lead = _disc_lead(s)
        empty = self.game.size**2 - (s.own | s.opponent).total()
        return (lead + jnp.sign(lead) * empty).astype(jnp.float32)


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
