"""Section 6.3 of the report on Onitama: nine players, 2,500 round robins, Elo in the order of the games."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.arena.batch import play_batch
from ludens.arena.match import Contestant, Job
from ludens.arena.ratings import Games, elo, shares_of
from ludens.arena.tournament import fixtures
from ludens.core.game import Game
from ludens.papers.paper import JSON

POINTS = 125
"""Of the Elo curve."""
BAND = (2.5, 97.5)
"""Percentiles of the ratings in the second half of the tournament: how far they wander without anybody changing."""


def tournament(
    game: Game[Any], contestants: Sequence[Contestant], rounds: int, seed: int, watch: Callable[[float], None]
) -> JSON:
    """Everybody against everybody once a round: ratings, and for each pair wins, draws and turns.

    `won[i][j]` are the games that i won against j.
    """
    begun = time.perf_counter()
    schedule = list(fixtures(len(contestants), 2, rounds, seed))
    tables = np.array([fixture.seats for fixture in schedule], np.int64)
    returns, turns = np.zeros((len(schedule), 2)), np.zeros(len(schedule))
    jobs = [Job(fixture.seed, fixture.seats) for fixture in schedule]
    for done, (number, record) in enumerate(play_batch(game, contestants, jobs, opening=0), start=1):
        returns[number], turns[number] = record.returns, record.turns
        if done % 100 == 0:
            watch(done / len(jobs))
    seconds = time.perf_counter() - begun
    return {
        "players": [each.spec for each in contestants],
        "games": len(jobs),
        "seconds": seconds,
        **_ratings(tables, returns, len(contestants), rounds),
        **_pairs(tables, returns, turns, len(contestants)),
    }


def _ratings(tables: NDArray[Any], returns: NDArray[Any], players: int, rounds: int) -> dict[str, JSON]:
    """Elo after each of some rounds, at the end, and the band in which it stays."""
    curve = elo(Games(tables, shares_of(returns), players))[:: len(tables) // rounds]  # [rounds + 1, N]
    shown = np.unique(np.linspace(0, rounds, min(rounds, POINTS) + 1).round().astype(int))
    low, high = np.percentile(curve[(rounds + 1) // 2 :], BAND, axis=0)
    return {
        "rounds": shown.tolist(),
        "elo": curve[shown].T.tolist(),
        "final": curve[-1].tolist(),
        "band": np.stack([low, high], axis=1).tolist(),
    }


def _pairs(tables: NDArray[Any], returns: NDArray[Any], turns: NDArray[Any], players: int) -> dict[str, JSON]:
    """What each pair did, `[N, N]`."""
    won, drawn, length, met = (np.zeros((players, players)) for _ in range(4))
    for seat in (0, 1):
        cells = tables[:, seat], tables[:, 1 - seat]
        np.add.at(won, cells, returns[:, seat] > returns[:, 1 - seat])
        np.add.at(drawn, cells, returns[:, 0] == returns[:, 1])
        np.add.at(length, cells, turns)
        np.add.at(met, cells, 1)
    mean = np.divide(length, met, out=np.zeros_like(length), where=met > 0)
    return {"won": won.astype(int).tolist(), "drawn": drawn.astype(int).tolist(), "turns": mean.tolist()}
