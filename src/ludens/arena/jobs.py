"""Who takes part and what is to be played: contestants, jobs, and seats shared out fairly."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from ludens.core.game import Game
from ludens.core.player import Player
from ludens.players import player
from ludens.players.external import Outsider, outsider


class Contestant(NamedTuple):
    """Somebody who takes part, and the spec that names them."""

    spec: str
    player: Player[Any] | Outsider[Any]


class Job(NamedTuple):
    """One game to be played."""

    seed: int
    """Decides the start and the opening; with the seating, everything random that follows. Below 2^32."""
    seats: tuple[int, ...]
    """Which contestant sits in each seat, by number."""


def contestant(spec: str, game: Game[Any]) -> Contestant:
    """Whoever `spec` names, programs from outside included; ValueError says what was expected."""
    return Contestant(spec, outsider(spec, game) or player(spec, game))


def balanced_jobs(game: Game[Any], players: int, games: int, seed: int) -> list[Job]:
    """Jobs for a match: every seating in turn, all of them with the same start and opening, then anew."""
    turns = seatings(players, game.num_players)
    return [Job(_seed(seed, number // len(turns)), turns[number % len(turns)]) for number in range(games)]


def seatings(players: int, seats: int) -> list[tuple[int, ...]]:
    """The ways to sit down that are fair together: as many players as seats move up seat by seat, two alternate."""
    if players == seats:
        return [tuple((seat + turn) % players for seat in range(seats)) for turn in range(players)]
    if players == 2:
        return [tuple((seat + turn) % 2 for seat in range(seats)) for turn in range(2)]
    raise ValueError(f"{players} players cannot share {seats} seats fairly: expected 2 or {seats} players")


def check(game: Game[Any], contestants: Sequence[Contestant], jobs: Sequence[Job]) -> None:
    """ValueError if a job cannot be played."""
    for job in jobs:
        if len(job.seats) != game.num_players:
            raise ValueError(f"{job} has {len(job.seats)} seats: expected {game.num_players}, as {game.id} has")
        if not all(0 <= number < len(contestants) for number in job.seats):
            raise ValueError(f"{job} seats somebody unknown: expected contestants 0 to {len(contestants) - 1}")
        if not 0 <= job.seed < 2**32:
            raise ValueError(f"{job} has a seed that does not fit: expected 0 to 2^32 - 1")


def _seed(seed: int, number: int) -> int:
    """A seed of its own for each number: a hash, so that matches with neighbouring seeds share no game."""
    return int.from_bytes(blake2b(f"{seed} {number}".encode(), digest_size=4).digest(), "little")
