"""The search of one position in steps, against plain minimax."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.types import Array
from ludens.search.deep import DeepSearch
from reference.minimax import scores as minimax
from search.positions import open_positions
from search.test_alpha_beta import GAMES
from search.whim import Whim
from variants import slow_but

POSITIONS = 8
DEPTH = 4
PARAMS = jnp.float32(9)


@pytest.mark.parametrize("name", slow_but(GAMES, 1))
def test_it_finds_what_plain_minimax_finds_at_every_depth(name: str) -> None:
    """With a table so small that positions are forgotten all the time, and with stops in between."""
    game, longest = GAMES[name]
    search = DeepSearch(game, Whim(game))
    tools = jax.jit(search.one_ply), jax.jit(search.begin), jax.jit(search.proceed)
    states = open_positions(game, POSITIONS, longest=longest, seed=5)
    plain = {depth: minimax(game, Whim(game), PARAMS, states, depth) for depth in range(2, DEPTH + 1)}
    for exact in (False, True):
        table = search.empty_table(64)
        for number in range(POSITIONS):
            state = jax.tree.map(lambda x, number=number: x[number], states)
            order, over = (np.asarray(x) for x in tools[0](PARAMS, state))
            for depth in range(2, DEPTH + 1):
                window = np.array([-np.inf, np.inf if exact else 10], np.float32)
                dive = tools[1](state, table, order, jnp.int32(depth), jnp.bool_(exact), window, jnp.float32(0))
                dive, expected = _finish(tools[2], dive), plain[depth][number]
                table, found = dive.table, np.where(over, order, dive.scores[:-1])
                assert dive.nodes.best[0] == expected.max()
                assert expected[int(dive.nodes.choice[1])] == expected.max()
                if exact:
                    np.testing.assert_array_equal(found, expected)
                else:  # bounds from above, if a forced win did not end the search
                    assert ((found >= expected) | (expected.max() == 10)).all()


class Doubtful(Whim):
    """A whim that says how wrong it is, and is always as wrong as that."""

    predicts = True

    def error(self, s: Any, shallow: Array, deep: Array) -> Array:
        return jnp.float32(1)


def test_probes_save_work_and_those_that_fail_change_nothing() -> None:
    """Nothing convinces who doubts everything: minimax. Less doubt, fewer positions; the table is new each time."""
    game, longest = GAMES["othello"]
    search = DeepSearch(game, Doubtful(game))
    tools = jax.jit(search.one_ply), jax.jit(search.begin), jax.jit(search.proceed)
    states = open_positions(game, POSITIONS, longest=longest, seed=6)
    plain = minimax(game, Whim(game), PARAMS, states, DEPTH)
    evaluated = dict.fromkeys((0.0, 0.5, 100.0), 0)
    for number in range(POSITIONS):
        state = jax.tree.map(lambda x, number=number: x[number], states)
        order = tools[0](PARAMS, state)[0]
        for doubt in evaluated:
            asked = (jnp.int32(DEPTH), jnp.bool_(False), jnp.array([-np.inf, np.inf]), jnp.float32(doubt))
            dive = _finish(tools[2], tools[1](state, search.empty_table(64), order, *asked))
            evaluated[doubt] += int(dive.evaluated)
            if doubt != 0.5:
                assert dive.nodes.best[0] == plain[number].max()
    assert evaluated[0.5] < evaluated[0.0] < evaluated[100.0]


def _finish(proceed: Any, dive: Any) -> Any:
    """The search once it is over, taken up again and again."""
    while int(dive.level) >= 0:
        dive = proceed(PARAMS, dive, jnp.int32(100))
    return dive


def test_what_is_noisy_in_onitama() -> None:
    """Every move that takes a piece or ends the game, and no other."""
    game, longest = GAMES["onitama"]
    states = open_positions(game, 200, longest=longest, seed=7)

    def ends_or_takes(s: Any, a: Any) -> Any:
        t = game.apply(s, a)  # seen by the other side
        pieces = jax.lax.population_count(s.opp_students) - jax.lax.population_count(t.own_students)
        return game.legal(s)[a] & ((pieces > 0) | game.done(t))

    each = jax.vmap(jax.vmap(ends_or_takes, (None, 0)), (0, None))
    expected = jax.jit(each)(states, jnp.arange(game.num_actions))
    found = jax.jit(jax.vmap(game.noisy))(states)
    assert found.any()
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(jax.vmap(game.is_noisy)(states), found.any(axis=1))
