"""The book of a tournament: one SQLite file that holds what is played and every game that was.

A game is named by its round and pairing, which is the primary key: none can be entered twice. Each is entered in a
transaction of its own as it ends, so a run that is killed at any moment leaves a sound file that lacks only the games
that were not over. The file is in write-ahead mode: others may read it while a tournament is running.

SQLite's `application_id` (the letters `Ludn`) says that a file is ours, `user_version` which layout it has. Both stand
in the first hundred bytes, which are read before SQLite sees the file, so that what is not ours is never touched.
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from ludens.arena.record import Record

APPLICATION = int.from_bytes(b"Ludn", "big")
VERSION = 1
MAGIC = b"SQLite format 3\0"
LAYOUT = """
CREATE TABLE tournament (            -- one row
    game     TEXT NOT NULL,          -- its id: othello
    variant  TEXT NOT NULL,          -- JSON object, the fields of the variant
    players  TEXT NOT NULL,          -- JSON list of specs; below, players are numbers into it
    seed     INTEGER NOT NULL,
    opening  INTEGER NOT NULL,       -- random plies before the players take over
    rounds   INTEGER NOT NULL        -- how many are to be played
);
CREATE TABLE games (
    round    INTEGER NOT NULL,       -- from 0
    pairing  INTEGER NOT NULL,       -- which table of the round, from 0
    seats    TEXT NOT NULL,          -- JSON list: the player at each seat
    returns  TEXT NOT NULL,          -- JSON list: the result of each seat, 0 everywhere in a draw
    turns    INTEGER NOT NULL,       -- actions in all
    record   TEXT NOT NULL,          -- JSON object: the whole game, to be replayed
    PRIMARY KEY (round, pairing)
);
"""


@dataclass(frozen=True)
class Terms:
    """What makes a tournament this one: with other terms it would be another."""

    game: str
    variant: Mapping[str, Any]
    """The fields of the variant, as JSON has them (lists, not tuples)."""
    players: tuple[str, ...]
    seed: int
    opening: int

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "players": list(self.players)}

    def __str__(self) -> str:
        options = "".join(f" {name}={value}" for name, value in self.variant.items())
        plies = f", opening {self.opening}" if self.opening else ""
        return f"{self.game}{options} between {', '.join(self.players)} (seed {self.seed}{plies})"


@dataclass(frozen=True)
class Fixture:
    """One game that is to be played."""

    round: int
    pairing: int
    """Which table, in the order in which `tournament.tables` lists them."""
    seats: tuple[int, ...]
    """The player at each seat, by number."""
    seed: int
    """Decides deal, opening, and all other chances of the game; below 2^32."""


@dataclass(frozen=True)
class Result:
    """What the standings need of a game."""

    round: int
    pairing: int
    seats: tuple[int, ...]
    returns: tuple[float, ...]
    turns: int


class Ledger:
    """An open book. Use it in a `with` statement, or close it."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self._path = connection, path
        with self._sound():
            # Safe when the program dies. When the machine does, the last games may be lost, but never the file.
            self._connection.execute("PRAGMA synchronous = NORMAL")
            (game, variant, players, seed, opening, rounds) = self._one_row("SELECT * FROM tournament")
        self.terms = Terms(game, json.loads(variant), tuple(json.loads(players)), seed, opening)
        self.rounds: int = rounds

    @classmethod
    def open(cls, path: Path, terms: Terms, rounds: int) -> Self:
        """The book at `path`, begun if there is none; more rounds than it has are added.

        ValueError if the file is not a book of ours, or one of another tournament; it is left as it was.
        """
        if not path.exists():
            _begin(path, terms, rounds)
        ledger = cls.read(path)
        try:
            ledger._continue(terms, rounds)
        except BaseException:
            ledger.close()
            raise
        return ledger

    @classmethod
    def read(cls, path: Path) -> Self:
        """The book at `path` as it is; ValueError if it is not one of ours."""
        _recognise(path)
        try:
            connection = sqlite3.connect(path, isolation_level=None)
        except sqlite3.Error as error:
            raise ValueError(f"{path} cannot be opened ({error}): expected a tournament's book") from None
        try:
            return cls(connection, path)
        except BaseException:
            connection.close()
            raise

    def enter(self, fixture: Fixture, record: Record) -> None:
        """Write a finished game down; one that is already there stays as it is."""
        row = (
            fixture.round,
            fixture.pairing,
            json.dumps(fixture.seats),
            json.dumps(record.returns),
            record.turns,
            json.dumps(record.to_dict()),
        )
        with self._sound(), self._transaction():
            self._connection.execute("INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?, ?, ?)", row)

    def played(self) -> set[tuple[int, int]]:
        """Round and pairing of every game entered."""
        with self._sound():
            return set(self._connection.execute("SELECT round, pairing FROM games"))

    def results(self) -> list[Result]:
        """Every game entered, in the order of the schedule."""
        with self._sound():
            rows = self._connection.execute(
                "SELECT round, pairing, seats, returns, turns FROM games ORDER BY round, pairing"
            )
            return [
                Result(number, pairing, tuple(json.loads(seats)), tuple(json.loads(returns)), turns)
                for number, pairing, seats, returns, turns in rows
            ]

    def record(self, number: int, pairing: int) -> Record:
        """The whole game of a round and pairing; ValueError if it is not entered."""
        with self._sound():
            found = self._connection.execute(
                "SELECT record FROM games WHERE round = ? AND pairing = ?", (number, pairing)
            ).fetchone()
        if found is None:
            raise ValueError(f"{self._path} has no game {pairing} in round {number}: expected one that was played")
        return Record.from_dict(json.loads(found[0]))

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _continue(self, terms: Terms, rounds: int) -> None:
        """Make sure that this is the tournament asked for, and as long."""
        if terms != self.terms:
            raise ValueError(f"{self._path} holds {self.terms}, not {terms}: expected the same or another --out")
        with self._sound():
            (reached,) = self._one_row("SELECT coalesce(max(round) + 1, 0) FROM games")
            if rounds < reached:
                raise ValueError(f"{self._path} has come to round {reached}: expected --rounds {reached} or more")
            if rounds != self.rounds:
                with self._transaction():
                    self._connection.execute("UPDATE tournament SET rounds = ?", (rounds,))
        self.rounds = rounds

    def _one_row(self, query: str) -> Any:
        row = self._connection.execute(query).fetchone()
        if row is None:
            raise sqlite3.DatabaseError("it names no tournament")
        return row

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """Inside, what SQLite finds wrong with the file becomes a sentence."""
        try:
            yield
        except sqlite3.Error as error:
            raise ValueError(f"{self._path} cannot be used ({error}): expected a sound, writable book") from None


