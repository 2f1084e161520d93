"""`ludens train`, `eval` and `demo` as a person types them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ludens.cli import demo, match
from ludens.cli.app import app
from ludens.core import storage

Ludens = Callable[..., tuple[int, str, str]]
"""The fixture in `conftest.py`."""
SMALL = ("--episodes", "20", "--hidden", "3", "--no-tactics", "--no-hop", "--eval-games", "20")
TRAIN = ("train", "chung-toi", "td-lambda", *SMALL, "--lambda", "0.5", "--seeds", "2", "--every", "10")


class Trained(NamedTuple):
    """A run that the tests share, and the lines that it printed."""

    folder: Path
    lines: list[dict[str, Any]]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder, said = tmp_path_factory.mktemp("trained") / "run", StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said):
        patch.setenv("XLA_FLAGS", os.environ.get("XLA_FLAGS", ""))
        app([*TRAIN, "--eval-every", "20", "--json", "--out", str(folder)], result_action="return_value")
    return Trained(folder, [json.loads(line) for line in said.getvalue().splitlines()])


def test_train_keeps_what_it_was_told(trained: Trained) -> None:
    terms = json.loads((trained.folder / "run.json").read_text())
    assert terms["variant"] == {"hop": False, "allow_pass": False}
    assert (terms["config"]["lambda_"], terms["config"]["hidden"], terms["config"]["tactics"]) == (0.5, 3, False)


def test_train_prints_lines_for_programs(trained: Trained) -> None:
    assert [line["games"] for line in trained.lines] == [0, 10, 20]
    assert ["evaluation" in line for line in trained.lines] == [True, False, True]
    assert trained.lines[0]["evaluation"]["vs"] == "smart-random"


def test_what_was_trained_is_evaluated(ludens: Ludens, trained: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "at_hand", lambda game: False)  # its table would take a while
    code, out, _ = ludens("eval", f"{trained.folder}@1", "--vs", "random", "--games", "20", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["players"] == [f"run:{trained.folder}@1", "random"]
    assert facts["games"] == 20
    assert facts["variant"]["hop"] is False


def test_a_run_that_exists_is_not_overwritten(ludens: Ludens, trained: Trained) -> None:
    before = {path: path.read_bytes() for path in trained.folder.iterdir()}
    code, _, err = ludens(*TRAIN, "--out", str(trained.folder))
    assert code == 2
    assert "already holds a run of td-lambda: expected --resume or another folder" in err
    code, _, err = ludens(*TRAIN, "--out", str(trained.folder), "--resume", "--alpha", "0.5")
    assert code == 2
    assert "config.alpha 0.5 instead of 0.0012" in err
    assert {path: path.read_bytes() for path in trained.folder.iterdir()} == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["train", "chess", "td-lambda"], "unknown game 'chess': expected"),
        (["train", "chung-toi", "magic"], "unknown learner 'magic': expected one of td-lambda"),
        (["train", "ur", "td-lambda"], "'td-lambda' cannot learn ur: expected one of monte-carlo"),
        (["train", "ur", "q-learning", "--pieces", "7"], "'q-learning' cannot learn ur: expected one of dqn"),
        (["train", "chung-toi", "td-lambda", "--alpha", "-1"], "--alpha is -1.0: expected a number, 0 or more"),
        (["train", "chung-toi", "td-lambda", "--alpha", "much"], "--alpha is 'much': expected a number"),
        (["train", "chung-toi", "td-lambda", "--alpha", "nan"], "--alpha is nan: expected a number"),
        (["train", "chung-toi", "td-lambda", "--lambda", "1.5"], "--lambda is 1.5: expected a number from 0 to 1"),
        (["train", "chung-toi", "td-lambda", "--episodes", "0"], "--episodes is 0: expected a whole number, 1 or more"),
        (["train", "chung-toi", "td-lambda", "--episodes=--5"], "--episodes is '--5': expected a whole number"),
        (
            ["train", "ur", "dqn", "--batch-size", "9999999999"],
            "--batch-size is 9999999999: expected at most 2,147,483,647",
        ),
        (["train", "chung-toi", "td-lambda", "--alpha", "1e40"], "--alpha is 1e+40: expected at most 1e+38"),
        (["train", "chung-toi", "td-lambda", "--games", "5"], "--games is now --episodes: expected the new name"),
        (["train", "ur", "ppo", "--decay=0.9"], "--decay is now --gae-lambda: expected the new name"),
        (["train", "chung-toi", "td-lambda", "--eval-games", "9999999"], "expected 0 to 1,000,000"),
        (["train", "okey", "okey-actor-critic", "--match", "20"], "cannot learn okey by these rules: expected one of"),
        (
            ["train", "chung-toi", "td-lambda", "--beta", "1"],
            "td-lambda on chung-toi cannot take '--beta': expected --episodes",
        ),
        (["train", "chung-toi", "td-lambda", "--seeds", "0"], "--seeds is 0: expected 1 or more"),
        (["train", "chung-toi", "td-lambda", "--seed", "-1"], "--seed is -1: expected 0 to"),
        (["train", "chung-toi", "td-lambda", "--eval-vs", "nobody"], "unknown player 'nobody': expected one of"),
        (["train", "chung-toi", "td-lambda", "--resume"], "holds no run: expected the folder of one that was"),
        (["train", "othello", "neural-q", "--nets", "three"], "nets is 'three': expected one of single, multi"),
        (["train", "chung-toi", "td-lambda", "--out", "a" * 300], "(File name too long): expected"),
        (["eval", "nowhere"], "'nowhere' holds no run: expected a folder that `ludens train` made"),
        (["play", "chung-toi", "--against", "run:nowhere"], "'nowhere' holds no run"),
        (["match", "chung-toi", "alphabeta:2:run:nowhere", "random"], "'nowhere' holds no run"),
    ],
)
def test_bad_input_is_one_sentence(
    ludens: Ludens, words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = ludens(*words)
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_command_itself_survives_a_kill(tmp_path: Path) -> None:
    """As a person meets it: killed, typed again with --resume, the same weights as never interrupted."""
    program = "from ludens.cli.app import main; main()"
    words = [sys.executable, "-c", program, "train", "chung-toi", "td-lambda", "--episodes", "400", "--hidden", "3"]
    words += ["--no-tactics", "--eval-games", "10", "--every", "4", "--out"]
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    subprocess.run([*words, str(tmp_path / "whole")], check=True, capture_output=True, env=environment)
    killed = subprocess.Popen([*words, str(tmp_path / "killed")], env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 240
    while not (tmp_path / "killed" / "checkpoint.safetensors").exists():
        assert killed.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    subprocess.run([*words, str(tmp_path / "killed"), "--resume"], check=True, capture_output=True, env=environment)
    whole, again = (storage.load(tmp_path / name / "checkpoint.safetensors")[1] for name in ("whole", "killed"))
    assert {name: array.tobytes() for name, array in whole.items()} == {
        name: array.tobytes() for name, array in again.items()
    }


def test_the_page_after_the_demo_is_not_told_what_is_good_for_learning(
    ludens: Ludens, monkeypatch: pytest.MonkeyPatch
) -> None:
    became: list[tuple[list[str], str]] = []
    monkeypatch.setattr(demo, "run", lambda: monkeypatch.setenv("XLA_FLAGS", "for learning"))
    monkeypatch.setattr(os, "execve", lambda _, words, told: became.append((words[1:], told["XLA_FLAGS"])))
    monkeypatch.setenv("XLA_FLAGS", "as before")
    assert ludens("demo", "--no-page")[0] == 0
    assert became == []
    monkeypatch.setenv("XLA_FLAGS", "as before")
    assert ludens("demo")[0] == 0
    assert became == [(["-m", "ludens", "serve"], "as before")]


@pytest.mark.slow
def test_the_demo_trains_and_tells_how_to_go_on(
    ludens: Ludens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "OTHELLO_GAMES", 4000)
    monkeypatch.setattr(demo, "EVALUATION", 40)
    earlier = tmp_path / "runs" / "demo-chung-toi"
    earlier.mkdir(parents=True)
    for name in ("run.json", "checkpoint.safetensors"):
        (earlier / name).write_text("what an earlier demo has left")
    code, said, _ = ludens("demo", "--no-page")
    assert code == 0
    for words in ("4,000 games", "2,000 games", "in the paper", "perfect play", "--against champion"):
        assert words in said
    assert "alphabeta:4:run:runs/demo-othello" in said
    for words in (["othello", "run:runs/demo-othello", "--size", "6"], ["chung-toi", "run:runs/demo-chung-toi"]):
        assert ludens("match", *words[:2], "random", "--games", "2", *words[2:])[0] == 0
