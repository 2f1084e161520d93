"""The rewards of the thesis on Okey: what its agents were paid for drawing and discarding, beside the rules.

Source. I. Uygun, "Playing the Turkish tile game Okey with deep reinforcement learning", 2019, section 3.1. A hand is
worth 10 for each set of three tiles, 15 for one of four and 20 for one of five. Drawing pays what it adds to that,
discarding what it takes away, and 5 more for a free tile, one whose loss breaks no set.
"""

import jax.numpy as jnp

from ludens.core.types import Action, Array
from ludens.games.melds import value
from ludens.games.okey import FIRST_DISCARD, KINDS, SHOW, Okey, State

FREE = 5.0
"""For discarding a tile that no set needs."""
SPARSE = 100.0
"""For winning, and as much less for losing, where nothing is paid on the way."""


def hand_value(game: Okey, hand: Array) -> Array:
    """What the best sets of `hand` (`int8[53]`) are worth together, `float32[]`."""
    return value(hand, longest_run=game.longest_run or 5).astype(jnp.float32)


def paper_reward(game: Okey, s: State, a: Action, t: State) -> Array:
    """What the mover's act from `s` to `t`, the next decision, earns each seat, `float32[P]`: only the mover is paid.

    Views will do: after a draw the mover still decides, and what a discard leaves is seen before it. Showing the
    indicator's twin pays nothing.
    """
    before = s.hands[s.turn]
    throws = (a >= FIRST_DISCARD) & (a < FIRST_DISCARD + KINDS)
    thrown = (jnp.arange(KINDS) == a - FIRST_DISCARD).astype(before.dtype)
    after = jnp.where(throws, before - thrown, t.hands[s.turn])
    gained = hand_value(game, after) - hand_value(game, before)
    earned = jnp.where(a == SHOW, 0, gained + FREE * (throws & (gained == 0)))
    return jnp.where(jnp.arange(game.players) == s.turn, earned, 0.0).astype(jnp.float32)


def sparse_reward(game: Okey, t: State) -> Array:
    """+100 for the winners and -100 for the losers of the deal that ends in `t`, `float32[P]`."""
    return SPARSE * jnp.sign(game.returns(t))
