"""What the reproduction of the paper on Chung Toi says: rows, tables, figures and findings, made from plain data."""

from collections.abc import Sequence

import numpy as np

from ludens.arena.statistics import mean_interval, wilson
from ludens.papers.paper import JSON, Figure, Panel, Results, Row, Series, Table, verdict

PAPER_BEGINS, PAPER_ENDS = 0.50, 0.90
"""Won before training and after 2,000 games: about 50 %, nearly 90 % (section 4)."""
OPPONENTS = {
    "smart-random": "takes a win, else blocks",
    "smart-random:wins": "takes a win, never blocks",
    "random": "any legal move",
}
"""Readings of the paper's opponent, from the strictest to none at all."""


def results(curves: JSON, labels: Sequence[str], beyond: Sequence[JSON], perfect: JSON) -> Results:
    """Everything: from figure 3's `curves`, the longer trainings by their `labels`, and `perfect` play."""
    share = perfect["won"] / perfect["games"]
    return Results(
        rows=[
            *(row for spec in OPPONENTS for row in _start_and_end(spec, curves)),
            *(row for label, each in zip(labels, beyond, strict=True) for row in _after_longer(label, each)),
            _row("perfect play: won against smart-random", None, share, wilson(perfect["won"], perfect["games"]), 0),
            _row(
                "time for figure 3, compiling and evaluations left out",
                None,
                curves["seconds"],
                None,
                _seeds(curves),
                unit="s",
            ),
        ],
        tables=[_readings(curves), _beyond(labels, beyond)],
        figures=[_figure_3(curves), _figure_longer(labels, beyond)],
        findings=_findings(curves, beyond),
        deviations=DEVIATIONS,
    )


def _won(curves: JSON, spec: str) -> list[list[float]]:
    """Shares of games won against one opponent, at each evaluation by each seed."""
    counts = [line[spec] for line in curves["evaluations"]]
    return [[wins / each["games"] for wins in each["wins"]] for each in counts]


def _seeds(curves: JSON) -> int:
    return len(_won(curves, "random")[0])


def _row(
    measure: str,
    paper: float | None,
    ours: float,
    ci95: tuple[float, float] | None,
    seeds: int,
    where: str = "",
    unit: str = "share",
) -> Row:
    return Row(measure, paper, ours, ci95, seeds, verdict(paper, ours, ci95), where, unit)


def _mean(values: Sequence[float], most: float = 1.0) -> tuple[float, tuple[float, float]]:
    """A mean over seeds and its interval within what is possible."""
    low, high = mean_interval(values)
    return float(np.mean(values)), (max(low, 0.0), min(high, most))


def _start_and_end(spec: str, curves: JSON) -> list[Row]:
    """Won before training and after 2,000 games against one reading of the opponent."""
    won = _won(curves, spec)
    return [
        _row(f"won against {spec} {when}", paper, *_mean(won[at]), len(won[at]), "figure 3")
        for when, at, paper in (("before training", 0, PAPER_BEGINS), ("after 2,000 games", -1, PAPER_ENDS))
    ]


def _after_longer(label: str, each: JSON) -> list[Row]:
    last = each["evaluations"][-1]
    seeds, games, lost = len(last["wins"]), f"{each['games'][-1]:,} games", sum(last["losses"])
    won = [wins / last["games"] for wins in last["wins"]]
    return [
        _row(f"{label}, {games}: won against smart-random", None, *_mean(won), seeds),
        _row(
            f"{label}, {games}: lost", None, lost / (seeds * last["games"]), wilson(lost, seeds * last["games"]), seeds
        ),
        _row(f"{label}, {games}: regret of a decision", None, *_mean(last["regret"], 2.0), seeds, unit="points"),
    ]


def _readings(curves: JSON) -> Table:
    rows = []
    for spec, meaning in OPPONENTS.items():
        ends = [_mean(_won(curves, spec)[at]) for at in (0, -1)]
        rows.append([spec, meaning, *(f"{mean:.1%} ({low:.1%} to {high:.1%})" for mean, (low, high) in ends)])
    rows.append(["in the paper", "takes wins or blocks", "about 50 %", "nearly 90 %"])
    heads = ["opponent", "what it does", "untrained", "after 2,000 games"]
    return Table("opponents", "Won against each reading of the paper's opponent", heads, rows)


