"""`ludens train` and `ludens eval`: learners at work, and what they have learned."""

import json as json_text
import math
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ludens.cli.variants import game_and_settings
from ludens.core.game import Game
from ludens.core.run_files import folder_and_seed
from ludens.games import GAMES, make
from ludens.learning import LEARNERS, learner
from ludens.learning.checkpoint import Terms
from ludens.learning.learner import Learner
from ludens.learning.run import against, train
from ludens.players import player
from ludens.players.simple import SmartRandom

EVALUATIONS = 20
"""Evaluations of a run unless told otherwise."""
MOST_EVALUATED = 1_000_000
"""Games of an evaluation, which are played all at once."""


def prepare(game: str, name: str, words: tuple[str, ...]) -> Learner[Any]:
    """The learner that was asked for; ValueError says what was expected."""
    if game not in GAMES:
        make(game)  # which says what games there are
    if name not in LEARNERS:
        raise ValueError(f"unknown learner '{name}': expected one of {', '.join(LEARNERS)}")
    variant, settings = game_and_settings(game, words, LEARNERS[name].config_type, name)
    return learner(name, variant, settings)


def run(
    who: Learner[Any],
    *,
    seed: int,
    seeds: int,
    out: Path | None,
    resume: bool,
    every: int | None,
    opponent: str,
    eval_games: int,
    eval_every: int | None,
    json: bool,
) -> None:
    """Train to the end, with a bar; ValueError says what was expected."""
    for option, number in (("--seeds", seeds), ("--every", every), ("--eval-every", eval_every)):
        if number is not None and number < 1:
            raise ValueError(f"{option} is {number}: expected 1 or more")
    if not 0 <= seed <= 2**32 - seeds:
        raise ValueError(f"--seed is {seed}: expected 0 to {2**32 - seeds}")
    if not 0 <= eval_games <= MOST_EVALUATED:
        raise ValueError(f"--eval-games is {eval_games}: expected 0 to {MOST_EVALUATED:,}")
    folder = out or Path("runs") / f"{who.game.id}-{who.name}-{seed}"
    measure = against(who, player(opponent, who.game), opponent, games=eval_games) if eval_games else None
    steps = train(
        who,
        folder,
        seed=seed,
        seeds=seeds,
        every=every,
        evaluate=measure,
        evaluate_every=eval_every or max(1, who.config.episodes // EVALUATIONS),
        resume=resume,
    )
    console = Console(stderr=True)
    columns = (TextColumn(f"{who.name} on {who.game.id}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    last, begun = "", time.perf_counter()
    with Progress(
        *columns, TextColumn("{task.fields[facts]}"), console=console, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=who.config.episodes, facts="compiling")
        for progress in steps:
            last = in_words(progress.line.get("evaluation")) or last
            facts = [_speed(progress.line), _loss(progress.line), last]
            bar.update(task, completed=progress.games, facts=", ".join(fact for fact in facts if fact))
            if json:
                print(json_text.dumps(progress.line), flush=True)
    if not json:
        print(
            f"trained {who.config.episodes:,} games in {time.perf_counter() - begun:.1f} s: {last or 'not evaluated'}"
        )
        print(f"ludens eval {folder}    ludens play {who.game.id} --against run:{folder}")


def game_of(run: str) -> Game[Any]:
    """The game that a run (a folder, perhaps with `@seed`) was trained for; ValueError if it is none."""
    terms = Terms.read(folder_and_seed(run)[0])
    return make(terms.game, **terms.variant)


def usual_opponent(game: Game[Any]) -> str:
    """Who evaluates learners of `game` unless told otherwise."""
    return "smart-random" if SmartRandom.plays(game) else "random"


def in_words(evaluation: dict[str, Any] | None) -> str:
    """An evaluation in a few words; the mean over seeds."""
    if not evaluation:
        return ""
    games = evaluation["games"] * len(evaluation["wins"])
    shares = {name: sum(evaluation[name]) / games for name in ("wins", "draws", "losses")}
    return f"{shares['wins']:.1%} won, {shares['losses']:.1%} lost against {evaluation['vs']}"


def _speed(line: dict[str, Any]) -> str:
    return f"{line['games_per_second']:,.0f} games/s" if line["games_per_second"] else ""


def _loss(line: dict[str, Any]) -> str:
    losses = [loss for loss in line.get("loss", []) if loss is not None and math.isfinite(loss)]
    return f"loss {sum(losses) / len(losses):.4f}" if losses else ""
