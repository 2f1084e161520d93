"""N. J. van Eck, M. van Wezel, "Application of reinforcement learning to the game of Othello": nets that learn Q.

Two learners play 15,000,000 games against each other, with a single net for all moves (table 1, figure 12) or a net for
each square (table 2, figure 13). After every 1,500,000 games each colour plays 100 games against a positional and a
mobility player, everybody looking four plies ahead. Beside it we set what the paper plans to do, minimax-Q, and our own
learner, minimax-V, which values positions instead of moves.
"""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import ClassVar, TypeAlias

from ludens.arena.statistics import Tally, mean_interval, wilson
from ludens.papers.othello_runs import COLOURS, DEPTH, OPPONENTS, Plan, measure
from ludens.papers.paper import (
    JSON,
    Figure,
    Panel,
    Paper,
    Results,
    Row,
    Scale,
    Series,
    Table,
    Workshop,
    verdict,
)

SINGLE, MULTI, MINIMAX, OURS = "single net", "64 nets", "minimax-Q", "minimax-V"

Counts: TypeAlias = dict[float, tuple[tuple[int, int, int], ...]]

TABLE_1: Counts = {
    0.0: ((3, 96, 1), (7, 88, 5), (2, 97, 1), (1, 99, 0)),
    1.5: ((73, 26, 1), (72, 28, 0), (44, 53, 3), (56, 40, 4)),
    3.0: ((58, 40, 2), (87, 11, 2), (47, 53, 0), (64, 35, 1)),
    4.5: ((86, 13, 1), (88, 10, 2), (80, 19, 1), (77, 23, 0)),
    6.0: ((80, 14, 6), (97, 2, 1), (62, 32, 6), (77, 23, 0)),
    7.5: ((79, 19, 2), (86, 13, 1), (55, 42, 3), (62, 35, 3)),
    9.0: ((81, 18, 1), (84, 15, 1), (56, 40, 4), (74, 24, 2)),
    10.5: ((75, 20, 5), (91, 9, 0), (67, 32, 1), (79, 21, 0)),
    12.0: ((77, 18, 5), (83, 14, 3), (55, 43, 2), (74, 25, 1)),
    13.5: ((77, 23, 0), (96, 2, 2), (45, 55, 0), (67, 30, 3)),
    15.0: ((84, 11, 5), (86, 13, 1), (70, 28, 2), (75, 24, 1)),
}
"""The single net: by millions of training games, won, lost and drawn as black and as white against the positional
player, and as black and as white against the mobility player."""
TABLE_2: Counts = {
    0.0: ((5, 95, 0), (9, 88, 3), (2, 96, 2), (8, 92, 0)),
    1.5: ((47, 51, 2), (46, 53, 1), (27, 73, 0), (39, 61, 0)),
    3.0: ((33, 65, 2), (46, 52, 2), (19, 77, 4), (48, 51, 1)),
    4.5: ((61, 38, 1), (66, 32, 2), (47, 51, 2), (64, 35, 1)),
    6.0: ((77, 19, 4), (87, 12, 1), (80, 19, 1), (73, 27, 0)),
    7.5: ((80, 20, 0), (87, 11, 2), (70, 25, 5), (75, 21, 4)),
    9.0: ((76, 24, 0), (78, 22, 0), (64, 34, 2), (70, 26, 4)),
    10.5: ((79, 17, 4), (82, 18, 0), (71, 25, 4), (73, 26, 1)),
    12.0: ((85, 14, 1), (81, 19, 0), (61, 31, 8), (73, 25, 2)),
    13.5: ((88, 11, 1), (87, 12, 1), (75, 22, 3), (81, 18, 1)),
    15.0: ((84, 12, 4), (85, 10, 5), (79, 20, 1), (74, 26, 0)),
}
"""The 64 nets, in the same order."""
PAPER = {SINGLE: TABLE_1, MULTI: TABLE_2}
LOST = {SINGLE: {"positional": 0.12, "mobility": 0.26}, MULTI: {"positional": 0.11, "mobility": 0.23}}
"""Lost at the end, as sections 5.1 and 5.2 sum it up over both colours."""
GAMES = 15_000_000


