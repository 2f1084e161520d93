"""One ply in the arena: which keys it draws from, and what it did to the game, fate's answer written down.

Everything random in a game follows from its seed, its seating and the number of the ply. Nothing depends on the other
games that happen to be played at the same time, so a game is the same alone and among thousands. Two games with one
seed and different seatings share the start and the opening, and nothing else.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.game import NOTHING as NOTHING
from ludens.core.game import Game, S, settle_and_tell
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


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "little")
