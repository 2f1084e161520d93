"""Regret: what a move loses against perfect play, and how often a move is a best one.

The regret of a move is the value of the best move less its own: in Ur a chance of winning, elsewhere 1 for a win that
became a draw or a draw that became a loss, 2 for a win thrown away altogether. Distances do not count: a slower win is
still a win.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.game import S, random_action, step
from ludens.core.player import Player
from ludens.core.types import Array, Key
from ludens.oracles.oracle import Lookup, Oracle

LANES = 256
"""Random games that `positions` plays together."""
STRETCH = 64
"""Turns of these between looks at whether all are over."""
MOST_ROUNDS = 1000
"""Times that it does so before it gives up looking for undecided positions."""


class Summary(NamedTuple):
    """How well somebody decided."""

    moves: int
    """Decisions looked at."""
    mean_regret: float
    """What a decision lost on average; NaN if there was none."""
    best: float
    """The share of decisions that lost nothing; NaN if there was none."""


@partial(jax.jit, static_argnums=0)
def regrets(oracle: Oracle[S], table: Lookup, states: S, actions: Array) -> tuple[Array, Array]:
    """What legal `actions` `int32[N]` in `states` `[N]` lost, `float32[N]`, and which were best, `bool[N]`."""

    def one(s: S, a: Array) -> Array:
        values = oracle.values(table, s)
        return values.max() - values[a]

    lost = jax.vmap(one)(states, actions)
    best = lost <= oracle.tolerance
    return jnp.where(best, 0.0, lost), best


def summary(lost: Any, best: Any) -> Summary:
    """The figures for moves that lost `float[N]` and were best or not `bool[N]`."""
    lost, best = np.asarray(lost, np.float64), np.asarray(best)
    if not lost.size:
        return Summary(0, float("nan"), float("nan"))
    return Summary(lost.size, float(lost.mean()), float(best.mean()))


def regret_of(oracle: Oracle[S], table: Lookup, player: Player[S], params: Any, states: S, key: Key) -> Summary:
    """How well `player` decides in `states` `[N]`, once in each; none may be finished or wait for fate."""
    return summary(*_judge(oracle, player, table, params, states, key))


def positions(oracle: Oracle[S], table: Lookup, n: int, key: Key, *, undecided: bool = True) -> S:
    """`n` decisions that random play leads to, from whole games and drawn from all of them alike: states `[n]`.

    `undecided` leaves out those in which every legal move has the same value, so nothing can be lost. ValueError if
    random play does not meet enough.
    """
    if n < 1:
        raise ValueError(f"{n} positions were asked for: expected 1 or more")
    table = {name: jnp.asarray(array) for name, array in table.items()}
    key, order = jax.random.split(key)
    found: list[S] = []
    count = 0
    for game_key in jax.random.split(key, MOST_ROUNDS):
        for states, wanted in _random_games(oracle, table, game_key, undecided):
            found.append(jax.tree.map(lambda x, rows=wanted: x[rows], states))
            count += int(wanted.sum())
        if count >= n:
            break
    else:
        raise ValueError(f"random play in {oracle.game.id} met {count} such positions: expected {n}")
    rows = np.asarray(jax.random.permutation(order, count)[:n])
    drawn: S = jax.tree.map(lambda *parts: jnp.asarray(np.concatenate(parts)[rows]), *found)
    return drawn


@partial(jax.jit, static_argnums=(0, 1))
def _judge(
    oracle: Oracle[S], player: Player[S], table: Lookup, params: Any, states: S, key: Key
) -> tuple[Array, Array]:
    """Let `player` decide in every state, and judge it."""
    game = oracle.game
    views = jax.vmap(lambda s: game.view(s, game.player(s)))(states)
    keys = jax.random.split(key, len(jax.tree.leaves(states)[0]))
    judged: tuple[Array, Array] = regrets(oracle, table, states, player.act_batch(params, keys, views).action)
    return judged


def _random_games(oracle: Oracle[S], table: Lookup, key: Key, undecided: bool) -> Iterator[tuple[Any, Any]]:
    """Whole random games, a stretch at a time: states `[STRETCH, LANES]`, and which of them are wanted, `bool`."""
    deal, moves = jax.random.split(key)
    states = jax.vmap(oracle.game.init)(jax.random.split(deal, LANES))
    for turns_key in jax.random.split(moves, -(-oracle.game.turn_limit // STRETCH)):
        states, visited, over = _stretch(oracle, undecided, table, states, turns_key)
        yield jax.tree.map(np.asarray, visited)
        if bool(over):
            return


@partial(jax.jit, static_argnums=(0, 1))
def _stretch(oracle: Oracle[S], undecided: bool, table: Lookup, states: S, key: Key) -> tuple[S, Any, Array]:
    """`STRETCH` turns of random play: where they lead, what they visit, and whether all games are over."""
    game = oracle.game

    def turn(s: S, key: Key) -> tuple[S, Array]:
        """The next state, and whether `s` is wanted."""
        wanted = ~game.done(s)
        if undecided:
            values = oracle.values(table, s)
            worst = jnp.where(game.legal(s), values, jnp.inf).min()
            wanted = wanted & (values.max() - worst > oracle.tolerance)
        choose, fate = jax.random.split(key)
        return step(game, s, random_action(game, s, choose), fate), wanted

    def turns(states: S, key: Key) -> tuple[S, tuple[S, Array]]:
        after, wanted = jax.vmap(turn)(states, jax.random.split(key, LANES))
        return after, (states, wanted)

    after, visited = lax.scan(turns, states, jax.random.split(key, STRETCH))
    return after, visited, jax.vmap(game.done)(after).all()
