"""What the reproduction of the paper on Chung Toi says: rows, tables, figures and findings."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import ClassVar

from ludens.papers.chung_toi import (
    DEVIATIONS,
    EVALUATION,
    LAST,
    OPPONENTS,
    PAPER_BEGINS,
    PAPER_ENDS,
    figure_3,
    longer,
    perfect_play,
)
from ludens.papers.codec import JSON
from ludens.papers.estimates import banded, mean_over_seeds, share_over_games, share_over_seeds, within
from ludens.papers.experiment import Paper, Run
from ludens.papers.results import Estimate, Figure, Panel, ReportTable, Results, Row, Scale, Series
from ludens.papers.study import Study

POINTS = 2.0
"""The most that a decision can lose."""


class ChungToiPaper(Paper):
    """Figure 3 for each reading of the opponent, then longer training, then perfect play."""

    name: ClassVar[str] = "chung-toi"
    title: ClassVar[str] = "A brief tutorial on reinforcement learning: the game of Chung Toi"
    reference: ClassVar[str] = "C. J. Gatti, J. D. Linton, M. J. Embrechts, ESANN 2011"
    usual_seeds: ClassVar[Mapping[Scale, int]] = {"quick": 20, "full": 20}

    def run(self, study: Study) -> Results:
        curves, *beyond = [run.measured() for run in self.runs(study)]
        perfect = study.part("perfect play", {"games": LAST}, perfect_play)
        return results(
            curves, {plan.label: each for plan, each in zip(longer(study.scale), beyond, strict=True)}, perfect
        )

    def runs(self, study: Study) -> list[Run]:
        fewer = max(2, study.seeds // 4)
        return [Run.together(study, figure_3()), *(Run.together(study, plan, fewer) for plan in longer(study.scale))]


def results(curves: JSON, beyond: Mapping[str, JSON], perfect: JSON) -> Results:
    """Everything: from figure 3's training, the longer ones by label, and `perfect` play."""
    seeds, perfectly = len(curves["evaluations"][0]["random"]["wins"]), (perfect["won"], perfect["games"])
    time = "time for figure 3, compiling and evaluations left out"
    return Results(
        rows=[
            *(row for spec in OPPONENTS for row in _start_and_end(spec, curves)),
            *(row for label, each in beyond.items() for row in _after_longer(label, each)),
            Row.compare("perfect play: won against smart-random", share_over_games([perfectly]), 0),
            Row.compare(time, Estimate(curves["seconds"]), seeds, unit="s"),
        ],
        tables=[_readings(curves), _beyond(beyond)],
        figures=[_figure_3(curves), _figure_longer(beyond)],
        findings=_findings(curves, list(beyond.values())),
        deviations=DEVIATIONS,
    )


def _won(counts: JSON) -> Estimate:
    """The share of games won in an evaluation, over seeds."""
    return share_over_seeds([(wins, counts["games"]) for wins in counts["wins"]])


def _ends(curves: JSON, spec: str) -> tuple[Estimate, Estimate]:
    """Won before training and after it against one reading of the opponent."""
    return _won(curves["evaluations"][0][spec]), _won(curves["evaluations"][-1][spec])


def _start_and_end(spec: str, curves: JSON) -> list[Row]:
    before, after = _ends(curves, spec)
    seeds, where, games = len(curves["evaluations"][0][spec]["wins"]), "figure 3", EVALUATION
    measure = f"won against {spec}"
    return [
        # What an untrained net wins tells about the opponent: neither way is better.
        Row.compare(f"{measure} before training", before, seeds, PAPER_BEGINS, where, better=None, paper_games=games),
        Row.compare(f"{measure} after 2,000 games", after, seeds, PAPER_ENDS, where, paper_games=games),
    ]


def _after_longer(label: str, each: JSON) -> list[Row]:
    last = each["evaluations"][-1]
    seeds, measure = len(last["wins"]), f"{label}, {last['after']:,} games"
    regret = mean_over_seeds(last["regret"])
    regret = Estimate(regret.value, regret.ci95 and within(regret.ci95, 0.0, POINTS))
    lost = share_over_games([(sum(last["losses"]), seeds * last["games"])])
    return [
        Row.compare(f"{measure}: won against smart-random", _won(last), seeds),
        Row.compare(f"{measure}: lost", lost, seeds),
        Row.compare(f"{measure}: regret of a decision", regret, seeds, unit="points"),
    ]


