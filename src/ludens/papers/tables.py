"""Rows and tables as Markdown and CSV. Text is text: nothing in it becomes a link, a heading or a cell of its own."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from ludens.papers.paper import Row, Table
from ludens.papers.wording import HEADS, cell, row_cells

CODE = re.compile(r"(`[^`]+`)")
MARKUP = re.compile(r"([\\`*\[\]<~$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;))")
LINE_START = re.compile(r"^(#{1,6}|[-+=>]+|\d+(?=[.)](?: |$)))")
CSV_HEADS = ("measure", "paper", "ours", "low", "high", "seeds", "verdict", "where", "unit", "command")


def rows_markdown(rows: Sequence[Row]) -> str:
    """Ours beside the paper's."""
    return _markdown(HEADS, [row_cells(row) for row in rows], [head in HEADS[1:5] for head in HEADS])


def rows_csv(rows: Iterable[Row], command: str) -> str:
    """The same for programs: shares from 0 to 1, every row with the command that gives it."""
    lines = [
        [row.measure, row.paper, row.ours, *(row.ci95 or (None, None)), row.seeds, row.verdict, row.where, row.unit]
        for row in rows
    ]
    return _csv(CSV_HEADS, [[*line, command] for line in lines])


def table_markdown(table: Table) -> str:
    """A table of the paper's or ours; columns of numbers stand to the right."""
    return _markdown(table.heads, [[cell(each) for each in cells] for cells in table.rows], to_the_right(table))


def table_csv(table: Table) -> str:
    """The same for programs."""
    return _csv(table.heads, table.rows)


def to_the_right(table: Table) -> list[bool]:
    """Which columns hold numbers: all but the first whose cells all begin with one, or are empty."""
    columns = [[cell(row[i]) for row in table.rows] for i in range(len(table.heads))]
    return [
        i > 0 and any(re.match(r"[−+(-]?\d", each) for each in column) and all(_numeric(each) for each in column)
        for i, column in enumerate(columns)
    ]


def markdown(text: str) -> str:
    """`text` on one line so that Markdown shows just that; what stands in backquotes stays code."""
    pieces = CODE.split(" ".join(text.split()))
    escaped = "".join(piece if CODE.fullmatch(piece) else MARKUP.sub(r"\\\1", piece) for piece in pieces)
    return LINE_START.sub(lambda found: _guarded(found.group()), escaped)


def _numeric(text: str) -> bool:
    return re.match(r"[−+(-]?\d", text) is not None or text in ("", "–")


def _guarded(start: str) -> str:
    """What would begin a heading or a list does not behind a backslash, which for digits goes before their point."""
    return f"{start}\\" if start.isdecimal() else f"\\{start}"


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[bool]) -> str:
    ruler = ["---:" if each else "---" for each in right]
    lines = [[_cell(head) for head in heads], ruler, *([_cell(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    """A bar ends a cell, even within code, unless a backslash stands before it."""
    return markdown(text).replace("|", r"\|")


def _csv(heads: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([heads, *rows])
    return file.getvalue()
