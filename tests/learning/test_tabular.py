"""One update of each rule worked out by hand, and learning where perfect play is known."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import legal_actions
from ludens.games.chung_toi import ChungToi
from ludens.games.othello import Othello
from ludens.games.ur import Ur
from ludens.learning.expected_sarsa import ExpectedSarsa
from ludens.learning.learner import Clock, Turn
from ludens.learning.loop import compiled_begin, compiled_chunk
from ludens.learning.monte_carlo import MonteCarlo
from ludens.learning.pending import Pending
from ludens.learning.q_learning import QLearning
from ludens.learning.sarsa import Sarsa
from ludens.learning.sarsa_lambda import SarsaLambda
from ludens.learning.tabular import Choice
from ludens.oracles.regret import positions, regret_of
from ludens.oracles.ur import UrOracle
from ludens.players.q_table import QTable

ALL = [QLearning, ExpectedSarsa, Sarsa, MonteCarlo, SarsaLambda]
SMALL = Ur(pieces=1)
CLOCK = Clock(jnp.int32(0), jnp.int32(0))
KEY = jax.random.key(0)


def paid(kind: Any) -> Any:
    """`kind`, but paid what a turn's `returns` say, whatever happens on the board."""

    @dataclass(frozen=True)
    class Paid(kind):
        def _rewards(self, turn):
            return turn.returns

    return Paid


def learner(kind: Any, game: Any = SMALL, **settings: Any) -> Any:
    return kind(game, kind.config_type(**settings))


def turn(
    learner: Any, *, seat: list[int], entry: list[int], earned: Any, done: Any, ply: Any = 0, **choice: Any
) -> Turn:
    """A turn in as many games as `seat` has entries; two moves were open where `choice` does not say."""
    lanes = len(seat)
    s = jax.jit(jax.vmap(learner.game.init))(jax.random.split(KEY, lanes))
    q_values = jnp.asarray(choice.get("q_values", [[0.0, 0.0]] * lanes))
    legal = jnp.asarray(choice.get("legal", np.ones(q_values.shape, bool)))
    move = jnp.asarray(choice.get("move", [0] * lanes))
    extra = Choice(jnp.asarray(seat), jnp.asarray(entry), move, q_values, legal)
    returns = jnp.asarray(earned, jnp.float32)
    return Turn(s, jnp.zeros(lanes, jnp.int32), extra, s, jnp.asarray(done), returns, jnp.full(lanes, ply))


# alpha 1/2, gamma 0.9, epsilon 0.2. Seat 0 once chose entry 10, which holds 4, and has earned 9 since. Now it decides
# again: its moves hold 2 and 6 (and a place without a move holds 50), and it chooses the first.
#   Q-learning       V = 6                       target 9 + 0.9 * 6   = 14.4    4 + (14.4  - 4) / 2 = 9.2
#   Expected Sarsa   V = 0.8 * 6 + 0.2 * 4 = 5.6 target 9 + 0.9 * 5.6 = 14.04   4 + (14.04 - 4) / 2 = 9.02
#   Sarsa            V = 2                       target 9 + 0.9 * 2   = 10.8    4 + (10.8  - 4) / 2 = 7.4
@pytest.mark.parametrize(("kind", "expected"), [(QLearning, 9.2), (ExpectedSarsa, 9.02), (Sarsa, 7.4)])
def test_one_step_by_hand(kind: Any, expected: float) -> None:
    one = learner(paid(kind), alpha=0.5, gamma=0.9, epsilon=0.2)
    q = jnp.zeros_like(one.init(KEY)["q"]).at[10].set(4.0).at[30].set(1.0)
    memory = Pending(jnp.array([[10, 30]]), jnp.array([[9.0, 5.0]]))
    choice = {"q_values": [[2.0, 6.0, 50.0]], "legal": jnp.array([[True, True, False]])}
    now = turn(one, seat=[0], entry=[20], earned=[[-1.0, 0.25]], done=[False], **choice)
    state, memory, means = jax.jit(one.update)({"q": q}, memory, now, KEY, CLOCK)
    assert float(state["q"][10]) == pytest.approx(expected)
    assert {int(i) for i in np.flatnonzero(state["q"])} == {10, 30}  # nothing else has changed
    np.testing.assert_array_equal(memory.decision, [[20, 30]])  # a new transition of seat 0; seat 1's goes on
    np.testing.assert_array_equal(memory.reward, [[-1.0, 5.25]])
    assert float(means["loss"].total) == pytest.approx((2 * (expected - 4)) ** 2, rel=1e-5)


