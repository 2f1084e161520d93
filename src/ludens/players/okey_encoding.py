"""How the thesis on Okey shows the game to its nets (chapter 3).

    drawing      `float32[107]`: the hand as 52 counts (red, black, green, yellow) and the number of jokers; the tile
                 that can be taken, one-hot, with a flag for the joker; the number of tiles left in the centre
    discarding   `float32[53]`: the hand
    discards     15: the tiles of the hand, one output each, in the order of the counts

Chapter 5 wishes for more: `all_discards` adds the tiles that lie before each seat, 53 counts a seat from the mover on.
"""

import jax.numpy as jnp

from ludens.core.types import Array
from ludens.games.okey import FIRST_DISCARD, KINDS, Okey, State

DRAWING, DISCARDING = 2 * KINDS + 1, KINDS
TILES = 15
"""In the hand of who must discard."""


def drawing(view: State) -> Array:
    """What the draw actor sees, `float32[107]`."""
    offer = jnp.arange(KINDS) == view.offer
    return jnp.concatenate([discarding(view), offer.astype(jnp.float32), view.left[None].astype(jnp.float32)])


def discarding(view: State) -> Array:
    """What the discard actor and the critic see, `float32[53]`."""
    return view.hands[view.turn].astype(jnp.float32)


def all_discards(game: Okey, view: State) -> Array:
    """The tiles that lie before each seat, counted from the mover on, `float32[53 P]`."""
    order = (view.turn + jnp.arange(game.players)) % game.players
    return view.discards[order].astype(jnp.float32).reshape(-1)


def tiles(view: State) -> Array:
    """The kinds of the mover's tiles in ascending order, `int32[15]`; -1 after the last, if there are fewer."""
    ends = jnp.cumsum(view.hands[view.turn].astype(jnp.int32))
    place = jnp.arange(TILES, dtype=jnp.int32)
    kind = (ends <= place[:, None]).sum(axis=1, dtype=jnp.int32)
    return jnp.where(place < ends[-1], kind, -1)


def discard(view: State, place: Array) -> Array:
    """The game's action that throws the tile at `place` (`int32[]`, 0 to 14), `int32[]`."""
    return FIRST_DISCARD + tiles(view)[place]
