"""What a person orders, checked and put into the words of a command; and the books of tournaments, read.

What is wrong is said in the words of those who would have to do it: games, players, learners.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ludens.arena.ledger import Ledger, Terms
from ludens.arena.match import seatings
from ludens.arena.standings import standings
from ludens.arena.tournament import BOOK, count, terms_of, usual_folder
from ludens.core.game import Game
from ludens.core.settings import as_options, settings
from ludens.games import GAMES, make
from ludens.learning import LEARNERS, learner
from ludens.learning.learner import Learner
from ludens.learning.presets import presets
from ludens.players.onitama_encoding import PAPER_CARDS
from ludens.web.opponents import FROM_OUTSIDE, resolve
from ludens.web.worker.catalogue import agent, game_of, whole_variant

EASIER: dict[str, dict[str, Any]] = {
    "othello": {"size": 4},
    "onitama": {"cards": list(PAPER_CARDS)},
}
"""Variants for learners that cannot learn the usual one."""
MOST_POINTS = 300
"""Rounds of an Elo curve that are shown."""
Looks: TypeAlias = tuple[tuple[int, int], ...]
"""When the files of a book were written, and how long they are."""


# ---------------------------------------------------------------------- orders in words


def match_words(game: str, variant: Mapping[str, Any], players: Sequence[str], runs: Path) -> list[str]:
    """The words of `ludens match` that name players and variant; ValueError says what cannot be."""
    playing = _playing(game, variant)
    seatings(len(players), playing.num_players)
    return [game, *(_checked(spec, playing, runs) for spec in players), *as_options(GAMES[game], variant)]


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
        held = _read_book(book)
        if held.terms != terms:
            raise ValueError(f"'{called}' holds {held.terms}: expected another name for another tournament")
        if rounds < held.reached:
            raise ValueError(f"'{called}' has come to round {held.reached}: expected {held.reached} rounds or more")
    words = [game, *specs, *as_options(GAMES[game], variant), f"--seed={seed}", f"--rounds={rounds}"]
    return words, called, count(playing, terms, rounds)


def more_tournament_words(book: Path, rounds: int | None) -> tuple[list[str], int, int]:
    """The words of `ludens tournament` that go on with a book, to its end or to so many rounds; games in all; seed."""
    held = _read_book(book)
    terms = held.terms
    for spec in terms.players:
        if spec.split(":")[0] in FROM_OUTSIDE:
            raise ValueError(f"'{spec}' is a program from outside, which the page does not start: expected a terminal")
    wanted = held.rounds if rounds is None else rounds
    if wanted < held.reached:
        raise ValueError(f"it has come to round {held.reached}: expected {held.reached} rounds or more")
    said = [f"--seed={terms.seed}", f"--opening={terms.opening}", f"--rounds={wanted}"]
    words = [terms.game, *terms.players, *as_options(GAMES[terms.game], terms.variant), *said]
    return words, count(make(terms.game, **terms.variant), terms, wanted), terms.seed


def training_words(
    game: str,
    variant: Mapping[str, Any],
    name: str,
    told: Mapping[str, Any],
    opponent: str | None,
    runs: Path,
) -> tuple[list[str], int]:
    """The words of `ludens train` for a learner and its settings, and how many games it trains.

    ValueError says what cannot be.
    """
    playing = _playing(game, variant)
    kind = _learner(name)
    known = settings(kind.config_type)
    if unknown := [each for each in told if each not in known]:
        raise ValueError(f"{name} on {game} cannot take '{unknown[0]}': expected {', '.join(known)}")
    chosen = {each: known[each].from_json(value) for each, value in told.items() if value is not None}
    if "opponents" in chosen:
        chosen["opponents"] = " ".join(
            spec if spec == "self" else _checked(spec, playing, runs) for spec in chosen["opponents"].split()
        )
    trained = learner(name, playing, chosen)
    vs = [] if opponent is None else [f"--eval-vs={_checked(opponent, playing, runs)}"]
    options = [*as_options(GAMES[game], variant), *as_options(kind.config_type, chosen)]
    return [game, name, *options, *vs], trained.config.episodes


def more_training_words(run: Mapping[str, Any], tried: Mapping[str, Any]) -> list[str]:
    """The words of `ludens train` that began a run, as far as what its files say and its last evaluation tell."""
    game, config = GAMES[run["game"]], _learner(run["learner"]).config_type
    options = [*as_options(game, run["variant"]), *as_options(config, run["config"])]
    trial = [f"--eval-vs={tried['vs']}", f"--eval-games={tried['games']}"] if {"vs", "games"} <= tried.keys() else []
    return [run["game"], run["learner"], *options, f"--seed={run['seed']}", f"--seeds={run['seeds']}", *trial]


def _playing(name: str, variant: Mapping[str, Any]) -> Game[Any]:
    """The game in this variant, given as JSON has it."""
    return game_of(whole_variant(name, variant)[0])


def _checked(spec: str, game: Game[Any], runs: Path) -> str:
    """A spec of the page as a terminal has it; ValueError if it names nobody who plays `game`."""
    resolved, _ = resolve(spec, runs)
    agent(game, resolved)  # which says what is wrong with it
    return resolved


# ---------------------------------------------------------------------- learners


def learners() -> list[dict[str, Any]]:
    """Every learner: what it is, what it can be told, which games it learns, in which variant, and its presets."""
    return [
        {
            "name": name,
            "about": _headline(kind),
            "settings": [each.to_json() for each in settings(kind.config_type).values()],
            "games": {game: found for game in GAMES if (found := _learnable(kind, game)) is not None},
            "presets": {game: offered for game in GAMES if (offered := _presets(kind, game))},
        }
        for name, kind in LEARNERS.items()
    ]


def _learner(name: str) -> type[Learner[Any]]:
    if name not in LEARNERS:
        raise ValueError(f"unknown learner '{name}': expected one of {', '.join(LEARNERS)}")
    return LEARNERS[name]


def _headline(kind: type[Any]) -> str:
    """The first sentence of the file that holds a learner; of its class, where a file holds several."""
    alone = sum(each.__module__ == kind.__module__ for each in LEARNERS.values()) == 1
    text = (sys.modules[kind.__module__].__doc__ if alone else None) or kind.__doc__ or kind.__name__
    return re.split(r"(?<! al)[.:](?: |$)", " ".join(text.split()))[0] + "."


def _presets(kind: type[Learner[Any]], game: str) -> list[dict[str, Any]]:
    """What the learner offers for a game, each with its fields of the variant and of the settings."""
    offered = []
    for name, each in presets(kind.name, make(game)).items():
        fields, told = each.fields(GAMES[game], kind.config_type)
        offered.append({"name": name, "about": each.about, "variant": fields, "settings": told})
    return offered


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


# ---------------------------------------------------------------------- books of tournaments


@dataclass(frozen=True)
class Held:
    """What a book says about itself."""

    terms: Terms
    rounds: int
    games: int
    reached: int  # rounds of which a game was played


def _read_book(path: Path) -> Held:
    """How a tournament stands; ValueError if the file is no book."""
    return _held(path, _looks(path))


@lru_cache(maxsize=256)
def _held(path: Path, _: Looks) -> Held:
    """What a book says of itself; read again once its files look otherwise."""
    with Ledger.read(path) as ledger:
        played = ledger.played()
        return Held(ledger.terms, ledger.rounds, len(played), max((number + 1 for number, _ in played), default=0))


def tournaments(folder: Path) -> list[dict[str, Any]]:
    """Every tournament in `folder`, by name, without its tables; whatever is no book is left out."""
    found = []
    for book in sorted(folder.glob(f"*/{BOOK}")):
        try:
            found.append(_facts(book, _read_book(book)))
        except (ValueError, TypeError):  # a book, but of something that this version does not play
            continue
    return found


def tournament(folder: Path, name: str) -> dict[str, Any] | None:
    """One tournament with its tables and its Elo curve; None if there is none."""
    book = folder / name / BOOK
    if not book.exists():
        return None
    held = _read_book(book)
    return _facts(book, held) | (_outcome(book, _looks(book)) if held.games else {})


def _looks(path: Path) -> Looks:
    """When the files of a book were written and how long they are; SQLite's log beside it holds what is new."""
    files = [file for file in (path, path.with_name(f"{path.name}-wal")) if file.exists()]
    return tuple((facts.st_mtime_ns, facts.st_size) for facts in (file.stat() for file in files) if facts.st_size)


def _facts(book: Path, held: Held) -> dict[str, Any]:
    game = make(held.terms.game, **held.terms.variant)
    total = count(game, held.terms, held.rounds)
    sums = {"rounds": held.rounds, "games": held.games, "total": total}
    return {"name": book.parent.name, **held.terms.to_dict(), **sums}


@lru_cache(maxsize=32)
def _outcome(book: Path, _: Looks) -> dict[str, Any]:
    """Tables and curve, players in the order of their Elo."""
    with Ledger.read(book) as ledger:
        outcome = standings(ledger.terms.players, ledger.results())
    last = len(outcome.curve) - 1
    rounds = np.unique(np.linspace(0, last, min(last + 1, MOST_POINTS)).round().astype(int))
    told = outcome.to_dict()
    del told["games"]
    curve = {"rounds": rounds.tolist(), "elo": np.round(outcome.curve[rounds], 1).T.tolist()}
    return {**told, "ranked": list(outcome.players), "curve": curve}
