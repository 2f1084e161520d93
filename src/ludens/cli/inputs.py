"""What commands share: parameters, the way from words to a game and its settings, a bar, and how JAX begins.

    --rules finkel --pieces 4      becomes      Ur(rules="finkel", pieces=4)

The options of a game are the fields of its dataclass, so a new game brings its own; so are the settings of a learner.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, ParamSpec, TypeVar

import jax
from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from ludens.cli.app import bad_input
from ludens.core.compiling import cores_as_devices, loops_in_one_kernel
from ludens.core.game import Game
from ludens.core.run_files import renamed
from ludens.core.settings import Setting, settings
from ludens.games import GAMES, make
from ludens.players.simple import SmartRandom

GameName = Annotated[str, Parameter(help="Which game; its variant's options may follow.")]
Words = Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]
"""What is typed besides a command's own parameters: the options of a variant or of a learner."""
Position = Annotated[
    str | None,
    Parameter(allow_leading_hyphen=True, help="Where to start, as text; the game's start if not given."),
]
Seed = Annotated[int, Parameter(help="Draws everything that is random.")]
FreshSeed = Annotated[int | None, Parameter(help="Draws everything that is random; a new one each time if not given.")]
Opening = Annotated[
    int | None,
    Parameter(help="Random plies before the players take over; the game's usual number if not given."),
]
Records = Annotated[Path | None, Parameter(help="Write every record to this file, one a line.")]
Json = Annotated[bool, Parameter(help="Print for programs.")]

LARGEST_SEED = 2**63 - 1
MOST_GAMES = 10_000_000
"""Of a match or a tournament, whose games are listed before the first is played."""

P = ParamSpec("P")
R = TypeVar("R")


def on_all_cores(*, whole_loops: bool = True) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give JAX a device for each core and, with `whole_loops`, compile loops whole (`core/compiling.py`).

    JAX heeds it until it has looked for devices, which no import of Ludens makes it do.
    """

    def decorate(command: Callable[P, R]) -> Callable[P, R]:
        @wraps(command)
        def begin(*args: P.args, **kwargs: P.kwargs) -> R:
            cores_as_devices()
            if whole_loops:
                loops_in_one_kernel()
            return command(*args, **kwargs)

        return begin

    return decorate


@contextmanager
def bar(what: str, total: float) -> Iterator[Callable[[float], None]]:
    """On standard error once the function it gives is told how much is done; it leaves nothing behind."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total, visible=False)
        yield lambda done: progress.update(task, completed=done, visible=True)


def at_least(least: float, most: float | None = None, **options: float | None) -> None:
    """ValueError about the first option that is less, or more than `most`; one that is not given is right."""
    for name, value in options.items():
        if value is not None and not (least <= value and (most is None or value <= most)):
            expected = f"{least} or more" if most is None else f"{least} to {most:,}"
            raise ValueError(f"--{name.replace('_', '-')} is {value}: expected {expected}")


def chosen(name: str, words: tuple[str, ...]) -> Game[Any]:
    """The game and variant named on the command line."""
    with bad_input():
        return game_from(name, words)


def position_or_start(game: Game[Any], position: str | None, seed: int) -> Any:
    """The position typed, or a start drawn with `seed`."""
    with bad_input():
        at_least(0, LARGEST_SEED, seed=seed)
        return game.init(jax.random.key(seed)) if position is None else game.read(position)


def usual_opponent(game: Game[Any]) -> str:
    """Who evaluates learners of `game` unless told otherwise."""
    return "smart-random" if SmartRandom.plays(game) else "random"


def game_from(name: str, words: tuple[str, ...]) -> Game[Any]:
    """The game called `name` in the variant that the `words` describe; ValueError says what was expected."""
    if name not in GAMES:
        return make(name)  # which says what games there are
    return make(name, **dict(_options(name, words, settings(GAMES[name]))))


def game_and_settings(
    name: str, words: tuple[str, ...], config: type[Any], who: str
) -> tuple[Game[Any], dict[str, Any]]:
    """The game in the variant, and the settings of `who` (fields of the dataclass `config`), that `words` describe."""
    variant = settings(GAMES[name])
    told = dict(_options(f"{who} on {name}", words, {**settings(config), **variant}, learner=who))
    fields = {field: told.pop(field) for field in variant if field in told}
    return make(name, **fields), told


def _options(
    name: str, words: tuple[str, ...], known: Mapping[str, Setting], learner: str = ""
) -> Iterator[tuple[str, Any]]:
    """Fields and their values, in the order in which they were typed; former names of a learner's are told."""
    by_option = {setting.option: setting for setting in known.values()}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        option, has_value, value = word.partition("=")
        negated = option not in by_option and option.startswith("--no-")
        setting = by_option.get("--" + option.removeprefix("--no-") if negated else option)
        if setting is None or (negated and (setting.kind is not bool or has_value)):
            if learner and (now := renamed(learner, option)):
                raise ValueError(f"{now}: expected the new name")
            raise ValueError(f"{name} cannot take '{word}': expected {', '.join(by_option) or 'no options'}")
        if setting.kind is bool and not has_value:
            yield setting.name, not negated
            continue
        if not has_value:
            if not rest or rest[0].startswith("--"):
                raise ValueError(f"{option} of {name} stands alone: expected a value after it")
            value = rest.pop(0)
        yield setting.name, setting.parse(value)
