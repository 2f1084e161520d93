"""Who takes part, what is to be played, and playing it: in compiled batches, or with programs from outside one by one.

A game is a `Job`: a seed and who sits where. `play_batch` and `play_one` turn a job into the very same record.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

from ludens.arena.batch import Contestant, Job, check, play_batch
from ludens.arena.live_game import LiveGame, Resident
from ludens.arena.ply import checked_plies
from ludens.arena.record import Record
from ludens.core.game import Game
from ludens.core.player import Player
from ludens.players import player
from ludens.players.external import OUTSIDERS, Outsider, outsider

__all__ = ["Contestant", "Job", "balanced_jobs", "contestant", "play", "play_batch", "play_one", "seatings"]


def contestant(spec: str, game: Game[Any]) -> Contestant:
    """Whoever `spec` names, programs from outside included; ValueError says what was expected."""
    program = outsider(spec, game) if spec.startswith(tuple(OUTSIDERS)) else None
    return Contestant(spec, program or player(spec, game, on_host=True))


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


def play(
    game: Game[Any],
    contestants: Sequence[Contestant],
    jobs: Sequence[Job],
    *,
    opening: int | None = None,
    size: int | None = None,
) -> Iterator[tuple[int, Record]]:
    """Play all jobs, by `play_batch` where it can be; each job's number and record as its game ends.

    Games with somebody from outside come last, one after the other. Whoever was started for them is ended with the last
    of them, or with the first failure (`ExternalError`).
    """
    from_outside = {number for number, each in enumerate(contestants) if _alone(each)}
    alone = [number for number, job in enumerate(jobs) if from_outside.intersection(job.seats)]
    together = sorted(set(range(len(jobs))) - set(alone))
    for number, record in play_batch(game, contestants, [jobs[each] for each in together], opening=opening, size=size):
        yield together[number], record
    needed = {seated for number in alone for seated in jobs[number].seats}
    asked = [on_the_host(each) if number in needed else each for number, each in enumerate(contestants)]
    try:
        for number in alone:
            yield number, play_one(game, asked, jobs[number], opening=opening)
    finally:
        for each in asked:
            if isinstance(each.player, Outsider):
                each.player.close()


def play_one(game: Game[Any], contestants: Sequence[Contestant], job: Job, *, opening: int | None = None) -> Record:
    """Play one job on the host, decision by decision."""
    check(game, contestants, [job])
    deciders = {number: decider(contestants[number]) for number in set(job.seats)}
    live = LiveGame(game, seed=job.seed, seating=job.seats, opening=checked_plies(game, opening))
    while not live.over:
        live.act(deciders[job.seats[live.mover]].decide(live.turn()))
    return live.record([contestants[number].spec for number in job.seats])


def on_the_host(who: Contestant) -> Contestant:
    """The same contestant, asked on the host: a compiled player is made ready once and for all games."""
    return Contestant(who.spec, decider(who))


def decider(who: Contestant) -> Outsider[Any]:
    """Whoever decides for a contestant on the host."""
    return Resident(who.player) if isinstance(who.player, Player) else who.player


def _alone(who: Contestant) -> bool:
    """Whether somebody cannot decide in a compiled batch."""
    return isinstance(who.player, Outsider) or not who.player.compiled


def _seed(seed: int, number: int) -> int:
    """A seed of its own for each number: a hash, so that matches with neighbouring seeds share no game."""
    return int.from_bytes(blake2b(f"{seed} {number}".encode(), digest_size=4).digest(), "little")
