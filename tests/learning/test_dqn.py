"""DQN's targets and transitions by hand, and that it learns."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games.ur import Ur
from ludens.learning.dqn import DQN, DoubleDQN, Transition
from ludens.learning.evaluation import evaluate
from ludens.learning.learner import Turn
from ludens.learning.loop import compiled_begin, compiled_chunk
from ludens.learning.pending import Pending, Played
from ludens.nets.mlp import MLP
from ludens.players.q_mlp import QMLP, sees
from ludens.players.simple import Random
from ludens.returns import replay

GAME = Ur(pieces=2)
KEY = jax.random.key(0)
SEES = jax.jit(partial(sees, GAME))
SMALL = {
    "num_envs": 8,
    "hidden": 16,
    "layers": 1,
    "buffer_size": 2000,
    "learning_starts": 100,
    "batch_size": 32,
    "target_update": 20,
}


def learner(kind: Any = DQN, **settings: Any) -> Any:
    return kind(GAME, kind.config_type(**SMALL | settings))


def constant(net: MLP, values: list[float]) -> MLP:
    """A net that gives the first actions these values and all others 0, whatever it sees."""
    last = jnp.zeros_like(net.weights[-1]).at[: len(values), -1].set(jnp.array(values))
    return MLP((*net.weights[:-1], last), net.hidden, net.output)


# The net gives actions 0, 1 and 2 the values 1, 5 and 9, its older copy 7, 3 and 8. Actions 0 and 1 are legal.
#   DQN: the copy's best legal value, 7. Double DQN: the net's best legal action is 1, which the copy values 3.
@pytest.mark.parametrize(("kind", "expected"), [(DQN, 7.0), (DoubleDQN, 3.0)])
def test_the_target_by_hand(kind: Any, expected: float) -> None:
    one = learner(kind)
    state = jax.jit(one.init)(KEY)
    state = state._replace(net=constant(state.net, [1.0, 5.0, 9.0]), target=constant(state.target, [7.0, 3.0, 8.0]))
    x, legal = SEES(GAME.init(KEY)), jnp.arange(16) < 2
    target = jax.jit(one.target)
    assert float(target(state, 0.5, x, legal)) == 0.5 + expected
    assert float(target(state, 0.5, x, jnp.zeros(16, bool))) == 0.5  # the game is over


# The only transition there is: action 1 earned 0.5 and led to a decision worth 7 (as above), so with gamma 0.9 the
# target is 0.5 + 0.9 * 7 = 6.8. The net says 5, so Huber's loss is 1.8 - 0.5 = 1.3, and the bias of action 1, whose
# gradient is the only one, goes up by the learning rate (Adam's first step).
def test_one_update_by_hand() -> None:
    one = learner(gamma=0.9, learning_starts=1, learning_rate=0.01)
    state, learn = jax.jit(one.init)(KEY), jax.jit(one._learn)
    x = SEES(GAME.init(KEY))
    lived = Transition(x, jnp.int32(1), jnp.float32(0.5), x, jnp.arange(16) < 2)
    ring = replay.add(state.replay, jax.tree.map(lambda leaf: leaf[None], lived), jnp.array([True]))
    nets = {"net": constant(state.net, [1.0, 5.0, 9.0]), "target": constant(state.target, [7.0, 3.0, 8.0])}
    after, loss = learn(state._replace(replay=ring, **nets), KEY)
    assert float(loss.total) == pytest.approx(1.3, rel=1e-5)
    change = np.asarray(after.net.weights[-1] - nets["net"].weights[-1])
    assert change[1, -1] == pytest.approx(0.01, rel=1e-3)
    assert (np.delete(change, 1, axis=0) == 0).all()
    untouched, loss = learn(state, KEY)  # nothing was lived through
    assert float(loss.number) == 0
    np.testing.assert_array_equal(untouched.net.weights[0], state.net.weights[0])


def test_transitions_go_from_own_turn_to_own_turn() -> None:
    # Seat 0 did 3 when it saw ones and has earned 0.05 since; seat 1 did 4 when it saw twos. Now seat 0 plays off.
    one = learner(num_envs=2)
    s = GAME.read("first: on a7 home 1; second: on c4; turn first; throw 1")
    a = GAME.parse("a7-off", s)
    views = jax.tree.map(lambda x: jnp.stack([x, x]), s)
    t = jax.tree.map(lambda x: jnp.stack([x, x]), GAME.apply(s, a))
    features = SEES(s).size
    seen = jnp.stack([jnp.ones(features), 2 * jnp.ones(features)])
    before = Played(jnp.stack([seen, seen]), jnp.array([[3, 4], [-1, 4]]))
    memory = Pending(before, jnp.array([[0.05, 0.0], [0.0, -0.01]]))
    turn = Turn(views, jnp.array([a, a]), None, t, jnp.array([True, True]), jnp.zeros((2, 2)), jnp.zeros(2, jnp.int32))
    memory, lived, complete = jax.jit(one._complete)(memory, turn)
    np.testing.assert_array_equal(
        complete, [True, False, True, True, True, True]
    )  # seat 0 of game 1 had not decided yet
    now = SEES(s)
    np.testing.assert_array_equal(lived.action, [3, -1, a, 4, a, 4])
    np.testing.assert_allclose(lived.reward, [0.05, 0.0, 1.0, 0.0, 1.0, -0.01])  # winning is 100 points of 100
    np.testing.assert_array_equal(lived.x[:4], [seen[0], seen[0], now, seen[1]])
    np.testing.assert_array_equal(lived.next_x[0], now)
    assert lived.next_legal[:2].any(axis=1).all()
    assert not lived.next_legal[2:].any()  # the end
    np.testing.assert_array_equal(memory.decision.action, [[a, 4], [a, 4]])


@pytest.mark.slow
def test_two_chunks_are_one_and_the_target_lags() -> None:
    one = learner(episodes=60)
    begin, chunk = compiled_begin(one), compiled_chunk(one, 1)
    seeds = np.array([5], np.uint32)
    whole, _ = chunk(begin(seeds), jnp.int32(60))
    half, _ = chunk(begin(seeds), jnp.int32(30))
    rest, _ = chunk(half, jnp.int32(60))
    for a, b in zip(jax.tree.leaves(whole.learner), jax.tree.leaves(rest.learner), strict=True):
        np.testing.assert_array_equal(a, b)
    assert (np.asarray(whole.learner.net.weights[0]) != np.asarray(whole.learner.target.weights[0])).any()
    assert int(whole.learner.replay.size[0]) == 2000


@pytest.mark.slow
def test_it_learns() -> None:
    one = learner(DoubleDQN, episodes=600, reward="result", hidden=32, num_envs=16, learning_rate=2e-3, batch_size=64)
    trained, _ = compiled_chunk(one, 1)(compiled_begin(one)(np.array([1], np.uint32)), jnp.int32(600))
    params = one.params(jax.tree.map(lambda x: x[0], trained.learner))
    agent = QMLP.from_facts(GAME, one.agent(), lambda shapes: params)
    counts = evaluate(agent, Random(GAME), params, None, KEY, games=1000)
    assert int(counts.wins) > 650


def test_bad_settings() -> None:
    for wrong in ({"hidden": 0}, {"gamma": 2}, {"reward": "money"}, {"batch_size": 0}, {"learning_rate": -1}):
        with pytest.raises(ValueError, match=r"^[a-z_]+ is .*: expected"):
            learner(**wrong)
    with pytest.raises(ValueError, match="buffer_size is 50: expected 100 or more"):
        learner(buffer_size=50)
