"""From the words after a game's name to the game: `--rules finkel --pieces 4` becomes `Ur(rules="finkel", pieces=4)`.

The options are the fields of the game's dataclass, so a new game brings its own; so are the settings of a learner.
"""

import math
import types
from collections.abc import Iterable, Iterator
from dataclasses import Field, fields
from typing import Any, Union, get_args, get_origin, get_type_hints

from ludens.core.game import Game
from ludens.core.run_files import renamed
from ludens.games import GAMES, make


def game_from(name: str, words: tuple[str, ...]) -> Game[Any]:
    """The game called `name` in the variant that the `words` describe; ValueError says what was expected."""
    if name not in GAMES:
        return make(name)  # which says what games there are
    return make(name, **dict(_options(name, words, get_type_hints(GAMES[name]), fields(GAMES[name]))))


def game_and_settings(
    name: str, words: tuple[str, ...], config: type[Any], who: str
) -> tuple[Game[Any], dict[str, Any]]:
    """The game in the variant, and the settings of `who` (fields of the dataclass `config`), that `words` describe."""
    kind = GAMES[name]
    hints = get_type_hints(kind) | get_type_hints(config)
    told = dict(_options(f"{who} on {name}", words, hints, (*fields(config), *fields(kind)), who))
    variant = {field.name: told.pop(field.name) for field in fields(kind) if field.name in told}
    return make(name, **variant), told


def describe(name: str) -> dict[str, str]:
    """The options of a game and their defaults, as a person types them: `{"--size": "8"}`."""
    hints, standard = get_type_hints(GAMES[name]), GAMES[name]()
    return {f"--{_typed(f.name)}": _shown(getattr(standard, f.name), hints[f.name]) for f in fields(GAMES[name])}


def _options(
    name: str, words: tuple[str, ...], hints: dict[str, Any], known_fields: Iterable[Field[Any]], who: str = ""
) -> Iterator[tuple[str, Any]]:
    """Fields and their values, in the order in which they were typed; `who` is the learner they are for."""
    known = {_typed(field.name): field.name for field in known_fields}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        option, has_value, value = word.removeprefix("--").partition("=")
        negated = option.removeprefix("no-") if option.startswith("no-") else None
        if not word.startswith("--") or (option not in known and negated not in known):
            if who and (now := renamed(who, option)):
                raise ValueError(f"{now}: expected the new name")
            expected = ", ".join(f"--{each}" for each in known) or "no options"
            raise ValueError(f"{name} cannot take '{word}': expected {expected}")
        field = known.get(option) or known[str(negated)]
        kind = _kind(hints[field])
        if kind is bool and not has_value:
            yield field, option in known
            continue
        if not has_value:
            if not rest or rest[0].startswith("--"):
                raise ValueError(f"--{option} of {name} stands alone: expected a value after it")
            value = rest.pop(0)
        yield field, _convert(value, kind, f"--{option}")


def _convert(value: str, kind: Any, option: str) -> Any:
    """`value` as the field's type has it."""
    if kind is int:
        if not value.removeprefix("-").isdecimal():
            raise ValueError(f"{option} is '{value}': expected a whole number")
        return int(value)
    if kind is float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"{option} is '{value}': expected a number")
        return number
    if kind is bool:
        if value.lower() not in ("true", "false"):
            raise ValueError(f"{option} is '{value}': expected true or false")
        return value.lower() == "true"
    if get_origin(kind) is tuple:
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _kind(hint: Any) -> Any:
    """The type itself where a field may also be None."""
    if get_origin(hint) in (Union, types.UnionType):
        return next(part for part in get_args(hint) if part is not type(None))
    return hint


def _typed(field: str) -> str:
    """A field's name as an option: `longest_run` is typed `longest-run`."""
    return field.strip("_").replace("_", "-")


def _shown(value: Any, hint: Any) -> str:
    """A default as a person would type it."""
    if isinstance(value, tuple):
        return ",".join(value) or "any"
    return {True: "yes", False: "no"}[value] if _kind(hint) is bool else str(value)
