"""What is trained and measured for the reproduction of the report on Onitama."""

import statistics
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from numpy.typing import NDArray

from ludens.arena.jobs import Contestant, balanced_jobs
from ludens.arena.match import play
from ludens.arena.statistics import mean_interval, result, tally
from ludens.core.game import step, where
from ludens.core.player import Player
from ludens.core.run_files import RUN, device, read_metrics
from ludens.core.types import Array, Key
from ludens.games.onitama import Onitama, State
from ludens.learning import learner as make_learner
from ludens.learning.learner import Learner
from ludens.learning.run import train
from ludens.papers.paper import JSON
from ludens.players import player
from ludens.players.agent import Agent
from ludens.players.learned import agent_of, learned
from ludens.players.onitama_encoding import PAPER_CARDS

GAME = Onitama(cards=PAPER_CARDS)
MINIMAX = tuple(f"alphabeta:{depth}:result" for depth in (1, 2, 3, 4))
"""The report's opponent at its depths, as we read it: it sees a win or a loss within its depth, and nothing else."""
COUNTING = tuple(f"alphabeta:{depth}:material" for depth in (1, 2, 3))
"""A stronger one, which counts students too."""
OPPONENTS = ("random", *MINIMAX[:3], *COUNTING)
"""Whom everybody plays when it has learned."""
WAYS = ("sampled", "greedy")
"""How it chooses then: drawn by probability, as in training, or the likeliest move."""
BY_SQUARES = ", by squares"
"""Follows the name of whose moves are counted with those that differ in the card alone as one."""
CURVES = ("actor_loss", "critic_loss", "validity_loss", "valid", "won", "drawn", "level", "length")
"""What is kept of a run's metrics, where a learner has it."""


class Plan(NamedTuple):
    """What is to be trained."""

    label: str
    """For readers: `val_branch_actions`."""
    learner: str
    """`ddpg`."""
    games: int
    settings: Mapping[str, JSON]
    """Other than the defaults."""
    matches: int
    """Games against each opponent, in each way, when it has learned."""
    points: int = 100
    """Of its curves, and checkpoints along the way."""


# ---------------------------------------------------------------------- training


def learn(plan: Plan, seed: int, folder: Path, watch: Callable[[float], None]) -> JSON:
    """Train: curves and speed. Goes on where it was if the folder holds a run."""
    trained(plan, seed, folder, watch)
    lines = read_metrics(folder)
    timed = lines[1:] or lines  # the first chunk is compiled while it runs
    seconds = sum(line["seconds"] for line in timed)
    return {
        "games": [line["games"] for line in lines],
        "curves": {name: [line[name][0] for line in lines] for name in CURVES if name in lines[-1]},
        "device": device(lines),
        "seconds": sum(line["seconds"] for line in lines),
        "rate": sum(line["games_per_second"] * line["seconds"] for line in timed) / seconds,
    }


