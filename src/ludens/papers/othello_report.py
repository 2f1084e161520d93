"""What the reproduction of the paper on Othello says: rows, tables, figures and findings."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ludens.arena.statistics import Tally, wilson
from ludens.papers.codec import JSON
from ludens.papers.estimates import banded, share_over_seeds
from ludens.papers.experiment import Paper, Run
from ludens.papers.othello import (
    COLOURS,
    GAMES,
    LOST,
    MINIMAX,
    MULTI,
    OPPONENTS,
    OURS,
    PAPER,
    PAPER_GAMES,
    SINGLE,
    deviations,
    plans,
)
from ludens.papers.results import Estimate, Figure, Panel, ReportTable, Results, Row, Scale, Series
from ludens.papers.study import Study


class OthelloPaper(Paper):
    """Tables 1 and 2, figures 12 and 13, and beyond."""

    name: ClassVar[str] = "othello"
    title: ClassVar[str] = "Application of reinforcement learning to the game of Othello"
    reference: ClassVar[str] = "N. J. van Eck, M. van Wezel, Computers & Operations Research 35 (2008), 1999-2017"
    usual_seeds: ClassVar[Mapping[Scale, int]] = {"quick": 1, "full": 3}

    def run(self, study: Study) -> Results:
        runs = {run.plan.label: run.measured() for run in self.runs(study)}
        return Results(
            rows=_rows(runs, study.seeds),
            tables=[_table(1, SINGLE, runs), _table(2, MULTI, runs), _table_at_the_end(runs)],
            figures=[_figure(12, SINGLE, runs), _figure(13, MULTI, runs), _figure_beyond(runs)],
            findings=_findings(runs, study.seeds),
            deviations=deviations(study.scale),
        )

    def runs(self, study: Study) -> list[Run]:
        return [Run.together(study, plan) for plan in plans(study.scale)]


def _rows(runs: Mapping[str, JSON], seeds: int) -> list[Row]:
    rows = []
    for label, run in runs.items():
        for opponent in OPPONENTS:
            paper = LOST.get(label, {}).get(opponent)
            where = "" if paper is None else f"section 5.{1 if label == SINGLE else 2}"
            measure, ours = f"lost against {opponent} at the end, {label}", lost(run["evaluations"][-1], opponent)
            rows.append(Row.compare(measure, ours, seeds, paper, where, better="less", paper_games=PAPER_GAMES))
    return rows + [
        Row.compare(f"training, {label}", Estimate(run["rate"]), seeds, unit="games/s")
        for label, run in runs.items()
        if run["rate"]
    ]


def lost(evaluation: JSON, opponent: str, colours: Sequence[str] = COLOURS) -> Estimate:
    """The share of games lost with `colours` together."""
    by_colour = [[Tally(*counts) for counts in evaluation[opponent][colour]] for colour in colours]
    by_seed = zip(*by_colour, strict=True)
    return share_over_seeds([(sum(x.losses for x in seed), sum(x.games for x in seed)) for seed in by_seed])


def _percent(evaluation: JSON, opponent: str, colour: str) -> list[float]:
    """Won, lost and drawn of 100 games, over all seeds."""
    wins, draws, losses = (sum(counts) for counts in zip(*evaluation[opponent][colour], strict=True))
    return [round(100 * each / (wins + draws + losses), 1) for each in (wins, losses, draws)]


def _table(number: int, label: str, runs: Mapping[str, JSON]) -> ReportTable:
    """The paper's table with ours under each of its lines that we have an evaluation for."""
    pairs = [(opponent, colour) for opponent in OPPONENTS for colour in COLOURS]
    outcomes = ("won", "lost", "drawn")
    heads = ["share of the training", "who", *(f"{o}, {c}: {outcome}" for o, c in pairs for outcome in outcomes)]
    rows: list[list[str | float | int | None]] = []
    evaluations = runs[label]["evaluations"]
    total = evaluations[-1]["after"]
    for millions, counts in PAPER[label].items():
        share = millions / (GAMES / 1e6)
        rows.append([f"{share:.0%}", f"paper, {millions} M games", *(each for four in counts for each in four)])
        for evaluation in evaluations:
            if round(10 * evaluation["after"] / total) == round(10 * share):
                ours = [each for pair in pairs for each in _percent(evaluation, *pair)]
                rows.append([f"{share:.0%}", f"ours, {evaluation['after']:,} games", *ours])
    return ReportTable(f"table-{number}", f"Table {number}: percent of the evaluation games, {label}", heads, rows)


