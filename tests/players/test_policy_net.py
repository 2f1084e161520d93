"""Players by a policy net: legal, likeliest or drawn, with probabilities as scores; its values serve a search."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games.okey import Okey
from ludens.games.othello import Othello
from ludens.players.alpha_beta import AlphaBeta
from ludens.players.policy_net import PolicyPlayer, among_legal, net
from variants import slow_but

KEY = jax.random.key(3)


def agent(game: Any, *, sample: bool) -> tuple[Any, Any]:
    insight = game.id == "okey"
    weights = net(KEY, game, (16, 16), insightful=insight)
    weights = jax.tree.map(lambda x: 3 * x, weights)  # decided, so that draws and best differ
    return PolicyPlayer.from_facts(
        game, {"hidden": [16, 16], "sample": sample, "insight": insight}, lambda shapes: weights
    ), weights


@pytest.mark.parametrize("game", [Othello(size=4), Okey()], ids=["othello", "okey"])
@pytest.mark.parametrize("sample", slow_but([False, True]))
def test_legal_moves_with_probabilities(game: Any, sample: bool) -> None:
    who, weights = agent(game, sample=sample)
    s = game.view(game.init(KEY), 0)
    decide = jax.jit(jax.vmap(lambda key: who.act(weights, key, s)))
    found = decide(jax.random.split(KEY, 300))
    legal = np.asarray(game.legal(s))
    scores = np.asarray(found.scores[0])
    assert legal[np.asarray(found.action)].all()
    assert scores[legal].sum() == pytest.approx(1.0, abs=1e-5)
    assert (scores[~legal] == -np.inf).all()
    if sample:
        assert len(set(np.asarray(found.action).tolist())) > 1
    else:
        assert scores[np.asarray(found.action)] == pytest.approx(scores.max())


@pytest.mark.slow
def test_draws_follow_the_probabilities() -> None:
    game = Othello(size=4)
    who, weights = agent(game, sample=True)
    s = game.init(KEY)
    found = jax.jit(jax.vmap(lambda key: who.act(weights, key, s)))(jax.random.split(KEY, 20_000))
    counts = np.bincount(np.asarray(found.action), minlength=game.num_actions) / 20_000
    expected = np.where(np.isfinite(found.scores[0]), found.scores[0], 0)
    assert np.abs(counts - expected).max() < 0.02


def test_illegal_actions_take_no_part() -> None:
    chances = jnp.exp(among_legal(jnp.array([5.0, 1.0, 1.0]), jnp.array([False, True, True])))
    np.testing.assert_allclose(chances, [0.0, 0.5, 0.5], atol=1e-6)


@pytest.mark.slow
def test_its_values_serve_a_search() -> None:
    game = Othello(size=4)
    who, _ = agent(game, sample=False)
    searching = AlphaBeta(game, who.evaluator(), 2)
    s = game.init(KEY)
    params = searching.init(KEY)
    assert bool(game.legal(s)[searching.act(params, KEY, s).action])
    assert abs(float(who.evaluator().value(params, s))) <= 1.0
