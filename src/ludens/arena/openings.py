"""How games begin: the start that fate deals, then some plies at random, so that no two games need be the same.

Two players without dice would play the same game again and again. Van Eck and van Wezel 2008 (section 5) therefore
make four legal moves of Othello at random before the players take over. Elsewhere fate deals or throws, or equal moves
are many enough, and games begin at the start.

An opening never ends the game: where its next ply would, it stops short of it.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ludens.arena.ply import Place, act, keys, settle
from ludens.core.game import NOTHING, Game, random_action, where
from ludens.core.types import Array

RANDOM_PLIES = {"othello": 4}
"""Plies of the usual opening by game; none elsewhere."""


START = 2**31 - 1  # the number of the ply before the first


class Opening(NamedTuple):
    """How a game begins."""

    start: Any  # as `game.init` dealt it
    state: Any  # where the players take over
    mover: Array  # who moves there, `int32[]`
    actions: Array  # the random plies, `int32[plies]`; `NOTHING` for those that were left out
    outcomes: Array  # what fate did, before the first ply and after each, `int32[plies + 1, rolls]`


def usual_plies(game: Game[Any]) -> int:
    """Random plies before a match game of this kind."""
    return RANDOM_PLIES.get(game.id, 0)


def checked_plies(game: Game[Any], plies: int | None) -> int:
    """`plies` if a game can open with as many, the usual number if None; ValueError says what was expected."""
    plies = usual_plies(game) if plies is None else plies
    if not 0 <= plies < game.turn_limit:
        raise ValueError(f"an opening of {plies} plies does not fit {game.id}: expected 0 to {game.turn_limit - 1}")
    return plies


@lru_cache(maxsize=64)
def compiled_openings(game: Game[Any], plies: int) -> Callable[[Any], Opening]:
    """Openings for a batch of streams, `uint32[B]`."""
    return jax.jit(jax.vmap(lambda stream: opening(game, stream, plies)))


def opening(game: Game[Any], stream: Array, plies: int) -> Opening:
    """The start and the random plies that follow from a game's opening stream, `uint32[]`."""
    deal, fate = keys(Place(stream, START))
    start = game.init(deal)
    s, first = settle(game, start, fate)

    def ply(carry: tuple[Any, Array], number: Array) -> tuple[tuple[Any, Array], tuple[Array, Array]]:
        s, going = carry
        choice, fate = keys(Place(stream, number))
        a = random_action(game, s, choice)
        after = act(game, s, a, fate)
        going = going & ~after.over
        s = where(going, after.state, s)
        return (s, going), (jnp.where(going, a, NOTHING), jnp.where(going, after.outcomes, NOTHING))

    (s, _), (actions, outcomes) = lax.scan(ply, (s, jnp.bool_(True)), jnp.arange(plies, dtype=jnp.int32))
    return Opening(start, s, game.player(s), actions, jnp.concatenate([first[None], outcomes]))
