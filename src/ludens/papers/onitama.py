"""Dasgupta and Chong (2021): DDPG with eight kinds of actor on Onitama.

The report plays with five of the sixteen cards. Eight actors, which differ in how they learn what is valid, are
trained for 10,000 episodes each against minimax, one deeper whenever 60 of the last 100 games were won (figures 6.1 to
6.8); the most promising one for 100,000 (figure 6.9); and a tournament with a random player tells which is the
strongest (6.10 to 6.14). Beside it we set what its last chapter wishes for, one change at a time, and what passes
minimax at depth 2, which nothing in the report does.
"""

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from numpy.typing import NDArray

from ludens.arena.match import Contestant
from ludens.arena.statistics import mean_interval, tally
from ludens.core.game import step, where
from ludens.core.player import Player
from ludens.core.types import Array, Key
from ludens.games.onitama import Onitama, State
from ludens.learning import learner as make_learner
from ludens.papers.codec import JSON
from ludens.papers.estimates import mean_or_span, share_over_games, within
from ludens.papers.experiment import Plan, Run, match
from ludens.papers.results import Estimate, Scale
from ludens.papers.study import Study
from ludens.papers.tournament import tournament
from ludens.players import player
from ludens.players.learned import agent_of
from ludens.players.onitama_encoding import PAPER_CARDS

# ---------------------------------------------------------------------- the report's figures

FIGURES = {
    "actions_after_val": "6.1",
    "actions_after_val_multiply": "6.2",
    "val_after_actions": "6.3",
    "val_after_actions_multiply": "6.4",
    "val_branch_actions": "6.5",
    "val_branch_actions_multiply": "6.6",
    "actions_only": "6.7",
    "dual": "6.8",
}
"""The eight actors and their figures."""
ACTORS = tuple(FIGURES)
MULTIPLY = tuple(actor for actor in ACTORS if actor.endswith("multiply") or actor == "dual")
"""Those that multiply what they would do by what they think is valid."""
EXTENDED = "val_branch_actions"
"""The one that is trained on, and to which every wish is compared."""
PAPER_MOVES = {"mean": 14.2496, "median": 14.0, "mode": 12.0, "most": 30.0}
"""Figure 5.1, from 71,789 turns."""
MOVES = {"mean": "mean", "median": "median", "mode": "most frequent number", "most": "largest number"}
"""How these are called."""
PAPER_VALID_RATE = {True: "plateaus at 1", False: "0.1 to 0.65"}
PAPER_WON = {True: "0.1 to 0.5, never above 0.6", False: "above 0.6, then a sharp dip at depth 2"}
"""Section 6.1, for actors that multiply and for those that do not."""
READING = (0.95, 1.0)
"""A valid rate that plateaus at 1, as closely as the report's curves can be read."""
REPORTS_BEST, REPORTS_LAST = 0.5, 100
"""Figure 6.9: the most that anything in the report wins against depth 2, in the last 100 games of 100,000."""
PAPER_ROUNDS = 2500
"""Round robins in the report: as often every pair met."""
KNOWN_ELO = {"actions_after_val_multiply": 1130.0, "random": 862.0}
"""Figure 6.11: the highest and the lowest rating at the end."""
KNOWN_NET = {
    ("actions_only", "actions_after_val"): 1234,
    ("actions_only", "val_after_actions_multiply"): 1184,
    ("actions_after_val_multiply", "actions_only"): 304,
    ("actions_after_val_multiply", "actions_after_val"): 428,
    ("actions_after_val_multiply", "val_after_actions_multiply"): 270,
    ("val_branch_actions", "actions_after_val"): 809,
    ("val_after_actions_multiply", "val_after_actions"): 1690,
}
"""Figure 6.13, as far as section 6.3 reads it out: games won less games lost of the first against the second."""
KNOWN_TURNS = {
    ("actions_after_val", "val_branch_actions"): 80.1,
    ("val_after_actions_multiply", "val_after_actions"): 33.4,
}
"""Figure 6.14: turns of both in a game; 80.1 is the highest of all."""
HIGHEST_WIN_RATE = "actions_only"
"""Figure 6.12."""

# ---------------------------------------------------------------------- our plans

GAME = Onitama(cards=PAPER_CARDS)
MINIMAX = tuple(f"alphabeta:{depth}:result" for depth in (1, 2, 3, 4))
"""The report's opponent at its depths, as we read it: it sees a win or a loss within its depth, and nothing else."""
COUNTING = tuple(f"alphabeta:{depth}:material" for depth in (1, 2, 3))
"""A stronger one, which counts students too."""
OPPONENTS = ("random", *MINIMAX[:3], *COUNTING)
"""Whom everybody plays when it has learned."""
WAYS = SAMPLED, GREEDY = "sampled", "greedy"
"""How it chooses then: drawn by probability, as in training, or the likeliest move."""
BY_SQUARES = ", by squares"
"""Follows the name of whose moves are counted with those that differ in the card alone as one."""
COUNTED = {
    "untrained actor against depth 1": "untrained",
    "the same, by squares": f"untrained{BY_SQUARES}",
    "depth 1 against itself": "itself",
    "depth 1 against itself, by squares": f"itself{BY_SQUARES}",
}
"""Whose valid moves are counted, and how."""
CURVES = ("actor_loss", "critic_loss", "validity_loss", "valid", "won", "drawn", "level", "length")
"""What is kept of a run's metrics, where a learner has it."""
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
LAST = 20
"""The last so-manieth part of a run is its end: 500 of 10,000 episodes."""
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


def eight(scale: Scale) -> list[Plan]:
    """The report's eight actors, in the order of their figures."""
    return [_ddpg(scale, actor, {"actor": actor}) for actor in ACTORS]


