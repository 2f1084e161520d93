"""Everything that play can lead to in a game, found through the contract alone.

A position is known by its key, 64 bits mixed from all numbers of its state. That two of ten million positions have the
same key has a probability of 3 in a million.

Shapes: `N` positions in the order of their keys, `E` arrows, `A` actions, `C` outcomes of fate.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.game import Game, S, random_action, sign, step
from ludens.core.types import Array

MOST_POSITIONS, MOST_ARROWS = 10_000_000, 120_000_000
"""What is found at most, so that memory is bounded."""
FEW, MANY = 64, 4096
"""Positions looked at together: one compiled program for plies with a handful, one for the others."""
DRAWS, MOST_STARTS = 1 << 18, 1 << 13
"""Starts that are drawn, as games may deal or throw before the first decision, and how many may be different: each of
so few is met for certain, if they are about equally likely."""
LANES, PLIES, SURE = 1 << 14, 64, 3.0
"""Random games that tell how large a game must be, how long they are followed, and deviations of luck allowed for."""


class Positions(NamedTuple):
    keys: np.ndarray  # `uint64[N]`, in order
    first: np.ndarray  # `int64[N + 1]`: position i has the arrows from `first[i]` up to `first[i + 1]`
    to: np.ndarray  # `int32[E]`
    again: np.ndarray  # whether the same side is to move there, `bool[E]`
    odds: np.ndarray  # of outcomes of fate, `float32[E]`; 0 for moves
    fate: np.ndarray  # whether fate is due, `bool[N]`
    over: np.ndarray  # `bool[N]`
    final: np.ndarray  # results of finished games to whoever would be to move, `float32[N]`
    starts: np.ndarray  # positions in which a game begins, `int64[...]`
    weights: np.ndarray  # and how often each of them does, adding up to 1


class Seen(NamedTuple):
    """A position, and where everything leads that can be done there: `W = A + C` acts."""

    key: Any  # `uint32[2]`
    acts: Any  # which of them there are, `bool[W]`
    after: Any  # keys, `uint32[W, 2]`
    again: Any  # `bool[W]`
    odds: Any  # `float32[W]`
    over: Any
    final: Any
    balance: Any  # the sum of all results, 0 in a game in which what one wins the other loses


def key_of(s: Any) -> Array:
    """64 bits that stand for a state, `uint32[2]`."""
    numbers = jnp.concatenate([_numbers(leaf) for leaf in jax.tree.leaves(s)])
    places = np.arange(1, numbers.shape[0] + 1, dtype=np.uint64)
    salts = [jnp.asarray((places * odd & 0xFFFFFFFF).astype(np.uint32)) for odd in (0x9E3779B1, 0x85EBCA77)]
    return jnp.stack([_mixed(_mixed(numbers + salt).sum(dtype=jnp.uint32)) for salt in salts])


def _numbers(leaf: Array) -> Array:
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    if jnp.issubdtype(leaf.dtype, jnp.floating):
        leaf = jax.lax.bitcast_convert_type(leaf.astype(jnp.float32), jnp.uint32)
    return leaf.reshape(-1).astype(jnp.uint32)


def _mixed(x: Array) -> Array:
    """Every bit of a word depends on every bit of `x`: the last step of MurmurHash3."""
    x = (x ^ (x >> 16)) * jnp.uint32(0x85EBCA6B)
    x = (x ^ (x >> 13)) * jnp.uint32(0xC2B2AE35)
    return x ^ (x >> 16)


def whole(keys: Any) -> np.ndarray:
    """Keys `uint32[..., 2]` as one word each, `uint64[...]`."""
    pair = np.asarray(keys).astype(np.uint64)
    return pair[..., 0] << np.uint64(32) | pair[..., 1]


def enumerated(game: Game[S], progress: Callable[[float], None]) -> Positions:
    """All positions and arrows; ValueError where there are too many, or the game is none that can be solved."""
    refuse_if_larger(game)
    latest, starts, weights = _starts(game)
    known, parts, arrows, count = _Known(starts), [], 0, 0
    share = 0.0
    while latest is not None:
        met, fresh = [], []
        for states, rows in _batches(latest):
            seen: Seen = jax.tree.map(lambda x, rows=rows: np.asarray(x)[:rows], _look(game)(states))
            _check(game, seen, states)
            row, act = np.nonzero(seen.acts)
            keys = whole(seen.after)[row, act]
            parts.append((whole(seen.key), seen.acts.sum(axis=1), keys, seen.again[row, act], seen.odds[row, act],
                          (seen.odds > 0).any(axis=1), seen.over, seen.final))  # fmt: skip
            arrows, count = arrows + len(keys), count + rows
            if arrows > MOST_ARROWS:
                raise ValueError(f"{game.id} has more than {MOST_ARROWS:,} moves in this variant: expected fewer")
            new, at = np.unique(keys, return_index=True)
            new, at = new[mask := ~known.has(new)], at[mask]
            met.append(new)
            fresh.append(_follow(game, states, row[at], act[at]))
            known.add(new)
            if known.size > MOST_POSITIONS:
                raise ValueError(_too_large(game))
            share = max(share, count / known.size)
            progress(share)
        joined = jax.tree.map(lambda *leaves: np.concatenate(leaves), *fresh)
        latest = joined if sum(map(len, met)) else None
    key, moves, to, again, odds, fate, over, final = map(np.concatenate, zip(*parts, strict=True))
    parts.clear()
    return _in_order(key, moves, to, again, odds, fate, over, final, starts, weights)


def _in_order(
    key: Any, moves: Any, to: Any, again: Any, odds: Any, fate: Any, over: Any, final: Any, starts: Any, weights: Any
) -> Positions:
    """Positions as they were found, in the order of their keys; arrows point at places in that order."""
    order = np.argsort(key)
    keys = key[order]
    begins = np.cumsum(moves) - moves
    rows = ranges(begins[order], moves[order])
    first = np.concatenate([[0], np.cumsum(moves[order])])
    to = np.searchsorted(keys, to[rows]).astype(np.int32)
    at = np.searchsorted(keys, starts)
    return Positions(keys, first, to, again[rows], odds[rows], fate[order], over[order], final[order], at, weights)


def ranges(begins: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """`begins[0], begins[0] + 1, ...` for so many, then those from `begins[1]`, and so on: `int64[sum]`."""
    ends = np.cumsum(lengths)
    places: np.ndarray = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - (ends - lengths), lengths)
    return places


def refuse_if_larger(game: Game[S]) -> None:
    """ValueError if random games show, within seconds, that there are more positions than could be found.

    Of `n` draws from `m` positions at least `n^2 / 2m` pairs are expected to be the same, however they are drawn; so
    few pairs among the positions after equally many plies mean many positions.
    """
    states, keys, open_games = _random_starts(game)(jax.random.key(0))
    for ply in range(PLIES):
        met = whole(keys)[np.asarray(open_games)]
        if len(met) < LANES / 2:
            return
        counts = np.unique(met, return_counts=True)[1].astype(float)
        pairs = float((counts * (counts - 1) / 2).sum())
        if len(met) ** 2 / 2 / (pairs + SURE * pairs**0.5 + SURE) > MOST_POSITIONS:
            raise ValueError(_too_large(game))
        states, keys, open_games = _random_ply(game)(states, jax.random.key(1 + ply))


def _too_large(game: Game[Any]) -> str:
    limit = f"at most {MOST_POSITIONS:,} positions"
    return f"{game.id} is too large to be solved in this variant: expected {limit}"


def _check(game: Game[Any], seen: Seen, states: Any) -> None:
    """ValueError if these are no positions of a game that can be solved."""
    bad = np.flatnonzero(~seen.over & ~seen.acts.any(axis=1))
    if bad.size:
        shown = game.show(jax.tree.map(lambda x: x[bad[0]], states))
        raise ValueError(f"{game.id} leaves nothing to do in '{shown}': expected a legal action, a roll or the end")
    if (np.abs(seen.balance[seen.over]) > 1e-6).any():
        raise ValueError(f"{game.id} has results that do not add up to 0: expected one's win to be the other's loss")


class _Known:
    """Keys met so far: most of them in one sorted array, the latest in a small one, so that adding few is cheap."""

    def __init__(self, keys: np.ndarray) -> None:
        self.most, self.latest = np.sort(keys), keys[:0]

    @property
    def size(self) -> int:
        return len(self.most) + len(self.latest)

    def has(self, keys: np.ndarray) -> np.ndarray:
        known: np.ndarray = _within(keys, self.most) | _within(keys, self.latest)
        return known

    def add(self, keys: np.ndarray) -> None:
        self.latest = np.sort(np.concatenate([self.latest, keys]), kind="stable")
        if len(self.latest) > len(self.most) / 8:
            self.most, self.latest = np.sort(np.concatenate([self.most, self.latest]), kind="stable"), keys[:0]


def _within(keys: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Which of `keys` are in the sorted array `known`, `bool[...]`."""
    if not len(known):
        return np.zeros(len(keys), bool)
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: np.ndarray = known[at] == keys
    return found


