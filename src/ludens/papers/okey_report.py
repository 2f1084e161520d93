"""What the reproduction of the thesis on Okey says: rows, tables, figures and findings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import ClassVar, TypeAlias

from ludens.games.okey import Okey
from ludens.papers import okey
from ludens.papers.codec import JSON
from ludens.papers.estimates import clearly_more, mean_over_seeds, share_over_seeds, spanned
from ludens.papers.experiment import Paper, Part, Run
from ludens.papers.format import format_spread, percent, with_interval
from ludens.papers.okey import CHAPTER_4, EPISODES, THESIS
from ludens.papers.results import Better, Estimate, Figure, Panel, ReportTable, Results, Row, Scale
from ludens.papers.study import Study

Counts: TypeAlias = Sequence[Sequence[int]]
"""Won, drawn and lost, for each seed."""
Cells: TypeAlias = list[list[str | float | int | None]]
OUTCOMES = ("won", "drawn", "lost")
BETTER: Mapping[str, Better] = {"won": "more", "drawn": None, "lost": "less"}
"""Draws may become wins or losses."""
FREE = 5
"""The most that throwing a tile pays."""
CERTAIN = 0.1
"""An actor whose entropy is below this does nearly always the same in the same position."""
STUBBORN = 0.02
"""A mean place that is so close to a whole number is nearly always the same place."""


class OkeyPaper(Paper):
    """The four runs of chapter 4, and beyond."""

    name: ClassVar[str] = "okey"
    title: ClassVar[str] = "Playing the Turkish tile game Okey with deep reinforcement learning"
    reference: ClassVar[str] = "I. Uygun, master's thesis, 2019"
    usual_seeds: ClassVar[Mapping[Scale, int]] = {"quick": 1, "full": 1}

    def run(self, study: Study) -> Results:
        still = {each.label: okey.referred(study, each) for each in okey.references(study.scale)}
        runs = {plan.label: Run.together(study, plan).measured() for plan in okey.trained(study.scale)}
        report = OkeyReport(study.scale, study.seeds, runs, still)
        return Results(report.rows(), report.tables(), report.figures(), findings(report), okey.deviations(study.scale))

    def runs(self, study: Study) -> list[Run]:
        runs = [Run.together(study, plan) for plan in okey.trained(study.scale)]
        return sorted(runs, key=lambda run: run.plan.label.startswith("cause"))  # which are short

    def parts(self, study: Study) -> Mapping[str, Part]:
        references = okey.references(study.scale)
        still = {okey.still(each): Part(partial(okey.referred, study, each), on_cores=True) for each in references}
        return {**super().parts(study), **still}


@dataclass(frozen=True)
class OkeyReport:
    """Everything that was measured, and what it says."""

    scale: Scale
    seeds: int
    runs: Mapping[str, JSON]
    """By label: `Run.measured`, with what `okey.play` found."""
    references: Mapping[str, Counts]
    """What `okey.play_reference` found, by label."""

    def total(self, label: str, what: str) -> Estimate:
        """A figure over all games of training, every chunk counting by its games."""
        run = self.runs[label]
        ends = run["games"]
        sizes = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
        values = [_weighted(of_seed, sizes) for of_seed in zip(*run["curves"][what], strict=True)]
        if what in OUTCOMES:
            return share_over_seeds([(value * ends[-1], ends[-1]) for value in values])
        return mean_over_seeds(values)

    def last(self, label: str, what: str) -> float:
        """A figure when it was last measured in training, over all seeds."""
        measured = ([value for value in values if value is not None] for values in self.runs[label]["curves"][what])
        return fmean([values for values in measured if values][-1])

    def result(self, label: str, opponent: str, outcome: str) -> Estimate:
        """The share of games after training that ended so."""
        return share_of(self.runs[label]["matches"][opponent], outcome)

    def decided(self, label: str, opponent: str) -> Estimate:
        """The share won of the games after training that somebody won."""
        return share_of_decided(self.runs[label]["matches"][opponent])

    def rows(self) -> list[Row]:
        rows = []
        for number, (label, thesis) in enumerate(CHAPTER_4.items(), start=1):
            where = f"chapter 4, run {number}"
            for what in OUTCOMES:
                paper, ours = getattr(thesis, what) / EPISODES, self.total(label, what)
                measure, better = f"{what} in training, {label}", BETTER[what]
                rows.append(Row.compare(measure, ours, self.seeds, paper, where, better=better, paper_games=EPISODES))
            for what, name in (("draw_reward", "draws"), ("discard_reward", "discards")):
                # Longer games pay more: neither way is better.
                measure, paper, ours = f"paid for {name}, {label}", getattr(thesis, what), self.total(label, what)
                rows.append(Row.compare(measure, ours, self.seeds, paper, where, unit="points/episode", better=None))
        return [*rows, *self._best_rows(), *self._speeds()]

    def _best_rows(self) -> list[Row]:
        won, where = self.result(okey.TWO_SEATS, THESIS, "won"), "chapter 4, wish"
        rows = [Row.compare("won against the opponent, PPO", won, self.seeds, okey.WISHED, where)]
        for label in (okey.TWO_SEATS, okey.FOUR_SEATS):
            for opponent, name in ((THESIS, "the opponent"), (okey.GREEDY, "okey-greedy")):
                whom = f"against {'three times ' if label == okey.FOUR_SEATS else ''}{name}, {label}"
                for what in OUTCOMES:
                    if (label, opponent, what) != (okey.TWO_SEATS, THESIS, "won"):
                        rows.append(Row.compare(f"{what} {whom}", self.result(label, opponent, what), self.seeds))
                decided = self.decided(label, opponent)
                rows.append(Row.compare(f"won of the decided games {whom}", decided, self.seeds))
        return rows

    def _speeds(self) -> list[Row]:
        return [
            Row.compare(f"training, {label}, {run['device']}", Estimate(run["rate"]), self.seeds, unit="episodes/s")
            for label, run in self.runs.items()
            if run["rate"]
        ]

    def tables(self) -> list[ReportTable]:
        return [self._chapter_4(), self._references(), self._causes(), self._limits(), self._best()]

    def _chapter_4(self) -> ReportTable:
        heads = ["run", "who", "episodes", *(f"{what}, %" for what in OUTCOMES)]
        heads += ["paid for draws", "paid for discards", "own turns", "free tiles thrown, %", "entropy at the end"]
        rows: Cells = []
        for label, thesis in CHAPTER_4.items():
            shares = [round(100 * count / EPISODES, 3) for count in thesis[:3]]
            rows.append([label, "thesis", EPISODES, *shares, thesis.draw_reward, thesis.discard_reward, *[None] * 3])
            ours = [self.total(label, what)[0] for what in ("draw_reward", "discard_reward", "turns")]
            free, entropy = 100 * self.total(label, "free")[0], self.last(label, "entropy")
            shares = [100 * self.total(label, what)[0] for what in OUTCOMES]
            rows.append([label, "ours", self.runs[label]["games"][-1], *shares, *ours, free, entropy])
            for key, who in ((THESIS, "after training, greedy"), (okey.SAMPLED, "after training, not greedy")):
                counts = self.runs[label]["matches"][key]
                shares = [100 * share_of(counts, what)[0] for what in OUTCOMES]
                rows.append([label, who, sum(map(sum, counts)), *shares, *[None] * 5])
        return ReportTable("table-1", "The four runs of chapter 4", heads, rows)

    def _references(self) -> ReportTable:
        heads = ["who", "games", *(f"{what}, %" for what in OUTCOMES), "won of the decided games, %"]
        rows: Cells = []
        for who, counts in self.references.items():
            shares = [100 * share_of(counts, what).value for what in OUTCOMES]
            rows.append([who, sum(map(sum, counts)), *shares, with_interval(share_of_decided(counts))])
        return ReportTable("table-2", "Without training, against the opponent of the thesis", heads, rows)

    def _causes(self) -> ReportTable:
        heads = ["the greedy run with replay", "episodes", "won in training, %", "free tiles thrown, %"]
        heads += ["entropy at the end", "td-error at the end, points", "mean place at the end"]
        heads += ["age of what is replayed, share of the replay", "won after training, %"]
        rows: Cells = []
        for cause, plan in okey.causes(self.scale).items():
            label = plan.label
            ends = [self.last(label, what) for what in ("entropy", "td_error", "place")]
            games, free = self.runs[label]["games"][-1], 100 * self.total(label, "free")[0]
            won = with_interval(self.total(label, "won"))
            age = self.last(label, "replay_age") if "replay_age" in self.runs[label]["curves"] else None
            rows.append([cause, games, won, free, *ends, age, with_interval(self.result(label, THESIS, "won"))])
        return ReportTable("table-3", "What makes the greedy run with replay collapse", heads, rows)

    def _limits(self) -> ReportTable:
        heads = ["lifted", "episodes", *(f"{what} in training, %" for what in OUTCOMES)]
        heads += [f"{what} after training, %" for what in OUTCOMES]
        heads += ["won of the decided games after training, %", "chance, %"]
        rows: Cells = []
        for limit, plan in okey.limits(self.scale).items():
            label = plan.label
            training = [with_interval(self.total(label, what)) for what in OUTCOMES]
            after = [with_interval(self.result(label, THESIS, what)) for what in OUTCOMES]
            decided, games = with_interval(self.decided(label, THESIS)), self.runs[label]["games"][-1]
            lifted = "nothing" if limit == okey.BASELINE else limit
            rows.append([lifted, games, *training, *after, decided, 100 * okey.chance(plan.game)])
        return ReportTable("table-4", "The limits of chapter 5, lifted one at a time", heads, rows)

    def _best(self) -> ReportTable:
        heads = ["who", "against", "games", *(f"{what}, %" for what in OUTCOMES), "won of the decided games, %"]
        heads.append("chance, %")
        rows: Cells = []
        for plan in okey.best(self.scale):
            for opponent in plan.matches:
                counts = self.runs[plan.label]["matches"][opponent]
                shares = [with_interval(self.result(plan.label, opponent, what)) for what in OUTCOMES]
                name = f"three times {opponent}" if plan.label == okey.FOUR_SEATS else opponent
                decided = with_interval(self.decided(plan.label, opponent))
                rows.append([plan.label, name, sum(map(sum, counts)), *shares, decided, 100 * okey.chance(plan.game)])
        return ReportTable("table-5", "Beyond the thesis", heads, rows)

    def figures(self) -> list[Figure]:
        four = {label: label for label in CHAPTER_4}
        why = {cause: plan.label for cause, plan in okey.causes(self.scale).items()}
        lifted = {limit: plan.label for limit, plan in okey.limits(self.scale).items()}
        ppo = {plan.label: plan.label for plan in okey.best(self.scale)}
        record = {"thesis, its best run": max(each.won for each in CHAPTER_4.values()) / EPISODES}
        paid = {f"thesis, {label}": thesis.discard_reward for label, thesis in CHAPTER_4.items()}
        equal = {f"{name} equal players": okey.chance(Okey(players=seats)) for name, seats in (("two", 2), ("four", 4))}
        won = "won in training", "share won"
        chapter_4 = [
            self._panel("won", "share won", four, record),
            self._panel("paid for discards", "points/episode", four, paid, "discard_reward"),
            self._panel("free tiles", "share of discards", four, {}, "free"),
        ]
        causes = [
            self._panel("how undecided the discard actor is", "entropy", why, {}, "entropy"),
            self._panel("which of its tiles it throws", "mean place", why, {}, "place"),
            self._panel("free tiles", "share of discards", why, {}, "free"),
        ]
        return [
            Figure("chapter-4", "The four runs of chapter 4", chapter_4),
            Figure("causes", "The greedy run with replay, one thing changed at a time", causes),
            Figure("limits", "Limits lifted", [self._panel(*won, lifted, {})]),
            Figure("best", "PPO against the opponent of the thesis, while it learns", [self._panel(*won, ppo, equal)]),
        ]

    def _panel(
        self, title: str, y: str, labels: Mapping[str, str], lines: Mapping[str, float], what: str = "won"
    ) -> Panel:
        """A curve for each of `labels`, with a band where there are several seeds."""
        series = []
        for name, label in labels.items():
            run = self.runs[label]
            points = zip(run["games"], run["curves"][what], strict=True)
            games, values = zip(*((x, y) for x, y in points if any(value is not None for value in y)), strict=True)
            series.append(spanned(name, games, values))
        return Panel(title, "episodes", y, series, dict(lines))


def _weighted(values: Sequence[float | None], sizes: Sequence[int]) -> float:
    """The mean of what was measured, by sizes."""
    known = [(value, size) for value, size in zip(values, sizes, strict=True) if value is not None]
    return sum(value * size for value, size in known) / sum(size for _, size in known)


def share_of(counts: Counts, outcome: str) -> Estimate:
    """The share of games that ended so."""
    return share_over_seeds([(each[OUTCOMES.index(outcome)], sum(each)) for each in counts])


def share_of_decided(counts: Counts) -> Estimate:
    """The share won of the games that somebody won."""
    return share_over_seeds([(each[0], each[0] + each[2]) for each in counts])


def findings(report: OkeyReport) -> list[str]:
    first = [_four_runs(report), _opponent(report), _one_place(report), _without_training(report)]
    return [*first, *_collapse(report), _lifted(report), *_beyond(report), *_diverged(report)]


def _four_runs(report: OkeyReport) -> str:
    ours = {label: report.total(label, "won") for label in CHAPTER_4}
    shares = [
        f"{label} {with_interval(ours[label])} % (thesis {percent(thesis.won / EPISODES)})"
        for label, thesis in CHAPTER_4.items()
    ]
    first, theirs = max(ours, key=lambda label: ours[label][0]), max(CHAPTER_4, key=lambda label: CHAPTER_4[label].won)
    same = "as in the thesis" if first == theirs else f"in the thesis it is the run {theirs}"
    return f"Won in training: {'; '.join(shares)}. The run {first} wins most: {same}."


def _opponent(report: OkeyReport) -> str:
    lost, drawn, turns = (
        fmean(report.total(label, what)[0] for label in CHAPTER_4) for what in ("lost", "drawn", "turns")
    )
    theirs = fmean(each.drawn for each in CHAPTER_4.values()) / EPISODES
    most = max(each.discard_reward for each in CHAPTER_4.values())
    return (
        f"The opponent wins {percent(lost)} of our episodes and {percent(drawn)} are drawn; in the thesis "
        f"{percent(okey.WISHED)} and {percent(theirs)}. Ours end after {turns:.0f} own turns on average. A discard "
        f"pays {FREE} at most, so the thesis's {most} points take {math.ceil(most / FREE)} turns or more: its opponent "
        "was slower to finish. Ours lays out its tiles in the best way there is; how the thesis's did is not said."
    )


def _one_place(report: OkeyReport) -> str:
    won, taken = (
        [share_of(report.references[okey.always(place, source)], "won") for place in range(okey.PLACES)]
        for source in (okey.DRAWING, okey.TAKING)
    )
    first = max(range(okey.PLACES), key=lambda place: won[place][0])
    record, worst = (which(each.won for each in CHAPTER_4.values()) / EPISODES for which in (max, min))
    stubborn = [label for label in CHAPTER_4 if _stubborn(report, label)]
    ours = f"At the end of training these do nearly that: {'; '.join(stubborn)}." if stubborn else ""
    return (
        "Who always draws from the centre and throws the tile at one place of the sorted hand, whatever it is, wins "
        f"{format_spread(x.value for x in won)} (place {first}: {with_interval(won[first])} %), "
        f"{percent(fmean(x.value for x in won))} on average over the places: tiles before that place can only make way "
        "for lower ones and those behind it for higher ones, so that the hand gathers at both ends. Whoever always "
        f"takes what is offered wins {format_spread(x.value for x in taken)}. The thesis's best run won "
        f"{percent(record)}, its worst {percent(worst)}: what an agent wins that has settled on one act shows on which "
        f"it has settled, not what it has learned. {ours}"
    ).strip()


def _stubborn(report: OkeyReport, label: str) -> bool:
    """Whether all seeds end with throwing from one place."""
    places = [value for value in report.runs[label]["curves"]["place"][-1] if value is not None]
    return all(abs(place - round(place)) < STUBBORN for place in places)


def _without_training(report: OkeyReport) -> str:
    labels = ["random", "untrained, not greedy", "untrained, greedy", "the opponent itself", okey.GREEDY]
    shares = [f"{label} {with_interval(share_of(report.references[label], 'won'))} %" for label in labels]
    return f"Won against the opponent without training: {'; '.join(shares)}."


def _collapse(report: OkeyReport) -> list[str]:
    """What the runs with one thing changed say about the collapse."""
    labels = {cause: plan.label for cause, plan in okey.causes(report.scale).items()}
    others = [cause for cause in labels if cause != okey.COLLAPSED]
    whole = labels[okey.COLLAPSED]

    def ends(what: str) -> str:
        return "; ".join(f"{cause} {report.last(labels[cause], what):.3g}" for cause in others)

    won = {cause: report.total(label, "won") for cause, label in labels.items()}
    more = [cause for cause in others if clearly_more(won[cause], won[okey.COLLAPSED]) > 0]
    fewer = [cause for cause in others if clearly_more(won[cause], won[okey.COLLAPSED]) < 0]
    settled = {cause: _settled(report, label) for cause, label in labels.items()}
    when = "; ".join(f"{cause} {settled[cause]}" for cause in others)
    stubborn = [cause for cause, label in labels.items() if _stubborn(report, label)]
    return [
        f"The greedy run with replay, one episode after the other: the discard actor is certain (entropy below "
        f"{CERTAIN}) {settled[okey.COLLAPSED]} and stays what it then is. With one thing changed: {when}.",
        f"The critic's error at the end, in points: {report.last(whole, 'td_error'):.3g} as in the thesis; "
        f"{ends('td_error')}. The largest reward is 20 points: where the error is far above, training on the largest "
        "errors has made them larger.",
        f"Always one place of the hand is thrown from at the end: {_list(stubborn)}. Won in training: "
        f"{with_interval(won[okey.COLLAPSED])} % as in the thesis; clearly more: {_list(more)}; clearly fewer: "
        f"{_list(fewer)}.",
    ]


def _settled(report: OkeyReport, label: str) -> str:
    """When the discard actor is certain for good, over all seeds."""
    run = report.runs[label]
    entropies = [fmean(x for x in values if x is not None) for values in run["curves"]["entropy"]]
    undecided = [number for number, entropy in enumerate(entropies) if entropy >= CERTAIN]
    number = undecided[-1] + 1 if undecided else 0
    return f"within {run['games'][number]:,} episodes" if number < len(entropies) else "never"


def _lifted(report: OkeyReport) -> str:
    plans = okey.limits(report.scale)
    base = report.decided(plans[okey.BASELINE].label, THESIS)
    found: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for limit, plan in plans.items():
        if limit != okey.BASELINE and plan.game.num_players == 2:
            found[clearly_more(report.decided(plan.label, THESIS), base)].append(limit)
    tables = [
        f"{limit} {with_interval(report.decided(plan.label, THESIS))} % (chance: {percent(okey.chance(plan.game))})"
        for limit, plan in plans.items()
        if plan.game.num_players > 2
    ]
    return (
        f"Limits lifted from the run {okey.BASELINE}, which wins {with_interval(base)} % of the decided games after "
        f"training: more with {_list(found[1])}; less with {_list(found[-1])}; no clear difference with "
        f"{_list(found[0])}. At larger tables: {'; '.join(tables)}."
    )


def _beyond(report: OkeyReport) -> list[str]:
    won, lost = (report.result(okey.TWO_SEATS, THESIS, what) for what in ("won", "lost"))
    two, greedy, four, others = (
        with_interval(report.decided(label, opponent))
        for label in (okey.TWO_SEATS, okey.FOUR_SEATS)
        for opponent in (THESIS, okey.GREEDY)
    )
    passed = "passes" if won.value > okey.WISHED else "does not pass"
    return [
        f"PPO wins {with_interval(won)} % and loses {with_interval(lost)} % against the opponent: it {passed} the "
        f"{percent(okey.WISHED)} that the thesis asks for. Of the decided games it wins {two} %, and against "
        f"okey-greedy {greedy} %.",
        f"In the game that people play, with four seats, PPO wins {four} % of the decided games against three times "
        f"the opponent of the thesis and {others} % against three times okey-greedy; chance would give it "
        f"{percent(okey.chance(Okey(**okey.REAL)))}.",
    ]


def _list(names: list[str]) -> str:
    return ", ".join(names) if names else "none"


def _diverged(report: OkeyReport) -> list[str]:
    """Runs whose weights stopped being numbers, if there are any."""
    ended = [f"{label} after {run['games'][-1]:,} episodes" for label, run in report.runs.items() if run["diverged"]]
    return (
        [f"Weights stopped being finite, and what was learned until then is measured: {', '.join(ended)}."]
        if ended
        else []
    )