def extended(scale: Scale) -> Plan:
    """The actor that showed the most promise, for much longer."""
    return _ddpg(scale, f"{EXTENDED}, longer", {"actor": EXTENDED, "episodes": LONGER[scale], **MANY[scale]})


def wishes(scale: Scale) -> list[Plan]:
    """What section 7.3 wishes for, each with as many episodes as the eight: change one thing, see what it does."""
    changes: dict[str, dict[str, JSON]] = {
        "cross-entropy for validity": {"validity_loss": "cross-entropy"},
        "actions by square": {"actions": "square"},
        "self-play": {"opponents": "self"},
        "MCTS in finer steps": {"opponents": FINER[scale]},
        "imitation": {"imitation": True},
    }
    policy = {"episodes": EPISODES[scale], **POLICY[scale]}
    return [
        *(_ddpg(scale, label, {"actor": EXTENDED, **change}) for label, change in changes.items()),
        *(_plan(scale, label, label.lower(), policy, MATCHES[scale]) for label in ("A2C", "PPO")),
    ]


def strongest(scale: Scale) -> Plan:
    """What passes depth 2, and depth 3 too."""
    games, settings = STRONGEST[scale]
    return _plan(scale, f"PPO, {games:,} games", "ppo", {"episodes": games, **settings}, LAST_MATCHES[scale])


def _ddpg(scale: Scale, label: str, settings: Mapping[str, JSON]) -> Plan:
    return _plan(scale, label, "ddpg", {"episodes": EPISODES[scale], **DDPG[scale], **settings}, MATCHES[scale])


def _plan(scale: Scale, label: str, learner: str, settings: Mapping[str, JSON], games: int) -> Plan:
    matches = {"games": games, "against": OPPONENTS}
    return Plan(label, GAME, learner, settings, points=POINTS[scale], curves=CURVES, play=play, matches=matches)


def deviations(scale: Scale) -> list[str]:
    """Where we did not do what the report did, or it did not say."""
    ddpg, games = DDPG[scale], EPISODES[scale]
    many = MANY[scale].get("num_envs")
    more = f", {many} in the longer run" if many else ""
    quick = (
        f"Quick: {games:,} episodes instead of {EPISODES['full']:,}, {LONGER['quick']:,} instead of "
        f"{LONGER['full']:,}, batches of {ddpg.get('batch_size', 512)} instead of 512, minimax at depth 1 only, "
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


# ---------------------------------------------------------------------- matches and tournaments


def play(run: Run) -> JSON:
    """Wins, draws and losses after training: `{way: {opponent: [won, drawn, lost]}}`, as often in each seat."""
    params, games = run.params(), run.plan.matches["games"]
    found = {}
    for way in WAYS:
        agent = run.agent(params, sample=way == SAMPLED)
        found[way] = {spec: list(tally(match(agent, spec, games, run.seed))) for spec in OPPONENTS}
    return found


def actors_tournament(study: Study, seed: int) -> JSON:
    """The eight of one seed, and the random player."""
    runs = [Run.apart(study, plan)[seed] for plan in eight(study.scale)]
    name, rounds = f"tournament, seed {seed}", ROUNDS[study.scale]

    def compute() -> JSON:
        for run in runs:
            run.finish()
        contestants = [Contestant(run.plan.label, run.agent(run.params(), sample=True)) for run in runs]
        contestants.append(Contestant("random", player("random", GAME)))
        return tournament(GAME, contestants, rounds, seed, partial(study.progress, name))

    settings = {"rounds": rounds, "seed": seed, "players": [run.terms for run in runs]}
    return study.part(name, settings, compute)


# ---------------------------------------------------------------------- how many moves there are


def count_valid_moves(study: Study) -> JSON:
    """Figure 5.1."""
    settings = {"turns": TURNS[study.scale], "lanes": LANES, "seed": 0}
    return study.part("valid moves", settings, lambda: valid_moves(**settings))


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


# ---------------------------------------------------------------------- what a training run says


def curve(run: JSON, name: str) -> list[float | None]:
    """A curve of a run with one seed; empty where its learner has none."""
    return [value for (value,) in run["curves"].get(name, [])]


def end(run: JSON, name: str) -> float:
    """The mean of a curve at the end of its run; 0 where nothing was measured."""
    total, values = run["games"][-1], curve(run, name)
    late = [y for x, y in zip(run["games"], values, strict=bool(values)) if y is not None and x > total - total / LAST]
    return math.fsum(late) / len(late) if late else 0.0


def highest(run: JSON, name: str) -> float:
    return max((value for value in curve(run, name) if value is not None), default=0.0)


def depth(run: JSON) -> int:
    """The deepest opponent met, counted from 1."""
    return math.ceil(highest(run, "level") - 1e-6)


def first_at_depth_2(run: JSON) -> int | None:
    """After how many episodes depth 2 was met; None if never."""
    met = zip(run["games"], curve(run, "level"), strict=False)
    return next((games for games, level in met if level is not None and level > 1), None)


def depths(runs: Sequence[JSON]) -> str:
    """`depth 2`, or `depths 1 and 2` where seeds differ."""
    met = sorted({depth(run) for run in runs})
    return f"depth{'s' * (len(met) > 1)} {' and '.join(map(str, met))}"


def won_at_the_end(runs: Sequence[JSON]) -> Estimate:
    """The share of training games won at the end of runs, against whomever they met there."""
    games = runs[0]["games"][-1] // LAST
    return share_over_games([(end(run, "won") * games, games) for run in runs])


def valid_at_the_end(runs: Sequence[JSON]) -> Estimate:
    """The probability given to valid moves before the mask; one seed has no interval."""
    value, ci95 = mean_or_span([end(run, "valid") for run in runs])
    return Estimate(value, within(ci95) if ci95 and len(runs) > 1 else None)
