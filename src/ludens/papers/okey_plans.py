"""What the reproduction of the thesis on Okey trains and plays, at each scale, and the thesis's own figures.

chapter 4   four runs: the likeliest act or one drawn, with a prioritized replay or without
causes      the run that collapsed in the thesis, with one thing changed at a time
limits      what chapters 5 and 6 wish for, one at a time, each against the same run of chapter 4
best        PPO in the thesis's game, and in the one that people play
reference   players that do not learn
"""

from collections.abc import Mapping
from typing import NamedTuple

from ludens.papers.paper import JSON, Scale

EPISODES = 100_000
"""Of each run in the thesis."""
WISHED = 0.382
"""Games that an agent should win: the mean of what the opponent won in the four runs (chapter 4)."""
UNTRAINED, ONE_PLACE = "untrained", "one place"
"""Stand for the actors of the thesis as they are drawn at random, and for actors that look at nothing: they always draw
from the centre, or always take what is offered, and throw the tile at one place of the hand."""
DRAWING, TAKING = "drawing", "taking"
"""What the latter do."""
THESIS, GREEDY = "thesis", "okey-greedy"
"""Opponents."""
PLACES = 15
"""Tiles of a hand that must throw one, each an output of the discard actor."""
ACTOR_CRITIC, PPO = "okey-actor-critic", "ppo"
"""Learners."""


class Thesis(NamedTuple):
    """The figures of one run of chapter 4."""

    won: int
    drawn: int
    lost: int
    draw_reward: float
    """Of an episode, on average."""
    discard_reward: float


GREEDY_REPLAY = "greedy, with replay"
DRAWN_REPLAY = "not greedy, with replay"
GREEDY_ALONE = "greedy, no replay"
DRAWN_ALONE = "not greedy, no replay"
CHAPTER_4 = {
    GREEDY_REPLAY: Thesis(16, 68_436, 31_548, 73.4, 133.7),
    DRAWN_REPLAY: Thesis(2_337, 65_471, 32_192, 68.3, 145.9),
    GREEDY_ALONE: Thesis(5_937, 48_983, 45_080, 117.9, 407.4),
    DRAWN_ALONE: Thesis(1_356, 54_417, 44_227, 133.9, 390.7),
}
"""In the thesis's order."""

RULES = {"longest_run": 4, "pairs": False, "joker_finish": False}
"""The thesis's, for a table of four."""
LIMITS: dict[str, tuple[dict[str, JSON], dict[str, JSON]]] = {
    "runs of five": ({"longest_run": 5}, {}),
    "pairs and joker finish": ({"pairs": True, "joker_finish": True}, {}),
    "all discards seen": ({}, {"discards": True}),
    "sparse reward": ({}, {"reward": "sparse"}),
    "four seats": ({"players": 4, **RULES}, {}),
    "teams": ({"players": 4, "teams": True, **RULES}, {}),
}
"""By what is lifted: the game's fields and the learner's settings that do it."""
BASELINE = DRAWN_ALONE
"""The run that limits are lifted from."""

COLLAPSED = "as in the thesis"
NO_REPLAY = "no replay"
CAUSES: dict[str, dict[str, JSON]] = {
    COLLAPSED: {},
    NO_REPLAY: {"replay": "none"},
    "drawn, not greedy": {"greedy": False},
    "in proportion": {"replay": "proportional"},
    "renewed": {"update_priorities": True},
    "in proportion, renewed": {"replay": "proportional", "update_priorities": True},
    "10 trainings": {"updates": 10},
    "1 training": {"updates": 1},
}
"""By what is changed in the greedy run with replay: the settings."""

TWO_SEATS, FOUR_SEATS = "PPO", "PPO, four seats"
REAL: dict[str, JSON] = {"players": 4}
"""The game as it is commonly played: runs of any length, pairs, joker finish."""


class Plan(NamedTuple):
    """What is trained and how it is measured."""

    label: str
    """For readers, and of its folder."""
    learner: str
    games: int
    settings: Mapping[str, JSON]
    """The learner's, other than the defaults."""
    variant: Mapping[str, JSON]
    """The game's fields, other than the defaults."""
    points: int
    """Of each curve."""
    evaluations: Mapping[str, int]
    """Games after training, by opponent, who has all other seats."""
    sampled: int = 0
    """Games against the thesis's opponent in which acts are drawn by their probabilities."""


class Reference(NamedTuple):
    """Somebody who does not learn, against the thesis's opponent in the thesis's game."""

    label: str
    who: str
    """A spec, `UNTRAINED`, or `ONE_PLACE`, the place, 0 to 14, and `DRAWING` or `TAKING`, with blanks between them."""
    games: int
    sampled: bool = False
    """Whether an untrained agent draws its acts."""


