"""A round robin between players that were trained, with Elo in the order of the games, and what several come to."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludens.arena.batch import play_batch
from ludens.arena.match import Contestant, Job
from ludens.arena.ratings import Games, elo, shares_of
from ludens.arena.standings import pairs
from ludens.arena.tournament import fixtures
from ludens.core.game import Game
from ludens.papers.codec import JSON
from ludens.papers.estimates import balance
from ludens.papers.results import Estimate, Panel, ReportTable, Row, Series

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
    games = Games(tables, shares_of(returns), len(contestants))
    met, won, length = pairs(games, returns, turns)
    return {
        "players": [each.spec for each in contestants],
        "games": len(jobs),
        "seconds": seconds,
        **_ratings(games, rounds),
        "won": won.tolist(),
        "drawn": (met - won - won.T).tolist(),
        "turns": np.divide(length, met, out=np.zeros_like(length), where=met > 0).tolist(),
    }


def _ratings(games: Games, rounds: int) -> dict[str, JSON]:
    """Elo after each of some rounds, at the end, and the band in which it stays."""
    curve = elo(games)[:: len(games.tables) // rounds]  # [rounds + 1, N]
    shown = np.unique(np.linspace(0, rounds, min(rounds, POINTS) + 1).round().astype(int))
    low, high = np.percentile(curve[(rounds + 1) // 2 :], BAND, axis=0)
    return {
        "rounds": shown.tolist(),
        "elo": curve[shown].T.tolist(),
        "final": curve[-1].tolist(),
        "band": np.stack([low, high], axis=1).tolist(),
    }


@dataclass(frozen=True)
class Tournaments:
    """What tournaments between the same players come to, one for each seed."""

    tournaments: Sequence[JSON]
    """What `tournament` found."""

    @property
    def players(self) -> list[str]:
        """In the order of the matrices."""
        names: list[str] = self.tournaments[0]["players"]
        return names

    def elo(self, name: str) -> Estimate:
        """At the end, the mean over the tournaments, and where it moves in their second halves."""
        i = self.players.index(name)
        mean = self._mean([each["final"][i] for each in self.tournaments])
        low, high = zip(*(each["band"][i] for each in self.tournaments), strict=True)
        return Estimate(mean, (min(mean, *low), max(mean, *high)))

    def win_rate(self, name: str) -> float:
        """Games won of all that a player played."""
        games = sum(each["rounds"][-1] * (len(self.players) - 1) for each in self.tournaments)
        return float(sum(sum(each["won"][self.players.index(name)]) for each in self.tournaments) / games)

    def net(self, one: str, other: str) -> Estimate:
        """Games that `one` won against `other` less those it lost, a game."""
        i, j = self.players.index(one), self.players.index(other)
        won, lost = (sum(each["won"][a][b] for each in self.tournaments) for a, b in ((i, j), (j, i)))
        return balance(won, lost, sum(each["rounds"][-1] for each in self.tournaments))

    def turns(self, one: str, other: str) -> float:
        """In a game of the two."""
        i, j = self.players.index(one), self.players.index(other)
        return self._mean([each["turns"][i][j] for each in self.tournaments])

    def beats(self, one: str, other: str) -> bool:
        """Whether it won more of their games than it lost."""
        return self.net(one, other).value > 0

    def ranked(self) -> list[str]:
        """By Elo, best first."""
        return sorted(self.players, key=self.elo, reverse=True)

    def row_of_speed(self) -> Row:
        """Games of the tournament in a second."""
        rate = sum(each["games"] for each in self.tournaments) / sum(each["seconds"] for each in self.tournaments)
        return Row.compare("tournament", Estimate(rate), len(self.tournaments), unit="games/s")

    def matrix(self, name: str, title: str, cell: Callable[[str, str], float]) -> ReportTable:
        """A cell for each pair, empty for a player and itself."""
        rows = [[one, *(None if one == other else cell(one, other) for other in self.players)] for one in self.players]
        return ReportTable(name, title, ["player", *(f"against {other}" for other in self.players)], rows)

    def elo_curves(self) -> Panel:
        """Elo during the first tournament."""
        first = self.tournaments[0]
        lines = [Series(name, first["rounds"], first["elo"][i]) for i, name in enumerate(self.players)]
        return Panel("", "round robins", "Elo", lines)

    def _mean(self, values: Sequence[float]) -> float:
        return math.fsum(values) / len(values)
