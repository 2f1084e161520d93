"""Expectiminimax against a plain one that walks the whole tree."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.players.evaluators import ResultEvaluator
from ludens.search.expectimax import expectimax
from reference.minimax import scores as plain_scores
from search.positions import open_positions
from search.whim import Whim
from variants import slow_but

DEPTHS = {"paper": (2, 1, 3, 4), "finkel": (1, 2, 3)}


@pytest.mark.parametrize(("rules", "depth"), slow_but([(rules, depth) for rules in DEPTHS for depth in DEPTHS[rules]]))
def test_it_finds_what_a_plain_expectiminimax_finds(rules: str, depth: int) -> None:
    game = make("ur", rules=rules)
    whim, params = Whim(game), jnp.float32(9)
    count = 200 if depth < 4 else 100
    states = open_positions(game, count, longest=120, seed=depth)
    plain = plain_scores(game, whim, params, states, depth)
    found = jax.jit(jax.vmap(lambda s: expectimax(game, whim, params, s, depth=depth)))(states)
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-4)


def test_one_throw_from_home() -> None:
    game = make("ur", rules="paper", pieces=1)
    s = game.read("first: on a7 home 0; second: on c7 home 0; turn first; throw 1")
    assert float(expectimax(game, ResultEvaluator(game), None, s, depth=1).max()) == 1.0
    # A throw of 2 cannot be played from the last square. Then the second side wins with a 1, and with a 2 it goes on.
    s = game.read("first: on a7 home 0; second: on c7 home 0; turn first; throw 2")
    found = expectimax(game, ResultEvaluator(game), None, s, depth=3)
    np.testing.assert_allclose(found.max(), -0.5 + 0.5 * 0.5 * 1.0)


def test_what_it_cannot_search() -> None:
    okey = make("okey", match=20)
    with pytest.raises(ValueError, match="where fate acts in a row: expected one roll at most"):
        expectimax(okey, ResultEvaluator(okey), None, okey.init(jax.random.key(0)), depth=1)
    game = make("ur")
    with pytest.raises(ValueError, match="a search of depth 0 sees nothing: expected 1 or more"):
        expectimax(game, ResultEvaluator(game), None, game.init(jax.random.key(0)), depth=0)