def _beyond(labels: Sequence[str], beyond: Sequence[JSON]) -> Table:
    rows = []
    for label, each in zip(labels, beyond, strict=True):
        last = each["evaluations"][-1]
        games = last["games"] * len(last["wins"])
        shares = [f"{sum(last[count]) / games:.2%}" for count in ("wins", "draws", "losses")]
        judged = [f"{np.mean(last['regret']):.4f}", f"{np.mean(last['best']):.2%}"]
        counts = [f"{each['games'][-1]:,}", str(len(last["wins"])), f"{games:,}"]
        rows.append([label, *counts, *shares, *judged])
    heads = ["", "trained games", "seeds", "games played", "won", "drawn", "lost", "regret", "best moves"]
    return Table("longer-training", "Longer training, measured against smart-random in both seats", heads, rows)


def _figure_3(curves: JSON) -> Figure:
    series = []
    for spec in OPPONENTS:
        points = [_mean(won) for won in _won(curves, spec)]
        lows, highs = ([interval[end] for _, interval in points] for end in (0, 1))
        series.append(Series(f"against {spec}", curves["games"], [mean for mean, _ in points], lows, highs))
    paper = Series("in the paper", [0, curves["games"][-1]], [PAPER_BEGINS, PAPER_ENDS], paper=True)
    panel = Panel("", "training games", "share of games won", [*series, paper], {"perfect play": 1.0})
    return Figure("figure-3", "Won by the first player while it learns, with 95 % band", [panel])


def _figure_longer(labels: Sequence[str], beyond: Sequence[JSON]) -> Figure:
    won, regret = [], []
    for label, each in zip(labels, beyond, strict=True):
        share = [number / each["games"][-1] for number in each["games"]]
        name = f"{label}, {each['games'][-1]:,} games"
        won.append(Series(name, share, [float(np.mean(x["wins"])) / x["games"] for x in each["evaluations"]]))
        regret.append(Series(name, share, [float(np.mean(x["regret"])) for x in each["evaluations"]]))
    return Figure(
        "longer-training",
        "Longer training",
        [
            Panel(
                "Won against smart-random", "share of the training", "share of games won", won, {"perfect play": 1.0}
            ),
            Panel("Regret of a decision", "share of the training", "points lost", regret, {"perfect play": 0.0}),
        ],
    )


def _findings(curves: JSON, beyond: Sequence[JSON]) -> list[str]:
    begins, ends = ({spec: _mean(_won(curves, spec)[at])[0] for spec in OPPONENTS} for at in (0, -1))
    last = [each["evaluations"][-1] for each in beyond]
    won = [float(np.mean(line["wins"])) / line["games"] for line in last]
    regret = [float(np.mean(line["regret"])) for line in last]
    games = [f"{each['games'][-1]:,}" for each in beyond]
    return [
        f"With the settings of the paper the net wins {ends['smart-random']:.1%} of its games against smart-random "
        "after 2,000 games of training, not nearly 90 %.",
        f"The paper's curve begins at about 50 %. An untrained net wins {begins['random']:.0%} against random play, "
        f"{begins['smart-random:wins']:.0%} against an opponent that takes every win, and "
        f"{begins['smart-random']:.0%} against one that also blocks. By where it begins, the paper's opponent was "
        "about as strong as random play: it cannot have taken every win, let alone blocked.",
        f"Even against random play 2,000 games are few: from {begins['random']:.0%} to {ends['random']:.0%}. A game "
        f"lasts {curves['length']:.0f} moves when both sides win and block, only its end tells the net what three in "
        f"a row are worth, and alpha is 0.0012. The same net goes on learning: {won[0]:.0%} won against smart-random "
        f"after {games[0]} games.",
        "The net is the next limit. Colour and direction of a piece are separate inputs, while the rules ask which "
        f"side's piece points where. With 128 hidden units, knowing when a game is over, it wins {won[1]:.0%} after "
        f"{games[1]} games, and a decision still loses {regret[1]:.2f} points on average.",
        f"With a number for each position in place of the net, self-play becomes perfect play: after {games[2]} games "
        f"it won {sum(last[2]['wins']):,} of {last[2]['games'] * len(last[2]['wins']):,} games against smart-random, "
        f"lost {sum(last[2]['losses'])}, and a decision loses {regret[2]:.4f} points.",
    ]


DEVIATIONS = [
    "The paper anneals epsilon and alpha without saying to what: here in a straight line to 0.95 and 0 over all games.",
    "At the end of a game the reward stands in for what follows the finished position (docs/learners/td-lambda.md).",
    "A block is any move after which the opponent cannot win at once. While training, both sides choose among wins, or "
    "else among blocks, and explore among these too.",
    "Where several moves have the same value one of them is drawn at random.",
    "Longer trainings play several games side by side and add their corrections up; figure 3 plays one at a time. "
    "All their settings are in `longer` in src/ludens/papers/chung_toi.py.",
    "The curve of the paper is drawn by its two ends, which are all that its text gives.",
]