def _table_at_the_end(runs: Mapping[str, JSON]) -> ReportTable:
    heads = ["learner", "games", *(f"lost against {o} as {c}, %" for o in OPPONENTS for c in COLOURS), "games/s"]
    rows: list[list[str | float | int | None]] = []
    for label, run in runs.items():
        last = run["evaluations"][-1]
        shares = [_percent(last, opponent, colour)[1] for opponent in OPPONENTS for colour in COLOURS]
        rows.append([label, last["after"], *shares, run["rate"] and round(run["rate"])])
    return ReportTable("table-3", "After training, all learners", heads, rows)


def _figure(number: int, label: str, runs: Mapping[str, JSON]) -> Figure:
    """Lost over training, the paper's lines and ours."""
    panels = []
    for opponent in OPPONENTS:
        series = [_line(colour, runs[label], opponent, [colour]) for colour in COLOURS]
        for place, colour in enumerate(COLOURS):
            column = 2 * OPPONENTS.index(opponent) + place
            x = [1e6 * millions / GAMES for millions in PAPER[label]]
            y = [counts[column][1] / 100 for counts in PAPER[label].values()]
            series.append(Series(colour, x, y, paper=True))
        panels.append(Panel(f"against the {opponent} player", "share of the training games", "lost", series))
    return Figure(f"figure-{number}", f"Figure {number}: evaluation games lost, {label}", panels)


def _figure_beyond(runs: Mapping[str, JSON]) -> Figure:
    panels = [
        Panel(
            f"against the {opponent} player",
            "share of the training games",
            "lost",
            [_line(label, run, opponent, COLOURS) for label, run in runs.items()],
            {"paper, single net": LOST[SINGLE][opponent]},
        )
        for opponent in OPPONENTS
    ]
    return Figure("figure-beyond", "Evaluation games lost, both colours together", panels)


def _line(label: str, run: JSON, opponent: str, colours: Sequence[str]) -> Series:
    evaluations = run["evaluations"]
    share = [each["after"] / evaluations[-1]["after"] for each in evaluations]
    return banded(label, share, [lost(each, opponent, colours) for each in evaluations])


def _findings(runs: Mapping[str, JSON], seeds: int) -> list[str]:
    def at_the_end(label: str) -> str:
        last = runs[label]["evaluations"][-1]
        shares = [f"{100 * lost(last, opponent).value:.1f} % against the {opponent} player" for opponent in OPPONENTS]
        return f"{' and '.join(shares)} after {last['after']:,} games"

    over = f"over {seeds} training runs" if seeds > 1 else "in one training run"
    return [
        f"The single net loses {at_the_end(SINGLE)} ({over}); the paper's loses 12 % and 26 % after 15,000,000.",
        f"The 64 nets lose {at_the_end(MULTI)}; the paper's lose 11 % and 23 %.",
        "The paper's figures are those of one training run and 200 games: 95 % intervals of its 11 % and 26 % are "
        f"{_spread(MULTI, 'positional')} and {_spread(SINGLE, 'mobility')}.",
        f"Minimax-Q, one net for both colours and everything else as in the paper, loses {at_the_end(MINIMAX)}.",
        "Minimax-V, which values positions instead of moves, sees where discs can be placed and has a second hidden "
        f"layer, loses {at_the_end(OURS)}.",
    ]


def _spread(label: str, opponent: str) -> str:
    """Wilson's interval for what the paper lost in the end with both colours together."""
    place = 2 * OPPONENTS.index(opponent)
    counts = list(PAPER[label].values())[-1][place : place + 2]
    low, high = wilson(sum(each[1] for each in counts), sum(map(sum, counts)))
    return f"{100 * low:.0f} to {100 * high:.0f} %"
