"""A tournament: round robins that are played to the end, however often they are interrupted.

It lives in a folder. `tournament.sqlite` is the book with every game (`ledger.py`); the tables and figures beside it
(`report.py`) are made from the book alone.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ludens.arena.jobs import Job, contestant
from ludens.arena.ledger import Ledger, Terms
from ludens.arena.match import play as play_jobs
from ludens.arena.openings import checked_plies
from ludens.arena.record import plain_variant
from ludens.arena.schedule import fixtures, tables
from ludens.core.game import Game

BOOK = "tournament.sqlite"


def terms_of(game: Game[Any], specs: Sequence[str], *, seed: int = 0, opening: int | None = None) -> Terms:
    """The terms of a tournament that can be held; ValueError says why one cannot."""
    least = max(2, game.num_players)
    if len(specs) < least:
        raise ValueError(f"{len(specs)} named for a tournament of {game.id}: expected {least} players or more")
    if twice := [spec for i, spec in enumerate(specs) if spec in specs[:i]]:
        raise ValueError(f"'{twice[0]}' is named twice, and nobody could tell the two apart: expected each player once")
    if not 0 <= seed < 2**63:
        raise ValueError(f"the seed is {seed}: expected 0 to 2^63 - 1")
    for spec in specs:
        contestant(spec, game)  # which says what is wrong with it
    return Terms(game.id, plain_variant(game), tuple(specs), seed, checked_plies(game, opening))


def usual_folder(terms: Terms) -> Path:
    """Where a tournament lives unless told otherwise: the same for the same terms, so that it is found again."""
    mark = hashlib.sha256(json.dumps(terms.to_dict(), sort_keys=True).encode()).hexdigest()[:8]
    return Path("tournaments") / f"{terms.game}-{mark}"


def count(game: Game[Any], terms: Terms, rounds: int) -> int:
    """How many games there are in so many rounds."""
    return rounds * len(tables(len(terms.players), game.num_players))


def play(game: Game[Any], ledger: Ledger) -> Iterator[int]:
    """Play whatever the book lacks, entering each game as it ends; yields how many games the book has by then."""
    terms, played = ledger.terms, ledger.played()
    every = fixtures(len(terms.players), game.num_players, ledger.rounds, terms.seed)
    missing = [fixture for fixture in every if (fixture.round, fixture.pairing) not in played]
    field = [contestant(spec, game) for spec in terms.players]
    games = play_jobs(game, field, [Job(each.seed, each.seats) for each in missing], opening=terms.opening)
    for entered, (number, record) in enumerate(games, start=len(played) + 1):
        ledger.enter(missing[number], record)
        yield entered
