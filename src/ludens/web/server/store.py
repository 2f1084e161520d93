"""What is kept of the games played on the page, and the book they are kept in: one SQLite file, one row for a table.

A row has what never changes (`facts`: game, variant, seats, seed, start) and the game so far (`course`: acts and what
fate did), as JSON, written before anybody sees an act. That is all that a game needs to go on after the server was
ended, however that happened. Rows that many tables write at the same time go into the file together.
"""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ludens.web.protocol import Act, AgentId, Begun, Resumed, TablePosition, Variant

KEPT = ("title", "seed", "stream", "start", "can_undo", "hidden", "labelled", "given")
"""Facts that the book has as they are."""
APPLICATION = 0x4C75446E
"""`LuDn`: marks the file as ours."""
VERSION = 1
"""Goes up whenever a file would be read differently."""
SCHEMA = """
CREATE TABLE tables (
    id TEXT PRIMARY KEY,
    facts TEXT NOT NULL,
    course TEXT NOT NULL,
    ply INTEGER NOT NULL,
    over INTEGER NOT NULL,
    result TEXT,
    updated REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX newest ON tables (updated DESC);
"""
COLUMNS = "id, facts, course, ply, over, result, updated"
T = TypeVar("T")


@dataclass(frozen=True)
class Chair:
    """A seat and who sits there."""

    name: str
    spec: str | None  # of an agent; None for a person
    label: str
    agent: AgentId | None = None  # who thinks there; None for persons and for those who play at random

    @property
    def is_person(self) -> bool:
        return self.spec is None


@dataclass
class TableFacts:
    """What never changes about a table."""

    id: str
    variant: Variant
    title: str
    chairs: list[Chair]
    seed: int
    stream: int
    start: str
    can_undo: bool
    hidden: bool
    labelled: bool  # whether somebody gave the table its title
    given: bool  # whether it began from a given position

    @classmethod
    def read(cls, table: str, variant: Variant, chairs: list[Chair], told: dict[str, Any]) -> "TableFacts":
        kept = {name: told[name] for name in KEPT}
        return cls(id=table, variant=variant, chairs=chairs, **kept)

    @property
    def seats(self) -> list[dict[str, Any]]:
        """Who sits where, as the page is told."""
        return [
            {
                "seat": seat,
                "name": chair.name,
                "kind": "person" if chair.is_person else "agent",
                "spec": chair.spec,
                "label": chair.label,
            }
            for seat, chair in enumerate(self.chairs)
        ]

    @cached_property
    def written(self) -> str:
        """As the book keeps them."""
        told = {"game": self.variant.game, "variant": dict(self.variant.fields), "seats": self.seats}
        return json.dumps(told | {name: getattr(self, name) for name in KEPT})


@dataclass
class GameLog:
    now: TablePosition
    states: list[bytes]  # before the first act, and after each
    outcomes: list[list[int]]  # what fate did before the first act, and after each
    actions: list[int] = field(default_factory=list)
    movers: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    past: list[dict[str, Any]] = field(default_factory=list)  # each act as the page is told of it
    taken_back: list[int] = field(default_factory=list)
    """Plies at which a move was taken back, where that is not quite fair."""
    version: int = 0  # goes up with every change

    @classmethod
    def begun(cls, begun: Begun) -> "GameLog":
        """A game that has just begun, with the moves of its transcript."""
        log = cls(begun.first, [begun.first.state], [begun.outcomes])
        for act in begun.acts:
            log.add(act)
        return log

    @classmethod
    def resumed(cls, resumed: Resumed, course: dict[str, Any]) -> "GameLog":
        """A game from the book, played again."""
        log = cls(
            now=resumed.now,
            states=resumed.states,
            outcomes=course["outcomes"],
            actions=course["actions"],
            taken_back=course["taken_back"],
            version=course["version"],
        )
        for mover, name in zip(resumed.movers, resumed.names, strict=True):
            log._name(mover, name)
        return log

    def add(self, act: Act) -> None:
        """One act more."""
        self.actions.append(act.action)
        self._name(self.now.mover, act.name)
        self.outcomes.append(act.outcomes)
        self.states.append(act.now.state)
        self.now = act.now
        self.version += 1

    def cut(self, ply: int) -> None:
        """Back to where so many acts had been made; `now` must be shown anew."""
        del self.actions[ply:], self.movers[ply:], self.names[ply:], self.past[ply:]
        del self.outcomes[ply + 1 :], self.states[ply + 1 :]

    def _name(self, mover: int, name: str) -> None:
        """Write down who made the next act, and what it is called."""
        again = {"taken_back": True} if len(self.movers) in self.taken_back else {}
        self.movers.append(mover)
        self.names.append(name)
        self.past.append({"ply": len(self.movers), "seat": mover, "name": name, **again})

    def written(self) -> str:
        """As the book keeps it."""
        kept = {"actions": self.actions, "outcomes": self.outcomes, "taken_back": self.taken_back}
        return json.dumps(kept | {"version": self.version}, separators=(",", ":"))


