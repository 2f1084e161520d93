"""Okey's actor-critic: transitions, targets and updates by hand, what the replay trains, and that it learns."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from ludens.games import make
from ludens.games.okey.reward import paper_reward
from ludens.learning.loop import _step, begin, compiled_begin, compiled_chunk
from ludens.learning.okey_actor_critic import (
    LONGEST,
    OkeyActorCritic,
    OkeyActorCriticConfig,
    OkeyNets,
    actor_loss,
    losses,
    target_and_error,
)
from ludens.learning.okey_transitions import OkeyActed, OkeyTransition, WithDraw, after, no_memory
from ludens.learning.pending import Played
from ludens.nets.mlp import MLP
from ludens.players.okey_actors import TwoActors
from ludens.returns import replay

GAME = make("okey", players=2)
KEY = jax.random.key(0)
SMALL = {"draw_hidden": 8, "hidden": 8, "opponents": "random"}


def learner(game: Any = GAME, **settings: Any) -> OkeyActorCritic:
    return OkeyActorCritic(game, OkeyActorCriticConfig(**SMALL | settings))


def constant(net: MLP, outputs: Any) -> MLP:
    """A net with these outputs, whatever it sees."""
    last = jnp.zeros_like(net.weights[-1]).at[:, -1].set(jnp.asarray(outputs))
    return MLP((*net.weights[:-1], last), net.hidden, net.output)


def rows(count: int, seed: int = 0) -> WithDraw:
    """Transitions made up."""
    keys = iter(jax.random.split(jax.random.key(seed), 8))
    hands = partial(jax.random.randint, minval=0, maxval=3, dtype=jnp.int8)
    return WithDraw(
        OkeyTransition(
            hands(next(keys), (count, 53)),
            jax.random.randint(next(keys), (count,), 0, 15, jnp.int8),
            jax.random.normal(next(keys), (count,)),
            hands(next(keys), (count, 53)),
            jax.random.bernoulli(next(keys), 0.1, (count,)),
        ),
        Played(hands(next(keys), (count, 107)), jax.random.randint(next(keys), (count,), -1, 2, jnp.int8)),
    )


# ------------------------------------------------------------------ transitions


def test_transitions_of_a_game_by_hand() -> None:
    """The learner sits second: it draws (+10), throws place 4 (-5), draws (0), throws 7 (+5), and is beaten."""
    seen = {n: jnp.full((1, 53), n, jnp.int8) for n in range(4)}
    drawing = {n: jnp.full((1, 107), 10 + n, jnp.int8) for n in range(4)}
    yes, no = jnp.array([True]), jnp.array([False])

    def move(memory: Any, n: int, *, draws: Any = no, throws: Any = no, choice: int = 0, **paid: float) -> Any:
        chosen = jnp.array([choice], jnp.int8)
        did = OkeyActed(
            jnp.array([1]), draws, throws, Played(seen[n], chosen), Played(drawing[n], chosen), jnp.zeros(1)
        )
        points, result = (jnp.array([paid.get(name, 0.0)]) for name in ("points", "result"))
        return after(memory, did, jnp.array(["result" in paid]), points, points / 20, result)

    memory = jax.tree.map(lambda x: x[None], no_memory(107, 53))
    for step in (
        {"n": 0},  # the other seat's turn
        {"n": 0, "draws": yes, "choice": 1, "points": 10.0},
        {"n": 1, "throws": yes, "choice": 4, "points": -5.0},  # nothing was thrown before
        {"n": 0},
        {"n": 2, "draws": yes, "choice": 0, "points": 0.0},
    ):
        memory, _, complete = move(memory, **step)
        assert not complete.any()
    memory, lived, complete = move(memory, 3, throws=yes, choice=7, points=5.0)
    np.testing.assert_array_equal(complete, [True, False])
    one = jax.tree.map(lambda x: np.asarray(x)[0], lived)
    assert (one.transition.action, one.draw.action, one.transition.done) == (4, 0, False)
    assert one.transition.reward == pytest.approx(-0.25)  # the discard and the draw that followed, not the first draw
    assert (one.transition.x == 1).all()
    assert (one.transition.next_x == 3).all()
    assert (one.draw.x == 12).all()
    memory, lived, complete = move(memory, 0, result=-5.0)  # somebody else ends the game
    np.testing.assert_array_equal(complete, [False, True])
    one = jax.tree.map(lambda x: np.asarray(x)[1], lived)
    assert (one.transition.action, one.draw.action, one.transition.done) == (7, -1, True)
    assert one.transition.reward == pytest.approx(0.25 - 5)
    assert (one.transition.x == 3).all()
    np.testing.assert_allclose(memory.paid, [[10, 0]])
    assert float(memory.turns[0]) == 2


def test_the_last_discard_completes_two() -> None:
    memory = jax.tree.map(lambda x: x[None], no_memory(107, 53))
    discard = Played(jnp.ones((1, 53), jnp.int8), jnp.array([2], jnp.int8))
    draw = Played(jnp.zeros((1, 107), jnp.int8), jnp.array([0], jnp.int8))
    did = OkeyActed(jnp.array([0]), jnp.array([False]), jnp.array([True]), discard, draw, jnp.zeros(1))
    memory, _, complete = after(memory, did, jnp.array([False]), jnp.array([5.0]), jnp.array([0.25]), jnp.zeros(1))
    assert not complete.any()
    _, lived, complete = after(memory, did, jnp.array([True]), jnp.array([-10.0]), jnp.array([-0.5]), jnp.array([1.0]))
    assert complete.all()
    np.testing.assert_allclose(lived.transition.reward, [0.25, 0.5])
    np.testing.assert_array_equal(lived.transition.done, [False, True])


@pytest.mark.slow
def test_a_game_in_the_loop_is_what_was_seen_and_paid() -> None:
    """Every position of a game as the rules have it beside what the learner keeps of it."""
    one = learner(episodes=1)
    training = jax.jit(partial(begin, one))(jnp.uint32(3))
    step = jax.jit(lambda training: _step(one, training))
    paid_by = jax.jit(partial(paper_reward, GAME))
    hands, paid = [], []
    while True:
        before, (training, means) = training, step(training)
        s = jax.tree.map(lambda x: np.asarray(x)[0], before.positions)
        if float(means["length"].number) > 0:
            break
        seat = int(training.memory.seat[0])
        if int(s.turn) == seat:
            t = jax.tree.map(lambda x: np.asarray(x)[0], training.positions)
            a = _act_between(s, t)
            paid.append((int(s.phase), float(paid_by(s, a, t)[seat])))
            if int(s.phase) == 2:
                hands.append(s.hands[seat])
    lately = before.learner.recent
    kept = int(lately.size)
    assert kept == len(hands) - 1  # the last discard waits for what comes of it
    items = jax.tree.map(lambda x: np.asarray(x)[:kept], lately.items)
    np.testing.assert_array_equal(items.transition.x, hands[:-1])
    np.testing.assert_array_equal(items.transition.next_x, hands[1:])
    discards = [i for i, (phase, _) in enumerate(paid) if phase == 2]
    expected = [sum(points for _, points in paid[i : i + 2]) / 20 for i in discards[:-1]]
    np.testing.assert_allclose(items.transition.reward, expected, rtol=1e-6)
    assert (items.draw.action >= 0).all()
    assert not items.transition.done.any()
    # The game is over: it was learned from, and what was lived through is forgotten.
    assert int(training.learner.recent.size) == 0
    assert float(means["actor_loss"].number) == 1
    assert float(means["turns"].total) in (len(hands), len(hands) + 1)
    for name in ("draw", "discard", "critic"):
        nets = [np.asarray(getattr(x.learner.nets, name).weights[0]) for x in (before, training)]
        assert (nets[0] != nets[1]).any()


def _act_between(s: Any, t: Any) -> int:
    """The act that led from one position to the next, for the reward: only a discard needs its kind."""
    change = s.hands[s.turn] - t.hands[s.turn]
    return 0 if int(s.phase) == 0 else 2 + int(np.flatnonzero(change == 1)[0])


# ------------------------------------------------------------------ what is learned


# The critic says 3 everywhere. Earned 1 and going on: y = 1 + 0.9 * 3 = 3.7 and delta = 0.7. Earned 1 at the end: y = 1
# and delta = -2. Fifteen equal outputs: log pi = -log 15. Weights are 1/4 and 3/4.
@pytest.mark.slow
def test_equations_by_hand() -> None:
    one = learner()
    nets = one.init(KEY).nets
    nets = OkeyNets(nets.draw, constant(nets.discard, jnp.zeros(15)), constant(nets.critic, [3.0]))
    lived = rows(2)
    thrown = lived.transition._replace(reward=jnp.ones(2), done=jnp.array([False, True]))
    y, error = target_and_error(nets.critic, thrown, 0.9)
    np.testing.assert_allclose(y, [3.7, 1.0], rtol=1e-6)
    np.testing.assert_allclose(error, [0.7, -2.0], rtol=1e-5)
    actor, critic = losses(nets, thrown, y, error, jnp.array([0.25, 0.75]))
    assert float(actor) == pytest.approx((0.25 * 0.7 - 0.75 * 2) * np.log(15), rel=1e-5)
    assert float(critic) == pytest.approx(0.25 * 0.49 + 0.75 * 4, rel=1e-5)
    draw = constant(nets.draw, jnp.log(jnp.array([1.0, 3.0])))
    loss = actor_loss(draw, lived.draw.x, jnp.array([1, -1], jnp.int8), jnp.array([2.0, 5.0]))
    assert float(loss) == pytest.approx(-2 * np.log(0.75), rel=1e-5)  # what nobody chose teaches nothing


@pytest.mark.slow
def test_an_update_is_one_step_of_adam_on_the_mean_over_the_episode() -> None:
    """More transitions than a block, in blocks, beside the plain mean of all of them."""
    one = learner(gamma=0.9, actor_learning_rate=0.01, critic_learning_rate=0.02)
    state = one.init(KEY)
    count = 150
    lived = rows(count)
    state = state._replace(recent=replay.add(state.recent, lived, jnp.ones(count, bool)))
    look_back = jax.jit(one._look_back)
    learned, metrics = look_back(state, jnp.bool_(True))
    thrown = lived.transition

    def critic_of(net: MLP, x: Any) -> Any:
        return jax.vmap(net)(x.astype(jnp.float32))[:, 0]

    then = jnp.where(thrown.done, 0, critic_of(state.nets.critic, thrown.next_x))
    y = thrown.reward + 0.9 * then
    error = y - critic_of(state.nets.critic, thrown.x)

    def log_probs(net: MLP, x: Any) -> Any:
        return jax.nn.log_softmax(jax.vmap(net)(x.astype(jnp.float32)))

    def loss(nets: OkeyNets) -> Any:
        throwing = log_probs(nets.discard, thrown.x)[jnp.arange(count), thrown.action]
        drawing = log_probs(nets.draw, lived.draw.x)[jnp.arange(count), jnp.maximum(lived.draw.action, 0)]
        both = throwing + jnp.where(lived.draw.action >= 0, drawing, 0)
        return ((y - critic_of(nets.critic, thrown.x)) ** 2 - error * both).mean()

    grads = jax.grad(loss)(state.nets)
    for name, rate in (("draw", 0.01), ("discard", 0.01), ("critic", 0.02)):
        net, slope = getattr(state.nets, name), getattr(grads, name)
        step = optax.adam(rate).update(slope, optax.adam(rate).init(net))[0]
        expected = optax.apply_updates(net, step)
        for a, b in zip(jax.tree.leaves(expected), jax.tree.leaves(getattr(learned.nets, name)), strict=True):
            np.testing.assert_allclose(a, b, atol=2e-4)
    assert float(metrics["td_error"].total) == pytest.approx(20 * float(jnp.abs(error).mean()), rel=1e-4)  # in points
    assert int(learned.recent.size) == 0
    same, metrics = look_back(state, jnp.bool_(False))  # no game ended
    jax.tree.map(np.testing.assert_array_equal, same, state)
    assert float(metrics["td_error"].number) == 0


@pytest.mark.slow
def test_what_turned_out_well_becomes_likelier() -> None:
    """Half of the transitions end far above what the critic expects, half far below; one small step."""
    one = learner(actor_learning_rate=1e-4)
    state = one.init(KEY)
    lived, good = rows(64), jnp.arange(64) < 32
    thrown = lived.transition._replace(reward=jnp.where(good, 50.0, -50.0), done=jnp.ones(64, bool))
    lived = WithDraw(thrown, lived.draw._replace(action=(jnp.arange(64) % 2).astype(jnp.int8)))
    state = state._replace(recent=replay.add(state.recent, lived, jnp.ones(64, bool)))
    learned = jax.jit(one._look_back)(state, jnp.bool_(True))[0]

    def likely(net: MLP, x: Any, chosen: Any) -> Any:
        return jax.nn.log_softmax(jax.vmap(net)(x.astype(jnp.float32)))[jnp.arange(64), chosen]

    for name, x, chosen in (("discard", thrown.x, thrown.action), ("draw", lived.draw.x, lived.draw.action)):
        change = np.asarray(
            likely(getattr(learned.nets, name), x, chosen) - likely(getattr(state.nets, name), x, chosen)
        )
        assert change[:32].mean() > 0 > change[32:].mean()


# ------------------------------------------------------------------ the replay


def with_replay(one: OkeyActorCritic, count: int = 40) -> Any:
    state = one.init(KEY)
    ranked = replay.Ranked(rows(count).transition, jnp.arange(1.0, count + 1))
    return state._replace(replay=replay.add(state.replay, ranked, jnp.ones(count, bool)))


@pytest.mark.slow
@pytest.mark.parametrize("refresh", [False, True])
@pytest.mark.parametrize("kind", ["top", "proportional"])
def test_trainings_from_the_replay(kind: str, refresh: bool) -> None:
    one = learner(replay=kind, update_priorities=refresh, buffer_size=50, batch_size=8, updates=3)
    state = with_replay(one)
    train = jax.jit(one._replay)
    learned, metrics = train(state, jnp.int32(1), KEY)
    assert float(metrics["replay_error"].number) == 3
    jax.tree.map(np.testing.assert_array_equal, learned.nets.draw, state.nets.draw)  # never replayed
    for name in ("discard", "critic"):
        before, now = getattr(state.nets, name), getattr(learned.nets, name)
        assert (np.asarray(before.weights[0]) != np.asarray(now.weights[0])).any()
    before, now = (np.asarray(x.replay.items.priority) for x in (state, learned))
    assert (now[40:] == 0).all()  # empty slots
    assert (before == now).all() == (not refresh)
    idle, metrics = train(state, jnp.int32(0), KEY)
    jax.tree.map(np.testing.assert_array_equal, idle, state)
    assert float(metrics["replay_error"].number) == 0


@pytest.mark.slow
def test_the_thesis_replays_the_same_transitions_over_and_over() -> None:
    """One training on the eight with the highest priorities, by hand; with `refresh` the next is on others."""
    one = learner(replay="top", buffer_size=50, batch_size=8, updates=1, gamma=0.9, actor_learning_rate=0.01)
    state = with_replay(one)
    learned, metrics = jax.jit(one._replay)(state, jnp.int32(1), KEY)
    best: OkeyTransition = jax.tree.map(lambda x: x[32:40], rows(40).transition)
    y, error = target_and_error(state.nets.critic, best, 0.9)
    assert float(metrics["replay_error"].total) == pytest.approx(20 * float(jnp.abs(error).mean()), rel=1e-5)
    assert float(metrics["replay_age"].total) == pytest.approx(3.5 / 50, rel=1e-5)  # the latest eight of a ring of 50
    slope = jax.grad(lambda net: sum(losses(state.nets._replace(discard=net), best, y, error, jnp.full(8, 1 / 8))))(
        state.nets.discard
    )
    step = optax.adam(0.01).update(slope, optax.adam(0.01).init(state.nets.discard))[0]
    expected = optax.apply_updates(state.nets.discard, step)
    for a, b in zip(expected.weights, learned.nets.discard.weights, strict=True):
        np.testing.assert_allclose(a, b, atol=2e-4)
    renewed = jax.jit(
        learner(replay="top", buffer_size=50, batch_size=8, updates=1, gamma=0.9, update_priorities=True)._replay
    )(state, jnp.int32(1), KEY)[0]
    np.testing.assert_allclose(renewed.replay.items.priority[32:40], np.abs(error), rtol=1e-5)
    np.testing.assert_array_equal(replay.top(renewed.replay, 8), np.arange(31, 23, -1))


@pytest.mark.slow
def test_side_by_side_trainings_come_after_as_many_games() -> None:
    one = learner(num_envs=3, replay="top", buffer_size=50, batch_size=8, updates=2)
    state = with_replay(one)
    assert state.replay.items.priority.shape == (150,)
    counts = []
    train = jax.jit(one._replay)
    for ended in (1, 1, 0, 3, 0, 1, 3):  # 1, 2, 2, 5 -> 2, 2, 3 -> 0, 3 -> 0
        state, metrics = train(state, jnp.int32(ended), KEY)
        counts.append(int(metrics["replay_error"].number))
    assert counts == [0, 0, 0, 2, 0, 2, 2]
    empty = train(one.init(KEY), jnp.int32(3), KEY)[1]  # nobody had a turn
    assert float(empty["replay_error"].number) == 0


# ------------------------------------------------------------------ whole runs


@pytest.mark.slow
def test_two_chunks_are_one_in_the_game_of_teams() -> None:
    game = make("okey", players=4, teams=True)
    settings = {
        "num_envs": 2,
        "replay": "proportional",
        "update_priorities": True,
        "reward": "sparse",
        "discards": True,
    }
    one = learner(game, episodes=8, buffer_size=300, batch_size=4, updates=3, opponents="thesis", **settings)
    begun, chunk = compiled_begin(one), compiled_chunk(one, 1)
    seeds = np.array([5], np.uint32)
    whole, means = chunk(begun(seeds), jnp.int32(8))
    half, _ = chunk(begun(seeds), jnp.int32(3))
    rest, _ = chunk(half, jnp.int32(8))
    for a, b in zip(jax.tree.leaves(whole.learner), jax.tree.leaves(rest.learner), strict=True):
        np.testing.assert_array_equal(a, b)
    games = float(means["won"].number[0])
    assert games >= 8
    assert float(sum(means[name].total[0] for name in ("won", "drawn", "lost"))) == games
    ring = jax.tree.map(lambda x: np.asarray(x)[0], whole.learner.replay)
    assert ring.size > 100
    items = jax.tree.map(lambda x: x[: ring.size], ring.items.item)
    for result, name in ((1, "won"), (0, "drawn"), (-1, "lost")):  # in units of 100
        assert (items.reward[items.done] == result).sum() == float(means[name].total[0])
    assert (items.reward[~items.done] == 0).all()
    assert items.done.sum() > 4
    assert (items.x[:, :53].sum(axis=1) == 15).all()
    params = one.params(jax.tree.map(lambda x: x[0], whole.learner))
    agent = TwoActors.from_facts(game, one.agent(), lambda shapes: params)
    assert jax.tree.map(jnp.shape, params) == jax.tree.map(lambda x: x.shape, agent.shapes())


@pytest.fixture(scope="module")
def trained() -> Any:
    """A short run in the two-seat game: metrics of its first 100 games and of its last."""
    # What comes later is left out (gamma 0): a few hundred games are enough then, whatever the seed.
    rates = {"actor_learning_rate": 3e-3, "critic_learning_rate": 1e-2}
    one = learner(num_envs=16, episodes=600, gamma=0.0, hidden=16, draw_hidden=16, **rates)
    chunk = compiled_chunk(one, 1)
    training = compiled_begin(one)(np.array([4], np.uint32))
    metrics = []
    for target in (100, 500, 600):
        training, means = chunk(training, jnp.int32(target))
        metrics.append({name: float(mean.total[0] / mean.number[0]) for name, mean in means.items()})
    return metrics


@pytest.mark.slow
def test_it_learns_to_be_paid(trained: Any) -> None:
    first, _, last = trained
    assert last["free"] > first["free"] + 0.01
    assert last["discard_reward"] / last["turns"] > first["discard_reward"] / first["turns"] + 0.4


@pytest.mark.slow
def test_metrics(trained: Any) -> None:
    for metrics in trained:
        assert metrics["won"] + metrics["drawn"] + metrics["lost"] == pytest.approx(1)
        assert 0 <= metrics["entropy"] <= np.log(15) + 1e-5
        assert 30 < metrics["turns"] < LONGEST
        assert 0 <= metrics["place"] <= 14


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{"longest_run": 5}, {"pairs": True, "joker_finish": True}, {"players": 4}, {"players": 3, "show_indicator": True}],
)
def test_every_variant_of_single_deals_can_be_traced(options: dict) -> None:
    one = learner(make("okey", **options), opponents="thesis", replay="top", greedy=True)
    assert OkeyActorCritic.learns(one.game)
    before = jax.eval_shape(partial(begin, one), jnp.uint32(0))
    after_it = jax.eval_shape(lambda training: _step(one, training)[0], before)
    assert jax.tree.map(lambda x: (x.shape, x.dtype), before) == jax.tree.map(lambda x: (x.shape, x.dtype), after_it)


def test_other_games_and_matches_cannot_be_learned() -> None:
    assert not OkeyActorCritic.learns(make("okey", match=20))
    assert not OkeyActorCritic.learns(make("ur"))


def test_bad_settings() -> None:
    for wrong in (
        {"replay": "best"}, {"reward": "result"}, {"gamma": 2}, {"batch_size": 0}, {"updates": 0}, {"alpha": -1},
        {"beta": -1}, {"hidden": 0}, {"draw_hidden": 0}, {"actor_learning_rate": -1}, {"critic_learning_rate": -1},
        {"opponents": "self"}, {"opponents": "random thesis"},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"^[a-z_]+ is .*: expected"):
            learner(**wrong)
    with pytest.raises(ValueError, match="buffer_size is 50: expected 64 or more"):
        learner(buffer_size=50)
    with pytest.raises(ValueError, match="unknown player 'nobody'"):
        learner(opponents="nobody")
