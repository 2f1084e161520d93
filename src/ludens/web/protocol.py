"""The border between the web process and its workers: what they say to each other, and how a call travels.

The web process must never import JAX; a worker does. So nothing here knows JAX, and a state of a game travels as bytes:
whoever holds it need not understand it.

A worker calls functions of `ludens.web.worker` when asked. Calls without a lane are made one after the other, as fast
as they can be; each lane is a thread beside them, for what takes long and holds nothing else up (compiling lets other
threads run). A function that takes `tell` can say how far it is. A ValueError is a refusal with its sentence; anything
else is a mistake of ours, and is logged. A worker ends with the process that started it, however that ends.
"""

import asyncio
import logging
import os
import signal
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from inspect import signature
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from ludens.core.compiling import loops_in_one_kernel

WORKER = "ludens.web.worker"
"""Where the functions are that can be called."""
DONE, REFUSED, FAILED, TOLD = range(4)
LOGGER = logging.getLogger("ludens.web")
Tell = Callable[[Any], None]


class Variant(NamedTuple):
    """A game with its variant, in a form that can be compared and sent."""

    game: str  # the game's id
    fields: tuple[tuple[str, Any], ...]
    """The fields that make the variant, all of them, by name; lists are tuples here."""


class Course(NamedTuple):
    """A game so far, as far as showing it needs it."""

    seed: int
    stream: int  # of what is random from the first act on
    actions: Sequence[int]
    movers: Sequence[int]  # who made each act
    persons: Sequence[int]  # seats where people sit

    def looker(self, mover: int) -> int | None:
        """Whose eyes the table is shown to: the person to move, or else the first; None if only agents play."""
        return mover if mover in self.persons else self.persons[0] if self.persons else None


class Ask(NamedTuple):
    """An act that somebody wants to make."""

    course: Course
    state: bytes  # where
    mover: int  # who
    action: int | None  # what; None: any legal act, drawn by the game's own lots
    answering: Sequence[int]
    """Seats of agents that play at random: they go on at once, for as long as it is their turn."""


class Act(NamedTuple):
    """An act that was made."""

    action: int
    name: str
    outcomes: list[int]  # what fate did after it
    now: "TablePosition"


class TablePosition(NamedTuple):
    """Where a game stands, and how it looks."""

    state: bytes
    view: bytes  # the state as the mover knows it
    mover: int
    over: bool
    returns: list[float]
    shown: dict[str, Any]  # what the page is told of it, as JSON has it


class Begun(NamedTuple):
    """A table that was laid."""

    title: str
    names: list[str]  # what seats are called
    can_undo: bool
    hidden: bool
    start: str  # the position as it was dealt or given, by `game.show`
    stream: int
    outcomes: list[int]  # what fate did before the first act
    first: TablePosition
    acts: list[Act]  # those that a transcript brought along


class Resumed(NamedTuple):
    """A game that was played again from what was written down."""

    names: list[str]  # what each act is called
    movers: list[int]
    states: list[bytes]  # before the first act, and after each
    now: TablePosition


class AgentId(NamedTuple):
    """An agent that plays one variant."""

    variant: Variant
    spec: str  # as the page writes it: `run:NAME`
    path: str  # as players are made: `run:FOLDER/NAME`
    stamp: int  # which state of a learned agent's weights; 0 for the others


class Question(NamedTuple):
    """A position that an agent is to judge, as its mover knows it."""

    course: Course
    view: bytes
    mover: int
    looker: int | None  # for whom a judgement counts: seat 0 if nobody in particular
    played: int | None = None  # the act to be graded


class WorkerLostError(Exception):
    """The process is gone, ended from outside or by a fault of its own."""


class Worker:
    """A process that calls functions; it imports `module` before the first call, which may take seconds."""

    def __init__(self, module: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[int, tuple[asyncio.Future[Any], Tell | None]] = {}
        self._number = 0
        self.alive = True
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, module), daemon=True)
        self._process.start()
        theirs.close()
        threading.Thread(target=self._listen, daemon=True).start()

    async def call(self, function: str, *args: Any, lane: str | None = None, tell: Tell | None = None) -> Any:
        """What `function`, such as `rules.advance`, returns; ValueError if it refuses, WorkerLostError if it dies."""
        if not self.alive:
            raise WorkerLostError(f"the worker that should answer '{function}' is gone")
        self._number += 1
        number, answer = self._number, self._loop.create_future()
        self._waiting[number] = answer, tell
        try:
            self._pipe.send((number, function, args, lane))
        except OSError:
            self._lost()
        try:
            return await answer
        finally:
            self._waiting.pop(number, None)

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self.alive = False
        self._process.kill()

    def _listen(self) -> None:
        """In a thread: hand on what comes back until nothing more can."""
        try:
            while True:
                self._loop.call_soon_threadsafe(self._settle, *self._pipe.recv())
        except (EOFError, OSError, RuntimeError):  # it is gone, or the loop is
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._lost)
        self._process.join()

    def _settle(self, number: int, kind: int, content: Any) -> None:
        answer, tell = self._waiting.get(number, (None, None))
        if answer is None or answer.done():
            return
        if kind == TOLD:
            if tell:
                tell(content)
        elif kind == DONE:
            answer.set_result(content)
        elif kind == REFUSED:
            answer.set_exception(ValueError(content))
        else:
            LOGGER.error("a worker failed:\n%s", content)
            answer.set_exception(RuntimeError(content.strip().rpartition("\n")[2]))

    def _lost(self) -> None:
        self.alive = False
        for answer, _ in list(self._waiting.values()):
            if not answer.done():
                answer.set_exception(WorkerLostError("the worker was lost"))


def work(pipe: "Connection[Any, Any]", module: str) -> None:
    """The life of a worker, in its process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the server, which then ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    loops_in_one_kernel()  # a search for one table is one loop
    import_module(f"{WORKER}.{module}")
    sending = threading.Lock()
    lanes: dict[str, ThreadPoolExecutor] = {}

    def answer(number: int, kind: int, content: Any) -> None:
        with sending:
            pipe.send((number, kind, content))

    def run(number: int, name: str, args: tuple[Any, ...]) -> None:
        try:
            module, _, what = name.partition(".")
            function = getattr(import_module(f"{WORKER}.{module}"), what)
            tells = "tell" in signature(function).parameters
            told = {"tell": lambda content: answer(number, TOLD, content)} if tells else {}
            answer(number, DONE, function(*args, **told))
        except ValueError as error:
            answer(number, REFUSED, str(error))
        except Exception:  # whatever it is, the others must go on
            answer(number, FAILED, traceback.format_exc())

    while True:
        try:
            number, name, args, lane = pipe.recv()
        except EOFError:
            os._exit(0)  # whatever still runs, nobody waits for it
        if lane is None:
            run(number, name, args)
        else:
            lanes.setdefault(lane, ThreadPoolExecutor(1)).submit(run, number, name, args)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(0)
