"""Every learner can be killed at any moment, with SIGKILL, and goes on to the very same weights."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jax
import pytest

from ludens.core import storage
from ludens.core.run_files import read_metrics
from ludens.games import make
from ludens.learning import LEARNERS, checkpoint, learner
from ludens.learning.run import against, train
from ludens.players import player

SCRIPT = Path(__file__).with_name("training_script.py")
EVERY = 2

# Small enough to finish in seconds, long enough to be killed in the middle.
RUNS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "td-lambda": ("chung-toi", {}, {"episodes": 60, "hidden": 4, "tactics": False}),
    "td-table": ("chung-toi", {}, {"episodes": 60, "num_envs": 2}),
    "monte-carlo": ("ur", {"pieces": 2}, {"episodes": 60}),
    "q-learning": ("ur", {"pieces": 2}, {"episodes": 60}),
    "expected-sarsa": ("ur", {"pieces": 2}, {"episodes": 60}),
    "sarsa": ("ur", {"pieces": 2}, {"episodes": 60}),
    "sarsa-lambda": ("ur", {"pieces": 2}, {"episodes": 60}),
    "dqn": ("ur", {"pieces": 1}, {"episodes": 60, "num_envs": 4}),
    "double-dqn": ("ur", {"pieces": 1}, {"episodes": 60, "num_envs": 4}),
    "distill": ("chung-toi", {}, {"episodes": 60, "num_envs": 4, "blocks": 1, "channels": 8}),
    "alphazero": (
        "ur",
        {"pieces": 1},
        {"episodes": 60, "num_envs": 4, "num_steps": 4, "simulations": 4, "blocks": 1, "channels": 8, "batch_size": 16},
    ),
    "neural-q": ("othello", {"size": 4}, {"episodes": 60, "hidden": 4}),
    "minimax-q": ("othello", {"size": 4}, {"episodes": 60, "hidden": 4}),
    "ddpg": (
        "onitama",
        {"cards": ["dragon", "elephant", "goose", "rooster", "monkey"]},
        {
            "episodes": 60,
            "num_envs": 4,
            "opponents": "random material",
            "window": 5,
            "actor": "dual",
            "buffer_size": 200,
            "batch_size": 8,
            "learning_starts": 8,
        },
    ),
    "okey-actor-critic": (
        "okey",
        {},
        {
            "episodes": 60,
            "num_envs": 2,
            "hidden": 8,
            "draw_hidden": 8,
            "opponents": "random",
            "replay": "top",
            "buffer_size": 300,
            "batch_size": 8,
            "updates": 5,
        },
    ),
    "a2c": ("ur", {"pieces": 1}, {"episodes": 60, "num_envs": 4, "num_steps": 4, "hidden": 4}),
    "ppo": (
        "ur",
        {"pieces": 1},
        {
            "episodes": 60,
            "num_envs": 4,
            "num_steps": 4,
            "hidden": 4,
            "opponents": "random greedy",
            "opponent_fraction": 0.5,
            "window": 4,
        },
    ),
    "minimax-v": ("othello", {"size": 4}, {"episodes": 60, "num_envs": 4, "hidden": 4, "hidden2": 3}),
    "patterns": ("othello", {"size": 4}, {"episodes": 60, "num_envs": 4, "num_steps": 4, "phases": 2}),
}


def test_no_learner_is_left_out() -> None:
    assert set(RUNS) == set(LEARNERS)


def _it_can_be_measured_and_plays(who: Any, folder: Path) -> None:
    """What was learned plays as `run:DIR` does, and as it is measured while training."""
    agent = player(f"run:{folder}", who.game)
    training = checkpoint.load(folder, who, 1)
    assert training is not None
    counts = against(who, player("random", who.game), "random", games=4)(checkpoint.params_of(who, training[0]), 60)
    assert counts["wins"][0] + counts["draws"][0] + counts["losses"][0] == 4
    s = who.game.init(jax.random.key(1))
    action = int(agent.act(agent.init(jax.random.key(0)), jax.random.key(0), s).action)
    assert bool(who.game.legal(s)[action])


QUICK = "q-learning"


@pytest.mark.parametrize("name", [pytest.param(each, marks=[pytest.mark.slow] * (each != QUICK)) for each in RUNS])
def test_a_killed_run_ends_with_the_same_weights(name: str, tmp_path: Path) -> None:
    game, variant, settings = RUNS[name]
    who = learner(name, make(game, **variant), settings)
    for _ in train(who, tmp_path / "whole", every=EVERY):
        pass
    killed = tmp_path / "killed"
    words = [game, json.dumps(variant), name, json.dumps(settings), str(killed), str(EVERY)]
    process = subprocess.Popen([sys.executable, str(SCRIPT), *words], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 240
    while len(read_metrics(killed)) < 3:
        assert process.poll() is None, f"it ended before it could be killed: {process.communicate()[1]}"
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.stderr.close() if process.stderr else None
    for _ in train(who, killed, every=EVERY, resume=True):
        pass
    contents = [storage.load(folder / "checkpoint.safetensors")[1] for folder in (tmp_path / "whole", killed)]
    assert contents[0].keys() == contents[1].keys()
    for array in contents[0]:
        assert contents[0][array].tobytes() == contents[1][array].tobytes(), array
    _it_can_be_measured_and_plays(who, killed)
    lines = [[line["games"] for line in read_metrics(folder)] for folder in (tmp_path / "whole", killed)]
    assert lines[0] == lines[1]
