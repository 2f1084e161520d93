"""Alpha-beta against plain minimax, on every deterministic game and to every depth that minimax can afford."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.search.alpha_beta import alpha_beta
from ludens.search.sharing import LanePlace, give_back
from reference.minimax import scores as minimax
from search.positions import open_positions
from search.whim import Whim
from variants import slow_but

POSITIONS = 200
FEW = 4
GAMES = {
    "chung-toi": (make("chung-toi", allow_pass=True), 12),
    "othello": (make("othello"), 52),
    "onitama": (make("onitama"), 16),
}


@pytest.mark.parametrize("depth", [2, *slow_but([1, 3, 4], 0)])
@pytest.mark.parametrize("name", slow_but(GAMES))
def test_it_finds_what_plain_minimax_finds(name: str, depth: int) -> None:
    game, longest = GAMES[name]
    whim, params = Whim(game), jnp.float32(9)
    states = open_positions(game, POSITIONS, longest=longest, seed=depth)
    plain = minimax(game, whim, params, states, depth)
    search = jax.jit(lambda exact: alpha_beta(game, whim, params, states, depth=depth, exact=exact).scores)
    for exact in (False, True):
        agrees(np.asarray(search(jnp.bool_(exact))), plain, exact=exact)


@pytest.mark.slow
def test_one_search_for_several_depths() -> None:
    game, longest = GAMES["onitama"]
    whim, params = Whim(game), jnp.float32(9)
    states = open_positions(game, 20, longest=longest, seed=30)
    search = jax.jit(lambda limit: alpha_beta(game, whim, params, states, depth=4, limit=limit, exact=True).scores)
    for depth in (1, 2, 3, 4):
        np.testing.assert_array_equal(search(jnp.int32(depth)), minimax(game, whim, params, states, depth))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "depth"), [("chung-toi", 4), ("othello", 5), ("onitama", 4)])
@pytest.mark.parametrize("width", [3, 16])
def test_lanes_that_help_each_other_find_the_same(
    name: str, depth: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More lanes than root moves from the first turn on, so that most of them are helpers, and helpers of helpers.

    Nearly every node is refuted by one of several children that are searched at the same time: orphans abound.
    """
    monkeypatch.setattr("ludens.search.alpha_beta.LANES_A_ROOT", {"cpu": 40, "other": 40})
    game, longest = GAMES[name]
    whim, params = Whim(game), jnp.float32(9)
    states = open_positions(game, POSITIONS, longest=longest, seed=10 + depth)
    plain = minimax(game, whim, params, states, depth)
    search = jax.jit(
        lambda states, exact: alpha_beta(game, whim, params, states, depth=depth, exact=exact, width=width)
    )
    for exact in (False, True):
        for start in range(0, POSITIONS, FEW):
            some = slice(start, start + FEW)
            found = search(jax.tree.map(lambda x, some=some: x[some], states), jnp.bool_(exact))
            agrees(np.asarray(found.scores), plain[some], exact=exact)


@pytest.mark.slow
def test_helpers_shorten_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four lanes for the four moves of the first position take a while; with more of them there is work for all."""
    turns, loop = [], jax.lax.while_loop

    def counted(more: Any, turn: Any, start: Any) -> Any:
        count, end = loop(lambda x: more(x[1]), lambda x: (x[0] + 1, turn(x[1])), (0, start))
        turns.append(int(count))
        return end

    game, _ = GAMES["othello"]
    state = jax.tree.map(lambda x: x[None], game.init(jax.random.key(0)))
    monkeypatch.setattr("ludens.search.alpha_beta.lax.while_loop", counted)
    for lanes in (4, 32):
        monkeypatch.setattr("ludens.search.alpha_beta.LANES_A_ROOT", {"cpu": lanes, "other": lanes})
        alpha_beta(game, Whim(game), jnp.float32(9), state, depth=6, exact=True)
    assert turns[1] < turns[0] / 3


def test_helpers_of_a_refuted_node_stop_and_so_do_theirs() -> None:
    """Lane 0 has climbed from level 1, where lane 1 helped it, and lane 2 lane 1. Lane 3 helps it at level 0."""
    place = LanePlace(*jnp.int32([[0, 2, 3, 1], [0, 2, 3, 1], [0, 0, 1, 0], [0, 0, 0, 0]]))
    best, lent = jnp.zeros((4, 4)), jnp.zeros((4, 4), jnp.int32).at[0, 0].set(1)
    finished, found = jnp.array([False, False, True, True]), jnp.float32([0, 0, 7, 5])
    merged, left, stops = give_back((best, lent, finished), found, place)
    np.testing.assert_array_equal(stops, [False, True, True, True])
    np.testing.assert_array_equal(merged, best.at[0, 0].set(5))
    np.testing.assert_array_equal(left, 0)


def agrees(found: np.ndarray, plain: np.ndarray, *, exact: bool) -> None:
    """Fail unless `found` `[B, A]` is what a search may say when `plain` is true."""
    best = plain.max(axis=1)
    np.testing.assert_array_equal(found.max(axis=1), best)
    np.testing.assert_array_equal(found == best[:, None], plain == best[:, None])
    np.testing.assert_array_equal(found == -np.inf, plain == -np.inf)
    if exact:
        np.testing.assert_array_equal(found, plain)
    else:
        assert (found >= plain).all()  # bounds of moves that were refuted
