"""Settings: what can be chosen about a game or a learner, stated once, beside the dataclass field that holds it.

    pieces: int | None = setting(None, "Pieces of each side.", least=1, most=7)

The command line, the page and every error message read the same description: type, bounds, choices, default, help.
A plain field without `setting` works as well; it only says less about itself. Nothing here needs JAX.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

LARGEST, FARTHEST = 2**31 - 1, 1e38
"""Whole numbers are `int32` when they are computed with, and others `float32`."""
_KEY = "setting"


def setting(
    default: Any,
    help: str,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: Sequence[Any] = (),
) -> Any:
    """A dataclass field that says what it is for and what it may be; of a list, `choices` are its members'."""
    told = {"help": help, "least": least, "most": most, "choices": tuple(choices)}
    return field(default=default, metadata={_KEY: told})


@dataclass(frozen=True)
class Setting:
    """One field of a game or of a learner's config, described."""

    name: str
    kind: Any
    """`bool`, `int`, `float`, `str`, or `tuple` for a list of names."""
    optional: bool
    """Whether it may be None."""
    default: Any
    help: str = ""
    least: float | None = None
    most: float | None = None
    choices: tuple[Any, ...] = ()

    @property
    def option(self) -> str:
        """As it is typed: `longest_run` is `--longest-run`, `lambda_` is `--lambda`."""
        return "--" + self.name.strip("_").replace("_", "-")

    @property
    def expected(self) -> str:
        """What it may be, in words: `a whole number from 1 to 7`."""
        if self.kind is tuple:
            return "a list of names" + (f" out of {', '.join(map(str, self.choices))}" if self.choices else "")
        if self.choices:
            return f"one of {', '.join(map(str, self.choices))}"
        what = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[self.kind]
        if self.least is not None and self.most is not None:
            return f"{what} from {self.least:g} to {self.most:g}"
        if self.least is not None:
            return f"{what}, {self.least:g} or more"
        return what if self.most is None else f"{what}, at most {self.most:g}"

    def check(self, value: Any, *, of: str = "", name: str | None = None) -> None:
        """ValueError unless `value` is right. True is no number and 8.0 no whole one: shapes follow from settings."""
        if (self.optional and value is None) or self._is_right(value):
            return
        limits = {int: f"{LARGEST:,}", float: f"{FARTHEST:g}"}
        too_large = type(value) in limits and self.kind in limits and self.most is None and value > LARGEST
        expected = f"at most {limits[self.kind]}" if too_large else self.expected
        shown = repr(self.written(value) if isinstance(value, tuple) else value)
        raise ValueError(f"{name or self.name} is {shown}{f' in {of}' if of else ''}: expected {expected}")

    def _is_right(self, value: Any) -> bool:
        if self.kind is tuple:
            return isinstance(value, list | tuple) and all(
                isinstance(each, str) and (not self.choices or each in self.choices) for each in value
            )
        if type(value) is not self.kind and not (self.kind is float and type(value) is int):
            return False
        if self.choices and value not in self.choices:
            return False
        if self.kind not in (int, float):
            return True
        low, high = (-math.inf if self.least is None else self.least), (math.inf if self.most is None else self.most)
        limit = LARGEST if self.kind is int else FARTHEST
        return bool(max(low, -limit) <= value <= min(high, limit))

    def parse(self, text: str) -> Any:
        """The value that a person typed as `text`; ValueError says what was expected."""
        value: Any = text
        if self.kind is int and text.removeprefix("-").isdecimal():
            value = int(text)
        elif self.kind is float:
            try:
                value = float(text)
            except ValueError:
                value = text
        elif self.kind is bool:
            value = {"true": True, "false": False}.get(text.lower(), text)
        elif self.kind is tuple:
            value = tuple(part.strip() for part in text.split(",") if part.strip())
        self.check(value, name=self.option)
        return value

    def from_json(self, value: Any) -> Any:
        """The value that a request or a file gives; ValueError says what was expected."""
        self.check(value)
        if self.kind is float and value is not None:
            return float(value)
        return tuple(value) if isinstance(value, list) else value

    def to_json(self) -> dict[str, Any]:
        """The description, for the page."""
        return {
            "name": self.name,
            "option": self.option,
            "kind": "list" if self.kind is tuple else self.kind.__name__,
            "optional": self.optional,
            "default": list(self.default) if isinstance(self.default, tuple) else self.default,
            "help": self.help,
            "least": self.least,
            "most": self.most,
            "choices": list(self.choices),
        }

    def written(self, value: Any) -> str:
        """A value as a person would type it."""
        if isinstance(value, bool):
            return str(value).lower()
        return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def settings(kind: type[Any]) -> Mapping[str, Setting]:
    """The settings of a dataclass by name, in the order of its fields."""
    hints = get_type_hints(kind)
    return {each.name: _described(each, hints[each.name]) for each in fields(kind)}


def check(chosen: Any, *, of: str = "") -> None:
    """ValueError about the first field of a dataclass that is not right."""
    for each in settings(type(chosen)).values():
        each.check(getattr(chosen, each.name), of=of)


def as_options(kind: type[Any], chosen: Mapping[str, Any]) -> list[str]:
    """Settings as words of a command: `--longest-run=4`; what is None or empty is not said."""
    known = settings(kind)
    said = [(known[name].option, known[name].written(value)) for name, value in chosen.items() if value is not None]
    return [f"{option}={text}" for option, text in said if text]


def from_options(kind: type[Any], words: Iterable[str]) -> dict[str, Any]:
    """The settings among words such as `--longest-run=4`; those of somebody else are left out."""
    known = {each.option: each for each in settings(kind).values()}
    told = (word.partition("=") for word in words)
    return {known[option].name: known[option].parse(text) for option, _, text in told if option in known}


def _described(each: Field[Any], hint: Any) -> Setting:
    optional = False
    if get_origin(hint) in (Union, UnionType):
        parts = [part for part in get_args(hint) if part is not type(None)]
        optional, hint = len(parts) < len(get_args(hint)), parts[0]
    kind = tuple if get_origin(hint) is tuple else hint
    if kind not in (bool, int, float, str, tuple):
        raise TypeError(f"the field '{each.name}' is {hint}: expected bool, int, float, str or tuple[str, ...]")
    default = None if each.default is MISSING else each.default
    return Setting(each.name, kind, optional, default, **each.metadata.get(_KEY, {}))
