"""PPO and A2C: losses and gradients by hand, what they record, whom they meet, and that they learn."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games.chung_toi import ChungToi
from ludens.games.okey import Okey
from ludens.games.othello import Othello
from ludens.games.ur import Ur
from ludens.learning.a2c import A2C
from ludens.learning.evaluation import evaluate
from ludens.learning.learner import Clock
from ludens.learning.loop import compiled_begin, compiled_chunk
from ludens.learning.policy_learner import PolicyBatch
from ludens.learning.ppo import PPO
from ludens.players.policy_net import PolicyPlayer, sees
from ludens.players.simple import Random

GAME = Othello(size=4)
KEY = jax.random.key(0)
SMALL = {"num_envs": 8, "num_steps": 4, "hidden": 8, "layers": 1}


def learner(kind: Any = PPO, game: Any = GAME, **settings: Any) -> Any:
    return kind(game, kind.config_type(**SMALL | settings))


def decisions(one: Any, state: Any, ratios: list[float], advantage: list[float], weight: list[float]) -> PolicyBatch:
    """In the first position, all for its first legal move, with these logarithms of pi / pi_old."""
    n = len(ratios)
    s = GAME.init(KEY)
    x, legal = jnp.stack([sees(GAME, s)] * n), jnp.stack([GAME.legal(s)] * n)
    action = jnp.full(n, int(jnp.argmax(GAME.legal(s))), jnp.int32)
    found = PolicyBatch(x, legal, action, jnp.zeros(n), jnp.zeros(n), jnp.array(advantage), jnp.array(weight))
    now = one.evaluate_actions(state.net, found)[0]
    return found._replace(log_prob=now - jnp.array(ratios))


# Advantages 3, 1 and (not counted) 9 become 1, -1 and whatever. The first move is e^0.5 = 1.65 times as likely as when
# it was played, beyond 1.2: its term is clipped to 1.2. The second is e^-0.5 = 0.607 times as likely; for -1 the lesser
# of -0.607 and -0.8 is -0.8. The loss is -(1.2 - 0.8) / 2 = -0.2.
@pytest.mark.slow
def test_the_clipped_loss_by_hand() -> None:
    one = learner()
    state = one.init(KEY)
    batch = decisions(one, state, [0.5, -0.5, 0.0], [3.0, 1.0, 9.0], [1.0, 1.0, 0.0])
    value = one.evaluate_actions(state.net, batch)[1]
    _, (policy, error, entropy) = one.loss(state.net, batch)
    assert float(policy) == pytest.approx(-0.2, rel=1e-4)
    assert float(error) == pytest.approx(float(((value[0] - 3) ** 2 + (value[1] - 1) ** 2) / 4), rel=1e-4)
    legal = int(GAME.legal(GAME.init(KEY)).sum())
    assert 0 < float(entropy) <= np.log(legal) + 1e-6


@pytest.mark.slow
def test_the_whole_loss_adds_its_parts() -> None:
    one = learner(value_coef=0.3, entropy_coef=0.2)
    state = one.init(KEY)
    batch = decisions(one, state, [0.0, 0.1], [1.0, -1.0], [1.0, 1.0])
    whole, (policy, error, entropy) = one.loss(state.net, batch)
    assert float(whole) == pytest.approx(float(policy + 0.3 * error - 0.2 * entropy), rel=1e-5)


# Where nothing has changed since a move was played, PPO's gradient is A2C's: the gradient of log pi times A.
@pytest.mark.slow
def test_without_clipping_both_have_the_policy_gradient() -> None:
    both = [learner(kind, entropy_coef=0.0, value_coef=0.0) for kind in (PPO, A2C)]
    state = both[0].init(KEY)
    batch = decisions(both[0], state, [0.0, 0.0, 0.0], [2.0, -1.0, 0.5], [1.0, 1.0, 1.0])
    grads = [jax.grad(lambda net, one=one: one.loss(net, batch)[0])(state.net) for one in both]
    for ours, theirs in zip(jax.tree.leaves(grads[0]), jax.tree.leaves(grads[1]), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.slow
def test_what_does_not_count_changes_nothing() -> None:
    one = learner()
    state = one.init(KEY)
    batch = decisions(one, state, [0.0, 0.0, 0.0], [2.0, -1.0, 5.0], [1.0, 1.0, 0.0])
    other = batch._replace(advantage=jnp.array([2.0, -1.0, -77.0]))
    assert float(one.loss(state.net, batch)[0]) == float(one.loss(state.net, other)[0])


@pytest.mark.slow
def test_against_an_opponent_only_own_moves_are_learned_from() -> None:
    one = learner(game=Ur(pieces=2), opponents="random", opponent_fraction=0.5)
    training = compiled_begin(one)(jnp.arange(1, dtype=jnp.uint32))
    training, _ = compiled_chunk(one, 1)(training, 1)
    moves = jax.tree.map(lambda x: x[0], training.learner.rollout)
    mover = jax.vmap(jax.vmap(one.game.player))(moves.s)
    own = np.asarray(moves.own)
    assert own[:, 4:].all()  # nobody else is there
    assert not own[:, :4].all()
    assert own[:, :4].any()
    for lane in range(4):  # within a game the learner keeps its seat
        if not np.asarray(moves.done)[:, lane].any():
            assert len(set(np.asarray(mover)[own[:, lane], lane])) <= 1
            assert len(set(np.asarray(mover)[~own[:, lane], lane])) <= 1
    assert np.asarray(jax.vmap(jax.vmap(one.game.legal))(moves.s))[
        np.arange(4)[:, None], np.arange(8), np.asarray(moves.action)
    ].all()


@pytest.mark.slow
def test_past_selves_play_some_games_and_the_first_stays() -> None:
    settings = {"past_fraction": 0.5, "past_selves": 3, "past_every": 2, "learning_rate": 0.01}
    one = learner(game=Ur(pieces=2), num_envs=12, num_steps=4, num_minibatches=2, **settings)
    begun = compiled_begin(one)(jnp.arange(1, dtype=jnp.uint32))
    first = jax.tree.map(np.asarray, begun.learner.net)
    training, means = compiled_chunk(one, 1)(begun, 12)
    weights = [np.asarray(x)[0] for x in jax.tree.leaves(training.learner.past)]
    for kept, began in zip(weights, jax.tree.leaves(first), strict=True):
        assert len(kept) == 3
        np.testing.assert_array_equal(kept[0], began[0])
    assert any((kept[1] != kept[0]).any() for kept in weights)
    own = np.asarray(training.learner.rollout.own)[0]
    assert own[:, 6:].all()
    assert not own[:, :6].all()
    assert {"won_past", "won_first"} <= means.keys()


@pytest.mark.slow
def test_a_stronger_opponent_is_met_when_enough_is_won() -> None:
    easy = learner(game=Ur(pieces=1), opponents="random greedy", promote_at=0.0, window=2)
    training = compiled_begin(easy)(jnp.arange(1, dtype=jnp.uint32))
    training, _ = compiled_chunk(easy, 1)(training, 20)
    assert int(training.learner.curriculum.level[0]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("game", [Okey(players=4, teams=True), ChungToi()], ids=["hidden, four seats, teams", "plain"])
def test_it_learns_any_game_with_any_number_of_seats(game: Any) -> None:
    one = learner(game=game, num_steps=8, reward="closer" if game.id == "okey" else "result", insight=game.id == "okey")
    training = compiled_begin(one)(jnp.arange(1, dtype=jnp.uint32))
    before = jax.tree.map(np.asarray, training.learner.net)
    training, means = compiled_chunk(one, 1)(training, 1)
    assert float(means["value_loss"].number[0]) > 0
    after = jax.tree.leaves(training.learner.net)
    assert all(np.isfinite(x).all() for x in after)
    assert any((x != y).any() for x, y in zip(jax.tree.leaves(before), after, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PPO, A2C])
def test_it_learns(kind: Any) -> None:
    settings = {"episodes": 3000, "num_envs": 64, "num_steps": 12, "hidden": 64, "learning_rate": 0.003}
    one = learner(kind, Ur(pieces=2), **settings)
    training, _ = compiled_chunk(one, 1)(compiled_begin(one)(jnp.arange(1, dtype=jnp.uint32)), 3000)
    agent = PolicyPlayer.from_facts(one.game, one.agent(), lambda shapes: None)
    rival = Random(one.game)
    params = one.params(jax.tree.map(lambda x: x[0], training.learner))
    counts = evaluate(agent, rival, params, None, jax.random.key(1), games=600)
    assert int(counts.wins) > 360  # 300 would be chance


@pytest.mark.slow
def test_the_rate_falls_to_nothing() -> None:
    one = learner(game=Ur(pieces=1))
    training, _ = compiled_chunk(one, 1)(compiled_begin(one)(jnp.arange(1, dtype=jnp.uint32)), 5)
    training = jax.tree.map(lambda x: x[0], training)
    for games, learns in ((0, True), (one.config.episodes, False)):
        (net, _), _ = one._look_back(training.learner, jax.random.key(0), Clock(jnp.int32(games), jnp.int32(0)))
        pairs = zip(jax.tree.leaves(training.learner.net), jax.tree.leaves(net), strict=True)
        assert any(bool((x != y).any()) for x, y in pairs) == learns


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"num_steps": 0}, "num_steps is 0"),
        ({"opponent_fraction": 1.5}, "opponent_fraction is 1.5"),
        ({"reward": "money"}, "reward is 'money'"),
        ({"num_minibatches": 3, "num_steps": 4, "num_envs": 8}, "expected a multiple of num_minibatches"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        learner(**settings)


def test_wrong_settings_for_the_game() -> None:
    with pytest.raises(ValueError, match="there is no reward 'closer'"):
        learner(reward="closer")
    with pytest.raises(ValueError, match="nets have no insight into othello"):
        learner(insight=True)
    with pytest.raises(ValueError, match="unknown player"):
        learner(opponents="nobody")
    with pytest.raises(ValueError, match="no opponents"):
        learner(opponents=" ")
