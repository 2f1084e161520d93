"""Books of tournaments for the page: what was agreed, how far it has come, and who leads."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ludens.arena.ledger import Ledger, Terms
from ludens.arena.standings import standings
from ludens.arena.tournament import BOOK, count
from ludens.games import make

MOST_POINTS = 300
"""Rounds of an Elo curve that are shown."""


@dataclass(frozen=True)
class Held:
    """What a book says about itself."""

    terms: Terms
    rounds: int
    games: int
    reached: int
    """Rounds of which a game was played."""


_said: dict[Path, tuple[list[tuple[int, int]], Held]] = {}
"""What a book said about itself when its files looked so."""
_counted: dict[Path, tuple[Held, dict[str, Any]]] = {}
"""What was counted from a book when that was what it said."""


def read_book(path: Path) -> Held:
    """How a tournament stands; ValueError if the file is no book."""
    looks = _looks(path)
    if path not in _said or _said[path][0] != looks:
        with Ledger.read(path) as ledger:
            played = ledger.played()
            reached = max((number + 1 for number, _ in played), default=0)
            _said[path] = looks, Held(ledger.terms, ledger.rounds, len(played), reached)
    return _said[path][1]


def tournaments(folder: Path) -> list[dict[str, Any]]:
    """Every tournament in `folder`, by name, without its tables; whatever is no book is left out."""
    found = []
    for book in sorted(folder.glob(f"*/{BOOK}")):
        try:
            found.append(_facts(book, read_book(book)))
        except (ValueError, TypeError):  # a book, but of something that this version does not play
            continue
    return found


def tournament(folder: Path, name: str) -> dict[str, Any] | None:
    """One tournament with its tables and its Elo curve; None if there is none."""
    book = folder / name / BOOK
    if not book.exists():
        return None
    held = read_book(book)
    if book not in _counted or _counted[book][0] != held:
        _counted[book] = held, _facts(book, held) | (_outcome(book) if held.games else {})
    return _counted[book][1]


def _looks(path: Path) -> list[tuple[int, int]]:
    """When the files of a book were written and how long they are; SQLite's log beside it holds what is new."""
    files = [file for file in (path, path.with_name(f"{path.name}-wal")) if file.exists()]
    return [(facts.st_mtime_ns, facts.st_size) for facts in (file.stat() for file in files) if facts.st_size]


def _facts(book: Path, held: Held) -> dict[str, Any]:
    game = make(held.terms.game, **held.terms.variant)
    total = count(game, held.terms, held.rounds)
    sums = {"rounds": held.rounds, "games": held.games, "total": total}
    return {"name": book.parent.name, **held.terms.to_dict(), **sums}


def _outcome(book: Path) -> dict[str, Any]:
    """Tables and curve, players in the order of their Elo."""
    with Ledger.read(book) as ledger:
        outcome = standings(ledger.terms.players, ledger.results())
    last = len(outcome.curve) - 1
    rounds = np.unique(np.linspace(0, last, min(last + 1, MOST_POINTS)).round().astype(int))
    told = outcome.to_dict()
    del told["games"]
    curve = {"rounds": rounds.tolist(), "elo": np.round(outcome.curve[rounds], 1).T.tolist()}
    return {**told, "ranked": list(outcome.players), "curve": curve}
