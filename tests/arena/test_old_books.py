"""A book that the first edition wrote is read, ranked, gone on with, and played again move by move."""

import shutil
from pathlib import Path

import pytest

from ludens.arena import tournament
from ludens.arena.ledger import Ledger
from ludens.arena.record import replay
from ludens.arena.standings import standings
from ludens.games import make

BOOK = Path(__file__).parent / "old_books" / "ur-one-piece.sqlite"
"""`ludens tournament ur random smart-random greedy --pieces 1 --rounds 2`."""
GAME = make("ur", pieces=1)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return Path(shutil.copy(BOOK, tmp_path / tournament.BOOK))


def test_an_old_book_is_read_and_ranked(book: Path) -> None:
    with Ledger.read(book) as ledger:
        assert ledger.terms == tournament.terms_of(GAME, ["random", "smart-random", "greedy"])
        assert len(ledger.results()) == 6
        order = [line.player for line in standings(ledger.terms.players, ledger.results()).lines]
        assert order == ["random", "smart-random", "greedy"]
        for number, pairing in ledger.played():
            record = ledger.record(number, pairing)
            assert len(replay(GAME, record)) == record.turns + 1


def test_an_old_book_is_gone_on_with(book: Path) -> None:
    with Ledger.read(book) as ledger:
        old = {each: ledger.record(*each) for each in ledger.played()}
        terms = ledger.terms
    with Ledger.open(book, terms, rounds=3) as ledger:
        assert list(tournament.play(GAME, ledger)) == [7, 8, 9]
        assert {each: ledger.record(*each) for each in old} == old
        assert len(replay(GAME, ledger.record(2, 0))) > 1


@pytest.mark.slow
def test_a_game_is_played_again_just_as_it_was(tmp_path: Path, book: Path) -> None:
    """Seeds stand for the same starts, throws and decisions as they did then."""
    with Ledger.read(book) as ledger:
        terms, old = ledger.terms, {each: ledger.record(*each) for each in ledger.played()}
    with Ledger.open(tmp_path / "again.sqlite", terms, rounds=2) as ledger:
        assert list(tournament.play(GAME, ledger))[-1] == 6
        assert {each: ledger.record(*each) for each in old} == old
