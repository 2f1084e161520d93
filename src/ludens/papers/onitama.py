"""A. Dasgupta, Y. Q. Chong, "Mastering the game of Onitama with Reinforcement Learning", 2021: DDPG, eight actors.

The report plays with five of the sixteen cards. Eight actors, which differ in how they learn what is valid, are
trained for 10,000 episodes each against minimax, one deeper whenever 60 of the last 100 games were won (figures 6.1 to
6.8); the most promising one for 100,000 (figure 6.9); and a tournament with a random player tells which is the
strongest (6.10 to 6.14). Beside it we set what its last chapter wishes for, one change at a time, and what passes
minimax at depth 2, which nothing in the report does.

Training and measuring is in `onitama_runs.py`, the tournament in `onitama_tournament.py`; what is made of the figures
in `onitama_curves.py`, `onitama_standings.py`, `onitama_wishes.py` and `onitama_report.py`.
"""

import json
from collections.abc import Mapping
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar

from ludens.arena.jobs import Contestant
from ludens.papers.onitama_report import ACTORS, EXTENDED, Findings
from ludens.papers.onitama_runs import (
    GAME,
    MINIMAX,
    OPPONENTS,
    Plan,
    agent,
    learn,
    play_everybody,
    trained,
    valid_moves,
)
from ludens.papers.onitama_tournament import tournament
from ludens.papers.paper import JSON, Paper, Part, Results, Scale, Workshop
from ludens.players import player

EPISODES = {"quick": 200, "full": 10_000}
LONGER = {"quick": 400, "full": 100_000}
"""Of the actor that is trained on."""
ROUNDS = {"quick": 10, "full": 2_500}
"""Round robins of the tournament."""
TURNS = {"quick": 20_000, "full": 71_789}
"""In which valid moves are counted."""
LANES = 64
"""Games in which they are counted side by side."""
MATCHES = {"quick": 40, "full": 1_000}
"""Games against each opponent after training."""
LAST_MATCHES = {"quick": 40, "full": 2_000}
"""As many of the strongest."""
POINTS = {"quick": 10, "full": 100}
"""Of each curve."""
DDPG: Mapping[Scale, Mapping[str, JSON]] = {
    "quick": {
        "num_envs": 16,
        "batch_size": 64,
        "buffer_size": 50_000,
        "learning_starts": 200,
        "opponents": MINIMAX[0],
    },
    "full": {"num_envs": 16, "updates": 2, "buffer_size": 300_000, "opponents": " ".join(MINIMAX)},
}
"""Settings other than the report's; no run of 10,000 episodes fills the replay."""
MANY: Mapping[Scale, Mapping[str, JSON]] = {"quick": {}, "full": {"num_envs": 64, "buffer_size": 1_000_000}}
"""What is different in the longer run."""
FINER = {
    "quick": "mcts:2:material mcts:8:material",
    "full": " ".join(f"mcts:{2**n}:material" for n in range(1, 6)),
}
"""A curriculum in steps that are as small as one likes."""
POLICY: Mapping[Scale, Mapping[str, JSON]] = {
    "quick": {"num_envs": 16, "num_steps": 32, "opponents": MINIMAX[0]},
    "full": {"num_envs": 64, "opponents": " ".join(MINIMAX)},
}
"""Of A2C and PPO where they have as many episodes as everybody else."""
STRONGEST: Mapping[Scale, tuple[int, Mapping[str, JSON]]] = {
    "quick": (2_000, {"num_envs": 64, "num_steps": 32}),
    "full": (6_000_000, {"num_envs": 2048, "num_steps": 32, "hidden": 512, "layers": 3}),
}
"""PPO that plays itself, with as many games as it takes."""


