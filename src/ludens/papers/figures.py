"""Figures of a reproduction as PNG and SVG, in the look of the arena's: the same data give the same bytes.

Our lines are coloured and have bands; the paper's are black, dashed and marked. A line has one colour in all panels of
a figure, and one legend explains them all. Levels to compare with are named at the right end of their line.
"""

import hashlib
import json
import textwrap
from collections.abc import Mapping, Sequence

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from ludens.arena.style import STYLE, colour, encoded, marks
from ludens.papers.codec import encode
from ludens.papers.results import Figure, Panel, Series

LOOK = 1
"""Goes up whenever figures are drawn differently, so that drawn ones are known to be old."""
INK = "#222222"
LEVEL = "#666666"
LOOKS = {"text.color": INK, "axes.labelcolor": INK, "xtick.color": "#555555", "ytick.color": "#555555"}
MARKERS = "osD^v"
FEW = 16
"""Points up to which a line shows each of them."""
WIDTHS = {1: 7.4, 2: 10.4, 3: 12.6}
"""Inches, by panels in a row."""


def files(figure: Figure) -> dict[str, bytes]:
    """File names and their contents: the figure as PNG and as SVG."""
    with style.context(STYLE | LOOKS, after_reset=True):  # whatever the user has configured
        drawing = _drawn(figure)
        return {f"{figure.name}.svg": _marked(drawing, figure), f"{figure.name}.png": encoded(drawing, "png")}


def svg(figure: Figure) -> bytes:
    with style.context(STYLE | LOOKS, after_reset=True):
        return _marked(_drawn(figure), figure)


def mark(figure: Figure) -> str:
    """What an SVG carries to tell which data it was drawn from, whatever draws it."""
    data = json.dumps([LOOK, encode(figure)], sort_keys=True)
    return f"ludens {hashlib.blake2b(data.encode(), digest_size=12).hexdigest()}"


def _marked(drawing: Drawing, figure: Figure) -> bytes:
    """An SVG file that carries the mark of its data."""
    return encoded(drawing, "svg", Title=figure.title, Description=mark(figure), Creator="Ludens")


def _drawn(figure: Figure) -> Drawing:
    panels = figure.panels
    across = len(panels) if len(panels) <= 3 else 2 if len(panels) == 4 else 3
    down = -(-len(panels) // across)
    labels = list(dict.fromkeys((each.paper, each.label) for panel in panels for each in panel.series))
    places = {label: i for paper in (False, True) for i, label in enumerate(x for x in labels if x[0] == paper)}
    width = WIDTHS[across]
    rows_of_legend = -(-sum(len(label) + 8 for _, label in labels) // int(13 * width)) if labels else 0
    height = 3.7 * down + 0.25 * rows_of_legend + 0.35
    drawing = Drawing(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.06, wspace=0.03))
    shown: dict[str, Line2D] = {}
    for i, panel in enumerate(panels):
        axes = drawing.add_subplot(down, across, i + 1)
        for series in panel.series:
            line = _line(axes, series, places[series.paper, series.label])
            ours_too = series.paper and (False, series.label) in places
            shown.setdefault(f"{series.label} (paper)" if ours_too else series.label, line)
        _dress(axes, panel, width / across)
    if shown:
        columns = max(1, min(len(shown), int(13 * width) // (max(len(label) for label in shown) + 8)))
        drawing.legend(list(shown.values()), list(shown), loc="outside lower center", ncols=columns, frameon=False)
    title = textwrap.fill(figure.title, int(9.5 * width))
    drawing.suptitle(title, x=0.01, ha="left", fontweight="bold", fontsize=11.5)
    return drawing


def _line(axes: Axes, series: Series, place: int) -> Line2D:
    """Draw one line, with its band if it has one."""
    few = len(series.x) <= FEW
    if series.paper:
        (line,) = axes.plot(
            series.x,
            series.y,
            color="black",
            linestyle="--",
            linewidth=1.2,
            marker=MARKERS[place % len(MARKERS)],
            markersize=5.0,
            markerfacecolor="white",
            markevery=1 if few else max(1, len(series.x) // FEW),
            zorder=4,
        )
        return line
    own = colour(place)
    dashes, _ = marks(place)
    if series.low is not None and series.high is not None:
        axes.fill_between(series.x, series.low, series.high, color=own, alpha=0.18, linewidth=0, zorder=2)
    (line,) = axes.plot(
        series.x,
        series.y,
        color=own,
        linestyle=dashes,
        linewidth=1.7,
        marker="o" if few else "",
        markersize=3.5,
        zorder=3,
    )
    return line


def _dress(axes: Axes, panel: Panel, inches: float) -> None:
    axes.set_title(textwrap.fill(panel.title, int(11 * inches)), loc="left", fontsize=10.5)
    axes.set(xlabel=panel.x, ylabel=panel.y)
    axes.grid(axis="y")
    axes.xaxis.set_major_locator(MaxNLocator(6 if inches > 4.5 else 5, steps=[1, 2, 2.5, 5, 10]))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(_tick))
    for level in panel.lines.values():
        axes.axhline(level, color=LEVEL, linewidth=1.0, linestyle=(0, (1, 2)), zorder=1)
    _name_levels(axes, panel.lines)


def _name_levels(axes: Axes, levels: Mapping[str, float]) -> None:
    """Names at the right end of the lines, pushed apart where lines lie close."""
    if not levels:
        return
    bottom, top = axes.get_ylim()
    axes.set_ylim(bottom, top)
    names = sorted(levels, key=lambda name: levels[name])
    texts = [textwrap.fill(name, 18) for name in names]
    heights = [0.05 * (1 + text.count("\n")) for text in texts]
    wanted = [(levels[name] - bottom) / (top - bottom) for name in names]
    for text, at in zip(texts, _apart(wanted, heights), strict=True):
        axes.text(1.015, at, text, transform=axes.transAxes, color=LEVEL, fontsize=8.5, va="center", linespacing=1.05)


def _apart(wanted: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Middles near those `wanted` (which rise) for things so high: none overlap, and all lie in 0 to 1 if they can."""
    places: list[float] = []
    for middle, height in zip(wanted, heights, strict=True):
        floor = places[-1] + (heights[len(places) - 1] + height) / 2 if places else height / 2
        places.append(max(middle, floor))
    ceiling = max(1.0, sum(heights))
    for i in reversed(range(len(places))):
        places[i] = min(places[i], ceiling - heights[i] / 2)
        ceiling = places[i] - heights[i] / 2
    return places


def _tick(value: float, _: int | None = None) -> str:
    """`0.25`, `1,500`, `1.5 M`."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:,.4g} M".replace("-", "−")
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{round(value, 9):.4g}"
    return text.replace("-", "−")
