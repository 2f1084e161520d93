"""What a match says about its players: scores with their intervals.

A score is the share of points, a draw being half a point. Its interval is Wilson's at 95 %, with every game a trial
that is won or lost. A draw varies less than that, so with draws the interval is a little wider than it need be.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from scipy.stats import t as student

from ludens.arena.record import Record

Z95 = 1.959963984540054  # the normal distribution's 97.5 % point


class Tally(NamedTuple):
    """Results counted."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """Points per game; None if there was no game."""
        return (self.wins + self.draws / 2) / self.games if self.games else None

    def to_dict(self) -> dict[str, Any]:
        counts = {"games": self.games, "wins": self.wins, "draws": self.draws, "losses": self.losses}
        return counts | {"score": self.score, "ci95": list(wilson(self.wins + self.draws / 2, self.games))}


def wilson(points: float, games: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval for the share `points / games`; all of [0, 1] if there was no game."""
    if games == 0:
        return 0.0, 1.0
    share, weight = points / games, z * z / games
    middle = (share + weight / 2) / (1 + weight)
    reach = z / (1 + weight) * math.sqrt(share * (1 - share) / games + weight / (4 * games))
    # Where nothing or everything was won the ends are exactly 0 and 1, which rounding would miss.
    return (max(0.0, middle - reach) if points > 0 else 0.0), (min(1.0, middle + reach) if points < games else 1.0)


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Student's 95 % interval for the mean of independent runs; the whole line if there is only one."""
    count = len(values)
    if count < 2:
        return -math.inf, math.inf
    middle = sum(values) / count
    deviation = math.sqrt(sum((value - middle) ** 2 for value in values) / (count - 1))
    reach = float(student.ppf(0.975, count - 1)) * deviation / math.sqrt(count)
    return middle - reach, middle + reach


def tally(results: Iterable[float]) -> Tally:
    """Count results: above zero is won, zero is drawn, below is lost."""
    signs = [(result > 0) - (result < 0) for result in results]
    return Tally(signs.count(1), signs.count(0), signs.count(-1))


def result(record: Record, seats: Sequence[int], player: int) -> float:
    """How `player` fared where `seats` says who sat where: its best seat's return less the others' best."""
    own = max(value for value, seated in zip(record.returns, seats, strict=True) if seated == player)
    others = max(value for value, seated in zip(record.returns, seats, strict=True) if seated != player)
    return own - others


def seat_tallies(played: Sequence[tuple[Sequence[int], Record]], player: int) -> list[Tally]:
    """For each seat, how it fared by its own return when `player` sat there."""
    width = len(played[0][0]) if played else 0
    return [tally(record.returns[seat] for seats, record in played if seats[seat] == player) for seat in range(width)]
