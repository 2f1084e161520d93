"""The book of games played on the page: one SQLite file, one row for each table, written before anybody sees an act.

A row has what never changes (`facts`: game, variant, seats, seed, start) and the game so far (`course`: acts and what
fate did), as JSON. That is all that a game needs to go on after the server was ended, however that happened. Rows that
many tables write at the same time go into the file together.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

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


class Row(NamedTuple):
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
        self._waiting: dict[str, Row] = {}
        self._written: asyncio.Future[None] | None = None
        self._database = self._thread.submit(_opened, path).result()

    async def save(self, row: Row) -> None:
        """Write a row, new or in place of what the table had; returns once it is in the file."""
        self._waiting[row.id] = row
        if self._written is None:
            self._written = asyncio.ensure_future(self._write())
        await asyncio.shield(self._written)

    async def find(self, table: str) -> Row | None:
        """The row of a table."""
        found: list[Row] = await self._in_thread(lambda: self._read("WHERE id = ?", table))
        return found[0] if found else None

    async def newest(self, most: int) -> list[Row]:
        """The rows written last, the last first."""
        return await self._in_thread(lambda: self._read("ORDER BY updated DESC LIMIT ?", most))

    async def delete(self, table: str) -> None:
        """Forget a table."""

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
                places = ", ".join("?" * len(Row._fields))
                self._database.executemany(f"INSERT OR REPLACE INTO tables ({COLUMNS}) VALUES ({places})", rows)

        await self._in_thread(write)

    def _read(self, rest: str, *values: Any) -> list[Row]:
        found = self._database.execute(f"SELECT {COLUMNS} FROM tables {rest}", values)
        return [Row(*row)._replace(over=bool(row[4])) for row in found]

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
