"""What runs can be made of one colour in Okey: three tables over every way to hold the 13 numbers up to twice.

A pattern is the counts (0, 1 or 2) of the numbers 1 to 13 in one colour, written as a base-3 number with number 1 as
the leading digit: `index = sum(count[number] * PLACE[number - 1])`, 3^13 = 1,594,323 patterns. A run is 3 to
`longest` consecutive positions out of 14, where position 14 is the 1 again (12-13-1, but not 13-1-2).

Every table is the same recursion on the lowest number held: that tile stays out of all runs, or one run holds it.
Removing the run leaves a pattern that is known already. A run takes the tiles that are there; where one is missing, a
joker (or, for `covers`, a tile still to be drawn) stands in. Where several runs cross a number it does not matter
which of them plays the real tile, so nothing is lost.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PLACE = 3 ** np.arange(12, -1, -1, dtype=np.int32)
"""Weight of each number in a pattern's index, `int32[13]`."""

SLOTS = {4: (3, 4, 6, 7, 8, 10, 11, 14), 5: (3, 4, 5, 6, 7, 8, 9, 10, 11, 14)}
"""By longest run: how many of the 14 slots of a finished hand some of its sets can take. (With runs to 4 a hand is two
sets of 3 and two of 4; with runs to 5 also three of 3 and one of 5, or one of 4 and two of 5.)"""

_NEVER = -100
"""Stands for minus infinity: sums of it stay far below zero and within an int8."""


class Runs(NamedTuple):
    """The tables for one longest run, each with a word per pattern."""

    covers: NDArray[np.uint32]
    """Most tiles held that runs with exactly `SLOTS[longest][i]` slots can cover: two bits for each i, which say how
    much it is more than the entry before (0 to 3: at worst the larger has one more run of three)."""
    values: NDArray[np.uint16]
    """Best sum of (length - 1) over runs with up to q = 0, 1, 2 jokers: five bits for each q."""
    finished: NDArray[np.uint8]
    """Bit q = 0, 1, 2: all tiles of the pattern can be in runs with exactly q jokers among them."""


@cache
def runs(longest: int) -> Runs:
    """The tables for runs of 3 to `longest` (4 or 5) tiles; longer runs split into these."""
    if longest not in SLOTS:
        raise ValueError(f"longest_run is {longest}: expected 4 or 5")
    values = _table(longest, jokers=True, all_tiles=False)
    whole = _table(longest, jokers=True, all_tiles=True)
    covers = _table(longest, jokers=False, all_tiles=False)
    steps = np.diff(covers[list(SLOTS[longest])], axis=0, prepend=np.zeros_like(covers[:1]))
    return Runs(
        covers=_pack(steps, 2).astype(np.uint32),
        values=_pack(values, 5).astype(np.uint16),
        finished=_pack(whole >= 0, 1).astype(np.uint8),
    )


def _table(longest: int, *, jokers: bool, all_tiles: bool) -> NDArray[np.int8]:
    """Best totals `int8[budget, 3^13]`, `_NEVER` where impossible.

    With `jokers` the budget is 0, 1 or 2 jokers and the total is the sum of (length - 1); without, it is 0 to 14 slots
    to be filled exactly and the total is the number of tiles covered. With `all_tiles` every tile must be in a run and
    every joker be used.
    """
    if jokers:
        empty = np.array([0, _NEVER, _NEVER] if all_tiles else [0, 0, 0], np.int8)
    else:
        empty = np.array([0 if slots in (0, *SLOTS[longest]) else _NEVER for slots in range(15)], np.int8)

    def spend(best: NDArray[np.int8], amount: int, gain: int) -> NDArray[np.int8]:
        """The totals when `amount` of the budget is spent to gain something."""
        out = np.full_like(best, _NEVER)
        kept = best[: max(0, len(best) - amount)]
        out[amount:] = np.where(kept < 0, _NEVER, kept + gain)
        return out

    def play(best: NDArray[np.int8], axis: int) -> NDArray[np.int8]:
        """The totals before a tile of the number on `axis` was taken, or stood in for where there is none."""
        zero, one = np.take(best, 0, axis), np.take(best, 1, axis)
        if jokers:
            return np.stack([spend(zero, 1, 0), zero, one], axis)
        return np.stack([zero, spend(zero, 0, 1), spend(one, 0, 1)], axis)

    # best[budget, count of `lowest`, count of `lowest` + 1, ..., count of 13] grows by one axis for each number.
    best = empty
    for lowest in range(12, -1, -1):
        held = [best]
        for _ in range(2):
            rest = held[-1]
            total = np.full_like(rest, _NEVER) if all_tiles else rest
            for first, last, low, high in _windows(lowest, longest):
                left = rest
                for number in range(low, high + 1):
                    left = play(left, number - lowest)
                size = last - first + 1
                stand_ins = size - (high - low + 1) - 1
                total = np.maximum(total, spend(left, *((stand_ins, size - 1) if jokers else (size, 1))))
            held.append(total)
        best = np.stack(held, 1)
    return best.reshape(len(best), -1)


def _windows(lowest: int, longest: int) -> list[tuple[int, int, int, int]]:
    """Runs that hold `lowest` (0 to 12) when no lower number is held: (first, last, low, high).

    `low` to `high` are the numbers above `lowest` in the run; the other positions but its own need a stand-in.
    Position 13 is number 0 once more, so it is a stand-in unless number 0 itself is the lowest.
    """
    spans = [(first, first + size - 1) for size in range(3, longest + 1) for first in range(15 - size)]
    found = [(first, last, lowest + 1, min(last, 12)) for first, last in spans if first <= lowest <= last]
    if lowest == 0:
        found += [(first, last, first, 12) for first, last in spans if last == 13]
    return found


def _pack(fields: NDArray[np.generic], width: int) -> NDArray[np.int64]:
    """One word per pattern out of `[fields, 3^13]`, `width` bits each, the first field lowest."""
    words = np.zeros(fields.shape[1], np.int64)
    for i, field in enumerate(fields):
        words |= np.clip(field.astype(np.int64), 0, (1 << width) - 1) << (width * i)
    return words
