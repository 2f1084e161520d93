"""DDPG: its update by hand, what it remembers against plain Python, whom it meets, and that it learns."""

from functools import cache
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import legal_actions
from ludens.games.onitama import Onitama
from ludens.games.othello import Othello
from ludens.learning.ddpg import DDPG, Acted, DDPGConfig, DDPGMemory, _averaged, blank, from_words, in_words
from ludens.learning.ddpg_update import Batch, DDPGNets, Update
from ludens.learning.evaluation import evaluate
from ludens.learning.learner import Clock, Turn
from ludens.learning.loop import compiled_begin, compiled_chunk
from ludens.nets.onitama_actors import Net, act, judge, masked
from ludens.players.onitama_actor import ActorPlayer
from ludens.players.onitama_encoding import PAPER_CARDS, ByPawn, Encoded
from ludens.players.simple import Random

GAME = Onitama(PAPER_CARDS)
KEY = jax.random.key(0)
ACT = jax.jit(act, static_argnames=("kind", "learning"))
JUDGE = jax.jit(judge, static_argnames="learning")
SEEDS = np.array([3], np.uint32)
SMALL = {"num_envs": 4, "batch_size": 8, "buffer_size": 4000, "learning_starts": 40, "opponents": "random"}
SETTINGS: dict[str, Any] = {"gamma": 0.9, "tau": 0.1, "actor_learning_rate": 1e-3, "critic_learning_rate": 1e-3}


def learner(**settings: Any) -> DDPG:
    return DDPG(GAME, DDPGConfig(**SMALL | settings))


def updating(kind: str = "val_branch_actions", **settings: Any) -> Update:
    return Update(**({"kind": kind, "validity_loss": "mse", "validity_weight": 1.0} | SETTINGS | settings))


def positions(count: int) -> Any:
    """Some that random games lead to."""

    def walk(key: jax.Array) -> Any:
        def step(n: Any, s: Any) -> Any:
            logits = jnp.where(GAME.legal(s), 0.0, -jnp.inf)
            a = jax.random.categorical(jax.random.fold_in(key, n), logits)
            t = GAME.apply(s, a)
            return jax.tree.map(lambda x, y: jnp.where(GAME.done(t), x, y), s, t)

        return jax.lax.fori_loop(0, 8, step, GAME.init(key))

    return jax.jit(jax.vmap(walk))(jax.random.split(jax.random.key(8), count))


@cache
def transitions(count: int = 64) -> Batch:
    """Every action that is taken is valid; good ones, which begin from the left half of the list, win at once."""
    encoding, s = ByPawn(GAME), positions(count)
    seen, valid = jax.jit(jax.vmap(lambda s: (encoding.encode(s), encoding.valid(s))))(s)
    number = jax.random.categorical(KEY, jnp.where(valid, 0.0, -jnp.inf))
    reward = jnp.where(number < 16, 1.0, -1.0)
    taken = jax.nn.one_hot(number, 40)
    return Batch(seen, valid, taken, reward, seen, valid, jnp.ones(count, bool))


def changed(old: Any, new: Any) -> list[bool]:
    return [bool((a != b).any()) for a, b in zip(jax.tree.leaves(old), jax.tree.leaves(new), strict=True)]


# ---------------------------------------------------------------------- the update, by hand


@pytest.mark.slow
def test_the_critics_target_and_loss_in_numpy() -> None:
    update = updating()
    few = jax.tree.map(lambda x: x[:6], transitions())._replace(
        over=jnp.array([True, False, False, True, False, False])
    )
    nets = update.init(jax.random.key(5), 10, 40)
    other = update.init(jax.random.key(6), 10, 40)  # so that targets differ from what they follow
    nets = nets._replace(actor_target=other.actor, critic_target=other.critic)

    logits = np.asarray(ACT(update.kind, other.actor, *few.next_s)[0].logits, np.float64)
    powers = np.exp(logits) * np.asarray(few.next_valid)
    probs = powers / powers.sum(axis=1, keepdims=True)
    worth = np.asarray(JUDGE(other.critic, *few.next_s, jnp.asarray(probs, jnp.float32))[0])
    y = np.asarray(few.reward) + 0.9 * np.where(np.asarray(few.over), 0, worth)
    np.testing.assert_allclose(update.target(nets, few), y, rtol=1e-4)

    value = np.asarray(JUDGE(nets.critic, *few.s, few.taken, learning=True)[0])
    loss, averages = update.critic_loss(*nets.critic, few, jnp.asarray(y, jnp.float32))
    assert float(loss) == pytest.approx(((y - value) ** 2).mean(), rel=1e-4)
    assert all(changed(nets.critic.averages, averages))