class OthelloPaper(Paper):
    """Tables 1 and 2, figures 12 and 13, and beyond."""

    name: ClassVar[str] = "othello"
    title: ClassVar[str] = "Application of reinforcement learning to the game of Othello"
    reference: ClassVar[str] = "N. J. van Eck, M. van Wezel, Computers & Operations Research 35 (2008), 1999-2017"
    usual_seeds: ClassVar[Mapping[Scale, int]] = {"quick": 1, "full": 3}

    def run(self, shop: Workshop) -> Results:
        """Train and evaluate all, then set ours beside the paper's."""
        runs = {plan.label: self._measured(shop, plan) for plan in plans(shop.scale)}
        return Results(
            rows=_rows(runs, shop.seeds),
            tables=[_table(1, SINGLE, runs), _table(2, MULTI, runs), _table_at_the_end(runs)],
            figures=[_figure(12, SINGLE, runs), _figure(13, MULTI, runs), _figure_beyond(runs)],
            findings=_findings(runs, shop.seeds),
            deviations=_deviations(shop),
        )

    def _measured(self, shop: Workshop, plan: Plan) -> JSON:
        # The usual depth goes without saying, so that parts that were kept before it could be chosen are still good.
        settings = {name: value for name, value in plan._asdict().items() if (name, value) != ("depth", DEPTH)}
        settings["seeds"] = shop.seeds
        folder = shop.folder("-".join(plan.label.lower().split()))
        return shop.part(
            plan.label,
            settings,
            lambda: measure(plan, shop.seeds, folder, lambda share: shop.progress(plan.label, share)),
        )


