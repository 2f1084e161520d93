"""Parts computed in processes of their own: all of them, once, in an order that serves, where the paper reads them."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from ludens.core.compiling import CORES
from ludens.papers import parallel
from ludens.papers.experiment import Paper
from ludens.papers.parallel import Order, compute
from ludens.papers.reproduce import reproduce
from ludens.papers.study import Observer
from papers.fake import FakePaper
from papers.many_parts import LAST, NAMES, ManyParts, OneFails, OneFailsOthersGoOn, Others
from processes import lives


def order(paper: type[Paper], out: Path) -> Order:
    return Order(paper, "quick", 1, out / paper.name)


def findings(paper: type[Paper], out: Path) -> list[list[float]]:
    """What each part said: process, devices, begin, end; the last part first."""
    made = reproduce(paper(), "quick", 1, out, Observer())
    return [[float(fact) for fact in finding.split()] for finding in made.results.findings]


class Listener(Observer):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.ended: list[str] = []
        self.shares: list[float] = []

    def progress(self, what: str, share: float) -> None:
        self.shares.append(share)

    def part_finished(self, part: str, seconds: float, *, kept: bool) -> None:
        assert not kept
        assert seconds > 0
        self.ended.append(part)


def test_all_parts_of_all_papers_are_computed_elsewhere_and_read_here(tmp_path: Path) -> None:
    seen = Listener()
    compute([order(ManyParts, tmp_path), order(Others, tmp_path)], 2, seen)
    assert sorted(seen.ended) == sorted(
        f"{name}, {part}" for name in (ManyParts.name, "others") for part in [LAST, *NAMES]
    )
    assert seen.shares == [number / 12 for number in range(1, 13)]
    both = [findings(paper, tmp_path) for paper in (ManyParts, Others)]
    for last, *others in both:
        assert len(others) == len(NAMES)
        assert last[2] > max(end for _, _, _, end in others)  # it needs them all
    processes = {facts[0] for each in both for facts in each}
    assert 1 <= len(processes) <= 2  # one pool for both papers
    assert os.getpid() not in processes
    assert {facts[1] for each in both for facts in each} == {max(1, CORES // 2)}  # each has its share of the cores
    assert [findings(paper, tmp_path) for paper in (ManyParts, Others)] == both  # nothing is computed twice


def test_alone_everything_is_computed_here(tmp_path: Path) -> None:
    assert {process for process, *_ in findings(ManyParts, tmp_path)} == {os.getpid()}


@pytest.mark.slow
def test_a_part_that_fails_is_told_and_the_others_are_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="this part cannot be computed"):
        compute([order(OneFails, tmp_path)], 2, Observer())
    folder = tmp_path / ManyParts.name / "parts"
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert before
    assert not any(path.name.startswith("all-of-them") for path in before)  # it needs the one that failed
    compute([order(ManyParts, tmp_path)], 2, Observer())  # the same command goes on, once the cause is gone
    assert all(path.read_bytes() == content for path, content in before.items())
    assert len(list(folder.iterdir())) == 1 + len(NAMES)


@pytest.mark.slow
def test_a_part_that_fails_is_told_at_once(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(ValueError, match="this part cannot be computed"):
        compute([order(OneFailsOthersGoOn, tmp_path)], 2, Observer())
    assert time.monotonic() - begun < 300


@pytest.mark.slow
@pytest.mark.parametrize("how", ["Ctrl-C", "interrupted alone", "killed"])
def test_nobody_goes_on_when_it_is_stopped(tmp_path: Path, how: str) -> None:
    program = (
        "from pathlib import Path; from ludens.papers.parallel import *; from papers.many_parts import Endless\n"
        f"if __name__ == '__main__': compute([Order(Endless, 'quick', 1, Path({str(tmp_path)!r}))], 2, Observer())"
    )
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    tests = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = subprocess.Popen(
        [sys.executable, "-c", program], env=tests, start_new_session=True, stderr=subprocess.PIPE
    )
    try:
        end = time.monotonic() + 60
        while len(at_work := [int(path.name) for path in (tmp_path / "runs").rglob("*") if path.is_file()]) < 2:
            assert command.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)
        if how == "Ctrl-C":  # a terminal tells all
            os.killpg(command.pid, signal.SIGINT)
        else:
            command.send_signal(signal.SIGINT if how == "interrupted alone" else signal.SIGKILL)
        said = command.communicate(timeout=30)[1].decode()
        assert command.returncode == (-signal.SIGKILL if how == "killed" else -signal.SIGINT)
        assert ("KeyboardInterrupt" in said) == (how != "killed")
        assert said.count("Traceback") == (how != "killed")  # ours alone
        while any(map(lives, at_work)):
            assert time.monotonic() < end
            time.sleep(0.1)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(command.pid, signal.SIGKILL)
        command.communicate()


def test_a_paper_without_such_parts_begins_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "ProcessPoolExecutor", None)
    compute([order(FakePaper, tmp_path)], 3, Observer())
    assert list(tmp_path.iterdir()) == []


class Pool:
    """Says what it was asked for."""

    def __init__(self, processes: int, context: Any, settle: Any) -> None:
        self.processes, self.settle = processes, settle

    def submit(self, *what: Any) -> "Pool":
        return self


def test_beside_an_accelerator_the_other_parts_have_cores_and_give_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(parallel, "CORES", 16)
    monkeypatch.setattr(parallel.jax, "default_backend", lambda: "gpu")
    processes = parallel._Processes(12)
    wanted = order(ManyParts, tmp_path)
    parts = wanted.parts()
    training, matches = (processes.submit((wanted, name), parts[name]) for name in (NAMES[0], LAST))
    assert (training.processes, training.settle.func) == (12, parallel._stay_on)
    assert (matches.processes, matches.settle.func) == (8, parallel._on_cores)
    assert matches.settle.args[1:] == (1, parallel.GIVE_WAY)
    monkeypatch.setattr(parallel, "CORES", 1)
    assert parallel._Processes(2).submit((wanted, LAST), parts[LAST]).processes == 1


def test_how_many_parts_are_computed_at_once_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parallel.usual_jobs() == 1
    monkeypatch.setattr(parallel.jax, "default_backend", lambda: "gpu")
    for machine, jobs in ((16, 12), (4, 3), (1, 2)):
        monkeypatch.setattr(parallel, "CORES", machine)
        assert parallel.usual_jobs() == jobs


@pytest.mark.parametrize(("backend", "shared"), [("cpu", 0), ("gpu", 1), ("tpu", 0)])
def test_a_gpu_is_shared(monkeypatch: pytest.MonkeyPatch, backend: str, shared: int) -> None:
    asked = []
    monkeypatch.setattr(parallel, "shared_gpu", lambda: asked.append(1))
    monkeypatch.setattr(parallel.jax, "default_backend", lambda: backend)
    parallel._shared_accelerator()
    assert len(asked) == shared


def test_a_process_on_cores_sees_no_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, Any] = {}
    monkeypatch.setattr(parallel.jax.config, "update", told.__setitem__)
    monkeypatch.setattr(os, "nice", lambda by: told.update(nice=by))
    monkeypatch.setattr(parallel, "_stay_on", lambda line: told.update(line=line))
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=16 --xla_something=1")
    line = get_context("spawn").Pipe()[0]
    parallel._on_cores(line, 3, 5)
    assert told == {"jax_platforms": "cpu", "nice": 5, "line": line}
    assert os.environ["XLA_FLAGS"] == "--xla_something=1 --xla_force_host_platform_device_count=3"