def _recognise(path: Path) -> None:
    """ValueError unless `path` is a book in today's layout. Reads the first bytes only."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}): expected a tournament's book") from None
    if not head.startswith(MAGIC) or len(head) < 100:
        raise ValueError(f"{path} is no SQLite database: expected a tournament's book, or another --out")
    version, application = (int.from_bytes(head[at : at + 4], "big") for at in (60, 68))
    if application != APPLICATION:
        raise ValueError(f"{path} is a database of another program: expected a tournament's book, or another --out")
    if version != VERSION:
        raise ValueError(f"{path} has layout {version} of another Ludens: expected layout {VERSION}")


def _begin(path: Path, terms: Terms, rounds: int) -> None:
    """A new book without games. It appears whole: what is half made has another name."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(new, isolation_level=None)
        try:
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.executescript(LAYOUT)
            texts = json.dumps(terms.variant), json.dumps(terms.players)
            row = (terms.game, *texts, terms.seed, terms.opening, rounds)
            connection.execute("INSERT INTO tournament VALUES (?, ?, ?, ?, ?, ?)", row)
            connection.execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()
        for left_over in ("-wal", "-shm"):  # of a book that somebody deleted; SQLite would take them for this one's
            path.with_name(path.name + left_over).unlink(missing_ok=True)
        new.replace(path)
    except (OSError, sqlite3.Error) as error:
        with suppress(OSError):
            new.unlink()
        reason = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"{path} cannot be written ({reason}): expected a folder to write to") from None
