"""Van Eck and van Wezel (2008): neural nets that learn Q on Othello.

Two learners play 15,000,000 games against each other, with a single net for all moves (table 1, figure 12) or a net for
each square (table 2, figure 13). After every 1,500,000 games each colour plays 100 games against a positional and a
mobility player, everybody looking four plies ahead. Beside it we set what the paper plans to do, minimax-Q, and our own
learner, minimax-V, which values positions instead of moves.
"""

from typing import Any, TypeAlias

import jax

from ludens.arena.match import Contestant, Job, play_batch
from ludens.arena.statistics import tally
from ludens.games.othello import Othello
from ludens.learning.run import Evaluate
from ludens.papers.codec import JSON
from ludens.papers.experiment import Plan, Run
from ludens.papers.results import Scale
from ludens.players import player
from ludens.players.agent import Agent
from ludens.players.alpha_beta import AlphaBeta

GAME = Othello()
OPPONENTS = ("positional", "mobility")
COLOURS = ("black", "white")
PLIES, DEPTH = 4, 4
"""Random plies before an evaluation game, and plies that both players look ahead in it (section 5)."""
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
PAPER_GAMES = 200
"""Of each of these, both colours together."""


def plans(scale: Scale) -> list[Plan]:
    """What is trained: the paper's two experiments, its future work, and our own learner."""
    if scale == "full":
        many = {"num_envs": 256}
        return [
            _plan(SINGLE, "neural-q", GAMES, many, stages=10, matches=100, last=1000),
            _plan(MULTI, "neural-q", GAMES, many | {"nets": "multi"}, stages=10, matches=100, last=1000),
            _plan(MINIMAX, "minimax-q", GAMES // 5, many, stages=5, matches=100, last=300),
            _plan(OURS, "minimax-v", GAMES // 5, many, stages=10, matches=100, last=100),
        ]
    many, few = {"num_envs": 64}, {"matches": 20, "last": 50}
    return [
        _plan(SINGLE, "neural-q", 100_000, many, stages=2, **few),
        # In that of the 64 nets four plies take minutes.
        _plan(MULTI, "neural-q", 30_000, many | {"nets": "multi"}, stages=1, **few, depth=2),
        _plan(MINIMAX, "minimax-q", 100_000, many, stages=1, **few),
        _plan(OURS, "minimax-v", 40_000, many, stages=1, **few),
    ]


def _plan(
    label: str,
    learner: str,
    games: int,
    settings: dict[str, JSON],
    *,
    stages: int,
    matches: int,
    last: int,
    depth: int = DEPTH,
) -> Plan:
    """`matches` are games with each colour against each opponent in an evaluation (paper: 100), `last` in the last."""
    asked = {"matches": matches, "last": last, "depth": depth}
    settings = {"episodes": games, **settings}
    return Plan(label, GAME, learner, settings, evaluate=evaluation, evaluation=asked, stages=stages)


def deviations(scale: Scale) -> list[str]:
    plan = {each.label: each for each in plans(scale)}
    listed = [
        f"{plan[SINGLE].settings['num_envs']} games are played side by side, learning at once, and the same lesson in "
        "several of them counts once; the paper plays one after the other (`num_envs=1`, which is also there).",
        "Equations 12 and 13 have biases and equation 14 and the paper's count of weights have none: ours have them.",
        "The evaluation of a position in which the opponent of the searching learner is to move is the opponent's "
        "learner's; where a side must pass, it is what the other side's best move leaves it.",
        "The positional and the mobility player count a won game more than any open position; in the paper it counts "
        "1, next to positions that count hundreds.",
        "All evaluations begin with the same random four-ply openings.",
    ]
    if scale == "quick":
        lengths = ", ".join(f"{each.settings['episodes']:,} games ({label})" for label, each in plan.items())
        asked = plan[SINGLE].evaluation
        listed.insert(
            0,
            f"A quick run trains {lengths} instead of 15,000,000, its temperature falling as much faster, and "
            f"evaluates fewer times, with {asked['matches']} games ({asked['last']} at the end) for each colour and "
            f"opponent. In that of the 64 nets all look {plan[MULTI].evaluation['depth']} plies ahead, not four.",
        )
    return listed


def evaluation(run: Run) -> Evaluate:
    asked = run.plan.evaluation

    def measure(params: Any, games: int) -> dict[str, Any]:
        played = asked["last"] if games >= run.episodes else asked["matches"]
        each = [jax.tree.map(lambda x, row=row: x[row], params) for row in range(run.seeds)]
        return {"games": played, **matches([run.agent(weights) for weights in each], played, asked["depth"])}

    return measure


def matches(agents: list[Agent[Any]], games: int, depth: int) -> dict[str, dict[str, list[list[int]]]]:
    """Wins, draws and losses of each agent by opponent and colour, `games` in each; all look `depth` plies ahead.

    Every pairing meets the same openings.
    """
    game = agents[0].game
    searching = [Contestant(f"agent {n}", AlphaBeta(game, each.evaluator(), depth)) for n, each in enumerate(agents)]
    opponents = [f"alphabeta:{depth}:{name}" for name in OPPONENTS]
    contestants = [*searching, *(Contestant(spec, player(spec, game)) for spec in opponents)]
    pairings = [
        (n, name, colour, (n, len(agents) + rival) if colour == "black" else (len(agents) + rival, n))
        for n in range(len(agents))
        for rival, name in enumerate(OPPONENTS)
        for colour in COLOURS
    ]
    jobs = [Job(seed, pairing[-1]) for seed in range(games) for pairing in pairings]
    results: dict[tuple[int, str, str], list[float]] = {pairing[:3]: [] for pairing in pairings}
    for number, record in play_batch(game, contestants, jobs, opening=PLIES):
        n, name, colour, _ = pairings[number % len(pairings)]
        results[n, name, colour].append(record.returns[COLOURS.index(colour)])
    return {
        name: {colour: [list(tally(results[n, name, colour])) for n in range(len(agents))] for colour in COLOURS}
        for name in OPPONENTS
    }