# The same seat moves in its first turn: nothing is closed. Its move ends the game at once: it earns 100 and the other
# seat, whose entry 30 holds 1 and which has earned 5, earns -2 more: 20 becomes 100 / 2, 30 becomes 1 + (3 - 1) / 2.
@pytest.mark.parametrize("kind", [QLearning, ExpectedSarsa, Sarsa])
def test_the_end_closes_every_seats_transition(kind: Any) -> None:
    one = learner(paid(kind), alpha=0.5, gamma=0.9)
    q = jnp.zeros_like(one.init(KEY)["q"]).at[30].set(1.0).at[0].set(7.0)
    memory = Pending(jnp.array([[-1, 30]]), jnp.array([[0.0, 5.0]]))
    last = turn(one, seat=[0], entry=[20], earned=[[100.0, -2.0]], done=[True], q_values=[[9.0, 9.0]])
    state, _, _ = jax.jit(one.update)({"q": q}, memory, last, KEY, CLOCK)
    assert [float(state["q"][i]) for i in (0, 20, 30)] == [7.0, 50.0, 2.0]


def test_games_that_change_one_entry_together_ask_for_its_mean() -> None:
    # Three of four games close entry 10, which holds 4: targets 10, 20 and 60, of which the mean is 30.
    one = learner(paid(QLearning), alpha=0.5, gamma=1.0, num_envs=4)
    q = jnp.zeros_like(one.init(KEY)["q"]).at[10].set(4.0).at[12].set(4.0)
    memory = Pending(
        jnp.array([[10, -1], [10, -1], [12, -1], [10, -1]]), jnp.array([[10.0, 0], [20, 0], [8, 0], [60, 0]])
    )
    now = turn(one, seat=[0] * 4, entry=[20] * 4, earned=np.zeros((4, 2)), done=[False] * 4)
    state, _, _ = jax.jit(one.update)({"q": q}, memory, now, KEY, CLOCK)
    assert [float(state["q"][i]) for i in (10, 12)] == [17.0, 6.0]


# alpha 1/2, gamma 0.9. Seat 0 chooses entry 10 and is paid -1; seat 1 chooses 20, is paid 9, and seat 0 is paid 2 for
# it; seat 0 chooses 30, which holds 8, and is paid 100 for the end, for which seat 1 pays 3. Backwards:
#   30   G = 100, for lambda = 1 and 1/2 alike                              8 + (100 - 8) / 2 = 54
#   20   G = 9 - 3 = 6                                                      6 / 2             = 3
#   10   lambda = 1:   G = -1 + 2 + 0.9 * 100             = 91              91 / 2            = 45.5
#        lambda = 1/2: G = -1 + 2 + 0.9 * (8 / 2 + 100 / 2) = 49.6          49.6 / 2          = 24.8
@pytest.mark.parametrize(
    ("kind", "settings", "first"),
    [(MonteCarlo, {}, 45.5), (SarsaLambda, {"lambda_": 0.5}, 24.8), (SarsaLambda, {"lambda_": 1}, 45.5)],
)
def test_a_whole_game_by_hand(kind: Any, settings: Any, first: float) -> None:
    one = learner(paid(kind), alpha=0.5, gamma=0.9, num_envs=2, **settings)
    state = one.init(KEY)
    state["q"] = state["q"].at[30].set(8.0)
    update = jax.jit(one.update)
    turns = [([0, 1], [10, 40], [-1.0, 0.0]), ([1, 0], [20, 41], [2.0, 9.0]), ([0, 1], [30, 42], [100.0, -3.0])]
    for ply, (seat, entry, earned) in enumerate(turns):
        over = [ply == 2, False]  # the second game goes on, and is not learned from
        now = turn(one, seat=seat, entry=entry, earned=[earned, [5.0, 5.0]], done=over, ply=ply)
        state, _, means = update(state, None, now, KEY, CLOCK)
        if ply < 2:
            assert {int(i) for i in np.flatnonzero(state["q"])} == {30}
    assert [float(state["q"][i]) for i in (10, 20, 30)] == pytest.approx([first, 3.0, 54.0])
    assert {int(i) for i in np.flatnonzero(state["q"])} == {10, 20, 30}
    assert float(means["loss"].number) == 3


def test_exploration_and_ties() -> None:
    # Two pieces may move: entries 3 and 3 are equal, so both are played; with entries 3 and 4 only the second is,
    # but for one move in ten, which is any.
    game = Ur(pieces=2)
    s = game.read("first: on a4 b2; second: waiting 2; turn first; throw 1")
    many = jax.tree.map(lambda x: jnp.broadcast_to(x, (4000,)), s)
    one = learner(QLearning, game, num_envs=4000, epsilon=0.1)
    act = jax.jit(one.act)
    _, chosen = act(one.init(KEY), None, many, jax.random.split(KEY, 4000), CLOCK)
    first = int(chosen.entry.min())
    for q_values, expected in (([3.0, 3.0], 0.5), ([3.0, 4.0], 0.95)):
        q = one.init(KEY)["q"].at[jnp.arange(first, first + 2)].set(jnp.array(q_values))
        actions, chosen = act({"q": q}, None, many, jax.random.split(jax.random.key(1), 4000), CLOCK)
        assert set(np.asarray(actions).tolist()) == set(legal_actions(game, s))
        assert float((chosen.move == 1).mean()) == pytest.approx(expected, abs=0.03)
        np.testing.assert_array_equal(chosen.q_values[0], q_values)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL)