def _readings(curves: JSON) -> ReportTable:
    rows = []
    for spec, meaning in OPPONENTS.items():
        ends = [(value, *(ci95 or (value, value))) for value, ci95 in _ends(curves, spec)]
        rows.append([spec, meaning, *(f"{mean:.1%} ({low:.1%} to {high:.1%})" for mean, low, high in ends)])
    rows.append(["in the paper", "takes wins or blocks", "about 50 %", "nearly 90 %"])
    heads = ["opponent", "what it does", "untrained", "after 2,000 games"]
    return ReportTable("opponents", "Won against each reading of the paper's opponent", heads, rows)


def _beyond(beyond: Mapping[str, JSON]) -> ReportTable:
    rows = []
    for label, each in beyond.items():
        last = each["evaluations"][-1]
        games = last["games"] * len(last["wins"])
        shares = [f"{sum(last[count]) / games:.2%}" for count in ("wins", "draws", "losses")]
        regret = [f"{fmean(last['regret']):.4f}", f"{fmean(last['best']):.2%}"]
        rows.append([label, f"{last['after']:,}", str(len(last["wins"])), f"{games:,}", *shares, *regret])
    heads = ["", "trained games", "seeds", "games played", "won", "drawn", "lost", "regret", "best moves"]
    return ReportTable("longer-training", "Longer training, measured against smart-random in both seats", heads, rows)


def _figure_3(curves: JSON) -> Figure:
    evaluations = curves["evaluations"]
    games = [each["after"] for each in evaluations]
    series = [banded(f"against {spec}", games, [_won(each[spec]) for each in evaluations]) for spec in OPPONENTS]
    paper = Series("in the paper", [0, games[-1]], [PAPER_BEGINS, PAPER_ENDS], paper=True)
    panel = Panel("", "training games", "share of games won", [*series, paper], {"perfect play": 1.0})
    return Figure("figure-3", "Won by the first player while it learns, with 95 % band", [panel])


def _figure_longer(beyond: Mapping[str, JSON]) -> Figure:
    won, regret = [], []
    for label, each in beyond.items():
        evaluations = each["evaluations"]
        total = evaluations[-1]["after"]
        name, share = f"{label}, {total:,} games", [x["after"] / total for x in evaluations]
        won.append(Series(name, share, [fmean(x["wins"]) / x["games"] for x in evaluations]))
        regret.append(Series(name, share, [fmean(x["regret"]) for x in evaluations]))
    x, perfect = "share of the training", "perfect play"
    return Figure(
        "longer-training",
        "Longer training",
        [
            Panel("Won against smart-random", x, "share of games won", won, {perfect: 1.0}),
            Panel("Regret of a decision", x, "points lost", regret, {perfect: 0.0}),
        ],
    )


def _findings(curves: JSON, beyond: Sequence[JSON]) -> list[str]:
    begins, ends = ({spec: _ends(curves, spec)[at].value for spec in OPPONENTS} for at in (0, 1))
    last = [each["evaluations"][-1] for each in beyond]
    won = [fmean(line["wins"]) / line["games"] for line in last]
    regret = [fmean(line["regret"]) for line in last]
    games = [f"{line['after']:,}" for line in last]
    return [
        f"With the settings of the paper the net wins {ends['smart-random']:.1%} of its games against smart-random "
        "after 2,000 games of training, not nearly 90 %.",
        f"The paper's curve begins at about 50 %. An untrained net wins {begins['random']:.0%} against random play, "
        f"{begins['smart-random:wins']:.0%} against an opponent that takes every win, and "
        f"{begins['smart-random']:.0%} against one that also blocks. By where it begins, the paper's opponent was "
        "about as strong as random play: it cannot have taken every win, let alone blocked.",
        f"Even against random play 2,000 games are few: from {begins['random']:.0%} to {ends['random']:.0%}. A game "
        f"lasts {fmean(curves['curves']['length'][-1]):.0f} moves when both sides win and block, only its end tells "
        "the net what three in a row are worth, and alpha is 0.0012. The same net goes on learning: "
        f"{won[0]:.0%} won against smart-random after {games[0]} games.",
        "The net is the next limit. Colour and direction of a piece are separate inputs, while the rules ask which "
        f"side's piece points where. With 128 hidden units, knowing when a game is over, it wins {won[1]:.0%} after "
        f"{games[1]} games, and a decision still loses {regret[1]:.2f} points on average.",
        f"With a number for each position in place of the net, self-play becomes perfect play: after {games[2]} games "
        f"it won {sum(last[2]['wins']):,} of {last[2]['games'] * len(last[2]['wins']):,} games against smart-random, "
        f"lost {sum(last[2]['losses'])}, and a decision loses {regret[2]:.4f} points.",
    ]
