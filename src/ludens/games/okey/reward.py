"""The rewards of the thesis on Okey: what its agents were paid for drawing and discarding, beside the rules.

Source. I. Uygun, "Playing the Turkish tile game Okey with deep reinforcement learning", 2019, section 3.1. A hand is
worth 10 for each set of three tiles, 15 for one of four and 20 for one of five. Drawing pays what it adds to that,
discarding what it takes away, and 5 more for a free tile, one whose loss breaks no set.
"""

import jax.numpy as jnp

from ludens.core.types import Action, Array
from ludens.games.okey.game import FIRST_DISCARD, KINDS, SHOW, Okey, State
from ludens.games.okey.melds import distance, value

MOST = 20.0
"""The most that one act earns."""
FREE = 5.0
"""For discarding a tile that no set needs."""
CLOSER = 0.05
"""For a tile fewer that is missing, in units of a won deal."""
LEAD = 0.15
"""For a tile fewer that is missing where it is taken from the others, in the same units."""
HURRY = 0.002
"""What each act costs, in the same units."""
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
    before, after, throws = _hands(s, a, t)
    gained = hand_value(game, after) - hand_value(game, before)
    earned = jnp.where(a == SHOW, 0, gained + FREE * (throws & (gained == 0)))
    return jnp.where(jnp.arange(game.players) == s.turn, earned, 0.0).astype(jnp.float32)


def sparse_reward(game: Okey, t: State) -> Array:
    """+100 for the winners and -100 for the losers of the deal that ends in `t`, `float32[P]`."""
    return SPARSE * jnp.sign(game.returns(t))


def closer_reward(game: Okey, s: State, a: Action, t: State) -> Array:
    """The result, and a twentieth of it for each tile that the mover's hand comes closer to a finished one.

    Moving away costs what coming closer earned, so nothing is to be gained on the way by going back and forth, and over
    a whole deal the result and how close the last hand was are left (shaping by a potential, Ng et al. 1999). Each act
    costs a little: without that a net that plays itself finds out that two who only take each other's discards empty
    no centre, and never lose.
    """
    step = jnp.where(jnp.arange(game.players) == s.turn, CLOSER * _closer(game, s, a, t) - HURRY, 0.0)
    return (game.returns(t) + step).astype(jnp.float32)


def race_reward(game: Okey, s: State, a: Action, t: State) -> Array:
    """The result, and `LEAD` for each tile that the mover comes closer, for its side; the other sides pay it together.

    As `closer_reward`, but what others gain costs: who throws a tile that the next seat can use is told so at once,
    and not at the end of the deal, when luck has had its say.
    """
    mine = game.side(jnp.arange(game.players)) == game.side(s.turn)
    share = jnp.where(mine, 1.0, -mine.sum() / jnp.maximum((~mine).sum(), 1))
    return (game.returns(t) + LEAD * _closer(game, s, a, t) * share).astype(jnp.float32)


def _closer(game: Okey, s: State, a: Action, t: State) -> Array:
    """How many tiles fewer the mover misses after its act, `int32[]`."""
    before, after, _ = _hands(s, a, t)
    runs, pairs = game.longest_run or 5, bool(game.pairs)
    return distance(before, longest_run=runs, pairs=pairs) - distance(after, longest_run=runs, pairs=pairs)


def _hands(s: State, a: Action, t: State) -> tuple[Array, Array, Array]:
    """The mover's tiles before and after its act, `int8[53]`, and whether it throws one, `bool[]`."""
    before = s.hands[s.turn]
    throws = jnp.asarray((a >= FIRST_DISCARD) & (a < FIRST_DISCARD + KINDS))
    thrown = (jnp.arange(KINDS) == a - FIRST_DISCARD).astype(before.dtype)
    return before, jnp.where(throws, before - thrown, t.hands[s.turn]), throws
