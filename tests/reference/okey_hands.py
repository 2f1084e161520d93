"""Okey hands by exhaustive search in plain Python: slow, and simple enough to be believed.

Tiles are pairs (colour, number) with colour 0..3 and number 1..13; a hand is a list of tiles, and a number of jokers.
"""

from collections import Counter
from functools import cache
from itertools import combinations

Tile = tuple[int, int]


@cache
def all_sets(longest_run: int) -> tuple[tuple[Tile, ...], ...]:
    """Every set there is, as the faces of its slots."""
    found: list[tuple[Tile, ...]] = []
    for number in range(1, 14):
        for size in (3, 4):
            found += [tuple((colour, number) for colour in some) for some in combinations(range(4), size)]
    for colour in range(4):
        for size in range(3, longest_run + 1):
            for first in range(1, 16 - size):
                found.append(tuple((colour, 1 if n == 14 else n) for n in range(first, first + size)))
    return tuple(found)


@cache
def sets_with(tile: Tile, longest_run: int) -> tuple[tuple[Tile, ...], ...]:
    """The sets in which `tile` has a slot."""
    return tuple(one for one in all_sets(longest_run) if tile in one)


def is_set(faces: list[Tile], longest_run: int) -> bool:
    """Whether these faces, in any order, are a set."""
    return any(sorted(one) == sorted(faces) for one in all_sets(longest_run))


def value(tiles: list[Tile], jokers: int, longest_run: int) -> int:
    """Best total of disjoint sets: the first tile is in no set, or in one of those that have a slot for it."""

    @cache
    def best(rest: tuple[Tile, ...], jokers: int) -> int:
        if not rest:
            return 0
        tile = rest[0]
        top = best(rest[1:], jokers)
        for one in sets_with(tile, longest_run):
            for played, left in _played(one, tile, rest, jokers):
                top = max(top, 5 * (len(one) - 1) + best(played, left))
        return top

    return best(tuple(sorted(tiles)), jokers)


def finished(tiles: list[Tile], jokers: int, longest_run: int) -> bool:
    """Whether 14 tiles are all in sets, every joker too: the first tile must be in a set."""

    @cache
    def can(rest: tuple[Tile, ...], jokers: int) -> bool:
        if not rest:
            return jokers == 0
        tile = rest[0]
        ways = (way for one in sets_with(tile, longest_run) for way in _played(one, tile, rest, jokers))
        return any(can(*way) for way in ways)

    return len(tiles) + jokers == 14 and can(tuple(sorted(tiles)), jokers)


def _played(
    one: tuple[Tile, ...], tile: Tile, rest: tuple[Tile, ...], jokers: int
) -> list[tuple[tuple[Tile, ...], int]]:
    """All ways to lay the set down with the real `tile`: in every other slot the real tile (if held) or a joker."""
    ways = [((tile,), 0)]
    for face in one:
        if face != tile:
            real = [((*some, face), wild) for some, wild in ways if face in rest]
            ways = real + [(some, wild + 1) for some, wild in ways if wild < jokers]
    return [(tuple(sorted((Counter(rest) - Counter(some)).elements())), jokers - wild) for some, wild in ways]


def finished_by_pairs(tiles: list[Tile], jokers: int) -> bool:
    """Whether 14 tiles are seven pairs: every tile has its twin or a joker."""
    lonely = sum(1 for count in Counter(tiles).values() if count % 2)
    return len(tiles) + jokers == 14 and lonely <= jokers and (jokers - lonely) % 2 == 0


def distance(tiles: list[Tile], jokers: int, longest_run: int) -> int:
    """Fewest exchanges to a finished hand, over every finished hand that the 106 tiles allow.

    A finished hand is a collection of sets with 14 slots in all; no face has more than two real tiles, so any further
    use of it is a joker's, and there are two jokers. What it keeps of ours is the tiles that we hold, and jokers for
    slots that we lack. Sets are chosen in the order of how many tiles each keeps of those that are left, most first,
    so the sets to come keep at most as many each: where that cannot beat the best hand found, we turn back.
    """
    most = -1

    def extend(sizes: tuple[int, ...], kept: int, left: Counter[Tile], uses: Counter[Tile], limit: int) -> None:
        nonlocal most
        if not sizes:
            if sum(max(0, count - 2) for count in uses.values()) <= 2:
                most = max(most, kept)
            return
        options = [one for one in all_sets(longest_run) if len(one) in sizes]
        keeps = [sum(1 for face in one if left[face]) for one in options]
        for keep, one in sorted(zip(keeps, options, strict=True), reverse=True):
            if kept + sum(min(size, keep) for size in sizes) <= most:
                return
            if keep <= limit:
                others = list(sizes)
                others.remove(len(one))
                extend(tuple(others), kept + keep, left - Counter(one), uses + Counter(one), keep)

    for sizes in ((3, 3, 4, 4), (3, 3, 3, 5), (4, 5, 5)):
        if max(sizes) <= longest_run:
            extend(sizes, 0, Counter(tiles), Counter(), 14)
    return max(0, 14 - most - jokers)


def distance_by_pairs(tiles: list[Tile], jokers: int) -> int:
    """Fewest exchanges to seven pairs: keep two of a face, then one of a face, seven faces in all; then jokers."""
    kept = sum(sorted((min(2, count) for count in Counter(tiles).values()), reverse=True)[:7])
    return max(0, 14 - kept - jokers)
