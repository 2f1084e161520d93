"""`ludens train`: a learner at work behind a bar."""

import json as json_text
import math
import time
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ludens.cli.app import bad_input
from ludens.cli.inputs import Json, Seed, Words, at_least, game_and_settings, on_all_cores, usual_opponent
from ludens.games import GAMES, make
from ludens.learning import LEARNERS
from ludens.learning import learner as make_learner
from ludens.learning import run as training
from ludens.learning.learner import Learner
from ludens.learning.presets import preset as find_preset
from ludens.players import player

EVALUATIONS = 20
"""Evaluations of a run unless told otherwise."""
MOST_EVALUATED = 1_000_000
"""Games of an evaluation, which are played all at once."""


def prepare(game: str, name: str, words: tuple[str, ...], preset: str | None = None) -> Learner[Any]:
    """The learner that was asked for, by a preset and by what was typed, which has the last word.

    ValueError says what was expected.
    """
    if game not in GAMES:
        make(game)  # which says what games there are
    if name not in LEARNERS:
        raise ValueError(f"unknown learner '{name}': expected one of {', '.join(LEARNERS)}")
    if preset is not None:
        words = (*find_preset(name, GAMES[game](), preset).options, *words)
    variant, settings = game_and_settings(game, words, LEARNERS[name].config_type, name)
    return make_learner(name, variant, settings)


@on_all_cores()
@bad_input()
def train(
    game: Annotated[str, Parameter(help="Which game.")],
    learner: Annotated[str, Parameter(help="Which learner; `ludens list` names them.")],
    *words: Words,
    preset: Annotated[
        str | None,
        Parameter(help="Settings under a name (`ludens list GAME LEARNER` tells them); options override them."),
    ] = None,
    seed: Seed = 0,
    seeds: Annotated[
        int, Parameter(help="Train so many independent learners, with this seed and the following ones.")
    ] = 1,
    out: Annotated[Path | None, Parameter(help="Folder of the run; `runs/GAME-LEARNER-SEED` if not given.")] = None,
    resume: Annotated[bool, Parameter(help="Go on with the run in the folder.")] = False,
    every: Annotated[int | None, Parameter(help="Games between checkpoints; a hundredth of all if not given.")] = None,
    eval_vs: Annotated[
        str | None,
        Parameter(help="Opponent of the evaluations; smart-random if not given, or random where nobody can be smart."),
    ] = None,
    eval_games: Annotated[int, Parameter(help="Games of an evaluation; 0 for none.")] = 200,
    eval_every: Annotated[
        int | None, Parameter(help="Games of training between evaluations; a twentieth of all if not given.")
    ] = None,
    keep: Annotated[
        int, Parameter(help="Keep so many states on the way, as agents: `run:FOLDER/kept/GAMES` plays one of them.")
    ] = 0,
    json: Annotated[Json, Parameter(help="Print each line of metrics for programs.")] = False,
) -> None:
    who = prepare(game, learner, words, preset)
    at_least(1, seeds=seeds, every=every, eval_every=eval_every)
    at_least(0, keep=keep)
    if not 0 <= seed <= 2**32 - seeds:
        raise ValueError(f"--seed is {seed}: expected 0 to {2**32 - seeds}")
    if not 0 <= eval_games <= MOST_EVALUATED:
        raise ValueError(f"--eval-games is {eval_games}: expected 0 to {MOST_EVALUATED:,}")
    opponent = eval_vs or usual_opponent(who.game)
    folder = out or Path("runs") / f"{who.game.id}-{who.name}-{seed}"
    measure = training.against(who, player(opponent, who.game), opponent, games=eval_games) if eval_games else None
    steps = training.train(
        who,
        folder,
        seed=seed,
        seeds=seeds,
        every=every,
        evaluate=measure,
        evaluate_every=eval_every or max(1, who.config.episodes // EVALUATIONS),
        snapshots=keep,
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
        seconds = time.perf_counter() - begun
        print(f"trained {who.config.episodes:,} games in {seconds:.1f} s: {last or 'not evaluated'}")
        print(f"ludens eval {folder}    ludens play {who.game.id} --against run:{folder}")


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
