"""A table: one game that is being played, who sits there, and who looks on.

The table holds the game as the rules worker left it and never looks inside. Whatever changes it goes through one lock:
an act is made by the worker, written into the book, and only then told to everybody. An agent whose turn it is thinks
outside the lock; if the game has gone elsewhere meanwhile (a move was taken back), its act is dropped.
"""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ludens.web.opponents import RANDOM
from ludens.web.protocol import Ask, Course, Question, TablePosition, WorkerLostError
from ludens.web.server.agents import DECIDE, AgentError, AgentPool
from ludens.web.server.rules import Rules
from ludens.web.server.schemas import RefusedError
from ludens.web.server.store import Chair, GameLog, Store, StoredTable, TableFacts

LONGEST_DELAY = 60.0


class Table:
    """A game at a table. `tell` and `forget` of the listeners are those of the sockets that are open."""

    def __init__(self, facts: TableFacts, log: GameLog, rules: Rules, agents: AgentPool, store: Store) -> None:
        self.facts, self.log = facts, log
        self._rules, self._agents, self._store = rules, agents, store
        self._lock = asyncio.Lock()
        self._answering: asyncio.Task[None] | None = None
        self.listeners: set[Callable[[str], None]] = set()
        """Each is told every message."""
        self.moved: set[Callable[[], None]] = set()
        """Each is called after every change."""
        self.leaving: set[Callable[[], None]] = set()
        """Each is called when the table is no more."""
        self.thinking: dict[str, Any] | None = None
        self.running, self.delay = False, 1.0
        self.used = time.monotonic()
        self.persons = [seat for seat, chair in enumerate(facts.chairs) if chair.is_person]
        self._at_random = [seat for seat, chair in enumerate(facts.chairs) if chair.spec == RANDOM]
        self._described = {
            "type": "state",
            "table": facts.id,
            "game": facts.variant.game,
            "variant": dict(facts.variant.fields),
            "title": facts.title,
            "seats": facts.seats,
            "undo_label": "Undo" if facts.can_undo else "Take back",
        }

    # ------------------------------------------------------------------ what is told

    @property
    def you(self) -> int | None:
        """The person who looks: the one to move, or the first."""
        return self.course.looker(self.log.now.mover)

    @property
    def course(self) -> Course:
        """The game so far, for the workers; it stays as it is, whatever is played meanwhile."""
        log = self.log
        return Course(self.facts.seed, self.facts.stream, list(log.actions), list(log.movers), self.persons)

    async def state(self) -> dict[str, Any]:
        """The state of the table, once all of it is written down."""
        async with self._lock:
            return self.message()

    async def join(self, listener: Callable[[str], None]) -> None:
        """Tell somebody the state now, and everything that comes after it."""
        async with self._lock:
            listener(as_json(self.message()))
            self.listeners.add(listener)

    def message(self) -> dict[str, Any]:
        """The state of the table as the page is told of it."""
        return self._message(self.log.now, len(self.log.actions), self.log.version)

    def _message(self, now: TablePosition, ply: int, version: int) -> dict[str, Any]:
        """The state at one act."""
        return {
            **self._described,
            "version": version,
            "you": self.course.looker(now.mover),
            "can_undo": self._undo_to(ply) is not None,
            "practice": bool(self.log.taken_back),
            "thinking": self.thinking,
            "running": self.running,
            "delay": self.delay,
            "history": self.log.past[:ply],
            **now.shown,
        }

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message to everybody at the table; it becomes JSON once, here."""
        if self.listeners:
            text = as_json(message)
            for listener in list(self.listeners):
                listener(text)

    # ------------------------------------------------------------------ what persons do

    async def move(self, action: int, version: int) -> None:
        """A person's act; `RefusedError` if it comes too late or cannot be."""
        async with self._lock:
            if self.log.now.over:
                raise RefusedError("the game is over: expected no more moves")
            if version != self.log.version:
                raise RefusedError("the move came too late, the table has changed: expected one for what it shows now")
            if self.log.now.mover not in self.persons:
                raise RefusedError("it is not your turn: expected a move when the other side has made one")
            await self._act(action)
        self.wake()

    async def undo(self) -> None:
        """Back to the last decision of a person before this one."""
        async with self._lock:
            ply = self._undo_to(len(self.log.actions))
            if ply is None:
                raise RefusedError("there is nothing to take back: expected a move of yours before")
            states = self.log.states[max(0, ply - 1) : ply + 1]
            course = self.course._replace(actions=self.log.actions[:ply], movers=self.log.movers[:ply])
            now = await self._rules.call("rules.show", self.facts.variant, course, states)
            self.log.cut(ply)
            self.log.now = now
            self.log.version += 1
            self.thinking = None
            if not self.facts.can_undo and ply not in self.log.taken_back:
                self.log.taken_back.append(ply)
            await self._save()
            self._changed([self.message()])
        self.wake()

    def _undo_to(self, ply: int) -> int | None:
        """The ply of a person's last decision before this one; None if there is none."""
        movers = self.log.movers
        return next((place for place in range(ply - 1, -1, -1) if movers[place] in self.persons), None)

    # ------------------------------------------------------------------ what onlookers do

    def run(self, delay: float) -> None:
        """Let the agents play on, with a pause after each act."""
        self._only_watching()
        self.running, self.delay = True, max(0.0, min(LONGEST_DELAY, delay))
        self.tell(self.message())
        self.wake()

    def pause(self) -> None:
        """Let them stop after the act they think about now."""
        self._only_watching()
        self.running = False
        self.tell(self.message())

    def step(self) -> None:
        """Let them make one act."""
        self._only_watching()
        if self._busy:
            raise RefusedError("an agent is at it already: expected a step when it has moved")
        self._answering = asyncio.create_task(self._answer(once=True))

    def _only_watching(self) -> None:
        if self.persons:
            raise RefusedError("people play at this table: expected one where only agents do")
        if self.log.now.over:
            raise RefusedError("the game is over: expected no more moves")

    # ------------------------------------------------------------------ what agents do

    def wake(self) -> None:
        """Let whoever is to move think, if it is an agent and the game goes on."""
        self.used = time.monotonic()
        goes_on = bool(self.persons) or self.running
        if goes_on and not self._busy and self._agent_to_move():
            self._answering = asyncio.create_task(self._answer())

    async def prepare(self, chair: Chair) -> None:
        """Make an agent ready before its first turn; what is wrong with it shows when that comes."""
        if chair.agent is not None:
            with suppress(ValueError, AgentError, RuntimeError):
                await self._agents.prepare(chair.agent, DECIDE, lambda what: None)

    def close(self) -> None:
        self.running = False
        if self._answering:
            self._answering.cancel()

    @property
    def busy(self) -> bool:
        """Whether somebody thinks, or looks on."""
        return self._busy or bool(self.listeners)

    @property
    def _busy(self) -> bool:
        return self._answering is not None and not self._answering.done()

    def _agent_to_move(self) -> bool:
        return not self.log.now.over and not self.facts.chairs[self.log.now.mover].is_person

    async def _answer(self, *, once: bool = False) -> None:
        """Agents' acts until it is a person's turn, or the onlookers' pause."""
        try:
            while self._agent_to_move():
                if not self.persons and not once and (not self.running or not self.listeners):
                    self.running = False
                    break
                begun = time.monotonic()
                await self._agents_act()
                if once:
                    break
                if not self.persons:
                    await asyncio.sleep(max(0.0, self.delay - (time.monotonic() - begun)))
        except (RefusedError, AgentError, ValueError, WorkerLostError, RuntimeError) as error:
            told = isinstance(error, RefusedError | AgentError | ValueError)
            sentence = str(error) if told else "the agent failed; try again"
            self.running, self.thinking = False, None
            self.tell({"type": "error", "detail": sentence})
            self.tell(self.message())

    async def _agents_act(self) -> None:
        """One act of the agent to move (with the random answers to it), unless the table changes meanwhile."""
        log, now, version = self.log, self.log.now, self.log.version
        chair, action = self.facts.chairs[now.mover], None
        if chair.agent is not None:
            question = Question(self.course, now.view, now.mover, None)
            action = await self._agents.ask(DECIDE, chair.agent, question, lambda what: self._think(now.mover, what))
        async with self._lock:
            if log.version == version:
                self.thinking = None
                await self._act(action)

    def _think(self, seat: int, what: str) -> None:
        self.thinking = {"seat": seat, "what": what}
        self.tell({"type": "thinking", **self.thinking})

    # ------------------------------------------------------------------ acts

    async def _act(self, action: int | None) -> None:
        """Make an act and those that answer it at once, write them down, and tell them one by one."""
        log = self.log
        answering = self._at_random if self.persons else ()
        ask = Ask(self.course, log.now.state, log.now.mover, action, answering)
        try:
            made = await self._rules.act(self.facts.variant, ask)
        except ValueError as error:
            raise RefusedError(str(error)) from None
        for act in made:
            log.add(act)
        await self._save()
        ply, version = len(log.actions) - len(made), log.version - len(made)
        seen = enumerate(made, start=1) if self.listeners else ()
        self._changed([self._message(act.now, ply + n, version + n) for n, act in seen])

    def _changed(self, messages: list[dict[str, Any]]) -> None:
        for message in messages:
            self.tell(message)
        for each in list(self.moved):
            each()

    async def _save(self) -> None:
        self.used = time.monotonic()
        await self._store.save(self.row())

    def row(self) -> StoredTable:
        """The table as the book keeps it."""
        now = self.log.now
        text = now.shown["result"]["text"] if now.over else None
        return StoredTable(
            self.facts.id, self.facts.written, self.log.written(), len(self.log.actions), now.over, text, time.time()
        )


def as_json(message: dict[str, Any]) -> str:
    """As it goes over a socket."""
    return json.dumps(message, separators=(",", ":"))
