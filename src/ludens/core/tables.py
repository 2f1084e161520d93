"""Tables as Markdown and CSV. Text is text: nothing in it becomes a link, a heading or a cell of its own."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

CODE = re.compile(r"(`[^`]+`)")
MARKUP = re.compile(r"([\\`*\[\]<~$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;))")
LINE_START = re.compile(r"^(#{1,6}|[-+=>]+|\d+(?=[.)](?: |$)))")


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[bool]) -> str:
    """A table whose columns stand to the `right` or to the left."""
    ruler = ["---:" if each else "---" for each in right]
    lines = [[_cell(head) for head in heads], ruler, *([_cell(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def csv_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The same for programs; None is an empty cell."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([heads, *rows])
    return file.getvalue()


def escape_markdown(text: str) -> str:
    """`text` on one line so that Markdown shows just that; what stands in backquotes stays code."""
    return LINE_START.sub(lambda found: _guarded(found.group()), _escaped(text))


def _escaped(text: str) -> str:
    pieces = CODE.split(" ".join(text.split()))
    return "".join(piece if CODE.fullmatch(piece) else MARKUP.sub(r"\\\1", piece) for piece in pieces)


def _guarded(start: str) -> str:
    """What would begin a heading or a list does not behind a backslash, which for digits goes before their point."""
    return f"{start}\\" if start.isdecimal() else f"\\{start}"


def _cell(text: str) -> str:
    """A bar ends a cell, even within code, unless a backslash stands before it; no line begins in a cell."""
    return _escaped(text).replace("|", r"\|")
