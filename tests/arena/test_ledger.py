"""The book: what is entered stays, what is not ours is left alone."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ludens.arena.ledger import APPLICATION, Fixture, Ledger, Result, Terms
from ludens.arena.record import Record

TERMS = Terms("onitama", {"cards": ["boar", "crab"]}, ("random", "gtp:a program -l 1"), 7, 2)


def game(number: int, pairing: int = 0, winner: int = 0) -> tuple[Fixture, Record]:
    seats = (number % 2, 1 - number % 2)
    record = Record(
        game="onitama",
        variant={"cards": ["boar", "crab"]},
        seed=11,
        seats=tuple(TERMS.players[player] for player in seats),
        start="somewhere",
        opening=1,
        actions=(3, 1, 2),
        chance=(),
        returns=(1.0, -1.0) if winner == 0 else (-1.0, 1.0),
    )
    return Fixture(number, pairing, seats, 11), record


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_what_is_entered_is_there_when_the_book_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "book.sqlite"
    with Ledger.open(path, TERMS, 4) as ledger:
        ledger.enter(*game(2))
        ledger.enter(*game(0, winner=1))
    with Ledger.open(path, TERMS, 4) as ledger:
        assert ledger.terms == TERMS
        assert ledger.rounds == 4
        assert ledger.played() == {(0, 0), (2, 0)}
        assert ledger.results() == [  # by round, not by time
            Result(0, 0, (0, 1), (-1.0, 1.0), 3),
            Result(2, 0, (0, 1), (1.0, -1.0), 3),
        ]
        assert ledger.record(2, 0) == game(2)[1]
        with pytest.raises(ValueError, match="has no game 0 in round 3: expected one that was played"):
            ledger.record(3, 0)
    assert [file.name for file in path.parent.iterdir()] == ["book.sqlite"]


def test_a_game_counts_once_and_the_first_stays(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "book", TERMS, 4) as ledger:
        ledger.enter(*game(1, winner=0))
        ledger.enter(*game(1, winner=1))
        assert [result.returns for result in ledger.results()] == [(1.0, -1.0)]


def test_others_read_while_a_tournament_writes(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "book", TERMS, 4) as writer, Ledger.read(tmp_path / "book") as reader:
        for number in range(3):
            writer.enter(*game(number))
            assert len(reader.results()) == number + 1
        assert reader.terms == TERMS


def test_more_rounds_extend_and_fewer_than_played_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "book"
    with Ledger.open(path, TERMS, 4) as ledger:
        ledger.enter(*game(2))
    with Ledger.open(path, TERMS, 9) as ledger:
        assert ledger.rounds == 9
    with pytest.raises(ValueError, match="has come to round 3: expected --rounds 3 or more"):
        Ledger.open(path, TERMS, 2)
    with Ledger.open(path, TERMS, 3) as ledger:
        assert ledger.rounds == 3
    with Ledger.read(path) as ledger:
        assert ledger.rounds == 3


@pytest.mark.parametrize(
    "other",
    [
        replace(TERMS, game="othello"),
        replace(TERMS, variant={"cards": ["boar", "eel"]}),
        replace(TERMS, players=TERMS.players[::-1]),
        replace(TERMS, seed=8),
        replace(TERMS, opening=0),
    ],
)
def test_a_book_of_another_tournament_is_refused_and_named(tmp_path: Path, other: Terms) -> None:
    with Ledger.open(tmp_path / "book", TERMS, 4) as ledger:
        ledger.enter(*game(0))
    before = contents(tmp_path)
    with pytest.raises(ValueError, match="expected the same or another --out") as refusal:
        Ledger.open(tmp_path / "book", other, 4)
    assert str(TERMS) in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert contents(tmp_path) == before


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE games (round, pairing)")
        connection.execute("INSERT INTO games VALUES (1, 2)")
    connection.close()


def newer(path: Path) -> None:
    Ledger.open(path, TERMS, 4).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()


def damaged(path: Path) -> None:
    Ledger.open(path, TERMS, 4).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))


def without_a_tournament(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("CREATE TABLE tournament (game, variant, players, seed, opening, rounds)")
    connection.close()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (foreign, "is a database of another program: expected a tournament's book, or another --out"),
        (newer, "has layout 2 of another Ludens: expected layout 1"),
        (damaged, "cannot be used"),
        (without_a_tournament, r"cannot be used \(it names no tournament\)"),
        (lambda path: path.write_text("dear diary"), "is no SQLite database"),
        (lambda path: path.write_bytes(b""), "is no SQLite database"),
        (lambda path: path.mkdir(), r"cannot be read \(Is a directory\)"),
    ],
    ids=["foreign", "newer", "damaged", "without", "text", "empty", "folder"],
)
def test_what_is_not_our_book_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None], sentence: str
) -> None:
    path = tmp_path / "book"
    make(path)
    before = contents(tmp_path)
    with pytest.raises(ValueError, match=sentence) as refusal:
        Ledger.open(path, TERMS, 4)
    assert "\n" not in str(refusal.value)
    assert contents(tmp_path) == before


def test_a_book_that_cannot_be_begun(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ValueError, match=r"cannot be written \(.*\): expected a folder to write to"):
        Ledger.open(tmp_path / "file" / "book", TERMS, 4)
    assert contents(tmp_path) == {"file": b"in the way"}


def test_a_new_book_is_not_confused_by_the_leftovers_of_a_deleted_one(tmp_path: Path) -> None:
    path = tmp_path / "book"
    ledger = Ledger.open(path, TERMS, 4)
    ledger.enter(*game(0))
    leftovers = (tmp_path / "book-wal").read_bytes()
    ledger.close()
    path.unlink()
    (tmp_path / "book-wal").write_bytes(leftovers)
    with Ledger.open(path, replace(TERMS, seed=8), 4) as ledger:
        assert ledger.terms.seed == 8
        assert ledger.results() == []
