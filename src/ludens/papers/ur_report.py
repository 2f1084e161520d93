"""What the reproduction of the paper on Ur says: rows, tables, figures and findings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ludens.arena.statistics import Tally, wilson
from ludens.papers.codec import JSON
from ludens.papers.estimates import banded, mean_or_span, share_over_games
from ludens.papers.experiment import Paper, Run
from ludens.papers.format import format_interval, percent
from ludens.papers.results import Estimate, Figure, Panel, ReportTable, Results, Row, Scale, Series
from ludens.papers.study import Study
from ludens.papers.ur import (
    GAME,
    MATCH,
    NUMBERS,
    OPPONENTS,
    PAPER_GAMES,
    POSITIONS,
    TABLE_1,
    deviations,
    exact_values,
    plans,
    results,
    seeds_of,
)
from ludens.players import player


class UrPaper(Paper):
    """Table 1 and figures 4 to 12, and beyond."""

    name: ClassVar[str] = "ur"
    title: ClassVar[str] = "Solving Royal Game of Ur Using Reinforcement Learning"
    reference: ClassVar[str] = "S. Malhotra, G. Malik, 2022"
    usual_seeds: ClassVar[Mapping[Scale, int]] = {"quick": 2, "full": 5}

    def run(self, study: Study) -> Results:
        runs: dict[str, list[JSON]] = {}
        for run in self.runs(study):
            runs.setdefault(run.plan.label, []).append(run.measured())
        report = UrReport(
            runs,
            levels={spec: Tally(*self._level(study, spec)["all"]) for spec in ("optimal", "greedy", "random")},
            exact=[
                study.part(f"figure {each.figure}", {"position": each.text}, partial(exact_values, each))
                for each in POSITIONS
            ],
        )
        return Results(report.rows(), report.tables(), report.figures(), report.findings(), deviations(study.scale))

    def runs(self, study: Study) -> list[Run]:
        return [run for plan in plans(study.scale) for run in Run.apart(study, plan, seeds_of(plan, study))]

    def _level(self, study: Study, spec: str) -> JSON:
        """How somebody who does not learn fares against the random player."""
        games = MATCH[study.scale]

        def compute() -> JSON:
            return results(player(spec, GAME), "random", games, 0)

        return study.part(f"{spec} against random", {"match": games}, compute)


@dataclass(frozen=True)
class UrReport:
    """Everything that was measured, and what it says."""

    runs: Mapping[str, Sequence[JSON]]
    """By label, for each seed: `Run.measured`, with what `ur.play` found."""
    levels: Mapping[str, Tally]
    """How those who do not learn fare against the random player."""
    exact: Sequence[Mapping[str, float]]
    """The chance of winning with each move of the paper's positions."""

    # ------------------------------------------------------------------ rows and tables

    def rows(self) -> list[Row]:
        """The paper's table 1, then everybody else, then how far the best is from perfect play."""
        rows = []
        for label, runs in self.runs.items():
            paper = TABLE_1.get(label)
            measure, where = f"{label}: won against random", "table 1" if paper else ""
            ours = self.score(label, "random")
            rows.append(Row.compare(measure, ours, len(runs), paper, where, paper_games=PAPER_GAMES))
        for spec, level in self.levels.items():
            rows.append(Row.compare(f"`{spec}`: won against random", share_over_games([_points(level)]), 0))
        best = self.best()
        seeds = len(self.runs[best])
        lost = "chance of winning lost by a decision"
        return [
            *rows,
            Row.compare(f"{best}: won against perfect play", self.score(best, "optimal"), seeds),
            Row.compare(f"{best}: {lost}", self.mean(best, "regret"), seeds),
        ]

    def tables(self) -> list[ReportTable]:
        """The paper's table 1, all learners, and the positions."""
        return [self.table_1(), self.table_of_all(), self.table_of_positions()]

    def table_1(self) -> ReportTable:
        """The paper's table with the intervals that its 100 games have, and ours over 100 games and over all."""
        rows = []
        for label, paper in TABLE_1.items():
            hundreds = [Tally(*run["matches"]["against"]["random"]["first 100"]) for run in self.runs[label]]
            ours, ci95 = self.score(label, "random")
            by_seed = ", ".join(str(each.wins) for each in hundreds)
            theirs = percent(paper), format_interval(wilson(PAPER_GAMES * paper, PAPER_GAMES))
            rows.append([label, *theirs, by_seed, percent(ours), format_interval(ci95 or (ours, ours))])
        heads = ("algorithm", "paper, 100 games", "its 95 % interval", "ours, won of 100", "ours, all games")
        return ReportTable("table-1", "Games won against a random player", (*heads, "95 % interval"), rows)

    def table_of_all(self) -> ReportTable:
        rows: list[list[str | None]] = []
        for label, runs in self.runs.items():
            tabular = "known" in runs[0]["matches"]
            rows.append(
                [
                    label,
                    *(percent(self.score(label, spec).value) for spec in OPPONENTS),
                    f"{100 * self.mean(label, 'regret').value:.2f} %",
                    percent(self.mean(label, "best").value),
                    percent(self.mean(label, "known").value) if tabular else None,
                    f"{self.last_length(label):.0f}",
                    f"{mean_or_span([run['seconds'] for run in runs]).value:.0f} s",
                ]
            )
        heads = ("learner", *(f"won against {spec}" for spec in OPPONENTS), "lost by a decision", "best moves")
        return ReportTable(
            "all-learners",
            "Every learner, and how far it is from perfect play",
            (*heads, "decisions known", "moves in its last games", "training"),
            rows,
        )

    def table_of_positions(self) -> ReportTable:
        """For each strategic position what is best, and how many of the seeds play what."""
        rows = []
        for number, (position, values) in enumerate(zip(POSITIONS, self.exact, strict=True)):
            best_first = sorted(values, key=lambda move: -values[move])
            chances = ", ".join(f"{move} {percent(values[move])}" for move in best_first)
            played = [_played([run["matches"]["moves"][number]["move"] for run in runs]) for runs in self.runs.values()]
            rows.append([position.figure, position.text, position.about, position.paper, chances, *played])
        heads = ("figure", "position", "what it shows", "the paper's move", "chance of winning", *self.runs)
        return ReportTable("positions", "The paper's strategic positions: who plays what", heads, rows)

    # ------------------------------------------------------------------ figures

    def figures(self) -> list[Figure]:
        """Figure 7, figures 8 to 10, and figure 12."""

        def series(label: str, of_run: Callable[[JSON], list[float]]) -> Series:
            runs = self.runs[label]
            return banded(label, runs[0]["games"], list(map(mean_or_span, zip(*map(of_run, runs), strict=True))))

        values = {label: series(label, _values) for label in NUMBERS}
        state, axes = "Value of ((3, (a3)), (3, (c3)), 1)", ("episodes", "points")
        lengths = [series(label, _lengths) for label in NUMBERS]
        each = [Panel(f"figure {number}: {label}", *axes, [values[label]]) for label, number in NUMBERS.items()]
        return [
            Figure("figure-7", "Time to finish", [Panel("", "episodes", "moves of both players", lengths)]),
            Figure("figures-8-10", state, each),
            Figure("figure-12", f"{state}, all three", [Panel("", *axes, list(values.values()))]),
        ]

    # ------------------------------------------------------------------ in words

    def findings(self) -> list[str]:
        return [
            self._ceiling(),
            self._luck(),
            self._visits(),
            self._points(),
            self._time(),
            self._closest(),
            self._strategy(),
        ]

    def _ceiling(self) -> str:
        perfect, formula = self.levels["optimal"].score or 0.0, self.levels["greedy"].score or 0.0
        ours = self.score("Q-learning", "random").value
        way = [percent((share - 0.5) / (perfect - 0.5)) for share in (TABLE_1["Q-learning"], ours)]
        levels = [percent(share) for share in (perfect, formula, ours)]
        return (
            f"Perfect play beats the random player in {levels[0]} of games, and a formula that looks one move ahead "
            f"(`greedy`) in {levels[1]}. Whoever plays at random wins half. So the paper's best, 60 %, is {way[0]} of "
            f"the way from chance to perfection; our Q-learning, {levels[2]}, is {way[1]} of it."
        )

    def _luck(self) -> str:
        spans = {label: wilson(PAPER_GAMES * share, PAPER_GAMES) for label, share in TABLE_1.items()}
        chance = [label for label, (low, _) in spans.items() if low <= 0.5]
        return (
            f"A hundred games say little. 60 wins stand for {format_interval(spans['Q-learning'])}, and the intervals "
            f"of {_names(chance)} hold 50 %: the paper's table 1 does not show that these learned at all."
        )

    def _visits(self) -> str:
        label = "Q-learning"
        filled, known = (percent(self.mean(label, what).value) for what in ("filled", "known"))
        return (
            f"There is more to see than can be visited. {label} ends with an entry other than 0 in {filled} of the "
            f"decisions that play can reach, and in {known} of those that random play meets and that matter. Where it "
            "knows nothing it plays at random."
        )

    def _points(self) -> str:
        compared, helped, hurt = [], [], []
        for label in (*TABLE_1, "DQN", "Double DQN"):
            paid = f"{label}, paid for winning"
            points, won = self.score(label, "random"), self.score(paid, "random")
            lengths = [f"{self.last_length(each):.0f}" for each in (label, paid)]
            shares = [percent(each.value) for each in (points, won)]
            compared.append(f"{label} {' and '.join(shares)} ({' and '.join(lengths)} moves a game)")
            low, high = points.ci95 or (points.value, points.value)
            helped += [label] if won.value < low else []
            hurt += [label] if won.value > high else []
        return (
            "The points are not the game. Paid by the paper's points and paid for winning alone, learners beat random "
            f"in: {'; '.join(compared)}. Points help {_names(helped)}, since they come early, and hurt {_names(hurt)}: "
            "those for b4 and for captures can be earned again and again, and collecting them puts off the end of the "
            "game."
        )

    def _time(self) -> str:
        """Figure 7: which way the length of games goes while each of the three learns."""
        ends = {
            label: [mean_or_span([_lengths(run)[at] for run in self.runs[label]]).value for at in (0, -1)]
            for label in TABLE_1
        }
        ends_of = [f"{label} from {first:.0f} to {last:.0f} moves" for label, (first, last) in ends.items()]
        return (
            "In the paper's figure 7 the time to finish falls while its agents learn. In ours it does not: "
            f"{'; '.join(ends_of)}. What these learners are paid for takes time."
        )

    def _closest(self) -> str:
        best = self.best()
        shares = [percent(self.score(best, spec).value) for spec in OPPONENTS]
        cost, moves = 100 * self.mean(best, "regret").value, percent(self.mean(best, "best").value)
        return (
            f"Closest to perfect play is {best}: a decision costs {cost:.2f} % of a win on average, {moves} of its "
            f"moves are best ones, and it wins {shares[0]} against random, {shares[1]} against greedy and {shares[2]} "
            "against perfect play, where half is perfect."
        )

    def _strategy(self) -> str:
        answers = [
            values[run["matches"]["moves"][number]["move"]] >= max(values.values()) - 1e-6
            for label in TABLE_1
            for run in self.runs[label]
            for number, values in enumerate(self.exact)
        ]
        return (
            f"In the strategic positions the paper's three learners play a best move {sum(answers)} times of "
            f"{len(answers)}. In figure 11 nothing has to be saved at once: from b5 a throw of 1 or 2 misses b8."
        )

    # ------------------------------------------------------------------ numbers

    def best(self) -> str:
        """The learner that loses least by a decision."""
        return min(self.runs, key=lambda label: self.mean(label, "regret").value)

    def score(self, label: str, spec: str) -> Estimate:
        """Points per game against `spec` over all seeds."""
        return share_over_games([_points(Tally(*run["matches"]["against"][spec]["all"])) for run in self.runs[label]])

    def mean(self, label: str, what: str) -> Estimate:
        """The mean of a figure over the seeds."""
        return mean_or_span([run["matches"][what] for run in self.runs[label]])

    def last_length(self, label: str) -> float:
        """Moves in a game at the end of training."""
        return mean_or_span([_lengths(run)[-1] for run in self.runs[label]]).value


def _points(level: Tally) -> tuple[float, int]:
    return level.wins + level.draws / 2, level.games


def _lengths(run: JSON) -> list[float]:
    """Moves in a game while it trained, point by point."""
    return [length for (length,) in run["curves"]["length"]]


def _values(run: JSON) -> list[float]:
    """What the watched state was worth, point by point."""
    return [each["value"] for each in run["evaluations"] if each["after"]]


def _played(moves: Sequence[str]) -> str:
    """`b8-a8`, or with counts where seeds differ."""
    counts = {move: moves.count(move) for move in sorted(set(moves), key=lambda move: (-moves.count(move), move))}
    return next(iter(counts)) if len(counts) == 1 else ", ".join(f"{move} {count}" for move, count in counts.items())


def _names(names: Sequence[str]) -> str:
    return " and ".join(names) if names else "nobody"
