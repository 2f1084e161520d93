"""Onitama's formula: the students, and a little for those in the middle of the board.

Dasgupta and Chong 2021 train against minimax players and do not say how these judge a position. A plain count of
students is what most do; the small second term makes a player that looks one move ahead win three games of four against
the count alone, since students that stay at home never threaten anything. A term for the master's way to the other
temple, tried too, only walks him into captures.
"""

from typing import Any, ClassVar

import jax.numpy as jnp
from jax import lax

from ludens.core.evaluator import Evaluator
from ludens.core.types import Array
from ludens.games.onitama import State

MIDDLE = 0b00000_01110_01110_01110_00000
"""The nine squares off the edge, bit `row * 5 + col`: the same for both sides."""
MIDDLE_WEIGHT = 0.1


class Material(Evaluator[State]):
    """Own students minus the opponent's, and a tenth for each that stands in the middle nine squares."""

    games: ClassVar[tuple[str, ...]] = ("onitama",)
    win: ClassVar[float] = 10.0
    scale: ClassVar[float | None] = 2.0

    def value(self, params: Any, s: State) -> Array:
        in_all = _count(s.own_students) - _count(s.opp_students)
        in_the_middle = _count(s.own_students & MIDDLE) - _count(s.opp_students & MIDDLE)
        return in_all + MIDDLE_WEIGHT * in_the_middle


def _count(board: Array) -> Array:
    """Pieces on `board` (`uint32[]`), `float32[]`."""
    return lax.population_count(board).astype(jnp.float32)
