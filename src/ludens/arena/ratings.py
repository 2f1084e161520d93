"""How strong players are, from the results of their games: Elo, and Bradley-Terry or Plackett-Luce with intervals.

A game is a **table** of P players and the **share** of the win that each of them got: 1 and 0s for a winner, 1/2 each
for a draw of two, 1/k for each of k winners (partners, or everybody in a draw). Who did not win is not ranked further:
the losers of a game at four seats say nothing about each other.

All three ratings rest on one model. Player i has strength w_i, and of those at a table it wins with probability
w_i / (sum of their strengths). With two seats this is Bradley-Terry, with more it is Plackett-Luce for first places.
Ratings are written on the Elo scale, R = 1000 + 400 log10 w, where the expected share of two players is the paper's
E_A = 1 / (1 + 10^((R_B - R_A) / 400)).

- `elo` follows the games one by one (Dasgupta and Chong 2021, section 6.3: start 1000, K = 32), so it drifts with
  form and luck.
- `strengths` finds the ratings that fit all games at once best, with 95 % bootstrap intervals. Order does not matter.

Shapes: G games, P seats, N players.
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import choix
import numpy as np
from numpy.typing import NDArray

START = 1000.0
K = 32.0
SCALE = 400.0 / np.log(10.0)
"""Elo points per unit of log strength."""
RESAMPLES = 1000
INTERVAL = (2.5, 97.5)
"""Percentiles of the bootstrap that bound a 95 % interval."""
TOLERANCE = 1e-6
MOST_STEPS = 10_000

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Games:
    """Results of games between N players, in the order in which they count."""

    tables: Ints
    """Who sat at each game, by number: `int64[G, P]`, each player once."""
    shares: Floats
    """The share of the win that each of them got: `float64[G, P]`, 1 in all for each game."""
    players: int
    """N."""


@dataclass(frozen=True)
class Strengths:
    """Ratings with their intervals, on the Elo scale with mean 1000."""

    ratings: Floats
    """`float64[N]`."""
    low: Floats
    """Lower ends of the 95 % intervals, `float64[N]`."""
    high: Floats
    """Upper ends, `float64[N]`."""


def shares_of(returns: NDArray[Any]) -> Floats:
    """The share of the win at each seat from the results `[..., P]`: the best result wins, and equals divide it."""
    best = np.asarray(returns == returns.max(axis=-1, keepdims=True), np.float64)
    return np.asarray(best / best.sum(axis=-1, keepdims=True))


def elo(games: Games) -> Floats:
    """Everybody's Elo after each game, `float64[G + 1, N]`; row 0 is the start.

    R' = R + K (S - E) as the paper has it for two. At larger tables E is the model's expected share, which for two is
    the same formula; what the winners gain is always what the others lose.
    """
    curve = np.empty((len(games.tables) + 1, games.players))
    ratings = np.full(games.players, START)
    curve[0] = ratings
    for i, (table, share) in enumerate(zip(games.tables, games.shares, strict=True), start=1):
        ratings[table] += K * (share - expected(ratings[table]))
        curve[i] = ratings
    return curve


def expected(ratings: Floats) -> Floats:
    """The expected share of each player at one table, from their Elo ratings `float64[P]`."""
    weights = 10.0 ** ((ratings - ratings.max()) / 400.0)
    return np.asarray(weights / weights.sum())


def strengths(games: Games, *, resamples: int = RESAMPLES, seed: int = 0) -> Strengths:
    """The Bradley-Terry (two seats) or Plackett-Luce (more) ratings that fit all games, with bootstrap intervals.

    Everybody also has one drawn game on account, spread evenly over all tables it could sit at. It ties all players
    together, whoever has met whom, and keeps the rating of one who always wins finite.

    The bootstrap draws the games of every table anew, as often as it was played, from the results it saw and its bit
    of the drawn game; with that bit, somebody who won every game has an interval too. What it cannot know is how much
    stronger than all others such a player is: there the upper end is set by the drawn game.
    """
    seats = games.tables.shape[1]
    outcomes, counts, strata = _outcomes(games)
    prior = np.where(np.ptp(outcomes.shares, axis=1) == 0, 1.0 / comb(games.players - 1, seats - 1), 0.0)
    estimate = _fit(outcomes, counts + prior, np.zeros(games.players))

    random = np.random.default_rng(seed)
    drawn = np.empty((resamples, games.players))
    again = _resampled(counts, prior, strata, resamples, random)
    for i in range(resamples):
        drawn[i] = _fit(outcomes, again[i] + prior, estimate)
    low, high = np.percentile(drawn, INTERVAL, axis=0)
    return Strengths(*(START + SCALE * x for x in (estimate, np.minimum(low, estimate), np.maximum(high, estimate))))


def _outcomes(games: Games) -> tuple[Games, Floats, list[slice]]:
    """What can happen at each table and how often it did: outcomes, counts `float64[O]`, and where each table's lie.

    Every possible table is there and a drawn game is among its outcomes, played or not.
    """
    seats = games.tables.shape[1]
    order = np.argsort(games.tables, axis=1)
    tables = np.take_along_axis(games.tables, order, axis=1)
    shares = np.take_along_axis(games.shares, order, axis=1)
    all_tables = np.array(list(combinations(range(games.players), seats)), np.int64)
    draws = np.full(all_tables.shape, 1.0 / seats)
    rows = np.concatenate([np.hstack([tables, shares]), np.hstack([all_tables, draws])])
    unique, counts = np.unique(rows, axis=0, return_counts=True)
    kinds = Games(unique[:, :seats].astype(np.int64), unique[:, seats:], games.players)
    is_draw = np.ptp(kinds.shares, axis=1) == 0
    _, starts = np.unique(kinds.tables, axis=0, return_index=True)
    ends = [*starts[1:], len(unique)]
    return kinds, counts - is_draw.astype(np.float64), [slice(a, b) for a, b in zip(starts, ends, strict=True)]


def _resampled(
    counts: Floats, prior: Floats, strata: list[slice], resamples: int, random: np.random.Generator
) -> Floats:
    """Counts as they might have been, `float64[resamples, O]`: every table plays its games again."""
    again = np.empty((resamples, len(counts)))
    for table in strata:
        weights = counts[table] + prior[table]
        played = round(float(counts[table].sum()))
        again[:, table] = random.multinomial(played, weights / weights.sum(), size=resamples)
    return again


def _fit(outcomes: Games, counts: Floats, start: Floats) -> Floats:
    """The most likely log strengths with mean 0, `float64[N]`, by choix's iterated Luce spectral ranking.

    One step of it for tables of any size is choix's step for pairs, if a first place at a table of total strength T
    counts as (w_winner + w_loser) / T wins over each of the others. With two seats that is one win.
    """
    n, seats = outcomes.players, outcomes.tables.shape[1]
    wins, losses = outcomes.tables[:, :, None], outcomes.tables[:, None, :]
    cells = np.broadcast_to(wins * n + losses, (len(counts), seats, seats)).ravel()
    amounts = counts[:, None] * outcomes.shares
    params = start
    for _ in range(MOST_STEPS):
        weights = np.exp(params)[outcomes.tables]
        pairs = (weights[:, :, None] + weights[:, None, :]) / weights.sum(axis=1)[:, None, None]
        beaten = np.bincount(cells, (amounts[:, :, None] * pairs).ravel(), n * n).reshape(n, n)
        np.fill_diagonal(beaten, 0.0)
        before, params = params, choix.lsr_pairwise_dense(beaten, initial_params=params)
        if np.abs(params - before).sum() < TOLERANCE:
            return np.asarray(params)
    raise RuntimeError(f"ratings did not settle in {MOST_STEPS} steps")
