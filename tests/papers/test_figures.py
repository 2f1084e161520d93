"""Figures of a reproduction: whole, labelled, the same each time, and marked with the data they were drawn from."""

import struct
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as Drawing

from ludens.arena.style import COLOURS
from ludens.papers import figures
from ludens.papers.results import Figure, Panel, Series
from papers.fake import results

ONE, TWO = results([0.5, 0.6, 0.7, 0.8], 0.9, 20).figures


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return figures.files(TWO)


@pytest.fixture(scope="module")
def drawing() -> Drawing:
    return figures._drawn(TWO)


def test_png_and_svg_wide_enough_for_a_page(files: dict[str, bytes]) -> None:
    assert sorted(files) == ["figure-7.png", "figure-7.svg"]
    width, height = struct.unpack(">II", files["figure-7.png"][16:24])
    assert 1200 <= width <= 2400
    assert 500 <= height < width


def test_the_same_data_give_the_same_bytes_whatever_the_user_has_configured(files: dict[str, bytes]) -> None:
    with mpl.rc_context({"font.size": 20, "savefig.dpi": 30, "axes.facecolor": "black"}):
        assert figures.files(TWO) == files
        assert figures.svg(TWO) == files["figure-7.svg"]


def test_everything_is_named_in_the_text_of_the_svg(files: dict[str, bytes]) -> None:
    words = " ".join(" ".join(ElementTree.fromstring(files["figure-7.svg"]).itertext()).split())
    named = ["as black", "as white", "ours, longer", "paper, white", "games of training", "share lost", "perfect play"]
    for text in [*named, "with a gap", "1,500", "500 M", "since pages end"]:
        assert text in words, text


def test_ours_is_coloured_with_its_band_and_the_papers_is_black_dashed_and_marked(drawing: Drawing) -> None:
    black, white = drawing.axes
    ours, longer, paper, gap, *levels = black.get_lines()
    assert [to_hex(line.get_color()).upper() for line in (ours, longer, gap)] == list(COLOURS[:3])
    assert (paper.get_color(), paper.get_linestyle(), paper.get_marker()) == ("black", "--", "o")
    assert white.get_lines()[0].get_color() == ours.get_color()  # one colour in all panels
    assert white.get_lines()[1].get_marker() != paper.get_marker()
    assert [line.get_ydata()[0] for line in levels] == [0.96, 0.95]
    (band,) = black.collections
    edges = band.get_paths()[0].vertices
    assert (edges[:, 1].min(), edges[:, 1].max()) == pytest.approx((0.46, 0.83))
    assert not white.collections


def test_one_legend_explains_all_panels(drawing: Drawing) -> None:
    (legend,) = drawing.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "ours",
        "ours, longer",
        "paper",
        "with a gap",
        "paper, white",
    ]


def test_a_line_of_the_papers_with_our_label_is_told_apart() -> None:
    lines = [Series("black", [0.0, 1.0], [0.0, 1.0]), Series("black", [0.0, 1.0], [0.0, 2.0], paper=True)]
    (legend,) = figures._drawn(Figure("f", "f", [Panel("p", "x", "y", lines)])).legends
    assert [text.get_text() for text in legend.get_texts()] == ["black", "black (paper)"]


def test_nothing_is_cut_off_at_the_edges(drawing: Drawing) -> None:
    drawing.draw_without_rendering()
    whole = drawing.bbox
    texts = [
        drawing._suptitle,
        *drawing.legends,
        *(text for axes in drawing.axes for text in (axes.title, *axes.texts)),
    ]
    for artist in [*texts, *(axes.yaxis.label for axes in drawing.axes)]:
        box = artist.get_window_extent()
        assert whole.x0 <= box.x0 <= box.x1 <= whole.x1, artist
        assert whole.y0 <= box.y0 <= box.y1 <= whole.y1, artist


def test_the_mark_follows_the_data_and_stands_in_the_svg(files: dict[str, bytes]) -> None:
    assert figures.mark(TWO).encode() in files["figure-7.svg"]
    assert figures.mark(TWO) == figures.mark(replace(TWO, panels=tuple(TWO.panels)))
    assert figures.mark(replace(TWO, title="another")) != figures.mark(TWO) != figures.mark(ONE)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7])
def test_any_number_of_panels_and_lines(count: int) -> None:
    lines = [Series(f"line {i}", np.arange(40), np.arange(40) * i, paper=i % 4 == 3) for i in range(3 * count)]
    drawn = figures._drawn(Figure("many", "many", [Panel(f"{i}", "x", "y", lines) for i in range(count)]))
    assert len(drawn.axes) == count
    assert len(drawn.legends[0].get_texts()) == 3 * count
    width, height = drawn.get_size_inches()
    assert 7 <= width <= 13
    assert height < 1.3 * width


def test_a_panel_without_lines_or_with_one_point() -> None:
    empty = Figure("empty", "empty", [Panel("nothing", "x", "y", [], {"level": 0.5}), Panel("one", "x", "y", [])])
    assert figures.files(empty)["empty.svg"]
    point = Figure("point", "point", [Panel("one", "x", "y", [Series("paper", [1.0], [2.0], paper=True)])])
    assert figures.files(point)["point.svg"]


@given(st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=8).map(sorted))
def test_names_of_levels_are_pushed_apart(wanted: list[float]) -> None:
    heights = [0.1 if i % 2 else 0.05 for i in range(len(wanted))]
    places = figures._apart(wanted, heights)
    boxes = list(zip(places, heights, strict=True))
    assert all(b - a >= (x + y) / 2 - 1e-9 for (a, x), (b, y) in pairwise(boxes))
    assert min(places) >= 0
    assert max(places) <= 1


def test_levels_with_room_stay_where_they_are() -> None:
    assert figures._apart([0.2, 0.5, 0.9], [0.05] * 3) == [0.2, 0.5, 0.9]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.25, "0.25"), (0.30000000000000004, "0.3"), (1500.0, "1,500"), (1.5e6, "1.5 M"), (-0.5, "−0.5")],
)
def test_ticks(value: float, text: str) -> None:
    assert figures._tick(value) == text