def trained(plan: Plan, seed: int, folder: Path, watch: Callable[[float], None]) -> None:
    """A finished run in `folder`: begun there, or gone on with, or there already."""
    every = max(1, -(-plan.games // plan.points))
    watch(0.0)
    for progress in train(learner_of(plan), folder, seed=seed, every=every, resume=(folder / RUN).exists()):
        watch(min(1.0, progress.games / plan.games))


def learner_of(plan: Plan) -> Learner[State]:
    """The learner that a plan asks for."""
    return make_learner(plan.learner, GAME, {"episodes": plan.games, **plan.settings})


# ---------------------------------------------------------------------- matches


def agent(folder: Path, way: str) -> Agent[Any]:
    """Who plays with what was learned in `folder`: `sampled` or `greedy`."""
    return replace(learned(str(folder), GAME), sample=way == "sampled")  # type: ignore[call-arg]  # both kinds have it


def play_everybody(plan: Plan, seed: int, folder: Path, watch: Callable[[float], None]) -> JSON:
    """Results of what was learned in `folder`, or is learned there first: `{way: {opponent: [won, drawn, lost]}}`."""
    trained(plan, seed, folder, watch)
    return {way: matches(agent(folder, way), plan.matches, seed) for way in WAYS}


def matches(who: Player[Any], games: int, seed: int) -> dict[str, list[int]]:
    """Wins, draws and losses against each opponent, as often in each seat."""
    return {spec: list(tally(_match(who, spec, games, seed))) for spec in OPPONENTS}


def _match(who: Player[Any], spec: str, games: int, seed: int) -> list[float]:
    jobs = balanced_jobs(GAME, 2, games, seed)
    both = [Contestant("learned", who), Contestant(spec, player(spec, GAME))]
    return [result(record, jobs[number].seats, 0) for number, record in play(GAME, both, jobs)]


# ---------------------------------------------------------------------- how many moves there are


def valid_moves(turns: int, lanes: int, seed: int) -> JSON:
    """How many moves are valid in each of `turns` turns of both sides, by who plays against depth 1.

    Figure 5.1 is that of an untrained actor; beside it we set depth 1 against itself. Both are counted again with moves
    of a piece to the same square as one, whichever of the two cards they are made with.
    """
    untrained = make_learner("ddpg", GAME, {"episodes": 1, "buffer_size": 1000})
    start, key = jax.random.split(jax.random.key(seed))
    weights = jax.jit(lambda key: untrained.params(untrained.init(key)))(start)
    facts = untrained.agent() | {"sample": True}
    actor = agent_of(GAME, facts, lambda shapes: weights)
    minimax = player(MINIMAX[0], GAME)
    plies = -(-turns // lanes)
    found: dict[str, JSON] = {}
    for who, one, params in (("untrained", actor, weights), ("itself", minimax, minimax.init(key))):
        every, by_squares = _counted(one, minimax, params, key, lanes=lanes, plies=plies)
        found |= {who: _counts(np.asarray(every)), f"{who}{BY_SQUARES}": _counts(np.asarray(by_squares))}
    return found


def _by_squares(s: State) -> Array:
    """Valid moves that leave different boards, `int32[]`: those that differ in the card alone count as one."""
    legal, actions = GAME.legal(s), jnp.arange(GAME.num_actions)
    after = jax.vmap(lambda a: GAME.apply(s, a))(actions)
    boards = jnp.stack([after.opp_students, after.opp_master], axis=1)  # [A, 2], of whoever has moved
    like_an_earlier_one = (boards[:, None] == boards).all(axis=2) & legal & (actions < actions[:, None])
    return (legal & ~like_an_earlier_one.any(axis=1)).sum()


def _counts(counts: NDArray[Any]) -> JSON:
    """What figure 5.1 shows of numbers of valid moves, `[plies, lanes]`."""
    flat = [int(count) for count in counts.reshape(-1)]
    return {
        "turns": len(flat),
        "counts": {str(count): number for count, number in sorted(Counter(flat).items())},
        "mean": statistics.fmean(flat),
        "ci95": list(mean_interval(counts.mean(axis=0).tolist())),
        "median": statistics.median(flat),
        "mode": statistics.mode(flat),
        "most": max(flat),
    }


@partial(jax.jit, static_argnames=("one", "other", "lanes", "plies"))
def _counted(
    one: Player[State], other: Player[State], params: Any, key: Key, *, lanes: int, plies: int
) -> tuple[Array, Array]:
    """Valid moves in each of `plies` turns of `lanes` games side by side, each followed by the next: `[plies, lanes]`.

    All of them, and by squares. Who is who changes from lane to lane.
    """
    theirs = other.init(jax.random.key(0))
    seats = jnp.arange(lanes, dtype=jnp.int32) % 2

    def ply(carry: tuple[State, Array], key: Key) -> tuple[tuple[State, Array], tuple[Array, Array]]:
        s, played = carry
        mine, answers, deals = jax.random.split(key, (3, lanes))
        own = one.act_batch(params, mine, s).action
        reply = other.act_batch(theirs, answers, s).action
        a = jnp.where(s.turn == seats, own, reply)
        t = jax.vmap(lambda s, a, key: step(GAME, s, a, key))(s, a, deals)
        over = jax.vmap(GAME.done)(t) | (played + 1 >= GAME.turn_limit)
        fresh = jax.vmap(GAME.init)(deals)
        counts = jax.vmap(GAME.legal)(s).sum(axis=1), jax.vmap(_by_squares)(s)
        return (jax.vmap(where)(over, fresh, t), jnp.where(over, 0, played + 1)), counts

    deal, key = jax.random.split(key)
    begun = jax.vmap(GAME.init)(jax.random.split(deal, lanes)), jnp.zeros(lanes, jnp.int32)
    counts: tuple[Array, Array] = lax.scan(ply, begun, jax.random.split(key, plies))[1]
    return counts