def plans(scale: Scale) -> list[Plan]:
    """What is trained: the paper's two experiments, its future work, and our own learner."""
    if scale == "full":
        many, measured = {"num_envs": 256}, (10, 100, 1000)
        return [
            Plan(SINGLE, "neural-q", GAMES, many, *measured),
            Plan(MULTI, "neural-q", GAMES, many | {"nets": "multi"}, *measured),
            Plan(MINIMAX, "minimax-q", GAMES // 5, many, 5, 100, 300),
            Plan(OURS, "minimax-v", GAMES // 5, many, 10, 100, 100),
        ]
    many = {"num_envs": 64}
    return [
        Plan(SINGLE, "neural-q", 100_000, many, 2, 20, 50),
        Plan(MULTI, "neural-q", 30_000, many | {"nets": "multi"}, 1, 20, 50, depth=2),  # four plies take minutes
        Plan(MINIMAX, "minimax-q", 100_000, many, 1, 20, 50),
        Plan(OURS, "minimax-v", 40_000, many, 1, 20, 50),
    ]


def _rows(runs: Mapping[str, JSON], seeds: int) -> list[Row]:
    rows = []
    for label, run in runs.items():
        for opponent in OPPONENTS:
            paper = LOST.get(label, {}).get(opponent)
            where = "" if paper is None else f"section 5.{1 if label == SINGLE else 2}"
            ours, ci95 = lost(run["evaluations"][-1], opponent, COLOURS)
            known = verdict(paper, ours, ci95, more_is_better=False)
            rows.append(Row(f"lost against {opponent} at the end, {label}", paper, ours, ci95, seeds, known, where))
    rows += [
        Row(f"training, {label}", None, run["rate"], None, seeds, "ours alone", unit="games/s")
        for label, run in runs.items()
        if run["rate"]
    ]
    return rows


def lost(evaluation: JSON, opponent: str, colours: Sequence[str]) -> tuple[float, tuple[float, float]]:
    """The share of games lost with `colours` together, and its 95 % interval.

    With one training run the interval is Wilson's for its games; with several it is Student's for the runs, whose
    differences hold both what training and what the evaluation leaves to chance.
    """
    by_colour = [[Tally(*counts) for counts in evaluation[opponent][colour]] for colour in colours]
    by_seed = list(zip(*by_colour, strict=True))
    losses = [sum(each.losses for each in seed) for seed in by_seed]
    games = [sum(each.games for each in seed) for seed in by_seed]
    shares = [lost / played for lost, played in zip(losses, games, strict=True)]
    if len(shares) == 1:
        return shares[0], wilson(losses[0], games[0])
    low, high = mean_interval(shares)
    return mean(shares), (max(0.0, low), min(1.0, high))


def _percent(evaluation: JSON, opponent: str, colour: str) -> list[float]:
    """Won, lost and drawn of 100 games, over all seeds."""
    wins, draws, losses = (sum(counts) for counts in zip(*evaluation[opponent][colour], strict=True))
    return [round(100 * each / (wins + draws + losses), 1) for each in (wins, losses, draws)]


def _table(number: int, label: str, runs: Mapping[str, JSON]) -> Table:
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
    return Table(f"table-{number}", f"Table {number}: percent of the evaluation games, {label}", heads, rows)


def _table_at_the_end(runs: Mapping[str, JSON]) -> Table:
    """All experiments side by side."""
    heads = ["learner", "games", *(f"lost against {o} as {c}, %" for o in OPPONENTS for c in COLOURS), "games/s"]
    rows: list[list[str | float | int | None]] = []
    for label, run in runs.items():
        last = run["evaluations"][-1]
        shares = [_percent(last, opponent, colour)[1] for opponent in OPPONENTS for colour in COLOURS]
        rows.append([label, last["after"], *shares, run["rate"] and round(run["rate"])])
    return Table("table-3", "After training, all learners", heads, rows)


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
    """Both colours together, all learners."""
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
    total = run["evaluations"][-1]["after"]
    shares = [lost(each, opponent, colours) for each in run["evaluations"]]
    low, high = zip(*(ci95 for _, ci95 in shares), strict=True)
    return Series(label, [each["after"] / total for each in run["evaluations"]], [y for y, _ in shares], low, high)


def _findings(runs: Mapping[str, JSON], seeds: int) -> list[str]:
    """What a reader should take away."""

    def at_the_end(label: str) -> str:
        last = runs[label]["evaluations"][-1]
        shares = [
            f"{100 * lost(last, opponent, COLOURS)[0]:.1f} % against the {opponent} player" for opponent in OPPONENTS
        ]
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


def _deviations(shop: Workshop) -> list[str]:
    plan = {each.label: each for each in plans(shop.scale)}
    said = [
        f"{plan[SINGLE].settings['num_envs']} games are played side by side, learning at once, and the same lesson in "
        "several of them counts once; the paper plays one after the other (`num_envs=1`, which is also there).",
        "Equations 12 and 13 have biases and equation 14 and the paper's count of weights have none: ours have them.",
        "The evaluation of a position in which the opponent of the searching learner is to move is the opponent's "
        "learner's; where a side must pass, it is what the other side's best move leaves it.",
        "The positional and the mobility player count a won game more than any open position; in the paper it counts "
        "1, next to positions that count hundreds.",
        "All evaluations begin with the same random four-ply openings.",
    ]
    if shop.scale == "quick":
        scale = ", ".join(f"{each.games:,} games ({label})" for label, each in plan.items())
        said.insert(
            0,
            f"A quick run trains {scale} instead of 15,000,000, its temperature falling as much faster, and evaluates "
            f"fewer times, with {plan[SINGLE].matches} games ({plan[SINGLE].last_matches} at the end) for each colour "
            f"and opponent. In that of the 64 nets all look {plan[MULTI].depth} plies ahead, not four.",
        )
    return said
