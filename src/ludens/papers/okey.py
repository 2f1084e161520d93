"""Uygun (2019): an actor-critic for the two decisions of Okey, drawing a tile and throwing one.

The thesis trains an agent against an opponent that draws at random and throws free tiles: four runs of 100,000
episodes, choosing the likeliest act or drawing one, with a prioritized replay or without. Its best wins 5.9 % of the
episodes, and its greedy run with replay 0.016 %, which it cannot explain. Beside the four runs we set

causes      the run that collapsed in the thesis, with one thing changed at a time
limits      what chapters 5 and 6 wish for, one at a time, each against the same run of chapter 4
best        PPO in the thesis's game, and in the one that people play
reference   players that do not learn
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.game import Game, variant
from ludens.core.player import Player
from ludens.games.okey import TAKE, Okey
from ludens.learning.evaluation import evaluate
from ludens.nets.mlp import MLP
from ludens.papers.codec import JSON
from ludens.papers.experiment import Plan, Run
from ludens.papers.results import Scale
from ludens.papers.study import Study
from ludens.players import player
from ludens.players.okey_actors import SOURCES, Actors

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
SAMPLED = "thesis, sampled"
"""Where matches against the thesis's opponent stand in which acts are drawn by their probabilities."""
CURVES = (
    *("won", "drawn", "lost", "draw_reward", "discard_reward", "turns"),
    *("entropy", "free", "td_error", "place", "replay_age", "length"),
)
"""What is kept of a run's metrics."""
CENTRE = 0
"""The game's action that draws from the centre."""
MATCH_KEY = 0x0C4E7


class ThesisRun(NamedTuple):
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
    GREEDY_REPLAY: ThesisRun(16, 68_436, 31_548, 73.4, 133.7),
    DRAWN_REPLAY: ThesisRun(2_337, 65_471, 32_192, 68.3, 145.9),
    GREEDY_ALONE: ThesisRun(5_937, 48_983, 45_080, 117.9, 407.4),
    DRAWN_ALONE: ThesisRun(1_356, 54_417, 44_227, 133.9, 390.7),
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


class Reference(NamedTuple):
    """Somebody who does not learn, against the thesis's opponent in the thesis's game."""

    label: str
    who: str
    """A spec, `UNTRAINED`, or `ONE_PLACE`, the place, 0 to 14, and `DRAWING` or `TAKING`, with blanks between them."""
    games: int
    sampled: bool = False
    """Whether an untrained agent draws its acts."""


class Sizes(NamedTuple):
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


def _plan(
    label: str,
    learner: str,
    settings: Mapping[str, JSON],
    fields: Mapping[str, JSON],
    points: int,
    matches: Mapping[str, int],
) -> Plan:
    """`fields` are the game's, `matches` games after training by opponent, who has all other seats."""
    return Plan(
        label,
        Okey(**fields),
        learner,
        settings,
        points=points,
        curves=CURVES,
        play=play,
        matches=matches,
        may_diverge=True,
    )


def chapter_4(scale: Scale) -> list[Plan]:
    size = SIZES[scale]
    return [
        _plan(
            label,
            ACTOR_CRITIC,
            {
                "episodes": size.episodes,
                "num_envs": size.num_envs,
                "greedy": label in (GREEDY_REPLAY, GREEDY_ALONE),
                "replay": "top" if label in (GREEDY_REPLAY, DRAWN_REPLAY) else "none",
            },
            {},
            size.points,
            {THESIS: size.fewer_games, SAMPLED: size.fewer_games},
        )
        for label in CHAPTER_4
    ]


def causes(scale: Scale) -> dict[str, Plan]:
    """The greedy run with replay, one thing changed at a time, by what is changed."""
    size = SIZES[scale]
    whole: dict[str, JSON] = {"episodes": size.cause_episodes, "num_envs": 1, "greedy": True, "replay": "top"}
    matches = {THESIS: size.fewer_games}
    return {
        cause: _plan(f"cause: {cause}", ACTOR_CRITIC, {**whole, **CAUSES[cause]}, {}, size.points, matches)
        for cause in size.causes
    }


def limits(scale: Scale) -> dict[str, Plan]:
    """The run that limits are lifted from, and one for each limit, by what is lifted."""
    baseline = next(plan for plan in chapter_4(scale) if plan.label == BASELINE)
    matches = {THESIS: SIZES[scale].fewer_games}
    lifted = {
        limit: _plan(
            f"limit: {limit}", ACTOR_CRITIC, {**baseline.settings, **settings}, variant, baseline.points, matches
        )
        for limit, (variant, settings) in LIMITS.items()
    }
    return {BASELINE: baseline, **lifted}


