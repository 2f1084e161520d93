"""One ply in the arena: which keys it draws from, and what it did to the game, fate's answer written down.

Everything random in a game follows from its seed, its seating and the number of the ply. Nothing depends on the other
games that happen to be played at the same time, so a game is the same alone and among thousands. Two games with one
seed and different seatings share the start and the opening, and nothing else.

How games begin: with the start that fate deals, then some plies at random, so that no two games need be the same. Two
players without dice would play the same game again and again; van Eck and van Wezel 2008 (section 5) therefore make
four legal moves of Othello at random before the players take over. Elsewhere fate deals or throws, or equal moves are
many enough, and games begin at the start. An opening never ends the game: where its next ply would, it stops short.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.game import NOTHING as NOTHING
from ludens.core.game import Game, S, random_action, settle_and_tell, where
from ludens.core.types import Action, Array, Key


class Place(NamedTuple):
    """Where in the randomness a ply stands; arrays of JAX or NumPy."""

    stream: Any  # of the game's play, `uint32[]`
    ply: Any  # actions taken before, `int32[]`


class Ply(NamedTuple):
    """What an action led to."""

    state: Any  # the next position in which somebody decides, or the end
    outcomes: Array  # what fate did on the way, in order, `int32[rolls]`; `NOTHING` fills the rest
    mover: Array  # seat to move now, `int32[]`
    over: Array  # whether the game has ended, `bool[]`
    returns: Array  # `float32[P]`
    allowed: Array  # whether the action was legal, `bool[]`


def opening_stream(seed: int) -> int:
    """The stream of random numbers for the start and the opening of a game: a word of 32 bits."""
    return _hash(f"opening {seed}")


def play_stream(seed: int, seats: Sequence[int]) -> int:
    """The stream for all that follows in a game, by its seed and the number of the contestant in each seat."""
    return _hash(f"play {seed} {' '.join(str(int(number)) for number in seats)}")


def keys(place: Place) -> tuple[Key, Key]:
    """For the mover's decision and for fate's answer."""
    decision, fate = jax.random.split(jax.random.fold_in(jax.random.key(place.stream), place.ply))
    return decision, fate


def settle(game: Game[S], s: S, key: Key) -> tuple[S, Array]:
    """Let fate act until somebody can decide or the game is over; also its outcomes, `int32[rolls]`."""
    # The first of several keys where one is enough, too: a seed stands for the same throws since the first records.
    return settle_and_tell(game, s, jax.random.fold_in(key, 0) if game.rolls == 1 else key)


def act(game: Game[S], s: S, a: Action, fate: Key) -> Ply:
    """The mover's action, then fate's answer."""
    a = jnp.asarray(a, jnp.int32)
    inside = (a >= 0) & (a < game.num_actions)
    allowed = inside & game.legal(s)[jnp.clip(a, 0, game.num_actions - 1)]
    t, outcomes = settle(game, game.apply(s, a), fate)
    return Ply(t, outcomes, game.player(t), game.done(t), game.returns(t), allowed)


@lru_cache(maxsize=32)
def compiled_act(game: Game[Any]) -> Callable[[Place, Any, Any], Ply]:
    """`act` with the keys of its place, for one game."""
    return jax.jit(lambda place, s, a: act(game, s, a, keys(place)[1]))


@lru_cache(maxsize=32)
def compiled_acts(game: Game[Any]) -> Callable[[Place, Any, Any], Ply]:
    """The same for a batch of games, everything `[B]`."""
    return jax.jit(jax.vmap(lambda place, s, a: act(game, s, a, keys(place)[1])))


def acts(padded: Any) -> list[int]:
    """The acts in an array that `NOTHING` fills up, in order."""
    return [int(a) for a in np.ravel(padded) if a != NOTHING]


# ---------------------------------------------------------------------- openings

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


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "little")
