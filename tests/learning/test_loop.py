"""The loop: it plays by the rules, begins anew, counts right, and is the same however it is cut up."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.learning.learner import Mean
from ludens.learning.loop import Training, compiled_begin, compiled_chunk, share_out
from reference.counting import Counting, CountingConfig

LANES = 4


def _learner(game: str, lanes: int, **variant: Any) -> Counting:
    return Counting(make(game, **variant), CountingConfig(num_envs=lanes))


def _begin(learner: Counting, seeds: int = 1) -> Training:
    return share_out(learner, compiled_begin(learner)(jnp.arange(seeds, dtype=jnp.uint32)), seeds)


def _bytes(training: Training) -> list[bytes]:
    data = [
        jax.random.key_data(x) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x for x in jax.tree.leaves(training)
    ]
    return [np.asarray(x).tobytes() for x in data]


@pytest.mark.parametrize(("game", "variant"), [("othello", {"size": 4}), ("ur", {"pieces": 1}), ("chung-toi", {})])
@pytest.mark.parametrize("lanes", [1, LANES])
def test_games_and_moves_are_counted(game: str, variant: dict[str, Any], lanes: int) -> None:
    learner = _learner(game, lanes, **variant)
    training, means = compiled_chunk(learner, 1)(_begin(learner), 50)
    games, steps = int(training.clock.games[0]), int(training.clock.steps[0])
    assert games == 50 if lanes == 1 else games >= 50
    assert int(training.learner.ends[0]) == games
    assert int(training.learner.moves[0]) == steps * lanes
    assert float(means["length"].number[0]) == games
    # Every move belongs to a finished game or to one under way.
    assert float(means["length"].total[0]) + int(training.plies.sum()) == steps * lanes
    # The memory is cleared with each game and handed to `update` as `act` saw it; `ply` counts the same.
    assert float(means["agree"].total[0]) == float(means["agree"].number[0]) == steps * lanes
    np.testing.assert_array_equal(training.memory, training.plies)


def test_a_game_is_cut_off_at_its_limit() -> None:
    class Endless(type(make("chung-toi"))):  # type: ignore[misc]  # a class made for one test
        turn_limit = 7

    learner = Counting(Endless(), CountingConfig(num_envs=LANES))
    training, means = compiled_chunk(learner, 1)(_begin(learner), 200)
    assert int(training.learner.longest[0]) == 7
    assert float(means["length"].total[0] / means["length"].number[0]) > 5


@pytest.mark.parametrize("lanes", [1, LANES])
def test_two_chunks_are_one(lanes: int) -> None:
    learner = _learner("chung-toi", lanes)
    whole, _ = compiled_chunk(learner, 1)(_begin(learner), 60)
    half, _ = compiled_chunk(learner, 1)(_begin(learner), 23)
    both, _ = compiled_chunk(learner, 1)(half, 60)
    assert _bytes(whole) == _bytes(both)


def test_seeds_are_independent_and_each_is_as_if_alone() -> None:
    learner = _learner("ur", 1, pieces=1)
    three, _ = compiled_chunk(learner, 3)(_begin(learner, 3), 20)
    assert np.asarray(three.clock.games).tolist() == [20, 20, 20]
    assert len(set(np.asarray(three.learner.noise).tolist())) == 3
    alone = compiled_begin(learner)(jnp.array([2], jnp.uint32))
    alone, _ = compiled_chunk(learner, 1)(alone, 20)
    assert int(alone.learner.moves[0]) == int(three.learner.moves[2])
    np.testing.assert_array_equal(jax.tree.leaves(alone.positions)[0][0], jax.tree.leaves(three.positions)[0][2])


def test_one_compilation_serves_all_chunks() -> None:
    learner = _learner("chung-toi", LANES)
    step = compiled_chunk(learner, 1)
    training = _begin(learner)
    for target in (10, 20, 30):
        training, _ = step(training, target)
    assert step._cache_size() == 1  # type: ignore[attr-defined]  # what a compiled function has


def test_means_leave_out_what_was_not_measured() -> None:
    mean = Mean.of(jnp.array([1.0, 2.0, 4.0]), jnp.array([True, False, True]))
    assert (float(mean.total), float(mean.number)) == (5.0, 2.0)
    assert float(Mean.of(jnp.array([1.0, 2.0])).number) == 2
