"""`report.html`: all reproductions on one page that needs nothing but itself.

Figures are inlined as SVG, and their colours become variables of the page, so that they follow light and dark like
everything else. Whatever comes from results is text: it is escaped, and only what stands in backquotes is set as code.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from ludens.arena.style import COLOURS
from ludens.papers.figures import untitled_svg
from ludens.papers.paper import Figure, Row, Table
from ludens.papers.reproduction import Reproduction
from ludens.papers.tables import to_the_right
from ludens.papers.wording import (
    HEADS,
    VERDICTS,
    cell,
    count_of_verdicts,
    duration,
    provenance_lines,
    reduced,
    row_cells,
)

INKS = {
    "#ffffff": "ground",
    "#000000": "ink",
    "#222222": "ink",
    "#555555": "soft",
    "#666666": "soft",
    "#888888": "edge",
    "#e4e4e4": "rule",
    **{colour.lower(): f"series-{i}" for i, colour in enumerate(COLOURS)},
}
"""The variable of the page for each colour that figures are drawn in."""
SERIES_IN_THE_DARK = ("#9d92ee", "#e58a9a", "#4fbf78", "#ddcc77", "#88ccee", "#dd76a8", "#5cc8b5", "#c2c25a", "#dc88d0")
"""`COLOURS`, light enough for a dark ground."""
OVERVIEW = ("paper", "scale", "seeds", "our figures beside the paper's", "time")
LEAST, MOST = 0.65, 1.1
"""How small and how large a figure may be shown, as a share of how it was drawn."""
STRIP = (132, 16)
"""Width and height of the small drawing of an interval."""


def collect(out: Path) -> tuple[list[Reproduction], list[str]]:
    """All reproductions with results under `out`, by name; and a sentence about each file that is left out."""
    made, left_out = [], []
    for path in sorted(out.glob("*/results.json")):
        try:
            made.append(Reproduction.load(path))
        except ValueError as error:
            left_out.append(f"left out of the report: {error}")
    return made, left_out


def page(made: Sequence[Reproduction]) -> str:
    """The whole page."""
    light = _variables(COLOURS)
    dark = _variables(SERIES_IN_THE_DARK)
    look = files("ludens.papers").joinpath("page.css").read_text(encoding="utf-8")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Ludens: papers reproduced</title>
<style>
:root {{ {light} }}
@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}
{look}</style>
</head>
<body>
<header>
<p class="house">Ludens</p>
<h1>Papers reproduced</h1>
<p class="lead">The papers' figures and ours, side by side. Every figure of ours has its 95 % interval, the number of
independent training runs behind it, and the command that gives it again.</p>
{_overview(made)}
</header>
<main>
{"".join(_article(each) for each in made)}</main>
<footer>
<h2>How verdicts are reached</h2>
<dl class="verdicts">
{"".join(f"<div><dt>{_chip(verdict)}</dt><dd>{_text(meaning)}</dd></div>" for verdict, meaning in VERDICTS.items())}
</dl>
</footer>
</body>
</html>
"""


def _overview(made: Iterable[Reproduction]) -> str:
    lines = "".join(
        f'<tr><th scope="row"><a href="#{_text(each.paper)}">{_text(each.title)}</a></th>'
        f"<td>{'full' if each.scale == 'full' else 'reduced'}</td><td class=n>{each.seeds:,}</td>"
        f"<td>{_text(count_of_verdicts(each.results.rows))}</td><td>{_text(duration(each.seconds))}</td></tr>\n"
        for each in made
    )
    heads = "".join(f'<th scope="col"{" class=n" * (x == "seeds")}>{x}</th>' for x in OVERVIEW)
    return _scrolling(
        f"<table>\n<caption>At a glance</caption>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>",
        "At a glance",
    )


def _article(made: Reproduction) -> str:
    results = made.results
    said = reduced(made.paper, made.scale)
    banner = f'<p class="banner" role="note">{_text(said)}</p>\n' if said else ""
    tables = "".join(_table(table) for table in results.tables)
    drawings = "".join(_figure(made.paper, figure) for figure in results.figures)
    deviations = _list("Where we differ from the paper", results.deviations)
    facts = "".join(
        f"<div><dt>{head}</dt><dd>{f'<code>{_text(fact)}</code>' if head == 'command' else _text(fact)}</dd></div>\n"
        for head, fact in provenance_lines(made).items()
    )
    return f"""<article id="{_text(made.paper)}">
<h2>{_text(made.title)}</h2>
<p class="reference">{_text(made.reference)}</p>
{banner}{_rows(made)}
{_list("What we found", results.findings)}{drawings}{tables}{deviations}
<section class="provenance">
<h3>Where these figures come from</h3>
<dl>
{facts}</dl>
</section>
</article>
"""


