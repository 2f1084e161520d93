import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import GAMES, make
from ludens.players import PLAYERS, names_for, player
from ludens.players.evaluators import EVALUATORS
from ludens.players.simple import Greedy, Random


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


def test_greedy_means_one_move_ahead_in_every_game() -> None:
    """By the game's usual evaluator; the formulas that play under their own name are the same players."""
    for name, formula in (("othello", "positional"), ("ur", "race"), ("onitama", "material"), ("chung-toi", "result")):
        game = make(name)
        assert player("greedy", game) == player(f"greedy:{formula}", game) == Greedy(game, EVALUATORS[formula](game))
    othello, okey = make("othello"), make("okey")
    assert player("positional", othello) == player("greedy", othello)
    assert player("mobility", othello) == player("greedy:mobility", othello) != player("greedy", othello)
    assert player("greedy", okey) == player("okey-greedy", okey)
    assert all("greedy" in names_for(make(name)) for name in GAMES)
    with pytest.raises(ValueError, match="'material' cannot play othello: expected one of random"):
        player("material", othello)
