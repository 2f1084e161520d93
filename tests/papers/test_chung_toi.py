"""The paper on Chung Toi, through and through at the smallest scale, and what is said of plain figures."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ludens.papers import chung_toi, chung_toi_report
from ludens.papers.chung_toi import OPPONENTS, figure_3, longer
from ludens.papers.chung_toi_report import ChungToiPaper, results
from ludens.papers.experiment import Run
from ludens.papers.reproduce import reproduce
from ludens.papers.study import Observer
from papers.fake import Answered


@pytest.mark.slow
def test_the_whole_paper_at_the_smallest_scale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("GAMES", 20), ("EVERY", 10), ("EVALUATION", 10), ("LAST", 20), ("DECISIONS", 50)):
        monkeypatch.setattr(chung_toi, name, value)
    small = [
        {"episodes": 40, "hidden": 3},
        {"episodes": 40, "hidden": 4, "known_ends": True, "tactics": False},
        {"episodes": 40},
    ]
    plans = [replace(plan, settings=settings) for plan, settings in zip(longer("quick"), small, strict=True)]
    monkeypatch.setattr(chung_toi_report, "longer", lambda scale: plans)
    found = reproduce(ChungToiPaper(), "quick", 2, tmp_path, Observer())
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
    lines = [{"after": after, **each} for after, each in zip((0, 2000), lines, strict=True)]
    return {"evaluations": lines, "curves": {"length": [[43.0]]}, "seconds": 1.0}


def test_what_is_said_follows_from_the_figures() -> None:
    last = {
        "after": 500,
        "games": 100,
        "wins": [100, 90],
        "draws": [0, 2],
        "losses": [0, 8],
        "regret": [0.0, 0.5],
        "best": [1.0, 0.8],
    }
    beyond = {label: {"evaluations": [last, last]} for label in ("one", "two", "three")}
    found = results(_curves(0.9), beyond, {"won": 99, "games": 100})
    verdicts = {row.measure: row.verdict for row in found.rows}
    assert verdicts["won against smart-random after 2,000 games"] == "agrees"
    assert verdicts["won against smart-random before training"] == "agrees"
    worse = results(_curves(0.7), beyond, {"won": 99, "games": 100})
    assert {row.verdict for row in worse.rows if "after 2,000 games" in row.measure} == {"worse"}
    curves = _curves(0.9)
    curves["evaluations"][0] = {"after": 0, **{spec: {"games": 100, "wins": [30, 31]} for spec in OPPONENTS}}
    other = results(curves, beyond, {"won": 99, "games": 100})
    # What an untrained net wins is neither good nor bad; the paper's 300 games leave 44.4 to 55.6 % open.
    assert {row.verdict for row in other.rows if "before training" in row.measure} == {"differs"}
    lost = next(row for row in found.rows if row.measure == "one, 500 games: lost")
    assert lost.ours == pytest.approx(0.04)
    assert lost.ci95 is not None
    assert lost.ci95[0] < 0.04 < lost.ci95[1]
    assert "lost 8" in found.findings[-1]


def test_everything_planned_can_be_trained() -> None:
    for scale in ("quick", "full"):
        for plan in (figure_3(), *longer(scale)):
            assert Run.together(Answered(str), plan).episodes == plan.settings["episodes"]
