"""A tournament: round robins that are played to the end, however often they are interrupted.

It lives in a folder. `tournament.sqlite` is the book with every game (`ledger.py`); the tables and figures beside it
(`report.py`) are made from the book alone.

One round is every table once: every pair in a game for two (36 games for nine players), every four of them in a game
for four. A table plays in **blocks** of as many rounds as there are seats. All games of a block have the same seed,
that is the same deal and opening, and the players move up one seat from round to round: after a whole block everybody
has had every seat with the same luck. Each block seats the table anew at random, so neighbours and partners change.

A game is named by its round and its pairing, the number of its table. Everything about it follows from this name and
the tournament's seed, so a game that was cut short is played again just as it would have been.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ludens.arena.ledger import Fixture, Ledger, Terms
from ludens.arena.match import Job, contestant
from ludens.arena.match import play as play_jobs
from ludens.arena.ply import checked_plies
from ludens.arena.record import plain_variant
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


def tables(players: int, seats: int) -> list[tuple[int, ...]]:
    """Everyone who meets in one round: all choices of `seats` out of `players`."""
    return list(combinations(range(players), seats))


def fixtures(players: int, seats: int, rounds: int, seed: int) -> Iterator[Fixture]:
    """All games of a tournament, round by round, pairing by pairing."""
    pairings = tables(players, seats)
    for number in range(rounds):
        block, turn = divmod(number, seats)
        for pairing, table in enumerate(pairings):
            # NumPy promises that these words never change, which it does not of its generators' draws.
            words = np.random.SeedSequence([seed, block, pairing]).generate_state(1 + seats)
            seated = np.argsort(words[1:], kind="stable")
            order = tuple(table[seated[(seat + turn) % seats]] for seat in range(seats))
            yield Fixture(round=number, pairing=pairing, seats=order, seed=int(words[0]))


def count(game: Game[Any], terms: Terms, rounds: int) -> int:
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
