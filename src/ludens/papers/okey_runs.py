"""One part of the reproduction of the thesis on Okey: a run and its evaluation, or a match without training."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from ludens.core.player import Player
from ludens.core.run_files import CHECKPOINT, RUN, device, read_metrics
from ludens.games.okey import TAKE, Okey
from ludens.learning import learner as make_learner
from ludens.learning.evaluation import evaluate
from ludens.learning.learner import Learner
from ludens.learning.run import DivergedError, train
from ludens.nets.mlp import MLP
from ludens.papers.okey_plans import ACTOR_CRITIC, ONE_PLACE, TAKING, THESIS, UNTRAINED, Plan, Reference
from ludens.papers.paper import JSON
from ludens.players import player
from ludens.players.agent import Agent
from ludens.players.learned import agent_of, learned
from ludens.players.two_actors import SOURCES, Actors

SAMPLED = "thesis, sampled"
"""Where evaluations stand in which acts are drawn by their probabilities."""
KEPT = (
    *("won", "drawn", "lost", "draw_reward", "discard_reward", "turns"),
    *("entropy", "free", "td_error", "place", "replay_age", "length"),
)
"""Figures of training that are kept."""
CENTRE = 0
"""The game's action that draws from the centre."""
MATCH_KEY = 0x0C4E7


def learn(plan: Plan, seeds: int, folder: Path, watch: Callable[[float], None]) -> JSON:
    """Train `seeds` runs in `folder`, going on where it was if it has begun; curves, totals, speed.

    Where the weights of a run stop being numbers, what it was until then counts, and `diverged` is true.
    """
    diverged = trained(plan, seeds, folder, watch)
    return {**told(read_metrics(folder)), "diverged": diverged}


def play_everybody(plan: Plan, seeds: int, folder: Path, watch: Callable[[float], None]) -> JSON:
    """Evaluations of what was learned in `folder`, or is learned there first, by opponent."""
    trained(plan, seeds, folder, watch)
    learner = learner_of(plan)
    return {
        **{spec: matches(learner, folder, seeds, spec, games) for spec, games in plan.evaluations.items()},
        **({SAMPLED: matches(learner, folder, seeds, THESIS, plan.sampled, sample=True)} if plan.sampled else {}),
    }


def trained(plan: Plan, seeds: int, folder: Path, watch: Callable[[float], None]) -> bool:
    """Have a run in `folder` that is finished, or that stopped being numbers; whether it did."""
    watch(0.0)
    every, begun = -(-plan.games // plan.points), (folder / RUN).exists()
    try:
        for progress in train(learner_of(plan), folder, seeds=seeds, every=every, resume=begun):
            watch(min(1.0, progress.games / plan.games))
    except DivergedError:
        if not (folder / CHECKPOINT).exists():
            raise
        return True
    return False


def learner_of(plan: Plan) -> Learner[Any]:
    """The learner that a plan asks for."""
    return make_learner(plan.learner, Okey(**plan.variant), {"episodes": plan.games, **plan.settings})


def told(lines: list[dict[str, Any]]) -> dict[str, JSON]:
    """What the metrics of a run say: curves with a value for each seed, their means over all games, games/s."""
    chunks = [line for line in lines if line["games"]]
    ends = [line["games"] for line in chunks]
    sizes = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
    curves = {name: [line[name] for line in chunks] for name in KEPT if chunks and name in chunks[0]}
    timed = chunks[1:]  # the first chunk is compiled while it runs
    seconds = sum(line["seconds"] for line in timed)
    played = sum(line["games_per_second"] * line["seconds"] for line in timed if line["seconds"])
    return {
        "games": ends,
        "curves": curves,
        "totals": {name: _totals(values, sizes) for name, values in curves.items()},
        "rate": played / seconds if seconds else None,
        "device": device(lines),
    }


def matches(
    learner: Learner[Any], folder: Path, seeds: int, spec: str, games: int, *, sample: bool = False
) -> list[list[int]]:
    """Won, drawn and lost against `spec` at all other seats, for each seed of the run in `folder`."""
    agent = playing(learner, sample=sample)
    nets = [learned(f"{folder}@{seed}", learner.game).init(jax.random.key(0)) for seed in range(seeds)]
    return [match(agent, net, spec, games, seed) for seed, net in enumerate(nets)]


def playing(learner: Learner[Any], *, sample: bool = False) -> Agent[Any]:
    """Who plays with what `learner` has learned, the likeliest acts or drawn ones; weights come as an argument."""
    facts = {**learner.agent(), "sample": sample}
    return agent_of(learner.game, facts)


def match(who: Player[Any], params: Any, spec: str, games: int, seed: int) -> list[int]:
    """Won, drawn and lost by `who`, sitting in all seats in turn, against `spec` in all others."""
    opponent = player(spec, who.game)
    key = jax.random.fold_in(jax.random.key(MATCH_KEY), seed)
    counts = evaluate(who, opponent, params, opponent.init(jax.random.key(0)), key, games=games)
    return [int(count) for count in counts]


def refer(reference: Reference, seeds: int) -> JSON:
    """Won, drawn and lost by who does not learn: for each seed if it is drawn at random, else once."""
    game = Okey()
    if reference.who != UNTRAINED and not reference.who.startswith(ONE_PLACE):
        who = player(reference.who, game)
        return [match(who, who.init(jax.random.key(0)), THESIS, reference.games, 0)]
    learner = make_learner(ACTOR_CRITIC, game, {})
    agent = playing(learner, sample=reference.sampled)
    if reference.who == UNTRAINED:
        nets = [learner.params(learner.init(jax.random.key(seed))) for seed in range(seeds)]
    else:
        place, source = reference.who.split()[-2:]
        nets = [one_place(agent.shapes(), int(place), source)]
    return [match(agent, net, THESIS, reference.games, seed) for seed, net in enumerate(nets)]


def one_place(shapes: Actors, place: int, source: str) -> Actors:
    """Weights with which they always do the same: two biases, nothing else."""
    nets: Actors = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)

    def insist(net: MLP, output: int) -> MLP:
        return replace(net, weights=(*net.weights[:-1], net.weights[-1].at[output, -1].set(1.0)))

    return Actors(insist(nets.draw, SOURCES.index(TAKE if source == TAKING else CENTRE)), insist(nets.discard, place))


def _totals(values: list[list[float | None]], sizes: list[int]) -> list[float | None]:
    """The mean of a curve for each seed, every chunk counting by its games; None where nothing was measured."""
    found: list[float | None] = []
    for of_seed in zip(*values, strict=True):
        known = [(value, size) for value, size in zip(of_seed, sizes, strict=True) if value is not None]
        games = sum(size for _, size in known)
        found.append(sum(value * size for value, size in known) / games if games else None)
    return found
