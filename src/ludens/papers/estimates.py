"""Figures of several training runs with their 95 % intervals: the papers' reports make all of theirs here.

An interval says either how far other training runs may fall from these (Student's, over seeds), or how well these runs
are known by the games they played (Wilson's, over games).
"""

import math
from collections.abc import Sequence
from statistics import fmean

from ludens.arena.statistics import mean_interval, wilson
from ludens.papers.results import Estimate, Interval, Series

FEW = 3
"""Seeds from which on Student's interval says more than their span."""


def share_over_seeds(counts: Sequence[tuple[float, int]]) -> Estimate:
    """Hits and trials of each seed: the mean share with Student's interval; Wilson's where there is one seed."""
    if len(counts) == 1:
        ((hits, trials),) = counts
        return Estimate(hits / trials if trials else 0.0, wilson(hits, trials))
    value, ci95 = mean_over_seeds([hits / trials if trials else 0.0 for hits, trials in counts])
    return Estimate(value, ci95 and within(ci95))


def mean_over_seeds(values: Sequence[float]) -> Estimate:
    """The mean with Student's interval; none where there is one seed."""
    return Estimate(fmean(values), mean_interval(values) if len(values) > 1 else None)


def share_over_games(counts: Sequence[tuple[float, int]]) -> Estimate:
    """Hits and trials of each seed: the share of all with Wilson's interval; Student's where that is wider."""
    hits, trials = math.fsum(each[0] for each in counts), sum(each[1] for each in counts)
    by_games = wilson(hits, trials)
    by_seeds = within(mean_interval([each[0] / each[1] for each in counts])) if len(counts) >= FEW else by_games
    return Estimate(hits / trials, max(by_games, by_seeds, key=lambda each: each[1] - each[0]))


def mean_or_span(values: Sequence[float]) -> Estimate:
    """The mean with Student's interval; of fewer than three seeds, their span."""
    return Estimate(fmean(values), mean_interval(values) if len(values) >= FEW else (min(values), max(values)))


def balance(won: int, lost: int, games: int) -> Estimate:
    """Games won less games lost, a game, with the normal interval; `won` and `lost` may not be all of them."""
    mean = (won - lost) / games
    reach = 1.96 * math.sqrt(max((won + lost) / games - mean**2, 1 / games) / games)
    return Estimate(mean, within((mean - reach, mean + reach), -1.0))


def within(ci95: Interval, low: float = 0.0, high: float = 1.0) -> Interval:
    """An interval within what is possible."""
    return max(low, ci95[0]), min(high, ci95[1])


def clearly_more(one: Estimate, other: Estimate) -> int:
    """1 or -1 if the interval of `one` lies above or below that of the other, 0 if they overlap."""
    (low, high), (other_low, other_high) = (each.ci95 or (each.value, each.value) for each in (one, other))
    return (low > other_high) - (high < other_low)


def banded(label: str, x: Sequence[float], estimates: Sequence[Estimate]) -> Series:
    """A line of a figure with the intervals as its band."""
    low, high = ([(each.ci95 or (each.value, each.value))[end] for each in estimates] for end in (0, 1))
    return Series(label, x, [each.value for each in estimates], low, high)


def spanned(label: str, x: Sequence[float], values: Sequence[Sequence[float | None]]) -> Series:
    """A line of means over seeds, from `values` `[T][R]`, their span as its band; a gap where none was measured."""
    columns = [[value for value in each if value is not None] for each in values]
    low, mean, high = ([of(each) if each else math.nan for each in columns] for of in (min, fmean, max))
    several = any(len(each) > 1 for each in values)
    return Series(label, x, mean, low if several else None, high if several else None)
