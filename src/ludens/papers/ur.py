"""Malhotra and Malik (2022): three ways to learn a table of the Royal Game of Ur.

The paper trains on-policy Monte Carlo, Q-learning and Expected Sarsa for 100,000 episodes each, two learners playing
each other, and counts how often they beat a random player in 100 games (table 1). It follows the time to finish (figure
7) and the value of one state (figures 8-10, 12), and shows moves that an agent should find (figures 4, 5, 6, 11).
Beside it we set what it wishes for (TD(lambda), a million episodes, DQN and Double DQN) and what it could not know:
perfect play.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.arena.statistics import tally
from ludens.core.game import legal_actions
from ludens.core.player import Player
from ludens.games.ur import State, Ur
from ludens.learning.run import Evaluate
from ludens.oracles.numbering import numbering
from ludens.oracles.oracle import Lookup
from ludens.oracles.regret import positions, regret_of
from ludens.oracles.store import load
from ludens.oracles.ur import UrOracle
from ludens.papers.codec import JSON
from ludens.papers.experiment import Plan, Run, match
from ludens.papers.results import Scale
from ludens.papers.study import Study
from ludens.players.agent import Agent
from ludens.players.q_table import QTable
from ludens.players.rewards import reward

GAME = Ur()
EPISODES = {"quick": 20_000, "full": 100_000}
LONG = 1_000_000
"""Episodes that the paper plans for."""
NET_EPISODES = {"quick": 4_000, "full": 20_000}
"""Of DQN, which needs fewer."""
MATCH = {"quick": 2_000, "full": 10_000}
"""Games against each opponent, where the paper played 100."""
DECISIONS = 5000
"""Positions from random play in which regret is measured."""
OPPONENTS = ("random", "greedy", "optimal")
TABLE_1 = {"Q-learning": 0.60, "Monte Carlo": 0.55, "Expected Sarsa": 0.54}
"""The paper's table 1: won against the random player, of 100 games."""
PAPER_GAMES = 100
NUMBERS = {"Monte Carlo": 8, "Q-learning": 9, "Expected Sarsa": 10}
"""The figures with the value of a state."""
WATCHED = "first: waiting 3 on a3; second: waiting 3 on c3; turn first; throw 1"
"""The state whose value the paper follows (figures 8, 9, 10, 12): ((3, (a3)), (3, (c3)), 1)."""


class Position(NamedTuple):
    """One of the paper's strategic positions."""

    figure: str
    text: str
    """As `Ur.read` takes it."""
    paper: str
    """The move that the paper is about, as `Ur.parse` takes it; the first of two where it asks which."""
    about: str
    """What it shows, and what is assumed."""


POSITIONS = (
    Position(
        "4, throw 1",
        "first: waiting 2 on a1 b3; second: waiting 3 on b1; turn first; throw 1",
        "a1-b1 or b3-b4",
        "capture on b1, or safety on b4; no other piece is on the board",
    ),
    Position(
        "4, throw 2",
        "first: waiting 2 on a2 b2; second: waiting 3 on b1; turn first; throw 2",
        "a2-b1 or b2-b4",
        "the same choice with the other throw: the text does not give it",
    ),
    Position(
        "5",
        "first: waiting 3 on b3; second: waiting 4; turn first; throw 2",
        "b3-b5",
        "on to b5 rather than start a new piece; the paper's throw is 4, which its two dice cannot make: here 2",
    ),
    Position(
        "6",
        "first: waiting 3 on b1; second: waiting 3 on b3; turn first; throw 2",
        "b1-b3",
        "to b3, where red can be captured but green is not safe; the paper's throw is 3: here 2, and red stands on b3",
    ),
    Position(
        "11",
        "first: waiting 3 on b8; second: waiting 3 on b5; turn first; throw 1",
        "b8-a8",
        "leave the shared row before red comes",
    ),
)
"""Green is the first side. What a caption does not show is waiting."""


def plans(scale: Scale) -> list[Plan]:
    """What is trained: the paper's three and their kin; a million episodes; nets; and all paid for winning alone."""
    games, net = EPISODES[scale], NET_EPISODES[scale]
    three = [(label, label.lower().replace(" ", "-")) for label in TABLE_1]
    nets = [("DQN", "dqn"), ("Double DQN", "double-dqn")]
    won = {"reward": "result"}

    def plan(label: str, learner: str, games: int, settings: Mapping[str, JSON] | None = None) -> Plan:
        matches = {"match": MATCH[scale], "positions": [each.text for each in POSITIONS], "decisions": DECISIONS}
        return Plan(
            label,
            GAME,
            learner,
            {"episodes": games, **(settings or {})},
            curves=("length",),
            evaluate=value_of_watched,
            evaluation={"watched": WATCHED},
            play=play,
            matches=matches,
            heavy=True,  # a table has 260 MB
        )

    return [
        *(plan(label, name, games) for label, name in three),
        plan("Sarsa", "sarsa", games),
        plan("Sarsa(λ)", "sarsa-lambda", games),
        *(plan(f"{label}, {LONG:,} episodes", name, LONG) for label, name in three if scale == "full"),
        *(plan(label, name, net) for label, name in nets),
        *(plan(f"{label}, paid for winning", name, games, won) for label, name in three),
        *(plan(f"{label}, paid for winning", name, net, won) for label, name in nets),
    ]


