"""Rows and tables as text: Markdown that shows just what was written, CSV that reads back, numbers people can read."""

import csv
import io
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ludens.core.tables import csv_table, escape_markdown
from ludens.papers.format import (
    VERDICTS,
    format_amount,
    format_duration,
    format_list,
    format_number,
    format_verdicts,
    numeric_columns,
    percent,
    row_cells,
    rows_csv,
    rows_markdown,
    table_markdown,
)
from ludens.papers.results import TOO_WIDE_ELO, Estimate, Interval, ReportTable, Row, verdict
from papers.fake import results

RENDERED = MarkdownIt("commonmark").enable(["table", "strikethrough"])
TEXTS = st.text(st.sampled_from(list("ab1 .)#*_`~[]()<>&;!|\\-+=$é")), max_size=12)
"""Everything that means something in Markdown."""


class Cells(HTMLParser):
    """The texts of the elements asked for, and the tags of all that stand in them."""

    def __init__(self, tags: tuple[str, ...]) -> None:
        super().__init__()
        self.tags, self.open, self.texts, self.inside = tags, 0, list[str](), set[str]()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in self.tags:
            self.open += 1
            self.texts.append("")
        elif self.open:
            self.inside.add(tag)

    def handle_endtag(self, tag: str) -> None:
        self.open -= tag in self.tags

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[-1] += data


def shown(text: str, *tags: str) -> Cells:
    cells = Cells(tags)
    cells.feed(RENDERED.render(text))
    return cells


@given(TEXTS)
@example("1. list")
@example("# heading")
@example("- [link](x) ![image](y)")
@example("&amp; <b>bold</b> **bold** _it_ ~~gone~~ a_b_c")
@example("===")
def test_markdown_shows_the_very_text(text: str) -> None:
    words = " ".join(text.split())
    if "`" in words:
        words = words.replace("`", "'")  # code is meant as code
    (item,) = (found := shown(f"- x {escape_markdown(words)}", "li")).texts
    assert item.strip() == f"x {words}".strip()
    assert not found.inside - {"p"}
    alone = shown(f"- {escape_markdown(words)}", "li")
    assert [each.strip() for each in alone.texts] == [words]
    assert not alone.inside - {"p"}


@given(st.lists(TEXTS.map(lambda text: text.replace("`", "'")), min_size=3, max_size=3))
def test_a_table_has_the_cells_it_was_given(texts: list[str]) -> None:
    made = table_markdown(ReportTable("t", "t", ["a", "b", "c"], [texts]))
    cells = shown(made, "td")
    assert [each.strip() for each in cells.texts] == [" ".join(text.split()) for text in texts]
    assert not cells.inside


def test_code_stays_code_and_its_bars_stay_in_their_cell() -> None:
    assert escape_markdown("run `a_b * c` now*") == r"run `a_b * c` now\*"
    cells = shown(table_markdown(ReportTable("t", "t", ["a", "b"], [["`x|y`", 1]])), "td", "code")
    assert "x|y" in cells.texts


def test_rows_beside_the_papers() -> None:
    lines = rows_markdown(results([0.5] * 4, 0.896, 20).rows).splitlines()
    assert lines[0] == "| measure | paper | ours | 95 % interval | seeds | verdict | in the paper |"
    assert lines[2].startswith(
        "| won against smart random after 2,000 games | 90 % (86.1 to 92.9) | 89.6 % | 88.5 to 90.8 % | 20 | agrees"
    )
    assert lines[4] == "| length of a game | 12 moves | 15.25 moves | 15 to 15.5 | 20 | differs | table 2 |"
    assert lines[5] == "| regret of perfect play | – | 0 | – | – | ours alone | – |"


@pytest.mark.parametrize(
    ("paper", "ours", "ci95", "better", "found"),
    [
        (None, 0.5, None, "more", "ours alone"),
        (0.5, 0.6, (0.5, 0.7), "more", "agrees"),
        (0.5, 0.6, (0.51, 0.7), "more", "better"),
        (0.5, 0.6, (0.51, 0.7), "less", "worse"),
        (0.5, 0.4, None, "more", "worse"),
        (0.5, 0.4, None, "less", "better"),
        (0.5, 0.4, None, None, "differs"),
        (0.5, 0.5, None, None, "agrees"),
    ],
)
def test_verdicts(paper: float | None, ours: float, ci95: Interval | None, better: Any, found: str) -> None:
    assert verdict(paper, ours, ci95, better=better) == found
    assert found in VERDICTS


