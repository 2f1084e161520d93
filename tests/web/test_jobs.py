"""Long work in processes of its own: the queue, stopping, and that nothing outlives whoever ordered it."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ludens.web.server import jobs as office
from ludens.web.server.job_process import PATIENCE
from ludens.web.server.jobs import JobOrder, Jobs, JobState
from ludens.web.server.schemas import RefusedError, UnknownError
from processes import lives

WAIT = 30.0
SLEEP = "import time; print('up', flush=True); time.sleep(600)"
DEAF = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    """Jobs whose words are Python programs."""
    made = Jobs((sys.executable, "-c"))
    yield made
    made.close()


def order(program: str, **more: object) -> JobOrder:
    facts = {"kind": "match", "title": "a job", "words": (program,), "total": 10, "played": lambda _: 0} | more
    return JobOrder(**facts)  # type: ignore[arg-type]  # the facts are as the fields have them


def until(wanted: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not wanted():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.02)


def ended(jobs: Jobs, job: JobState) -> JobState:
    until(lambda: jobs.find(job.id).state not in ("waiting", "running"))
    return jobs.find(job.id)


def test_what_a_command_prints_is_the_result(jobs: Jobs) -> None:
    said = ended(jobs, jobs.submit(order('print(\'{"wins": 3, "share": NaN}\')', answers=True)))
    assert (said.state, said.result, said.done) == ("done", {"wins": 3, "share": None}, 10)


def test_a_command_that_refuses_is_quoted(jobs: Jobs) -> None:
    refuses = (
        "import sys; print('working', file=sys.stderr); print('ludens: no: expected yes', file=sys.stderr); sys.exit(2)"
    )
    said = ended(jobs, jobs.submit(order(refuses)))
    assert (said.state, said.detail, said.result) == ("failed", "no: expected yes", None)


def test_two_run_and_the_others_wait_in_order(jobs: Jobs) -> None:
    states = [jobs.submit(order(SLEEP)) for _ in range(4)]
    assert [jobs.find(each.id).state for each in states] == ["running", "running", "waiting", "waiting"]
    assert [jobs.find(each.id).ahead for each in states[2:]] == [0, 1]
    assert jobs.stop(states[2].id).state == "stopped"
    assert jobs.find(states[3].id).ahead == 0
    assert jobs.stop(states[0].id).state == "stopped"
    until(lambda: jobs.find(states[3].id).state == "running")
    assert [each.id for each in jobs.all()] == [each.id for each in states]


def test_the_queue_has_an_end(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "MOST_WAITING", 1)
    for _ in range(3):
        jobs.submit(order(SLEEP))
    with pytest.raises(RefusedError, match="1 jobs are waiting"):
        jobs.submit(order(SLEEP))
    assert len(jobs.all()) == 3


def test_ended_jobs_are_forgotten_one_day(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "MOST_REMEMBERED", 1)
    first, second = (ended(jobs, jobs.submit(order("pass"))) for _ in range(2))
    third = jobs.submit(order("pass"))
    assert [each.id for each in jobs.all()] == [second.id, third.id]
    with pytest.raises(UnknownError, match="there is no job"):
        jobs.find(first.id)


def test_progress_is_looked_up_in_the_jobs_own_folder(jobs: Jobs) -> None:
    program = f"import sys, pathlib; pathlib.Path(sys.argv[1]).write_text('xxx'); {SLEEP}"
    asked = order(
        program,
        played=lambda folder: len((folder / "so far").read_text()),
        unseen=lambda folder: (str(folder / "so far"),),
    )
    job = jobs.submit(asked)
    until(lambda: jobs.find(job.id).done == 3)
    assert "so far" not in jobs.find(job.id).command


def test_a_stopped_command_is_interrupted_like_by_a_person(jobs: Jobs, tmp_path: Path) -> None:
    note = tmp_path / "note"
    program = f"""
import pathlib, time
try:
    pathlib.Path({str(note)!r}).write_text("up")
    time.sleep(600)
except KeyboardInterrupt:
    print('{{"games": 4}}')
    raise SystemExit(130)
"""
    job = jobs.submit(order(program, answers=True))
    until(note.exists)
    stopped = jobs.stop(job.id)
    assert (stopped.state, stopped.result) == ("stopped", {"games": 4})


@pytest.mark.slow
def test_one_that_does_not_heed_it_is_killed(jobs: Jobs, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = f"{DEAF}; import os, pathlib; pathlib.Path({str(note)!r}).write_text(str(os.getpid())); {SLEEP}"
    job = jobs.submit(order(program))
    until(lambda: note.exists() and bool(note.read_text()))
    begun = time.monotonic()
    assert jobs.stop(job.id).state == "stopped"
    assert time.monotonic() - begun >= PATIENCE / 2
    assert not lives(int(note.read_text()))


def test_a_command_ends_with_its_holder_however_that_ends(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = f"import os, pathlib; pathlib.Path({str(note)!r}).write_text(str(os.getpid())); {SLEEP}"
    holder = f"""
import subprocess, sys, time
job = [sys.executable, "-m", "ludens.web.server.job_process", sys.executable, "-c", {program!r}]
subprocess.Popen(job, stdin=subprocess.PIPE)
time.sleep(600)
"""
    held = subprocess.Popen([sys.executable, "-c", holder], stdout=subprocess.DEVNULL, start_new_session=True)
    until(lambda: note.exists() and bool(note.read_text()))
    held.kill()
    held.wait()
    until(lambda: not lives(int(note.read_text())))
