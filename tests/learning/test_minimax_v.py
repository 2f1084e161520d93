import chex
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from ludens.arena.match import Contestant, balanced_jobs, play_batch
from ludens.core.game import legal_actions
from ludens.games.othello import Othello
from ludens.learning import loop
from ludens.learning.learner import Clock, Turn
from ludens.learning.minimax_v import MinimaxV, MinimaxVConfig, _turned
from ludens.players import player
from ludens.players.v_net import VNet, planes

GAME = Othello(size=4)
SETTINGS = {"episodes": 4000, "num_envs": 16, "hidden": 24, "hidden2": 8, "learning_rate": 0.003}
LEARNER = MinimaxV(GAME, MinimaxVConfig(**SETTINGS))
apply = jax.jit(GAME.apply)
look = jax.jit(lambda s: (GAME.legal(s), GAME.done(s), GAME.player(s), GAME.returns(s), planes(GAME, s)))


def some_positions():
    """As many as there are lanes, from random games, none of them finished and some one move from it."""
    rng, found = np.random.default_rng(8), []
    while len(found) < LEARNER.config.num_envs:
        s = GAME.init(jax.random.key(0))
        for _ in range(rng.integers(0, 25)):
            t = apply(s, rng.choice(np.flatnonzero(look(s)[0])))
            if look(t)[1]:
                break
            s = t
        found.append(s)
    return found


def by_hand(net, s):
    """The target of a position, one move at a time."""
    worths = []
    legal, _, mover, _, _ = look(s)
    for a in np.flatnonzero(legal):
        _, done, following, returns, x = look(apply(s, a))
        value = float(net(x)[0])
        worths.append(float(returns[mover]) if done else value if following == mover else -value)
    return max(worths)


@pytest.mark.slow
def test_one_step_is_adams_towards_the_best_move():
    found = some_positions()
    states = jax.tree.map(lambda *each: jnp.stack(each), *found)
    state, keys = LEARNER.init(jax.random.key(1)), jax.random.split(jax.random.key(2), len(found))
    clock = Clock(jnp.int32(1000), jnp.int32(0))
    actions, q_values = jax.jit(LEARNER.act)(state, None, states, keys, clock)
    assert all(look(s)[0][a] for a, s in zip(actions, found, strict=True))
    lanes = len(found)
    over, results = jnp.zeros(lanes, bool), jnp.zeros((lanes, 2))
    turn = Turn(states, actions, q_values, states, over, results, jnp.zeros(lanes, jnp.int32))
    learned, _, metrics = jax.jit(LEARNER.update)(state, None, turn, jax.random.key(3), clock)

    targets = jnp.array([by_hand(state.net, s) for s in found])
    assert (jnp.abs(targets) == 1).any()  # somebody is one move from a result
    x = _turned(jax.vmap(lambda s: planes(GAME, s))(states), jax.random.split(jax.random.key(3), lanes))

    def half_squares(net):
        return ((jax.vmap(net)(x)[:, 0] - targets) ** 2).sum() / 2

    expected, grads = jax.jit(jax.value_and_grad(half_squares))(state.net)
    assert float(metrics["loss"].total) == pytest.approx(float(expected), rel=1e-4)
    adam = optax.adam(0.003 * 0.75)  # a quarter of the games are played
    steps, _ = adam.update(grads, adam.init(state.net))
    chex.assert_trees_all_close(learned.net, jax.tree.map(jnp.add, state.net, steps), atol=1e-5)


def test_boards_are_turned_in_all_eight_ways_and_all_planes_alike():
    square = np.arange(16.0)
    x = jnp.tile(jnp.asarray([*square, *(square + 100), *(square + 200)], jnp.float32), (64, 1))
    turned = np.asarray(_turned(x, jax.random.split(jax.random.key(0), 64)))
    board = square.reshape(4, 4)
    ways = {tuple(np.rot90(each, k).ravel()) for each in (board, board.T) for k in range(4)}
    assert {tuple(each[:16]) for each in turned} == ways
    np.testing.assert_array_equal(turned[:, 16:32], turned[:, :16] + 100)
    np.testing.assert_array_equal(turned[:, 32:], turned[:, :16] + 200)


def test_what_the_net_sees():
    s = GAME.read("-----OX--XO----- X")
    own, other, able = np.asarray(planes(GAME, s)).reshape(3, 16)
    assert np.flatnonzero(own).tolist() == [6, 9]
    assert np.flatnonzero(other).tolist() == [5, 10]
    assert np.flatnonzero(able).tolist() == legal_actions(GAME, s)


@pytest.mark.slow
def test_it_learns_to_beat_random_and_goes_on_where_it_was():
    begin, chunk = loop.compiled_begin(LEARNER), loop.compiled_chunk(LEARNER, 1)
    seeds = np.zeros(1, np.uint32)
    whole, means = chunk(begin(seeds), jnp.int32(4000))
    half, _ = chunk(begin(seeds), jnp.int32(1500))
    half, _ = chunk(half, jnp.int32(4000))
    chex.assert_trees_all_equal(half.learner, whole.learner)
    assert np.isfinite(means["loss"].total).all()
    params = jax.tree.map(lambda x: x[0], LEARNER.params(whole.learner))
    agent = VNet.from_facts(GAME, LEARNER.agent(), lambda shapes: params)
    chex.assert_trees_all_equal_shapes_and_dtypes(agent.init(jax.random.key(0)), agent.shapes())
    jobs = balanced_jobs(GAME, 2, 400, seed=1)
    contestants = [Contestant("agent", agent), Contestant("random", player("random", GAME))]
    results = [record.returns[jobs[n].seats.index(0)] for n, record in play_batch(GAME, contestants, jobs, opening=0)]
    assert np.mean(results) > 0.5


@pytest.mark.slow
def test_an_agent_plays_to_the_best_position_and_judges_it():
    net = LEARNER.init(jax.random.key(5)).net
    agent = VNet.from_facts(GAME, LEARNER.agent(), lambda shapes: net)
    assert agent == VNet.from_facts(GAME, LEARNER.agent(), lambda shapes: None)
    act, evaluator = jax.jit(agent.act), agent.evaluator()
    for s in some_positions()[:6]:
        decision = act(net, jax.random.key(0), s)
        assert float(decision.scores.max()) == pytest.approx(by_hand(net, s), abs=1e-5)
        assert np.flatnonzero(np.isfinite(decision.scores)).tolist() == np.flatnonzero(look(s)[0]).tolist()
        value = float(evaluator.value(evaluator.init(jax.random.key(0)), s))
        assert value == pytest.approx(float(net(planes(GAME, s))[0]), abs=1e-6)
        assert abs(value) < evaluator.win


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"hidden2": 0}, "hidden2 is 0: expected a whole number, 1 or more"),
        ({"learning_rate": -1.0}, "learning_rate is -1.0: expected a number, 0 or more"),
        ({"temperature_end": 0.0}, "temperature_end is 0.0: expected a number, 1e-06 or more"),
    ],
)
def test_settings_out_of_range(settings, said):
    with pytest.raises(ValueError, match=said):
        MinimaxVConfig(**settings)
