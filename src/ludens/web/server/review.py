"""Judgement at a table: analyses, hints and reviews, by whom and of what.

Nobody is told more than they may know: where facts are hidden, only the person whose turn it is hears about the
position, judged from what that person sees. A review looks at a game again, move by move, in the background and one
position at a time, so that others are not kept waiting. It is of the game as it stands: if that goes on or back, the
next who asks starts another.
"""

import asyncio
from typing import Any

from ludens.web.opponents import PERFECT, label
from ludens.web.protocol import AgentId, Question, WorkerLostError
from ludens.web.server.agents import JUDGE, AgentError, Tell
from ludens.web.server.schemas import RefusedError
from ludens.web.server.table import Table
from ludens.web.server.tables import Tables

HIDDEN = "Nothing is said while hands are hidden."
KEPT = 50
"""Reviews that are remembered."""


async def adviser(tables: Tables, table: Table, by: str | None) -> AgentId:
    """Who is asked: the one named, else an oracle if there is one, else the opponent (the mover where one only looks
    on), else the strongest there is. ValueError if the one named cannot play.
    """
    variant = table.facts.variant
    if by is not None:
        return await tables.agent(variant, by) or AgentId(variant, by, by, 0)
    strongest = await tables.judge(variant)
    if strongest.spec == PERFECT:
        return strongest
    chairs, mover = table.facts.chairs, table.log.now.mover
    around = [chairs[(mover + offset) % len(chairs)] for offset in range(1, len(chairs) + 1)]
    asked = reversed(around) if not table.persons else around
    return next((chair.agent for chair in asked if chair.agent is not None), strongest)


async def analysis(tables: Tables, table: Table, by: str | None, tell: Tell) -> dict[str, Any] | None:
    """What is told of the position now; None if there is nothing to say."""
    now, version = table.log.now, table.log.version
    if now.over or (table.persons and now.mover not in table.persons):
        return None
    agent = await adviser(tables, table, by)
    told = {"type": "analysis", "version": version, "by": agent.spec, "label": named(agent)}
    if table.facts.hidden and not table.persons:
        return told | {"kind": "value", "moves": [], "value": None, "text": HIDDEN, "exact": False}
    question = Question(table.course, now.view, now.mover, table.you)
    judged: dict[str, Any] = await tables.agents.ask(JUDGE, agent, question, tell)
    return told | judged


async def hint(tables: Tables, table: Table, tell: Tell) -> dict[str, Any]:
    """The move that the strongest would play; `RefusedError` if it is not a person's turn."""
    now, version = table.log.now, table.log.version
    if now.over or now.mover not in table.persons:
        raise RefusedError("it is not your turn: expected to be asked for a hint when it is")
    agent = await tables.judge(table.facts.variant)
    question = Question(table.course, now.view, now.mover, table.you)
    judged = await tables.agents.ask(JUDGE, agent, question, tell)
    move = next(move for move in judged["moves"] if move["best"])
    told = {"action": move["action"], "name": move["name"], "text": move["text"], "by": named(agent)}
    return {"type": "hint", "version": version, **told}


def named(agent: AgentId) -> str:
    """Who judges, in words."""
    return "Perfect play" if agent.spec == PERFECT else label(agent.variant.game, agent.spec)


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
        for task in self._running.values():
            task.cancel()

    async def _run(self, table: Table, judge: AgentId, review: dict[str, Any]) -> None:
        try:
            await self._grade(table, judge, review)
            review["state"] = "done"
        except (AgentError, ValueError) as error:
            review.update(state="failed", detail=str(error))
        except (WorkerLostError, RuntimeError):
            review.update(state="failed", detail="the reviewer failed: try again")
        finally:
            if self._running.get(table.facts.id) is asyncio.current_task():
                del self._running[table.facts.id]

    async def _grade(self, table: Table, judge: AgentId, review: dict[str, Any]) -> None:
        log, over, returns = table.log, table.log.now.over, table.log.now.returns
        course, names, looker = table.course, list(log.names), table.you
        states = log.states[: len(course.actions)]
        seen = await self._tables.rules.call("rules.views", table.facts.variant, states, course.movers)
        for ply, (view, mover, action) in enumerate(zip(seen, course.movers, course.actions, strict=True)):
            so_far = course._replace(actions=course.actions[:ply], movers=course.movers[:ply])
            question = Question(so_far, view, mover, looker, action)
            judged = await self._tables.agents.ask(JUDGE, judge, question, lambda what: None)
            value = judged["value"]
            graded = {"ply": ply + 1, "before": ply, "seat": mover, "name": names[ply], "value": value}
            review["moves"].append(graded | judged["played"])
            if value is not None:
                review["values"].append({"ply": ply, "value": value})
            review["done"] = ply + 1
        if over:
            seat = looker if table.facts.hidden and looker is not None else 0
            review["values"].append({"ply": len(course.actions), "value": max(-1.0, min(1.0, returns[seat]))})
