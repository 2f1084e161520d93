"""TD with a table: the update by hand, the sign after a pass, and that self-play finds perfect play."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.learning.learner import Clock, Turn
from ludens.learning.loop import compiled_begin, compiled_chunk, share_out
from ludens.learning.td_table import TDTable, TDTableConfig
from ludens.oracles.numbering import numbering
from ludens.oracles.regret import positions, regret_of
from ludens.oracles.store import load
from ludens.players.value_table import ValueTable, after_moves

CHUNG_TOI, SMALL = make("chung-toi"), make("othello", size=4)
START = Clock(jnp.int32(0), jnp.int32(0))


def _row(game: Any, s: Any) -> int:
    return int(numbering(game).decision(s))


def _after(game: Any, s: Any, move: str) -> Any:
    return game.apply(s, game.parse(move, s))


def test_an_update_by_hand() -> None:
    """V(s) = 0.2 moves half of the way (alpha = 0.5) to what its best move promises: 0.2 + 0.5 (0.7 - 0.2) = 0.45.

    The best move leads to a position that is worth -0.7 to the opponent; another to one worth 0.3, the others to 0.
    """
    game = CHUNG_TOI
    learner = TDTable(game, TDTableConfig(alpha=0.5, epsilon=0.0, epsilon_end=0.0, num_envs=1))
    s = game.init(jax.random.key(0))
    best, other = _after(game, s, "b2+"), _after(game, s, "a1x")
    table = jnp.zeros(numbering(game).decisions).at[_row(game, s)].set(0.2)
    table = table.at[_row(game, best)].set(-0.7).at[_row(game, other)].set(0.3)
    views = jax.tree.map(lambda x: x[None], s)
    action, promise = jax.jit(learner.act)(table, None, views, jax.random.split(jax.random.key(0), 1), START)
    assert game.name(action[0], s) == "b2+"
    assert float(promise[0]) == pytest.approx(0.7)
    one = lambda tree: jax.tree.map(lambda x: jnp.asarray(x)[None], tree)  # noqa: E731  # shorter than a function
    turn = Turn(views, action, promise, one(best), jnp.array([False]), jnp.zeros((1, 2)), jnp.zeros(1, jnp.int32))
    after, _, means = jax.jit(learner.update)(table, None, turn, jax.random.key(0), START)
    assert float(after[_row(game, s)]) == pytest.approx(0.45)
    assert int((after != table).sum()) == 1
    assert float(means["loss"].total) == pytest.approx(0.25)


def test_a_win_counts_as_such() -> None:
    game = CHUNG_TOI
    s = game.init(jax.random.key(0))
    for move in ("a1+", "a2x", "b1+", "b2+"):
        s = _after(game, s, move)
    values = jax.jit(partial(after_moves, game))(jnp.full(numbering(game).decisions, 0.5), s)
    values = np.asarray(values)
    assert {game.name(a, s): float(values[a]) for a in np.flatnonzero(values == 1).tolist()} == {"c1+": 1.0, "c1x": 1.0}
    others = values[np.isfinite(values) & (values != 1)]
    assert (others == -0.5).all()


@pytest.mark.slow
def test_self_play_finds_the_solution_of_small_othello() -> None:
    """Passes included: where the same side moves again the value keeps its sign."""
    learner = TDTable(SMALL, TDTableConfig(episodes=60_000, num_envs=64, epsilon=0.8, epsilon_end=0.2))
    training = share_out(learner, compiled_begin(learner)(jnp.arange(1, dtype=jnp.uint32)), 1)
    training, _ = compiled_chunk(learner, 1)(training, 60_000)
    oracle, solution = load(SMALL)
    table = jax.tree.map(jnp.asarray, solution.table)
    asked = positions(oracle, table, 500, jax.random.key(0))
    agent = ValueTable.from_facts(SMALL, learner.agent(), lambda shapes: None)
    untrained = regret_of(oracle, table, agent, {"v": jnp.zeros_like(training.learner[0])}, asked, jax.random.key(1))
    learned = regret_of(oracle, table, agent, {"v": training.learner[0]}, asked, jax.random.key(1))
    assert learned.mean_regret < 0.2 * untrained.mean_regret
    assert learned.best > 0.8 > untrained.best


def test_it_learns_what_is_numbered_and_left_to_nobody() -> None:
    assert TDTable.learns(CHUNG_TOI)
    assert TDTable.learns(SMALL)
    assert not TDTable.learns(make("othello"))
    assert not TDTable.learns(make("ur", pieces=1))
    with pytest.raises(ValueError, match="epsilon_end is 2: expected a number from 0 to 1"):
        TDTableConfig(epsilon_end=2)
