"""The players that search: what they choose, how they break ties, and how they are named."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.players import player
from ludens.players.alpha_beta import AlphaBeta
from ludens.players.evaluators import ResultEvaluator
from ludens.players.expectimax import Expectimax
from reference.minimax import scores as plain_scores
from search.positions import open_positions

CHUNG_TOI = make("chung-toi")


@pytest.mark.slow
def test_one_and_many_decide_alike() -> None:
    searcher = player("alphabeta:3", CHUNG_TOI)
    states = open_positions(CHUNG_TOI, 40, longest=14, seed=1)
    keys = jax.random.split(jax.random.key(2), 40)
    together = jax.jit(lambda keys, states: searcher.act_batch(None, keys, states).action)(keys, states)
    alone = jax.jit(lambda key, s: searcher.act(None, key, s).action)
    for i in range(0, 40, 4):
        assert int(alone(keys[i], jax.tree.map(lambda x, i=i: x[i], states))) == int(together[i])


@pytest.mark.slow
def test_ties_are_broken_at_random_and_only_ties() -> None:
    searcher = player("alphabeta:2", CHUNG_TOI)
    states = open_positions(CHUNG_TOI, 30, longest=14, seed=3)
    plain = plain_scores(CHUNG_TOI, ResultEvaluator(CHUNG_TOI), None, states, 2)
    best = plain == plain.max(axis=1, keepdims=True)
    decide = jax.jit(lambda keys: searcher.act_batch(None, keys, states).action)
    chosen = np.array([decide(jax.random.split(jax.random.key(seed), 30)) for seed in range(60)])
    for i in range(30):
        assert best[i, chosen[:, i]].all()
    # With k equal moves and 60 draws, each is missed with probability (1 - 1/k)^60: 8 % for the 24 of the start.
    few = [i for i in range(30) if best[i].sum() <= 6]
    assert few
    for i in few:
        assert set(chosen[:, i]) == set(np.flatnonzero(best[i]))


@pytest.mark.slow
def test_analysis_gives_every_move_its_true_value() -> None:
    searcher = player("alphabeta:3:result", CHUNG_TOI)
    states = open_positions(CHUNG_TOI, 10, longest=14, seed=4)
    plain = plain_scores(CHUNG_TOI, ResultEvaluator(CHUNG_TOI), None, states, 3)
    analyse = jax.jit(lambda s: searcher.analyse(None, jax.random.key(0), s).scores)
    for i in range(10):
        np.testing.assert_array_equal(analyse(jax.tree.map(lambda x, i=i: x[i], states)), plain[i])


@pytest.mark.slow
def test_a_finished_game_does_no_harm() -> None:
    states = open_positions(CHUNG_TOI, 8, longest=14, seed=5)
    lost = states._replace(other=jnp.full(8, 0b111, jnp.uint32), own=jnp.zeros(8, jnp.uint32))
    mixed = jax.tree.map(lambda x, y: jnp.where(jnp.arange(8) < 4, x, y), states, lost)
    searcher = player("alphabeta:2", CHUNG_TOI)
    decisions = jax.jit(lambda keys: searcher.act_batch(None, keys, mixed))(jax.random.split(jax.random.key(0), 8))
    assert (np.asarray(decisions.scores)[4:] == -np.inf).all()
    assert (np.asarray(decisions.scores)[:4].max(axis=1) > -np.inf).all()


def test_specs() -> None:
    assert player("alphabeta:6", CHUNG_TOI) == AlphaBeta(CHUNG_TOI, ResultEvaluator(CHUNG_TOI), 6)
    ur = make("ur")
    assert player("expectimax:3:result", ur) == Expectimax(ur, ResultEvaluator(ur), 3)
    for spec, game, sentence in [
        ("alphabeta:0", CHUNG_TOI, "the depth is '0': expected a whole number from 1 to 40"),
        ("alphabeta:four", CHUNG_TOI, "the depth is 'four': expected a whole number"),
        (
            "alphabeta:4:positional",
            CHUNG_TOI,
            "'positional' cannot judge positions of chung-toi: expected one of",
        ),
        ("alphabeta:4:result:9", CHUNG_TOI, "'result:9' is too much: expected one evaluator"),
        ("alphabeta:2", ur, "'alphabeta:2' cannot play ur: expected one of random, .*expectimax"),
        ("expectimax:2", CHUNG_TOI, "'expectimax:2' cannot play chung-toi: expected one of random, .*alphabeta"),
        ("expectimax:7", ur, "the depth is '7': expected a whole number from 1 to 6"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            player(spec, game)
