"""Where agents think: several processes, so that neither the page nor another table waits for them.

An agent lives in the process that compiled it. Compiling goes on beside thinking, so an agent that is being made ready
holds nobody up. A process that dies, or thinks about a move for longer than it may, is ended and replaced.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from ludens.web.protocol import AgentId, Question, Worker, WorkerLostError

PREPARING, THINKING = "preparing", "thinking"
"""Lanes of a process."""
DECIDE, JUDGE = "decide", "judge"
"""What agents do: functions of `worker/agents.py`."""
COMPILING_TAKES = 600.0
"""Seconds after which something must be wrong; solving a game takes two minutes."""

Tell = Callable[[str], None]
"""Is told what an agent does: `compiling`, `solving`, `thinking`."""


class AgentError(Exception):
    """An agent did not decide; the text is the sentence that people are told."""


class AgentPool:
    """All processes that think."""

    def __init__(self, count: int, patience: float) -> None:
        self._patience = patience
        self._workers: list[Worker | None] = [None] * count
        self._turns = [asyncio.Lock() for _ in range(count)]
        self._homes: dict[AgentId, int] = {}
        self._ready: dict[tuple[AgentId, str], asyncio.Future[None]] = {}

    def warm(self) -> None:
        """Start all processes: they import what they need before somebody waits for it."""
        for number in range(len(self._workers)):
            self._worker(number)

    async def prepare(self, agent: AgentId, task: str, tell: Tell) -> None:
        """Wait until an agent can `decide` or `judge`; ValueError if it cannot play, `AgentError` if that fails."""
        for _ in range(2):
            worker = self._worker(self._home(agent))
            key = agent, task
            if key not in self._ready:
                preparing = worker.call("agents.prepare", agent, task, lane=PREPARING, tell=tell)
                self._ready[key] = asyncio.ensure_future(asyncio.wait_for(preparing, COMPILING_TAKES))
            ready = self._ready[key]
            if not ready.done():
                tell("compiling")
            try:
                await asyncio.shield(ready)
            except WorkerLostError:
                self._forget(key, ready)
            except TimeoutError:
                self._forget(key, ready)
                break
            except BaseException:
                if ready.done():
                    self._forget(key, ready)
                raise
            else:
                return
        raise AgentError(f"{agent.spec} could not be made ready: its process ended or took too long; try again")

    def close(self) -> None:
        for worker in self._workers:
            if worker:
                worker.kill()

    async def ask(self, task: str, agent: AgentId, question: Question, tell: Tell) -> Any:
        """The agent's act, or what it thinks of every legal one; `AgentError` if it does not come to that in time."""
        await self.prepare(agent, task, tell)
        home = self._home(agent)
        async with self._turns[home]:  # patience begins when the agent can begin
            await self.prepare(agent, task, tell)  # again if somebody before us used up the process's time
            tell("thinking")
            thought = self._worker(home).call(f"agents.{task}", agent, question, lane=THINKING)
            try:
                return await asyncio.wait_for(thought, self._patience)
            except TimeoutError:
                self._end(home)
                sentence = f"{agent.spec} thought for longer than {self._patience:g} seconds and was stopped"
                raise AgentError(sentence) from None
            except WorkerLostError:
                raise AgentError(f"{agent.spec} stopped thinking: its process ended; try again") from None

    def _forget(self, key: tuple[AgentId, str], ready: asyncio.Future[None]) -> None:
        if self._ready.get(key) is ready:
            del self._ready[key]

    def _home(self, agent: AgentId) -> int:
        """The process an agent lives in: where fewest do, if it is new."""
        if agent not in self._homes:
            crowd = Counter(self._homes.values())
            self._homes[agent] = min(range(len(self._workers)), key=lambda number: (crowd[number], number))
        return self._homes[agent]

    def _worker(self, number: int) -> Worker:
        """A process, a new one if it was lost; nobody lives there yet."""
        worker = self._workers[number]
        if worker is None or not worker.alive:
            worker = self._workers[number] = Worker("agents")
            for key in [key for key in self._ready if self._homes[key[0]] == number]:
                del self._ready[key]
        return worker

    def _end(self, number: int) -> None:
        """End a process and start another in its place."""
        worker = self._workers[number]
        if worker:
            worker.kill()
        self._worker(number)
