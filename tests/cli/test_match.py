"""`ludens match`: what it counts, prints and writes, and what it refuses."""

import json
import resource
import signal
from pathlib import Path

import pytest

from ludens.arena.match import balanced_jobs, contestant, play
from ludens.arena.record import Record, replay
from ludens.cli import match
from ludens.games import make
from ludens.players.external import ExternalError

CHUNG_TOI = make("chung-toi")
FOUR = make("othello", size=4)


def arranged(game, *specs, games=8, seed=0, opening=None, out=None):
    return match.arrange(game, list(specs), games=games, seed=seed, opening=opening, out=out)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Tables of oracles go where other tests of this run may find them, not into the user's cache."""
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path_factory.getbasetemp() / "ludens"))


def test_a_match_for_programs(capsys, tmp_path):
    out = tmp_path / "games.jsonl"
    match.play_and_report(arranged(FOUR, "random", "random", games=9, out=out), json=True)
    facts = json.loads(capsys.readouterr().out)
    assert list(facts) == [
        *("game", "variant", "players", "games", "wins", "draws", "losses", "score", "ci95"),
        *("by_seat", "mean_length", "seconds", "games_per_s", "regret"),
    ]
    assert (facts["game"], facts["variant"], facts["players"]) == ("othello", {"size": 4}, ["random", "random"])
    assert facts["games"] == facts["wins"] + facts["draws"] + facts["losses"] == 9
    assert facts["score"] == pytest.approx((facts["wins"] + facts["draws"] / 2) / 9)
    assert facts["ci95"][0] < facts["score"] < facts["ci95"][1]
    assert [each["games"] for each in facts["by_seat"]] == [5, 4]
    for count in ("wins", "draws", "losses"):
        assert sum(each[count] for each in facts["by_seat"]) == facts[count]
    assert facts["games_per_s"] == pytest.approx(9 / facts["seconds"])
    records = [Record.from_dict(json.loads(line)) for line in out.read_text().splitlines()]
    assert len(records) == 9
    for record in records:
        replay(FOUR, record)
    assert facts["mean_length"] == pytest.approx(sum(record.turns for record in records) / 9)
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]
    decided = sum(record.turns - record.opening for record in records)
    assert sum(each["moves"] for each in facts["regret"]) == decided
    assert all(0 < each["mean"] < 2 and 0 < each["best_share"] < 1 for each in facts["regret"])


def test_a_full_disk_leaves_whole_lines(tmp_path):
    record = a_game()
    line = len(json.dumps(record.to_dict())) + 1
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * line + line // 2, before[1]))  # as on a disk with so much room
    try:
        with pytest.raises(OSError, match="No space left"):
            _write(tmp_path / "games.jsonl", [record] * 4)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    lines = (tmp_path / "games.jsonl").read_text().splitlines()
    assert [Record.from_dict(json.loads(each)) for each in lines] == [record] * 2
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]


def _write(path: Path, records: list[Record]) -> None:
    with match._written(path) as write:
        for record in records:
            write(record)


def a_game() -> Record:
    ((_, record),) = play(FOUR, [contestant("random", FOUR)] * 2, balanced_jobs(FOUR, 2, 1, 0))
    return record


@pytest.mark.slow
def test_a_match_for_people(capsys):
    match.play_and_report(arranged(FOUR, "random", "random", games=9), json=False)
    shown = capsys.readouterr().out
    assert "othello: random against random" in shown
    assert "95 % interval" in shown
    assert "seat 0" in shown
    assert "average length" in shown
    assert "the first 4 at random" in shown
    assert "against perfect play" in shown


def test_no_regret_without_an_oracle():
    game = make("othello")
    assert match.regrets(arranged(game, "random", "random"), []) is None


def test_a_match_cut_short_reports_what_was_played(capsys, tmp_path, monkeypatch):
    play = match.play

    def three_games(*args, **options):
        games = play(*args, **options)
        yield from (next(games) for _ in range(3))
        raise KeyboardInterrupt

    monkeypatch.setattr(match, "play", three_games)
    out = tmp_path / "games.jsonl"
    with pytest.raises(KeyboardInterrupt):
        match.play_and_report(arranged(FOUR, "random", "random", games=9, out=out), json=True)
    facts = json.loads(capsys.readouterr().out)
    assert (facts["games"], facts["regret"]) == (3, None)
    assert len(out.read_text().splitlines()) == 3


def test_a_program_that_fails_ends_the_match_with_its_sentence(capsys, tmp_path):
    out = tmp_path / "games.jsonl"
    with pytest.raises(ExternalError, match="'true' ended with code 0 instead of answering"):
        match.play_and_report(arranged(make("othello"), "random", "gtp:true", games=2, out=out), json=True)
    assert capsys.readouterr().out == ""
    assert out.read_text() == ""


@pytest.mark.parametrize(
    ("specs", "options", "sentence"),
    [
        (("random", "random"), {"games": 0}, "--games is 0: expected 1 to 10,000,000"),
        (("random", "nobody"), {}, "unknown player 'nobody'"),
        (("gtp:cat", "random"), {}, "'cat' plays othello, not chung-toi"),
        (("random", "random"), {"seed": -1}, "--seed is -1: expected 0 to"),
        (("random", "random"), {"opening": 100}, "an opening of 100 plies does not fit chung-toi: expected 0 to 99"),
    ],
)
def test_matches_that_cannot_be(specs, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        arranged(CHUNG_TOI, *specs, **options)


def test_an_out_file_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path, tmp_path / "missing" / "games.jsonl", tmp_path / "file" / "games.jsonl", Path("/proc/games")):
        with pytest.raises(ValueError, match="cannot be written: expected the name of a file in a folder"):
            arranged(CHUNG_TOI, "random", "random", out=out)
