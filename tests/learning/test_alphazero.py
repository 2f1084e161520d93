import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.learning import learner
from ludens.learning.alphazero import AlphaZero, Window
from ludens.learning.loop import compiled_begin, compiled_chunk
from ludens.learning.run import against
from ludens.players import player

GAME = make("chung-toi")
TINY = {"num_envs": 2, "num_steps": 6, "simulations": 4, "blocks": 1, "channels": 8, "batch_size": 8}


def alphazero(**settings: Any) -> Any:
    return learner("alphazero", GAME, TINY | settings)


def window(who: AlphaZero[Any], **facts: Any) -> Window:
    """Six moves of one game by seats 0, 1, 0, ...; `facts` `[6]` in place of nothing."""
    blank = jax.tree.map(lambda x: np.zeros((6, 1, *x.shape), x.dtype), jax.eval_shape(who._one_move))
    turns = np.arange(6, dtype=np.int32)[:, None] % 2
    filled = {name: np.asarray(x, getattr(blank, name).dtype)[:, None] for name, x in facts.items()}
    own = np.arange(6, dtype=np.uint32)[:, None]
    s, t = blank.s._replace(turn=turns, own=own), blank.t._replace(turn=1 - turns, own=own + 1)
    return blank._replace(s=s, t=t, **filled)


def test_targets_by_hand() -> None:
    """A game ends with move 2, won by seat 0; the next goes on, and its last search says 0.5 for seat 1."""
    who = alphazero(result_weight=0.75)
    found = who._samples(
        window(
            who,
            value=[0.2, -0.4, 0.8, 0.0, 0.4, 0.5],
            done=[0, 0, 1, 0, 0, 0],
            returns=[[0, 0], [0, 0], [1, -1], [0, 0], [0, 0], [0, 0]],
        )
    )
    results = np.array([1, -1, 1, 0.5, -0.5, 0.5])
    searched = np.array([0.2, -0.4, 0.8, 0.0, 0.4, 0.5])
    np.testing.assert_allclose(found.target, 0.75 * results + 0.25 * searched, atol=1e-6)
    assert found.ended.tolist() == [True] * 3 + [False] * 3
    assert found.final.own[:3].tolist() == [3, 3, 3]  # where move 2 led to


def test_what_comes_before_a_random_move_is_worth_what_the_search_says() -> None:
    who = alphazero(result_weight=1.0)
    found = who._samples(
        window(
            who,
            value=[0.2, -0.4, 0.8, 0.0, 0.4, 0.5],
            done=[0, 0, 0, 0, 0, 1],
            returns=[[0, 0]] * 5 + [[-1, 1]],
            random_move=[0, 1, 0, 0, 0, 0],
        )
    )
    np.testing.assert_allclose(found.target, [0.2, -0.4, -1, 1, -1, 1], atol=1e-6)
    assert found.ended.tolist() == [False] * 2 + [True] * 4


def test_a_lesson_is_turned_as_a_whole() -> None:
    """The likeliest action and the one that was played stay the same move on the turned board."""
    who = alphazero()
    s = GAME.read("R+--Rx/--W+--/Wx---- turn white")
    action = GAME.parse("b3x", s)
    policy = jnp.zeros(GAME.num_actions, jnp.float16).at[action].set(1.0)
    samples = who._samples(window(who))._replace(policy=jnp.tile(policy, (6, 1)))
    samples = samples._replace(
        s=jax.tree.map(lambda x: jnp.repeat(jnp.asarray(x)[None], 6), s), action=jnp.full(6, action)
    )
    turned = jax.jit(who._turned)(samples, jax.random.key(0))
    assert (turned.policy.argmax(axis=1) == turned.action).all()
    assert len(set(turned.action.tolist())) > 1
    assert jax.vmap(GAME.legal)(turned.s)[jnp.arange(6), turned.action].all()


@pytest.mark.slow
def test_it_learns_chung_toi() -> None:
    """From chance to nineteen of twenty against a random player, in a few thousand games and without a search."""
    settings = {"num_envs": 128, "num_steps": 8, "simulations": 16, "blocks": 1, "channels": 64, "batch_size": 256}
    learning = {"episodes": 4000, "random_plies": 6, "passes": 4.0, "learning_rate": 0.005}
    who = learner("alphazero", GAME, settings | learning)
    measure = against(who, player("random", GAME), "random", games=400)
    training = compiled_begin(who)(jnp.zeros(1, jnp.uint32))
    before = measure(jax.vmap(who.params)(training.learner), 0)["wins"][0]
    training, _ = compiled_chunk(who, 1)(training, jnp.int32(4000))
    after = measure(jax.vmap(who.params)(training.learner), 1)["wins"][0]
    assert before < 280
    assert after >= 380


SHARED = """
import jax, jax.numpy as jnp, numpy as np, sys
from pathlib import Path
from ludens.core import storage
from ludens.games import make
from ludens.learning import learner
from ludens.learning.loop import compiled_begin, compiled_chunk, share_out
from ludens.learning.run import train

assert jax.device_count() == 4
settings = dict(episodes=24, num_envs=8, num_steps=4, simulations=4, blocks=1, channels=8, batch_size=16)
who = learner("alphazero", make("ur", pieces=1), settings)
training = share_out(who, compiled_begin(who)(jnp.zeros(1, jnp.uint32)), 1)
assert training.positions.own.sharding.spec[1] == "lanes"
training, means = compiled_chunk(who, 1)(training, jnp.int32(8))
assert int(training.clock.games[0]) == int(means["length"].number[0]) >= 8
for weights in jax.tree.leaves(training.learner.net):
    first, *others = (np.asarray(shard.data) for shard in weights.addressable_shards)
    assert len(others) == 3 and all((first == other).all() for other in others)
plies = np.asarray(training.learner.window.s.own)[0]
assert len({plies[:, lane].tobytes() for lane in range(8)}) > 4  # games of their own on every device
whole, parts = Path(sys.argv[1]), Path(sys.argv[2])
list(train(who, whole, every=8))
next(iter(train(who, parts, every=8)))
list(train(who, parts, every=8, resume=True))
one, other = (storage.load(each / "checkpoint.safetensors")[1] for each in (whole, parts))
assert all(one[name].tobytes() == other[name].tobytes() for name in one)
"""


@pytest.mark.slow
def test_several_devices_share_the_games(tmp_path: Path) -> None:
    """Four virtual devices: the same weights on all, games of their own on each, and a run that goes on to the bit."""
    flags = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    words = [sys.executable, "-c", SHARED, str(tmp_path / "whole"), str(tmp_path / "parts")]
    done = subprocess.run(words, env=flags, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
