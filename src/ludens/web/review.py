"""Reviews: a game looked at again, move by move, by the strongest player there is.

A review runs in the background, one position at a time, so that others are not kept waiting; whoever asks hears how far
it is. It is of the game as it stands: if that goes on or back, the next who asks starts another.
"""

import asyncio
import json
from typing import Any

from ludens.web.exchange import Agent, Question
from ludens.web.judges import named
from ludens.web.table import RefusedError, Table
from ludens.web.tables import Tables
from ludens.web.thinking import ThoughtError
from ludens.web.workers import WorkerLostError

KEPT = 50
"""Reviews that are remembered."""


class Reviews:
    """The reviews of all tables, by table."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._reviews: dict[str, tuple[int, dict[str, Any]]] = {}
        self._running: dict[str, asyncio.Task[None]] = {}

    async def start(self, table: Table) -> dict[str, Any]:
        """The review of a game as it stands, begun if there is none or it has failed."""
        if table.facts.hidden and not table.log.now.over:
            raise RefusedError("the game is not over, and a review would show what is hidden: expected one that is")
        judge = await self._tables.judge(table.facts.variant)
        review = self.find(table)
        if review is None or review["state"] == "failed":
            review = {
                "state": "running",
                "detail": None,
                "done": 0,
                "total": len(table.log.actions),
                "by": named(judge),
                "moves": [],
                "values": [],
            }
            name = table.facts.id
            if name in self._running:
                self._running[name].cancel()
            while len(self._reviews) >= KEPT:
                del self._reviews[next(iter(self._reviews))]
            self._reviews[name] = table.log.version, review
            self._running[name] = asyncio.create_task(self._run(table, judge, review))
        return review

    def find(self, table: Table) -> dict[str, Any] | None:
        """The review of a game as it stands, if it was begun."""
        version, review = self._reviews.get(table.facts.id, (None, None))
        return review if version == table.log.version else None

    def close(self) -> None:
        """Stop them all."""
        for task in self._running.values():
            task.cancel()

    async def _run(self, table: Table, judge: Agent, review: dict[str, Any]) -> None:
        try:
            await self._grade(table, judge, review)
            review["state"] = "done"
        except (ThoughtError, ValueError) as error:
            review.update(state="failed", detail=str(error))
        except (WorkerLostError, RuntimeError):
            review.update(state="failed", detail="the reviewer failed: try again")
        finally:
            if self._running.get(table.facts.id) is asyncio.current_task():
                del self._running[table.facts.id]

    async def _grade(self, table: Table, judge: Agent, review: dict[str, Any]) -> None:
        """Grade one move after the other."""
        log, over, returns = table.log, table.log.now.over, table.log.now.returns
        course = table.course._replace(actions=list(log.actions), movers=list(log.movers))
        names, looker = list(log.names), table.you
        states = list(log.states[: len(course.actions)])
        seen = await self._tables.referee.call("views", table.facts.variant, states, course.movers) if states else []
        for ply, (view, mover, action) in enumerate(zip(seen, course.movers, course.actions, strict=True)):
            so_far = course._replace(actions=course.actions[:ply], movers=course.movers[:ply])
            question = Question(so_far, view, mover, looker, action)
            judged = await self._tables.thinkers.judge(judge, question, lambda what: None)
            value = judged["value"]
            graded = {"ply": ply + 1, "before": ply, "seat": mover, "name": names[ply], "value": value}
            review["moves"].append(graded | judged["played"])
            if value is not None:
                review["values"].append({"ply": ply, "value": value})
            review["done"] = ply + 1
        if over:
            seat = looker if table.facts.hidden and looker is not None else 0
            review["values"].append({"ply": len(course.actions), "value": max(-1.0, min(1.0, returns[seat]))})


def as_json(review: dict[str, Any]) -> str:
    """A review as it is told."""
    return json.dumps(review, separators=(",", ":"))