def test_two_chunks_are_one(kind: Any) -> None:
    one = learner(kind, Ur(pieces=2), episodes=60, num_envs=3)
    begin, chunk = compiled_begin(one), compiled_chunk(one, 1)
    seeds = np.array([7], np.uint32)
    whole, _ = chunk(begin(seeds), jnp.int32(60))
    half, _ = chunk(begin(seeds), jnp.int32(25))
    rest, _ = chunk(half, jnp.int32(60))
    assert int(whole.clock.games[0]) >= 60
    assert (np.asarray(whole.learner["q"]) != 0).any()
    for a, b in zip(jax.tree.leaves(whole.learner), jax.tree.leaves(rest.learner), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", [QLearning, MonteCarlo])
def test_the_tables_are_changed_in_place(kind: Any) -> None:
    # A copy of two tables of 136 MB in every step would take a thousand times as long as the step.
    one = learner(kind, Ur(pieces=3))
    shapes = jax.eval_shape(compiled_begin(one), jax.ShapeDtypeStruct((1,), jnp.uint32))
    program = compiled_chunk(one, 1).lower(shapes, jax.ShapeDtypeStruct((), jnp.int32)).compile().as_text()
    entries = f"f32[{shapes.learner['q'].shape[1]}]"
    assert entries in program
    assert not [line for line in program.splitlines() if f"= {entries}" in line and " copy(" in line]


@pytest.mark.slow
def test_values_become_the_oracles() -> None:
    # One piece each leaves no choice, so every learner values the same play: the chance of winning, from -1 to 1.
    oracle = UrOracle(SMALL)
    table = oracle.solve().table
    for kind in (Sarsa, MonteCarlo):
        one = learner(kind, episodes=15_000, reward="result", alpha=0.02)
        trained, _ = compiled_chunk(one, 1)(compiled_begin(one)(np.array([3], np.uint32)), jnp.int32(15_000))
        params = one.params(jax.tree.map(lambda x: x[0], trained.learner))
        agent = QTable.from_facts(SMALL, one.agent(), lambda shapes: None)
        for text in (
            "first: waiting 1; second: waiting 1; turn first; throw 2",
            "first: waiting 1; second: on c4; turn first; throw 1",
        ):
            s = SMALL.read(text)
            learned = float(agent.act(params, KEY, s).scores.max())
            assert learned == pytest.approx(2 * float(oracle.value(table, s)) - 1, abs=0.15)


@pytest.mark.slow
def test_play_becomes_nearly_perfect() -> None:
    game = Ur(pieces=2)
    oracle = UrOracle(game)
    table = oracle.solve().table
    states = positions(oracle, table, 2000, jax.random.key(1))
    one = learner(QLearning, game, episodes=120_000, reward="result", shared=True, alpha=0.3, epsilon=0.5)
    agent = QTable.from_facts(game, one.agent(), lambda shapes: None)
    begun = compiled_begin(one)(np.array([1], np.uint32))
    blank = one.params(jax.tree.map(lambda x: jnp.copy(x[0]), begun.learner))
    assert jax.tree.map(jnp.shape, blank) == jax.tree.map(lambda x: x.shape, agent.shapes())
    trained, _ = compiled_chunk(one, 1)(begun, jnp.int32(120_000))
    learned = one.params(jax.tree.map(lambda x: x[0], trained.learner))
    before, after = (regret_of(oracle, table, agent, params, states, KEY) for params in (blank, learned))
    assert after.mean_regret < before.mean_regret / 3
    assert after.best > 0.7


@pytest.mark.slow
def test_other_games() -> None:
    one = learner(QLearning, ChungToi(), num_envs=4)
    trained, means = compiled_chunk(one, 1)(compiled_begin(one)(np.array([0], np.uint32)), jnp.int32(20))
    assert float(means["loss"].number[0]) > 100
    assert float(jnp.abs(trained.learner["q"]).max()) <= 1  # nothing but the result was paid


def test_what_cannot_be_learned() -> None:
    assert all(QLearning.learns(game) for game in (Ur(), Othello(size=4), ChungToi()))
    for game in (Ur(pieces=7), Othello()):
        assert not QLearning.learns(game)
        with pytest.raises(ValueError, match=r"too (large to be solved|many positions) in this variant"):
            learner(QLearning, game)
    for wrong in ({"alpha": 1.5}, {"gamma": -0.1}, {"epsilon": 2}, {"reward": "money"}, {"num_envs": 0}):
        with pytest.raises(ValueError, match=r"^[a-z_]+ is .*: expected"):
            QLearning.config_type(**wrong)
    with pytest.raises(ValueError, match=r"lambda_ is 1\.1: expected a number from 0 to 1"):
        SarsaLambda.config_type(lambda_=1.1)
