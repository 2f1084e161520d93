"""What the parts of the reproduction of the thesis on Okey say: rows, tables and figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from ludens.arena.statistics import mean_interval, wilson
from ludens.papers.okey_plans import (
    BASELINE,
    CHAPTER_4,
    EPISODES,
    FOUR_SEATS,
    GREEDY,
    REAL,
    THESIS,
    TWO_SEATS,
    WISHED,
    best,
    causes,
    chance,
    limits,
    references,
)
from ludens.papers.okey_runs import SAMPLED
from ludens.papers.paper import JSON, Figure, Panel, Row, Scale, Series, Table, verdict
from ludens.papers.wording import percent

Interval: TypeAlias = tuple[float, float]
Estimate: TypeAlias = tuple[float, Interval | None]
"""A figure and its 95 % interval, None where it was measured once."""
Counts: TypeAlias = Sequence[Sequence[int]]
"""Won, drawn and lost, for each seed."""
OUTCOMES = ("won", "drawn", "lost")


@dataclass(frozen=True)
class Report:
    """Everything that was measured."""

    scale: Scale
    seeds: int
    runs: Mapping[str, JSON]
    """What `okey_runs.measure` found, by label."""
    references: Mapping[str, Counts]
    """What `okey_runs.refer` found, by label."""

    # ------------------------------------------------------------------ numbers

    def total(self, label: str, what: str) -> Estimate:
        """A figure over all games of training."""
        run = self.runs[label]
        values = run["totals"][what]
        if what in OUTCOMES:
            return share([(value * run["games"][-1], run["games"][-1]) for value in values])
        return over_seeds(values)

    def last(self, label: str, what: str) -> float:
        """A figure when it was last measured in training, over all seeds."""
        measured = ([value for value in values if value is not None] for values in self.runs[label]["curves"][what])
        return fmean([values for values in measured if values][-1])

    def result(self, label: str, opponent: str, outcome: str) -> Estimate:
        """The share of games of an evaluation after training that ended so."""
        return outcome_of(self.runs[label]["evaluations"][opponent], outcome)

    def decided(self, label: str, opponent: str) -> Estimate:
        """The share won of the games of an evaluation that somebody won."""
        return decided_of(self.runs[label]["evaluations"][opponent])

    # ------------------------------------------------------------------ rows

    def rows(self) -> list[Row]:
        """Ours beside the thesis's."""
        rows = []
        for number, (label, thesis) in enumerate(CHAPTER_4.items(), start=1):
            where = f"chapter 4, run {number}"
            for what in OUTCOMES:
                paper = getattr(thesis, what) / EPISODES
                rows.append(self._row(f"{what} in training, {label}", paper, self.total(label, what), where, what))
            for what, name in (("draw_reward", "draws"), ("discard_reward", "discards")):
                ours = self.total(label, what)
                paper = getattr(thesis, what)
                rows.append(self._row(f"paid for {name}, {label}", paper, ours, where, what, "points/episode"))
        return [*rows, *self._best_rows(), *self._speeds()]

    def _best_rows(self) -> list[Row]:
        rows = [
            self._row("won against the opponent, PPO", WISHED, self.result(TWO_SEATS, THESIS, "won"), "chapter 4, wish")
        ]
        for label in (TWO_SEATS, FOUR_SEATS):
            for opponent, name in ((THESIS, "the opponent"), (GREEDY, "okey-greedy")):
                seats = "three times " if label == FOUR_SEATS else ""
                for what in OUTCOMES:
                    if (label, opponent, what) != (TWO_SEATS, THESIS, "won"):
                        measure = f"{what} against {seats}{name}, {label}"
                        rows.append(self._row(measure, None, self.result(label, opponent, what)))
                measure = f"won of the decided games against {seats}{name}, {label}"
                rows.append(self._row(measure, None, self.decided(label, opponent)))
        return rows

    def _speeds(self) -> list[Row]:
        return [
            Row(
                f"training, {label}, {run['device']}",
                None,
                run["rate"],
                None,
                self.seeds,
                "ours alone",
                unit="episodes/s",
            )
            for label, run in self.runs.items()
            if run["rate"]
        ]

    def _row(
        self, measure: str, paper: float | None, ours: Estimate, where: str = "", what: str = "", unit: str = "share"
    ) -> Row:
        value, ci95 = ours
        # The thesis would turn draws into wins, so fewer of them are better, too.
        known = verdict(paper, value, ci95, more_is_better=what not in ("drawn", "lost"))
        return Row(measure, paper, value, ci95, self.seeds, known, where, unit)

    # ------------------------------------------------------------------ tables

    def tables(self) -> list[Table]:
        """One for each group of parts."""
        return [self._chapter_4(), self._references(), self._causes(), self._limits(), self._best()]

    def _chapter_4(self) -> Table:
        heads = ["run", "who", "episodes", *(f"{what}, %" for what in OUTCOMES)]
        heads += ["paid for draws", "paid for discards", "own turns", "free tiles thrown, %", "entropy at the end"]
        rows: list[list[str | float | int | None]] = []
        for label, thesis in CHAPTER_4.items():
            shares = [round(100 * count / EPISODES, 3) for count in thesis[:3]]
            rows.append([label, "thesis", EPISODES, *shares, thesis.draw_reward, thesis.discard_reward, *[None] * 3])
            ours = [self.total(label, what)[0] for what in ("draw_reward", "discard_reward", "turns")]
            free, entropy = 100 * self.total(label, "free")[0], self.last(label, "entropy")
            shares = [100 * self.total(label, what)[0] for what in OUTCOMES]
            rows.append([label, "ours", self.runs[label]["games"][-1], *shares, *ours, free, entropy])
            for key, who in ((THESIS, "after training, greedy"), (SAMPLED, "after training, not greedy")):
                counts = self.runs[label]["evaluations"][key]
                shares = [100 * outcome_of(counts, what)[0] for what in OUTCOMES]
                rows.append([label, who, sum(map(sum, counts)), *shares, *[None] * 5])
        return Table("table-1", "The four runs of chapter 4", heads, rows)

    def _references(self) -> Table:
        heads = ["who", "games", *(f"{what}, %" for what in OUTCOMES), "won of the decided games, %"]
        rows: list[list[str | float | int | None]] = [
            [each.label, *_shares(self.references[each.label]), said(decided_of(self.references[each.label]))]
            for each in references(self.scale)
        ]
        return Table("table-2", "Without training, against the opponent of the thesis", heads, rows)

    def _causes(self) -> Table:
        heads = ["the greedy run with replay", "episodes", "won in training, %", "free tiles thrown, %"]
        heads += ["entropy at the end", "td-error at the end, points", "mean place at the end"]
        heads += ["age of what is replayed, share of the replay", "won after training, %"]
        rows: list[list[str | float | int | None]] = []
        for cause, plan in causes(self.scale).items():
            label = plan.label
            ends = [self.last(label, what) for what in ("entropy", "td_error", "place")]
            games, free = self.runs[label]["games"][-1], 100 * self.total(label, "free")[0]
            won = said(self.total(label, "won"))
            age = self.last(label, "replay_age") if "replay_age" in self.runs[label]["curves"] else None
            rows.append([cause, games, won, free, *ends, age, said(self.result(label, THESIS, "won"))])
        return Table("table-3", "What makes the greedy run with replay collapse", heads, rows)

    def _limits(self) -> Table:
        heads = ["lifted", "episodes", *(f"{what} in training, %" for what in OUTCOMES)]
        heads += [f"{what} after training, %" for what in OUTCOMES]
        heads += ["won of the decided games after training, %", "chance, %"]
        rows: list[list[str | float | int | None]] = []
        for limit, plan in limits(self.scale).items():
            label = plan.label
            training = [said(self.total(label, what)) for what in OUTCOMES]
            after = [said(self.result(label, THESIS, what)) for what in OUTCOMES]
            rows.append(
                [
                    "nothing" if limit == BASELINE else limit,
                    *(self.runs[label]["games"][-1], *training, *after),
                    *(said(self.decided(label, THESIS)), 100 * chance(plan.variant)),
                ]
            )
        return Table("table-4", "The limits of chapter 5, lifted one at a time", heads, rows)

    def _best(self) -> Table:
        heads = ["who", "against", "games", *(f"{what}, %" for what in OUTCOMES), "won of the decided games, %"]
        heads.append("chance, %")
        rows: list[list[str | float | int | None]] = []
        for plan in best(self.scale):
            for opponent in plan.evaluations:
                counts = self.runs[plan.label]["evaluations"][opponent]
                shares = [said(self.result(plan.label, opponent, what)) for what in OUTCOMES]
                name = f"three times {opponent}" if plan.variant == REAL else opponent
                decided = said(self.decided(plan.label, opponent))
                rows.append([plan.label, name, sum(map(sum, counts)), *shares, decided, 100 * chance(plan.variant)])
        return Table("table-5", "Beyond the thesis", heads, rows)

    # ------------------------------------------------------------------ figures

    def figures(self) -> list[Figure]:
        """Curves over training."""
        four, why = list(CHAPTER_4), {cause: plan.label for cause, plan in causes(self.scale).items()}
        lifted = {limit: plan.label for limit, plan in limits(self.scale).items()}
        by_run = {label: label for label in four}
        record = max(CHAPTER_4.values(), key=lambda each: each.won).won / EPISODES
        equal = {f"{name} equal players": chance({"players": seats}) for name, seats in (("two", 2), ("four", 4))}
        learned = {plan.label: plan.label for plan in best(self.scale)}
        paid = {f"thesis, {label}": thesis.discard_reward for label, thesis in CHAPTER_4.items()}
        return [
            Figure(
                "chapter-4",
                "The four runs of chapter 4",
                [
                    self._panel("won", "share won", by_run, {"thesis, its best run": record}),
                    self._panel("paid for discards", "points/episode", by_run, paid, "discard_reward"),
                    self._panel("free tiles", "share of discards", by_run, {}, "free"),
                ],
            ),
            Figure(
                "causes",
                "The greedy run with replay, one thing changed at a time",
                [
                    self._panel("how undecided the discard actor is", "entropy", why, {}, "entropy"),
                    self._panel("which of its tiles it throws", "mean place", why, {}, "place"),
                    self._panel("free tiles", "share of discards", why, {}, "free"),
                ],
            ),
            Figure("limits", "Limits lifted", [self._panel("won in training", "share won", lifted, {})]),
            Figure(
                "best",
                "PPO against the opponent of the thesis, while it learns",
                [self._panel("won in training", "share won", learned, equal)],
            ),
        ]

    def _panel(
        self, title: str, y: str, labels: Mapping[str, str], lines: Mapping[str, float], what: str = "won"
    ) -> Panel:
        """A curve for each of `labels`, with a band where there are several seeds."""
        series = []
        for name, label in labels.items():
            run = self.runs[label]
            known = [
                (games, [value for value in values if value is not None])
                for games, values in zip(run["games"], run["curves"][what], strict=True)
            ]
            points = [(games, values) for games, values in known if values]
            band = (
                ([min(values) for _, values in points], [max(values) for _, values in points])
                if self.seeds > 1
                else (None, None)
            )
            series.append(Series(name, [games for games, _ in points], [fmean(values) for _, values in points], *band))
        return Panel(title, "episodes", y, series, dict(lines))


