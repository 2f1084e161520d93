"""The figures of a tournament, after figures 6.10 to 6.14 of Dasgupta and Chong (2021): PNG for pages, SVG for print.

A player has one colour in all of them, by its place in the final table. The same standings give the same bytes.
"""

from collections.abc import Callable

import matplotlib as mpl
import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from ludens.arena.ratings import START, Floats
from ludens.arena.standings import Standings
from ludens.arena.style import STYLE, colour, encoded, marks

LONGEST_LABEL = 30
"""Letters of a spec that a label shows: a program's command line can be long."""

Draw = Callable[[Standings], Figure]


def figures(standings: Standings) -> dict[str, bytes]:
    """File names and their contents: each figure as PNG and as SVG."""
    files = {}
    with style.context(STYLE, after_reset=True):  # whatever the user has configured
        for name, draw in FIGURES.items():
            figure = draw(standings)
            files[f"{name}.png"] = encoded(figure, "png")
            files[f"{name}.svg"] = encoded(figure, "svg")
    return files


def elo_curve(standings: Standings) -> Figure:
    """Elo over the rounds, all players (6.10)."""
    figure = Figure(figsize=(10.0, 5.6), layout="constrained")
    axes = figure.add_subplot()
    axes.axhline(START, color="#bbbbbb", linewidth=1.0, zorder=1)
    for place, label in enumerate(_labels(standings)):
        dashes, _ = marks(place)
        axes.plot(standings.curve[:, place], label=label, color=colour(place), linestyle=dashes, linewidth=1.3)
    rounds = len(standings.curve) - 1
    axes.set(xlabel="round", ylabel="Elo", xlim=(0, rounds), title=_title("Elo after each round", standings))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")
    legend = figure.legend(loc="outside right upper", frameon=False, title="final order", alignment="left")
    for handle in legend.get_lines():
        handle.set_linewidth(2.5)
    return figure


def elo_final(standings: Standings) -> Figure:
    """Final Elo (6.11) as bars from the start of 1000, and on them the rating that fits all games."""
    values = np.array([line.elo for line in standings.lines])
    fitted = np.array([line.rating for line in standings.lines])
    ends = np.array([line.rating_ci95 for line in standings.lines])
    figure, axes = _bars(standings, values, START, ends, [f"{value:.0f}" for value in values])
    _intervals(axes, fitted, ends, "o", f"{standings.model} rating with its 95 % interval")
    axes.axvline(START, color="#888888", linewidth=1.0)
    axes.set(xlabel="Elo", title=_title("Final Elo", standings))
    figure.legend(loc="outside lower right", frameon=False)
    return figure


def win_rates(standings: Standings) -> Figure:
    """Share of games won (6.12)."""
    rates = np.array([100 * line.win_rate for line in standings.lines])
    ends = 100 * np.array([line.win_rate_ci95 for line in standings.lines])
    figure, axes = _bars(standings, rates, 0.0, ends, [f"{rate:.1f} %" for rate in rates])
    _intervals(axes, rates, ends, "none", "95 % interval")
    axes.set(xlabel="games won, %", xlim=(0, 112), xticks=range(0, 101, 20), title=_title("Win rates", standings))
    figure.legend(loc="outside lower right", frameon=False)
    return figure


def net_wins(standings: Standings) -> Figure:
    """Wins less losses of each player on the x axis against each on the y axis (6.13)."""
    most = max(1, int(np.abs(standings.net_wins).max()))
    figure = _matrix(
        standings,
        standings.net_wins.astype(np.float64),
        mpl.colormaps["PuOr"],
        Normalize(-most, most),
        lambda net: f"{net:+.0f}".replace("-", "−") if net else "0",
        "net wins of x against y",
    )
    figure.axes[0].set_title(_title("Net wins of the player below against the one at the left", standings))
    return figure


def turns(standings: Standings) -> Figure:
    """Mean number of turns of the games between two players (6.14)."""
    means = standings.turns[~np.isnan(standings.turns)]
    span = Normalize(float(means.min()), max(float(means.max()), float(means.min()) + 1.0))
    figure = _matrix(standings, standings.turns, mpl.colormaps["YlGnBu"], span, "{:.1f}".format, "turns")
    figure.axes[0].set_title(_title("Average number of turns", standings))
    return figure


