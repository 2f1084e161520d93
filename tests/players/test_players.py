import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.players import PLAYERS, player
from ludens.players.random import Random


def test_random_is_uniform_over_the_legal_actions() -> None:
    game = make("othello")
    s = game.init(jax.random.key(0))
    keys = jax.random.split(jax.random.key(1), 4000)
    decisions = jax.jit(jax.vmap(lambda key: player("random", game).act(None, key, s)))(keys)
    legal = np.asarray(game.legal(s))
    counts = np.bincount(decisions.action, minlength=game.num_actions)
    assert not counts[~legal].any()
    assert (abs(counts[legal] - 1000) < 150).all()
    np.testing.assert_allclose(decisions.scores[0][legal], 0.25)
    assert (decisions.scores[0][~legal] == -jnp.inf).all()


def test_specs() -> None:
    game = make("othello", size=4)
    assert player("random", game) == Random(game)
    assert PLAYERS["random"].scores_are == "probability"
    with pytest.raises(ValueError, match="unknown player 'oracle:3': expected one of random"):
        player("oracle:3", game)
    with pytest.raises(ValueError, match="'random:3' names no player of othello: it has options it cannot take"):
        player("random:3", game)
