"""Regret in positions worked out by hand, and the positions it is measured in."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.player import Decision, Player
from ludens.games.chung_toi import ChungToi
from ludens.games.ur import Ur
from ludens.oracles.chung_toi import ChungToiOracle
from ludens.oracles.regret import Summary, positions, regret_of, regrets, summary
from ludens.oracles.ur import UrOracle
from ludens.players.simple import Random

GAME = ChungToi()
ORACLE = ChungToiOracle(GAME)


class Stubborn(Player):
    """Always the first legal action."""

    def act(self, params, key, view):
        return Decision(jnp.argmax(self.game.legal(view)).astype(jnp.int32), self.game.legal(view).astype(jnp.float32))


@pytest.fixture(scope="module")
def table():
    return ORACLE.solve().table


def test_moves_worked_out_by_hand(table) -> None:
    # White can win on c1. On a2 it lets red win on c3: from won to lost. Red, to move, wins on c3 or loses to c1.
    white = GAME.read("RxRx--/------/W+W+-- turn white")
    red = GAME.read("RxRx--/------/W+W+W+ turn red")._replace(other=jnp.uint32(0o013))  # white on a1, b1, a2
    states = jax.tree.map(lambda *leaves: jnp.stack(leaves), white, white, red, red)
    actions = [GAME.parse("c1x", white), GAME.parse("a2+", white), GAME.parse("c3+", red), GAME.parse("b2+", red)]
    lost, best = regrets(ORACLE, table, states, jnp.array(actions))
    np.testing.assert_array_equal(lost, [0, 2, 0, 2])
    np.testing.assert_array_equal(best, [True, False, True, False])
    assert summary(lost, best) == Summary(moves=4, mean_regret=1.0, best=0.5)
    assert summary(lost[:0], best[:0]).moves == 0


def test_a_players_regret_is_that_of_its_moves(table) -> None:
    states = positions(ORACLE, table, 300, jax.random.key(1))
    actions = jax.jit(jax.vmap(lambda s: jnp.argmax(GAME.legal(s))))(states)
    expected = summary(*regrets(ORACLE, table, states, actions))
    assert regret_of(ORACLE, table, Stubborn(GAME), None, states, jax.random.key(2)) == expected
    assert 0 < expected.mean_regret < 2
    assert 0 < expected.best < 1


@pytest.mark.parametrize("undecided", [True, False])
def test_positions_are_decisions_that_random_play_meets(undecided, table) -> None:
    drawn = positions(ORACLE, table, 400, jax.random.key(3), undecided=undecided)
    assert drawn.own.shape == (400,)
    values = np.asarray(jax.jit(jax.vmap(partial(ORACLE.values, table)))(drawn))
    legal = np.isfinite(values)
    assert legal.any(axis=1).all()
    differ = np.where(legal, values, np.inf).min(axis=1) < values.max(axis=1)
    assert differ.all() if undecided else differ.any() and not differ.all()
    pieces = jax.lax.population_count(drawn.own | drawn.other)
    assert len(set(np.asarray(pieces).tolist())) > 3  # from all of the game
    with pytest.raises(ValueError, match="expected 1 or more"):
        positions(ORACLE, table, 0, jax.random.key(0))


@pytest.mark.slow
def test_in_ur_regret_is_a_chance_of_winning() -> None:
    game = Ur(pieces=1)
    oracle = UrOracle(game)
    solution = oracle.solve()
    states = positions(oracle, solution.table, 100, jax.random.key(0), undecided=False)
    # One piece never has a choice, so even a random player is perfect, and no position is undecided.
    expected = Summary(moves=100, mean_regret=0.0, best=1.0)
    assert regret_of(oracle, solution.table, Random(game), None, states, jax.random.key(1)) == expected
