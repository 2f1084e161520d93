"""A table's socket: what a person's page says, and what it is told.

Everything that a page is told goes through a queue of its own, so that one slow line holds nobody up; a line that falls
far behind is closed, and its page comes back to the newest state.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ludens.web.protocol import WorkerLostError
from ludens.web.server import review
from ludens.web.server.agents import AgentError
from ludens.web.server.middleware import note, one_line
from ludens.web.server.schemas import RefusedError
from ludens.web.server.table import Table, as_json
from ludens.web.server.tables import Tables

LARGEST_MESSAGE = 16 * 1024
FAR_BEHIND = 500
"""Messages that may wait for a line."""
LATER, GONE, TOO_BIG = 1013, 1001, 1009
PROGRESS = ("compiling", "solving")
WHOLE = lambda value: type(value) is int and 0 <= value < 2**31, "a whole number from 0"
FLAG = lambda value: type(value) is bool, "true or false"
SPEC = lambda value: value is None or type(value) is str, "a spec or null"
SECONDS = lambda value: type(value) in (int, float) and 0 <= value < 1e6, "a number of seconds"
"""What a field of a message may be, and what is said if it is not."""
EXPECTED = "move, undo, analyse, hint, run, pause, step or ping"


class TableSocket:
    def __init__(self, socket: WebSocket, table: Table, tables: Tables) -> None:
        self._socket, self._table, self._tables = socket, table, tables
        self._outbox: asyncio.Queue[str | None] = asyncio.Queue(FAR_BEHIND)
        self._tasks: set[asyncio.Task[None]] = set()
        self._analysing: asyncio.Task[None] | None = None
        self._by: str | None = None
        self._on = False

    async def serve(self) -> None:
        """Everything from the first state to the end of the line."""
        table = self._table
        await self._socket.accept()
        await table.join(self.put)
        table.moved.add(self._moved)
        table.leaving.add(self._leave)
        sending = asyncio.create_task(self._send())
        table.wake()
        try:
            while True:
                text = await self._socket.receive_text()
                if len(text) > LARGEST_MESSAGE:
                    note(self._socket.scope, 413, "a message is too large")
                    await self._socket.close(TOO_BIG, f"expected {LARGEST_MESSAGE:,} letters at most")
                    break
                await self._hear(text)
        except (WebSocketDisconnect, KeyError):  # KeyError: bytes came where text was expected
            pass
        finally:
            table.listeners.discard(self.put)
            table.moved.discard(self._moved)
            table.leaving.discard(self._leave)
            for task in (sending, self._analysing, *self._tasks):
                if task:
                    task.cancel()
            with suppress(RuntimeError, WebSocketDisconnect):  # it is closed already, as a rule
                await self._socket.close(GONE)

    def put(self, text: str) -> None:
        try:
            self._outbox.put_nowait(text)
        except asyncio.QueueFull:
            self._leave()

    def _leave(self) -> None:
        """End the line after what waits to be sent, or at once if that is too much."""
        while self._outbox.full():
            self._outbox.get_nowait()
        self._outbox.put_nowait(None)

    async def _send(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while (text := await self._outbox.get()) is not None:
                await self._socket.send_text(text)
            await self._socket.close(LATER)

    # ------------------------------------------------------------------ what is heard

    async def _hear(self, text: str) -> None:
        """Do what a message says, or say in one sentence why not."""
        try:
            await self._do(_message(text))
        except RefusedError as error:
            note(self._socket.scope, 409, str(error))
            self._refuse(error)
            self._say(await self._table.state())
        except ValueError as error:
            note(self._socket.scope, 422, str(error))
            self._refuse(error)
        except (WorkerLostError, RuntimeError):
            self._say({"type": "error", "detail": "the server lost its grip for a moment: try again"})
            self._say(await self._table.state())

    async def _do(self, told: dict[str, Any]) -> None:
        table = self._table
        match told.get("type"):
            case "move":
                await table.move(_field(told, "action", *WHOLE), _field(told, "version", *WHOLE))
            case "undo":
                await table.undo()
            case "analyse":
                self._on, self._by = _field(told, "on", *FLAG), _field(told, "by", *SPEC)
                self._moved()
            case "hint":
                task = asyncio.create_task(self._hint())
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            case "run":
                table.run(float(_field(told, "delay", *SECONDS)))
            case "pause":
                table.pause()
            case "step":
                table.step()
            case "ping":
                self._say({"type": "pong"})
            case other:
                raise ValueError(f"a message has the type {str(other)[:40]!r}: expected {EXPECTED}")

    def _say(self, message: dict[str, Any]) -> None:
        self.put(as_json(message))

    def _refuse(self, error: Exception) -> None:
        self._say({"type": "refused", "detail": one_line(error)})

    # ------------------------------------------------------------------ judgement

    def _moved(self) -> None:
        """Look at the new position if that is wanted; what is under way ends with a look at the newest."""
        if self._analysing and not self._analysing.done():
            return
        if self._on:
            self._analysing = asyncio.create_task(self._analyse())

    async def _analyse(self) -> None:
        looked_at: tuple[int, str | None] | None = None
        while self._on and looked_at != (self._table.log.version, self._by):
            looked_at = self._table.log.version, self._by
            told = await self._judged(review.analysis(self._tables, self._table, self._by, self._progress), ends=True)
            if told and self._on and looked_at == (self._table.log.version, self._by):
                self._say(told)

    async def _hint(self) -> None:
        told = await self._judged(review.hint(self._tables, self._table, self._progress))
        if told and told["version"] == self._table.log.version:
            self._say(told)

    async def _judged(self, judging: Awaitable[dict[str, Any] | None], *, ends: bool = False) -> dict[str, Any] | None:
        """What a judgement comes to; what goes wrong is said, and if `ends`, what is refused ends the analysis."""
        try:
            return await judging
        except (RefusedError, ValueError) as error:
            self._on = self._on and not ends
            self._refuse(error)
        except AgentError as error:
            self._say({"type": "error", "detail": str(error)})
        except (WorkerLostError, RuntimeError):
            self._say({"type": "error", "detail": "nobody could judge the position: try again"})
        return None

    def _progress(self, what: str) -> None:
        """Say that one has to wait, and why."""
        if what in PROGRESS:
            self._say({"type": "thinking", "seat": None, "what": what})


def _message(text: str) -> dict[str, Any]:
    """What a page says; ValueError unless it is an object in JSON."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("a message is not JSON: expected an object with a type") from None
    if not isinstance(told, dict):
        raise ValueError("a message is not an object: expected one with a type")
    return told


def _field(told: dict[str, Any], name: str, right: Callable[[Any], bool], expected: str) -> Any:
    if not right(told.get(name)):
        raise ValueError(f"'{name}' is not right in a {told['type']}: expected {expected}")
    return told.get(name)
