"""Alpha-beta against plain minimax, on every deterministic game and to every depth that minimax can afford."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.search.alpha_beta import alpha_beta
from reference.minimax import scores as minimax
from search.positions import open_positions
from search.whim import Whim

POSITIONS = 200
GAMES = {
    "othello": (make("othello"), 52),
    "onitama": (make("onitama"), 16),
    "chung-toi": (make("chung-toi", allow_pass=True), 12),
}


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