FIGURES: dict[str, Draw] = {
    "elo_curve": elo_curve,
    "elo_final": elo_final,
    "win_rates": win_rates,
    "net_wins": net_wins,
    "turns": turns,
}
"""Each figure by the name of its files."""


def _bars(standings: Standings, values: Floats, base: float, ends: Floats, numbers: list[str]) -> tuple[Figure, Axes]:
    """A lying bar for each player from `base` to its value, best on top; numbers stand clear of the bars and `ends`."""
    figure = Figure(figsize=(9.0, 1.6 + 0.42 * len(values)), layout="constrained")
    axes = figure.add_subplot()
    places = range(len(values))
    axes.barh(
        places,
        values - base,
        left=base,
        height=0.72,
        color=[colour(place) for place in places],
        hatch=[marks(place)[1] for place in places],
        edgecolor="white",
    )
    for place, value in enumerate(values):
        rises = value >= base
        at = max(value, ends[place, 1]) if rises else min(value, ends[place, 0])
        axes.annotate(
            numbers[place],
            (at, place),
            xytext=(6 if rises else -6, 0),
            textcoords="offset points",
            ha="left" if rises else "right",
            va="center",
        )
    low, high = min(values.min(), ends.min(), base), max(values.max(), ends.max(), base)
    axes.set_xlim(low - 0.08 * (high - low) - 1, high + 0.08 * (high - low) + 1)
    axes.set_yticks(places, _labels(standings))
    axes.set_ylim(len(values) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    return figure, axes


def _intervals(axes: Axes, values: Floats, ends: Floats, marker: str, label: str) -> None:
    """Whiskers from `ends[:, 0]` to `ends[:, 1]`, black within white so that they show on every colour."""
    drawn = axes.errorbar(
        values,
        range(len(values)),
        xerr=np.maximum((values - ends[:, 0], ends[:, 1] - values), 0.0),
        fmt=marker,
        color="#111111",
        ecolor="#111111",
        markersize=4.0,
        capsize=3.0,
        linewidth=1.0,
        label=label,
    )
    for part in drawn.get_children():
        part.set_path_effects([withStroke(linewidth=2.6, foreground="white")])


def _matrix(
    standings: Standings,
    values: Floats,
    colours: Colormap,
    span: Normalize,
    number: Callable[[float], str],
    scale: str,
) -> Figure:
    """Numbers for all pairs, `float64[N, N]`, on coloured cells; the diagonal stays empty."""
    n = len(values)
    figure = Figure(figsize=(3.4 + 0.72 * n, 2.6 + 0.6 * n), layout="constrained")
    axes = figure.add_subplot()
    shown = np.where(np.eye(n, dtype=bool), np.nan, values)
    image = axes.imshow(shown, cmap=colours, norm=span, aspect="auto")
    axes.set_facecolor("#f2f2f2")
    for y, x in zip(*np.nonzero(~np.isnan(shown)), strict=True):
        ink = _ink(colours(span(shown[y, x]))[:3])
        axes.text(float(x), float(y), number(shown[y, x]), ha="center", va="center", color=ink, fontsize=9)
    labels = _labels(standings)
    axes.set_xticks(range(n), labels, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(n), labels)
    axes.set_xticks(np.arange(n + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(n + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axes, label=scale, aspect=32, pad=0.02)
    bar.outline.set_visible(False)
    return figure


def _labels(standings: Standings) -> list[str]:
    """The players' specs, cut where they are long; whole if the cut would make two of them equal."""
    whole = list(standings.players)
    cut = [spec if len(spec) <= LONGEST_LABEL else f"{spec[: LONGEST_LABEL - 1]}…" for spec in whole]
    return cut if len(set(cut)) == len(set(whole)) else whole


def _title(what: str, standings: Standings) -> str:
    return f"{what} ({standings.games:,} games)"


def _ink(ground: tuple[float, ...]) -> str:
    """Black or white, whichever reads better on `ground`, by its luminance."""
    red, green, blue = ground
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "#222222"