# A target critic that always says 0.5: y is 1 or -1 where the game is over, else 0.45 more.
@pytest.mark.slow
def test_the_target_of_a_constant_critic() -> None:
    update = updating()
    nets = update.init(KEY, 10, 40)
    target = nets.critic_target
    flat = target.weights.value._replace(weights=jnp.zeros((256, 1)), bias=jnp.array([0.5]))
    nets = nets._replace(critic_target=Net(target.weights._replace(value=flat), target.averages))
    few = jax.tree.map(lambda x: x[:3], transitions())
    few = few._replace(reward=jnp.array([1.0, -1.0, 0.0]), over=jnp.array([True, True, False]))
    np.testing.assert_allclose(update.target(nets, few), [1.0, -1.0, 0.45], rtol=1e-5)


@pytest.mark.slow
def test_the_actors_loss_in_numpy() -> None:
    few = jax.tree.map(lambda x: x[:6], transitions())
    truth = np.asarray(few.valid, np.float64)
    for kind, name in (("val_branch_actions", "mse"), ("dual", "cross-entropy"), ("actions_only", "mse")):
        update = updating(kind, validity_loss=name, validity_weight=0.3)
        nets = update.init(jax.random.key(2), 10, 40)
        output, _ = ACT(kind, nets.actor, *few.s, learning=True)
        powers = np.exp(np.asarray(output.logits, np.float64)) * truth
        probs = jnp.asarray(powers / powers.sum(axis=1, keepdims=True), jnp.float32)
        blame = -float(JUDGE(nets.critic, *few.s, probs, learning=True)[0].mean())
        total, (found, validity, _) = update.actor_loss(*nets.actor, nets.critic, few, jnp.bool_(False))
        assert float(found) == pytest.approx(blame, rel=1e-3, abs=1e-6)
        expected = 0.0
        if output.validity is not None:
            guess = 1 / (1 + np.exp(-np.asarray(output.validity, np.float64)))
            errors = (guess - truth) ** 2
            if name == "cross-entropy":
                errors = -(truth * np.log(guess) + (1 - truth) * np.log(1 - guess))
            expected = errors.mean()
        assert float(validity) == pytest.approx(expected, rel=1e-4)
        assert float(total) == pytest.approx(blame + 0.3 * expected, rel=1e-3)


DUAL = updating("dual")
STEP = jax.jit(DUAL)


@pytest.mark.slow
def test_targets_follow_by_tau() -> None:
    nets = DUAL.init(KEY, 10, 40)
    after, _ = STEP(nets, transitions(), jnp.bool_(False))
    for name in ("actor", "critic"):
        new, old, target = getattr(after, name), getattr(nets, name), getattr(after, f"{name}_target")
        assert all(changed(old, new))  # the averages of batch normalisation too
        for a, b, c in zip(*map(jax.tree.leaves, (new, old, target)), strict=True):
            np.testing.assert_allclose(c, 0.1 * np.asarray(a) + 0.9 * np.asarray(b), rtol=1e-5, atol=1e-7)


@pytest.mark.slow
def test_what_is_frozen_stays_and_all_else_moves() -> None:
    nets = DUAL.init(KEY, 10, 40)
    before, _ = STEP(nets, transitions(), jnp.bool_(False))
    assert all(changed(nets.actor, before.actor))
    frozen = before
    for _ in range(3):
        frozen, losses = STEP(frozen, transitions(), jnp.bool_(True))
    assert float(losses.validity) > 0  # there would be something to learn
    old, new = before.actor, frozen.actor
    assert not any(
        changed((old.weights.validity, old.weights.validity_block), (new.weights.validity, new.weights.validity_block))
    )
    assert not any(changed(old.averages[1], new.averages[1]))
    assert all(changed((old.weights.actions, old.weights.block), (new.weights.actions, new.weights.block)))
    assert all(changed(old.averages[0], new.averages[0]))
    assert all(changed(before.critic, frozen.critic))


