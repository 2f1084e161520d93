"""Learning on the page: training runs started, stopped, gone on with and followed, the same as `ludens train`.

A run is a folder, whoever trains it. Whether somebody does is told by, in this order: a job of this server; a process
on this machine that runs `ludens train` for the folder; else its files, if they were written to a moment ago.
"""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ludens.web.server import runs
from ludens.web.server.jobs import Accepted, JobOrder
from ludens.web.server.orders import QUIET, SIGN_OF_LIFE, AllOrders, Orders, event_stream, message
from ludens.web.server.processes import Command, commands
from ludens.web.server.runs import Metrics, TrainingRun
from ludens.web.server.schemas import (
    REFUSALS,
    Asked,
    Chosen,
    Described,
    Fields,
    GameId,
    RefusedError,
    Seed,
    Spec,
    UnknownError,
    checked_name,
)

MOST_SEEDS = 64
TERMS = ("game", "variant", "learner", "config", "seed", "seeds")
"""What is told of `run.json`."""
LOOKS = 0.5
"""Seconds between two looks at the metrics of a run that is followed."""
STATES = 2.0
"""Seconds between two looks at whether somebody trains it."""


class PresetState(BaseModel):
    """Settings under a name, with the variant they are for."""

    name: str
    about: str
    variant: dict[str, Any]
    settings: dict[str, Any]


class LearnerState(BaseModel):
    name: str
    about: str
    settings: list[Described]
    games: dict[str, dict[str, Any]]
    """The games it learns; each with a variant that it can learn, `{}` being the usual one."""
    presets: dict[str, list[PresetState]]
    """What it ships for games."""


class TrainingOrder(Asked):
    game: GameId
    variant: Fields = Field(default_factory=dict)
    learner: Annotated[str, Field(max_length=40)]
    settings: Chosen = Field(default_factory=dict)
    seed: Seed = 0
    seeds: Annotated[int, Field(ge=1, le=MOST_SEEDS)] = 1
    eval_vs: Spec | None = None  # who it is tried against while it learns
    name: str | None = None  # of its folder; made from game, learner and seed if not given


class RunState(BaseModel):
    """A run and how far it has come."""

    name: str
    game: str
    variant: dict[str, Any]
    learner: str
    config: dict[str, Any]
    seed: int
    seeds: int
    games: int
    total: int
    state: Literal["waiting", "running", "stopped", "finished"]
    by: Literal["page", "terminal", "files"] | None
    """Who trains it: a job of this server, a command, or somebody who is known by what is written."""
    job: str | None
    lines: int
    last: dict[str, Any] | None
    evaluation: dict[str, Any] | None
    updated: float
    playable: bool
    spec: str  # names the agent with its newest checkpoint


class RunDetail(RunState):
    metrics: list[dict[str, Any]]


def routes(folder: Path) -> APIRouter:
    """Learners, and the training runs in the folder."""
    router = APIRouter(tags=["learning"], responses=REFUSALS)
    known: list[LearnerState] = []

    @router.get("/api/learners")
    async def list_learners(orders: AllOrders) -> list[LearnerState]:
        """Every learner with its settings and games."""
        if not known:
            known[:] = [LearnerState(**each) for each in await orders.ask("learners")]
        return known

    @router.get("/api/runs")
    def list_runs(orders: AllOrders) -> list[RunState]:
        """Every run, the newest first."""
        trainers = commands("train")
        return [_shown(orders, run, trainers) for run in runs.all_runs(folder)]

    @router.post("/api/runs", status_code=202)
    async def order_run(order: TrainingOrder, orders: AllOrders) -> Accepted:
        """Train a learner in a new folder."""
        asked = (order.game, order.variant, order.learner, order.settings, order.eval_vs)
        words, total = await orders.ask("training_words", *asked, folder)
        if order.name is not None:
            name = checked_name(order.name, "run")
            if not _is_free(orders, folder / name):
                raise RefusedError(f"there is a run '{name}' already: expected another name")
        else:
            usual = f"{order.game}-{order.learner}-{order.seed}"
            names = (usual if number == 1 else f"{usual}-{number}" for number in count(1))
            name = next(each for each in names if _is_free(orders, folder / each))
        said = (*words, f"--seed={order.seed}", f"--seeds={order.seeds}")
        return _begin(orders, folder / name, said, total)

    @router.get("/api/runs/{name}")
    def get_run(name: str, orders: AllOrders) -> RunDetail:
        """A run with all its metrics."""
        run = _found(folder, name)
        lines = [line for _, line in Metrics(run.folder).new()]
        return RunDetail(**_shown(orders, run).model_dump(), metrics=lines)

    @router.get("/api/runs/{name}/events", response_class=StreamingResponse)
    def follow_run(
        name: str, orders: AllOrders, last_event_id: Annotated[str | None, Header(max_length=20)] = None
    ) -> StreamingResponse:
        """Server-sent events: each line of the metrics from the first on, and the run whenever its state changes.

        `{"type": "line", "line": {...}}`, `{"type": "run", "run": {...}}`, and `{"type": "again"}` if lines follow from
        the first once more. `Last-Event-ID` leaves out lines that were seen.
        """
        run = _found(folder, name)
        seen = int(last_event_id) if last_event_id and last_event_id.isdecimal() else 0
        return event_stream(_follow(orders, folder, run.name, seen))

    @router.post("/api/runs/{name}/stop")
    def stop_run(name: str, orders: AllOrders) -> RunState | None:
        """Stop training, as Ctrl-C would; the last checkpoint stays. Null if nothing was written yet."""
        working = orders.jobs.working_on("training", checked_name(name, "run"))
        if working is not None:
            orders.jobs.stop(working.id)
            begun = runs.find(folder, name)
            return _shown(orders, begun) if begun else None
        run = _found(folder, name)
        process = runs.trainer(run, commands("train"))
        if process is None:
            where = "expected it to be stopped where it was started" if run.fresh and not run.finished else ""
            raise RefusedError(f"nobody here trains the run '{name}': {where or 'expected one that is running'}")
        _interrupt(process.pid)
        return _shown(orders, run)

    @router.post("/api/runs/{name}/resume", status_code=202)
    async def resume_run(name: str, orders: AllOrders) -> Accepted:
        """Go on with a run that was stopped, on the terms it began with."""
        run = _found(folder, name)
        shown = await asyncio.to_thread(_shown, orders, run)
        if shown.state == "finished":
            raise RefusedError(f"the run '{name}' is finished: expected one that was stopped")
        if shown.by == "files":
            raise RefusedError(f"the run '{name}' was written to a moment ago: expected nobody to be at it")
        if shown.state != "stopped":
            raise RefusedError(f"the run '{name}' is {shown.state}: expected one that was stopped")
        words = await orders.ask("more_training_words", run.terms, run.evaluation or {})
        return _begin(orders, run.folder, (*words, "--resume"), run.total)

    return router


