"""`ludens strength`: measured once, kept, and told by the pages; and what was measured orders the page's ladder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ludens.cli import strength
from ludens.core import agent_files
from ludens.core.agent_files import read_strength
from ludens.games import make
from ludens.web.opponents import LADDERS
from players.test_shipped import tiny

Ludens = Callable[..., tuple[int, str, str]]
DOCS = Path(__file__).parents[2] / "docs"
Q_TABLE = {"kind": "q-table", "shared": True}


def test_strength_is_measured_and_told(ludens: Ludens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = make("ur", pieces=1)
    monkeypatch.setattr(agent_files, "HOME", tmp_path / "agents")
    monkeypatch.setattr(strength, "STAGES", {"tiny": strength.Stage("ur", {"pieces": 1})})
    monkeypatch.setattr(strength, "entrants", lambda game: ["random", "champion"])
    tiny(tmp_path / "agents" / "blank", game, Q_TABLE, champion=True)
    for games in (20, 100):
        training = {"command": "ludens train", "games": games, "seconds": games * 6.0, "device": "cpu", "seed": 0}
        tiny(tmp_path / "run" / "kept" / str(games), game, Q_TABLE, training=training)
    words = ("--rounds", "2", "--out", str(tmp_path / "played"), "--docs", str(tmp_path))
    code, _, err = ludens("strength", "tiny", "--kept", str(tmp_path / "run"), *words)
    assert (code, err) == (0, "")
    (stage,) = read_strength()
    assert {line["spec"]: line["agent"] for line in stage["players"]} == {"random": None, "champion": "blank"}
    ratings = [line["rating"] for line in stage["players"]]
    assert ratings == sorted(ratings, reverse=True)
    assert all(line["low"] <= line["rating"] <= line["high"] and line["ms"] > 0 for line in stage["players"])
    assert [(at["games"], at["seconds"]) for at in stage["curve"]] == [(20, 120.0), (100, 600.0)]
    page = (tmp_path / "strength.md").read_text()
    assert "ludens strength tiny --rounds 2" in page
    assert "| `champion` | Champion |" in page
    assert "| 100 | 10.0 |" in page
    assert (
        f"rating {next(x['rating'] for x in stage['players'] if x['agent']):.0f} (95 %"
        in (tmp_path / "agents.md").read_text()
    )

    books = {path: path.stat().st_mtime_ns for path in (tmp_path / "played").rglob("*.sqlite")}
    assert ludens("strength", "tiny", *words)[0] == 0  # nothing is left to play, and the curve stays
    assert set(books) == set((tmp_path / "played").rglob("*.sqlite"))
    assert read_strength()[0]["curve"] == stage["curve"]
    assert [line["rating"] for line in read_strength()[0]["players"]] == ratings


def test_bad_words_get_a_sentence(ludens: Ludens, tmp_path: Path) -> None:
    for words, sentence in (
        (("chess",), "'chess' is no stage: expected some of othello, othello-6"),
        (("ur", "--rounds", "0"), "--rounds is 0: expected 1 or more"),
        (("--kept", "x"), "--kept is given for no stage or several: expected one"),
        (("--docs", str(tmp_path / "none")), "is no folder: expected that of the pages"),
    ):
        code, _, err = ludens("strength", *words)
        assert code == 2
        assert sentence in err


@pytest.mark.parametrize("name", ["strength.md", "agents.md"])
def test_the_pages_say_what_ships_and_was_measured(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == strength.pages()[name], "`ludens strength` writes it anew"


def test_the_ladder_follows_what_was_measured() -> None:
    """In a game's usual variant each rung is stronger than the one below; elsewhere "Expert" is at least not weaker
    than "Strong" beyond doubt.
    """
    for stage in read_strength():
        lines = {line["spec"]: line for line in stage["players"]}
        by_label = {rung.label: lines[rung.spec] for rung in LADDERS[stage["game"]] if rung.spec in lines}
        if stage["stage"] == stage["game"]:
            measured = [line["rating"] for line in by_label.values()]
            assert measured == sorted(measured), (stage["stage"], by_label)
            assert by_label["Expert"]["rating"] > by_label["Strong"]["rating"], stage["stage"]
        assert by_label["Expert"]["high"] > by_label["Strong"]["low"], stage["stage"]