def _rows(made: Reproduction) -> str:
    """Ours beside the paper's; on a narrow screen each row becomes a card, so roles say what is a table."""
    heads = "".join(f'<th scope="col" role="columnheader"{" class=n" * (x in HEADS[1:5])}>{x}</th>' for x in HEADS)
    lines = "".join(_row(row) for row in made.results.rows)
    return f"""<table class="rows" role="table">
<caption>Ours beside the paper's</caption>
<thead role="rowgroup"><tr role="row">{heads}</tr></thead>
<tbody role="rowgroup">
{lines}</tbody>
<tfoot role="rowgroup"><tr role="row"><td role="cell" colspan="{len(HEADS)}">Every row:
<code>{_text(made.command)}</code>. In the small drawings the line is our interval, the dot our figure, the upright mark
the paper's.</td></tr></tfoot>
</table>"""


def _row(row: Row) -> str:
    measure, paper, ours, interval, seeds, _, where = (_text(each) for each in row_cells(row))
    named = {
        "paper": paper,
        "ours": f"<strong>{ours}</strong>",
        "95 % interval": f"{interval}{_strip(row)}",
        "seeds": seeds,
    }
    cells = "".join(f'<td role="cell" class=n data-head="{head}">{each}</td>' for head, each in named.items())
    return (
        f'<tr role="row"><th scope="row" role="rowheader">{measure}</th>{cells}'
        f'<td role="cell" data-head="verdict">{_chip(row.verdict)}</td>'
        f'<td role="cell" data-head="in the paper">{where}</td></tr>\n'
    )


def _strip(row: Row) -> str:
    """Our interval as a line with our figure on it, the paper's as an upright mark: how far apart, at a glance."""
    if row.paper is None:
        return ""
    low, high = row.ci95 or (row.ours, row.ours)
    numbers = [low, high, row.ours, row.paper]
    least, span = min(numbers), max(numbers) - min(numbers)
    if span == 0:
        return ""
    width, height = STRIP

    def at(value: float) -> str:
        return f"{6 + (width - 12) * (value - least) / span:.1f}"

    middle = height / 2
    ours = (
        f'<path class="range" d="M{at(low)} {middle}H{at(high)}"/><circle cx="{at(row.ours)}" cy="{middle}" r="3.5"/>'
    )
    theirs = f'<path class="theirs" d="M{at(row.paper)} 2V{height - 2}"/>'
    return f'<svg class="strip" aria-hidden="true" viewBox="0 0 {width} {height}">{ours}{theirs}</svg>'


def _table(table: Table) -> str:
    kinds = [" class=n" * right for right in to_the_right(table)]
    heads = "".join(f'<th scope="col"{kind}>{_text(head)}</th>' for head, kind in zip(table.heads, kinds, strict=True))
    lines = ""
    for row in table.rows:
        texts = [_text(cell(each)) for each in row]
        first = f'<th scope="row">{texts[0]}</th>' if texts else ""
        rest = "".join(f"<td{kind}>{text}</td>" for text, kind in zip(texts[1:], kinds[1:], strict=True))
        lines += f"<tr>{first}{rest}</tr>\n"
    caption = f"<caption>{_text(table.title)}</caption>"
    inside = f"<table>\n{caption}\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>"
    return _scrolling(inside, table.title)


def _figure(paper: str, figure: Figure) -> str:
    svg = _inlined(untitled_svg(figure), f"{paper}-{figure.name}", figure.title)
    return f"<figure>\n{_scrolling(svg, figure.title)}<figcaption>{_text(figure.title)}</figcaption>\n</figure>\n"


def _inlined(svg: str, prefix: str, title: str) -> str:
    """An SVG file as a part of the page: its ids are its own, its colours the page's, and it has a name."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r'(url\(#|xlink:href="#)', rf"\1{prefix}-", svg)
    svg = re.sub(r'style="[^"]*"', lambda style: _variable_colours(style.group()), svg)
    points = re.search(r'(<svg[^>]*?) width="([0-9.]+)pt" height="[0-9.]+pt"', svg)
    assert points is not None  # so SVG files of Matplotlib begin
    pixels = float(points[2]) * 4 / 3
    widths = f"min-width: {LEAST * pixels:.0f}px; max-width: {MOST * pixels:.0f}px"
    named = f'{points[1]} class="figure" style="{widths}" role="img" aria-label="{escape(title)}"'
    return named + svg[points.end() :]


def _variable_colours(style: str) -> str:
    return re.sub(r"#[0-9a-f]{6}\b", lambda ink: f"var(--{INKS[ink[0]]})" if ink[0] in INKS else ink[0], style)


def _variables(colours: Iterable[str]) -> str:
    return " ".join(f"--series-{i}: {colour.lower()};" for i, colour in enumerate(colours))


def _scrolling(inside: str, name: str) -> str:
    """Wide things scroll by themselves, with the keyboard too, so that the page never does."""
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(name)}">\n{inside}\n</div>\n'


def _list(head: str, points: Sequence[str]) -> str:
    if not points:
        return ""
    items = "".join(f"<li>{_text(point)}</li>\n" for point in points)
    return f"<section>\n<h3>{head}</h3>\n<ul>\n{items}</ul>\n</section>\n"


def _chip(verdict: str) -> str:
    return f'<span class="chip {verdict.replace(" ", "-")}">{verdict}</span>'


def _text(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
