"""Long work that the page orders: matches, tournaments, training.

A job is a command of the terminal in a process of its own, so whatever is begun here can be gone on with there. At most
`AT_ONCE` run, the others wait in the order in which they came. Jobs end with the server, however it ends: each hangs on
a process of ours that ends it (`job_process.py`).
"""

import json
import secrets
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

from pydantic import BaseModel

from ludens.web.server.job_process import KILLED, PATIENCE
from ludens.web.server.schemas import RefusedError, UnknownError

PROGRAM = (sys.executable, "-m", "ludens")
AT_ONCE = 2
MOST_WAITING = 20
MOST_REMEMBERED = 100
"""Jobs that have ended and can still be asked about."""
INTERRUPTED = 130
"""The exit code of a command after Ctrl-C."""

State: TypeAlias = Literal["waiting", "running", "done", "failed", "stopped"]
Kind: TypeAlias = Literal["match", "tournament", "training"]


class JobState(BaseModel):
    """A job as the page sees it."""

    id: str
    kind: Kind
    title: str
    command: str  # what gives the same in a terminal
    name: str | None  # the run or the tournament it works on
    state: State
    ahead: int  # jobs that wait in front of it
    done: int  # games played
    total: int
    seconds: float  # how long it has run
    detail: str | None  # why it failed
    result: dict[str, Any] | None  # what a match came to


class Accepted(BaseModel):
    """A run or a tournament that is going to be worked on."""

    name: str
    job: JobState


@dataclass(frozen=True)
class JobOrder:
    kind: Kind
    title: str
    words: tuple[str, ...]  # the command after `ludens`
    total: int
    played: Callable[[Path], int]
    """How many games are played so far; asked with the job's own folder for files that nobody keeps."""
    unseen: Callable[[Path], tuple[str, ...]] = lambda folder: ()
    """More words, which matter here alone, for that folder."""
    name: str | None = None
    answers: bool = False  # whether the command prints JSON that is the result


@dataclass
class _Job:
    id: str
    order: JobOrder
    state: State = "waiting"
    done: int = 0
    begun: float | None = None
    ended: float | None = None
    detail: str | None = None
    result: dict[str, Any] | None = None
    stopping: bool = False
    folder: Path | None = None
    process: "subprocess.Popen[bytes] | None" = None
    over: threading.Event = field(default_factory=threading.Event)


