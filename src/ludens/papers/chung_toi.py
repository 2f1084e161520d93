"""Gatti, Linton, Embrechts: TD(lambda) with a small net on Chung Toi. Figure 3, and what lies beyond it."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.run_files import RUN, read_metrics
from ludens.games.chung_toi import ChungToi
from ludens.learning import learner as make_learner
from ludens.learning.evaluation import evaluate
from ludens.learning.learner import Learner
from ludens.learning.run import against, train
from ludens.oracles.regret import positions, regret_of
from ludens.oracles.store import load
from ludens.papers import chung_toi_report as report
from ludens.papers.paper import JSON, Paper, Results, Scale, Workshop
from ludens.players import player
from ludens.players.learned import agent_of

GAME = ChungToi()
GAMES, EVERY, EVALUATION = 2000, 100, 300
"""Training games, games between evaluations, games of an evaluation (sections 3.3 and 4)."""
LAST = 10_000
"""Games of the last evaluation of a longer training."""
OPPONENTS = tuple(report.OPPONENTS)
DECISIONS = 4000
"""Positions from random play in which regret is measured."""


class Plan(NamedTuple):
    """A learner that is trained for longer."""

    label: str
    learner: str
    settings: Mapping[str, JSON]
    """Other than the defaults."""


def longer(scale: Scale) -> list[Plan]:
    """What is trained beyond the paper's 2,000 games."""
    many, steady = {"quick": 20_000, "full": 200_000}[scale], {"epsilon": 0.5, "epsilon_end": 0.1}
    large = {"hidden": 128, "alpha": 0.003, "alpha_end": 0.0003, "lambda_": 0.0, "tactics": False, "known_ends": True}
    return [
        Plan(
            "30 hidden units", "td-lambda", {"episodes": many, "num_envs": 16, "alpha_end": 0.00012, "epsilon_end": 0.0}
        ),
        Plan("128 hidden units", "td-lambda", {"episodes": many, "num_envs": 32, **large, **steady}),
        Plan("a table", "td-table", {"episodes": {"quick": 200_000, "full": 1_000_000}[scale]}),
    ]


class ChungToiPaper(Paper):
    """Section by section; the defaults of `td-lambda` are the paper's settings."""

    name: ClassVar[str] = "chung-toi"
    title: ClassVar[str] = "A brief tutorial on reinforcement learning: the game of Chung Toi"
    reference: ClassVar[str] = "C. J. Gatti, J. D. Linton, M. J. Embrechts, ESANN 2011"
    usual_seeds: ClassVar[Mapping[Scale, int]] = {"quick": 20, "full": 20}

    def run(self, shop: Workshop) -> Results:
        """Figure 3 for each reading of the opponent, then longer training, then perfect play."""
        curves = self._figure_3(shop)
        plans = longer(shop.scale)
        beyond = [self._longer(shop, plan, max(2, shop.seeds // 4)) for plan in plans]
        perfect = shop.part("perfect play", {"games": LAST}, _perfect)
        return report.results(curves, [plan.label for plan in plans], beyond, perfect)

    def _figure_3(self, shop: Workshop) -> JSON:
        """Results of all seeds before training and after every 100 games, against each reading of the opponent."""
        learner = make_learner("td-lambda", GAME, {"episodes": GAMES})
        opponents = [
            against(learner, player(spec, GAME), spec, games=EVALUATION, first_only=True) for spec in OPPONENTS
        ]

        def measure(params: Any, games: int) -> dict[str, Any]:
            return {counts["vs"]: counts for counts in (meet(params, games) for meet in opponents)}

        return _part(shop, "figure 3", learner, shop.seeds, EVERY, {"vs": OPPONENTS, "games": EVALUATION}, measure)

    def _longer(self, shop: Workshop, plan: Plan, seeds: int) -> JSON:
        """A longer training: curves, and in the end 10,000 games and regret."""
        learner = make_learner(plan.learner, GAME, dict(plan.settings))
        total, smart = learner.config.episodes, player("smart-random", GAME)

        def measure(params: Any, games: int) -> dict[str, Any]:
            return _measure(learner, smart, params, games, LAST if games >= total else 500)

        return _part(shop, plan.label, learner, seeds, total // 20, {"vs": "smart-random", "games": LAST}, measure)


def _part(
    shop: Workshop,
    what: str,
    learner: Learner[Any],
    seeds: int,
    every: int,
    asked: Mapping[str, JSON],
    measure: Callable[[Any, int], dict[str, Any]],
) -> JSON:
    """A training run and what is measured on the way, kept under all its settings."""
    settings = {"learner": learner.name, "config": learner.config.to_dict(), "seeds": seeds, "every": every, **asked}
    return shop.part(what, settings, lambda: _train(learner, shop, what, seeds, every, measure))


def _train(
    learner: Learner[Any],
    shop: Workshop,
    what: str,
    seeds: int,
    every: int,
    measure: Callable[[Any, int], dict[str, Any]],
) -> JSON:
    """Train in a folder of the shop, going on where it was if it has begun: what was measured on the way."""
    folder = shop.folder(what.replace(" ", "-"))
    for progress in train(learner, folder, seeds=seeds, every=every, evaluate=measure, resume=(folder / RUN).exists()):
        shop.progress(what, progress.games / learner.config.episodes)
    lines = read_metrics(folder)
    return {
        "games": [line["games"] for line in lines],
        "evaluations": [line["evaluation"] for line in lines],
        "length": float(np.mean(lines[-1]["length"])),
        "seconds": sum(line["seconds"] for line in lines),
    }


def _measure(learner: Learner[Any], opponent: Any, params: Any, games: int, matches: int) -> dict[str, Any]:
    """Results of `matches` in both seats, and regret, for weights `[R]`."""
    counts = against(learner, opponent, "smart-random", games=matches)(params, games)
    agent = agent_of(GAME, learner.agent())
    oracle, solution = load(GAME)
    table = jax.tree.map(jnp.asarray, solution.table)
    asked = positions(oracle, table, DECISIONS, jax.random.key(1))
    seeds = len(counts["wins"])
    judged = [
        regret_of(
            oracle, table, agent, jax.tree.map(lambda x, row=row: jnp.asarray(x[row]), params), asked, jax.random.key(2)
        )
        for row in range(seeds)
    ]
    return counts | {"regret": [each.mean_regret for each in judged], "best": [each.best for each in judged]}


def _perfect() -> JSON:
    """How often perfect play wins and loses as the first player, as in the paper's evaluation."""
    optimal, smart = player("optimal", GAME), player("smart-random", GAME)
    counts = evaluate(
        optimal, smart, optimal.init(jax.random.key(0)), None, jax.random.key(0), games=LAST, first_only=True
    )
    return {"won": int(counts.wins), "games": LAST}
