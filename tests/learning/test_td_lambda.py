"""TD(lambda): the paper's two equations number by number, who moves how, and that it learns."""

from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.learning.evaluation import evaluate
from ludens.learning.learner import Clock, Turn
from ludens.learning.loop import compiled_begin, compiled_chunk
from ludens.learning.td_lambda import TDLambda, TDLambdaConfig, Trace
from ludens.nets.mlp import MLP, linear, scaled_tanh
from ludens.players import player
from ludens.players.tactics import wins_and_blocks
from ludens.players.value_net import ValueNet, after_moves
from reference.td_lambda import Net

GAME = make("chung-toi")
MOVES = ["a1+", "a2x", "b1+", "b2+", "c1x"]  # white's third stone makes a row: five moves, white wins
START = Clock(jnp.int32(0), jnp.int32(0))


def _positions() -> list[Any]:
    positions = [GAME.init(jax.random.key(0))]
    for move in MOVES:
        positions.append(GAME.apply(positions[-1], GAME.parse(move, positions[-1])))
    return positions


def _turn(s: Any, t: Any, ply: int) -> Turn[Any]:
    one = lambda tree: jax.tree.map(lambda x: jnp.asarray(x)[None], tree)  # noqa: E731  # shorter than a function
    return Turn(one(s), jnp.zeros(1, jnp.int32), None, one(t), one(GAME.done(t)), one(GAME.returns(t)), one(ply))


def _learn(learner: TDLambda[Any], net: MLP, positions: list[Any]) -> list[MLP]:
    """The weights after each move."""
    memory = jax.tree.map(lambda x: x[None], learner.init_memory())
    nets = []
    for ply, (s, t) in enumerate(pairwise(positions)):
        net, memory, _ = learner.update(net, memory, _turn(s, t, ply), jax.random.key(0), START)
        nets.append(net)
    return nets


def test_the_first_update_worked_by_hand() -> None:
    """One hidden unit, all weights zero but the one to the output, 0.5.

    In the empty position with white to move the input is (0 ... 0, 1, 0). The hidden unit's field is 0 and its output
    f(0) = 0, so P is the bias of the output, 0.25. The position is taken for the last one (`known_ends`), with a reward
    of 1: the surprise is 1 - 0.25 = 0.75. Then with alpha = 0.1
        to the output    0.1 * 0.75 * y_h   = 0.075 * 0 = 0       its bias  0.1 * 0.75 * 1 = 0.075
        to the hidden    0.1 * 0.75 * f'(v_j) w_jh f'(v_h) x_i = 0.075 * 1 * 0.5 * (1.7159 * 2/3) * x_i
                         = 0.042897500 for the input that is 1 (white to move) and for the bias, else 0.
    """
    learner = TDLambda(GAME, TDLambdaConfig(hidden=1, alpha=0.1, alpha_end=0.1, known_ends=True))
    net = MLP((jnp.zeros((1, 21)), jnp.array([[0.5, 0.25]])), scaled_tanh, linear)
    s = GAME.init(jax.random.key(0))
    turn = _turn(s, s, 0)._replace(done=jnp.array([True]), returns=jnp.array([[1.0, -1.0]]))
    memory = jax.tree.map(lambda x: x[None], learner.init_memory())
    after, _, means = jax.jit(learner.update)(net, memory, turn, None, START)
    np.testing.assert_allclose(after.weights[1], [[0.5, 0.325]], rtol=1e-6)
    expected = np.zeros((1, 21))
    expected[0, [18, 20]] = 0.0428975
    np.testing.assert_allclose(after.weights[0], expected, rtol=1e-6)
    assert float(means["loss"].total) == pytest.approx(0.75**2)


@pytest.mark.slow
@pytest.mark.parametrize("known_ends", [False, True])
def test_a_whole_game_follows_the_papers_sums(known_ends: bool) -> None:
    learner = TDLambda(GAME, TDLambdaConfig(hidden=3, alpha=0.05, alpha_end=0.05, lambda_=0.7, known_ends=known_ends))
    net = learner.init(jax.random.key(4))
    reference = Net(np.asarray(net.weights[0], float).tolist(), np.asarray(net.weights[1][0], float).tolist())
    positions = _positions()
    inputs = [np.asarray(GAME.observe(s), float).tolist() for s in positions]
    nets = _learn(learner, net, positions)
    for t, after in enumerate(nets):
        last = t == len(MOVES) - 1
        reward_now = last and known_ends
        reference.step(inputs[t], 1.0 if reward_now else reference.forward(inputs[t + 1])[0], alpha=0.05, lam=0.7)
        if last and not known_ends:
            reference.step(inputs[t + 1], 1.0, alpha=0.05, lam=0.7)
        np.testing.assert_allclose(after.weights[0], reference.w_hi, atol=2e-6)
        np.testing.assert_allclose(after.weights[1][0], reference.w_jh, atol=2e-6)


@pytest.mark.slow
def test_games_side_by_side_add_their_corrections_up() -> None:
    learner = TDLambda(GAME, TDLambdaConfig(hidden=3, alpha=0.05, known_ends=True))
    net = learner.init(jax.random.key(1))
    positions = _positions()
    memory = jax.tree.map(lambda x: x[None], learner.init_memory())
    turns = [_turn(positions[0], positions[1], 0), _turn(positions[4], positions[5], 4)]
    alone = [learner.update(net, memory, turn, None, START)[0] for turn in turns]
    both = jax.tree.map(lambda x, y: jnp.concatenate([x, y]), *turns)
    memories = jax.tree.map(lambda x: jnp.concatenate([x, x]), memory)
    together = learner.update(net, memories, both, None, START)[0]
    for before, one, two, sum_ in zip(*map(jax.tree.leaves, (net, *alone, together)), strict=True):
        np.testing.assert_allclose(sum_ - before, (one - before) + (two - before), atol=1e-6)


