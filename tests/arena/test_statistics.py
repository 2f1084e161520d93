"""Scores and intervals, against numbers worked out by hand or taken from tables."""

import math
from dataclasses import replace

import pytest

from ludens.arena.record import Record
from ludens.arena.statistics import Tally, mean_interval, result, seat_tallies, tally, wilson

RECORD = Record("race", {}, 0, ("a", "b"), "", 0, (), (), (1.0, -1.0))


def test_wilson_by_hand():
    # z = 2 makes the sums easy: 8 of 12 won; weight 4/12 = 1/3, middle (2/3 + 1/6) / (4/3) = 5/8,
    # reach 2 / (4/3) * sqrt(2/9/12 + 1/3/48) = 1.5 * sqrt(11/432).
    low, high = wilson(8, 12, z=2.0)
    assert (low + high) / 2 == pytest.approx(5 / 8)
    assert (high - low) / 2 == pytest.approx(1.5 * math.sqrt(11 / 432))


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_as_published(points, games, low, high):
    assert wilson(points, games) == pytest.approx((low, high), abs=5e-5)
    mirrored = wilson(games - points, games)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=5e-5)


def test_wilson_at_the_ends():
    assert wilson(0, 7)[0] == 0.0
    assert wilson(7, 7)[1] == 1.0
    assert wilson(0, 0) == (0.0, 1.0)
    reach = 1.959964 / (2 * math.sqrt(7 + 1.959964**2))  # what the formula comes down to at one half
    assert wilson(3.5, 7) == pytest.approx((0.5 - reach, 0.5 + reach), abs=1e-6)


def test_a_tally_counts_and_scores():
    counted = tally([1.0, 1.0, 0.0, -1.0, -0.25])
    assert counted == Tally(wins=2, draws=1, losses=2)
    assert (counted.games, counted.score) == (5, 0.5)
    assert counted.to_dict() == {
        "games": 5,
        "wins": 2,
        "draws": 1,
        "losses": 2,
        "score": 0.5,
        "ci95": list(wilson(2.5, 5)),
    }
    assert tally([]).score is None


def test_results_of_two_players_at_a_table_for_four():
    alternating = replace(RECORD, returns=(-1 / 3, -1 / 3, 1.0, -1 / 3))
    assert result(alternating, (0, 1, 0, 1), 0) > 0 > result(alternating, (0, 1, 0, 1), 1)
    assert result(alternating, (1, 0, 1, 0), 0) < 0
    assert result(replace(RECORD, returns=(0.0,) * 4), (0, 1, 0, 1), 0) == 0


def test_seats_are_counted_by_their_own_return():
    won, lost = RECORD, replace(RECORD, returns=(-1.0, 1.0))
    drawn = replace(RECORD, returns=(0.0, 0.0))
    played = [((0, 1), won), ((0, 1), lost), ((1, 0), lost), ((1, 0), drawn), ((0, 1), won)]
    assert seat_tallies(played, 0) == [Tally(2, 0, 1), Tally(1, 1, 0)]
    assert seat_tallies(played, 1) == [Tally(0, 1, 1), Tally(1, 0, 2)]
    assert seat_tallies([], 0) == []


def test_the_interval_of_a_mean_by_hand() -> None:
    """Of 1, 2, 3: mean 2, deviation 1, Student's point for two degrees of freedom 4.3027: 2 +- 4.3027 / sqrt(3)."""
    low, high = mean_interval([1.0, 2.0, 3.0])
    assert low == pytest.approx(2 - 2.48414, abs=1e-4)
    assert high == pytest.approx(2 + 2.48414, abs=1e-4)
    assert mean_interval([0.5]) == (-math.inf, math.inf)
    assert mean_interval([0.4, 0.4]) == (0.4, 0.4)
