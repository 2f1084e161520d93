"""What can be worked out about each act in Okey, and what lies around the tile: features for nets that weigh acts.

They hold nothing that the mover does not know. An act is described in the same way whichever tile it is about, so that
a net can learn once, for all tiles, what speaks for throwing one: how far the hand then is from a finished one, how
many tiles out of sight would bring it closer, and what lies around that tile, in the hand, out of sight, and among the
tiles that the next seat has thrown, has left lying, or has taken.

    features, float32[A, F]; rows of acts that are not legal are zeros
    3          whether it throws, draws from the centre, takes the offer
    10         how the hand stands after it, see `_standing`
    8 Q        what lies around the tile that is thrown or taken, for each of Q views of the table, see `_around`
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from ludens.core.types import Array
from ludens.games.okey import DISCARD, DRAW, FACES, HAND, JOKER, KINDS, Okey, State
from ludens.games.okey.melds import distance, within
from ludens.players.lookahead import for_each
from ludens.players.okey import _neighbours

HELD = HAND + 1
"""Tiles from which one is thrown."""
REACH = 3
"""Numbers below and above a tile that are looked at."""
PRIOR = {
    "missing": -16.0,
    "finishes": 10.0,
    "helpful": 6.0,
    "wanted": -0.4,
    "closer": 10.0,
    "takes": -4.0,
    "joker": -4.0,
}
"""What `prior` makes of the features: acts as `okey-greedy` likes them, as logits."""
_STANDING = ("missing", "closer", "finishes", "helpful", "kinds", "behind", "thrown", "wanted", "joker", "left")
_KINDS_OF_ACTS = ("throws", "draws", "takes")


def features(game: Okey, view: State) -> Array:
    """The table in the module's docstring, `float32[A, F]`."""
    drawing = view.phase == DRAW
    kinds = jnp.arange(KINDS)
    # Who draws looks at the hand as it would be with the offer: throwing that again is to have drawn nothing.
    hand = view.hands[view.turn] + ((kinds == view.offer) & drawing).astype(jnp.int8)
    hand = jnp.where(drawing | (view.phase == DISCARD), hand, 0)
    standing = _standing(game, view, hand)  # [53, 10], after throwing each kind
    around = _around(game, view, hand)  # [53, 8 Q]
    helpful, missing = standing[:, 3], standing[:, 0]
    offered = (kinds == view.offer)[:, None]
    closest = standing[jnp.argmax(jnp.where(hand > 0, helpful - 1e3 * missing, -jnp.inf))]
    stay = jnp.where(offered, standing, 0).sum(axis=0)
    # Taking is worth what the best discard after it leaves, and is closer where that is closer than drawing nothing.
    take = closest.at[1].set(closest[0] < stay[0]).at[5].set(closest[3] - jnp.where(closest[0] < stay[0], 0, stay[3]))
    draw = stay.at[1].set(0).at[5].set(0)
    none = jnp.zeros(around.shape[1])
    rows = jnp.concatenate(
        [
            jnp.concatenate([jnp.array([0.0, 1.0, 0.0]), draw, none])[None],
            jnp.concatenate([jnp.array([0.0, 0.0, 1.0]), take, jnp.where(offered, around, 0).sum(axis=0)])[None],
            jnp.concatenate([jnp.broadcast_to(jnp.array([1.0, 0.0, 0.0]), (KINDS, 3)), standing, around], axis=1),
        ]
    )
    rows = jnp.pad(rows, ((0, game.num_actions - len(rows)), (0, 0)))
    return jnp.where(game.legal(view)[:, None], rows, 0.0)


def prior() -> NDArray[np.float32]:
    """Weights of the first features (`float32[13]`) with which their sum likes acts as `okey-greedy` does."""
    return np.array([PRIOR.get(name, 0.0) for name in (*_KINDS_OF_ACTS, *_STANDING)], np.float32)