def seeds_of(plan: Plan, study: Study) -> int:
    """Training runs of a plan: all seeds for the paper's own settings, three at most for what goes beyond them."""
    papers_own = plan.settings == {"episodes": EPISODES[study.scale]}
    return study.seeds if papers_own else min(study.seeds, 3)


def deviations(scale: Scale) -> list[str]:
    """Where we did not do what the paper did, or it did not say."""
    quick = (
        f"Quick: {EPISODES['quick']:,} episodes of the tables instead of {EPISODES['full']:,}, none of {LONG:,}, "
        f"{NET_EPISODES['quick']:,} instead of {NET_EPISODES['full']:,} of the nets, and shorter matches."
    )
    return [
        *([quick] if scale == "quick" else []),
        "Step size, discount, first entries and which visits count are not stated. We use 0.1, 1, 0 and every visit, "
        "as the authors' program does. There exploration goes from 0.1 to 0.2 or is 0.2; we use the paper's 0.1.",
        "A transition goes from a player's turn to its next one. In the authors' program the next state is the "
        "position before the move, and one table serves both players.",
        "The text does not say whether points add up. We add them, so a capture counts 10 - 1. In the authors' program "
        "the -1 takes the place of the 10.",
        "The paper tests one run of each learner in 100 games. We play many more, in both seats, and train with "
        "several seeds. Intervals are Wilson's over all games or, from three seeds on, Student's over the seeds where "
        "that is wider. With fewer seeds they hold for these runs only, and bands in figures are the span of the runs.",
        "Time to finish is counted in moves of both players. The paper does not give its unit.",
        "The positions of figures 4, 5, 6 and 11 follow their captions, with all other pieces waiting; throws of 3 "
        "and 4, which two dice cannot make, became 2.",
        f"Lambda is 0.9. The nets learn from {NET_EPISODES[scale]:,} episodes. The paper has no settings for these.",
    ]


# ---------------------------------------------------------------------- measuring


def value_of_watched(run: Run) -> Evaluate:
    """What the best move in the watched state is worth, in points: the curves of figures 8 to 12."""
    agent, game = run.agent(), run.plan.game
    watched = game.read(run.plan.evaluation["watched"])
    unit = 1.0 if isinstance(agent, QTable) else reward(run.learner.config.to_dict()["reward"], game).most

    @jax.jit  # with the slice inside: a table is not copied
    def worth(params: Any) -> Any:
        weights = jax.tree.map(lambda x: x[0], params)
        return unit * agent.act(weights, jax.random.key(0), watched).scores.max()

    return lambda params, games: {"value": float(worth(params))}


def play(run: Run) -> JSON:
    """Matches, regret, how much of the table is filled, and what is played in the paper's positions."""
    params, seed = run.params(), run.seed
    agent = run.agent(params)
    oracle, table = solution()
    regret = regret_of(oracle, table, agent, params, decisions(), jax.random.key(seed))
    return {
        "against": {spec: results(agent, spec, run.plan.matches["match"], seed) for spec in OPPONENTS},
        "regret": regret.mean_regret,
        "best": regret.best,
        **(_knowledge(params["q"]) if isinstance(agent, QTable) else {}),
        "moves": [_answer(agent, params, GAME.read(each.text), seed) for each in POSITIONS],
    }


def results(who: Player[Any], spec: str, games: int, seed: int) -> JSON:
    """Wins, draws and losses in both seats: of all games, and of the first hundred, as many as the paper played."""
    each = match(who, spec, games, seed)
    return {"all": list(tally(each)), "first 100": list(tally(each[:PAPER_GAMES]))}


def exact_values(position: Position) -> dict[str, float]:
    """The exact chance of winning with each move of a position, by the move's name."""
    oracle, table = solution()
    s = GAME.read(position.text)
    values = np.asarray(oracle.values(table, s))
    return {GAME.name(a, s): float(values[a]) for a in legal_actions(GAME, s)}


@lru_cache(maxsize=1)
def solution() -> tuple[UrOracle, Lookup]:
    """The oracle and its table, on the device."""
    solved = load(GAME)[1]
    return UrOracle(GAME), {name: jnp.asarray(array) for name, array in solved.table.items()}


@lru_cache(maxsize=1)
def decisions() -> State:
    """Positions in which something can be lost, as random play meets them."""
    oracle, table = solution()
    return positions(oracle, table, DECISIONS, jax.random.key(0))


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
