import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import legal_actions
from ludens.games.othello import Othello
from ludens.players.alpha_beta import AlphaBeta
from ludens.players.q_net import QNetAgent
from reference import neural_q as plain
from reference import othello as slow

GAME = Othello(size=4)
FACTS = {"kind": "q-net", "nets": "single", "hidden": 5, "players": 2}


def agent(**facts):
    facts = FACTS | facts
    shaped = QNetAgent.from_facts(GAME, facts, lambda shapes: None)
    weights = shaped.nets.init(jax.random.key(1), 1.5)
    return QNetAgent.from_facts(GAME, facts, lambda shapes: weights), weights


def positions():
    """Positions of random games, those with a forced pass among them, as the reference has them."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(12):
        position = slow.start(4)
        while moves := slow.moves(position):
            found.append(position)
            position = slow.play(position, moves[rng.integers(len(moves))])
    assert any(slow.moves(position) == ["pass"] for position in found)
    return found


def best(weights, facts, position):
    """What the mover's best move is worth: who must pass has what the other side's best leaves it."""
    if slow.moves(position) == ["pass"]:
        return -best(weights, facts, slow.play(position, "pass"))
    seat = 0 if position.mover == "X" or facts["players"] == 1 else 1
    legal = [slow.squares(4).index(square) for square in slow.moves(position)]
    return plain.net_of(weights, seat).forward(plain.board(position))[1][legal].max()


@pytest.mark.slow
@pytest.mark.parametrize("facts", [{}, {"players": 1}, {"nets": "multi"}], ids=["two", "one", "multi"])
def test_it_plays_the_best_square_and_judges_by_it(facts):
    player, weights = agent(**facts)
    params = player.init(jax.random.key(0))
    some = positions()
    states = jax.tree.map(lambda *each: jnp.stack(each), *(GAME.read(slow.text(position)) for position in some))
    decisions = jax.jit(jax.vmap(player.act, in_axes=(None, None, 0)))(params, jax.random.key(0), states)
    evaluator = player.evaluator()
    values = jax.jit(jax.vmap(evaluator.value, in_axes=(None, 0)))(evaluator.init(jax.random.key(0)), states)
    for n, position in enumerate(some):
        assert float(values[n]) == pytest.approx(best(weights, FACTS | facts, position), abs=1e-5)
        assert abs(float(values[n])) < evaluator.win
        chosen = slow.squares(4)[decisions.action[n]] if decisions.action[n] < 16 else "pass"
        assert chosen in slow.moves(position)
        if chosen != "pass":
            assert float(decisions.scores[n].max()) == pytest.approx(float(values[n]), abs=1e-5)
            assert int(np.argmax(decisions.scores[n])) == int(decisions.action[n])
        legal = np.isfinite(np.asarray(decisions.scores[n]))
        assert legal.sum() == len(slow.moves(position))


def test_even_a_net_that_is_sure_prefers_a_won_game():
    player, weights = agent()
    sure = weights | {"output_bias": jnp.full_like(weights["output_bias"], 50.0)}  # tanh rounds to 1
    evaluator = player.evaluator()
    s = GAME.init(jax.random.key(0))
    assert float(evaluator.value(sure, s)) == 1.0
    assert evaluator.win > 1.0


@pytest.mark.slow
def test_a_search_looks_ahead_with_it():
    player, _ = agent()
    searching = AlphaBeta(GAME, player.evaluator(), 2)
    s = GAME.init(jax.random.key(0))
    params = searching.init(jax.random.key(0))
    found = jax.jit(searching.analyse)(params, jax.random.key(0), s)
    evaluator = player.evaluator()
    value = jax.jit(evaluator.value)
    for a in legal_actions(GAME, s):
        t = GAME.apply(s, a)
        replies = [float(value(params, GAME.apply(t, b))) for b in legal_actions(GAME, t)]
        assert float(found.scores[a]) == pytest.approx(-max(-reply for reply in replies), abs=1e-5)


def test_agents_of_one_shape_are_equal():
    assert agent()[0] == agent()[0]
    assert hash(agent()[0].evaluator()) == hash(agent()[0].evaluator())
    assert agent()[0] != agent(hidden=6)[0]
    player, weights = agent()
    assert jax.tree.map(lambda x: x.shape, player.shapes()) == jax.tree.map(lambda x: x.shape, weights)
