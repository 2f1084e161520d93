"""The paper on Chung Toi, through and through at the smallest scale, and what is said of plain figures."""

from pathlib import Path
from typing import Any

import pytest

from ludens.papers import chung_toi
from ludens.papers.chung_toi import ChungToiPaper, Plan, longer
from ludens.papers.chung_toi_report import OPPONENTS, results
from ludens.papers.reproduce import reproduce


class Silent:
    def begins(self, part: str) -> None: ...
    def moves(self, what: str, share: float) -> None: ...
    def ends(self, part: str, seconds: float, *, kept: bool) -> None: ...


def test_the_whole_paper_at_the_smallest_scale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("GAMES", 20), ("EVERY", 10), ("EVALUATION", 10), ("LAST", 20), ("DECISIONS", 50)):
        monkeypatch.setattr(chung_toi, name, value)
    small = [
        Plan("30 hidden units", "td-lambda", {"episodes": 40, "hidden": 3}),
        Plan("128 hidden units", "td-lambda", {"episodes": 40, "hidden": 4, "known_ends": True, "tactics": False}),
        Plan("a table", "td-table", {"episodes": 40}),
    ]
    monkeypatch.setattr(chung_toi, "longer", lambda scale: small)
    found = reproduce(ChungToiPaper(), "quick", 2, tmp_path, Silent())
    rows = {row.measure: row for row in found.results.rows}
    assert rows["won against smart-random after 2,000 games"].paper == 0.9
    assert all(0 <= row.ours <= 1 for row in rows.values() if row.unit == "share")
    assert rows["perfect play: won against smart-random"].ours == 1
    assert {path.name for path in (tmp_path / "chung-toi").iterdir()} >= {
        "results.json",
        "figure-3.svg",
        "opponents.md",
    }


def _curves(won: float) -> Any:
    counts = {"games": 100, "wins": [round(100 * won), round(100 * won)], "losses": [0, 0]}
    begin = {"games": 100, "wins": [50, 50], "losses": [50, 50]}
    lines = [dict.fromkeys(OPPONENTS, each) for each in (begin, counts)]
    return {"games": [0, 2000], "evaluations": lines, "length": 43.0, "seconds": 1.0}


def test_what_is_said_follows_from_the_figures() -> None:
    last = {
        "games": 100,
        "wins": [100, 90],
        "draws": [0, 2],
        "losses": [0, 8],
        "regret": [0.0, 0.5],
        "best": [1.0, 0.8],
    }
    beyond = [{"games": [0, 500], "evaluations": [last, last], "seconds": 1.0}] * 3
    found = results(_curves(0.9), ["one", "two", "three"], beyond, {"won": 99, "games": 100})
    verdicts = {row.measure: row.verdict for row in found.rows}
    assert verdicts["won against smart-random after 2,000 games"] == "agrees"
    assert verdicts["won against smart-random before training"] == "agrees"
    worse = results(_curves(0.7), ["one", "two", "three"], beyond, {"won": 99, "games": 100})
    assert {row.verdict for row in worse.rows if "after 2,000 games" in row.measure} == {"worse"}
    lost = next(row for row in found.rows if row.measure == "one, 500 games: lost")
    assert lost.ours == pytest.approx(0.04)
    assert lost.ci95 is not None
    assert lost.ci95[0] < 0.04 < lost.ci95[1]
    assert "lost 8" in found.findings[-1]


def test_longer_trainings_can_be_trained() -> None:
    from ludens.learning import learner

    for scale in ("quick", "full"):
        for plan in longer(scale):
            assert learner(plan.learner, chung_toi.GAME, dict(plan.settings)).config.games == plan.settings["games"]
