"""How a finished hand of Okey is laid out: every tile in a set, or in pairs.

`melds.arrange` finds the sets that are worth the most, which may leave a tile of a finished hand over (5, 5 and 3 are
worth what 3, 3, 4 and 4 are), and is compiled for batches. One finished hand for people to look at needs neither: this
is a search of a few tiles in plain Python. Where runs have no limit, they stay as long as they are.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

JOKER = 52
"""Index of the jokers in a hand, `53` counts as in `melds.py`."""
LONGEST = 14
"""Tiles of the longest run there can be: from 1 up to 13 and the 1 after it."""

Slot: TypeAlias = tuple[int, bool]
"""The face played, and whether a joker plays it."""
Set: TypeAlias = tuple[Slot, ...]


def in_pairs(hand: tuple[int, ...]) -> tuple[Set, ...] | None:
    """Seven pairs, doubles first; a joker plays its neighbour's face, or its own index beside another joker."""
    singles = [face for face in range(JOKER) if hand[face] == 1]
    if sum(hand) != 14 or len(singles) > hand[JOKER]:
        return None
    pairs: list[Set] = [((face, False), (face, False)) for face in range(JOKER) if hand[face] == 2]
    pairs += [((face, False), (face, True)) for face in singles]
    if hand[JOKER] - len(singles) == 2:
        pairs.append(((JOKER, True), (JOKER, True)))
    return tuple(pairs)


@lru_cache(maxsize=256)
def in_sets(hand: tuple[int, ...], longest_run: int) -> tuple[Set, ...] | None:
    """Groups and runs of at most `longest_run` tiles (0: any number) that use up the hand; None if there are none."""
    sets = _laid_out(list(hand[:JOKER]), hand[JOKER], longest_run or LONGEST)
    return None if sets is None else tuple(sorted(sets, key=_order))


def _laid_out(faces: list[int], jokers: int, longest: int) -> list[Set] | None:
    """Sets for the tiles and all of the jokers: the lowest tile must be in one of them, the rest follows."""
    lowest = next((face for face in range(JOKER) if faces[face]), None)
    if lowest is None:
        return None if jokers else []
    for chosen in _sets_with(lowest, faces, jokers, longest):
        rest = list(faces)
        for face, wild in chosen:
            rest[face] -= not wild
        more = _laid_out(rest, jokers - sum(wild for _, wild in chosen), longest)
        if more is not None:
            return [chosen, *more]
    return None


def _sets_with(face: int, faces: list[int], jokers: int, longest: int) -> Iterator[Set]:
    """Every set that a tile can be in, long ones first, jokers only where no tile is."""
    colour, number = divmod(face, 13)
    for places in _windows(number, longest):
        yield from _if_payable([colour * 13 + place % 13 for place in places], faces, jokers)
    others = [other for other in range(4) if other != colour]
    for size in (3, 2):
        for chosen in combinations(others, size):
            yield from _if_payable([each * 13 + number for each in sorted((colour, *chosen))], faces, jokers)


def _windows(number: int, longest: int) -> Iterator[range]:
    """Places in a row that include a number, 0 to 12, or 13 for the 1 after 13."""
    for size in range(min(longest, LONGEST), 2, -1):
        for first in range(LONGEST - size + 1):
            if first <= number < first + size or (number == 0 and first + size == LONGEST):
                yield range(first, first + size)


def _if_payable(wanted: list[int], faces: list[int], jokers: int) -> Iterator[Set]:
    """The set of these faces, if the jokers suffice for those that are missing."""
    left: dict[int, int] = {}
    slots: list[Slot] = []
    for face in wanted:
        here = left.get(face, faces[face])
        left[face] = here - 1
        slots.append((face, here <= 0))
    if sum(wild for _, wild in slots) <= jokers:
        yield tuple(slots)


def _order(chosen: Set) -> tuple[bool, int]:
    """Runs by colour and number, then groups by number."""
    first, second = chosen[0][0], chosen[1][0]
    is_group = first % 13 == second % 13
    return is_group, first % 13 if is_group else first