def best(scale: Scale) -> list[Plan]:
    """PPO for two seats with the thesis's rules, and for four with common ones."""
    size = SIZES[scale]
    two = {THESIS: size.games, GREEDY: size.slow_games}
    four = {THESIS: size.fewer_games, GREEDY: size.slow_games}
    return [
        _plan(TWO_SEATS, PPO, size.ppo, {}, size.ppo_points, two),
        _plan(FOUR_SEATS, PPO, {**size.ppo, **size.four_seats}, REAL, size.ppo_points, four),
    ]


def references(scale: Scale) -> list[Reference]:
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
    return f"always {source}, place {place}"


def trained(scale: Scale) -> list[Plan]:
    """Everything that is trained, each plan once, in the order of the report."""
    plans = [*chapter_4(scale), *causes(scale).values(), *limits(scale).values(), *best(scale)]
    return list({plan.label: plan for plan in plans}.values())


def chance(game: Game[Any]) -> float:
    """The share of decided games that a seat wins if all play alike."""
    return 1 / 2 if variant(game).get("teams") else 1 / game.num_players


def deviations(scale: Scale) -> list[str]:
    """What we did that the thesis did not, or did not say."""
    size = SIZES[scale]
    listed = [
        "The opponent lays out its tiles so that its sets are worth the most; which free tile it throws is drawn, and "
        "it finishes whenever it can. The thesis says only that it draws at random and throws free tiles.",
        "Who begins is drawn in every episode; evaluations alternate. The thesis does not say who began.",
        "Units of the hidden layers, learning rates, the critic's shape and how the draw actor is trained are ours; "
        "the page of the learner lists them.",
        "Rewards are added up over an episode and averaged over episodes: the thesis's means can only be that.",
        "Free tiles thrown count by the reward: a tile whose loss makes the hand worth no less.",
        "Four seats and teams keep the thesis's other rules (runs of four, no pairs), so that one thing changes at a "
        "time, and the partner plays like the opponent; the game that PPO learns for four seats has common rules.",
        "The rewards on the way are the thesis's in all variants: pairs pay nothing until they finish.",
        "Shares in training are over all its episodes, as in the thesis; what an agent is worth at the end is "
        "measured apart, with the likeliest acts.",
    ]
    if size.num_envs > 1:
        listed.append(
            f"{size.num_envs} episodes are played side by side (`num_envs`), learning at once, with batches and a "
            "replay as many times larger; the thesis plays one after the other. The runs about the collapse do, too."
        )
    if scale == "quick":
        ppo = size.ppo["episodes"]
        listed.insert(
            0,
            f"A quick run trains {size.episodes:,} episodes instead of {EPISODES:,} ({size.cause_episodes:,} for the "
            f"collapse, with fewer changes tried), PPO {ppo:,} games, and evaluates with {size.games:,} games.",
        )
    return listed


# ---------------------------------------------------------------------- measuring


def play(run: Run) -> JSON:
    """Won, drawn and lost after training by opponent, for each seed."""
    found = {}
    for opponent, games in run.plan.matches.items():
        agent, spec = run.agent(sample=opponent == SAMPLED), THESIS if opponent == SAMPLED else opponent
        found[opponent] = [match(agent, run.params(row), spec, games, row) for row in range(run.seeds)]
    return found


def match(who: Player[Any], params: Any, spec: str, games: int, seed: int) -> list[int]:
    """Won, drawn and lost by `who`, sitting in all seats in turn, against `spec` in all others."""
    opponent = player(spec, who.game)
    key = jax.random.fold_in(jax.random.key(MATCH_KEY), seed)
    counts = evaluate(who, opponent, params, opponent.init(jax.random.key(0)), key, games=games)
    return [int(count) for count in counts]


def still(reference: Reference) -> str:
    return f"without training: {reference.label}"


def referred(study: Study, reference: Reference) -> JSON:
    """A match without training, kept as a part."""
    settings = {**reference._asdict(), "seeds": study.seeds}
    return study.part(still(reference), settings, partial(play_reference, study, reference))


def play_reference(study: Study, reference: Reference) -> JSON:
    """Won, drawn and lost by who does not learn: for each seed if it is drawn at random, else once."""
    game = Okey()
    if reference.who != UNTRAINED and not reference.who.startswith(ONE_PLACE):
        who = player(reference.who, game)
        return [match(who, who.init(jax.random.key(0)), THESIS, reference.games, 0)]
    untrained = Run.together(study, Plan(UNTRAINED, game, ACTOR_CRITIC, {}))
    agent, learner = untrained.agent(sample=reference.sampled), untrained.learner
    if reference.who == UNTRAINED:
        nets = [learner.params(learner.init(jax.random.key(seed))) for seed in range(study.seeds)]
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
