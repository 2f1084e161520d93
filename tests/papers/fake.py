"""A paper that takes no time, for all tests of `reproduce`; it has one of everything that can be shown."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from ludens.papers.experiment import Paper
from ludens.papers.provenance import Device, Provenance
from ludens.papers.results import Estimate, Figure, Panel, ReportTable, Results, Row, Scale, Series
from ludens.papers.study import Study


class Answered(Study):
    """Parts are answered by name, not computed, in a folder that is never made; what was asked for is remembered."""

    def __init__(self, answer: Callable[[str], Any], seeds: int = 2, scale: Scale = "quick") -> None:
        super().__init__(Path("nowhere"), scale, seeds, Provenance("", {}, Device("cpu", "cpu", 1, 1), None))
        self.answer, self.settings = answer, dict[str, Any]()

    def part(self, name: str, settings: Any, compute: Callable[[], Any]) -> Any:
        assert name not in self.settings
        self.settings[name] = settings
        return self.answer(name)

    def folder(self, name: str) -> Path:
        return Path(name)


class FakePaper(Paper):
    """Two parts, and in between whatever a test wants to happen."""

    name = "fake-game"
    title = "Learning to play <Fake> & Other Games"
    reference = "A. Author and B. Author (2001), Proceedings of *Nowhere* | p. 1"
    usual_seeds: ClassVar = {"quick": 2, "full": 20}
    computed: ClassVar[list[str]] = []
    """Parts that were computed, not read."""
    before_second: Callable[[], None] = staticmethod(lambda: None)

    def run(self, study: Study) -> Results:
        first = study.part("training, alpha 0.1", {"seeds": study.seeds, "games": (1, 2)}, lambda: self.first(study))
        second = study.part("matches", {"seeds": study.seeds}, lambda: self.second(study))
        return results(first["curve"], second, study.seeds)

    def first(self, study: Study) -> Any:
        self.computed.append("first")
        for step in range(4):
            study.progress("training", step / 3)
        return {"curve": (0.5, 0.7, 0.8, 0.85)}

    def second(self, study: Study) -> Any:
        self.before_second()
        self.computed.append("second")
        study.progress("matches", 1.0)
        return 0.896


def results(curve: list[float], ours: float, seeds: int) -> Results:
    x = [0.0, 500.0, 1000.0, 2000.0]
    ci95 = (ours - 0.011, ours + 0.012)
    long = Series("ours, longer", [10.0 * i for i in range(200)], [1 - math.exp(-i / 40) / 2 for i in range(200)])
    own = Series("ours", x, curve, [y - 0.04 for y in curve], [y + 0.03 for y in curve])
    paper = Series("paper", x, [0.48, 0.68, 0.82, 0.9], paper=True)
    gap = Series("with a gap", x, [0.3, math.nan, 0.4, 0.45])
    return Results(
        rows=[
            Row.compare(
                "won against smart random after 2,000 games",
                Estimate(ours, ci95),
                seeds,
                0.9,
                "figure 3",
                paper_games=300,
            ),
            Row("lost <script>alert(1)</script>", 0.2, 0.12, (0.1, 0.14), seeds, "better", "table 1"),
            Row("length of a game", 12.0, 15.25, (15.0, 15.5), seeds, "differs", "table 2", "moves"),
            Row("regret of perfect play", None, 0.0, None, 0, "ours alone", unit=""),
            Row("speed", None, 15327.4, (15000.0, 15800.0), 1, "ours alone", unit="games/s"),
        ],
        tables=[
            ReportTable(
                "table-1",
                "Won, drawn | lost",
                ["player", "won", "games", "note"],
                [["ours", "89.6 %", 1000, "a | b"], ["<b>", 0.125, None, ""]],
            ),
        ],
        figures=[
            Figure(
                "figure-3",
                "Games won against smart random, $5 & more",
                [Panel("", "games", "won", [own, paper], {"perfect play": 0.99})],
            ),
            Figure(
                "figure-7",
                "Two panels side by side with a rather long title that has to be broken somewhere, since pages end",
                [
                    Panel(
                        "as black",
                        "games of training",
                        "share lost",
                        [own, long, paper, gap],
                        {"perfect play": 0.96, "the paper's last figure": 0.95},
                    ),
                    Panel(
                        "as white",
                        "games of training",
                        "share lost",
                        [Series("ours", [1e6 * t for t in x], curve), Series("paper, white", [2e9], [0.9], paper=True)],
                    ),
                ],
            ),
        ],
        findings=["The curve rises as in the paper: `ludens` wins.", "1. a & b <i>not italic</i>"],
        deviations=["The paper does not state alpha_0 * 2; we use 0.1."],
    )
