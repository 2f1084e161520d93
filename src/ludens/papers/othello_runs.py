"""One experiment of the reproduction of the paper on Othello: training, and matches along the way."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jax

from ludens.arena.jobs import Contestant, Job
from ludens.arena.match import play_batch
from ludens.arena.statistics import tally
from ludens.core.run_files import RUN, read_metrics
from ludens.games.othello import Othello
from ludens.learning import learner as make_learner
from ludens.learning.learner import Learner
from ludens.learning.run import train
from ludens.papers.paper import JSON
from ludens.players import player
from ludens.players.agent import Agent
from ludens.players.alpha_beta import AlphaBeta
from ludens.players.learned import agent_of

GAME = Othello()
OPPONENTS = ("positional", "mobility")
COLOURS = ("black", "white")
PLIES, DEPTH = 4, 4
"""Random plies before an evaluation game, and plies that both players look ahead in it (section 5)."""


class Plan(NamedTuple):
    """What is trained and how it is measured."""

    label: str
    """For readers: `single net`."""
    learner: str
    """`neural-q`."""
    games: int
    settings: Mapping[str, JSON]
    """Other than the defaults."""
    stages: int
    """Evaluations at equal steps, besides the one before the first game."""
    matches: int
    """Games with each colour against each opponent in an evaluation, 100 in the paper."""
    last_matches: int
    """As many in the last."""
    depth: int = DEPTH
    """Plies that everybody looks ahead in an evaluation."""


def measure(plan: Plan, seeds: int, folder: Path, watch: Callable[[float], None]) -> JSON:
    """Train `seeds` runs in `folder`, going on where it was if it has begun; evaluations and speed."""
    learner = make_learner(plan.learner, GAME, {"episodes": plan.games, **plan.settings})

    def evaluate(params: Any, games: int) -> dict[str, Any]:
        played = plan.last_matches if games >= plan.games else plan.matches
        each = [jax.tree.map(lambda x, row=row: x[row], params) for row in range(seeds)]
        return {"games": played, **matches([agent(learner, weights) for weights in each], played, plan.depth)}

    stage, begun = -(-plan.games // plan.stages), (folder / RUN).exists()
    watch(0.0)
    for progress in train(learner, folder, seeds=seeds, evaluate=evaluate, evaluate_every=stage, resume=begun):
        watch(min(1.0, progress.games / plan.games))
    lines = read_metrics(folder)
    evaluations = [{"after": line["games"], **line["evaluation"]} for line in lines if "evaluation" in line]
    timed = [line for line in lines if line["games"]][1:]  # the first chunk is compiled while it runs
    seconds = sum(line["seconds"] for line in timed)
    played = sum(line["games_per_second"] * line["seconds"] for line in timed)
    return {"evaluations": evaluations, "rate": played / seconds if seconds else None}


def agent(learner: Learner[Any], weights: Any) -> Agent[Any]:
    """Who plays with what `learner` has learned."""
    facts = learner.agent()
    return agent_of(GAME, facts, lambda shapes: weights)


def matches(agents: list[Agent[Any]], games: int, depth: int) -> dict[str, dict[str, list[list[int]]]]:
    """Wins, draws and losses of each agent by opponent and colour, `games` in each; all look `depth` plies ahead.

    Every pairing meets the same openings.
    """
    searching = [Contestant(f"agent {n}", AlphaBeta(GAME, each.evaluator(), depth)) for n, each in enumerate(agents)]
    opponents = [f"alphabeta:{depth}:{name}" for name in OPPONENTS]
    contestants = [*searching, *(Contestant(spec, player(spec, GAME)) for spec in opponents)]
    pairings = [
        (n, name, colour, (n, len(agents) + rival) if colour == "black" else (len(agents) + rival, n))
        for n in range(len(agents))
        for rival, name in enumerate(OPPONENTS)
        for colour in COLOURS
    ]
    jobs = [Job(seed, pairing[-1]) for seed in range(games) for pairing in pairings]
    results: dict[tuple[int, str, str], list[float]] = {pairing[:3]: [] for pairing in pairings}
    for number, record in play_batch(GAME, contestants, jobs, opening=PLIES):
        n, name, colour, _ = pairings[number % len(pairings)]
        results[n, name, colour].append(record.returns[COLOURS.index(colour)])
    return {
        name: {colour: [list(tally(results[n, name, colour])) for n in range(len(agents))] for colour in COLOURS}
        for name in OPPONENTS
    }
