"""Rewards by name."""

import jax
import numpy as np
import pytest

from ludens.core.game import step
from ludens.games.chung_toi import ChungToi
from ludens.games.okey import OVER, Okey
from ludens.games.okey.melds import distance
from ludens.games.ur import Ur
from ludens.players.rewards import reward


def test_by_name() -> None:
    game = Ur()
    s = game.read("first: on c4; second: on c7 home 3; turn second; throw 1".replace("on c4", "on b3"))
    a = game.parse("c7-off", s)
    t = step(game, s, a, jax.random.key(0))
    points, result = reward("paper", game), reward("result", game)
    np.testing.assert_array_equal(points.earned(s, a, t), [0, 100])  # losing costs nothing
    np.testing.assert_array_equal(result.earned(s, a, t), [-1, 1])
    assert (points.most, result.most) == (100, 1)


def test_closer_to_a_finished_hand_in_okey() -> None:
    game = Okey()
    s = game.init(jax.random.key(0))
    paid = reward("closer", game)
    for a in np.flatnonzero(game.legal(s)):
        t = step(game, s, int(a), jax.random.key(0))
        before = distance(s.hands[0], longest_run=4, pairs=False)
        after = distance(t.hands[0], longest_run=4, pairs=False)
        expected = game.returns(t) + np.array([0.05 * (int(before) - int(after)) - 0.002, 0.0])
        np.testing.assert_allclose(paid.earned(s, int(a), game.view(t, 1)), expected, atol=1e-6)
        lead = 0.15 * (int(before) - int(after)) * np.array([1, -1])  # what one gains the other loses
        np.testing.assert_allclose(reward("race", game).earned(s, int(a), t), game.returns(t) + lead, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("teams", "shares"), [(False, [1, -1 / 3, -1 / 3, -1 / 3]), (True, [1, -1, 1, -1])])
def test_in_a_race_of_four_the_other_sides_pay_together(teams: bool, shares: list[float]) -> None:
    game = Okey(players=4, teams=teams)
    s = game.init(jax.random.key(3))
    assert int(s.turn) == 0
    a = int(np.flatnonzero(game.legal(s))[0])
    t = step(game, s, a, jax.random.key(0))
    hands = [distance(each.hands[0], longest_run=5, pairs=True) for each in (s, t)]
    expected = 0.15 * (int(hands[0]) - int(hands[1])) * np.array(shares)
    np.testing.assert_allclose(reward("race", game).earned(s, a, t), expected, atol=1e-6)
    assert abs(float(reward("race", game).earned(s, a, t).sum())) < 1e-6


def test_sparse_points_in_okey() -> None:
    game = Okey()
    s = game.init(jax.random.key(0))
    paid = reward("sparse", game)
    t = step(game, s, int(np.flatnonzero(game.legal(s))[0]), jax.random.key(0))
    np.testing.assert_array_equal(paid.earned(s, 2, t), [0, 0])
    over = t._replace(phase=np.int32(OVER), winner=np.int32(1), worth=np.int32(2))
    np.testing.assert_array_equal(paid.earned(s, 2, over), [-100, 100])
    assert paid.most == 100
    with pytest.raises(ValueError, match="there is no reward 'sparse' in ur: expected paper or result"):
        reward("sparse", Ur())


def test_closer_needs_a_measure() -> None:
    with pytest.raises(ValueError, match="there is no reward 'closer' in chung-toi: expected paper or result"):
        reward("closer", ChungToi())


def test_elsewhere_the_papers_reward_is_the_result() -> None:
    game = ChungToi()
    s = game.read("RxRx--/------/W+W+-- turn white")
    won, open_ = (game.parse(move, s) for move in ("c1x", "a2+"))
    for name in ("paper", "result"):
        paid = reward(name, game)
        np.testing.assert_array_equal(paid.earned(s, won, game.apply(s, won)), game.returns(game.apply(s, won)))
        np.testing.assert_array_equal(paid.earned(s, open_, game.apply(s, open_)), [0, 0])
    with pytest.raises(ValueError, match="there is no reward 'money': expected one of paper, result"):
        reward("money", game)
