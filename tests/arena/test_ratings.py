"""Ratings against numbers worked by hand, against choix itself, and against strengths known in a simulation."""

from itertools import combinations

import choix
import numpy as np
import pytest

from ludens.arena import ratings
from ludens.arena.ratings import SCALE, Games, elo, expected, shares_of, strengths


def simulated(log_strengths: np.ndarray, seats: int, rounds: int, draws: float, random: np.random.Generator) -> Games:
    """Every table `rounds` times, with winners drawn by the model; a share of games is drawn instead."""
    players = len(log_strengths)
    tables = np.array(list(combinations(range(players), seats)) * rounds)
    noise = random.gumbel(size=tables.shape)  # whoever has the most of strength and luck wins, just as the model has it
    first = np.argmax(log_strengths[tables] + noise, axis=1)
    shares = np.eye(seats)[first]
    shares[random.random(len(shares)) < draws] = 1 / seats
    return Games(tables, shares, players)


def test_elo_of_a_short_tournament_by_hand() -> None:
    # A beats B, B beats C, A and C draw, C beats B; expectations of the first named: 0.5, 0.47699, 0.54697, 0.47703.
    games = Games(
        tables=np.array([[0, 1], [1, 2], [0, 2], [2, 1]]),
        shares=np.array([[1, 0], [1, 0], [0.5, 0.5], [1, 0]]),
        players=3,
    )
    by_hand = [
        [1000, 1000, 1000],
        [1016, 984, 1000],
        [1016, 1000.736307, 983.263693],
        [1014.496883, 1000.736307, 984.766810],
        [1014.496883, 984.001402, 1001.501715],
    ]
    np.testing.assert_allclose(elo(games), by_hand, atol=1e-5)


def test_elo_expectation_is_the_papers() -> None:
    for a, b in [(1000.0, 1000.0), (1200.0, 1000.0), (862.0, 1130.0)]:
        np.testing.assert_allclose(expected(np.array([a, b]))[0], 1 / (1 + 10 ** ((b - a) / 400)))
    np.testing.assert_allclose(expected(np.array([1400.0, 1000.0])), [10 / 11, 1 / 11])


def test_elo_at_four_seats_moves_by_the_share_above_expectation() -> None:
    games = Games(np.array([[3, 1, 0, 2]]), np.array([[0.0, 1, 0, 0]]), 4)
    np.testing.assert_allclose(elo(games)[-1], [992, 1024, 992, 992])  # 32 (0 - 1/4) and 32 (1 - 1/4)


def test_shares_of_results() -> None:
    returns = np.array([[1, -1, -1, -1], [0, 0, 0, 0], [1, -1, 1, -1], [1 / 3, 1 / 3, 1 / 3, -1]], np.float32)
    expected_shares = [[1, 0, 0, 0], [0.25] * 4, [0.5, 0, 0.5, 0], [1 / 3, 1 / 3, 1 / 3, 0]]
    np.testing.assert_allclose(shares_of(returns), expected_shares)


def test_two_players_by_hand() -> None:
    # Seven wins to two and a draw are 7.5 to 2.5; with the drawn game on account 8 to 3.
    shares = np.array([[1.0, 0]] * 7 + [[0.0, 1]] * 2 + [[0.5, 0.5]])
    games = Games(np.array([[0, 1]] * 10), shares, 2)
    gap = 400 * np.log10(8 / 3)
    np.testing.assert_allclose(strengths(games, resamples=50).ratings, [1000 + gap / 2, 1000 - gap / 2], atol=1e-4)


@pytest.mark.parametrize("seats", [2, 4])
def test_the_fit_is_choixs(seats: int) -> None:
    games = simulated(np.linspace(-1, 1, 6), seats, 40, 0.0, np.random.default_rng(seats))
    outcomes, counts, _ = ratings._outcomes(games)
    data = [
        (int(table[share == 1][0]), [int(i) for i in table[share == 0]])
        for table, share in zip(games.tables, games.shares, strict=True)
    ]
    theirs = choix.ilsr_top1(6, data)
    np.testing.assert_allclose(ratings._fit(outcomes, counts, np.zeros(6)), theirs, atol=1e-5)