MULTIPLY = updating("val_branch_actions_multiply")


@jax.jit
def study(nets: DDPGNets, batch: Batch) -> Any:
    """Two hundred updates."""
    return jax.lax.scan(lambda nets, _: MULTIPLY(nets, batch, jnp.bool_(False)), nets, None, 200)


@pytest.mark.slow
def test_it_learns_what_is_good() -> None:
    first = MULTIPLY.init(KEY, 10, 40)
    nets, losses = study(first, transitions())
    assert float(losses.critic[0]) > 0.8  # rewards are +1 and -1, and it knew nothing
    assert float(losses.critic[-1]) < 0.1
    assert float(losses.validity[-1]) < 0.3 * float(losses.validity[0])
    good = transitions().valid & (jnp.arange(40) < 16)
    for when, low, high in ((first, 0.2, 0.6), (nets, 0.8, 1.0)):
        probs = masked(ACT(MULTIPLY.kind, when.actor, *transitions().s, learning=True)[0].logits, transitions().valid)
        assert low < float(jnp.where(good, probs, 0).sum(axis=1)[good.any(axis=1)].mean()) <= high


# Nothing is good or bad, to a critic that says 0 to all: only validity is learned, and the product follows it.
@pytest.mark.slow
def test_the_valid_rate_rises() -> None:
    first = MULTIPLY.init(KEY, 10, 40)
    silent = jax.tree.map(jnp.zeros_like, first.critic.weights)
    first = first._replace(critic=Net(silent, first.critic.averages), critic_target=Net(silent, first.critic.averages))

    def rate(nets: DDPGNets) -> float:
        shares = jax.nn.softmax(ACT(MULTIPLY.kind, nets.actor, *transitions().s, learning=True)[0].logits)
        return float(jnp.where(transitions().valid, shares, 0).sum(axis=1).mean())

    nets, losses = study(first, transitions()._replace(reward=jnp.zeros(64)))
    assert float(jnp.abs(losses.critic).max()) == 0
    assert float(losses.validity[-1]) < 0.2 * float(losses.validity[0])
    assert rate(first) < 0.5
    assert rate(nets) > 0.9


# ---------------------------------------------------------------------- what is remembered


APPLY, LEGAL, DONE = jax.jit(GAME.apply), jax.jit(GAME.legal), jax.jit(GAME.done)
COMPLETE = {every: jax.jit(learner(imitation=every)._complete) for every in (False, True)}


def one(tree: Any) -> Any:
    return jax.tree.map(lambda x: jnp.asarray(x)[None], tree)


def words(tree: Any) -> bytes:
    return b"".join(np.asarray(x).tobytes() for x in jax.tree.leaves(tree))


@pytest.mark.parametrize("cut", [False, True])
def test_transitions_go_from_own_turn_to_own_turn(cut: bool) -> None:
    rng = np.random.default_rng(4)
    winners = set()
    for seat in (0, 1, 0, 1, 0, 1):
        s = GAME.init(jax.random.key(int(rng.integers(1000))))
        turns: list[tuple[Any, int, Any]] = []
        while not bool(DONE(s)) and not (cut and len(turns) == 5):
            a = int(rng.choice(np.flatnonzero(LEGAL(s))))
            turns.append((s, a, APPLY(s, a)))
            s = turns[-1][2]
        results = np.asarray(GAME.returns(s))
        winners.add(float(results[seat]))
        for every in (False, True):
            expected = set()
            for who in (0, 1) if every else (seat,):
                own = [(s, a) for s, a, _ in turns if int(s.turn) == who]
                for (s, a), (t, _) in pairwise(own):
                    expected.add(words((s, np.int32(a), np.float32(0), t, np.int32(0))))
                if own and not cut:
                    s, a = own[-1]
                    expected.add(words((s, np.int32(a), np.float32(results[who]), s, np.int32(1))))
            memory = one(learner().init_memory())
            found = []
            for ply, (s, a, t) in enumerate(turns):
                last = ply == len(turns) - 1
                acted = Acted(jnp.array([seat]), jnp.array([a]), jnp.ones(1), jnp.ones(1, bool))
                turn = Turn(
                    one(s), jnp.array([a]), acted, one(t), jnp.array([last]), one(GAME.returns(t)), jnp.array([ply])
                )
                memory, lived, whole = COMPLETE[every](memory, turn)
                rows = np.flatnonzero(np.asarray(whole))
                found += [words(jax.tree.map(lambda x, n=n: x[n], lived)) for n in rows]
            assert len(found) == len(expected)
            assert set(found) == expected
    assert winners == ({0.0} if cut else {1.0, -1.0})  # some of these games the learner ended, some the opponent