class Jobs:
    """Takes orders and sees to their jobs. All methods may be called from any thread."""

    def __init__(self, program: Sequence[str] = PROGRAM) -> None:
        self._program = tuple(program)
        self._jobs: dict[str, _Job] = {}
        self._lock = threading.RLock()

    def submit(self, order: JobOrder) -> JobState:
        """Begin, or wait for a place; `RefusedError` if too many wait already."""
        with self._lock:
            if len(self._in("waiting")) >= MOST_WAITING:
                raise RefusedError(f"{MOST_WAITING} jobs are waiting: expected one of them to end or be stopped")
            for old in self._in("done", "failed", "stopped")[:-MOST_REMEMBERED]:
                del self._jobs[old.id]
            job = _Job(secrets.token_urlsafe(12), order)
            self._jobs[job.id] = job
            self._begin_next()
            return self._shown(job)

    def find(self, job_id: str) -> JobState:
        """The job; `UnknownError` if there is none."""
        job = self._job(job_id)
        self._count(job)
        with self._lock:
            return self._shown(job)

    def all(self) -> list[JobState]:
        """Running, waiting and ended jobs, in the order in which they came."""
        for job in list(self._jobs.values()):
            self._count(job)
        with self._lock:
            return [self._shown(job) for job in self._jobs.values()]

    def working_on(self, kind: Kind, name: str) -> JobState | None:
        """The job that runs or waits for the run or the tournament `name`."""
        with self._lock:
            jobs = [job for job in self._in("waiting", "running") if (job.order.kind, job.order.name) == (kind, name)]
            return self._shown(jobs[-1]) if jobs else None

    def ended_since(self, kind: Kind, name: str, when: float) -> bool:
        """Whether a job for `name` has ended since then, in seconds since 1970."""
        with self._lock:
            ended = [job for job in self._in("done", "failed", "stopped") if job.ended is not None]
            return any((job.order.kind, job.order.name) == (kind, name) and (job.ended or 0) >= when for job in ended)

    def stop(self, job_id: str) -> JobState:
        """Interrupt it, or strike it off the queue; one that has ended stays as it is."""
        job = self._job(job_id)
        with self._lock:
            if job.state == "waiting":
                job.state = "stopped"
                job.over.set()
            elif job.state == "running":
                job.stopping = True
                self._let_go(job)
        job.over.wait(PATIENCE + 2)
        with self._lock:
            return self._shown(job)

    def close(self) -> None:
        with self._lock:
            unfinished = self._in("waiting", "running")
        for job in unfinished:
            with self._lock:
                job.state = "stopped" if job.state == "waiting" else job.state
                job.stopping = True
                self._let_go(job)
        for job in unfinished:
            if job.process is not None:
                job.over.wait(PATIENCE + 2)

    def _job(self, job_id: str) -> _Job:
        if job_id not in self._jobs:
            raise UnknownError(f"there is no job '{job_id[:40]}': expected one that was ordered here")
        return self._jobs[job_id]

    def _in(self, *states: State) -> list[_Job]:
        return [job for job in self._jobs.values() if job.state in states]

    def _begin_next(self) -> None:
        """Fill free places from the queue."""
        for job in self._in("waiting")[: max(0, AT_ONCE - len(self._in("running")))]:
            job.state, job.begun = "running", time.time()
            threading.Thread(target=self._run, args=(job,), name=f"job {job.id}", daemon=True).start()

    def _run(self, job: _Job) -> None:
        """The whole life of a job, in a thread of its own."""
        try:
            with tempfile.TemporaryDirectory(prefix="ludens-", ignore_cleanup_errors=True) as name:
                folder = Path(name)
                command = [*self._program, *job.order.words, *job.order.unseen(folder)]
                with (folder / "said").open("w+b") as said, (folder / "told").open("w+b") as told:
                    with self._lock:
                        job.folder = folder
                        job.process = subprocess.Popen(
                            [sys.executable, "-m", "ludens.web.server.job_process", *command],
                            stdin=subprocess.PIPE,
                            stdout=said,
                            stderr=told,
                            start_new_session=True,  # Ctrl-C in the server's terminal does not reach it directly
                        )
                        if job.stopping:
                            self._let_go(job)
                    code = job.process.wait()
                    self._let_go(job)
                    self._count(job)
                    texts = [_read(file) for file in (said, told)]
            self._conclude(job, code, *texts)
        except Exception as error:
            job.state, job.detail = "failed", f"it could not be done: {error}"
        finally:
            with self._lock:
                job.folder, job.ended = None, time.time()
                job.over.set()
                self._begin_next()

    def _conclude(self, job: _Job, code: int, said: str, told: str) -> None:
        """How it ended, from its exit code and what it printed."""
        with suppress(ValueError):
            job.result = json.loads(said, parse_constant=lambda _: None) if job.order.answers and said.strip() else None
        if job.stopping or code == INTERRUPTED:
            job.state = "stopped"
        elif code == 0:
            job.state, job.done = "done", job.order.total
        else:
            lines = [line for line in told.splitlines() if line.strip()]
            why = lines[-1] if lines and code < KILLED else f"it ended with exit code {code}"
            job.state, job.detail = "failed", why.removeprefix("ludens: ")[:1000]

    def _let_go(self, job: _Job) -> None:
        if job.process is not None and job.process.stdin is not None:
            with suppress(OSError):
                job.process.stdin.close()

    def _count(self, job: _Job) -> None:
        """Look how far a running job has come."""
        folder = job.folder
        if job.state == "running" and folder is not None:
            with suppress(OSError):
                job.done = min(max(job.done, job.order.played(folder)), job.order.total)

    def _shown(self, job: _Job) -> JobState:
        ahead = [each.id for each in self._in("waiting")]
        return JobState(
            id=job.id,
            kind=job.order.kind,
            title=job.order.title,
            command=shlex.join(["ludens", *job.order.words]),
            name=job.order.name,
            state=job.state,
            ahead=ahead.index(job.id) if job.id in ahead else 0,
            done=job.done,
            total=job.order.total,
            seconds=round((job.ended or time.time()) - job.begun, 1) if job.begun is not None else 0.0,
            detail=job.detail,
            result=job.result,
        )


def _read(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
