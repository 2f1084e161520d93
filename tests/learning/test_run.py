"""Runs: files, resuming, stopping, and what is refused."""

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jax.errors import JaxRuntimeError

from ludens.core import storage
from ludens.core.agent_files import WEIGHTS, read_agent
from ludens.core.run_files import CHECKPOINT, FORMAT, LOCK, METRICS, RUN, read_metrics, read_run
from ludens.games import make
from ludens.learning import checkpoint, run
from ludens.learning import learner as make_learner
from ludens.learning.run import DivergedError, against, train
from ludens.players import player
from reference.counting import Counting, CountingConfig

GAME = make("chung-toi")
LEARNER = Counting(GAME, CountingConfig(episodes=40))


def _train(folder: Path, learner: Any = LEARNER, *, stop_after: int | None = None, **options: Any) -> list[int]:
    seen = []
    for progress in train(learner, folder, every=10, **options):
        seen.append(progress.games)
        if stop_after is not None and len(seen) == stop_after:
            break
    return seen


def _weights(folder: Path) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in storage.load(folder / "checkpoint.safetensors")[1].items()}


def test_a_run_leaves_its_terms_its_metrics_and_its_weights(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "run"
    assert _train(folder, seeds=2) == [10, 20, 30, 40]
    assert sorted(path.name for path in folder.iterdir()) == ["checkpoint.safetensors", "metrics.jsonl", "run.json"]
    terms = json.loads((folder / "run.json").read_text())
    assert terms["game"] == "chung-toi"
    assert terms["config"] == {"episodes": 40, "num_envs": 1, "explode_after": 0}
    assert (terms["seed"], terms["seeds"]) == (0, 2)
    lines = read_metrics(folder)
    assert [line["games"] for line in lines] == [10, 20, 30, 40]
    assert all(len(line["loss"]) == 2 and line["games_per_second"] > 0 for line in lines)


def test_an_interrupted_run_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    _train(tmp_path / "whole", seeds=2)
    assert _train(tmp_path / "cut", seeds=2, stop_after=2) == [10, 20]
    assert _train(tmp_path / "cut", seeds=2, resume=True) == [30, 40]
    assert _weights(tmp_path / "cut") == _weights(tmp_path / "whole")
    assert [line["games"] for line in read_metrics(tmp_path / "cut")] == [10, 20, 30, 40]


@pytest.mark.slow
def test_a_run_that_keeps_states_is_measured_against_the_last(tmp_path: Path) -> None:
    """Also after it was interrupted: what it kept later than that does not count."""
    who = make_learner("td-lambda", GAME, {"episodes": 40, "hidden": 3, "tactics": False})
    measure = against(who, player("random", GAME), "random", games=4)

    def past(folder: Path, **options: Any) -> list[str | None]:
        _train(folder, who, evaluate=measure, evaluate_every=10, snapshots=4, **options)
        return [line["past"]["vs"] if "past" in line else None for line in read_metrics(folder)]

    expected = [None, None, *(f"itself after {games} games" for games in (10, 20, 30))]
    assert past(tmp_path / "whole") == expected
    past(tmp_path / "cut", stop_after=3)
    assert past(tmp_path / "cut", resume=True) == expected


def test_two_cannot_train_in_one_folder(tmp_path: Path) -> None:
    first = train(LEARNER, tmp_path / "run", every=10)
    next(first)
    before = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    for resume in (True, False):
        with pytest.raises(ValueError, match=f"in use by process {os.getpid()}|already holds a run"):
            _train(tmp_path / "run", resume=resume)
    with pytest.raises(ValueError, match=f"is in use by process {os.getpid()}, which trains there: expected another"):
        _train(tmp_path / "run", resume=True)
    assert {path: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before
    first.close()
    (tmp_path / "run" / LOCK).write_text("12345\n")  # of somebody who was killed: nobody holds it
    assert _train(tmp_path / "run", resume=True) == [20, 30, 40]


def test_what_a_kill_left_half_written_is_swept(tmp_path: Path) -> None:
    _train(tmp_path / "run", stop_after=1)
    (tmp_path / "run" / f".{CHECKPOINT}.77.tmp").write_bytes(b"half")
    _train(tmp_path / "run", resume=True)
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [CHECKPOINT, METRICS, RUN]


def test_too_large_is_said_before_anything_is_made(tmp_path: Path) -> None:
    huge = make_learner("dqn", make("othello"), {"hidden": 1_000_000_000, "episodes": 10})
    begun = time.monotonic()
    with pytest.raises(ValueError, match="not enough memory for this run: expected smaller settings"):
        _train(tmp_path / "run", huge)
    assert time.monotonic() - begun < 30
    assert list((tmp_path / "run").iterdir()) == []


@pytest.mark.parametrize("content", [b"[1, 2]\n", b'{"loss": 1}\n', b"nonsense\n", b"[" * 10_000 + b"\n", None])
def test_metrics_that_are_none_are_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / METRICS
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(ValueError, match=r"metrics.jsonl' holds no metrics: expected the lines that `ludens train`"):
        read_metrics(tmp_path)


def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    for name in (RUN, CHECKPOINT):
        os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match="holds no run"):
        read_run(tmp_path)
    with pytest.raises(ValueError, match="cannot be read"):
        storage.load(tmp_path / CHECKPOINT)
    with pytest.raises(OSError, match="Not a plain file"):
        storage.replace(tmp_path / RUN, b"{}")


def test_checkpoints_that_take_long_are_written_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _train(tmp_path / "whole")
    monkeypatch.setattr(run, "HEAVY", 0)
    monkeypatch.setattr(run, "PAUSE", 10**6)
    assert _train(tmp_path / "cut", stop_after=3) == [10, 20, 30]
    assert checkpoint.lines(tmp_path / "cut") == 1
    assert [line["games"] for line in read_metrics(tmp_path / "cut")] == [10, 20, 30]
    monkeypatch.setattr(run, "PAUSE", 0)
    assert _train(tmp_path / "cut", resume=True, stop_after=2) == [20, 30]  # what followed the checkpoint is made again
    assert checkpoint.lines(tmp_path / "cut") == 3
    monkeypatch.setattr(run, "PAUSE", 10**6)
    assert _train(tmp_path / "cut", resume=True) == [40]  # the last one is always written
    assert _weights(tmp_path / "cut") == _weights(tmp_path / "whole")
    assert [line["games"] for line in read_metrics(tmp_path / "cut")] == [10, 20, 30, 40]


def test_a_kill_between_metrics_and_checkpoint_leaves_no_line_twice(tmp_path: Path) -> None:
    _train(tmp_path / "run", stop_after=2)
    checkpoint.append(tmp_path / "run", {"games": 30, "steps": 1, "seconds": 0.1})
    with (tmp_path / "run" / "metrics.jsonl").open("a") as file:
        file.write('{"games": 3')  # and a line cut off
    assert _train(tmp_path / "run", resume=True) == [30, 40]
    assert [line["games"] for line in read_metrics(tmp_path / "run")] == [10, 20, 30, 40]


def test_a_kill_before_the_first_checkpoint_begins_anew(tmp_path: Path) -> None:
    _train(tmp_path / "whole")
    _train(tmp_path / "run", stop_after=1)
    (tmp_path / "run" / "checkpoint.safetensors").unlink()
    assert _train(tmp_path / "run", resume=True) == [10, 20, 30, 40]
    assert _weights(tmp_path / "run") == _weights(tmp_path / "whole")


def test_a_finished_run_has_nothing_left_to_do(tmp_path: Path) -> None:
    _train(tmp_path / "run")
    before = _weights(tmp_path / "run")
    assert _train(tmp_path / "run", resume=True) == []
    assert _weights(tmp_path / "run") == before


def test_a_finished_run_needs_only_what_plays(tmp_path: Path) -> None:
    """So that runs can be sent from machine to machine without their replays."""
    folder = tmp_path / "run"
    _train(folder)
    facts, arrays = storage.load(folder / "checkpoint.safetensors")
    small = {name.removeprefix("params."): array for name, array in arrays.items() if name.startswith("params")}
    storage.write(folder / "checkpoint.safetensors", {"params": small}, facts)
    assert _train(folder, resume=True) == []
    checkpoint.keep(folder, 3)  # as if the last line had been lost: it is not finished then
    with pytest.raises(ValueError, match="does not fit this run"):
        _train(folder, resume=True)


def test_weights_that_are_not_finite_stop_the_run_and_the_last_good_ones_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = Counting(GAME, CountingConfig(episodes=40, explode_after=25))
    with pytest.raises(DivergedError, match="no longer finite after 30 games, and the checkpoint after 20 is kept"):
        _train(tmp_path / "run", learner)
    assert int(storage.load(tmp_path / "run" / "checkpoint.safetensors")[1]["training.clock.games"][0]) == 20
    assert all(
        np.isfinite(np.frombuffer(data, np.float32)).all()
        for name, data in _weights(tmp_path / "run").items()
        if "noise" in name
    )
    assert [line["games"] for line in read_metrics(tmp_path / "run")] == [10, 20]
    monkeypatch.setattr(run, "HEAVY", 0)
    monkeypatch.setattr(run, "PAUSE", 10**6)
    with pytest.raises(DivergedError, match="no longer finite after 30 games, and the checkpoint after 10 is kept"):
        _train(tmp_path / "heavy", learner)
    with pytest.raises(DivergedError, match="no longer finite after 10 games, and there was no checkpoint yet"):
        _train(tmp_path / "early", Counting(GAME, CountingConfig(episodes=40, explode_after=5)))


@pytest.mark.parametrize("error", [MemoryError(), JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 1")])
def test_what_does_not_fit_into_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(*_: Any) -> Any:
        raise error

    _train(tmp_path / "begun", stop_after=1)
    before = {path: path.read_bytes() for path in (tmp_path / "begun").iterdir()}
    monkeypatch.setattr(run, "compiled_chunk", lambda *_: fails)
    for folder, resume in (("new", False), ("begun", True)):
        with pytest.raises(ValueError, match="not enough memory for this run: expected smaller settings"):
            _train(tmp_path / folder, resume=resume)
    assert list((tmp_path / "new").iterdir()) == []  # so that smaller ones can be tried there
    assert {path: path.read_bytes() for path in (tmp_path / "begun").iterdir()} == before


def test_other_failures_of_the_machine_are_no_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise JaxRuntimeError("INTERNAL: something else")

    monkeypatch.setattr(run, "compiled_chunk", lambda *_: fails)
    with pytest.raises(JaxRuntimeError, match="something else"):
        _train(tmp_path / "run")
    assert (tmp_path / "run" / "run.json").exists()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    _train(tmp_path / "run", stop_after=1)
    before = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    other = Counting(GAME, CountingConfig(episodes=50))
    foreign = Counting(make("ur", pieces=1), CountingConfig(episodes=40))
    attempts: list[tuple[dict[str, Any], str]] = [
        ({}, "already holds a run of counting: expected --resume or another folder"),
        ({"learner": other, "resume": True}, "another run .config.episodes 50 instead of 40.: expected the terms"),
        ({"learner": foreign, "resume": True}, "game ur instead of chung-toi"),
        ({"seeds": 2, "resume": True}, "seeds 2 instead of 1"),
    ]
    for options, message in attempts:
        with pytest.raises(ValueError, match=message):
            _train(tmp_path / "run", **options)
        assert {path: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_folders_that_hold_no_run_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match="is not empty and holds no run: expected a new folder"):
        _train(tmp_path / "mine")
    with pytest.raises(ValueError, match="holds no run: expected the folder of one that was interrupted"):
        _train(tmp_path / "nowhere", resume=True)
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="expected"):
        _train(tmp_path / "file")


def test_a_checkpoint_cut_short_is_refused_and_kept(tmp_path: Path) -> None:
    _train(tmp_path / "run", stop_after=2)
    path = tmp_path / "run" / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:-7])
    before = {each: each.read_bytes() for each in (tmp_path / "run").iterdir()}
    with pytest.raises(ValueError, match="cannot be read: expected a whole file of ludens"):
        _train(tmp_path / "run", resume=True)
    assert {each: each.read_bytes() for each in (tmp_path / "run").iterdir()} == before


