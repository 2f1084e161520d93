"""Training over HTTP: learners, orders, runs of the page and of a terminal, and their metrics as they come."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from ludens.web.server.runs import Metrics, find
from ludens.web.worker.orders import more_training_words
from web.shelves import append, line, make_run, trial

WAIT = 90.0
TINY = {"hidden": 3, "tactics": False}


def until(wanted: Callable[[], Any]) -> Any:
    end = time.monotonic() + WAIT
    while not (found := wanted()):
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.2)
    return found


def messages(events: httpx.Response) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Server-sent events with their numbers."""
    number = None
    for text in events.iter_lines():
        if text.startswith("id: "):
            number = text.removeprefix("id: ")
        elif text.startswith("data: "):
            yield number, json.loads(text.removeprefix("data: "))
            number = None


def test_learners_say_what_they_can_be_told(http: httpx.Client) -> None:
    from ludens.learning import LEARNERS

    learners = {each["name"]: each for each in http.get("/api/learners").json()}
    assert list(learners) == list(LEARNERS)
    td = learners["td-lambda"]
    assert td["games"] == {"chung-toi": {}}
    told = {each["name"]: each for each in td["settings"]}
    assert (told["lambda_"]["option"], told["lambda_"]["kind"], told["lambda_"]["default"]) == (
        "--lambda",
        "float",
        0.7,
    )
    assert all(each["help"] for learner in learners.values() for each in learner["settings"])
    (small,) = learners["alphazero"]["presets"]["othello"]
    assert (small["name"], small["variant"], small["settings"]["blocks"]) == ("small", {"size": 6}, 2)
    assert learners["td-table"]["games"]["othello"] == {"size": 4}
    assert len(learners["ddpg"]["games"]["onitama"]["cards"]) == 5
    (nets,) = (each for each in learners["neural-q"]["settings"] if each["name"] == "nets")
    assert nets["choices"] == ["single", "multi"]


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        ({"game": "chess", "learner": "td-lambda"}, "unknown game 'chess': expected one of"),
        ({"game": "chung-toi", "learner": "magic"}, "unknown learner 'magic': expected one of td-lambda"),
        ({"game": "ur", "learner": "td-lambda"}, "'td-lambda' cannot learn ur: expected one of monte-carlo"),
        ({"game": "ur", "variant": {"pieces": 7}, "learner": "q-learning"}, "'q-learning' cannot learn ur"),
        ({"game": "chung-toi", "learner": "td-lambda", "settings": {"alpha": -1}}, "alpha is -1"),
        (
            {"game": "chung-toi", "learner": "td-lambda", "settings": {"alpha": "much"}},
            "alpha is 'much': expected a number",
        ),
        (
            {"game": "chung-toi", "learner": "td-lambda", "settings": {"episodes": 2.5}},
            "episodes is 2.5: expected a whole number",
        ),
        (
            {"game": "chung-toi", "learner": "td-lambda", "settings": {"beta": 1}},
            "cannot take 'beta': expected",
        ),
        ({"game": "chung-toi", "learner": "td-lambda", "eval_vs": "nobody"}, "unknown player 'nobody'"),
        ({"game": "chung-toi", "learner": "td-lambda", "eval_vs": "nboard:x"}, "'nboard' starts a program"),
        ({"game": "chung-toi", "learner": "ppo", "settings": {"opponents": "run:../x"}}, "names no run"),
        ({"game": "othello", "learner": "neural-q", "settings": {"nets": "three"}}, "nets is 'three': expected one of"),
        ({"game": "chung-toi", "learner": "td-lambda", "name": "../x"}, "is no name for a run"),
        ({"game": "chung-toi", "learner": "td-lambda", "name": ".x"}, "is no name for a run"),
        ({"game": "chung-toi", "learner": "td-lambda", "seeds": 0}, "'seeds' is not right"),
        ({"game": "chung-toi", "learner": "td-lambda", "seed": 2**32}, "'seed' is not right"),
    ],
)
def test_training_that_cannot_be(http: httpx.Client, server: Any, order: dict[str, Any], sentence: str) -> None:
    before = sorted(server.runs.iterdir())
    refused = http.post("/api/runs", json=order)
    assert refused.status_code == 422
    assert sentence in refused.json()["detail"]
    assert sorted(server.runs.iterdir()) == before


def test_runs_are_told_by_their_files(http: httpx.Client, server: Any) -> None:
    make_run(server.runs / "half", [line(0, **trial(10)), line(500, loss=[float("nan")])])
    make_run(server.runs / "whole", [line(0, **trial(10)), line(1000, **trial(70))])
    make_run(server.runs / "fresh", [line(100)], age=1.0)
    make_run(server.runs / "future", [line(100)], format=3)
    runs = {each["name"]: each for each in http.get("/api/runs").json()}
    assert "future" not in runs
    assert [runs[name]["state"] for name in ("half", "whole", "fresh")] == ["stopped", "finished", "running"]
    assert [runs[name]["by"] for name in ("half", "whole", "fresh")] == [None, None, "files"]
    assert (runs["half"]["games"], runs["half"]["total"], runs["half"]["spec"]) == (500, 1000, "run:half")
    assert runs["half"]["last"]["loss"] == [None]
    assert runs["whole"]["evaluation"]["wins"] == [70]
    assert [each["games"] for each in http.get("/api/runs/half").json()["metrics"]] == [0, 500]
    for name, what, sentence in [
        ("whole", "resume", "is finished"),
        ("whole", "stop", "expected one that is running"),
        ("fresh", "resume", "was written to a moment ago"),
        ("fresh", "stop", "stopped where it was started"),
    ]:
        refused = http.post(f"/api/runs/{name}/{what}")
        assert refused.status_code == 409
        assert sentence in refused.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/runs/none", 404),
        ("GET", "/api/runs/none/events", 404),
        ("POST", "/api/runs/none/stop", 404),
        ("POST", "/api/runs/none/resume", 404),
        ("GET", "/api/runs/.git", 422),
        ("GET", "/api/runs/..%2Fserver.log", 404),
        ("POST", "/api/runs/..%5Cx/resume", 422),
    ],
)
def test_runs_that_are_not_there(http: httpx.Client, method: str, path: str, status: int) -> None:
    answer = http.request(method, path)
    assert answer.status_code == status
    assert "expected" in answer.json()["detail"]


