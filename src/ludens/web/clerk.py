"""The clerk checks what a person orders, and reads the books of tournaments. It works in a process of its own.

It says what is wrong in the words of those who would have to do it: games, players, learners. What it lets pass becomes
the words of a command.
"""

import ast
import inspect
import math
import re
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any, Union, get_args, get_origin, get_type_hints

from ludens.arena.jobs import seatings
from ludens.arena.tournament import BOOK, count, terms_of, usual_folder
from ludens.core.game import Game
from ludens.games import GAMES, make
from ludens.learning import LEARNERS, learner
from ludens.learning.learner import Config, Learner
from ludens.players.onitama_encoding import PAPER_CARDS
from ludens.web.books import read_book, tournament, tournaments
from ludens.web.catalogue import agent, game_of, whole_variant
from ludens.web.ladder import FROM_OUTSIDE, resolve
from ludens.web.naming import as_options

__all__ = ["again_words", "learners", "match_words", "tournament", "tournament_words", "tournaments", "training_words"]
"""The questions that the clerk answers."""

EASIER: dict[str, dict[str, Any]] = {
    "othello": {"size": 4},
    "onitama": {"cards": list(PAPER_CARDS)},
}
"""Variants for learners that cannot learn the usual one."""


def match_words(game: str, variant: Mapping[str, Any], players: Sequence[str], runs: Path) -> list[str]:
    """The words of `ludens match` that name players and variant; ValueError says what cannot be."""
    playing = _playing(game, variant)
    seatings(len(players), playing.num_players)
    return [game, *(_checked(spec, playing, runs) for spec in players), *as_options(variant)]


def tournament_words(
    game: str,
    variant: Mapping[str, Any],
    players: Sequence[str],
    seed: int,
    rounds: int,
    name: str | None,
    folder: Path,
    runs: Path,
) -> tuple[list[str], str, int]:
    """The words of `ludens tournament`, its name and how many games it has; ValueError says what cannot be."""
    playing = _playing(game, variant)
    specs = [_checked(spec, playing, runs) for spec in players]
    terms = terms_of(playing, specs, seed=seed)
    called = name or usual_folder(terms).name
    if (book := folder / called / BOOK).exists():
        held = read_book(book)
        if held.terms != terms:
            raise ValueError(f"'{called}' holds {held.terms}: expected another name for another tournament")
        if rounds < held.reached:
            raise ValueError(f"'{called}' has come to round {held.reached}: expected {held.reached} rounds or more")
    words = [game, *specs, *as_options(variant), f"--seed={seed}", f"--rounds={rounds}"]
    return words, called, count(playing, terms, rounds)


def again_words(book: Path, rounds: int | None) -> tuple[list[str], int, int]:
    """The words of `ludens tournament` that go on with a book, to its end or to so many rounds; games in all; seed."""
    held = read_book(book)
    game = make(held.terms.game, **held.terms.variant)
    for spec in held.terms.players:
        if spec.split(":")[0] in FROM_OUTSIDE:
            raise ValueError(f"'{spec}' is a program from outside, which the page does not start: expected a terminal")
    wanted = held.rounds if rounds is None else rounds
    if wanted < held.reached:
        raise ValueError(f"it has come to round {held.reached}: expected {held.reached} rounds or more")
    said = [f"--seed={held.terms.seed}", f"--opening={held.terms.opening}", f"--rounds={wanted}"]
    words = [held.terms.game, *held.terms.players, *as_options(held.terms.variant), *said]
    return words, count(game, held.terms, wanted), held.terms.seed


def training_words(
    game: str,
    variant: Mapping[str, Any],
    name: str,
    settings: Mapping[str, Any],
    opponent: str | None,
    runs: Path,
) -> tuple[list[str], int]:
    """The words of `ludens train` for a learner and its settings, and how many games it trains.

    ValueError says what cannot be.
    """
    playing = _playing(game, variant)
    if name not in LEARNERS:
        raise ValueError(f"unknown learner '{name}': expected one of {', '.join(LEARNERS)}")
    kind = LEARNERS[name].config_type
    told = dict(_conforming(f"{name} on {game}", settings, kind))
    if "opponents" in told:
        told["opponents"] = " ".join(
            spec if spec == "self" else _checked(spec, playing, runs) for spec in told["opponents"].split()
        )
    trained = learner(name, playing, told)
    vs = [] if opponent is None else [f"--eval-vs={_checked(opponent, playing, runs)}"]
    return [game, name, *as_options(variant), *as_options(told), *vs], trained.config.episodes


