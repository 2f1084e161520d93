"""Orders for long work: checked by a worker, which knows rules and players, before they become jobs; then followed.

The worker begins with the first question (`worker/orders.py`). Whoever follows something gets server-sent events.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse

from ludens.web.protocol import Worker, WorkerLostError
from ludens.web.server.jobs import Jobs, JobState
from ludens.web.server.schemas import REFUSALS

LOOKS = 0.25
"""Seconds between two looks at a job for somebody who follows it."""
QUIET = 15.0
"""Seconds after which somebody who follows is sent a sign of life."""
SIGN_OF_LIFE = ": still here\n\n"


class Orders:
    """Jobs, and the worker that checks what is asked for."""

    def __init__(self) -> None:
        self.jobs = Jobs()
        self._worker: Worker | None = None

    async def ask(self, question: str, *facts: Any, lane: str | None = None) -> Any:
        """What the function `question` of `worker/orders.py` answers; ValueError with its sentence if it refuses.

        Questions with a lane wait for each other only, and hold up no others.
        """
        try:
            return await self._at_work().call(f"orders.{question}", *facts, lane=lane)
        except WorkerLostError:  # somebody killed it, or memory ran out
            return await self._at_work().call(f"orders.{question}", *facts, lane=lane)

    def close(self) -> None:
        if self._worker is not None:
            self._worker.kill()
        self.jobs.close()

    def _at_work(self) -> Worker:
        if self._worker is None or not self._worker.alive:
            self._worker = Worker("orders")
        return self._worker


async def _orders_of(request: Request) -> Orders:
    orders: Orders = request.app.state.orders
    return orders


AllOrders: TypeAlias = Annotated[Orders, Depends(_orders_of)]


def routes() -> APIRouter:
    """What can be asked about jobs."""
    router = APIRouter(prefix="/api/jobs", tags=["jobs"], responses=REFUSALS)

    @router.get("")
    def list_jobs(orders: AllOrders) -> list[JobState]:
        """All jobs, in the order in which they came."""
        return orders.jobs.all()

    @router.get("/{job_id}")
    def get_job(job_id: str, orders: AllOrders) -> JobState:
        return orders.jobs.find(job_id)

    @router.delete("/{job_id}")
    def stop_job(job_id: str, orders: AllOrders) -> JobState:
        """Stop a job, or strike it off the queue; one that has ended stays as it is."""
        return orders.jobs.stop(job_id)

    @router.get("/{job_id}/events", response_class=StreamingResponse)
    def follow_job(job_id: str, orders: AllOrders) -> StreamingResponse:
        """Server-sent events: the job whenever it changes, until it has ended."""
        orders.jobs.find(job_id)
        return event_stream(_changes(orders.jobs, job_id))

    return router


def event_stream(messages: AsyncIterator[str]) -> StreamingResponse:
    """Messages, made by `message`, as they come."""
    return StreamingResponse(messages, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def message(content: Any, number: int | None = None) -> str:
    """One event with JSON; `number` is what a client that comes back says it saw last."""
    line = "" if number is None else f"id: {number}\n"
    return f"{line}data: {json.dumps(content, allow_nan=False)}\n\n"


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
