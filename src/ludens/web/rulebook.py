"""The rules of a game as compiled calls on batches of positions."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.arena import ply
from ludens.arena.ply import NOTHING, START, Place, keys
from ludens.core.game import Game, random_action, where
from ludens.core.types import Array
from ludens.web.packing import packing

TOGETHER = 64
"""Positions in a batch. Fewer are filled up: a call of one would save a third of a millisecond, and compiling another
shape takes seconds."""
DRAWN = -1
"""In place of an action: let the lots decide."""


class Seen(NamedTuple):
    """What the rules say of positions, everything `[B]`."""

    mover: Array
    done: Array
    returns: Array
    legal: Array
    views: Any
    """The states as an onlooker and as each seat knows them, `uint8[B, 1 + P, N]`; () where nothing is hidden."""


class Made(NamedTuple):
    """What became of acts, everything `[B]`."""

    action: Array
    allowed: Array
    outcomes: Array
    before: Any
    """The views before it."""
    state: Array
    """What it led to, `uint8[B, N]`."""
    after: Seen


@lru_cache(maxsize=64)
def make_acts(game: Game[Any]) -> Callable[[Place, Any, Any], Made]:
    """Acts (`DRAWN`: any legal one) in a batch of packed states, each at its place in its game's randomness."""
    pack = packing(game)

    def one(place: Place, packed: Array, a: Array) -> Made:
        s = pack.from_bytes(packed)
        choice, fate = keys(place)
        drawn = random_action(game, game.view(s, game.player(s)), choice)
        a = jnp.where(a == DRAWN, drawn, a)
        after = ply.act(game, s, a, fate)
        state = pack.to_bytes(after.state)
        return Made(a, after.allowed, after.outcomes, _views(game, s), state, _seen(game, after.state))

    return jax.jit(jax.vmap(one))


@lru_cache(maxsize=64)
def see(game: Game[Any]) -> Callable[[Any], Seen]:
    """What the rules say of a batch of packed states."""
    pack = packing(game)
    return jax.jit(jax.vmap(lambda packed: _seen(game, pack.from_bytes(packed))))


@lru_cache(maxsize=64)
def settle(game: Game[Any]) -> Callable[[Any, Any], tuple[Any, Array]]:
    """One position after what fate does before the first act, and its outcomes, given the opening's stream."""
    return jax.jit(lambda s, stream: ply.settle(game, s, keys(Place(stream, START))[1]))


def follow(game: Game[Any], s: Any, a: int, outcomes: Sequence[int]) -> Any:
    """One position after an act (`DRAWN`: none) and what fate is known to have done then."""
    padded = np.full(game.rolls, NOTHING, np.int32)
    padded[: len(outcomes)] = outcomes
    return jax.tree.map(np.asarray, _follow(game)(s, np.int32(a), padded))


@lru_cache(maxsize=64)
def _follow(game: Game[Any]) -> Callable[[Any, Any, Any], Any]:
    def known(s: Any, a: Array, outcomes: Array) -> Any:
        def roll(s: Any, c: Array) -> tuple[Any, None]:
            return where(c == NOTHING, s, game.roll(s, c)), None

        s = where(a == DRAWN, s, game.apply(s, a))
        return jax.lax.scan(roll, s, outcomes)[0] if game.rolls else s

    return jax.jit(known)


def _seen(game: Game[Any], s: Any) -> Seen:
    return Seen(game.player(s), game.done(s), game.returns(s), game.legal(s), _views(game, s))


def _views(game: Game[Any], s: Any) -> Any:
    """As each seat knows it; nobody sits at -1, who therefore knows what all know."""
    seats = jnp.arange(-1, game.num_players)
    return jax.vmap(lambda seat: packing(game).to_bytes(game.view(s, seat)))(seats) if game.hidden else ()
