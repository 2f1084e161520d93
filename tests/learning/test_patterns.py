from functools import partial

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import random_action
from ludens.games.onitama import Onitama
from ludens.games.othello import Othello
from ludens.learning import loop
from ludens.learning.evaluation import evaluate
from ludens.learning.learner import Clock
from ludens.learning.patterns import PatternConfig, PatternLearner, PatternRollout
from ludens.players import player
from ludens.players.learned import agent_of
from ludens.players.othello_patterns import OthelloTables
from ludens.players.pattern_tables import total

GAME = Othello(size=4)
LEARNER = PatternLearner(GAME, PatternConfig(episodes=1600, num_envs=64, num_steps=6, phases=3))
TABLES = OthelloTables(GAME)
CLOCK = Clock(jnp.int32(400), jnp.int32(0))


def some_rollout(learner):
    """Positions of random games, and values drawn at random."""
    game = learner.game

    def walk(s, key):
        t = game.apply(s, random_action(game, s, key))
        return jax.tree.map(lambda x, y: jnp.where(game.done(t), x, y), s, t), learner.known.board(s)

    def one(key):
        return jax.lax.scan(walk, game.init(key), jax.random.split(key, learner.config.num_steps))[1]

    boards = jax.jit(jax.vmap(one, out_axes=1))(jax.random.split(jax.random.key(0), learner.config.num_envs))
    rng, room = np.random.default_rng(1), (learner.config.num_steps, learner.config.num_envs)
    return PatternRollout(
        boards,
        jnp.asarray(rng.normal(0, 5, room), jnp.float32),
        jnp.asarray(rng.random(room) < 0.8),
        jnp.asarray(rng.choice([-1.0, 1.0], room), jnp.float32),
    )


def returns_by_hand(rollout, lambda_):
    best, greedy, sign = (np.asarray(x, float) for x in rollout[1:])
    found = best.copy()
    for t in reversed(range(len(best) - 1)):
        further = (1 - lambda_) * best[t] + lambda_ * sign[t] * found[t + 1]
        found[t] = np.where(greedy[t] > 0, further, best[t])
    return found


def test_entries_move_to_the_mean_error_of_the_positions_they_are_met_in():
    rollout, state = some_rollout(LEARNER), LEARNER.init(jax.random.key(0))
    weights, tables, loss = jax.jit(LEARNER._learn)(state, rollout, CLOCK)
    boards = jax.tree.map(lambda x: x.reshape(-1), rollout.board)
    targets = returns_by_hand(rollout, LEARNER.config.lambda_).reshape(-1)
    met, errors = np.zeros(weights.size), np.zeros(weights.size)
    index, images = (np.asarray(TABLES.entries(3, boards, mirrored=mirrored)) for mirrored in (False, True))
    for column, image, target in zip(index.T, images.T, targets, strict=True):
        both = [*column, *(b for a, b in zip(column, image, strict=True) if a != b)]
        np.add.at(met, both, 1)
        np.add.at(errors, both, target)
    config = LEARNER.config
    rate = (0.75 * config.learning_rate + 0.25 * config.learning_rate_end) / len(index)  # a quarter is played
    np.testing.assert_allclose(np.asarray(weights).reshape(-1), rate * errors / (met + config.damping), atol=1e-3)
    np.testing.assert_array_equal(np.asarray(tables), np.round(np.asarray(weights) * TABLES.unit))
    assert float(loss.total / loss.number) == pytest.approx(np.mean(targets**2), rel=1e-4)
    chex.assert_trees_all_equal(total(tables, jnp.asarray(index)), total(tables, jnp.asarray(images)))


def test_mirror_images_of_a_position_of_onitama_stay_worth_the_same():
    learner = PatternLearner(Onitama(), PatternConfig(num_envs=16, num_steps=4, phases=2))
    rollout = some_rollout(learner)
    _, tables, _ = jax.jit(learner._learn)(learner.init(jax.random.key(0)), rollout, CLOCK)
    boards = jax.tree.map(lambda x: x.reshape(-1), rollout.board)
    index, images = (
        jax.jit(partial(learner.known.entries, 2, mirrored=mirrored))(boards) for mirrored in (False, True)
    )
    worth = np.asarray(total(tables, index))
    np.testing.assert_array_equal(worth, total(tables, images))
    assert (worth != 0).any()
    assert (np.asarray(index) != np.asarray(images)).any()


@pytest.mark.slow
def test_it_soon_beats_random_and_goes_on_where_it_was():
    begin, chunk = loop.compiled_begin(LEARNER), loop.compiled_chunk(LEARNER, 1)
    seeds = np.zeros(1, np.uint32)
    whole, means = chunk(begin(seeds), jnp.int32(1600))
    half, _ = chunk(begin(seeds), jnp.int32(700))
    half, _ = chunk(half, jnp.int32(1600))
    chex.assert_trees_all_equal(half.learner, whole.learner)
    assert np.isfinite(means["loss"].total).all()
    params = LEARNER.params(jax.tree.map(lambda x: x[0], whole.learner))
    agent = agent_of(GAME, LEARNER.agent())
    wins, _, losses = evaluate(agent, player("random", GAME), params, None, jax.random.key(0), games=400)
    assert int(wins) > 4 * int(losses)


@pytest.mark.slow
def test_moves_are_random_at_first_and_then_the_best():
    learner = PatternLearner(GAME, PatternConfig(num_envs=64, num_steps=4, phases=3, opening=4, epsilon=0.0))
    state = learner.init(jax.random.key(0))
    state = state._replace(
        tables=jnp.asarray(np.random.default_rng(0).integers(-99, 99, state.tables.shape), jnp.int16)
    )
    first = GAME.init(jax.random.key(0))
    later = GAME.read("XXXX-OOO-XO----- X")
    act = jax.jit(learner.act)
    for s, always in ((first, False), (later, True)):
        views = jax.tree.map(lambda x: jnp.broadcast_to(x, (64, *x.shape)), s)
        actions, seen = act(state, None, views, jax.random.split(jax.random.key(1), 64), CLOCK)
        assert (len(set(np.asarray(actions).tolist())) == 1) == always
        assert bool(seen.greedy.all()) == always
        assert len(set(np.asarray(seen.best).tolist())) == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"phases": 0}, "phases is 0: expected a whole number from 1 to 60"),
        ({"lambda_": 1.5}, "lambda_ is 1.5: expected a number from 0 to 1"),
        ({"damping": -1.0}, "damping is -1.0: expected a number, 0 or more"),
        ({"epsilon": 2.0}, "epsilon is 2.0: expected a number from 0 to 1"),
    ],
)
def test_settings_out_of_range(settings, said):
    with pytest.raises(ValueError, match=said):
        PatternConfig(**settings)
