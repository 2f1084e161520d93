"""What the tournaments on Onitama say, beside figures 6.10 to 6.14 of the report."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ludens.papers.paper import JSON, Figure, Panel, Row, Series, Table, verdict
from ludens.papers.wording import percent

ROUNDS = 2500
"""Round robins in the report: as often every pair met."""
KNOWN_ELO = {"actions_after_val_multiply": 1130.0, "random": 862.0}
"""Figure 6.11: the highest and the lowest rating at the end."""
KNOWN_NET = {
    ("actions_only", "actions_after_val"): 1234,
    ("actions_only", "val_after_actions_multiply"): 1184,
    ("actions_after_val_multiply", "actions_only"): 304,
    ("actions_after_val_multiply", "actions_after_val"): 428,
    ("actions_after_val_multiply", "val_after_actions_multiply"): 270,
    ("val_branch_actions", "actions_after_val"): 809,
    ("val_after_actions_multiply", "val_after_actions"): 1690,
}
"""Figure 6.13, as far as section 6.3 reads it out: games won less games lost of the first against the second."""
KNOWN_TURNS = {
    ("actions_after_val", "val_branch_actions"): 80.1,
    ("val_after_actions_multiply", "val_after_actions"): 33.4,
}
"""Figure 6.14: turns of both in a game; 80.1 is the highest of all."""
HIGHEST_WIN_RATE = "actions_only"
"""Figure 6.12."""
_known = partial(verdict, more_is_better=None)  # whoever wins, another loses


@dataclass(frozen=True)
class Standings:
    """Tournaments between the same players, one for each seed."""

    tournaments: Sequence[JSON]
    """What `onitama_tournament.tournament` found."""

    @property
    def players(self) -> list[str]:
        """In the order of the matrices."""
        names: list[str] = self.tournaments[0]["players"]
        return names

    def rows(self) -> list[Row]:
        """The ratings, net wins and turns that the report gives as numbers."""
        seeds, rows = len(self.tournaments), []
        for name, paper in KNOWN_ELO.items():
            ours, band = self.elo(name), self.band(name)
            rows.append(
                Row(f"final Elo of {name}", paper, ours, band, seeds, _known(paper, ours, band), "figure 6.11", "")
            )
        for (one, other), games in KNOWN_NET.items():
            paper, (ours, ci95) = games / ROUNDS, self.net(one, other)
            measure = f"{one} against {other}: won less lost, a game"
            rows.append(Row(measure, paper, ours, ci95, seeds, _known(paper, ours, ci95), "figure 6.13"))
        for (one, other), paper in KNOWN_TURNS.items():
            ours = self.turns(one, other)
            measure = f"{one} against {other}: turns in a game"
            rows.append(Row(measure, paper, ours, None, seeds, _known(paper, ours, None), "figure 6.14", "turns"))
        return rows

    def row_of_speed(self) -> Row:
        """Games of the tournament in a second."""
        rate = sum(each["games"] for each in self.tournaments) / sum(each["seconds"] for each in self.tournaments)
        return Row("tournament", None, rate, None, len(self.tournaments), "ours alone", unit="games/s")

    def tables(self) -> list[Table]:
        """Ratings and win rates, net wins, turns."""
        best_first = sorted(self.players, key=self.elo, reverse=True)
        ratings: list[list[str | float | None]] = [
            [
                name,
                KNOWN_ELO.get(name),
                round(self.elo(name)),
                "{:.0f} to {:.0f}".format(*self.band(name)),
                f"{percent(self.win_rate(name))} %",
                sum(self.net(name, other)[0] > 0 for other in self.players if other != name),
            ]
            for name in best_first
        ]
        heads = ["player", "final Elo, report", "ours", "band in the second half", "games won", "players beaten"]
        rounds = sum(each["rounds"][-1] for each in self.tournaments)
        return [
            Table("figures-6-11-and-6-12", "Figures 6.11 and 6.12: final Elo and win rates", heads, ratings),
            self._matrix("figure-6-13", f"Figure 6.13: games won less games lost, of {rounds:,}", self._net_games),
            self._matrix("figure-6-14", "Figure 6.14: turns in a game", lambda i, j: round(self._turns(i, j), 1)),
        ]

    def figure(self) -> Figure:
        """Figure 6.10, of the first seed."""
        first = self.tournaments[0]
        lines = [Series(name, first["rounds"], first["elo"][i]) for i, name in enumerate(self.players)]
        return Figure(
            "figure-6-10", "Figure 6.10: Elo during the round robins", [Panel("", "round robins", "Elo", lines)]
        )

    def in_words(self) -> list[str]:
        """Who is strongest, and where the random player stands."""
        by_elo = sorted(self.players, key=self.elo, reverse=True)
        by_wins = sorted(self.players, key=self.win_rate, reverse=True)
        lost_to_random = [name for name in self.players if name != "random" and self.net(name, "random")[0] < 0]
        beats_all = [
            name
            for name in self.players
            if all(self.net(name, other)[0] > 0 for other in self.players if other != name)
        ]
        agreed = sum((self.net(*pair)[0] > 0) == (games > 0) for pair, games in KNOWN_NET.items())
        return [
            f"In the tournament {by_elo[0]} ends with the highest Elo, {self.elo(by_elo[0]):.0f}, and {by_elo[-1]} "
            f"with the lowest, {self.elo(by_elo[-1]):.0f}; the random player is number {by_elo.index('random') + 1} of "
            f"{len(by_elo)}. In the report they are actions_after_val_multiply (1130) and the random player (862). "
            f"{by_wins[0]} wins the most games, {percent(self.win_rate(by_wins[0]))} % (report: {HIGHEST_WIN_RATE}).",
            f"On balance {listed(beats_all)} beats everybody (report: actions_after_val_multiply), and the random "
            f"player beats {listed(lost_to_random)} (report: dual and val_branch_actions_multiply). Of the "
            f"{len(KNOWN_NET)} pairings whose balance the report reads out, {agreed} go the same way. One training run "
            "of each actor decides all of these: with other seeds the order may be another.",
        ]

    # ------------------------------------------------------------------ numbers, over all tournaments

    def elo(self, name: str) -> float:
        """At the end, the mean over the tournaments."""
        return self._mean([each["final"][self._number(name)] for each in self.tournaments])

    def band(self, name: str) -> tuple[float, float]:
        """Where a rating moves in the second half, over all tournaments; the end belongs to it."""
        edges = [each["band"][self._number(name)] for each in self.tournaments]
        return min(self.elo(name), *(low for low, _ in edges)), max(self.elo(name), *(high for _, high in edges))

    def win_rate(self, name: str) -> float:
        """Games won of all that a player played."""
        i = self._number(name)
        games = sum(each["rounds"][-1] * (len(self.players) - 1) for each in self.tournaments)
        return float(sum(sum(each["won"][i]) for each in self.tournaments) / games)

    def net(self, one: str, other: str) -> tuple[float, tuple[float, float]]:
        """Games that `one` won against `other` less those it lost, for each game, and the interval of that."""
        i, j = self._number(one), self._number(other)
        games = sum(each["rounds"][-1] for each in self.tournaments)
        won, lost = (sum(each["won"][a][b] for each in self.tournaments) for a, b in ((i, j), (j, i)))
        mean = (won - lost) / games
        reach = 1.96 * math.sqrt(max((won + lost) / games - mean**2, 1 / games) / games)
        return mean, (max(-1.0, mean - reach), min(1.0, mean + reach))

    def turns(self, one: str, other: str) -> float:
        """In a game of the two."""
        return self._turns(self._number(one), self._number(other))

    def _turns(self, i: int, j: int) -> float:
        return self._mean([each["turns"][i][j] for each in self.tournaments])

    def _net_games(self, i: int, j: int) -> float:
        return float(sum(each["won"][i][j] - each["won"][j][i] for each in self.tournaments))

    def _matrix(self, name: str, title: str, cell: Callable[[int, int], float]) -> Table:
        numbers = range(len(self.players))
        rows: list[list[str | float | None]] = [
            [self.players[i], *(None if i == j else cell(i, j) for j in numbers)] for i in numbers
        ]
        return Table(name, title, ["player", *(f"against {other}" for other in self.players)], rows)

    def _number(self, name: str) -> int:
        return self.players.index(name)

    def _mean(self, values: Sequence[float]) -> float:
        return math.fsum(values) / len(values)


def listed(names: Sequence[str]) -> str:
    """`one, another and a third`, or `none`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "none"