@pytest.mark.slow
def test_a_new_game_forgets_the_last_one() -> None:
    """In the loop the trace of a finished game does not reach into the next."""
    learner = TDLambda(GAME, TDLambdaConfig(episodes=3, hidden=2, tactics=False))
    training, _ = compiled_chunk(learner, 1)(compiled_begin(learner)(jnp.arange(1, dtype=jnp.uint32)), 3)
    assert int(training.clock.games[0]) == 3
    assert int(training.plies[0, 0]) == 0
    assert isinstance(training.memory, Trace)
    assert not any(np.asarray(x).any() for x in jax.tree.leaves(training.memory))


@pytest.mark.slow
def test_white_wants_the_greatest_value_and_red_the_smallest() -> None:
    learner = TDLambda(GAME, TDLambdaConfig(epsilon=0.0, epsilon_end=0.0, tactics=False))
    net = learner.init(jax.random.key(3))
    for s in _positions()[1:3]:
        a = int(
            learner.act(net, None, jax.tree.map(lambda x: x[None], s), jax.random.split(jax.random.key(0), 1), START)[
                0
            ][0]
        )
        values = {b: float(net(GAME.observe(GAME.apply(s, b)))[0]) for b in range(163) if GAME.legal(s)[b]}
        wanted = max(values, key=values.get) if int(s.turn) == 0 else min(values, key=values.get)
        assert a == wanted
        np.testing.assert_allclose(
            after_moves(GAME, net, s, known_ends=False)[a], values[a] * (1 if int(s.turn) == 0 else -1), rtol=1e-5
        )


@pytest.mark.slow
def test_known_ends_are_seen() -> None:
    """Whatever the net thinks, a move that wins counts 1, and one step before the end everything else is the net's."""
    s = _positions()[4]
    net = TDLambda(GAME, TDLambdaConfig()).init(jax.random.key(3))
    plain, seen = (np.asarray(after_moves(GAME, net, s, known_ends=known)) for known in (False, True))
    winning = np.asarray([GAME.name(a, s)[:2] == "c1" and bool(GAME.legal(s)[a]) for a in range(163)])
    assert winning.sum() == 2
    assert (seen[winning] == 1).all()
    np.testing.assert_array_equal(plain[~winning], seen[~winning])
    assert not (plain[winning] == 1).any()


@pytest.mark.slow
def test_wins_and_blocks_come_first_while_training() -> None:
    s = _positions()[4]  # white wins with c1
    config = TDLambdaConfig(epsilon=1.0, epsilon_end=1.0)
    views, keys = jax.tree.map(lambda x: jnp.repeat(x[None], 64, 0), s), jax.random.split(jax.random.key(0), 64)
    net = TDLambda(GAME, config).init(jax.random.key(0))
    moves = np.asarray(TDLambda(GAME, config).act(net, None, views, keys, START)[0])
    assert set(moves.tolist()) == set(np.flatnonzero(wins_and_blocks(GAME, s)).tolist())
    assert {GAME.name(a, s) for a in moves.tolist()} == {"c1+", "c1x"}


@pytest.mark.slow
def test_settings_move_in_a_straight_line() -> None:
    learner = TDLambda(GAME, TDLambdaConfig(episodes=100, epsilon=1.0, epsilon_end=0.0, tactics=False))
    net = learner.init(jax.random.key(3))
    s = _positions()[0]
    views, keys = jax.tree.map(lambda x: jnp.repeat(x[None], 4000, 0), s), jax.random.split(jax.random.key(0), 4000)
    greedy = int(jnp.argmax(after_moves(GAME, net, s, known_ends=False)))
    moves = learner.act(net, None, views, keys, Clock(jnp.int32(50), jnp.int32(0)))[0]
    assert float((moves == greedy).mean()) == pytest.approx(0.5 + 0.5 / 18, abs=0.04)


@pytest.mark.parametrize(
    "wrong", [{"alpha": -1.0}, {"lambda_": 1.5}, {"epsilon": -0.1}, {"hidden": 0}, {"episodes": 0}, {"num_envs": 0}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} is .*: expected"):
        TDLambdaConfig(**wrong)


@pytest.mark.slow
def test_it_learns() -> None:
    """A few thousand games make a player that beats random play far more often than an untrained net does."""
    config = TDLambdaConfig(
        episodes=6000, num_envs=16, hidden=40, alpha=0.003, epsilon=0.3, epsilon_end=0.1, tactics=False
    )
    learner = TDLambda(GAME, config)
    before = compiled_begin(learner)(jnp.arange(1, dtype=jnp.uint32))
    first = jax.tree.map(lambda x: jnp.array(x[0]), before.learner)
    after = jax.tree.map(lambda x: x[0], compiled_chunk(learner, 1)(before, 6000)[0].learner)
    agent = ValueNet.from_facts(GAME, learner.agent(), lambda shapes: None)
    won = [
        int(evaluate(agent, player("random", GAME), net, None, jax.random.key(7), games=400).wins)
        for net in (first, after)
    ]
    assert won[1] > 260 > won[0]
