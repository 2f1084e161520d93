"""Ur's formula: who is ahead in the race, who may be sent back next, and who holds the middle rosette."""

from functools import cache
from typing import Any, ClassVar, cast

import jax.numpy as jnp
from jax import lax

from ludens.core.evaluator import Evaluator
from ludens.core.types import Array
from ludens.games.ur import State, Ur

HOME = 15
"""Steps from the start to home."""
REFUGE_WEIGHT = 6.0
"""What b4 counts, in steps: a piece there is safe, and the others must pass it."""

_SHARED = 0x1FE0  # path squares 5-12, bit i for square i
_REFUGE = 1 << 8


class Race(Evaluator[State]):
    """The lead in steps, and what the next throw may change; only the board counts, not a throw already made.

    The sum of: steps that own pieces have made minus the opponent's, 15 for a piece at home; an average throw, since
    the mover's comes next; the steps that it takes from the opponent by the best capture each throw allows, on
    average; and 6 for a piece on the middle rosette, minus 6 for the opponent's.
    """

    games: ClassVar[tuple[str, ...]] = ("ur",)
    win: ClassVar[float] = 200.0
    scale: ClassVar[float | None] = 25.0
    game: Ur

    def value(self, params: Any, s: State) -> Array:
        lead = _steps(s.own, s.own_home) - _steps(s.other, s.other_home)
        refuge = _bit(s.own & _REFUGE) - _bit(s.other & _REFUGE)
        average = sum(throw * share for throw, share in enumerate(self.game.throws))
        return lead + average + self._captures(s) + REFUGE_WEIGHT * refuge

    def _captures(self, s: State) -> Array:
        """Steps that the mover's next throw takes from the opponent on average, `float32[]`."""
        waiting = cast(int, self.game.pieces) - s.own_home - lax.population_count(s.own).astype(jnp.int32)
        movable = s.own | (waiting > 0).astype(jnp.uint32)
        prey = s.other & (_SHARED & ~_REFUGE)
        total = jnp.zeros((), jnp.float32)
        for throw, share in enumerate(self.game.throws):
            if throw and share:
                landings = movable << throw
                if self.game.rules == "paper":  # who would land on a piece on b4 goes on to b5
                    landings = landings | (landings & s.other & _REFUGE) << 1
                farthest = 31 - lax.clz(landings & prey | 1).astype(jnp.int32)
                total = total + share * farthest
        return total


def _steps(board: Array, home: Array) -> Array:
    """Steps made by the pieces on `board` (`uint32[]`) and those `home` (`int32[]`), `float32[]`."""
    on_board = sum((lax.population_count(board & mask) << bit for bit, mask in enumerate(_digits())), jnp.uint32(0))
    return (on_board.astype(jnp.int32) + HOME * home).astype(jnp.float32)


@cache
def _digits() -> tuple[int, ...]:
    """For each binary digit the squares whose number has it: four counts add up the numbers of all squares."""
    return tuple(sum(1 << square for square in range(1, HOME) if square >> bit & 1) for bit in range(4))


def _bit(board: Array) -> Array:
    return (board != 0).astype(jnp.float32)
