"""What the report on Onitama wishes for (section 7.3), and what passes depth 2: matches after training compared."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ludens.arena.statistics import Tally
from ludens.papers.onitama_curves import ENOUGH, Interval, Runs, average, end
from ludens.papers.onitama_runs import COUNTING, MINIMAX, OPPONENTS, WAYS
from ludens.papers.onitama_standings import listed
from ludens.papers.paper import JSON, Row, Table, verdict
from ludens.papers.wording import percent

SAMPLED, GREEDY = WAYS
REPORTS_BEST = 0.5
"""Figure 6.9: the most that anything in the report wins against depth 2, in the end of 100,000 episodes."""


@dataclass(frozen=True)
class Wishes:
    """Runs to be compared: one is the baseline, each of the others changes something."""

    baseline: Runs
    """One label."""
    changed: Runs
    """With as many episodes as the baseline."""
    longer: Runs
    """With more of them; the strongest last."""

    @property
    def runs(self) -> dict[str, Sequence[JSON]]:
        """All of them."""
        return {**self.baseline, **self.changed, **self.longer}

    @property
    def strongest(self) -> str:
        """The label of the last."""
        return list(self.longer)[-1]

    def way(self, label: str) -> str:
        """How somebody plays in the rows: drawn as in training, like the report's; the strongest plays its best."""
        return GREEDY if label == self.strongest else SAMPLED

    def rows(self) -> list[Row]:
        """Won against depths 2 and 3. The report's best against depth 2 stands beside our strongest."""
        rows = []
        for label, runs in self.runs.items():
            for spec in (*MINIMAX[1:3], *COUNTING[1:]):
                won, ci95 = self.won(label, spec, self.way(label))
                paper = REPORTS_BEST if label == self.strongest and spec == MINIMAX[1] else None
                known, where = verdict(paper, won, ci95), "figure 6.9" if paper else ""
                measure = f"{label}: won against `{spec}`, {self.way(label)}"
                rows.append(Row(measure, paper, won, ci95, len(runs), known, where))
        (valid, ci95), seeds = self.valid(self.strongest), len(self.runs[self.strongest])
        several = ci95 if seeds > 1 else None
        return [*rows, Row(f"{self.strongest}: valid rate at the end", None, valid, several, seeds, "ours alone")]

    def table(self) -> Table:
        """Everybody against everybody, in both ways."""
        rows: list[list[str | float | None]] = []
        for label, runs in self.runs.items():
            games = self._tallies(label, OPPONENTS[0], SAMPLED)[0].games
            shares = [f"{percent(self.won(label, spec, way)[0])} %" for spec in OPPONENTS for way in WAYS]
            seconds = math.fsum(run["seconds"] for run in runs) / len(runs)
            known = f"{percent(self.valid(label)[0])} %", f"{seconds:.0f} s"
            rows.append([label, runs[0]["games"][-1], len(runs), games, *shares, *known])
        won = [f"won against `{spec}`, {way}" for spec in OPPONENTS for way in WAYS]
        heads = ["learner", "episodes", "seeds", "games a cell and seed", *won, "valid rate", "training"]
        return Table("wishes", "What each change brings, colours balanced", heads, rows)

    def in_words(self) -> list[str]:
        """What each change does, and what passes depth 2."""
        return [self._changes(), self._passed()]

    def _changes(self) -> str:
        spec, (first,) = MINIMAX[0], self.baseline
        baseline, (low, high) = self.won(first, spec, SAMPLED)
        said = []
        for label in self.changed:
            won, (lowest, highest) = self.won(label, spec, SAMPLED)
            how = "more" if lowest > high else "less" if highest < low else "no clear difference"
            deeper = percent(self.won(label, MINIMAX[1], SAMPLED)[0])
            said.append(f"{label} {percent(won)} % ({how}) and {deeper} %")
        deeper = percent(self.won(first, MINIMAX[1], SAMPLED)[0])
        return (
            "One change at a time, with as many episodes, drawing moves as in training, against depths 1 and 2: the "
            f"baseline wins {percent(baseline)} % and {deeper} %; {'; '.join(said)}."
        )

    def _passed(self) -> str:
        shares = {label: self.won(label, MINIMAX[1], self.way(label)) for label in self.runs}
        over = [label for label, (_, (low, _)) in shares.items() if low > ENOUGH]
        passed = f"here {listed(over)} {'do' if len(over) > 1 else 'does'}" if over else "nothing here does for certain"
        depths = [self.won(self.strongest, spec, self.way(self.strongest)) for spec in (*MINIMAX[1:3], *COUNTING[1:])]
        second, third, *counting = (f"{percent(won)} % ({_span(ci95)})" for won, ci95 in depths)
        return (
            f"The report never won the wished 60 % against depth 2; {passed}. {self.strongest} wins {second} against "
            f"depth 2 and {third} against depth 3, with no search of its own; against minimax that counts students, "
            f"too, {' and '.join(counting)}. It gives "
            f"{percent(self.valid(self.strongest)[0])} % of its probability to valid moves before the mask."
        )

    # ------------------------------------------------------------------ numbers

    def won(self, label: str, spec: str, way: str) -> tuple[float, Interval]:
        """The share of games won against `spec` after training; draws do not count as won."""
        tallies = self._tallies(label, spec, way)
        return average([each.wins / each.games for each in tallies], games=tallies[0].games)

    def valid(self, label: str) -> tuple[float, Interval]:
        """The valid rate in the end of training."""
        return average([end(run, "valid") for run in self.runs[label]])

    def _tallies(self, label: str, spec: str, way: str) -> list[Tally]:
        return [Tally(*run["matches"][way][spec]) for run in self.runs[label]]


def _span(ci95: Interval) -> str:
    return f"{percent(ci95[0])} to {percent(ci95[1])} %"
