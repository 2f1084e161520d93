"""The search over an Okey hand's groups: whatever groups take, the rest is a look-up in the tables of runs.

Groups tie the four colours together, runs do not. So only the choice of groups is searched, depth first, column by
column (a column is the tiles of one number): how many tiles of each colour do groups take there? Only groups with two
real tiles or more count: one tile with two other slots is as well a run. `OPTIONS` lists the ways.

On a CPU batches do not wait for their slowest hand: there is a number of lanes, each looks at one choice of groups per
iteration, and a lane that is through takes the next hand. Elsewhere each hand has a lane of its own.
"""

from collections.abc import Callable
from functools import partial, reduce
from itertools import accumulate
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from numpy.typing import NDArray

from ludens.core.types import Array
from ludens.games.okey.runs import PLACE, SLOTS, runs

DEPTH = 5
"""Groups that 15 tiles can make."""
CHOICES = 4
"""Choices between two looks at whether all hands are through, where lanes are free."""

_WIDE = 0x1FFF
"""In a set of columns, bits 0 to 12 are for wide groups (three tiles or more), bits 13 to 25 for groups of two."""
_NEVER, _ALWAYS = -100, 100
"""Scores below and above any other."""
SPLITS = [split for split in np.ndindex(3, 3, 3, 3) if sum(split) <= 2]
"""Every way to give up to two jokers to the runs of the four colours."""


class GroupNode(NamedTuple):
    """One choice of groups, and which larger choices are still to be looked at."""

    left: Array
    """Pattern of each colour that is left to runs, `int32[4]`."""
    used: Array
    """What the groups take, `int32[]`: the sum of their options, see `counts`."""
    columns: Array
    """Columns to be tried in addition, lowest bit first, `uint32[]`."""
    option: Array
    """Next option in the lowest of them, `int32[]`."""
    bounds: Array
    """No larger choice scores more, `int32[2]`: in general, and when only columns of two colours remain."""

    def counts(self) -> tuple[Array, Array, Array]:
        """Tiles that the groups take, slots that they need at least, and how many groups there are."""
        return self.used >> 8 & 31, self.used >> 13 & 31, self.used >> 18 & 7


Score = Callable[[GroupNode, Array], tuple[Array, Array]]
"""From a choice of groups and the jokers held: the best score with it, `int32[]`, and its `bounds`."""


class _Lane(NamedTuple):
    """One hand being searched."""

    hand: Array
    """Its row, `int32[]`; beyond the batch if the lane idles."""
    path: GroupNode
    """The choices from no groups at all down to the current one, `[DEPTH]`."""
    fresh: Array
    """Whether nothing has been looked at yet, `bool[]`."""
    best: Array
    """Best score so far, `int32[]`."""
    left: Array
    """What the best choice leaves to runs, `int32[4]`."""


def _options() -> NDArray[np.int32]:
    """All ways for groups to take tiles from a column, `int32[2, 81, 36]`.

    Wide ways, then those with two tiles in each group; by the column's pattern, base 3 over the colours; fewest jokers
    first. Bits 0-7: tiles of each colour. 8-12: tiles. 13-17: slots needed. 18-20: groups. 21 + j: the last way that
    needs no more than j jokers.
    """
    patterns = list(np.ndindex(3, 3, 3, 3))
    table = np.zeros((2, 81, 36), np.int32)
    for pattern, held in enumerate(patterns):
        found: tuple[list[tuple[int, int, int]], ...] = ([], [])
        for taken in patterns:
            tiles, twice = sum(taken), taken.count(2)
            groups = 2 if twice else 1
            # Two groups with fewer than five tiles and one of them shared, as {a b} and {a c}, are no better than the
            # group {a b c} and a run through the other a. Nor are {a b} and {c d} than {a b c} and a run through d.
            enough = tiles >= (5 if twice == 1 else 2)
            if enough and all(t <= h for t, h in zip(taken, held, strict=True)):
                slots = max(3 * groups, tiles)
                colours = sum(count << 2 * colour for colour, count in enumerate(taken))
                word = colours | tiles << 8 | slots << 13 | groups << 18
                found[tiles == 2 * groups].append((slots - tiles, -tiles, word))
        for narrow, ways in enumerate(found):
            ways.sort()
            for i, (jokers, _, word) in enumerate(ways):
                following = ways[i + 1][0] if i + 1 < len(ways) else 3
                table[narrow, pattern, i] = word | sum(1 << 21 + j for j in range(jokers, following))
    return table