def test_metrics_come_as_they_are_written(http: httpx.Client, server: Any) -> None:
    folder = server.runs / "growing"
    make_run(folder, [line(0), line(10)])
    with http.stream("GET", "/api/runs/growing/events") as events:
        told = messages(events)
        assert [next(told) for _ in range(2)] == [
            ("1", {"type": "line", "line": line(0)}),
            ("2", {"type": "line", "line": line(10)}),
        ]
        assert next(told)[1]["run"]["state"] == "stopped"
        whole = json.dumps(line(20))
        append(folder, whole[:10])  # half a line is none
        time.sleep(1.2)
        append(folder, whole[10:] + "\n")
        assert next(told) == ("3", {"type": "line", "line": line(20)})
    with http.stream("GET", "/api/runs/growing/events", headers={"Last-Event-ID": "2"}) as events:
        assert next(messages(events)) == ("3", {"type": "line", "line": line(20)})


def test_lines_that_a_run_takes_back_are_read_anew(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    make_run(folder, [line(0), line(10)])
    metrics = Metrics(folder)
    assert [number for number, _ in metrics.new()] == [1, 2]
    assert not metrics.cut()
    replaced = folder / "new"
    replaced.write_text(json.dumps(line(0)) + "\n")
    replaced.rename(folder / "metrics.jsonl")  # as a run that goes on does
    append(folder, json.dumps(line(7)) + "\n" + json.dumps(line(14)) + "\n")
    assert metrics.cut()
    assert [(number, each["games"]) for number, each in metrics.new()] == [(1, 0), (2, 7), (3, 14)]


def test_a_run_of_the_first_edition_goes_on_by_todays_names(tmp_path: Path) -> None:
    make_run(tmp_path / "old", [line(500, **trial(40))])
    run = find(tmp_path, "old")
    assert run is not None
    assert (run.games, run.total) == (500, 1000)
    words = more_training_words(run.terms, run.evaluation or {})
    assert words[:2] == ["chung-toi", "td-lambda"]
    assert {"--hop=true", "--episodes=1000", "--hidden=30", "--lambda=0.7", "--seed=0", "--seeds=1"} <= set(words)
    assert words[-2:] == ["--eval-vs=smart-random", "--eval-games=100"]


@pytest.mark.slow
def test_a_run_is_started_stopped_and_gone_on_with(http: httpx.Client, server: Any) -> None:
    order = {"game": "chung-toi", "learner": "td-lambda", "settings": TINY | {"episodes": 5_000_000}, "name": "long"}
    accepted = http.post("/api/runs", json=order)
    assert (accepted.status_code, accepted.json()["name"]) == (202, "long")
    assert http.post("/api/runs", json=order).status_code == 409
    until(lambda: (server.runs / "long" / "metrics.jsonl").exists())
    running = http.get("/api/runs/long").json()
    assert (running["state"], running["by"], running["total"]) == ("running", "page", 5_000_000)
    assert http.post("/api/runs/long/resume").status_code == 409

    stopped = http.post("/api/runs/long/stop").json()
    assert (stopped["state"], stopped["by"]) == ("stopped", None)
    terms = (server.runs / "long" / "run.json").read_bytes()
    assert json.loads(terms)["config"]["hidden"] == 3

    again = http.post("/api/runs/long/resume")
    assert again.status_code == 202
    assert "--resume" in again.json()["job"]["command"]
    before = (server.runs / "long" / "metrics.jsonl").stat().st_mtime_ns
    until(lambda: (server.runs / "long" / "metrics.jsonl").stat().st_mtime_ns > before)
    assert http.get("/api/runs/long").json()["state"] == "running"
    http.post("/api/runs/long/stop")
    assert (server.runs / "long" / "run.json").read_bytes() == terms
    assert [each["detail"] for each in http.get("/api/jobs").json() if each["name"] == "long"] == [None, None]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="no /proc: processes of a terminal cannot be seen")
def test_a_run_of_a_terminal_is_seen_and_stopped(http: httpx.Client, server: Any) -> None:
    words = ["train", "chung-toi", "td-lambda", "--episodes", "5000000", "--hidden", "3", "--no-tactics"]
    command = [sys.executable, "-m", "ludens", *words, "--out", "runs/terminal"]
    trainer = subprocess.Popen(command, cwd=server.home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until((server.runs / "terminal" / "run.json").exists)
        seen = http.get("/api/runs/terminal").json()
        assert (seen["state"], seen["by"], seen["job"]) == ("running", "terminal", None)
        assert http.post("/api/runs/terminal/resume").status_code == 409
        assert http.post("/api/runs/terminal/stop").status_code == 200
        assert trainer.wait(WAIT) in (130, -signal.SIGINT)
    finally:
        trainer.kill()
        trainer.wait()