class OnitamaPaper(Paper):
    """Figures 5.1 and 6.1 to 6.14, and beyond."""

    name: ClassVar[str] = "onitama"
    title: ClassVar[str] = "Mastering the game of Onitama with Reinforcement Learning"
    reference: ClassVar[str] = "A. Dasgupta, Y. Q. Chong, report at the National University of Singapore, 2021"
    usual_seeds: ClassVar[Mapping[Scale, int]] = {"quick": 1, "full": 2}

    def run(self, shop: Workshop) -> Results:
        """Train all, measure all, then say what it means."""

        def runs(plans: list[Plan]) -> dict[str, list[JSON]]:
            return {plan.label: [self._run(shop, plan, seed) for seed in range(seeds_of(plan, shop))] for plan in plans}

        findings = Findings(
            moves=self._valid_moves(shop),
            eight=runs(eight(shop.scale)),
            extended=runs([extended(shop.scale)]),
            tournaments=[self._tournament(shop, seed) for seed in range(shop.seeds)],
            wishes=runs(wishes(shop.scale)),
            strongest=runs([strongest(shop.scale)]),
        )
        return Results(
            rows=findings.rows(),
            tables=findings.tables(),
            figures=findings.figures(),
            findings=findings.in_words(),
            deviations=deviations(shop.scale),
        )

    def parts(self, shop: Workshop) -> Mapping[str, Part]:
        """Everything: who was trained plays matches, and when the eight of a seed are there, their tournament."""
        found = {}
        # The longest first; then those whom the tournaments wait for, a seed at a time: so what is compiled for the
        # first serves the next.
        first = [(plan, 0) for plan in (extended(shop.scale), strongest(shop.scale))]
        in_tournaments = [(plan, seed) for seed in range(shop.seeds) for plan in eight(shop.scale)]
        for plan, seed in [*first, *in_tournaments, *((plan, 0) for plan in wishes(shop.scale))]:
            found[_training(plan, seed)] = Part(partial(self._learn, shop, plan, seed))
            played = partial(self._matches, shop, plan, seed)
            found[_matches(plan, seed)] = Part(played, (_training(plan, seed),), on_cores=True)
        for seed in range(shop.seeds):
            players = tuple(_training(plan, seed) for plan in eight(shop.scale))
            found[_tournament(seed)] = Part(partial(self._tournament, shop, seed), players)
        return {"valid moves": Part(partial(self._valid_moves, shop), on_cores=True)} | found

    def _valid_moves(self, shop: Workshop) -> JSON:
        settings = {"turns": TURNS[shop.scale], "lanes": LANES, "seed": 0}
        return shop.part("valid moves", settings, lambda: valid_moves(**settings))

    def _run(self, shop: Workshop, plan: Plan, seed: int) -> JSON:
        """One training run and how it plays."""
        return {**self._learn(shop, plan, seed), "matches": self._matches(shop, plan, seed)}

    def _learn(self, shop: Workshop, plan: Plan, seed: int) -> JSON:
        """One training run."""
        name, folder = _training(plan, seed), _folder(shop, plan, seed)

        def compute() -> JSON:
            return learn(plan, seed, folder, lambda share: shop.progress(name, share))

        return shop.part(name, {**_terms(plan), "seed": seed, "points": plan.points}, compute)

    def _matches(self, shop: Workshop, plan: Plan, seed: int) -> JSON:
        """How it plays."""
        name, folder = _matches(plan, seed), _folder(shop, plan, seed)

        def compute() -> JSON:
            return play_everybody(plan, seed, folder, lambda share: shop.progress(name, share))

        settings = {**_terms(plan), "seed": seed, "matches": plan.matches, "against": OPPONENTS}
        return shop.part(name, settings, compute)

    def _tournament(self, shop: Workshop, seed: int) -> JSON:
        """The eight of one seed, and the random player."""
        name, rounds, field = _tournament(seed), ROUNDS[shop.scale], eight(shop.scale)

        def compute() -> JSON:
            contestants = []
            for plan in field:
                folder = _folder(shop, plan, seed)
                trained(plan, seed, folder, lambda share: None)
                contestants.append(Contestant(plan.label, agent(folder, "sampled")))
            contestants.append(Contestant("random", player("random", GAME)))
            return tournament(GAME, contestants, rounds, seed, lambda share: shop.progress(name, share))

        settings = {"rounds": rounds, "seed": seed, "players": [_terms(plan) for plan in field]}
        return shop.part(name, settings, compute)


def plans(scale: Scale) -> list[Plan]:
    """Everything that is trained."""
    return [*eight(scale), extended(scale), *wishes(scale), strongest(scale)]


def eight(scale: Scale) -> list[Plan]:
    """The report's eight actors, in the order of their figures."""
    return [_ddpg(scale, actor, {"actor": actor}) for actor in ACTORS]


def extended(scale: Scale) -> Plan:
    """The actor that showed the most promise, for much longer."""
    return _ddpg(scale, f"{EXTENDED}, longer", {"actor": EXTENDED, **MANY[scale]})._replace(games=LONGER[scale])


