"""Generic ways to walk a game: random playouts and perft. Plain on purpose; referees for everything faster."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.game import Game, S, random_action, step
from ludens.core.types import Array, Key


def playout(game: Game[S], s: S, key: Key, limit: int | None = None) -> tuple[S, Array]:
    """Random play from `s` to the end or to `limit` actions (default: the game's own limit).

    Returns the last state and the number of actions taken, `int32[]`.
    """
    most = game.turn_limit if limit is None else limit

    def ongoing(carry: tuple[S, Key, Array]) -> Array:
        s, _, turns = carry
        return ~game.done(s) & (turns < most)

    def turn(carry: tuple[S, Key, Array]) -> tuple[S, Key, Array]:
        s, key, turns = carry
        key, choose, fate = jax.random.split(key, 3)
        return step(game, s, random_action(game, s, choose), fate), key, turns + 1

    s, _, turns = lax.while_loop(ongoing, turn, (s, key, jnp.int32(0)))
    return s, turns


def perft(game: Game[S], s: S, depth: int, batch: int = 8192) -> list[int]:
    """How many ways the next 1, 2, ..., `depth` acts can go.

    An act is a player's action or, where fate is due, one outcome of positive probability. A game that is over counts
    as one leaf at every deeper depth. The tree is walked depth first in batches, so memory stays small.
    """
    counts = np.zeros(depth, np.int64)

    def walk(states: Any, level: int) -> None:
        """Count below `states`, a batch `[N]` at depth `level`."""
        acts, over = _acts(game)(*states)
        counts[level:] += int(over.sum())
        counts[level] += int(acts.sum())
        if level + 1 == depth:
            return
        rows, columns = np.nonzero(acts)
        for start in range(0, len(rows), batch):
            some = slice(start, start + batch)
            walk(_expand(game, states, rows[some], columns[some], batch), level + 1)

    if depth > 0:
        walk((_pad(jax.tree.map(lambda x: np.asarray(x)[None], s), batch), np.arange(batch) < 1), 0)
    return [int(count) for count in counts]


def tree(game: Game[S], s: S) -> Iterator[S]:
    """Every state one act away from `s`: the mover's actions, or fate's outcomes where fate is due."""
    acts: Callable[[S, int], S] = game.roll if game.rolls and bool(game.chance(s).sum() > 0) else game.apply
    mask = game.chance(s) > 0 if acts == game.roll else game.legal(s)
    for a in np.flatnonzero(np.asarray(mask)):
        yield acts(s, int(a))


@lru_cache(maxsize=16)
def _acts(game: Game[Any]) -> Callable[..., Any]:
    """Compiled: acts `bool[N, max(A, C)]` open in each state, and which states are over `bool[N]`."""
    width = max(game.num_actions, game.num_chance)

    def one(s: Any, real: Array) -> tuple[Array, Array]:
        open_acts = jnp.pad(game.legal(s), (0, width - game.num_actions))
        if game.rolls:
            outcomes = game.chance(s) > 0
            open_acts = jnp.where(outcomes.any(), jnp.pad(outcomes, (0, width - game.num_chance)), open_acts)
        over = game.done(s)
        return open_acts & real & ~over, over & real

    compiled = jax.jit(jax.vmap(one))
    return lambda states, real: jax.tree.map(np.asarray, compiled(states, real))


@lru_cache(maxsize=16)
def _act(game: Game[Any]) -> Callable[..., Any]:
    """Compiled: carry out one act per state, fate's where fate is due."""

    def one(s: Any, a: Array) -> Any:
        moved = game.apply(s, a)
        if not game.rolls:
            return moved
        due = game.chance(s).sum() > 0
        rolled = game.roll(s, jnp.minimum(a, game.num_chance - 1))
        return jax.tree.map(lambda x, y: jnp.where(due, x, y), rolled, moved)

    return jax.jit(jax.vmap(one))


def _expand(game: Game[Any], states: Any, rows: Any, columns: Any, batch: int) -> Any:
    """The batch of successors of `states[rows]` under acts `columns`, padded to `batch`."""
    parents = jax.tree.map(lambda x: _pad(np.asarray(x)[rows], batch), states[0])
    moved = _act(game)(parents, _pad(columns.astype(np.int32), batch))
    return jax.tree.map(np.asarray, moved), np.arange(batch) < len(rows)


def _pad(tree_of_arrays: Any, batch: int) -> Any:
    """Repeat the first row until every array has `batch` rows."""

    def fill(x: Any) -> Any:
        return np.concatenate([x, np.repeat(x[:1], batch - len(x), axis=0)])

    return jax.tree.map(fill, tree_of_arrays)
