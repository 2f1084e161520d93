"""Asking for judgement at a table: analyses, hints and reviews, by whom and of what.

Nobody is told more than they may know: where facts are hidden, only the person whose turn it is hears about the
position, judged from what that person sees.
"""

from typing import Any

from ludens.web.exchange import Agent, Question
from ludens.web.ladder import label
from ludens.web.table import RefusedError, Table
from ludens.web.tables import Tables
from ludens.web.thinking import Tell

PERFECT = "optimal"
HIDDEN = "Nothing is said while hands are hidden."


async def adviser(tables: Tables, table: Table, by: str | None) -> Agent:
    """Who is asked: the one named, else an oracle if there is one, else the opponent (the mover where one only looks
    on), else the strongest there is. ValueError if the one named cannot play.
    """
    variant = table.facts.variant
    if by is not None:
        return await tables.agent(variant, by) or Agent(variant, by, by, 0)
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
    return told | await tables.thinkers.judge(agent, question, tell)


async def hint(tables: Tables, table: Table, tell: Tell) -> dict[str, Any]:
    """The move that the strongest would play; `RefusedError` if it is not a person's turn."""
    now, version = table.log.now, table.log.version
    if now.over or now.mover not in table.persons:
        raise RefusedError("it is not your turn: expected to be asked for a hint when it is")
    agent = await tables.judge(table.facts.variant)
    question = Question(table.course, now.view, now.mover, table.you)
    judged = await tables.thinkers.judge(agent, question, tell)
    move = next(move for move in judged["moves"] if move["best"])
    told = {"action": move["action"], "name": move["name"], "text": move["text"], "by": named(agent)}
    return {"type": "hint", "version": version, **told}


def named(agent: Agent) -> str:
    """Who judges, in words."""
    return "Perfect play" if agent.spec == PERFECT else label(agent.variant.game, agent.spec)
