"""The look of all figures: colours, marks, and files that are the same bytes each time.

The nine colours are Paul Tol's "muted" set, which people with any colour vision can tell apart; from the tenth on they
come again with dashes or hatching. Files carry no date, and nothing in them is numbered at random.
"""

import io
from typing import Any, Literal

from matplotlib.figure import Figure

COLOURS = ("#332288", "#CC6677", "#117733", "#DDCC77", "#88CCEE", "#882255", "#44AA99", "#999933", "#AA4499")
DASHES = ("-", "--", ":", "-.")
HATCHES = ("", "///", "...", "xxx")
STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#888888",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "white",
    "font.size": 10.0,
    "grid.color": "#e4e4e4",
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",  # text stays text, which can be searched
    "svg.hashsalt": "ludens",
    "text.parse_math": False,  # a dollar sign in a command line is just that
}
RESOLUTION = 160


def colour(place: int) -> str:
    """The colour of whoever has this place, from 0."""
    return COLOURS[place % len(COLOURS)]


def marks(place: int) -> tuple[str, str]:
    """Dashes and hatching that tell those of one colour apart."""
    again = place // len(COLOURS)
    return DASHES[again % len(DASHES)], HATCHES[again % len(HATCHES)]


def encoded(figure: Figure, kind: Literal["png", "svg"], **metadata: str) -> bytes:
    """The contents of a file; `metadata` is written into it."""
    file = io.BytesIO()
    undated: dict[str, Any] = {"Date": None} if kind == "svg" else {}
    figure.savefig(file, format=kind, dpi=RESOLUTION, metadata=undated | metadata)
    return file.getvalue()
