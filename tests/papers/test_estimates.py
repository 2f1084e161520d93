"""Means and shares of several training runs, with their intervals, by hand."""

import math

import pytest

from ludens.arena.statistics import wilson
from ludens.papers.estimates import (
    balance,
    banded,
    clearly_more,
    mean_or_span,
    mean_over_seeds,
    share_over_games,
    share_over_seeds,
    spanned,
)
from ludens.papers.results import Estimate


def test_over_seeds_other_runs_count() -> None:
    assert share_over_seeds([(50, 100)]) == (0.5, wilson(50, 100))
    value, ci95 = share_over_seeds([(10, 100), (30, 100)])
    assert (value, ci95) == (pytest.approx(0.2), (0.0, 1.0))  # 0.2 and 12.706 times 0.1
    assert share_over_seeds([(0, 0)]) == (0.0, (0.0, 1.0))
    assert mean_over_seeds([3.0]) == (3.0, None)
    assert mean_over_seeds([1.0, 3.0]).ci95 == pytest.approx((2 - 12.706, 2 + 12.706), abs=1e-3)


def test_over_games_these_runs_count_until_their_seeds_lie_further_apart() -> None:
    assert share_over_games([(600, 1000), (900, 1000)]) == (0.75, wilson(1500, 2000))
    assert share_over_games([(548, 1000), (550, 1000), (552, 1000)]) == (0.55, wilson(1650, 3000))
    value, ci95 = share_over_games([(800, 1000), (810, 1000), (820, 1000)])
    assert value == 0.81
    assert ci95 == pytest.approx((0.81 - 0.02484, 0.81 + 0.02484), abs=1e-4)  # 4.303 * 0.01 / sqrt(3)


def test_of_few_values_the_span() -> None:
    assert mean_or_span([1.0, 4.0]) == (2.5, (1.0, 4.0))
    value, ci95 = mean_or_span([0.4, 0.5, 0.6])
    assert ci95 is not None
    assert ci95[1] - value == pytest.approx(4.303 * 0.1 / math.sqrt(3), rel=1e-3)  # Student's, for three


def test_balance() -> None:
    value, ci95 = balance(120, 60, 200)
    assert value == pytest.approx(0.3)
    assert ci95 is not None
    assert ci95[1] - value == pytest.approx(value - ci95[0]) == pytest.approx(1.96 * math.sqrt((0.9 - 0.09) / 200))
    assert balance(10, 0, 10).ci95 == pytest.approx((1 - 1.96 * math.sqrt(0.1 / 10), 1.0))


def test_clearly_more() -> None:
    low, middle, high = Estimate(0.2, (0.1, 0.3)), Estimate(0.3, (0.25, 0.4)), Estimate(0.5)
    assert [clearly_more(low, middle), clearly_more(low, high), clearly_more(high, middle)] == [0, -1, 1]


def test_lines_with_bands_and_gaps() -> None:
    line = banded("won", [1, 2], [Estimate(0.5, (0.4, 0.6)), Estimate(1.0)])
    assert (line.y, line.low, line.high) == ([0.5, 1.0], [0.4, 1.0], [0.6, 1.0])
    line = spanned("won", [1, 2], [[0.5, 1.5], [None, None]])
    assert (line.y[0], line.low and line.low[0], line.high and line.high[0]) == (1.0, 0.5, 1.5)
    assert math.isnan(line.y[1])
    assert spanned("won", [1], [[0.5]]).low is None
