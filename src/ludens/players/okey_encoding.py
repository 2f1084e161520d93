"""How the thesis on Okey shows the game to its nets (chapter 3).

    drawing      `float32[107]`: the hand as 52 counts (red, black, green, yellow) and the number of jokers; the tile
                 that can be taken, one-hot, with a flag for the joker; the number of tiles left in the centre
    discarding   `float32[53]`: the hand
    discards     15: the tiles of the hand, one output each, in the order of the counts

Chapter 5 wishes for more: `all_discards` adds the tiles that lie before each seat, 53 counts a seat from the mover on.
"""

import jax
import jax.numpy as jnp

from ludens.core.types import Array
from ludens.games.okey import DISCARD, FIRST_DISCARD, KINDS, Okey, State
from ludens.games.okey.melds import distance

DRAWING, DISCARDING = 2 * KINDS + 1, KINDS
TILES = 15
"""In the hand of who must discard."""
FARTHEST = 8
"""Tiles that may be missing before it makes no difference any more."""


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


def insight(game: Okey, view: State) -> Array:
    """What is missing after each act, `float32[A, 3]`.

    The number of tiles, as a share of `FARTHEST`; whether no other act leaves fewer missing; and whether none is
    missing, which finishes. Drawing from the centre counts as if the tile were of no use.
    """
    hand, throwing = view.hands[view.turn], view.phase == DISCARD
    held = tiles(view)  # [15]
    without = hand - (jnp.arange(KINDS) == held[:, None]).astype(hand.dtype)  # [15, 53]
    taken = hand + (jnp.arange(KINDS) == view.offer).astype(hand.dtype)
    # Who draws asks two questions, who discards fifteen: an empty hand is no question and takes no time.
    drawing = jnp.zeros((TILES, KINDS), hand.dtype).at[0].set(hand).at[1].set(taken)
    asked = jnp.where(throwing, without, drawing)
    missing = jax.vmap(lambda hand: distance(hand, longest_run=game.longest_run or 5, pairs=bool(game.pairs)))(asked)
    each = jnp.arange(game.num_actions)
    places = jnp.where(throwing, FIRST_DISCARD + held, jnp.arange(TILES))
    here = (each[:, None] == places) & (~throwing | (held >= 0))  # [A, 15]
    after = jnp.where(here, missing, TILES).min(axis=1)  # equal tiles miss the same
    legal = game.legal(view)
    fewest = jnp.where(legal, after, TILES).min()
    told = jnp.stack([jnp.minimum(after, FARTHEST) / FARTHEST, after == fewest, (after == 0) & throwing], axis=1)
    return jnp.where(legal[:, None], told, 0).astype(jnp.float32)