def _batches(states: Any) -> Any:
    """`states` in batches of one size, the last filled up with its own last, and how many of each are real."""
    size = len(jax.tree.leaves(states)[0])
    batch = FEW if size <= FEW else MANY
    for start in range(0, size, batch):
        rows = np.minimum(np.arange(start, start + batch), size - 1)
        yield jax.tree.map(lambda x, rows=rows: x[rows], states), min(batch, size - start)


def _starts(game: Game[S]) -> tuple[Any, np.ndarray, np.ndarray]:
    """Distinct starts, their keys, and how often each is drawn."""
    draw = jax.jit(jax.vmap(lambda key: (s := game.init(key), key_of(s))))
    some = jax.random.split(jax.random.key(0), (DRAWS // MANY, MANY))
    drawn = [jax.tree.map(np.asarray, draw(keys)) for keys in some]
    states, pairs = jax.tree.map(lambda *leaves: np.concatenate(leaves), *drawn)
    keys, at, counts = np.unique(whole(pairs), return_index=True, return_counts=True)
    if len(keys) > MOST_STARTS:
        raise ValueError(f"{game.id} begins in more than {MOST_STARTS:,} ways in this variant: expected fewer")
    return jax.tree.map(lambda x: x[at], states), keys, counts / counts.sum()


def _follow(game: Game[S], states: Any, rows: np.ndarray, acts: np.ndarray) -> Any:
    """The states after acts `[M]` in `states[rows]`, on the host."""
    size, batch = len(rows), len(jax.tree.leaves(states)[0])
    parts = [jax.tree.map(lambda x: x[:0], states)]
    for start in range(0, size, batch):
        some = np.minimum(np.arange(start, start + batch), size - 1)
        after = _act(game)(jax.tree.map(lambda x, some=some: x[rows[some]], states), acts[some])
        parts.append(jax.tree.map(lambda x, real=size - start: np.asarray(x)[:real], after))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


# ---------------------------------------------------------------------- compiled, once for each game


def _acted(game: Game[S], s: S, act: Array) -> S:
    """The state after action `act`, or after the outcome `act - A` of fate."""
    moved = game.apply(s, act)
    if not game.rolls:
        return moved
    is_move = act < game.num_actions
    rolled = game.roll(s, jnp.maximum(act - game.num_actions, 0))
    after: S = jax.tree.map(lambda x, y: jnp.where(is_move, x, y), moved, rolled)
    return after


@lru_cache(maxsize=4)
def _act(game: Game[Any]) -> Callable[..., Any]:
    return jax.jit(jax.vmap(lambda s, act: _acted(game, s, act)))


@lru_cache(maxsize=4)
def _look(game: Game[Any]) -> Callable[..., Any]:
    def one(s: Any) -> Seen:
        odds = jnp.concatenate([jnp.zeros(game.num_actions), game.chance(s)]).astype(jnp.float32)
        over = game.done(s)
        moves = jnp.pad(game.legal(s), (0, game.num_chance))
        acts = jnp.where((odds > 0).any(), odds > 0, moves) & ~over

        def after(act: Array) -> tuple[Array, Array]:
            t = _acted(game, s, act)
            return key_of(t), sign(game, s, t) > 0

        keys, again = jax.vmap(after)(jnp.arange(acts.shape[0], dtype=jnp.int32))
        results = game.returns(s)
        return Seen(key_of(s), acts, keys, again, odds, over, results[game.player(s)], results.sum())

    return jax.jit(jax.vmap(one))


@lru_cache(maxsize=4)
def _random_starts(game: Game[Any]) -> Callable[..., Any]:
    def one(key: Any) -> Any:
        s = game.init(key)
        return s, key_of(s), ~game.done(s)

    return jax.jit(lambda key: jax.vmap(one)(jax.random.split(key, LANES)))


@lru_cache(maxsize=4)
def _random_ply(game: Game[Any]) -> Callable[..., Any]:
    def one(s: Any, key: Any) -> Any:
        choose, fate = jax.random.split(key)
        t = step(game, s, random_action(game, s, choose), fate)
        return t, key_of(t), ~game.done(t)

    return jax.jit(lambda states, key: jax.vmap(one)(states, jax.random.split(key, LANES)))
