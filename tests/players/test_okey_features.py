"""What nets are told about each act in Okey: worked out one hand at a time, and what `okey-greedy` makes of it."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import step
from ludens.core.player import Player
from ludens.games.okey import DISCARD, DRAW, FIRST_DISCARD, JOKER, TAKE, Okey, State
from ludens.games.okey.melds import distances
from ludens.games.othello import Othello
from ludens.players.okey import OkeyGreedy
from ludens.players.okey_features import _LINES, features, prior
from ludens.players.policy_net import sees
from ludens.players.simple import Random

GAMES = {"two seats": Okey(), "common rules": Okey(players=4)}
MISSING, CLOSER, FINISHES, HELPFUL, KINDS_HELPFUL = range(3, 8)


def played(game: Okey, who: Player[State], plies: int, lanes: int) -> list[State]:
    """What movers see in some games, ply by ply, `[lanes]` each."""
    s, seen = jax.vmap(game.init)(jax.random.split(jax.random.key(3), lanes)), []
    view = jax.jit(jax.vmap(lambda s: game.view(s, s.turn)))
    act, go = jax.jit(partial(who.act_batch, None)), jax.jit(jax.vmap(partial(step, game)))
    for ply in range(plies):
        keys = jax.random.split(jax.random.key(ply), lanes)
        seen.append(view(s))
        s = go(s, act(keys, seen[-1]).action, keys)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_they_are_what_each_hand_says_by_itself(name: str) -> None:
    game = GAMES[name]
    ask = jax.jit(partial(distances, longest_run=game.longest_run or 5, pairs=bool(game.pairs)))
    tell = jax.jit(jax.vmap(partial(features, game)))
    for views in played(game, Random(game), 4, 2)[2:]:
        told = np.asarray(tell(views))
        for lane in range(2):
            view: Any = jax.tree.map(lambda x, lane=lane: np.asarray(x)[lane], views)
            unseen = np.asarray(game.unseen(view))
            hand = np.array(view.hands[view.turn])
            if view.phase == DRAW:
                hand[view.offer] += 1
            kinds = np.flatnonzero(hand)
            one = np.eye(53, dtype=np.int8)
            missing = np.asarray(ask(jnp.asarray(hand - one[np.resize(kinds, 15)])))[: len(kinds)]
            changed = (hand - one[np.resize(kinds, 15)])[:, None] + one  # [15, 53, 53]
            closer = np.asarray(ask(jnp.asarray(changed.reshape(-1, 53)))).reshape(15, 53)[: len(kinds)]
            tied = missing == missing.min()
            helpful = ((closer < missing.min()) * unseen).sum(axis=1) * tied / 20
            if view.phase == DISCARD:
                rows = told[lane, FIRST_DISCARD + kinds]
                np.testing.assert_allclose(rows[:, MISSING], missing / 4)
                np.testing.assert_allclose(rows[:, CLOSER], tied)
                np.testing.assert_allclose(rows[:, HELPFUL], helpful, atol=1e-6)
            else:
                kept = missing[kinds == view.offer]
                assert told[lane, TAKE, MISSING] == missing.min() / 4
                assert told[lane, TAKE, CLOSER] == (missing.min() < kept)
                assert told[lane, TAKE, HELPFUL] == pytest.approx(helpful.max())
                assert told[lane, 0, MISSING] == kept / 4
        assert (told[~np.asarray(jax.vmap(game.legal)(views))] == 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_net_begins_as_okey_greedy_throws(name: str) -> None:
    game = GAMES[name]
    who = OkeyGreedy(game)
    tell, decide = jax.jit(jax.vmap(partial(features, game))), jax.jit(partial(who.act_batch, None))
    for ply, views in enumerate(played(game, who, 20, 32)):
        logits = np.asarray(tell(views))[:, :, : len(prior())] @ prior()
        scores = np.asarray(decide(jax.random.split(jax.random.key(ply), 32), views).scores)
        ours = np.where(np.isfinite(scores), logits, -np.inf).argmax(axis=1)
        throws = np.asarray(views.phase) == DISCARD
        best = scores[np.arange(32), ours] >= scores.max(axis=1) - 1e-4
        assert best[throws].all()
        # It also takes a tile that is no nearer to a finished hand but opens many more ways.
        closer = np.asarray(tell(views))[:, TAKE, CLOSER] > 0
        drawing = np.asarray(views.phase) == DRAW
        assert best[drawing & closer].all()


def test_runs_end_with_the_high_one() -> None:
    assert _LINES[0].tolist() == [10, 11, 12, 0, 1, 2, 3]  # 1 stands after 13, or before 2
    assert _LINES[12].tolist() == [9, 10, 11, 12, 0, JOKER, JOKER]
    assert _LINES[13 + 1].tolist() == [JOKER, JOKER, 13, 14, 15, 16, 17]


def test_elsewhere_there_are_none() -> None:
    game = Othello(size=4)
    with pytest.raises(ValueError, match="net is 'actions' in othello: expected one of okey, or net 'mlp'"):
        sees(game, game.init(jax.random.key(0)), kind="actions")
