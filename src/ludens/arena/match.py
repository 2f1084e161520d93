"""Games between several players: in compiled batches, or one by one where somebody from outside takes part.

A game is a `Job`: a seed and who sits where. `play_batch` and `play_one` turn a job into the very same record.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ludens.arena.batch import play_batch
from ludens.arena.jobs import Contestant, Job, check
from ludens.arena.openings import checked_plies
from ludens.arena.record import Record
from ludens.arena.table import Resident, Table
from ludens.core.game import Game
from ludens.core.player import Player
from ludens.players.external import Outsider

__all__ = ["play", "play_batch", "play_one"]


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
    from_outside = {number for number, each in enumerate(contestants) if isinstance(each.player, Outsider)}
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
    table = Table(game, seed=job.seed, seating=job.seats, opening=checked_plies(game, opening))
    while not table.over:
        table.act(deciders[job.seats[table.mover]].decide(table.turn()))
    return table.record([contestants[number].spec for number in job.seats])


def on_the_host(who: Contestant) -> Contestant:
    """The same contestant, asked on the host: a compiled player is made ready once and for all games."""
    return Contestant(who.spec, decider(who))


def decider(who: Contestant) -> Outsider[Any]:
    """Whoever decides for a contestant on the host."""
    return Resident(who.player) if isinstance(who.player, Player) else who.player
