"""The office: where the page orders long work, and a clerk who checks what is asked for before it becomes a job.

Checking needs rules and players, and so JAX, which the server never imports. The clerk works in a process of its own
(`clerk.py`), which begins with the first question.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.responses import StreamingResponse

from ludens.web.events import QUIET, SIGN_OF_LIFE, event_stream, message
from ludens.web.jobs import Jobs, JobState
from ludens.web.naming import REFUSALS
from ludens.web.workers import Worker, WorkerLostError

LOOKS = 0.25
"""Seconds between two looks at a job for somebody who follows it."""


class Office:
    """Jobs, and the clerk."""

    def __init__(self) -> None:
        self.jobs = Jobs()
        self._clerk: Worker | None = None

    async def ask(self, question: str, *facts: Any, lane: str | None = None) -> Any:
        """What the function `question` of `clerk.py` answers; 422 with its sentence if it refuses.

        Questions with a lane wait for each other only, and hold up no others.
        """
        try:
            try:
                return await self._at_work().call(question, *facts, lane=lane)
            except WorkerLostError:  # somebody killed it, or memory ran out
                return await self._at_work().call(question, *facts, lane=lane)
        except ValueError as error:
            raise HTTPException(422, str(error)) from None

    def close(self) -> None:
        """Everybody goes home."""
        if self._clerk is not None:
            self._clerk.kill()
        self.jobs.close()

    def _at_work(self) -> Worker:
        if self._clerk is None or not self._clerk.alive:
            self._clerk = Worker("ludens.web.clerk")
        return self._clerk


async def the_office(request: Request) -> Office:
    """The office of the app that is asked; it opens with the first question."""
    state = request.app.state
    if not hasattr(state, "office"):
        state.office = Office()
    office: Office = state.office
    return office


InOffice: TypeAlias = Annotated[Office, Depends(the_office)]


def routes() -> APIRouter:
    """What can be asked about jobs. The office closes with the app."""
    router = APIRouter(prefix="/api/jobs", tags=["jobs"], responses=REFUSALS, lifespan=_closing)

    @router.get("")
    def list_jobs(office: InOffice) -> list[JobState]:
        """All jobs, in the order in which they came."""
        return office.jobs.all()

    @router.get("/{job_id}")
    def get_job(job_id: str, office: InOffice) -> JobState:
        """How a job stands."""
        return office.jobs.find(job_id)

    @router.delete("/{job_id}")
    def stop_job(job_id: str, office: InOffice) -> JobState:
        """Stop a job, or strike it off the queue; one that has ended stays as it is."""
        return office.jobs.stop(job_id)

    @router.get("/{job_id}/events", response_class=StreamingResponse)
    def follow_job(job_id: str, office: InOffice) -> StreamingResponse:
        """Server-sent events: the job whenever it changes, until it has ended."""
        office.jobs.find(job_id)
        return event_stream(_changes(office.jobs, job_id))

    return router


async def _changes(jobs: Jobs, job_id: str) -> AsyncIterator[str]:
    before, spoke = None, time.monotonic()
    while True:
        job = await asyncio.to_thread(jobs.find, job_id)
        facts = job.model_dump(exclude={"seconds"})
        if facts != before:
            before, spoke = facts, time.monotonic()
            yield message(job.model_dump())
        elif time.monotonic() - spoke > QUIET:
            spoke = time.monotonic()
            yield SIGN_OF_LIFE
        if job.state not in ("waiting", "running"):
            return
        await asyncio.sleep(LOOKS)


@asynccontextmanager
async def _closing(app: FastAPI) -> AsyncIterator[None]:
    yield
    office: Office | None = getattr(app.state, "office", None)
    if office is not None:
        await asyncio.to_thread(office.close)
