"""What a tournament came to: ratings, win rates, and who did what against whom.

Everything is counted from the results in the order of the schedule, so it does not depend on which game ended first.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.arena import ratings
from ludens.arena.ledger import Result
from ludens.arena.ratings import Games
from ludens.arena.statistics import wilson


@dataclass(frozen=True)
class Standing:
    """One player's line in the table."""

    player: str
    elo: float
    """At the end, as the paper counts it."""
    rating: float
    """Bradley-Terry, or Plackett-Luce where more than two sit at a table; on the Elo scale with mean 1000."""
    rating_ci95: tuple[float, float]
    win_rate: float
    """Wins by games."""
    win_rate_ci95: tuple[float, float]
    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True)
class Standings:
    """The whole outcome. Players stand in the order of their final Elo, best first, everywhere."""

    lines: tuple[Standing, ...]
    model: str
    """What `Standing.rating` is."""
    games: int
    curve: NDArray[np.float64]
    """Elo after each round, `float64[rounds + 1, N]`; row 0 is the start."""
    net_wins: NDArray[np.int64]
    """`int64[N, N]`: in row y and column x the wins of x over y less those of y over x."""
    turns: NDArray[np.float64]
    """`float64[N, N]`: mean number of actions in the games of two players; nan for a player and itself."""

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(line.player for line in self.lines)

    def to_dict(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "model": self.model,
            "standings": [{"rank": rank, **asdict(line)} for rank, line in enumerate(self.lines, start=1)],
            "net_wins": self.net_wins.tolist(),
            "turns": [[None if np.isnan(mean) else mean for mean in row] for row in self.turns.tolist()],
        }


def standings(players: Sequence[str], results: Sequence[Result]) -> Standings:
    """The outcome of `results`, which stand in the order of the schedule; there must be one at least."""
    n = len(players)
    tables = np.array([result.seats for result in results])
    returns = np.array([result.returns for result in results])
    games = Games(tables, ratings.shares_of(returns), n)
    curve = _by_round(ratings.elo(games), [result.round for result in results])
    fitted = ratings.strengths(games)
    met, beaten, turns = pairs(games, returns, np.array([result.turns for result in results], np.float64))

    drawn = np.ptp(returns, axis=1, keepdims=True) == 0
    played = np.bincount(tables.ravel(), minlength=n)
    draws = np.bincount(tables.ravel(), np.broadcast_to(drawn, tables.shape).ravel(), n).astype(int)
    wins = np.bincount(tables.ravel(), ((games.shares > 0) & ~drawn).ravel(), n).astype(int)

    def line(i: int) -> Standing:
        low, high = wilson(float(wins[i]), int(played[i]))
        return Standing(
            player=players[i],
            elo=float(curve[-1, i]),
            rating=float(fitted.ratings[i]),
            rating_ci95=(float(fitted.low[i]), float(fitted.high[i])),
            win_rate=float(wins[i] / played[i]) if played[i] else 0.0,
            win_rate_ci95=(low, high),
            games=int(played[i]),
            wins=int(wins[i]),
            draws=int(draws[i]),
            losses=int(played[i] - wins[i] - draws[i]),
        )

    order = sorted(range(n), key=lambda i: (-curve[-1, i], i))
    return Standings(
        lines=tuple(line(i) for i in order),
        model="Bradley-Terry" if tables.shape[1] == 2 else "Plackett-Luce",
        games=len(results),
        curve=curve[:, order],
        net_wins=(beaten - beaten.T).T[np.ix_(order, order)],
        turns=np.divide(turns, met, out=np.full((n, n), np.nan), where=met > 0)[np.ix_(order, order)],
    )


def _by_round(curve: NDArray[np.float64], rounds: list[int]) -> NDArray[np.float64]:
    """The rows of an Elo curve, `float64[G + 1, N]`, at the start and after the last game of each round."""
    last_of_round = [i for i, number in enumerate(rounds, start=1) if i == len(rounds) or rounds[i] != number]
    return curve[[0, *last_of_round]]


def pairs(
    games: Games, returns: NDArray[np.float64], turns: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """For every two players, `[N, N]`: games together, how often the first did better, and turns in all."""
    n, seats = games.players, games.tables.shape[1]
    met, beaten = np.zeros((n, n), np.int64), np.zeros((n, n), np.int64)
    total = np.zeros((n, n))
    for one in range(seats):
        for other in range(seats):
            if one == other:
                continue
            cells = games.tables[:, one], games.tables[:, other]
            np.add.at(met, cells, 1)
            np.add.at(beaten, cells, (returns[:, one] > returns[:, other]).astype(np.int64))
            np.add.at(total, cells, turns)
    return met, beaten, total