def _standing(game: Okey, view: State, hand: Array) -> Array:
    """How the 15 tiles of `hand` (`int8[53]`) stand after throwing each kind, `float32[53, 10]`; zeros for the others.

    missing    tiles missing / 4
    closer     whether no other discard leaves fewer missing
    finishes   whether none is missing
    helpful    tiles out of sight that would bring the hand closer / 20, if it is one of the closest
    kinds      kinds of them / 10
    behind     what helpful is less than for the best discard
    thrown     those of them of which the seat before has thrown one / 5: it does not want the other either
    wanted     tiles known to be with the next seat beside which this one fits / 4
    joker      whether it is one
    left       tiles in the centre, as a share of those after the deal
    """
    runs, pairs = game.longest_run or 5, bool(game.pairs)
    kinds, unseen = jnp.arange(KINDS), game.unseen(view)
    place = jnp.nonzero(hand > 0, size=HELD, fill_value=KINDS)[0]  # kinds held
    without = hand - (kinds == place[:, None]).astype(hand.dtype)  # [15, 53]
    held = place < KINDS
    asked = jnp.where(held[:, None], without, 0)  # an empty hand is no question and takes no time
    missing = jax.vmap(partial(distance, longest_run=runs, pairs=pairs))(asked)
    fewest = jnp.where(held, missing, HELD).min()
    tied = held & (missing == fewest) & (fewest > 0)

    # A tile that does not help all 15 helps none of the 14. It spares most of the questions.
    helps_all = for_each(_plus, _is_closer(runs, pairs), (unseen > 0) & tied.any(), (hand, fewest))
    pairs_of = (tied[:, None] & helps_all).reshape(-1)
    closer = for_each(_exchanged, _is_closer(runs, pairs), pairs_of, (hand, fewest, place)).reshape(HELD, KINDS)

    before, after = (view.turn - 1) % game.players, (view.turn + 1) % game.players
    tiles = jnp.where(closer, unseen, 0)
    helpful = tiles.sum(axis=1) / 20
    thrown = jnp.where(view.discards[before] > 0, tiles, 0).sum(axis=1) / 5
    behind = jnp.where(tied, helpful - helpful.max(), 0)
    told = jnp.stack(
        [missing / 4, missing == fewest, missing == 0, helpful, closer.sum(axis=1) / 10, behind, thrown], 1
    )
    by_kind = ((kinds[:, None] == place) & held).astype(jnp.float32) @ told.astype(jnp.float32)  # [53, 7]
    wanted = _neighbours(view.known[after], pairs=pairs) / 4
    left = jnp.full(KINDS, view.left / game._centre_after_deal)
    rest = jnp.stack([wanted, kinds == JOKER, left], axis=1)
    return jnp.where((hand > 0)[:, None], jnp.concatenate([by_kind, rest], axis=1), 0.0)


def _around(game: Okey, view: State, hand: Array) -> Array:
    """What lies around each face, `float32[53, 8 Q]`: 3 numbers below, itself, 3 above, and its number elsewhere.

    Counted in the hand, out of sight, among what lies before the mover (the next seat left it there), before the next
    seat (it threw that), with the next seat for all to see, and, with more than two seats, before all others.
    """
    me, after = view.turn, (view.turn + 1) % game.players
    tables = [hand, game.unseen(view), view.discards[me], view.discards[after], view.known[after]]
    if game.players > 2:
        tables.append(view.discards.sum(axis=0) - view.discards[me] - view.discards[after])
    faces = jnp.stack(tables)[:, :FACES].astype(jnp.float32)  # [Q, 52]
    lines = jnp.pad(faces, ((0, 0), (0, 1)))[:, _LINES]  # [Q, 52, 7]
    columns = faces.reshape(-1, 4, 13)
    elsewhere = (columns.sum(axis=1, keepdims=True) - columns).reshape(-1, FACES, 1)
    found = jnp.concatenate([lines, elsewhere], axis=2) / 2
    by_face = jnp.moveaxis(found, 0, 1).reshape(FACES, -1)
    return jnp.pad(by_face, ((0, 1), (0, 0)))


def _lines() -> NDArray[np.int32]:
    """The faces 3 below to 3 above each face in its colour, `int32[52, 7]`; 52 where no run goes."""
    table = np.full((FACES, 2 * REACH + 1), FACES, np.int32)
    for colour, number, step in np.ndindex(4, 13, 2 * REACH + 1):
        at = number + step - REACH
        if number == 0 and at < 0:  # the 1 after 13
            at += 13
        if 0 <= at <= 13:
            table[colour * 13 + number, step] = colour * 13 + at % 13
    return table


_LINES = _lines()


def _plus(kind: Array, args: Any) -> Any:
    """The hand and one more tile, `int8[53]`."""
    return args[0] + (jnp.arange(KINDS) == kind).astype(jnp.int8)


def _exchanged(pair: Array, args: Any) -> Any:
    """The hand less the tile at a place, and with one more of a kind: `pair` is place * 53 + kind."""
    hand, _, place = args
    kinds = jnp.arange(KINDS)
    return hand - (kinds == place[pair // KINDS]).astype(jnp.int8) + (kinds == pair % KINDS).astype(jnp.int8)


@lru_cache
def _is_closer(runs: int, pairs: bool) -> Callable[[Any, Any, Array], Array]:
    """Whether a hand misses fewer tiles than the second of the arguments."""
    return lambda _, args, hand: within(hand, args[1] - 1, longest_run=runs, pairs=pairs)