def wishes(scale: Scale) -> list[Plan]:
    """What section 7.3 wishes for, each with as many episodes as the eight: change one thing, see what it does."""
    policy = Plan("", "", EPISODES[scale], POLICY[scale], MATCHES[scale], POINTS[scale])
    changes: dict[str, dict[str, JSON]] = {
        "cross-entropy for validity": {"validity_loss": "cross-entropy"},
        "actions by square": {"actions": "square"},
        "self-play": {"opponents": "self"},
        "MCTS in finer steps": {"opponents": FINER[scale]},
        "imitation": {"imitation": True},
    }
    return [
        *(_ddpg(scale, label, {"actor": EXTENDED, **change}) for label, change in changes.items()),
        policy._replace(label="A2C", learner="a2c"),
        policy._replace(label="PPO", learner="ppo"),
    ]


def strongest(scale: Scale) -> Plan:
    """What passes depth 2, and depth 3 too."""
    games, settings = STRONGEST[scale]
    return Plan(f"PPO, {games:,} games", "ppo", games, settings, LAST_MATCHES[scale], POINTS[scale])


def seeds_of(plan: Plan, shop: Workshop) -> int:
    """Training runs of a plan: all seeds for the report's eight, one for everything that goes beyond them."""
    return shop.seeds if plan in eight(shop.scale) else 1


def deviations(scale: Scale) -> list[str]:
    """Where we did not do what the report did, or it did not say."""
    ddpg, games = DDPG[scale], EPISODES[scale]
    many = MANY[scale].get("num_envs")
    more = f", {many} in the longer run" if many else ""
    quick = (
        f"Quick: {games:,} episodes instead of {EPISODES['full']:,}, {LONGER['quick']:,} instead of "
        f"{LONGER['full']:,}, batches of {ddpg.get('batch', 512)} instead of 512, minimax at depth 1 only, "
        f"{ROUNDS['quick']} round robins instead of {ROUNDS['full']:,}, and shorter matches."
    )
    return [
        *([quick] if scale == "quick" else []),
        f"{ddpg['num_envs']} games are played side by side{more}, and {ddpg.get('updates', 1)} updates follow each "
        "step, in which a move is made in every game; the report plays one game after the other.",
        "Learning rates, discount, warmup, optimizer, activations and widths of the convolutions are not stated, nor "
        "how the losses of validity and actions are weighed: the learner's page lists what we use.",
        "Pawns are numbered by where they stand, from their owner's home row on, since a player sees the position "
        "alone. `ludens/OnitamaPaper-v0` in Gymnasium follows each pawn through the game, as the report does.",
        "The valid rate is the probability that the actor gives to valid moves before the mask, averaged over its "
        "turns. The report does not define its own.",
        "The report does not say how its minimax judges a position. Ours looks as many plies ahead as its depth, sees "
        "who has won, nothing else, and chooses at random among equally good moves: against one that counts students, "
        "too, an untrained actor loses nearly every game at depth 1 and finds nothing to learn from.",
        "Who plays which colour is drawn for each game. A game without an end after 200 turns is a draw, also in "
        "training.",
        "In the tournament everybody draws moves by probability, as in training: two actors that always play the "
        "likeliest move would know 30 games, one for each deal. Pairs meet in two rounds with the same deal, colours "
        "exchanged.",
        "Matches after training are played in both ways: drawn as in training (sampled), and the likeliest move "
        "(greedy), as often in each colour.",
        "Intervals are Wilson's over all games or, from three seeds on, Student's over the seeds where that is wider. "
        "Those of Elo ratings are the band in which a rating moves in the second half of its tournament.",
    ]


def _ddpg(scale: Scale, label: str, settings: Mapping[str, JSON]) -> Plan:
    return Plan(label, "ddpg", EPISODES[scale], {**DDPG[scale], **settings}, MATCHES[scale], POINTS[scale])


def _tournament(seed: int) -> str:
    return f"tournament, seed {seed}"


def _training(plan: Plan, seed: int) -> str:
    return f"training {plan.label}, seed {seed}"


def _matches(plan: Plan, seed: int) -> str:
    return f"matches of {plan.label}, seed {seed}"


def _terms(plan: Plan) -> dict[str, JSON]:
    """What it is that was trained."""
    return {"learner": plan.learner, "games": plan.games, "settings": plan.settings}


def _folder(shop: Workshop, plan: Plan, seed: int) -> Path:
    """Of a training run: another one for other settings."""
    words = plan.label.lower().replace(",", "").replace(" ", "-")
    terms = json.dumps(list(_terms(plan).values()), sort_keys=True)
    folder: Path = shop.folder(f"{words}-{blake2b(terms.encode(), digest_size=4).hexdigest()}-seed-{seed}")
    return folder
