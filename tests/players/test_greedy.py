"""One act ahead, with the value seen from the right side: plain minimax of depth 1, and ties at random."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, legal_actions
from ludens.games import make
from ludens.players.simple import Greedy
from players.positions import check_decisions, positions
from reference.minimax import scores as minimax
from variants import slow_but


class Odd(Evaluator[Any]):
    """A value between -1 and 1 that depends on everything in a position and on a parameter."""

    def value(self, params: Any, s: Any) -> Any:
        sums = [jnp.sin(jnp.asarray(x, jnp.float32) * params).sum() for x in jax.tree.leaves(s)]
        return jnp.sin(sum(sums, start=jnp.float32(0)))

    def init(self, key: Any) -> Any:
        return jnp.float32(0.7)


GAMES = [make("othello", size=4), make("chung-toi"), make("ur", rules="finkel")]


@pytest.mark.parametrize("game", slow_but(GAMES), ids=str)
def test_scores_are_those_of_minimax_at_depth_one(game: Game[Any]) -> None:
    states = positions(game, 8)
    decisions = check_decisions(Greedy(game, Odd(game)), states)
    expected = minimax(game, Odd(game), jnp.float32(0.7), jax.tree.map(np.asarray, states), 1)
    np.testing.assert_allclose(decisions.scores, expected, atol=1e-5)
    assert (expected == 1).any()  # some of the positions can be won at once


def test_equal_moves_are_equally_likely() -> None:
    class Flat(Odd):
        def value(self, params: Any, s: Any) -> Any:
            return jnp.zeros((), jnp.float32)

    game = make("othello")
    s = game.init(jax.random.key(0))
    player = Greedy(game, Flat(game))
    act = jax.jit(jax.vmap(lambda key: player.act(None, key, s).action))
    counts = np.bincount(act(jax.random.split(jax.random.key(1), 2000)), minlength=game.num_actions)
    assert (abs(counts[legal_actions(game, s)] - 500) < 120).all()


@pytest.mark.slow
def test_weights_may_differ_between_batches() -> None:
    game = make("chung-toi")
    player, states = Greedy(game, Odd(game)), positions(game, 8)
    keys = jax.random.split(jax.random.key(0), 64)
    weights = jnp.array([0.7, 1.3])
    both = jax.jit(jax.vmap(player.act_batch, in_axes=(0, None, None)))(weights, keys, states).scores
    for i in range(2):
        alone = jax.jit(player.act_batch)(weights[i], keys, states).scores
        np.testing.assert_allclose(both[i], alone, atol=1e-5)
    assert not np.allclose(jnp.nan_to_num(both[0], neginf=0), jnp.nan_to_num(both[1], neginf=0))
