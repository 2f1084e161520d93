"""Every learner learns a little on a tiny game, in two chunks, and what it has learned plays."""

from typing import Any

import jax
import numpy as np
import pytest

from ludens.games import make
from ludens.learning import LEARNERS, learner
from ludens.learning.loop import compiled_begin, compiled_chunk, share_out
from ludens.players.learned import agent_of

UR: dict[str, Any] = {"pieces": 1}
CARDS = {"cards": ["dragon", "elephant", "goose", "rooster", "monkey"]}
REPLAY = {"buffer_size": 40, "batch_size": 4, "learning_starts": 4}
TINY: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "td-lambda": ("chung-toi", {}, {"hidden": 3, "tactics": False}),
    "td-table": ("othello", {"size": 4}, {"num_envs": 2}),
    "monte-carlo": ("ur", UR, {}),
    "q-learning": ("ur", UR, {}),
    "expected-sarsa": ("ur", UR, {}),
    "sarsa": ("ur", UR, {}),
    "sarsa-lambda": ("ur", UR, {}),
    "dqn": ("ur", UR, REPLAY | {"num_envs": 2, "hidden": 4, "layers": 1}),
    "double-dqn": ("ur", UR, REPLAY | {"num_envs": 2, "hidden": 4, "layers": 1}),
    "neural-q": ("othello", {"size": 4}, {"hidden": 4}),
    "minimax-q": ("othello", {"size": 4}, {"hidden": 4}),
    "minimax-v": ("othello", {"size": 4}, {"num_envs": 2, "hidden": 4, "hidden2": 3}),
    "patterns": ("othello", {"size": 4}, {"num_envs": 2, "num_steps": 4, "phases": 2}),
    "ddpg": ("onitama", CARDS, REPLAY | {"opponents": "random", "actor": "actions_only"}),
    "okey-actor-critic": ("okey", {"players": 2}, {"hidden": 4, "draw_hidden": 4, "opponents": "random"}),
    "a2c": ("ur", UR, {"num_envs": 2, "num_steps": 4, "hidden": 4, "layers": 1}),
    "distill": ("ur", UR, {"num_envs": 2, "blocks": 1, "channels": 8}),
    "alphazero": (
        "ur",
        UR,
        {
            "num_envs": 2,
            "num_steps": 4,
            "simulations": 2,
            "blocks": 1,
            "channels": 4,
            "batch_size": 4,
            "random_plies": 1,
        },
    ),
    "ppo": ("ur", UR, {"num_envs": 2, "num_steps": 4, "hidden": 4, "layers": 1, "epochs": 1, "num_minibatches": 2}),
}


ELSEWHERE = ("td-lambda", "neural-q", "minimax-q", "minimax-v", "patterns", "ddpg", "okey-actor-critic", "double-dqn")
"""Whose updates are also made by hand, in quick tests of their own; or what they learn from, where compiling the whole
takes longest (DDPG's eight nets, Okey). Double DQN is DQN but for one equation, which has a test."""


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] * (each in ELSEWHERE)) for each in LEARNERS]
)
def test_it_learns_a_little_and_plays(name: str) -> None:
    game, variant, settings = TINY[name]
    who = learner(name, make(game, **variant), {"episodes": 4, **settings})
    begun = share_out(who, compiled_begin(who)(np.zeros(1, np.uint32)), 1)
    before = [np.array(x) for x in jax.tree.leaves(begun.learner)]
    half, _ = compiled_chunk(who, 1)(begun, np.int32(1))
    training, _ = compiled_chunk(who, 1)(half, np.int32(3))
    assert int(training.clock.games[0]) >= 3
    after = [np.asarray(x) for x in jax.tree.leaves(training.learner)]
    assert all(np.isfinite(x).all() for x in after)
    assert any((x != y).any() for x, y in zip(before, after, strict=True))

    def plays(states: Any, key: Any) -> Any:
        state = jax.tree.map(lambda x: x[0], states)
        s = who.game.init(key)
        view = who.game.view(s, who.game.player(s))
        action = agent_of(who.game, who.agent()).act(who.params(state), key, view).action
        return who.game.legal(view)[action]

    assert bool(jax.jit(plays)(training.learner, jax.random.key(1)))
