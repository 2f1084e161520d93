"""Whole tournaments: complete, repeatable, and none the worse for being killed."""

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena import amateurs
from arena.amateurs import AMATEURS, FIELD, OPENING
from ludens.arena import tournament
from ludens.arena.ledger import Ledger
from ludens.arena.record import replay
from ludens.arena.standings import standings
from ludens.cli import tournament as command
from ludens.games import make
from ludens.players import PLAYERS

ROUNDS = 60
GAMES = ROUNDS * 6
GAME = make("chung-toi")


@pytest.fixture(autouse=True)
def amateur_players(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, kind in AMATEURS.items():
        monkeypatch.setitem(PLAYERS, name, kind)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament played in one go."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        for name, kind in AMATEURS.items():
            patch.setitem(PLAYERS, name, kind)
        run(folder, ROUNDS)
    return folder


def run(folder: Path, rounds: int, json_too: bool = False) -> None:
    command.run(GAME, FIELD, rounds=rounds, seed=3, opening=OPENING, out=folder, json=json_too)


def files(folder: Path) -> dict[str, bytes]:
    """Everything but the book, whose bytes depend on which game ended first."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".sqlite"}


def entered(path: Path) -> int:
    """Games in a book that somebody else may be writing, or about to begin."""
    if not path.exists():
        return 0
    connection = sqlite3.connect(path, timeout=30)
    try:
        return int(connection.execute("SELECT count(*) FROM games").fetchone()[0])
    finally:
        connection.close()


def test_every_game_is_there_and_replays(finished: Path) -> None:
    with Ledger.read(finished / tournament.BOOK) as ledger:
        results = ledger.results()
        assert len(results) == GAMES
        assert ledger.played() == {(number, pairing) for number in range(ROUNDS) for pairing in range(6)}
        for result in results[:: GAMES // 8]:
            record = ledger.record(result.round, result.pairing)
            assert len(replay(GAME, record)) == result.turns + 1
            assert record.seats == tuple(FIELD[player] for player in result.seats)
            assert record.returns == result.returns
            assert record.opening == OPENING
        first, second = ledger.record(0, 4), ledger.record(1, 4)
        assert first.seats == second.seats[::-1]
        assert (first.start, first.actions[:OPENING]) == (second.start, second.actions[:OPENING])


def test_tables_tell_what_the_book_holds(finished: Path) -> None:
    with Ledger.read(finished / tournament.BOOK) as ledger:
        outcome = standings(FIELD, ledger.results())
    written = json.loads((finished / "standings.json").read_text())
    assert written["rounds"] == ROUNDS
    assert written["players"] == list(FIELD)
    assert [line["player"] for line in written["standings"]] == list(outcome.players)
    assert written["net_wins"] == outcome.net_wins.tolist()
    with (finished / "net_wins.csv").open(newline="") as file:
        heads, *rows = csv.reader(file)
    assert heads == ["column against row", *outcome.players]
    assert [[int(cell) for cell in row[1:]] for row in rows] == outcome.net_wins.tolist()
    with (finished / "elo_curve.csv").open(newline="") as file:
        curve = list(csv.DictReader(file))
    assert len(curve) == ROUNDS + 1
    assert float(curve[-1][outcome.players[0]]) == pytest.approx(outcome.lines[0].elo, abs=0.01)
    with (finished / "standings.csv").open(newline="") as file:
        assert [row["player"] for row in csv.DictReader(file)] == list(outcome.players)
    page = (finished / "standings.md").read_text()
    assert all(name in page for name in FIELD)


def test_a_finished_tournament_only_tells_its_outcome(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(finished)
    run(finished, ROUNDS, json_too=True)
    assert json.loads(capsys.readouterr().out) == json.loads(before["standings.json"])
    assert files(finished) == before
    assert entered(finished / tournament.BOOK) == GAMES


def test_a_killed_tournament_goes_on_to_the_same_end(finished: Path, tmp_path: Path) -> None:
    tests = Path(__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": str(tests)}
    words = [sys.executable, amateurs.__file__, str(tmp_path), str(ROUNDS), "--slowly"]
    killed = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        patience = time.monotonic() + 120
        while entered(tmp_path / tournament.BOOK) < GAMES // 4:
            assert killed.poll() is None, killed.stderr and killed.stderr.read()
            assert time.monotonic() < patience
            time.sleep(0.01)
    finally:
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
    saved = entered(tmp_path / tournament.BOOK)
    assert GAMES // 4 <= saved < GAMES

    run(tmp_path, ROUNDS)
    assert entered(tmp_path / tournament.BOOK) == GAMES
    assert files(tmp_path) == files(finished)


def test_interrupted_by_hand_it_says_that_the_games_are_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    enter = Ledger.enter

    def enter_a_few(self: Ledger, *args: object) -> None:
        if len(self.played()) == 3:
            raise KeyboardInterrupt
        enter(self, *args)

    monkeypatch.setattr(Ledger, "enter", enter_a_few)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, 2)
    said = " ".join(capsys.readouterr().err.split())
    assert "3 of 12 games are safe" in said
    assert entered(tmp_path / tournament.BOOK) == 3


def test_more_rounds_extend_a_tournament_by_the_games_it_lacks(tmp_path: Path) -> None:
    terms = tournament.terms_of(GAME, FIELD, seed=3, opening=OPENING)
    with Ledger.open(tmp_path / tournament.BOOK, terms, 1) as ledger:
        assert list(tournament.play(GAME, ledger)) == list(range(1, 7))
        first = ledger.results()
    with Ledger.open(tmp_path / tournament.BOOK, terms, 2) as ledger:
        assert list(tournament.play(GAME, ledger)) == list(range(7, 13))
        assert ledger.results()[:6] == first


@pytest.mark.parametrize(
    ("name", "variant", "specs", "sentence"),
    [
        ("chung-toi", {}, ["random"], "1 named for a tournament of chung-toi: expected 2 players or more"),
        ("okey", {"players": 4}, ["random", "lowest", "middle"], "3 named .* expected 4 players or more"),
        ("chung-toi", {}, ["random", "lowest", "random"], "'random' is named twice"),
        ("chung-toi", {}, ["random", "nobody"], "unknown player 'nobody'"),
    ],
)
def test_tournaments_that_cannot_be_held(name: str, variant: dict[str, int], specs: list[str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tournament.terms_of(make(name, **variant), specs)


def test_numbers_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--rounds is 0: expected 1 or more"):
        run(tmp_path, 0)
    with pytest.raises(ValueError, match="the seed is -1: expected 0"):
        tournament.terms_of(GAME, FIELD, seed=-1)
    assert list(tmp_path.iterdir()) == []


def test_the_usual_folder_is_the_same_for_the_same_terms() -> None:
    terms = tournament.terms_of(GAME, FIELD)
    assert tournament.usual_folder(terms) == tournament.usual_folder(tournament.terms_of(GAME, FIELD))
    others = [
        tournament.terms_of(GAME, FIELD, seed=1),
        tournament.terms_of(GAME, FIELD, opening=2),
        tournament.terms_of(GAME, FIELD[:3]),
        tournament.terms_of(make("chung-toi", hop=False), FIELD),
    ]
    assert len({tournament.usual_folder(each) for each in [terms, *others]}) == 5
    assert str(tournament.usual_folder(terms)).startswith("tournaments/chung-toi-")


def test_players_come_before_the_options_of_the_variant() -> None:
    words = ("random", "gtp:program -l 1", "--size", "6", "--flag")
    assert command.players_and_variant(words) == (words[:2], words[2:])
    assert command.players_and_variant(words[:2]) == (words[:2], ())