def share(counts: Sequence[tuple[float, float]]) -> Estimate:
    """Hits and trials of each seed: the share, with Wilson's interval for one seed and Student's for several."""
    if len(counts) == 1:
        hits, trials = counts[0]
        return (hits / trials if trials else 0.0), wilson(hits, round(trials))
    value, ci95 = over_seeds([hits / trials if trials else 0.0 for hits, trials in counts])
    return value, ci95 and (max(0.0, ci95[0]), min(1.0, ci95[1]))


def over_seeds(values: Sequence[float]) -> Estimate:
    """The mean of a figure and Student's interval."""
    return fmean(values), mean_interval(values) if len(values) > 1 else None


def outcome_of(counts: Counts, outcome: str) -> Estimate:
    """The share of games that ended so."""
    return share([(each[OUTCOMES.index(outcome)], sum(each)) for each in counts])


def decided_of(counts: Counts) -> Estimate:
    """The share won of the games that somebody won."""
    return share([(each[0], each[0] + each[2]) for each in counts])


def said(estimate: Estimate) -> str:
    """`5.9 (5.1 to 6.8)`, in percent."""
    value, ci95 = estimate
    return percent(value) + (f" ({percent(ci95[0])} to {percent(ci95[1])})" if ci95 else "")


def _shares(counts: Counts) -> list[float]:
    return [sum(map(sum, counts)), *(100 * outcome_of(counts, what)[0] for what in OUTCOMES)]