def test_a_run_of_another_version_is_refused(tmp_path: Path) -> None:
    _train(tmp_path / "run", stop_after=1)
    path = tmp_path / "run" / "run.json"
    path.write_text(path.read_text().replace(f'"format": {FORMAT}', '"format": 99'))
    with pytest.raises(ValueError, match=f"is a run of format 99: expected {FORMAT}"):
        _train(tmp_path / "run", resume=True)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run with two seeds, evaluated on the way."""
    folder = tmp_path_factory.mktemp("runs") / "td"
    learner = make_learner("td-lambda", GAME, {"episodes": 30, "hidden": 4, "tactics": False})
    measure = against(learner, player("random", GAME), "random", games=50)
    list(train(learner, folder, seeds=2, every=10, evaluate=measure, evaluate_every=20))
    return folder


def test_evaluations_are_written_when_due(trained: Path) -> None:
    lines = read_metrics(trained)
    assert [line["games"] for line in lines] == [0, 10, 20, 30]
    assert [line["games"] for line in lines if "evaluation" in line] == [0, 20, 30]
    for line in lines[::2]:
        counts = line["evaluation"]
        assert [sum(each) for each in zip(counts["wins"], counts["draws"], counts["losses"], strict=True)] == [50, 50]


@pytest.mark.slow
def test_a_run_is_a_player_and_an_evaluator(trained: Path) -> None:
    first, second = player(f"run:{trained}", GAME), player(f"run:{trained}@1", GAME)
    assert first == second
    assert hash(first) == hash(second)  # one compilation for both
    weights = [each.init(None).weights[0] for each in (first, second)]
    stored = storage.load(trained / "checkpoint.safetensors")[1]["params.weights.0"]
    np.testing.assert_array_equal(weights, stored)
    searching = player(f"alphabeta:2:run:{trained}", GAME)
    np.testing.assert_array_equal(searching.init(None).weights[0], stored[0])
    s = GAME.init(None)
    assert np.isfinite(searching.act(searching.init(None), _key(), s).scores).any()


def _key() -> Any:
    import jax

    return jax.random.key(0)


@pytest.mark.parametrize(
    ("spec", "game", "message"),
    [
        (
            "run:{folder}",
            make("ur", pieces=1),
            "was trained for chung-toi --hop True --allow_pass False: expected a run",
        ),
        ("run:{folder}", make("chung-toi", hop=False), "was trained for chung-toi"),
        ("run:{folder}@2", GAME, "has 2 seeds: expected @0 to @1"),
        ("run:{folder}/nowhere", GAME, "holds no run: expected a folder that `ludens train` made"),
        ("run:", GAME, "holds no run"),
    ],
)
def test_runs_that_cannot_play_are_refused(trained: Path, spec: str, game: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        player(spec.format(folder=trained), game)


def test_a_run_with_a_broken_checkpoint_cannot_play(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "run")
    path = tmp_path / "run" / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match="expected a whole file of ludens"):
        player(f"run:{tmp_path / 'run'}", GAME)
    path.unlink()
    with pytest.raises(ValueError, match="has no checkpoint yet"):
        player(f"run:{tmp_path / 'run'}", GAME)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"agent": []}, "holds no run"),
        ({"seeds": "two"}, "holds no run"),
        ({"agent": {"kind": "value-net", "hidden": "many"}}, 'describes no agent .*"many".*: expected what `ludens'),
        ({"agent": {"kind": "value-net"}}, "does not fit its run"),
    ],
)
def test_a_run_that_describes_no_agent_cannot_play(
    trained: Path, tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    shutil.copytree(trained, tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))
    with pytest.raises(ValueError, match=message):
        player(f"run:{tmp_path / 'run'}", GAME)


def test_states_on_the_way_are_kept_as_agents(tmp_path: Path) -> None:
    _train(tmp_path, seeds=2, snapshots=2)
    kept = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert kept == ["20", "40"]
    facts = read_agent(tmp_path / "kept" / "20")
    assert (facts["game"], facts["variants"]) == ("chung-toi", [{"hop": True, "allow_pass": False}])
    assert facts["training"] | {"seconds": 0} == {
        "command": "ludens train chung-toi counting --episodes=40 --seeds=2",
        "games": 20,
        "seconds": 0,
        "device": "cpu",
        "seed": 0,
    }
    last, first = storage.load(tmp_path / "kept" / "40" / WEIGHTS)[1], storage.load(tmp_path / CHECKPOINT)[1]
    assert last
    assert all((first[name][0] == x).all() for name, x in last.items())