class StoredTable(NamedTuple):
    """A table as it is kept."""

    id: str
    facts: str
    course: str
    ply: int
    over: bool
    result: str | None
    updated: float


class Store:
    """The file, opened; ValueError if it is not ours. Everything is done in one thread of its own."""

    def __init__(self, path: Path) -> None:
        self._thread = ThreadPoolExecutor(1, "store")
        self._waiting: dict[str, StoredTable] = {}
        self._written: asyncio.Future[None] | None = None
        self._database = self._thread.submit(_opened, path).result()

    async def save(self, row: StoredTable) -> None:
        """Write a row, new or in place of what the table had; returns once it is in the file."""
        self._waiting[row.id] = row
        if self._written is None:
            self._written = asyncio.ensure_future(self._write())
        await asyncio.shield(self._written)

    async def find(self, table: str) -> StoredTable | None:
        found: list[StoredTable] = await self._in_thread(lambda: self._read("WHERE id = ?", table))
        return found[0] if found else None

    async def newest(self, most: int) -> list[StoredTable]:
        """The rows written last, the last first."""
        return await self._in_thread(lambda: self._read("ORDER BY updated DESC LIMIT ?", most))

    async def delete(self, table: str) -> None:
        def delete() -> None:
            with self._database:
                self._database.execute("DELETE FROM tables WHERE id = ?", (table,))

        await self._in_thread(delete)

    def close(self) -> None:
        """Close the file once everything is written."""
        self._thread.submit(self._database.close).result()
        self._thread.shutdown()

    async def _write(self) -> None:
        """Write what waits; what is saved meanwhile waits for the next time."""
        await asyncio.sleep(0)  # all that is saved in this round of the loop goes together
        rows, self._waiting, self._written = list(self._waiting.values()), {}, None

        def write() -> None:
            with self._database:
                places = ", ".join("?" * len(StoredTable._fields))
                self._database.executemany(f"INSERT OR REPLACE INTO tables ({COLUMNS}) VALUES ({places})", rows)

        await self._in_thread(write)

    def _read(self, rest: str, *values: Any) -> list[StoredTable]:
        found = self._database.execute(f"SELECT {COLUMNS} FROM tables {rest}", values)
        return [StoredTable(*row)._replace(over=bool(row[4])) for row in found]

    async def _in_thread(self, function: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)


def _opened(path: Path) -> sqlite3.Connection:
    """The database in the file, made if there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path, isolation_level="IMMEDIATE", timeout=10)
    try:
        (application,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and application != APPLICATION:
            raise ValueError(f"'{path}' is not a book of games: expected one that `ludens serve` made")
        if tables and version != VERSION:
            raise ValueError(f"'{path}' is a book of version {version}: expected {VERSION}, as this version writes")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")  # safe when a process dies; a power cut may cost the last acts
        if not tables:
            database.executescript(
                f"BEGIN; {SCHEMA} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT;"
            )
    except sqlite3.DatabaseError as error:
        database.close()
        raise ValueError(f"'{path}' cannot be opened as a book of games: {error}") from None
    except ValueError:
        database.close()
        raise
    return database
