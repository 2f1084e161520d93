"""What training runs on Onitama look like: their ends, their heights, and their curves side by side."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ludens.arena.statistics import mean_interval, wilson
from ludens.papers.paper import JSON, Figure, Panel, Series

ENOUGH = 0.6
"""Won of the last 100 games: the next depth."""
LAST = 20
"""The last so-manieth part of a run is its end: 500 of 10,000 episodes."""
PANELS = {"actor loss": "actor_loss", "valid rate": "valid", "won": "won", "depth of the opponent": "level"}
"""Of a figure, and which curves they show."""

Interval: TypeAlias = tuple[float, float]
Runs: TypeAlias = Mapping[str, Sequence[JSON]]
"""What `onitama_runs.measure` found, by label, for each seed."""


def end(run: JSON, name: str) -> float:
    """The mean of a curve at the end of its run; 0 where nothing was measured."""
    total, curve = run["games"][-1], run["curves"].get(name, [])
    late = [y for x, y in zip(run["games"], curve, strict=bool(curve)) if y is not None and x > total - total / LAST]
    return math.fsum(late) / len(late) if late else 0.0


def highest(run: JSON, name: str) -> float:
    """The highest point of a curve."""
    return max((value for value in run["curves"].get(name, []) if value is not None), default=0.0)


def depth(run: JSON) -> int:
    """The deepest opponent met, counted from 1."""
    return math.ceil(highest(run, "level") - 1e-6)


def first_at_depth_2(run: JSON) -> int | None:
    """After how many episodes depth 2 was met; None if never."""
    met = zip(run["games"], run["curves"].get("level", []), strict=False)
    return next((games for games, level in met if level is not None and level > 1), None)


def depths(runs: Sequence[JSON]) -> str:
    """`depth 2`, or `depths 1 and 2` where seeds differ."""
    met = sorted({depth(run) for run in runs})
    return f"depth{'s' * (len(met) > 1)} {' and '.join(map(str, met))}"


def average(values: Sequence[float], games: int | None = None) -> tuple[float, Interval]:
    """The mean of shares and its interval: over `games` each, and from three values on over these if that is wider."""
    mean = math.fsum(values) / len(values)
    by_games = wilson(mean * games * len(values), games * len(values)) if games else (min(values), max(values))
    if len(values) < 3:
        return mean, by_games
    low, high = mean_interval(values)
    by_seeds = max(0.0, low), min(1.0, high)
    return mean, by_seeds if not games or by_seeds[1] - by_seeds[0] > by_games[1] - by_games[0] else by_games


def curves(name: str, title: str, runs: Runs) -> Figure:
    """Loss, valid rate, won and depth over training, as far as somebody has them; the span of the seeds as a band."""
    panels = []
    for said, key in PANELS.items():
        lines = {"enough for the next depth": ENOUGH} if key == "won" else {}
        if series := [_line(label, of, key) for label, of in runs.items() if key in of[0]["curves"]]:
            panels.append(Panel(said, "episodes", said, series, lines))
    return Figure(name, title, panels)


def _line(label: str, runs: Sequence[JSON], name: str) -> Series:
    """The mean over seeds, and their span; a gap where nothing was measured."""
    points = min(len(run["games"]) for run in runs)
    columns = [[run["curves"][name][at] for run in runs if run["curves"][name][at] is not None] for at in range(points)]
    mean = [math.fsum(column) / len(column) if column else math.nan for column in columns]
    low, high = ([edge(column) if column else math.nan for column in columns] for edge in (min, max))
    several = len(runs) > 1
    return Series(label, runs[0]["games"][:points], mean, low if several else None, high if several else None)
