"""Runs of format 1, made before settings got their names of today: they load, play and go on.

Each folder of `old_runs` is a run that was stopped a third of the way, and `ended.safetensors` is what it plays with
after its last game, as the version that began it had it. Where nothing random is drawn otherwise today, it must end so.
"""

import json
import shutil
from pathlib import Path

import jax
import numpy as np
import pytest
from safetensors.numpy import load_file

from ludens.core import storage
from ludens.core.run_files import CHECKPOINT, METRICS, RUN, read_run, renamed, today, whole_lines
from ludens.games import make
from ludens.learning import LEARNERS, learner
from ludens.learning.run import train
from ludens.players import player

OLD = sorted(Path(__file__).with_name("old_runs").iterdir())
QUICK = ("q-learning", "td-lambda")
RUNS = [pytest.param(each, marks=[pytest.mark.slow] * (each.name not in QUICK), id=each.name) for each in OLD]


@pytest.mark.parametrize("folder", RUNS)
def test_an_old_run_plays_and_goes_on(folder: Path, tmp_path: Path) -> None:
    for name in (RUN, CHECKPOINT, METRICS):
        shutil.copy(folder / name, tmp_path / name)
    facts = read_run(tmp_path)
    game = make(facts["game"], **facts["variant"])
    s = game.init(jax.random.key(1))
    agent = player(f"run:{tmp_path}", game)
    assert bool(game.legal(s)[int(jax.jit(agent.act)(agent.init(jax.random.key(0)), jax.random.key(0), s).action)])
    who = learner(facts["learner"], game, facts["config"])
    for _ in train(who, tmp_path, every=who.config.episodes // 3, resume=True):
        pass
    assert whole_lines((tmp_path / METRICS).read_bytes())[-1]["games"] >= who.config.episodes
    arrays = storage.load(tmp_path / CHECKPOINT)[1]
    if (folder / "ended.safetensors").exists():
        for name, array in load_file(folder / "ended.safetensors").items():
            np.testing.assert_allclose(arrays[name], array, rtol=1e-4, atol=1e-6, err_msg=name)


def test_every_setting_of_an_old_run_has_a_name_today() -> None:
    for folder in OLD:
        facts = read_run(folder)
        assert set(facts["config"]) <= set(LEARNERS[facts["learner"]].config_type.__dataclass_fields__)
        former = json.loads((folder / RUN).read_text())["config"].keys() - facts["config"].keys()
        assert all(renamed(facts["learner"], name) for name in former)


def test_epsilon_is_the_probability_of_a_random_move() -> None:
    facts = {"format": 1, "learner": "td-lambda", "config": {"games": 9, "epsilon": 0.85, "epsilon_end": 0.95}}
    assert today(facts)["config"] == {"episodes": 9, "epsilon": 0.15, "epsilon_end": 0.05}
    facts = {"format": 1, "learner": "q-learning", "config": {"games": 9, "epsilon": 0.1}}
    assert today(facts)["config"] == {"episodes": 9, "epsilon": 0.1}


def test_former_names_are_answered() -> None:
    assert renamed("ppo", "--decay") == "--decay is now --gae-lambda"
    assert renamed("dqn", "target-every") == "--target-every is now --target-update"
    assert renamed("dqn", "--decay") is None
    with pytest.raises(ValueError, match="a run of format 3: expected 2"):
        today({"format": 3})