def test_the_papers_own_games_count() -> None:
    """60 of 100 games is 50.2 to 69.1 %."""
    for ours, found in (
        ((0.695, 0.71), "better"),
        ((0.69, 0.71), "agrees"),
        ((0.4, 0.51), "agrees"),
        ((0.4, 0.5), "worse"),
    ):
        row = Row.compare("won", Estimate(sum(ours) / 2, ours), 3, 0.6, paper_games=100)
        assert row.paper_ci95 == pytest.approx((0.502, 0.691), abs=5e-4)
        assert row.verdict == found
    assert Row.compare("won", Estimate(0.7, (0.695, 0.71)), 3, 0.6).verdict == "better"
    assert Row.compare("won", Estimate(0.5), 3).paper_ci95 is None


def test_what_is_too_wide_cannot_tell_unless_it_lies_apart() -> None:
    elo = {"unit": "", "better": None, "too_wide": TOO_WIDE_ELO}
    assert Row.compare("Elo", Estimate(1000.0, (900.0, 1150.0)), 1, 1130.0, **elo).verdict == "cannot tell"
    assert Row.compare("Elo", Estimate(1000.0, (900.0, 1100.0)), 1, 1080.0, **elo).verdict == "agrees"
    assert Row.compare("Elo", Estimate(1000.0, (900.0, 1150.0)), 1, 1200.0, **elo).verdict == "differs"
    assert Row.compare("won", Estimate(0.4, (0.1, 0.61)), 2, 0.5).verdict == "cannot tell"
    assert Row.compare("won", Estimate(0.4, (0.1, 0.6)), 2, 0.5).verdict == "agrees"
    assert Row.compare("turns", Estimate(40.0, (0.0, 90.0)), 2, 50.0, unit="turns").verdict == "agrees"


def test_csv_reads_back() -> None:
    made = results([0.5] * 4, 0.896, 20)
    rows = list(csv.DictReader(io.StringIO(rows_csv(made.rows, "ludens reproduce x"))))
    assert (float(rows[0]["ours"]), float(rows[0]["low"]), rows[0]["verdict"]) == (
        0.896,
        made.rows[0].ci95[0],
        "agrees",
    )
    assert {row["command"] for row in rows} == {"ludens reproduce x"}
    assert rows[3]["paper"] == rows[3]["low"] == ""
    table = list(csv.reader(io.StringIO(csv_table(made.tables[0].heads, made.tables[0].rows))))
    assert table == [["player", "won", "games", "note"], ["ours", "89.6 %", "1000", "a | b"], ["<b>", "0.125", "", ""]]


def test_columns_of_numbers_stand_to_the_right() -> None:
    table = ReportTable("t", "t", list("abcde"), [["1", "12 %", 3, "x", None], ["2", None, -4.5, "1", ""]])
    assert numeric_columns(table) == [False, True, True, False, False]


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.9, "90.0"), (1.0, "100"), (0.0, "0"), (0.9999, "99.99"), (0.0001, "0.01"), (0.12345, "12.3"), (-0.05, "−5.0")],
)
def test_shares_never_look_like_all_or_nothing_unless_they_are(share: float, text: str) -> None:
    assert percent(share) == f"{text} %"


def test_numbers_and_times() -> None:
    assert [format_number(x) for x in (15327.4, 0.00012346, 3.0, -2.5, float("nan"))] == [
        "15,327",
        "0.0001235",
        "3",
        "−2.5",
        "–",
    ]
    assert format_amount(0.9, "share", shortest=True) == "90 %"
    assert format_amount(12.5, "moves") == "12.5 moves"
    assert [format_duration(x) for x in (0.04, 48, 720, 7500)] == ["0.0 s", "48 s", "12 min", "2 h 5 min"]
    assert row_cells(Row("m", None, 0.5, None, 0, "ours alone", unit=""))[1:] == [
        "–",
        "0.5",
        "–",
        "–",
        "ours alone",
        "–",
    ]
    assert [format_list(x) for x in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["none", "a", "a and b", "a, b and c"]
    assert format_verdicts(results([0.5] * 4, 0.896, 1).rows) == "agrees 1, better 1, differs 1, ours alone 2"
