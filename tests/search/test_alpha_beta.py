"""Alpha-beta against plain minimax, on every deterministic game and to every depth that minimax can afford."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from reference.minimax import scores as minimax
from search.positions import open_positions

from ludens.core.evaluator import Evaluator
from ludens.core.types import Array
from ludens.games import make
from ludens.search.alpha_beta import alpha_beta

POSITIONS = 200
GAMES = {
    "othello": (make("othello"), 52),
    "small othello": (make("othello", size=4), 12),
    "onitama": (make("onitama"), 16),
    "chung-toi": (make("chung-toi", allow_pass=True), 12),
}


class Whim(Evaluator[Any]):
    """A value that has nothing to do with the game, with few different numbers, so that there are many ties."""

    win = 10.0

    def value(self, params: Any, s: Any) -> Array:
        """A hash of the position, -9 to 9; the two sides do not agree on it, as with a net."""
        words = [jnp.ravel(x).astype(jnp.uint32) for x in jax.tree.leaves(s)]
        mixed = jnp.uint32(17)
        for word in jnp.concatenate(words):
            mixed = (mixed ^ word) * jnp.uint32(0x9E3779B1)
            mixed = mixed ^ (mixed >> 15)
        return (mixed % 19).astype(jnp.float32) - params


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("name", GAMES)
def test_it_finds_what_plain_minimax_finds(name: str, depth: int) -> None:
    game, longest = GAMES[name]
    whim, params = Whim(game), jnp.float32(9)
    states = open_positions(game, POSITIONS, longest=longest, seed=depth)
    plain = minimax(game, whim, params, states, depth)
    search = jax.jit(lambda exact: alpha_beta(game, whim, params, states, depth=depth, exact=exact).scores)
    for exact in (False, True):
        found = np.asarray(search(jnp.bool_(exact)))
        best = plain.max(axis=1)
        np.testing.assert_array_equal(found.max(axis=1), best)
        np.testing.assert_array_equal(found == best[:, None], plain == best[:, None])
        np.testing.assert_array_equal(found == -np.inf, plain == -np.inf)
        if exact:
            np.testing.assert_array_equal(found, plain)
        else:
            assert (found >= plain).all()  # bounds of moves that were refuted

