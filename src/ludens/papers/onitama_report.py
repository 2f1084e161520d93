"""What the reproduction of the report on Onitama says: rows, tables, figures and findings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, TypeAlias

from ludens.papers import onitama
from ludens.papers.codec import JSON
from ludens.papers.estimates import balance, clearly_more, share_over_games, spanned
from ludens.papers.experiment import Paper, Part, Run
from ludens.papers.format import format_interval, format_list, format_spread, percent
from ludens.papers.onitama import ACTORS, BY_SQUARES, EXTENDED, MINIMAX, MOVES, MULTIPLY, OPPONENTS, PAPER_MOVES
from ludens.papers.results import TOO_WIDE_ELO, Estimate, Figure, Panel, ReportTable, Results, Row, Scale, Series
from ludens.papers.study import Study
from ludens.papers.tournament import Tournaments

Runs: TypeAlias = Mapping[str, Sequence[JSON]]
"""`Run.measured` by label, for each seed."""
Cells: TypeAlias = list[list[str | float | None]]
BASELINE = f"{EXTENDED} (baseline)"
"""What each wish changes something of."""
ENOUGH = 0.6
"""Won of the last 100 games: the next depth."""
PANELS = {"actor loss": "actor_loss", "valid rate": "valid", "won": "won", "depth of the opponent": "level"}
"""Of a figure, and which curves they show."""


class OnitamaPaper(Paper):
    """Figures 5.1 and 6.1 to 6.14, and beyond."""

    name: ClassVar[str] = "onitama"
    title: ClassVar[str] = "Mastering the game of Onitama with Reinforcement Learning"
    reference: ClassVar[str] = "A. Dasgupta, Y. Q. Chong, report at the National University of Singapore, 2021"
    usual_seeds: ClassVar[Mapping[Scale, int]] = {"quick": 1, "full": 2}

    def run(self, study: Study) -> Results:
        measured: dict[str, list[JSON]] = {}
        for run in self.runs(study):
            measured.setdefault(run.plan.label, []).append(run.measured())
        wishes = [plan.label for plan in onitama.wishes(study.scale)]
        report = OnitamaReport(
            moves=onitama.count_valid_moves(study),
            eight={label: measured[label] for label in ACTORS},
            wishes={label: measured[label] for label in wishes},
            longer={label: runs for label, runs in measured.items() if label not in (*ACTORS, *wishes)},
            standings=Tournaments([onitama.actors_tournament(study, seed) for seed in range(study.seeds)]),
        )
        deviations = onitama.deviations(study.scale)
        return Results(report.rows(), report.tables(), report.figures(), report.findings(), deviations)

    def runs(self, study: Study) -> list[Run]:
        """The longest first; then those whom the tournaments wait for, a seed at a time, which compile alike."""
        scale = study.scale
        longest = [onitama.extended(scale), onitama.strongest(scale)]
        by_seed = zip(*(Run.apart(study, plan) for plan in onitama.eight(scale)), strict=True)
        alone = [Run.apart(study, plan, 1)[0] for plan in (*longest, *onitama.wishes(scale))]
        return [*alone[:2], *(run for runs in by_seed for run in runs), *alone[2:]]

    def parts(self, study: Study) -> Mapping[str, Part]:
        """With a tournament for each seed, when its eight are there."""
        found = {"valid moves": Part(partial(onitama.count_valid_moves, study), on_cores=True), **super().parts(study)}
        for seed in range(study.seeds):
            players = tuple(f"training {actor}, seed {seed}" for actor in ACTORS)
            found[f"tournament, seed {seed}"] = Part(partial(onitama.actors_tournament, study, seed), players)
        return found


def curves(name: str, title: str, runs: Runs) -> Figure:
    """Loss, valid rate, won and depth over training, as far as somebody has them; the span of the seeds as a band."""
    panels = []
    for head, key in PANELS.items():
        lines = {"enough for the next depth": ENOUGH} if key == "won" else {}
        if series := [_line(label, of, key) for label, of in runs.items() if key in of[0]["curves"]]:
            panels.append(Panel(head, "episodes", head, series, lines))
    return Figure(name, title, panels)


def _line(label: str, runs: Sequence[JSON], name: str) -> Series:
    values = list(zip(*(onitama.curve(run, name) for run in runs), strict=False))  # as long as the shortest
    return spanned(label, runs[0]["games"][: len(values)], values)


@dataclass(frozen=True)
class OnitamaReport:
    """Everything that was measured, and what it says."""

    moves: Mapping[str, JSON]
    """What `onitama.valid_moves` found."""
    eight: Runs
    wishes: Runs
    """With as many episodes as the eight."""
    longer: Runs
    """With more of them: `EXTENDED`, and the strongest last."""
    standings: Tournaments

    @property
    def extended(self) -> Sequence[JSON]:
        """The actor that is trained on."""
        return next(iter(self.longer.values()))

    @property
    def strongest(self) -> str:
        """Its label."""
        return list(self.longer)[-1]

    @property
    def compared(self) -> Runs:
        """Who plays matches in rows and tables."""
        return {BASELINE: self.eight[EXTENDED], **self.wishes, **self.longer}

    def won(self, label: str, spec: str, way: str | None = None) -> Estimate:
        """Games won against `spec` after training. Moves are drawn as in training; the strongest plays its best."""
        way = way or self.way(label)
        counts = [run["matches"][way][spec] for run in self.compared[label]]
        return share_over_games([(each[0], sum(each)) for each in counts])

    def way(self, label: str) -> str:
        """How somebody plays in rows and findings."""
        return onitama.GREEDY if label == self.strongest else onitama.SAMPLED

    def rows(self) -> list[Row]:
        """The report's figures in its order, then ours."""
        return [
            *self._rows_of_moves(),
            *(row for label in self.eight for row in self._rows_of_actor(label)),
            self._row_of_longer(),
            *self._rows_of_tournament(),
            *self._rows_of_matches(),
            *self._rows_of_speed(),
        ]

    def _rows_of_moves(self) -> list[Row]:
        rows = []
        for how in ("", BY_SQUARES):
            counted = self.moves[f"untrained{how}"]
            for name, text in MOVES.items():
                ours = Estimate(float(counted[name]), tuple(counted["ci95"]) if name == "mean" else None)
                measure = f"valid moves per turn{how}, {text}"
                rows.append(Row.compare(measure, ours, 0, PAPER_MOVES[name], "figure 5.1", unit="moves", better=None))
        return rows

    def _rows_of_actor(self, label: str) -> list[Row]:
        runs, where = self.eight[label], f"figure {onitama.FIGURES[label]}"
        paper, ci95 = (1.0, onitama.READING) if label in MULTIPLY else (None, None)
        valid, measure = onitama.valid_at_the_end(runs), f"{label}: won at the end, {onitama.depths(runs)}"
        return [
            Row.compare(f"{label}: valid rate at the end", valid, len(runs), paper, where, paper_ci95=ci95),
            Row.compare(measure, onitama.won_at_the_end(runs), len(runs), None, where),
        ]

    def _row_of_longer(self) -> Row:
        runs, depths = self.extended, onitama.depths(self.extended)
        measure = f"{EXTENDED}, {runs[0]['games'][-1]:,} episodes: won at the end, {depths} (report: depth 2)"
        best, games = onitama.REPORTS_BEST, onitama.REPORTS_LAST
        row = Row.compare(measure, onitama.won_at_the_end(runs), len(runs), best, "figure 6.9", paper_games=games)
        # Whoever is let on to a deeper opponent is better than one who is not, whatever they win there.
        deepest = min(onitama.depth(run) for run in runs)
        return row if deepest == 2 else replace(row, verdict="better" if deepest > 2 else "worse")

    def _rows_of_tournament(self) -> list[Row]:
        """The ratings, net wins and turns that the report gives as numbers. Whoever wins, another loses."""
        seeds, rows = len(self.standings.tournaments), []
        neither = partial(Row.compare, better=None)
        for name, paper in onitama.KNOWN_ELO.items():
            measure, ours = f"final Elo of {name}", self.standings.elo(name)
            rows.append(neither(measure, ours, seeds, paper, "figure 6.11", unit="", too_wide=TOO_WIDE_ELO))
        for (one, other), games in onitama.KNOWN_NET.items():
            # Draws are not told; without any the interval is as wide as it can be.
            rounds = onitama.PAPER_ROUNDS
            paper, ci95 = balance((rounds + games) // 2, (rounds - games) // 2, rounds)
            measure, ours = f"{one} against {other}: won less lost, a game", self.standings.net(one, other)
            rows.append(neither(measure, ours, seeds, paper, "figure 6.13", paper_ci95=ci95))
        for (one, other), paper in onitama.KNOWN_TURNS.items():
            measure, ours = f"{one} against {other}: turns in a game", Estimate(self.standings.turns(one, other))
            rows.append(neither(measure, ours, seeds, paper, "figure 6.14", unit="turns"))
        return rows

    def _rows_of_matches(self) -> list[Row]:
        """Won against depths 2 and 3. The report's best against depth 2 stands beside our strongest."""
        rows, best, games = [], onitama.REPORTS_BEST, onitama.REPORTS_LAST
        for label, runs in self.compared.items():
            for spec in (*MINIMAX[1:3], *onitama.COUNTING[1:]):
                known = (best, "figure 6.9") if (label, spec) == (self.strongest, MINIMAX[1]) else (None, "")
                measure = f"{label}: won against `{spec}`, {self.way(label)}"
                rows.append(Row.compare(measure, self.won(label, spec), len(runs), *known, paper_games=games))
        runs = self.compared[self.strongest]
        valid = Row.compare(f"{self.strongest}: valid rate at the end", onitama.valid_at_the_end(runs), len(runs))
        return [*rows, valid]

    def _rows_of_speed(self) -> list[Row]:
        """Training of the eight, of each wish and of what takes long; the tournament."""
        of_eight = [run for runs in self.eight.values() for run in runs]
        others = {**self.wishes, **self.longer}
        return [
            _row_of_speed("DDPG, the eight", of_eight, len(self.eight[EXTENDED])),
            *(_row_of_speed(label, runs, len(runs)) for label, runs in others.items()),
            self.standings.row_of_speed(),
        ]

    def tables(self) -> list[ReportTable]:
        return [
            self._table_of_moves(),
            self._table_of_actors(),
            *self._tables_of_tournament(),
            self._table_of_matches(),
        ]

    def _table_of_moves(self) -> ReportTable:
        rows = [
            [text, PAPER_MOVES[name], *(self.moves[who][name] for who in onitama.COUNTED.values())]
            for name, text in MOVES.items()
        ]
        title = f"Figure 5.1: valid moves in {self.moves['untrained']['turns']:,} turns of both sides"
        return ReportTable("figure-5-1", title, ["valid moves per turn", "report", *onitama.COUNTED], rows)

    def _table_of_actors(self) -> ReportTable:
        rows: Cells = []
        for label, runs in self.eight.items():
            multiplies = label in MULTIPLY
            valid, won, best = (
                ", ".join(f"{of(run, name):.2f}" for run in runs)
                for of, name in ((onitama.end, "valid"), (onitama.end, "won"), (onitama.highest, "won"))
            )
            passed = ", ".join(str(onitama.first_at_depth_2(run) or "never") for run in runs)
            met = ", ".join(str(onitama.depth(run)) for run in runs)
            valid_there, won_there = onitama.PAPER_VALID_RATE[multiplies], onitama.PAPER_WON[multiplies]
            ours = won_there, won, best, "no" if multiplies else "yes", passed, met
            rows.append([onitama.FIGURES[label], label, valid_there, valid, *ours])
        heads = ("figure", "actor", "valid rate, report", "ours at the end", "won, report", "ours at the end")
        more = ("ours at best", "passes depth 1, report", "ours, after episodes", "depth at the end")
        return ReportTable("figures-6-1-to-6-8", "The eight actors, each seed", (*heads, *more), rows)

    def _tables_of_tournament(self) -> list[ReportTable]:
        standings, ratings = self.standings, list[list[str | float | None]]()
        for name in standings.ranked():
            elo, (low, high) = standings.elo(name).value, standings.elo(name).ci95 or (0, 0)
            beaten = sum(standings.beats(name, other) for other in standings.players if other != name)
            shown = f"{low:.0f} to {high:.0f}", percent(standings.win_rate(name))
            ratings.append([name, onitama.KNOWN_ELO.get(name), round(elo), *shown, beaten])
        heads = ["player", "final Elo, report", "ours", "band in the second half", "games won", "players beaten"]
        rounds = sum(each["rounds"][-1] for each in standings.tournaments)
        net, turns = f"Figure 6.13: games won less games lost, of {rounds:,}", "Figure 6.14: turns in a game"
        return [
            ReportTable("figures-6-11-and-6-12", "Figures 6.11 and 6.12: final Elo and win rates", heads, ratings),
            standings.matrix("figure-6-13", net, lambda *pair: float(round(standings.net(*pair).value * rounds))),
            standings.matrix("figure-6-14", turns, lambda *pair: round(standings.turns(*pair), 1)),
        ]

    def _table_of_matches(self) -> ReportTable:
        rows: Cells = []
        for label, runs in self.compared.items():
            games = sum(runs[0]["matches"][onitama.SAMPLED][OPPONENTS[0]])
            shares = [percent(self.won(label, spec, way).value) for spec in OPPONENTS for way in onitama.WAYS]
            seconds = math.fsum(run["seconds"] for run in runs) / len(runs)
            known = percent(onitama.valid_at_the_end(runs).value), f"{seconds:.0f} s"
            rows.append([label, runs[0]["games"][-1], len(runs), games, *shares, *known])
        won = [f"won against `{spec}`, {way}" for spec in OPPONENTS for way in onitama.WAYS]
        heads = ["learner", "episodes", "seeds", "games a cell and seed", *won, "valid rate", "training"]
        return ReportTable("wishes", "What each change brings, colours balanced", heads, rows)

    def figures(self) -> list[Figure]:
        """Figures 5.1, 6.1 to 6.8 in two, 6.9, 6.10, the wishes, and the strongest."""
        shares = [_distribution(label, self.moves[who]) for label, who in onitama.COUNTED.items()]
        others = {label: runs for label, runs in self.eight.items() if label not in MULTIPLY}
        multiply = {label: self.eight[label] for label in MULTIPLY}
        (longer, extended), (strongest, runs) = self.longer.items()
        moves = Panel("", "valid moves", "share of turns", shares)
        return [
            Figure("figure-5-1", "Figure 5.1: valid moves per turn", [moves]),
            curves("figures-6-1-to-6-7", "Figures 6.1, 6.3, 6.5, 6.7: actors that do not multiply", others),
            curves("figures-6-2-to-6-8", "Figures 6.2, 6.4, 6.6, 6.8: actors that multiply by validity", multiply),
            curves("figure-6-9", f"Figure 6.9: {EXTENDED}, extended training", {longer: extended}),
            Figure("figure-6-10", "Figure 6.10: Elo during the round robins", [self.standings.elo_curves()]),
            curves("wishes", "What the report wishes for, one change at a time", self.wishes),
            curves("strongest", f"The strongest: {strongest}", {strongest: runs}),
        ]

    def findings(self) -> list[str]:
        return [
            *(self._moves(), self._validity(), self._others(), self._longer()),
            *self._tournament(),
            *(self._changes(), self._passed()),
        ]

    def _moves(self) -> str:
        ours, squares, theirs = self.moves["untrained"], self.moves[f"untrained{BY_SQUARES}"], PAPER_MOVES
        nearer = [abs(squares[name] - theirs[name]) < abs(ours[name] - theirs[name]) for name in MOVES]
        like = "in all of which the report is nearer: it may have counted so" if all(nearer) else "no nearer in all"
        return (
            f"An untrained actor and depth 1 have {ours['mean']:.2f} valid moves per turn, most often {ours['mode']}, "
            f"{ours['most']} at most; the report counts {theirs['mean']:.2f}, {theirs['mode']:.0f} and "
            f"{theirs['most']:.0f}. Both cards often lead a piece to the same square. With such moves as one there are "
            f"{squares['mean']:.2f}, most often {squares['mode']}, {squares['most']} at most, {like}."
        )

    def _validity(self) -> str:
        valid = {label: onitama.valid_at_the_end(runs).value for label, runs in self.eight.items()}
        multiply = format_spread(valid[label] for label in MULTIPLY)
        others = format_spread(valid[label] for label in ACTORS if label not in MULTIPLY)
        passed = [label for label in MULTIPLY if any(onitama.first_at_depth_2(run) for run in self.eight[label])]
        return (
            f"Actors that multiply end with valid rates of {multiply}, the others with {others}; in the report they "
            f"plateau at 1, and lie between 0.1 and 0.65. Of the four that multiply, {format_list(passed)} "
            f"{'pass' if len(passed) > 1 else 'passes'} depth 1; in the report none does."
        )

    def _others(self) -> str:
        met = []
        for label in ACTORS:
            if label not in MULTIPLY:
                passed = [str(when) for run in self.eight[label] if (when := onitama.first_at_depth_2(run))]
                best = percent(max(onitama.highest(run, "won") for run in self.eight[label]))
                met.append(
                    f"{label} " + (f"after {', '.join(passed)} episodes" if passed else f"never (at best {best} won)")
                )
        return f"Those that do not multiply meet depth 2: {'; '.join(met)}. In the report all four do, quickly."

    def _longer(self) -> str:
        runs = self.extended
        valid = [x for run in runs for x in onitama.curve(run, "valid")[len(run["games"]) // 2 :] if x is not None]
        low, high = (percent(edge).removesuffix(" %") for edge in (min(valid), max(valid)))
        return (
            f"After {runs[0]['games'][-1]:,} episodes {EXTENDED} wins {percent(onitama.won_at_the_end(runs).value)} "
            f"({onitama.depths(runs)}), where the report has some 50 % at depth 2; its valid rate moves between {low} "
            f"and {high} % in the second half (report: 20 to 45 %)."
        )

    def _tournament(self) -> list[str]:
        """Who is strongest, and where the random player stands."""
        standings, by_elo = self.standings, self.standings.ranked()
        players = standings.players
        winner = max(players, key=standings.win_rate)
        lost_to_random = [name for name in players if name != "random" and standings.net(name, "random").value < 0]
        beats_all = [one for one in players if all(standings.beats(one, other) for other in players if other != one)]
        agreed = sum(standings.beats(*pair) == (games > 0) for pair, games in onitama.KNOWN_NET.items())
        first, last = (f"{standings.elo(name).value:.0f}" for name in (by_elo[0], by_elo[-1]))
        return [
            f"In the tournament {by_elo[0]} ends with the highest Elo, {first}, and {by_elo[-1]} with the lowest, "
            f"{last}; the random player is number {by_elo.index('random') + 1} of {len(by_elo)}. In the report they "
            f"are actions_after_val_multiply (1130) and the random player (862). {winner} wins the most games, "
            f"{percent(standings.win_rate(winner))} (report: {onitama.HIGHEST_WIN_RATE}).",
            f"On balance {format_list(beats_all)} beats everybody (report: actions_after_val_multiply), and the random "
            f"player beats {format_list(lost_to_random)} (report: dual and val_branch_actions_multiply). Of the "
            f"{len(onitama.KNOWN_NET)} pairings whose balance the report reads out, {agreed} go the same way. One "
            "training run of each actor decides all of these: with other seeds the order may be another.",
        ]

    def _changes(self) -> str:
        one, two = MINIMAX[:2]
        baseline, compared = self.won(BASELINE, one), []
        for label in self.wishes:
            won = self.won(label, one, onitama.SAMPLED)
            how = {1: "more", 0: "no clear difference", -1: "less"}[clearly_more(won, baseline)]
            compared.append(
                f"{label} {percent(won.value)} ({how}) and {percent(self.won(label, two, onitama.SAMPLED).value)}"
            )
        return (
            "One change at a time, with as many episodes, drawing moves as in training, against depths 1 and 2: the "
            f"baseline wins {percent(baseline.value)} and {percent(self.won(BASELINE, two).value)}; "
            f"{'; '.join(compared)}."
        )

    def _passed(self) -> str:
        lowest = {label: (self.won(label, MINIMAX[1]).ci95 or (0.0, 0.0))[0] for label in self.compared}
        over = [label for label, low in lowest.items() if low > ENOUGH]
        passed = (
            f"here {format_list(over)} {'do' if len(over) > 1 else 'does'}" if over else "nothing here does for certain"
        )
        valid = onitama.valid_at_the_end(self.longer[self.strongest])
        shares = [self.won(self.strongest, spec) for spec in (*MINIMAX[1:3], *onitama.COUNTING[1:])]
        second, third, *counting = (f"{percent(won)} ({format_interval(ci95 or (won, won))})" for won, ci95 in shares)
        return (
            f"The report never won the wished 60 % against depth 2; {passed}. {self.strongest} wins {second} against "
            f"depth 2 and {third} against depth 3, with no search of its own; against minimax that counts students, "
            f"too, {' and '.join(counting)}. It gives {percent(valid.value)} of its probability to valid moves before "
            "the mask."
        )


def _row_of_speed(label: str, runs: Sequence[JSON], seeds: int) -> Row:
    rate = Estimate(math.fsum(run["rate"] for run in runs) / len(runs))
    devices = " and ".join(dict.fromkeys(run["device"] for run in runs))
    return Row.compare(f"training, {label}, {devices}", rate, seeds, unit="episodes/s")


def _distribution(label: str, counted: JSON) -> Series:
    """Shares of turns by how many moves were valid."""
    numbers = {int(count): number / counted["turns"] for count, number in counted["counts"].items()}
    return Series(label, list(numbers), list(numbers.values()))