def test_words_and_back() -> None:
    s = positions(5)
    numbers = jnp.arange(5)
    item = blank(GAME)._replace(s=s, action=numbers, reward=jnp.linspace(-1, 1, 5), next_s=s, over=1 - numbers)
    rows = in_words(item)
    assert rows.shape == (5, 23)
    assert rows.dtype == jnp.uint32
    back = from_words(rows, blank(GAME))
    assert words(back) == words(item)
    assert [x.dtype for x in jax.tree.leaves(back)] == [x.dtype for x in jax.tree.leaves(item)]


# ---------------------------------------------------------------------- the learner


MET = learner(actor="dual", opponents="random alphabeta:1:material", imitation=True)
UPDATE = jax.jit(MET.update)


def finish(state: Any, won: bool) -> Any:
    """What `MET` does after the end of one game, which it won or lost; the other games go on."""
    s = GAME.read("5/1R3/2B2/5/5 blue dragon,monkey red goose,elephant side rooster turn blue")
    a = next(a for a in legal_actions(GAME, s) if bool(GAME.done(GAME.apply(s, a))))
    t = GAME.apply(s, a)
    four = jax.tree.map(lambda x: jnp.broadcast_to(x, (4, *jnp.shape(x))), (s, t, GAME.returns(t), MET.init_memory()))
    seats = jnp.full(4, 0 if won else 1)
    extra = Acted(seats, jnp.zeros(4, jnp.int32), jnp.ones(4), jnp.ones(4, bool))
    done = jnp.arange(4) == 0
    turn = Turn(four[0], jnp.full(4, a), extra, four[1], done, four[2], jnp.zeros(4, jnp.int32))
    return UPDATE(state, four[3], turn, KEY, Clock(jnp.int32(0), jnp.int32(0)))


@pytest.mark.slow
def test_sixty_of_the_latest_hundred() -> None:
    state = MET.init(KEY)
    latest = state.curriculum._replace(wins=jnp.arange(100) < 59, played=jnp.int32(99 + 100))
    for won, level in ((True, 1), (False, 0)):
        after, memory, means = finish(state._replace(curriculum=latest), won)
        assert (memory.pending.decision.action >= 0).tolist() == [[True, False]] * 4
        assert int(after.curriculum.level) == level
        assert int(after.replay.size) == 4  # imitation: the winning move is remembered whoever made it
        metrics = {name: float(mean.total / mean.number) for name, mean in means.items() if mean.number}
        assert (metrics["won"], metrics["drawn"], metrics["level"]) == (float(won), 0.0, 1.0)


@pytest.mark.slow
def test_freezing_is_for_good() -> None:
    some = jnp.array([True, False, True])
    assert float(_averaged(jnp.float32(0.5), jnp.array([1.0, 0.0, 1.0]), some)) == pytest.approx(0.5 + 2 / 1000 * 0.5)
    assert float(_averaged(jnp.float32(0.5), jnp.ones(3), jnp.zeros(3, bool))) == 0.5
    state = MET.init(KEY)
    for rate, frozen in ((0.9490, False), (0.9499, True)):  # four more turns, all valid, are worth 0.0002
        after, _, _ = finish(state._replace(valid_rate=jnp.float32(rate)), True)
        assert bool(after.frozen) == frozen
    after, _, _ = finish(state._replace(frozen=jnp.bool_(True)), True)
    assert bool(after.frozen)


