"""`ludens train`, `eval` and `demo` as a person types them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ludens.cli import app, demo
from ludens.core import storage

SMALL = ["--episodes", "20", "--hidden", "3", "--no-tactics", "--eval-games", "20"]


def _ludens(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The exit code of a command, run in this process."""
    monkeypatch.setattr(sys, "argv", ["ludens", *words])
    monkeypatch.setattr("ludens.cli.devices.for_learning", lambda: None)  # JAX is running already
    try:
        app.main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_train_then_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert _ludens(monkeypatch, "train", "chung-toi", "td-lambda", *SMALL, "--lambda", "0.5", "--no-hop") == 0
    assert "trained 20 games" in capsys.readouterr().out
    terms = json.loads((tmp_path / "runs" / "chung-toi-td-lambda-0" / "run.json").read_text())
    assert terms["variant"] == {"hop": False, "allow_pass": False}
    assert (terms["config"]["lambda_"], terms["config"]["hidden"], terms["config"]["tactics"]) == (0.5, 3, False)
    assert _ludens(monkeypatch, "eval", "runs/chung-toi-td-lambda-0", "--vs", "random", "--games", "20", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["players"] == ["run:runs/chung-toi-td-lambda-0", "random"]
    assert facts["games"] == 20
    assert facts["variant"]["hop"] is False


def test_train_prints_lines_for_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", "chung-toi", "td-lambda", *SMALL, "--seeds", "2", "--every", "10", "--eval-every", "20", "--json"]
    assert _ludens(monkeypatch, *words, "--out", str(tmp_path / "run")) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["games"] for line in lines] == [0, 10, 20]
    assert ["evaluation" in line for line in lines] == [True, False, True]
    assert lines[0]["evaluation"]["vs"] == "smart-random"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["train", "chess", "td-lambda"], "unknown game 'chess': expected"),
        (["train", "chung-toi", "magic"], "unknown learner 'magic': expected one of td-lambda"),
        (["train", "ur", "td-lambda"], "'td-lambda' cannot learn ur: expected one of monte-carlo"),
        (["train", "ur", "q-learning", "--pieces", "7"], "'q-learning' cannot learn ur: expected one of dqn"),
        (["train", "chung-toi", "td-lambda", "--alpha", "-1"], "alpha is -1.0: expected a number, 0 or more"),
        (["train", "chung-toi", "td-lambda", "--alpha", "much"], "--alpha is 'much': expected a number"),
        (["train", "chung-toi", "td-lambda", "--alpha", "nan"], "--alpha is 'nan': expected a number"),
        (["train", "chung-toi", "td-lambda", "--lambda", "1.5"], "lambda_ is 1.5: expected a number from 0 to 1"),
        (["train", "chung-toi", "td-lambda", "--episodes", "0"], "episodes is 0: expected a whole number, 1 or more"),
        (["train", "chung-toi", "td-lambda", "--episodes=--5"], "--episodes is '--5': expected a whole number"),
        (
            ["train", "ur", "dqn", "--batch-size", "9999999999"],
            "batch_size is 9999999999: expected at most 2,147,483,647",
        ),
        (["train", "chung-toi", "td-lambda", "--alpha", "1e40"], "alpha is 1e+40: expected at most 1e+38"),
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
        (["eval", "nowhere"], "'nowhere' holds no run: expected a folder that `ludens train` made"),
        (["play", "chung-toi", "--against", "run:nowhere"], "'nowhere' holds no run"),
        (["match", "chung-toi", "alphabeta:2:run:nowhere", "random"], "'nowhere' holds no run"),
    ],
)
def test_bad_input_is_one_sentence(
    words: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _ludens(monkeypatch, *words) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_exists_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", "chung-toi", "td-lambda", *SMALL, "--out", str(tmp_path / "run")]
    assert _ludens(monkeypatch, *words) == 0
    before = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    assert _ludens(monkeypatch, *words) == 2
    assert "already holds a run of td-lambda: expected --resume or another folder" in capsys.readouterr().err
    assert _ludens(monkeypatch, *words, "--resume", "--alpha", "0.5") == 2
    assert "config.alpha 0.5 instead of 0.0012" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


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


def test_the_demo_trains_and_tells_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "TABLE_GAMES", 4000)
    monkeypatch.setattr(demo, "EVALUATION", 40)
    earlier = tmp_path / "runs" / "demo-chung-toi"
    earlier.mkdir(parents=True)
    for name in ("run.json", "checkpoint.safetensors"):
        (earlier / name).write_text("what an earlier demo has left")
    became: list[list[str]] = []
    monkeypatch.setattr(os, "execve", lambda program, words, environment: became.append(words[1:]))
    assert _ludens(monkeypatch, "demo") == 0
    assert became == [["-m", "ludens", "serve"]]
    said = capsys.readouterr().out
    for words in ("2000 games", "in the paper", "perfect play"):
        assert words in said
    assert "run:runs/demo-chung-toi" in said
    assert _ludens(monkeypatch, "match", "chung-toi", "run:runs/demo-chung-toi", "random", "--games", "2") == 0
