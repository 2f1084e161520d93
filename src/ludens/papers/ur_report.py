"""What the runs on Ur say: rows, tables, figures and sentences, all computed from the figures that were kept."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ludens.arena.statistics import Tally, mean_interval, wilson
from ludens.papers.paper import JSON, Figure, Panel, Row, Series, Table, verdict
from ludens.papers.ur_runs import Position
from ludens.papers.wording import percent

TABLE_1 = {"Q-learning": 0.60, "Monte Carlo": 0.55, "Expected Sarsa": 0.54}
"""The paper's table 1: won against the random player, of 100 games."""
HUNDRED = 100
NUMBERS = {"Monte Carlo": 8, "Q-learning": 9, "Expected Sarsa": 10}
"""The figures with the value of a state."""
OPPONENTS = ("random", "greedy", "optimal")

Interval = tuple[float, float]


@dataclass(frozen=True)
class Findings:
    """All that was measured."""

    runs: Mapping[str, Sequence[JSON]]
    """What `ur_runs.measure` found, by label, for each seed."""
    levels: Mapping[str, Tally]
    """How those who do not learn fare against the random player."""
    positions: Sequence[Position]
    exact: Sequence[Mapping[str, float]]
    """The chance of winning with each move of these."""

    # ------------------------------------------------------------------ rows and tables

    def rows(self) -> list[Row]:
        """The paper's table 1, then everybody else, then how far the best is from perfect play."""
        rows = []
        for label, runs in self.runs.items():
            paper, (ours, ci95) = TABLE_1.get(label), self.score(label, "random")
            where = "table 1" if paper else ""
            rows.append(
                Row(f"{label}: won against random", paper, ours, ci95, len(runs), verdict(paper, ours, ci95), where)
            )
        for spec, level in self.levels.items():
            ci95 = wilson(level.wins, level.games)
            rows.append(Row(f"`{spec}`: won against random", None, level.score or 0.0, ci95, 0, "ours alone"))
        best = self.best()
        seeds = len(self.runs[best])
        for what, (ours, ci95) in {
            "won against perfect play": self.score(best, "optimal"),
            "chance of winning lost by a decision": self.mean(best, "regret"),
        }.items():
            rows.append(Row(f"{best}: {what}", None, ours, ci95, seeds, "ours alone"))
        return rows

    def table_1(self) -> Table:
        """The paper's table with the intervals that its 100 games have, and ours over 100 games and over all."""
        rows = []
        for label, paper in TABLE_1.items():
            hundreds = [Tally(*run["matches"]["random"]["first 100"]) for run in self.runs[label]]
            ours, ci95 = self.score(label, "random")
            by_seed = ", ".join(str(each.wins) for each in hundreds)
            chance = wilson(HUNDRED * paper, HUNDRED)
            rows.append([label, _percent(paper), _span(chance), by_seed, _percent(ours), _span(ci95)])
        heads = ("algorithm", "paper, 100 games", "its 95 % interval", "ours, won of 100", "ours, all games")
        return Table("table-1", "Games won against a random player", (*heads, "95 % interval"), rows)

    def table_of_all(self) -> Table:
        """Every learner against everybody."""
        rows: list[list[str | None]] = []
        for label, runs in self.runs.items():
            tabular = "known" in runs[0]
            rows.append(
                [
                    label,
                    *(_percent(self.score(label, spec)[0]) for spec in OPPONENTS),
                    f"{100 * self.mean(label, 'regret')[0]:.2f} %",
                    _percent(self.mean(label, "best")[0]),
                    _percent(self.mean(label, "known")[0]) if tabular else None,
                    f"{self.last_length(label):.0f}",
                    f"{self.mean(label, 'seconds')[0]:.0f} s",
                ]
            )
        heads = ("learner", *(f"won against {spec}" for spec in OPPONENTS), "lost by a decision", "best moves")
        return Table(
            "all-learners",
            "Every learner, and how far it is from perfect play",
            (*heads, "decisions known", "moves in its last games", "training"),
            rows,
        )

    def table_of_positions(self) -> Table:
        """For each strategic position what is best, and how many of the seeds play what."""
        rows = []
        for number, (position, values) in enumerate(zip(self.positions, self.exact, strict=True)):
            best_first = sorted(values, key=lambda move: -values[move])
            chances = ", ".join(f"{move} {_percent(values[move])}" for move in best_first)
            played = [_played([run["moves"][number]["move"] for run in runs]) for runs in self.runs.values()]
            rows.append([position.figure, position.text, position.about, position.paper, chances, *played])
        heads = ("figure", "position", "what it shows", "the paper's move", "chance of winning", *self.runs)
        return Table("positions", "The paper's strategic positions: who plays what", heads, rows)

    # ------------------------------------------------------------------ figures

    def figures(self) -> list[Figure]:
        """Figure 7, figures 8 to 10, and figure 12."""

        def series(label: str, what: str) -> Series:
            runs = self.runs[label]
            points = [_mean(values) for values in zip(*(run[what] for run in runs), strict=True)]
            low, high = ([ci95[side] for _, ci95 in points] for side in (0, 1))
            return Series(label, runs[0]["games"], [mean for mean, _ in points], low, high)

        values = {label: series(label, "value") for label in NUMBERS}
        state, axes = "Value of ((3, (a3)), (3, (c3)), 1)", ("episodes", "points")
        lengths = [series(label, "length") for label in NUMBERS]
        each = [Panel(f"figure {number}: {label}", *axes, [values[label]]) for label, number in NUMBERS.items()]
        return [
            Figure("figure-7", "Time to finish", [Panel("", "episodes", "moves of both players", lengths)]),
            Figure("figures-8-10", state, each),
            Figure("figure-12", f"{state}, all three", [Panel("", *axes, list(values.values()))]),
        ]

    # ------------------------------------------------------------------ in words

    def in_words(self) -> list[str]:
        """What a reader should take away."""
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
        ours = self.score("Q-learning", "random")[0]
        way = [_percent((share - 0.5) / (perfect - 0.5)) for share in (TABLE_1["Q-learning"], ours)]
        return (
            f"Perfect play beats the random player in {_percent(perfect)} of games, and a formula that looks one move "
            f"ahead (`greedy`) in {_percent(formula)}. Whoever plays at random wins half. So the paper's best, 60 %, "
            f"is {way[0]} of the way from chance to perfection; our Q-learning, {_percent(ours)}, is {way[1]} of it."
        )

    def _luck(self) -> str:
        spans = {label: wilson(HUNDRED * share, HUNDRED) for label, share in TABLE_1.items()}
        chance = [label for label, (low, _) in spans.items() if low <= 0.5]
        return (
            f"A hundred games say little. 60 wins stand for {_span(spans['Q-learning'])}, and the intervals of "
            f"{_list(chance)} hold 50 %: the paper's table 1 does not show that these learned at all."
        )

    def _visits(self) -> str:
        label = "Q-learning"
        return (
            f"There is more to see than can be visited. {label} ends with an entry other than 0 in "
            f"{_percent(self.mean(label, 'filled')[0])} of the decisions that play can reach, and in "
            f"{_percent(self.mean(label, 'known')[0])} of those that random play meets and that matter. Where it knows "
            "nothing it plays at random."
        )

    def _points(self) -> str:
        said, helped, hurt = [], [], []
        for label in (*TABLE_1, "DQN", "Double DQN"):
            paid = f"{label}, paid for winning"
            (points, (low, high)), (won, _) = self.score(label, "random"), self.score(paid, "random")
            lengths = [f"{self.last_length(each):.0f}" for each in (label, paid)]
            said.append(f"{label} {_percent(points)} and {_percent(won)} ({lengths[0]} and {lengths[1]} moves a game)")
            helped += [label] if won < low else []
            hurt += [label] if won > high else []
        return (
            "The points are not the game. Paid by the paper's points and paid for winning alone, learners beat random "
            f"in: {'; '.join(said)}. Points help {_list(helped)}, since they come early, and hurt {_list(hurt)}: those "
            "for b4 and for captures can be earned again and again, and collecting them puts off the end of the game."
        )

    def _time(self) -> str:
        """Figure 7: which way the length of games goes while each of the three learns."""
        ends = {
            label: [_mean([run["length"][at] for run in self.runs[label]])[0] for at in (0, -1)] for label in TABLE_1
        }
        said = [f"{label} from {first:.0f} to {last:.0f} moves" for label, (first, last) in ends.items()]
        return (
            "In the paper's figure 7 the time to finish falls while its agents learn. In ours it does not: "
            f"{'; '.join(said)}. What these learners are paid for takes time."
        )

    def _closest(self) -> str:
        best = self.best()
        shares = [_percent(self.score(best, spec)[0]) for spec in OPPONENTS]
        return (
            f"Closest to perfect play is {best}: a decision costs {100 * self.mean(best, 'regret')[0]:.2f} % of a win "
            f"on average, {_percent(self.mean(best, 'best')[0])} of its moves are best ones, and it wins {shares[0]} "
            f"against random, {shares[1]} against greedy and {shares[2]} against perfect play, where half is perfect."
        )

    def _strategy(self) -> str:
        answers = [
            values[run["moves"][number]["move"]] >= max(values.values()) - 1e-6
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
        return min(self.runs, key=lambda label: self.mean(label, "regret")[0])

    def score(self, label: str, spec: str) -> tuple[float, Interval]:
        """Points per game against `spec` over all seeds, and the wider of the games' and the seeds' intervals."""
        tallies = [Tally(*run["matches"][spec]["all"]) for run in self.runs[label]]
        points, games = sum(each.wins + each.draws / 2 for each in tallies), sum(each.games for each in tallies)
        by_games, by_seeds = wilson(points, games), _mean([each.score or 0.0 for each in tallies])[1]
        wider = len(tallies) > 2 and by_seeds[1] - by_seeds[0] > by_games[1] - by_games[0]
        return points / games, by_seeds if wider else by_games

    def mean(self, label: str, what: str) -> tuple[float, Interval]:
        """The mean of a figure over the seeds."""
        return _mean([run[what] for run in self.runs[label]])

    def last_length(self, label: str) -> float:
        """Moves in a game at the end of training."""
        return _mean([run["length"][-1] for run in self.runs[label]])[0]


def _mean(values: Sequence[Any]) -> tuple[float, Interval]:
    """The mean and Student's interval for it; of fewer than three values, their span."""
    mean = math.fsum(values) / len(values)
    return mean, (min(values), max(values)) if len(values) < 3 else mean_interval(values)


def _played(moves: Sequence[str]) -> str:
    """`b8-a8`, or with counts where seeds differ."""
    counts = {move: moves.count(move) for move in sorted(set(moves), key=lambda move: (-moves.count(move), move))}
    return next(iter(counts)) if len(counts) == 1 else ", ".join(f"{move} {count}" for move, count in counts.items())


def _list(names: Sequence[str]) -> str:
    return " and ".join(names) if names else "nobody"


def _percent(share: float) -> str:
    return f"{percent(share)} %"


def _span(ci95: Interval) -> str:
    return f"{percent(ci95[0])} to {percent(ci95[1])} %"