def trained(who: DDPG, *targets: int) -> tuple[Any, Any]:
    training, means = compiled_begin(who)(SEEDS), None
    for target in targets:
        training, means = compiled_chunk(who, 1)(training, jnp.int32(target))
    return jax.tree.map(lambda x: x[0], training), means


@pytest.mark.slow
def test_two_chunks_are_one_and_what_is_learned_plays() -> None:
    who = learner(imitation=False)
    whole, means = trained(who, 24)
    parts, _ = trained(who, 8, 24)
    assert words(whole.learner) == words(parts.learner)
    # Turns of the learner only: each has a transition in the replay or waits for what comes of it.
    turns, waiting = float(means["valid"].number[0]), int((seats_of(whole.memory) >= 0).sum())
    assert int(whole.learner.replay.size) == turns - waiting - float(means["drawn"].total[0])
    assert turns < int(whole.clock.steps) * 4
    assert set(means) == {
        "actor_loss", "critic_loss", "validity_loss", "valid", "won", "drawn", "level", "length"
    }  # fmt: skip
    agent = ActorPlayer.from_facts(GAME, who.agent(), lambda shapes: who.params(whole.learner))
    assert jax.tree.map(jnp.shape, agent.init(KEY)) == jax.tree.map(lambda x: x.shape, agent.shapes())
    counts = evaluate(agent, Random(GAME), agent.init(KEY), None, KEY, games=8)
    assert sum(int(count) for count in counts) == 8


def seats_of(memory: DDPGMemory) -> np.ndarray:
    """What waits of the learner's own seats."""
    number, seat = np.asarray(memory.pending.decision.action), np.asarray(memory.seat)
    return np.where(seat >= 0, number[np.arange(len(seat)), np.maximum(seat, 0)], -1)


def assert_remembered(training: Any, means: Any, moves: int) -> None:
    """Every move is in the replay, but for those that wait and the last two of a game that was cut short."""
    waiting, cut = int((training.memory.pending.decision.action >= 0).sum()), float(means["drawn"].total[0])
    assert int(training.learner.replay.size) == moves - waiting - 2 * cut


@pytest.mark.slow
def test_it_plays_both_seats_with_every_other_setting() -> None:
    settings = {"actor": "dual", "actions": "square", "validity_loss": "cross-entropy", "updates": 2}
    who = learner(opponents="self", **settings)
    training, means = trained(who, 6)
    moves = int(training.clock.steps) * 4
    assert float(means["valid"].number[0]) == moves
    assert_remembered(training, means, moves)
    assert int(training.learner.curriculum.level) == 0
    assert float(means["critic_loss"].number[0]) > int(training.clock.steps)
    assert all(changed(training.learner.nets.actor, training.learner.nets.actor_target))


def test_bad_settings() -> None:
    wrong: list[dict[str, Any]] = [
        {"actor": "triple"}, {"actions": "card"}, {"validity_loss": "hinge"}, {"tau": 2}, {"gamma": -1},
        {"promote_at": 1.5}, {"freeze_at": 7}, {"batch_size": 0}, {"window": 0}, {"learning_starts": 0}, {"updates": 0},
        {"actor_learning_rate": -1}, {"critic_learning_rate": -1}, {"validity_weight": -1}, {"buffer_size": 39},
    ]  # fmt: skip
    for settings in wrong:
        with pytest.raises(ValueError, match=r"^[a-z_]+ is .*: expected"):
            learner(**settings)
    with pytest.raises(ValueError, match="buffer_size is 50: expected 60 or more"):
        learner(buffer_size=50, num_envs=20)
    with pytest.raises(ValueError, match="unknown player 'nobody'"):
        learner(opponents="random nobody")
    assert DDPG.learns(GAME)
    assert not DDPG.learns(Othello())
    with pytest.raises(ValueError, match="needs five cards: expected --cards dragon,elephant,goose,rooster,monkey"):
        DDPG(Onitama(), DDPGConfig())
    assert isinstance(transitions().s, Encoded)
