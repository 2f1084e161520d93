"""Exact answers about one Okey hand: is it finished, how far from it, what is it worth, how is it laid out.

A hand is `int8[53]`: how many tiles (0, 1 or 2) of each face, `colour * 13 + number - 1`, and at 52 how many jokers; at
most 15 tiles. A set is a group (one number in 3 or 4 different colours) or a run (3 to `longest_run` consecutive
numbers of one colour, where 1 may follow 13 but then ends the run). Jokers stand for any tile. Runs without a limit
are `longest_run=5`, since any longer run splits into runs of 3, 4 and 5; the thesis stops at 4 or at 5. A set is worth
5 * (length - 1): 10, 15 or 20.

The search is in `groups.py`, its tables are in `runs.py`. `value` searches for the sets worth the most. `distance`
asks for the most real tiles that sets of 14 slots can cover: each joker fills another slot, and what is still open has
to be drawn. A hand of 14 is finished when nothing is open. That a face exists only twice needs no care: where sets
use it three times, the third is a joker's place, and a best cover with at most two of those always exists
(`tests/games/test_melds.py` shows it).

Everything works on one hand under `jit` and `vmap`; `vmap` of a function here is one batch search.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_batching import custom_vmap

from ludens.core.types import Array
from ludens.games.okey import groups
from ludens.games.okey.runs import PLACE, runs

JOKER = 52
"""Index of the jokers in a hand."""
MOST_SETS = 5
"""Sets that 15 tiles can make."""
LONGEST = 5
"""Slots of the longest set."""


class Arrangement(NamedTuple):
    """A best way to lay out a hand: at most five sets of at most five slots, groups before runs."""

    faces: Array
    """Face played in each slot of each set, `int8[5, 5]`; -1 where there is no slot."""
    wild: Array
    """Whether a joker plays the slot, `bool[5, 5]`."""
    value: Array
    """What the sets are worth together, `int32[]`."""


def finished_by_pairs(hand: Array) -> Array:
    """Whether 14 tiles are seven pairs of equal tiles, `bool[]`; a joker completes a pair, two jokers are one."""
    singles = (hand[:JOKER] == 1).sum(dtype=jnp.int8)
    return (hand.sum(dtype=jnp.int8) == 14) & (singles <= hand[JOKER])


def finished_by_sets(hand: Array, *, longest_run: int) -> Array:
    """Whether 14 tiles are all in sets, jokers included, `bool[]`."""
    done: Array = _finished(longest_run)(hand[None])[0]
    return done


def value(hand: Array, *, longest_run: int) -> Array:
    """What the best sets of the hand are worth together, `int32[]`."""
    best: Array = _best_value(longest_run)(hand[None])[0][0]
    return 5 * best


def distance(hand: Array, *, longest_run: int, pairs: bool) -> Array:
    """Fewest tiles to exchange until 14 tiles are finished by sets or, with `pairs`, by seven pairs: `int32[]`.

    Of 15 tiles one is thrown away for nothing.
    """
    covered: Array = _best_cover(longest_run)(hand[None])[0]
    if pairs:
        covered = jnp.maximum(covered, _paired(hand))
    return jnp.maximum(14 - covered - hand[JOKER], 0)


def within(hand: Array, most: Array, *, longest_run: int, pairs: bool) -> Array:
    """Whether `distance` is at most `most` (`int32[]`), `bool[]`: several times as fast as the distance itself."""
    needed = 14 - hand[JOKER] - most
    found: Array = _covers(longest_run)(hand[None], jnp.asarray(needed, jnp.int32)[None])[0]
    if pairs:
        found = found | (_paired(hand) >= needed)
    return found


def arrange(hand: Array, *, longest_run: int) -> Arrangement:
    """Sets of the hand that are worth the most together."""
    best, left = _best_value(longest_run)(hand[None])
    sets = _lay_out(hand, left[0], longest_run)
    return Arrangement(sets.faces.astype(jnp.int8), sets.wild, 5 * best[0])


def values(hands: Array, *, longest_run: int) -> Array:
    """`value` of every hand, `int8[N, 53]` to `int32[N]`."""
    return jax.vmap(partial(value, longest_run=longest_run))(hands)


def distances(hands: Array, *, longest_run: int, pairs: bool) -> Array:
    """`distance` of every hand, `int8[N, 53]` to `int32[N]`."""
    return jax.vmap(partial(distance, longest_run=longest_run, pairs=pairs))(hands)


def _paired(hand: Array) -> Array:
    """Most real tiles that seven pairs can hold, `int8[]`."""
    twice = jnp.minimum((hand[:JOKER] == 2).sum(dtype=jnp.int8), 7)
    singles = (hand[:JOKER] == 1).sum(dtype=jnp.int8)
    return 2 * twice + jnp.minimum(singles, 7 - twice)


# ---------------------------------------------------------------------- batches of hands


def _batched(of_hands: Callable[..., Any]) -> Callable[..., Any]:
    """`of_hands` (`[N, 53]` and other `[N]` to `[N, ...]`), compiled; `vmap` of it is one larger batch."""
    batch = custom_vmap(jax.jit(of_hands))

    @batch.def_vmap
    def flatten(size: int, batched: list[bool], *args: Array) -> tuple[Any, Any]:
        whole = (x if own else jnp.broadcast_to(x, (size, *x.shape)) for x, own in zip(args, batched, strict=True))
        out = batch(*(x.reshape(-1, *x.shape[2:]) for x in whole))
        return jax.tree.map(lambda x: x.reshape(size, -1, *x.shape[1:]), out), jax.tree.map(lambda _: True, out)

    return batch


@cache
def _best_cover(longest_run: int) -> Callable[[Array], Any]:
    """Most real tiles that sets of 14 slots in all can cover: `[N, 53]` to `int32[N]`."""
    score = groups.cover(longest_run)
    return _batched(lambda hands: groups.search(hands, score, floor=-1, count=len(hands), with_jokers=False)[0])


@cache
def _covers(longest_run: int) -> Callable[[Array, Array], Any]:
    """Whether sets of 14 slots in all can cover so many real tiles: `[N, 53]`, `int32[N]` to `bool[N]`."""
    score = groups.cover(longest_run)

    def covers(hands: Array, needed: Array) -> Array:
        best, _ = groups.search(hands, score, floor=needed - 1, count=len(hands), with_jokers=False, first=True)
        return best >= needed

    return _batched(covers)


@cache
def _best_value(longest_run: int) -> Callable[[Array], Any]:
    """Best value / 5, and the patterns that groups leave to runs: `[N, 53]` to `int32[N]` and `int32[N, 4]`."""
    score = groups.value(longest_run)
    return _batched(lambda hands: groups.search(hands, score, floor=-1, count=len(hands), with_jokers=True))


@cache
def _finished(longest_run: int) -> Callable[[Array], Any]:
    """Whether 14 tiles are all in sets, `[N, 53]` to `bool[N]`: a search for the few hands that come close."""
    score = groups.finished(longest_run)

    def finished(hands: Array) -> Array:
        size = len(hands)
        close = jax.vmap(partial(_close, longest_run=longest_run))(hands)
        turn = jnp.cumsum(close, dtype=jnp.int32)
        queue = jnp.zeros(size, jnp.int32)
        queue = queue.at[jnp.where(close, turn - 1, size)].set(jnp.arange(size, dtype=jnp.int32), mode="drop")
        chunk = min(size, max(64, size // 16)) if not groups.lanes_are_free() else size

        def look(carry: tuple[Array, Array]) -> tuple[Array, Array]:
            first, done = carry
            at = first + jnp.arange(chunk, dtype=jnp.int32)
            rows = queue[jnp.minimum(at, size - 1)]
            count = jnp.minimum(turn[-1] - first, chunk)
            best, _ = groups.search(hands[rows], score, floor=0, count=count, with_jokers=True)
            done = done.at[jnp.where(at < turn[-1], rows, size)].set(best > 0, mode="drop")
            return first + chunk, done

        carry = (jnp.int32(0), jnp.zeros(size, bool))
        done: Array = lax.while_loop(lambda carry: carry[0] < turn[-1], look, carry)[1]
        return done

    return _batched(finished)


def _close(hand: Array, longest_run: int) -> Array:
    """Whether 14 tiles may be finished, `bool[]`: no more tiles need a joker beside them than jokers can serve."""
    faces = hand[:JOKER].reshape(4, 13)
    bit = jnp.uint32(1) << jnp.arange(13, dtype=jnp.uint32)
    held = jnp.where(faces > 0, bit, 0).sum(1, dtype=jnp.uint32)
    twice = jnp.where(faces > 1, bit, 0).sum(1, dtype=jnp.uint32)
    line = held | (held & 1) << 13
    first = line & line >> 1 & line >> 2
    in_run = first | first << 1 | first << 2
    red, black, green, yellow = held
    in_group = red & black & (green | yellow) | green & yellow & (red | black)
    alone = held & ~(in_run | in_run >> 13 | in_group)
    needy = (lax.population_count(alone) + lax.population_count(alone & twice)).sum(dtype=jnp.int32)
    return (hand.sum(dtype=jnp.int8) == 14) & (needy <= (longest_run - 1) * hand[JOKER].astype(jnp.int32))


# ---------------------------------------------------------------------- laying out the sets


class _Rest(NamedTuple):
    """What is still to be laid out."""

    grouped: Array
    """Tiles that belong in groups, `int32[4, 13]`."""
    extra: Array
    """Jokers that make a group of three one of four, `int32[]`."""
    running: Array
    """Tiles left to runs, `int32[4, 13]`."""
    jokers: Array
    """Jokers for the runs of each colour, `int32[4]`."""


class _Set(NamedTuple):
    """One set: the face of each slot, `int32[5]`, -1 if unused, and whether a joker plays it, `bool[5]`."""

    faces: Array
    wild: Array


def _lay_out(hand: Array, left: Array, longest_run: int) -> _Set:
    """The sets, `[5, 5]`, when groups leave the patterns `left` (`int32[4]`) to runs."""
    table = jnp.asarray(runs(longest_run).values)
    running = left[:, None] // PLACE % 3
    grouped = hand[:JOKER].reshape(4, 13) - running
    tiles = grouped.sum(0)
    number = jnp.where((grouped == 2).any(0), 2, tiles > 0)
    slots = jnp.maximum(3 * number, tiles)
    spare, room = hand[JOKER] - (slots - tiles).sum(), (4 * number - slots).sum()
    split = jnp.array(groups.SPLITS)[jnp.argmax(groups.joker_splits(table[left], spare, room))]

    def lay(rest: _Rest, _: None) -> tuple[_Rest, _Set]:
        grouping = rest.grouped.sum() > 0
        chosen: tuple[_Rest, _Set] = jax.tree.map(
            partial(jnp.where, grouping), _lay_group(rest), _lay_run(rest, table, longest_run)
        )
        return chosen

    rest = _Rest(grouped, jnp.minimum(spare - split.sum(), room), running, split)
    sets: _Set = lax.scan(lay, rest, None, length=MOST_SETS)[1]
    return sets


def _lay_group(rest: _Rest) -> tuple[_Rest, _Set]:
    """The first group of the lowest number that has any; of two groups the first gets the odd tile."""
    number = jnp.argmax(rest.grouped.sum(0) > 0)
    column = rest.grouped[:, number]
    twice, once = column == 2, column == 1
    size = jnp.where(twice.any(), (column.sum() + 1) // 2, column.sum())
    real = twice | once & (jnp.cumsum(once) <= size - twice.sum())
    extend = ((rest.extra > 0) & (size <= 3)).astype(jnp.int32)
    wild = ~real & (jnp.cumsum(~real) <= jnp.maximum(3 - size, 0) + extend)
    used = real | wild
    at = used & (jnp.cumsum(used) - 1 == jnp.arange(LONGEST)[:, None])
    faces = jnp.where(at.any(1), jnp.argmax(at, axis=1) * 13 + number, -1)
    grouped = rest.grouped - jnp.where(jnp.arange(13) == number, real[:, None], 0)
    return rest._replace(grouped=grouped, extra=rest.extra - extend), _Set(faces, (at & wild).any(1))


def _lay_run(rest: _Rest, table: Array, longest_run: int) -> tuple[_Rest, _Set]:
    """A run that leaves tiles and jokers worth what is missing; an empty set if runs are worth nothing more."""
    windows = [(first, size) for size in range(3, longest_run + 1) for first in range(15 - size)]
    first, size = jnp.array(windows).T
    inside = (first[:, None] <= jnp.arange(14)) & (jnp.arange(14) < (first + size)[:, None])
    index = (rest.running * PLACE).sum(1)
    worth = table[index] >> 5 * rest.jokers.astype(table.dtype) & 31
    colour = jnp.argmax(worth > 0)
    jokers = rest.jokers[colour]
    held = jnp.append(rest.running[colour], rest.running[colour, 0]) > 0
    taken = inside & held
    gaps = size - taken.sum(1)
    remaining = index[colour] - (taken * np.append(PLACE, PLACE[0])).sum(1)
    after = table[remaining] >> 5 * jnp.maximum(jokers - gaps, 0).astype(table.dtype) & 31
    fits = (gaps <= jokers) & (after.astype(jnp.int32) + size - 1 == worth[colour])
    best = jnp.argmax(fits)

    position = first[best] + jnp.arange(LONGEST)
    used = (jnp.arange(LONGEST) < size[best]) & fits[best]
    faces = jnp.where(used, colour * 13 + position % 13, -1)
    wild = used & ~held[jnp.minimum(position, 13)]
    here = (jnp.arange(4) == colour) & fits[best]
    line = taken[best].astype(jnp.int32)
    running = rest.running - jnp.where(here[:, None], line[:13] + line[13] * (jnp.arange(13) == 0), 0)
    return rest._replace(running=running, jokers=rest.jokers - jnp.where(here, gaps[best], 0)), _Set(faces, wild)