class Sizes(NamedTuple):
    """How large a scale is."""

    episodes: int
    """Of the runs of chapter 4 and of those with a limit lifted."""
    num_envs: int
    """Episodes of theirs side by side."""
    cause_episodes: int
    """One after the other, as in the thesis."""
    causes: tuple[str, ...]
    """Of `CAUSES`."""
    points: int
    games: int
    """Of PPO against the thesis's opponent, in the thesis's game."""
    fewer_games: int
    """Of everybody else against it."""
    slow_games: int
    """Of one against `okey-greedy`, who thinks long."""
    ppo: Mapping[str, JSON]
    """Games and settings of PPO in both games."""
    four_seats: Mapping[str, JSON]
    """What is different with four seats."""
    ppo_points: int
    """Of PPO's curves."""


PPO_SETTINGS: dict[str, JSON] = {
    "learning_rate": 1e-3,
    "reward": "closer",
    "insight": True,
    "opponents": THESIS,
    "opponent_fraction": 0.5,
}
"""At every scale: half of the games against the thesis's opponent, the others against itself."""
SIZES: dict[Scale, Sizes] = {
    "full": Sizes(
        episodes=EPISODES,
        num_envs=512,
        cause_episodes=2000,
        causes=tuple(CAUSES),
        points=50,
        games=20_000,
        fewer_games=2000,
        slow_games=2000,
        ppo={"episodes": 300_000, "num_envs": 4096, "num_steps": 16, **PPO_SETTINGS},
        four_seats={"episodes": 80_000, "num_envs": 2048},
        ppo_points=20,
    ),
    "quick": Sizes(
        episodes=250,
        num_envs=1,
        cause_episodes=100,
        causes=(COLLAPSED, NO_REPLAY, "in proportion", "1 training"),
        points=10,
        games=300,
        fewer_games=300,
        slow_games=30,
        ppo={"episodes": 2000, "num_envs": 128, "num_steps": 16, **PPO_SETTINGS},
        four_seats={"episodes": 400},
        ppo_points=3,
    ),
}


def chapter_4(scale: Scale) -> list[Plan]:
    """The four runs."""
    size = SIZES[scale]
    evaluations = {THESIS: size.fewer_games}
    return [
        Plan(
            label,
            ACTOR_CRITIC,
            size.episodes,
            {
                "num_envs": size.num_envs,
                "greedy": label in (GREEDY_REPLAY, GREEDY_ALONE),
                "replay": "top" if label in (GREEDY_REPLAY, DRAWN_REPLAY) else "none",
            },
            {},
            size.points,
            evaluations,
            sampled=size.fewer_games,
        )
        for label in CHAPTER_4
    ]


def causes(scale: Scale) -> dict[str, Plan]:
    """The greedy run with replay, one thing changed at a time, by what is changed."""
    size = SIZES[scale]
    whole: dict[str, JSON] = {"num_envs": 1, "greedy": True, "replay": "top"}
    return {
        cause: Plan(
            f"cause: {cause}",
            ACTOR_CRITIC,
            size.cause_episodes,
            {**whole, **CAUSES[cause]},
            {},
            size.points,
            {THESIS: size.fewer_games},
        )
        for cause in size.causes
    }


def limits(scale: Scale) -> dict[str, Plan]:
    """The run that limits are lifted from, and one for each limit, by what is lifted."""
    baseline = next(plan for plan in chapter_4(scale) if plan.label == BASELINE)
    lifted = {
        limit: baseline._replace(
            label=f"limit: {limit}", settings={**baseline.settings, **settings}, variant=variant, sampled=0
        )
        for limit, (variant, settings) in LIMITS.items()
    }
    return {BASELINE: baseline, **lifted}


def best(scale: Scale) -> list[Plan]:
    """PPO for two seats with the thesis's rules, and for four with common ones."""
    size = SIZES[scale]
    plans = []
    for label, variant, changed in ((TWO_SEATS, {}, {}), (FOUR_SEATS, REAL, size.four_seats)):
        settings = {**size.ppo, **changed}
        games = settings.pop("episodes")
        matches = {THESIS: size.games if label == TWO_SEATS else size.fewer_games, GREEDY: size.slow_games}
        plans.append(Plan(label, PPO, games, settings, variant, size.ppo_points, matches))
    return plans


def references(scale: Scale) -> list[Reference]:
    """Who does not learn."""
    size = SIZES[scale]
    games = size.fewer_games
    return [
        Reference("untrained, greedy", UNTRAINED, games),
        Reference("untrained, not greedy", UNTRAINED, games, sampled=True),
        Reference("random", "random", games),
        Reference("the opponent itself", THESIS, games),
        Reference("okey-greedy", GREEDY, size.slow_games),
        *(
            Reference(always(place, source), f"{ONE_PLACE} {place} {source}", games)
            for source in (DRAWING, TAKING)
            for place in range(PLACES)
        ),
    ]


def always(place: int, source: str) -> str:
    """The label of who always does the same."""
    return f"always {source}, place {place}"


def trained(scale: Scale) -> list[Plan]:
    """Everything that is trained, each plan once."""
    plans = [*chapter_4(scale), *causes(scale).values(), *limits(scale).values(), *best(scale)]
    return list({plan.label: plan for plan in plans}.values())


def chance(variant: Mapping[str, JSON]) -> float:
    """The share of decided games that a seat wins if all play alike."""
    seats = variant.get("players", 2)
    return 1 / 2 if variant.get("teams") else 1 / seats
