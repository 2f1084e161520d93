"""What the rules say about one's choices, for nets that would take long to find it out themselves.

`insight(game, view)` is a row of numbers for each action. It holds nothing that the mover does not know and no opinion
about what is good: as a net for Othello may see where discs can be placed, one for Okey may see how many tiles a hand
would miss after an act, and which acts leave it as close to a finished one as can be.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ludens.core.game import Game
from ludens.core.types import Array
from ludens.games.okey import DISCARD, FIRST_DISCARD, KINDS, Okey, State
from ludens.games.okey.melds import distance
from ludens.players.okey_encoding import TILES, tiles

FARTHEST = 8
"""Tiles that may be missing before it makes no difference any more."""


def insight(game: Game[Any], view: Any) -> Array:
    """What the rules say about each action to who moves in `view`, `float32[A, F]`; zeros where it is not legal.

    ValueError for a game about which they say nothing more.
    """
    if game.id not in INSIGHTS:
        raise ValueError(f"nets have no insight into {game.id}: expected one of {', '.join(INSIGHTS)}, or none")
    return INSIGHTS[game.id](game, view)


def okey(game: Okey, view: State) -> Array:
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


INSIGHTS: dict[str, Callable[[Any, Any], Array]] = {"okey": okey}
"""By the game's id."""