def _begin(orders: Orders, folder: Path, words: tuple[str, ...], total: int) -> Accepted:
    def played(_: Path) -> int:
        run = runs.find(folder.parent, folder.name)
        return run.games if run else 0

    order = JobOrder(
        kind="training",
        title=f"{words[0]}: {words[1]} learns",
        words=("train", *words, "--out", str(folder)),
        total=total,
        played=played,
        name=folder.name,
    )
    return Accepted(name=folder.name, job=orders.jobs.submit(order))


def _is_free(orders: Orders, folder: Path) -> bool:
    """Whether a new run may have this folder."""
    empty = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    return empty and orders.jobs.working_on("training", folder.name) is None


def _found(folder: Path, name: str) -> TrainingRun:
    run = runs.find(folder, checked_name(name, "run"))
    if run is None:
        raise UnknownError(f"there is no run '{name}': expected one of those listed")
    return run


def _shown(orders: Orders, run: TrainingRun, trainers: list[Command] | None = None) -> RunState:
    """A run with whoever trains it; `trainers` are looked for if they are not given."""
    job = orders.jobs.working_on("training", run.name)
    state: Any = "finished" if run.finished else "stopped"
    by: Any = None
    if job is not None:
        state, by = job.state, "page"
    elif not run.finished and runs.trainer(run, commands("train") if trainers is None else trainers) is not None:
        state, by = "running", "terminal"
    elif not run.finished and run.fresh and not orders.jobs.ended_since("training", run.name, run.updated):
        state, by = "running", "files"
    terms = {name: run.terms[name] for name in TERMS}
    return RunState(
        name=run.name,
        **terms,
        games=run.games,
        total=run.total,
        state=state,
        by=by,
        job=job.id if job else None,
        lines=run.lines,
        last=run.last,
        evaluation=run.evaluation,
        updated=run.updated,
        playable=run.playable,
        spec=f"run:{run.name}",
    )


def _interrupt(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGINT)
    except ProcessLookupError:
        return  # it has just ended
    except PermissionError:
        raise RefusedError("another user trains this run: expected one of yours") from None


async def _follow(orders: Orders, folder: Path, name: str, seen: int) -> AsyncIterator[str]:
    metrics, shown = Metrics(folder / name, seen), None
    looked = spoke = 0.0
    while True:
        if await asyncio.to_thread(metrics.cut):
            yield message({"type": "again"})
        for number, line in await asyncio.to_thread(lambda: list(metrics.new())):
            spoke = time.monotonic()
            yield message({"type": "line", "line": line}, number)
        if time.monotonic() - looked > STATES:
            looked = time.monotonic()
            run = await asyncio.to_thread(runs.find, folder, name)
            if run is None:
                return  # somebody threw it away
            state = await asyncio.to_thread(_shown, orders, run)
            if state != shown:
                shown, spoke = state, time.monotonic()
                yield message({"type": "run", "run": state.model_dump()})
        if time.monotonic() - spoke > QUIET:
            spoke = time.monotonic()
            yield SIGN_OF_LIFE
        await asyncio.sleep(LOOKS)