def test_seats_and_order_of_games_do_not_matter() -> None:
    games = simulated(np.linspace(-1, 1, 5), 3, 20, 0.2, np.random.default_rng(0))
    order = np.random.default_rng(1).permutation(len(games.tables))
    turned = Games(np.roll(games.tables, 1, axis=1)[order], np.roll(games.shares, 1, axis=1)[order], 5)
    one, other = strengths(games, resamples=20), strengths(turned, resamples=20)
    np.testing.assert_allclose(one.ratings, other.ratings, atol=1e-4)
    np.testing.assert_allclose(one.low, other.low, atol=1e-4)


def test_who_always_wins_has_a_finite_rating_and_an_interval() -> None:
    tables = np.array(list(combinations(range(4), 2)) * 25)
    shares = np.tile([1.0, 0.0], (len(tables), 1))  # the lower number always wins
    found = strengths(Games(tables, shares, 4), resamples=200)
    assert np.isfinite(found.low).all()
    assert np.isfinite(found.high).all()
    assert (np.diff(found.ratings) < -100).all()
    assert (found.high - found.low > 10).all()


def test_players_who_never_met_are_rated_together() -> None:
    games = Games(np.array([[0, 1], [2, 3]] * 5), np.array([[1.0, 0], [1.0, 0]] * 5), 4)
    found = strengths(games, resamples=20).ratings
    np.testing.assert_allclose(found[[0, 1]], found[[2, 3]], atol=1e-3)
    np.testing.assert_allclose(found.mean(), 1000)


@pytest.mark.parametrize(("seats", "players", "rounds", "draws"), [(2, 5, 60, 0.0), (2, 4, 30, 0.2), (4, 6, 40, 0.0)])
def test_known_strengths_are_recovered_within_their_intervals(
    seats: int, players: int, rounds: int, draws: float
) -> None:
    inside, tournaments = 0, 24
    for seed in range(tournaments):
        random = np.random.default_rng(seed)
        log_strengths = random.normal(0, 0.8, players)
        truth = _as_drawn_games_leave_it(log_strengths, seats, draws)
        found = strengths(simulated(log_strengths, seats, rounds, draws, random), resamples=100, seed=seed)
        inside += int(((found.low <= truth) & (truth <= found.high)).sum())
        assert np.abs(found.ratings - truth).max() < 150
    # 95 % are meant to be inside. With as many independent intervals, chance stays above the bound in 999 of 1000 runs.
    trials = tournaments * players
    assert inside >= trials * 0.95 - 3.1 * np.sqrt(trials * 0.95 * 0.05) - 1
    assert inside < trials  # intervals that never miss are too wide


def test_more_games_give_narrower_intervals() -> None:
    few, many = (
        strengths(simulated(np.linspace(-1, 1, 4), 2, rounds, 0.1, np.random.default_rng(2)), resamples=200)
        for rounds in (20, 320)
    )
    shrunk = (many.high - many.low) / (few.high - few.low)
    assert (shrunk > 0.15).all()
    assert (shrunk < 0.40).all()  # a quarter, as the root of the number of games has it


def _as_drawn_games_leave_it(log_strengths: np.ndarray, seats: int, draws: float) -> np.ndarray:
    """The ratings that fit expected results: draws, which the model does not know, pull players together."""
    players = len(log_strengths)
    tables = np.array(list(combinations(range(players), seats)))
    weights = np.exp(log_strengths)[tables]
    shares = (1 - draws) * weights / weights.sum(axis=1, keepdims=True) + draws / seats
    fitted = ratings._fit(Games(tables, shares, players), np.ones(len(tables)), np.zeros(players))
    if draws == 0:
        np.testing.assert_allclose(fitted, log_strengths - log_strengths.mean(), atol=1e-4)
    return 1000 + SCALE * fitted
