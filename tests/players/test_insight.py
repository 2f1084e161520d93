"""What nets are told about their choices in Okey, against the distance of each hand asked one by one."""

from typing import Any

import jax
import numpy as np
import pytest

from ludens.core.game import random_action, step
from ludens.games.chung_toi import ChungToi
from ludens.games.okey import DISCARD, FIRST_DISCARD, TAKE, Okey
from ludens.games.okey.melds import distance
from ludens.players.okey_encoding import FARTHEST
from ludens.players.policy_net import insight
from variants import slow_but

GAMES = [Okey(), Okey(players=4)]


@pytest.mark.parametrize("game", slow_but(GAMES, 0), ids=["two seats", "common rules"])
def test_what_each_act_leaves_missing(game: Any) -> None:
    ask = jax.jit(lambda hand: distance(hand, longest_run=game.longest_run or 5, pairs=bool(game.pairs)))
    tell, go = jax.jit(lambda s: insight(game, s)), jax.jit(lambda s, a, key: step(game, s, a, key))
    s, seen = game.init(jax.random.key(4)), set()
    for number in range(40):
        view = game.view(s, int(s.turn))
        told, legal = np.asarray(tell(view)), np.asarray(game.legal(view))
        hand = np.array(view.hands[int(view.turn)])
        after = {}
        for a in np.flatnonzero(legal):
            changed = hand.copy()
            if a == TAKE:
                changed[int(view.offer)] += 1
            elif a >= FIRST_DISCARD:
                changed[a - FIRST_DISCARD] -= 1
            after[int(a)] = int(ask(changed))
        throwing = int(view.phase) == DISCARD
        seen.add(throwing)
        for a, missing in after.items():
            expected = [min(missing, FARTHEST) / FARTHEST, missing == min(after.values()), throwing and missing == 0]
            np.testing.assert_allclose(told[a], expected)
        assert (told[~legal] == 0).all()
        s = go(s, random_action(game, s, jax.random.key(number)), jax.random.key(100 + number))
        if bool(game.done(s)):
            break
    assert seen == {True, False}


def test_a_finish_is_told() -> None:
    game = Okey()
    base = game.init(jax.random.key(0))
    # Red 1-4, black 1-4, green 1-3 and yellow 1-3 are all in runs; the fifteenth tile is red 9.
    faces = [0, 1, 2, 3, 13, 14, 15, 16, 26, 27, 28, 39, 40, 41, 8]
    hand = np.zeros(53, np.int8)
    hand[faces] = 1
    s = base._replace(hands=base.hands.at[0].set(hand), indicator=np.int32(50))
    told = np.asarray(jax.jit(lambda s: insight(game, s))(s))
    assert told[FIRST_DISCARD + 8].tolist() == [0.0, 1.0, 1.0]
    assert told[FIRST_DISCARD + 0].tolist()[1:] == [0.0, 0.0]


def test_elsewhere_there_is_none() -> None:
    game = ChungToi()
    with pytest.raises(ValueError, match="nets have no insight into chung-toi: expected one of okey, or none"):
        insight(game, game.init(jax.random.key(0)))