def learners() -> list[dict[str, Any]]:
    """Every learner: what it is, what it can be told, and which games it learns, in which variant."""
    return [
        {
            "name": name,
            "about": _headline(kind),
            "settings": list(_settings(kind.config_type)),
            "games": {game: found for game in GAMES if (found := _learnable(kind, game)) is not None},
        }
        for name, kind in LEARNERS.items()
    ]


def _playing(name: str, variant: Mapping[str, Any]) -> Game[Any]:
    """The game in this variant, given as JSON has it."""
    return game_of(whole_variant(name, variant)[0])


def _checked(spec: str, game: Game[Any], runs: Path) -> str:
    """A spec of the page as a terminal has it; ValueError if it names nobody who plays `game`."""
    resolved, _ = resolve(spec, runs)
    agent(game, resolved)  # which says what is wrong with it
    return resolved


def _conforming(who: str, told: Mapping[str, Any], kind: type[Any]) -> Iterator[tuple[str, Any]]:
    """Fields of the dataclass `kind` as `told`, each of the type it should have."""
    hints, known = get_type_hints(kind), [field.name for field in fields(kind)]
    for name, value in told.items():
        if name not in known:
            raise ValueError(f"{who} cannot take '{name}': expected {', '.join(known) or 'nothing'}")
        wanted, optional = _kind(hints[name])
        if not (optional and value is None):
            yield name, _as(wanted, value, name)


def _as(wanted: Any, value: Any, name: str) -> Any:
    """`value` as the field's type has it."""
    if wanted is float and type(value) in (int, float) and math.isfinite(value):
        return float(value)
    if wanted in (int, bool, str) and type(value) is wanted:
        return value
    if get_origin(wanted) is tuple and isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value)
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    raise ValueError(f"{name} is {value!r}: expected {words.get(wanted, 'a list of names')}")


def _kind(hint: Any) -> tuple[Any, bool]:
    """The type of a field, and whether it may be None."""
    if get_origin(hint) in (Union, types.UnionType):
        return next(part for part in get_args(hint) if part is not type(None)), True
    return hint, False


def _headline(kind: type[Any]) -> str:
    """The first sentence of the file that holds a learner; of its class, where a file holds several."""
    alone = sum(each.__module__ == kind.__module__ for each in LEARNERS.values()) == 1
    text = (sys.modules[kind.__module__].__doc__ if alone else None) or kind.__doc__ or kind.__name__
    return re.split(r"(?<! al)[.:](?: |$)", " ".join(text.split()))[0] + "."


def _settings(kind: type[Config]) -> Iterator[dict[str, Any]]:
    """What a learner can be told: name, option, kind, default, help, and the choices where there are few."""
    hints, helps = get_type_hints(kind), _comments(kind)
    for field in fields(kind):
        wanted, optional = _kind(hints[field.name])
        default = field.default if field.default is not MISSING else None
        yield {
            "name": field.name,
            "option": f"--{field.name.strip('_').replace('_', '-')}",
            "kind": getattr(wanted, "__name__", "str"),
            "default": list(default) if isinstance(default, tuple) else default,
            "optional": optional,
            "help": helps.get(field.name, ""),
            "choices": _choices(kind, field) if wanted is str else [],
        }


def _comments(kind: type[Any]) -> dict[str, str]:
    """The texts that stand under the fields of a dataclass and of those it extends."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__[:-1]):
        body = ast.parse(dedent(inspect.getsource(each))).body[0]
        statements = body.body if isinstance(body, ast.ClassDef) else []
        for at, after in pairwise(statements):
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
            if isinstance(at, ast.AnnAssign) and isinstance(at.target, ast.Name) and isinstance(text, str):
                found[at.target.id] = " ".join(text.split())
    return found


def _choices(kind: type[Config], field: Field[Any]) -> list[str]:
    """What a text may say, as the settings themselves say when told something else; empty if it is free."""
    nothing: dict[str, Any] = {field.name: ""}
    try:
        kind(**nothing)
    except ValueError as error:
        _, says, listed = str(error).partition("expected one of ")
        return listed.split(", ") if says else []
    return []


def _learnable(kind: type[Learner[Any]], game: str) -> dict[str, Any] | None:
    """A variant of `game` that can be learned: the usual one (`{}`) if possible; None if none is known."""
    for variant in ({}, EASIER.get(game, {})):
        try:
            if kind.learns(playing := make(game, **variant)):
                kind(playing, kind.config_type())
                return variant
        except ValueError:
            continue  # as with DDPG, which needs five cards
    return None
