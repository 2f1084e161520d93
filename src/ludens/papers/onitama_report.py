"""What the runs on Onitama say: rows, tables, figures and sentences, all computed from the figures that were kept."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ludens.papers.onitama_curves import (
    LAST,
    Interval,
    Runs,
    average,
    curves,
    depth,
    depths,
    end,
    first_at_depth_2,
    highest,
)
from ludens.papers.onitama_runs import BY_SQUARES
from ludens.papers.onitama_standings import Standings, listed
from ludens.papers.onitama_wishes import REPORTS_BEST, Wishes
from ludens.papers.paper import JSON, Figure, Panel, Row, Series, Table, Verdict, verdict
from ludens.papers.wording import percent

FIGURES = {
    "actions_after_val": "6.1",
    "actions_after_val_multiply": "6.2",
    "val_after_actions": "6.3",
    "val_after_actions_multiply": "6.4",
    "val_branch_actions": "6.5",
    "val_branch_actions_multiply": "6.6",
    "actions_only": "6.7",
    "dual": "6.8",
}
"""The eight actors and their figures."""
ACTORS = tuple(FIGURES)
MULTIPLY = tuple(actor for actor in ACTORS if actor.endswith("multiply") or actor == "dual")
"""Those that multiply what they would do by what they think is valid."""
EXTENDED = "val_branch_actions"
"""The one that is trained on, and to which every wish is compared."""
PAPER_MOVES = {"mean": 14.2496, "median": 14.0, "mode": 12.0, "most": 30.0}
"""Figure 5.1, from 71,789 turns."""
COUNTED = {
    "untrained actor against depth 1": "untrained",
    "the same, by squares": f"untrained{BY_SQUARES}",
    "depth 1 against itself": "itself",
    "depth 1 against itself, by squares": f"itself{BY_SQUARES}",
}
"""Whose valid moves are counted, and how."""
MOVES_SAID = {"mean": "mean", "median": "median", "mode": "most frequent number", "most": "largest number"}
PAPER_VALID = {True: "plateaus at 1", False: "0.1 to 0.65"}
PAPER_WON = {True: "0.1 to 0.5, never above 0.6", False: "above 0.6, then a sharp dip at depth 2"}
"""Section 6.1, for actors that multiply and for those that do not."""
READING = 0.05
"""How closely a curve can be read."""


@dataclass(frozen=True)
class Findings:
    """All that was measured."""

    moves: Mapping[str, JSON]
    """Valid moves per turn of depth 1 against an actor that is `untrained`, and against `itself`, in both ways."""
    eight: Runs
    extended: Runs
    """One label."""
    tournaments: Sequence[JSON]
    """One for each seed."""
    wishes: Runs
    strongest: Runs
    """One label."""

    @property
    def standings(self) -> Standings:
        """What the tournaments say."""
        return Standings(self.tournaments)

    @property
    def compared(self) -> Wishes:
        """What each change brings."""
        baseline = {f"{EXTENDED} (baseline)": self.eight[EXTENDED]}
        return Wishes(baseline, self.wishes, {**self.extended, **self.strongest})

    # ------------------------------------------------------------------ rows

    def rows(self) -> list[Row]:
        """The report's figures in its order, then ours."""
        return [
            *self._rows_of_moves(),
            *(row for label in self.eight for row in self._rows_of_actor(label)),
            self._row_of_longer(),
            *self.standings.rows(),
            *self.compared.rows(),
            *self._rows_of_speed(),
        ]

    def _rows_of_moves(self) -> list[Row]:
        rows = []
        for how in ("", BY_SQUARES):
            counted = self.moves[f"untrained{how}"]
            for name, said in MOVES_SAID.items():
                paper, ours = PAPER_MOVES[name], float(counted[name])
                ci95 = tuple(counted["ci95"]) if name == "mean" else None
                measure, known = f"valid moves per turn{how}, {said}", verdict(paper, ours, ci95, more_is_better=None)
                rows.append(Row(measure, paper, ours, ci95, 0, known, "figure 5.1", "moves"))
        return rows

    def _rows_of_actor(self, label: str) -> list[Row]:
        runs, where = self.eight[label], f"figure {FIGURES[label]}"
        valid, ci95 = average([end(run, "valid") for run in runs])
        paper = 1.0 if label in MULTIPLY else None
        known: Verdict = "ours alone" if paper is None else "agrees" if paper - valid <= READING else "worse"
        won, won_ci95 = self.won_at_the_end(runs)
        several = ci95 if len(runs) > 1 else None
        return [
            Row(f"{label}: valid rate at the end", paper, valid, several, len(runs), known, where),
            Row(f"{label}: won at the end, {depths(runs)}", None, won, won_ci95, len(runs), "ours alone", where),
        ]

    def _row_of_longer(self) -> Row:
        (runs,) = self.extended.values()
        won, ci95 = self.won_at_the_end(runs)
        deepest = min(depth(run) for run in runs)
        found: Verdict = verdict(REPORTS_BEST, won, ci95) if deepest == 2 else "better" if deepest > 2 else "worse"
        games = runs[0]["games"][-1]
        measure = f"{EXTENDED}, {games:,} episodes: won at the end, {depths(runs)} (report: depth 2)"
        return Row(measure, REPORTS_BEST, won, ci95, len(runs), found, "figure 6.9")

    def _rows_of_speed(self) -> list[Row]:
        """Training of the eight, of each wish and of what takes long; the tournament."""
        of_eight = [run for runs in self.eight.values() for run in runs]
        others = {**self.wishes, **self.extended, **self.strongest}
        return [
            _row_of_speed("DDPG, the eight", of_eight, len(self.eight[EXTENDED])),
            *(_row_of_speed(label, runs, len(runs)) for label, runs in others.items()),
            self.standings.row_of_speed(),
        ]

    # ------------------------------------------------------------------ tables

    def tables(self) -> list[Table]:
        """The eight, the tournament, the wishes."""
        return [self._table_of_moves(), self._table_of_actors(), *self.standings.tables(), self.compared.table()]

    def _table_of_moves(self) -> Table:
        rows = [
            [said, PAPER_MOVES[name], *(self.moves[who][name] for who in COUNTED.values())]
            for name, said in MOVES_SAID.items()
        ]
        title = f"Figure 5.1: valid moves in {self.moves['untrained']['turns']:,} turns of both sides"
        heads = ["valid moves per turn", "report", *COUNTED]
        return Table("figure-5-1", title, heads, rows)

    def _table_of_actors(self) -> Table:
        rows: list[list[str | float | None]] = []
        for label, runs in self.eight.items():
            multiplies = label in MULTIPLY
            passed = [str(first_at_depth_2(run) or "never") for run in runs]
            rows.append(
                [
                    FIGURES[label],
                    label,
                    PAPER_VALID[multiplies],
                    _each(end(run, "valid") for run in runs),
                    PAPER_WON[multiplies],
                    _each(end(run, "won") for run in runs),
                    _each(highest(run, "won") for run in runs),
                    "no" if multiplies else "yes",
                    ", ".join(passed),
                    ", ".join(str(depth(run)) for run in runs),
                ]
            )
        heads = ("figure", "actor", "valid rate, report", "ours at the end", "won, report", "ours at the end")
        more = ("ours at best", "passes depth 1, report", "ours, after episodes", "depth at the end")
        return Table("figures-6-1-to-6-8", "The eight actors, each seed", (*heads, *more), rows)

    # ------------------------------------------------------------------ figures

    def figures(self) -> list[Figure]:
        """Figures 5.1, 6.1 to 6.8 in two, 6.9, 6.10, the wishes, and the strongest."""
        shares = [_distribution(label, self.moves[who]) for label, who in COUNTED.items()]
        others = {label: runs for label, runs in self.eight.items() if label not in MULTIPLY}
        multiply = {label: self.eight[label] for label in MULTIPLY}
        return [
            Figure(
                "figure-5-1", "Figure 5.1: valid moves per turn", [Panel("", "valid moves", "share of turns", shares)]
            ),
            curves("figures-6-1-to-6-7", "Figures 6.1, 6.3, 6.5, 6.7: actors that do not multiply", others),
            curves("figures-6-2-to-6-8", "Figures 6.2, 6.4, 6.6, 6.8: actors that multiply by validity", multiply),
            curves("figure-6-9", f"Figure 6.9: {EXTENDED}, extended training", self.extended),
            self.standings.figure(),
            curves("wishes", "What the report wishes for, one change at a time", self.wishes),
            curves("strongest", f"The strongest: {', '.join(self.strongest)}", self.strongest),
        ]

    # ------------------------------------------------------------------ in words

    def in_words(self) -> list[str]:
        """What a reader should take away."""
        return [
            self._moves(),
            self._validity(),
            self._others(),
            self._longer(),
            *self.standings.in_words(),
            *self.compared.in_words(),
        ]

    def _moves(self) -> str:
        ours, squares, theirs = self.moves["untrained"], self.moves[f"untrained{BY_SQUARES}"], PAPER_MOVES
        nearer = [abs(squares[name] - theirs[name]) < abs(ours[name] - theirs[name]) for name in MOVES_SAID]
        like = "in all of which the report is nearer: it may have counted so" if all(nearer) else "no nearer in all"
        return (
            f"An untrained actor and depth 1 have {ours['mean']:.2f} valid moves per turn, most often {ours['mode']}, "
            f"{ours['most']} at most; the report counts {theirs['mean']:.2f}, {theirs['mode']:.0f} and "
            f"{theirs['most']:.0f}. Both cards often lead a piece to the same square. With such moves as one there are "
            f"{squares['mean']:.2f}, most often {squares['mode']}, {squares['most']} at most, {like}."
        )

    def _validity(self) -> str:
        valid = {label: average([end(run, "valid") for run in self.eight[label]])[0] for label in ACTORS}
        passed = [label for label in MULTIPLY if any(first_at_depth_2(run) for run in self.eight[label])]
        return (
            f"Actors that multiply end with valid rates of {_spread([valid[label] for label in MULTIPLY])}, the others "
            f"with {_spread([valid[label] for label in ACTORS if label not in MULTIPLY])}; in the report they plateau "
            f"at 1, and lie between 0.1 and 0.65. Of the four that multiply, {listed(passed)} "
            f"{'pass' if len(passed) > 1 else 'passes'} depth 1; in the report none does."
        )

    def _others(self) -> str:
        said = []
        for label in ACTORS:
            if label not in MULTIPLY:
                when = [first_at_depth_2(run) for run in self.eight[label]]
                passed = [str(each) for each in when if each]
                best = max(highest(run, "won") for run in self.eight[label])
                many = f"after {', '.join(passed)} episodes" if passed else f"never (at best {percent(best)} % won)"
                said.append(f"{label} {many}")
        return f"Those that do not multiply meet depth 2: {'; '.join(said)}. In the report all four do, quickly."

    def _longer(self) -> str:
        (runs,) = self.extended.values()
        won, _ = self.won_at_the_end(runs)
        valid = [
            value for run in runs for value in run["curves"]["valid"][len(run["games"]) // 2 :] if value is not None
        ]
        return (
            f"After {runs[0]['games'][-1]:,} episodes {EXTENDED} wins {percent(won)} % ({depths(runs)}), where the "
            f"report has some 50 % at depth 2; its valid rate moves between {percent(min(valid))} and "
            f"{percent(max(valid))} % in the second half (report: 20 to 45 %)."
        )

    # ------------------------------------------------------------------ numbers

    def won_at_the_end(self, runs: Sequence[JSON]) -> tuple[float, Interval]:
        """The share of training games won at the end of runs, against whomever they met there."""
        return average([end(run, "won") for run in runs], games=runs[0]["games"][-1] // LAST)


def _row_of_speed(label: str, runs: Sequence[JSON], seeds: int) -> Row:
    rate = math.fsum(run["rate"] for run in runs) / len(runs)
    devices = " and ".join(dict.fromkeys(run["device"] for run in runs))
    return Row(f"training, {label}, {devices}", None, rate, None, seeds, "ours alone", unit="episodes/s")


def _distribution(label: str, counted: JSON) -> Series:
    """Shares of turns by how many moves were valid."""
    numbers = {int(count): number / counted["turns"] for count, number in counted["counts"].items()}
    return Series(label, list(numbers), list(numbers.values()))


def _each(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


def _spread(shares: Sequence[float]) -> str:
    return f"{percent(min(shares))} to {percent(max(shares))} %"
