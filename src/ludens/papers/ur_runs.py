"""One training run of the reproduction of the paper on Ur, and everything that is measured about it."""

import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.arena.jobs import Contestant, balanced_jobs
from ludens.arena.match import play
from ludens.arena.statistics import result, tally
from ludens.core.game import legal_actions
from ludens.games.ur import State, Ur
from ludens.learning import learner as make_learner
from ludens.learning.learner import Learner
from ludens.learning.loop import compiled_begin, compiled_chunk
from ludens.oracles.numbering import numbering
from ludens.oracles.oracle import Table
from ludens.oracles.regret import positions, regret_of
from ludens.oracles.store import load
from ludens.oracles.ur import UrOracle
from ludens.papers.paper import JSON
from ludens.players import player
from ludens.players.agent import Agent
from ludens.players.learned import agent_of
from ludens.players.q_table import QTable
from ludens.players.rewards import reward

GAME = Ur()
WATCHED = "first: waiting 3 on a3; second: waiting 3 on c3; turn first; throw 1"
"""The state whose value the paper follows (figures 8, 9, 10, 12): ((3, (a3)), (3, (c3)), 1)."""
POINTS = 100
"""Of each curve."""
DECISIONS = 5000
"""Positions from random play in which regret is measured."""


class Plan(NamedTuple):
    """What is to be trained."""

    label: str
    """For readers: `Q-learning`."""
    learner: str
    """`q-learning`."""
    games: int
    settings: Mapping[str, JSON]
    """Other than the defaults."""


class Position(NamedTuple):
    """One of the paper's strategic positions."""

    figure: str
    text: str
    """As `Ur.read` takes it."""
    paper: str
    """The move that the paper is about, as `Ur.parse` takes it; the first of two where it asks which."""
    about: str
    """What it shows, and what is assumed."""


def measure(plan: Plan, seed: int, games: int, asked: tuple[Position, ...], watch: Callable[[float], None]) -> JSON:
    """Train, and then: matches of `games`, regret, and what is played in the positions `asked`."""
    learner = learner_of(plan)
    begun = time.perf_counter()
    params, curves = _train(learner, seed, watch)
    seconds = time.perf_counter() - begun
    agent = _agent(learner, params)
    oracle, table = solution()
    regret = regret_of(oracle, table, agent, params, decisions(), jax.random.key(seed))
    against = {
        spec: match(Contestant(plan.learner, agent), spec, games, seed) for spec in ("random", "greedy", "optimal")
    }
    return {
        **curves,
        "seconds": seconds,
        "matches": against,
        "regret": regret.mean_regret,
        "best": regret.best,
        **(_knowledge(params["q"]) if isinstance(agent, QTable) else {}),
        "moves": [_answer(agent, params, GAME.read(each.text), seed) for each in asked],
    }


def learner_of(plan: Plan) -> Learner[State]:
    """The learner that a plan asks for."""
    return make_learner(plan.learner, GAME, {"episodes": plan.games, **plan.settings})


def match(who: Contestant, against: str, games: int, seed: int) -> JSON:
    """Results of `games` in both seats: of all, and of the first hundred, as many as the paper played."""
    jobs = balanced_jobs(GAME, 2, games, seed)
    results = [0.0] * games
    for number, record in play(GAME, [who, Contestant(against, player(against, GAME))], jobs):
        results[number] = result(record, jobs[number].seats, 0)
    return {"all": list(tally(results)), "first 100": list(tally(results[:100]))}


def worth(position: Position) -> dict[str, float]:
    """The exact chance of winning with each move of a position, by the move's name."""
    oracle, table = solution()
    s = GAME.read(position.text)
    values = np.asarray(oracle.values(table, s))
    return {GAME.name(a, s): float(values[a]) for a in legal_actions(GAME, s)}


@lru_cache(maxsize=1)
def solution() -> tuple[UrOracle, Table]:
    """The oracle and its table, on the device."""
    solved = load(GAME)[1]
    return UrOracle(GAME), {name: jnp.asarray(array) for name, array in solved.table.items()}


@lru_cache(maxsize=1)
def decisions() -> State:
    """Positions in which something can be lost, as random play meets them."""
    oracle, table = solution()
    return positions(oracle, table, DECISIONS, jax.random.key(0))


def _train(learner: Learner[State], seed: int, watch: Callable[[float], None]) -> tuple[Any, dict[str, JSON]]:
    """What was learned, and the curves of figures 7 to 12: length of games, value of the watched state."""
    training, chunk, value = (
        compiled_begin(learner)(np.array([seed], np.uint32)),
        compiled_chunk(learner, 1),
        _value(learner),
    )
    games = learner.config.episodes
    targets = sorted({max(1, round(games * n / POINTS)) for n in range(1, POINTS + 1)})
    lengths, values = [], []
    for target in targets:
        training, means = chunk(training, jnp.int32(target))
        length = means["length"]
        lengths.append(float(length.total[0]) / max(float(length.number[0]), 1.0))
        values.append(float(value(training.learner)))
        watch(target / games)
    params = learner.params(jax.tree.map(lambda x: x[0], training.learner))
    return params, {"games": targets, "length": lengths, "value": values}


def _value(learner: Learner[State]) -> Callable[[Any], Any]:
    """Compiled: from the states of learners `[1]` to what the best move in the watched state is worth, in points."""
    unit = 1.0 if isinstance(_agent(learner, None), QTable) else reward(learner.config.to_dict()["reward"], GAME).most
    watched = GAME.read(WATCHED)

    def value(states: Any) -> Any:
        params = learner.params(jax.tree.map(lambda x: x[0], states))
        return unit * _agent(learner, params).act(params, jax.random.key(0), watched).scores.max()

    return jax.jit(value)


def _agent(learner: Learner[State], params: Any) -> Agent[State]:
    facts = learner.agent()
    return agent_of(GAME, facts, lambda shapes: params)


def _knowledge(q: Any) -> dict[str, JSON]:
    """How much of the tables is filled: of the decisions play can reach, and of those regret is measured in."""
    reachable = load(GAME)[1].states * sum(share > 0 for share in GAME.throws)
    rows = jax.jit(lambda q: (q != 0).any(axis=2).sum())(q)
    known = jax.jit(jax.vmap(lambda s: (q[GAME.player(s), numbering(GAME).decision(s)] != 0).any()))(decisions())
    return {"filled": float(rows) / (reachable * len(q)), "known": float(known.mean())}


def _answer(agent: Agent[State], params: Any, s: State, seed: int) -> JSON:
    """The move that an agent plays, and what it thinks of all."""
    decision = jax.jit(agent.act)(params, jax.random.key(seed), s)
    scores = {GAME.name(a, s): float(decision.scores[a]) for a in legal_actions(GAME, s)}
    return {"move": GAME.name(int(decision.action), s), "scores": scores}
