"""Gatti, Linton and Embrechts (2011): TD(lambda) with a small net on Chung Toi.

One experiment: the net plays itself for 2,000 games, and after every 100 of them 300 games against a "smart random"
opponent as the first player (figure 3). Beside it we set three readings of that opponent, longer training, a table in
place of the net, and perfect play. The defaults of `td-lambda` are the paper's settings.
"""

from typing import Any

import jax
import jax.numpy as jnp

from ludens.games.chung_toi import ChungToi
from ludens.learning.evaluation import evaluate
from ludens.learning.run import Evaluate, against
from ludens.oracles.regret import positions, regret_of
from ludens.oracles.store import load
from ludens.papers.codec import JSON
from ludens.papers.experiment import Plan, Run
from ludens.papers.results import Scale
from ludens.players import player

GAME = ChungToi()
GAMES, EVERY, EVALUATION = 2000, 100, 300
"""Training games, games between evaluations, games of an evaluation (sections 3.3 and 4)."""
PAPER_BEGINS, PAPER_ENDS = 0.50, 0.90
"""Won before training and after 2,000 games: about 50 %, nearly 90 % (section 4)."""
OPPONENTS = {
    "smart-random": "takes a win, else blocks",
    "smart-random:wins": "takes a win, never blocks",
    "random": "any legal move",
}
"""Readings of the paper's opponent, from the strictest to none at all."""
LAST = 10_000
"""Games of the last evaluation of a longer training."""
DECISIONS = 4000
"""Positions from random play in which regret is measured."""
DEVIATIONS = [
    "The paper anneals epsilon and alpha without saying to what: here in a straight line to 0.95 and 0 over all games.",
    "At the end of a game the reward stands in for what follows the finished position (docs/learners/td-lambda.md).",
    "A block is any move after which the opponent cannot win at once. While training, both sides choose among wins, or "
    "else among blocks, and explore among these too.",
    "Where several moves have the same value one of them is drawn at random.",
    "Longer trainings play several games side by side and add their corrections up; figure 3 plays one at a time. "
    "All their settings are in `longer` in src/ludens/papers/chung_toi.py.",
    "The curve of the paper is drawn by its two ends, which are all that its text gives.",
]


def figure_3() -> Plan:
    """The paper's training, evaluated against each reading of its opponent."""
    return Plan(
        "figure 3",
        GAME,
        "td-lambda",
        {"episodes": GAMES},
        points=GAMES // EVERY,
        curves=("length",),
        evaluate=_against_all,
        evaluation={"vs": list(OPPONENTS), "games": EVALUATION},
    )


def longer(scale: Scale) -> list[Plan]:
    """What is trained beyond the paper's 2,000 games."""
    many, steady = {"quick": 20_000, "full": 200_000}[scale], {"epsilon": 0.5, "epsilon_end": 0.1}
    large = {"hidden": 128, "alpha": 0.003, "alpha_end": 0.0003, "lambda_": 0.0, "tactics": False, "known_ends": True}
    trained: dict[str, tuple[str, dict[str, JSON]]] = {
        "30 hidden units": ("td-lambda", {"episodes": many, "num_envs": 16, "alpha_end": 0.00012, "epsilon_end": 0.0}),
        "128 hidden units": ("td-lambda", {"episodes": many, "num_envs": 32, **large, **steady}),
        "a table": ("td-table", {"episodes": {"quick": 200_000, "full": 1_000_000}[scale]}),
    }
    asked = {"vs": "smart-random", "games": LAST, "decisions": DECISIONS}
    return [
        Plan(label, GAME, learner, settings, points=20, evaluate=_with_regret, evaluation=asked)
        for label, (learner, settings) in trained.items()
    ]


def perfect_play() -> JSON:
    """How often perfect play wins as the first player, as in the paper's evaluation."""
    optimal, smart = player("optimal", GAME), player("smart-random", GAME)
    weights, key = optimal.init(jax.random.key(0)), jax.random.key(0)
    counts = evaluate(optimal, smart, weights, None, key, games=LAST, first_only=True)
    return {"won": int(counts.wins), "games": LAST}


def _against_all(run: Run) -> Evaluate:
    """Results against each reading of the opponent, as the first player."""
    meetings = {
        spec: against(run.learner, player(spec, GAME), spec, games=EVALUATION, first_only=True) for spec in OPPONENTS
    }
    return lambda params, games: {spec: meet(params, games) for spec, meet in meetings.items()}


def _with_regret(run: Run) -> Evaluate:
    """Results against smart-random in both seats, more of them at the end, and regret, for weights `[R]`."""
    smart, agent = player("smart-random", GAME), run.agent()
    oracle, solution = load(GAME)
    table = jax.tree.map(jnp.asarray, solution.table)
    asked = positions(oracle, table, DECISIONS, jax.random.key(1))

    def measure(params: Any, games: int) -> dict[str, Any]:
        played = LAST if games >= run.episodes else 500
        counts = against(run.learner, smart, "smart-random", games=played)(params, games)
        each = [jax.tree.map(lambda x, row=row: jnp.asarray(x[row]), params) for row in range(run.seeds)]
        regrets = [regret_of(oracle, table, agent, weights, asked, jax.random.key(2)) for weights in each]
        return counts | {"regret": [x.mean_regret for x in regrets], "best": [x.best for x in regrets]}

    return measure
