"""S. Malhotra, G. Malik, "Solving Royal Game of Ur Using Reinforcement Learning", 2022: three tables against dice.

The paper trains on-policy Monte Carlo, Q-learning and Expected Sarsa for 100,000 episodes each, two learners playing
each other, and counts how often they beat a random player in 100 games (table 1). It follows the time to finish (figure
7) and the value of one state (figures 8-10, 12), and shows moves that an agent should find (figures 4, 5, 6, 11).
Beside it we set what it wishes for (TD(lambda), a million episodes, DQN and Double DQN) and what it could not know:
perfect play. Training and measuring is in `ur_runs.py`, what is made of the figures in `ur_report.py`.
"""

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from ludens.arena.match import Contestant
from ludens.arena.statistics import Tally
from ludens.papers.paper import JSON, Paper, Results, Scale, Workshop
from ludens.papers.ur_report import TABLE_1, Findings
from ludens.papers.ur_runs import GAME, Plan, Position, match, measure, worth
from ludens.players import player

EPISODES = {"quick": 20_000, "full": 100_000}
LONG = 1_000_000
"""Episodes that the paper plans for."""
NET_EPISODES = {"quick": 4_000, "full": 20_000}
"""Of DQN, which needs fewer."""
MATCH = {"quick": 2_000, "full": 10_000}
"""Games against each opponent, where the paper played 100."""

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


class UrPaper(Paper):
    """Table 1 and figures 4 to 12, and beyond."""

    name: ClassVar[str] = "ur"
    title: ClassVar[str] = "Solving Royal Game of Ur Using Reinforcement Learning"
    reference: ClassVar[str] = "S. Malhotra, G. Malik, 2022"
    usual_seeds: ClassVar[Mapping[Scale, int]] = {"quick": 2, "full": 5}

    def run(self, shop: Workshop) -> Results:
        """Train all, measure all, then say what it means."""
        found = Findings(
            runs={
                plan.label: [self._run(shop, plan, seed) for seed in range(seeds_of(plan, shop))]
                for plan in plans(shop.scale)
            },
            levels={spec: Tally(*self._level(shop, spec)["all"]) for spec in ("optimal", "greedy", "random")},
            positions=POSITIONS,
            exact=[
                shop.part(f"figure {each.figure}", {"position": each.text}, partial(worth, each)) for each in POSITIONS
            ],
        )
        return Results(
            rows=found.rows(),
            tables=[found.table_1(), found.table_of_all(), found.table_of_positions()],
            figures=found.figures(),
            findings=found.in_words(),
            deviations=deviations(shop.scale),
        )

    def _run(self, shop: Workshop, plan: Plan, seed: int) -> JSON:
        """One training run, measured and kept."""
        what, games = f"{plan.label}, seed {seed}", MATCH[shop.scale]
        settings = {**plan._asdict(), "seed": seed, "match": games, "positions": [each.text for each in POSITIONS]}

        def compute() -> JSON:
            return measure(plan, seed, games, POSITIONS, lambda share: shop.progress(what, share))

        return shop.part(what, settings, compute)

    def _level(self, shop: Workshop, spec: str) -> JSON:
        """How somebody who does not learn fares against the random player."""
        games = MATCH[shop.scale]

        def compute() -> JSON:
            return match(Contestant(spec, player(spec, GAME)), "random", games, 0)

        return shop.part(f"{spec} against random", {"match": games}, compute)


def plans(scale: Scale) -> list[Plan]:
    """What is trained: the paper's three and their kin; a million episodes; nets; and all paid for winning alone."""
    games, net = EPISODES[scale], NET_EPISODES[scale]
    three = [(label, label.lower().replace(" ", "-")) for label in TABLE_1]
    nets = [("DQN", "dqn"), ("Double DQN", "double-dqn")]
    won = {"reward": "result"}
    return [
        *(Plan(label, name, games, {}) for label, name in three),
        Plan("Sarsa", "sarsa", games, {}),
        Plan("Sarsa(λ)", "sarsa-lambda", games, {}),
        *(Plan(f"{label}, {LONG:,} episodes", name, LONG, {}) for label, name in three if scale == "full"),
        *(Plan(label, name, net, {}) for label, name in nets),
        *(Plan(f"{label}, paid for winning", name, games, won) for label, name in three),
        *(Plan(f"{label}, paid for winning", name, net, won) for label, name in nets),
    ]


def seeds_of(plan: Plan, shop: Workshop) -> int:
    """Training runs of a plan: all seeds for the paper's own settings, three at most for what goes beyond them."""
    papers_own = plan.games == EPISODES[shop.scale] and not plan.settings
    return shop.seeds if papers_own else min(shop.seeds, 3)


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