OPTIONS = _options()


def search(
    hands: Array, score: Score, *, floor: Array | int, count: Array | int, with_jokers: bool, first: bool = False
) -> tuple[Array, Array]:
    """The best score over all choices of groups, and what that choice leaves to runs: `int32[N]`, `int32[N, 4]`.

    hands `int8[N, 53]`, of which only the first `count` matter; scores up to `floor` (`int32[N]`, or one for all) are
    of no interest, and with `first` any higher one will do. With jokers, a choice may have no more gaps than jokers are
    held.
    """
    size = len(hands)
    faces = hands[:, :52].reshape(-1, 4, 13).astype(jnp.int32)
    jokers = hands[:, 52].astype(jnp.int32)
    index = (faces * PLACE).sum(2, dtype=jnp.int32)
    patterns = (faces * jnp.array([[27], [9], [3], [1]])).sum(1, dtype=jnp.int32).reshape(-1)
    colours = (faces > 0).sum(1)
    bit = jnp.uint32(1) << jnp.arange(13, dtype=jnp.uint32)
    columns = (jnp.where(colours > 2, bit, 0) | jnp.where(colours > 1, bit << 13, 0)).sum(1, dtype=jnp.uint32)
    options, place = jnp.asarray(OPTIONS).reshape(-1), jnp.asarray(PLACE)
    levels = jnp.arange(DEPTH, dtype=jnp.int32)
    floors = jnp.broadcast_to(jnp.asarray(floor, jnp.int32), size)

    def start(hand: Array) -> _Lane:
        row = jnp.minimum(hand, size - 1)
        root = (levels == 0).astype(jnp.int32)
        none = jnp.zeros_like(root)
        path = GroupNode(
            left=root[:, None] * index[row],
            used=none,
            columns=root.astype(jnp.uint32) * columns[row],
            option=none,
            bounds=jnp.zeros((DEPTH, 2), jnp.int32),
        )
        return _Lane(hand, path, jnp.bool_(True), floors[row], index[row])

    def live(lane: _Lane) -> Array:
        """Below which choices of the path a better score may be, `bool[DEPTH]`."""
        columns, bounds = lane.path.columns, lane.path.bounds
        bound = jnp.where((columns & _WIDE) != 0, bounds[:, 0], bounds[:, 1])
        return (columns != 0) & (bound > lane.best)

    def advance(lane: _Lane) -> _Lane:
        """Look at the next option below the deepest live choice; in a fresh lane, at the choice of no groups."""
        row = jnp.minimum(lane.hand, size - 1)
        depth = jnp.where(lane.fresh, 0, jnp.max(jnp.where(live(lane), levels, -1)))
        node: GroupNode = jax.tree.map(lambda x: _where(levels == depth, x, 0).sum(0, dtype=x.dtype), lane.path)
        bit = jnp.where(lane.fresh, 0, node.columns & -node.columns)
        column = lax.population_count(bit - 1).astype(jnp.int32)
        number, narrow = column % 13, column // 13
        way = (81 * narrow + patterns[row * 13 + number]) * OPTIONS.shape[2] + node.option
        word = jnp.where(lane.fresh, 0, options[way])

        tiles, slots, _ = node.counts()
        spare = jokers[row] + tiles - slots if with_jokers else jnp.int32(2)
        last = (word >> (21 + spare) & 1) > 0
        parent = node._replace(
            columns=jnp.where(last, node.columns ^ bit, node.columns),
            option=jnp.where(last, 0, node.option + 1),
        )
        child = GroupNode(
            left=node.left - (word >> 2 * jnp.arange(4, dtype=jnp.int32) & 3) * place[number],
            used=node.used + (word & 0x1FFF00),
            columns=node.columns & ~(bit | bit << 13),
            option=jnp.int32(0),
            bounds=node.bounds,
        )
        total, bounds = score(child, jokers[row])
        child = child._replace(bounds=bounds)
        if with_jokers:
            tiles, slots, _ = child.counts()
            gaps = jokers[row] + tiles > slots
            child = child._replace(columns=jnp.where(gaps, child.columns, child.columns & _WIDE))

        path: GroupNode = jax.tree.map(partial(_where, levels == depth), parent, lane.path)
        path = jax.tree.map(partial(_where, levels == depth + ~lane.fresh), child, path)
        better = total > lane.best
        if first:
            path = path._replace(columns=jnp.where(better, 0, path.columns))
        best, left = jnp.where(better, total, lane.best), jnp.where(better, child.left, lane.left)
        return _Lane(lane.hand, path, jnp.bool_(False), best, left)

    def iterate(carry: tuple[_Lane, Array, Array, Array]) -> tuple[_Lane, Array, Array, Array]:
        """One choice in every lane; lanes that are through leave their result and take the next hand."""
        lanes, waiting, best, left = carry
        lanes = jax.vmap(advance)(lanes)
        through = ~jax.vmap(live)(lanes).any(1)
        row = jnp.where(through, lanes.hand, size)
        best = best.at[row].set(lanes.best, mode="drop")
        left = left.at[row].set(lanes.left, mode="drop")
        turn = jnp.cumsum(through, dtype=jnp.int32)
        fresh = jax.vmap(start)(jnp.minimum(waiting + turn - 1, size))
        lanes = jax.tree.map(partial(_where, through), fresh, lanes)
        return lanes, jnp.minimum(waiting + turn[-1], size), best, left

    if lanes_are_free():
        return _all_at_once(start, live, advance, size, count)
    width = min(size, max(32, size // 32))  # few enough that the slowest hands are under way early on
    carry = (
        jax.vmap(start)(jnp.arange(width, dtype=jnp.int32)),
        jnp.int32(width),
        floors,
        index,
    )
    _, _, best, left = lax.while_loop(lambda carry: (carry[0].hand < count).any(), iterate, carry)
    return best, left


def lanes_are_free() -> bool:
    """Whether a lane more costs nothing and looking up costs most: not on a CPU."""
    return jax.default_backend() != "cpu"


def _all_at_once(
    start: Callable[[Array], _Lane],
    live: Callable[[_Lane], Array],
    advance: Callable[[_Lane], _Lane],
    size: int,
    count: Array | int,
) -> tuple[Array, Array]:
    """A lane for each hand, and several choices between two looks at whether all are through."""

    def under_way(lanes: _Lane) -> Array:
        return (lanes.hand < count) & (lanes.fresh | jax.vmap(live)(lanes).any(1))

    def some(lanes: _Lane) -> _Lane:
        for _ in range(CHOICES):
            on = under_way(lanes)
            lanes = jax.tree.map(partial(_where, on), jax.vmap(advance)(lanes), lanes)
        return lanes

    lanes = jax.vmap(start)(jnp.arange(size, dtype=jnp.int32))
    lanes = lax.while_loop(lambda lanes: under_way(lanes).any(), some, lanes)
    return lanes.best, lanes.left


def _where(condition: Array, yes: Array, no: Array | int) -> Array:
    """`jnp.where` with the condition along the leading axis."""
    dims = max(jnp.ndim(yes), jnp.ndim(no))
    return jnp.where(condition.reshape(condition.shape + (1,) * (dims - condition.ndim)), yes, no)


# ---------------------------------------------------------------------- what a choice of groups is good for


def cover(longest_run: int) -> Score:
    """Scores a choice of groups by the tiles that it and the best runs beside it cover in 14 slots."""
    table, slots = runs(longest_run).covers, (0, *SLOTS[longest_run])

    def both(first: list[Array], second: list[Array]) -> list[Array]:
        """Most tiles that runs of two colours (or pairs of colours) cover, for each number of slots."""
        rows = [(k, i, j) for k in slots for i, a in enumerate(slots) for j, b in enumerate(slots) if a + b == k]
        return [reduce(jnp.maximum, [first[i] + second[j] for at, i, j in rows if at == k]) for k in slots]

    def score(node: GroupNode, _: Array) -> tuple[Array, Array]:
        words = jnp.asarray(table)[node.left]
        growth = [(words >> 2 * i & 3).astype(jnp.int32) for i in range(len(slots) - 1)]
        rows = list(accumulate(growth, jnp.add, initial=jnp.zeros(4, jnp.int32)))
        red, black, green, yellow = ([row[colour] for row in rows] for colour in range(4))
        covers = dict(zip(slots, both(both(red, black), both(green, yellow)), strict=True))
        tiles, needed, groups = node.counts()

        def most(ways: list[tuple[int, Array]]) -> Array:
            """The most tiles among ways (slots beside the groups, tiles) that leave each group 3 or 4 slots."""
            fits = [(14 - 4 * groups <= k) & (k <= 14 - needed) for k, _ in ways]
            return tiles + reduce(jnp.maximum, [jnp.where(f, t, _NEVER) for f, (_, t) in zip(fits, ways, strict=True)])

        # More groups would take some of the slots from runs, at best without a gap, or with one gap in each group.
        grouped = [k for k in slots[1:] if k <= 4 * (k // 3)]
        larger = [(k, k + r, covers[r]) for r in slots for k in grouped if k + r in slots]
        high = most([(at, covered + k) for k, at, covered in larger])
        low = most([(at, covered + k // 3 * 2) for k, at, covered in larger])
        return most(list(covers.items())), jnp.stack([high, low])

    return score


def finished(longest_run: int) -> Score:
    """Scores a choice of groups with 1 if all other tiles can be in runs and all jokers find a place, else 0."""
    table = runs(longest_run).finished

    def score(node: GroupNode, jokers: Array) -> tuple[Array, Array]:
        red, black, green, yellow = jnp.asarray(table)[node.left].astype(jnp.int32)

        def both(first: Array, second: Array) -> Array:
            """The numbers of jokers (bits) with which the runs of two colours can be made."""
            return (first & 1) * second | (first & 2) * second | (first & 4) * second

        tiles, slots, groups = node.counts()
        idle = jokers + tiles - slots - jnp.arange(3)
        made = both(both(red, black), both(green, yellow)) >> jnp.arange(3) & 1
        possible = (made > 0) & (idle >= 0) & (idle <= 4 * groups - slots)
        return possible.any().astype(jnp.int32), jnp.ones(2, jnp.int32)

    return score


def value(longest_run: int) -> Score:
    """Scores a choice of groups by the value / 5 of it and the best runs beside it."""
    table = runs(longest_run).values

    def score(node: GroupNode, jokers: Array) -> tuple[Array, Array]:
        tiles, slots, groups = node.counts()
        ways = joker_splits(jnp.asarray(table)[node.left], jokers + tiles - slots, 4 * groups - slots)
        return slots - groups + ways.max(), jnp.full(2, _ALWAYS, jnp.int32)

    return score


def joker_splits(words: Array, spare: Array, room: Array) -> Array:
    """Value / 5 of runs for each way to give spare jokers to them (`SPLITS`), the others extending groups: `int32[15]`.

    words `[4]`: the entries of the colours in the table of values; room: jokers that can extend groups.
    """
    totals = []
    for split in SPLITS:
        total = sum((words[colour] >> 5 * q & 31).astype(jnp.int32) for colour, q in enumerate(split))
        idle = spare - sum(split)
        totals.append(jnp.where(idle >= 0, total + jnp.minimum(idle, room), _NEVER))
    return jnp.stack(totals)
