"""The results on a paper's page in the docs: written from a committed JSON, between two marks in a hand-written page.

    docs/papers/NAME.json                 the results as they were committed
    docs/papers/NAME.md                   a person's words, and between the marks whatever the JSON says
    docs/papers/figures/NAME-FIGURE.svg   the figures

The same JSON gives the same page, so a test can tell whether a page is what its JSON makes of it.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ludens.core.storage import replace
from ludens.core.tables import escape_markdown
from ludens.papers.figures import svg
from ludens.papers.format import provenance_lines, rows_markdown, scale_warning, table_markdown
from ludens.papers.results import Reproduction

BEGIN = "<!-- results: begin -->"
END = "<!-- results: end -->"
FIGURES = "figures"


def publish(results: Sequence[Reproduction], folder: Path) -> list[Path]:
    """Write results into the docs: JSON, figures, and the pages' parts between the marks; the pages.

    Everything else on a page stays as it is; a page that is not there yet is begun. ValueError, and nothing written,
    if one of them has no place for results.
    """
    pages = [folder / f"{made.paper}.md" for made in results]
    texts = [page_with_results(page, made) for page, made in zip(pages, results, strict=True)]
    for page, text, made in zip(pages, texts, results, strict=True):
        _publish(made, folder, page, text)
    return pages


def _publish(made: Reproduction, folder: Path, page: Path, text: str) -> None:
    drawn = _figures(made)
    for old in _drawn_before(folder / f"{made.paper}.json") - set(drawn):
        (folder / FIGURES / old).unlink(missing_ok=True)
    (folder / FIGURES).mkdir(parents=True, exist_ok=True)
    for name, content in drawn.items():
        replace(folder / FIGURES / name, content)
    replace(folder / f"{made.paper}.json", made.to_json().encode())
    replace(page, text.encode())


def section(made: Reproduction) -> str:
    """What stands between the marks."""
    results = made.results
    parts = ["## Results"]
    if warning := scale_warning(made.paper, made.scale):
        parts.append(f"**{escape_markdown(warning)}**")
    parts += [f"```\n{made.command}\n```", rows_markdown(results.rows)]
    if results.findings:
        parts += ["### What we found", _list(results.findings)]
    for figure in results.figures:
        parts.append(f"![{escape_markdown(figure.title)}]({FIGURES}/{made.paper}-{figure.name}.svg)")
    for table in results.tables:
        parts += [f"### {escape_markdown(table.title)}", table_markdown(table)]
    if results.deviations:
        parts += ["### Where we differ from the paper", _list(results.deviations)]
    origin = [f"{head}: {fact}" for head, fact in provenance_lines(made).items()]
    parts += ["### Where these figures come from", _list(origin)]
    return "\n\n".join(parts)


def page_with_results(page: Path, made: Reproduction) -> str:
    """The page's text with these results between its marks."""
    begun = f"# {escape_markdown(made.title)}\n\n{escape_markdown(made.reference)}\n\n{BEGIN}\n{END}\n"
    try:
        text = page.read_text(encoding="utf-8") if page.exists() else begun
    except (OSError, UnicodeDecodeError):
        raise ValueError(f"{page} cannot be read: expected a page of text") from None
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"{page} has no place for results: expected '{BEGIN}' and below it '{END}', each once")
    before, after = text[: text.index(BEGIN)], text[text.index(END) :]
    return f"{before}{BEGIN}\n\n{section(made)}\n\n{after}"


def _figures(made: Reproduction) -> dict[str, bytes]:
    return {f"{made.paper}-{figure.name}.svg": svg(figure) for figure in made.results.figures}


def _drawn_before(path: Path) -> set[str]:
    """Figures of the results that are about to be replaced."""
    try:
        made = Reproduction.load(path)
    except ValueError:
        return set()
    return {f"{made.paper}-{figure.name}.svg" for figure in made.results.figures}


def _list(points: Iterable[str]) -> str:
    return "\n".join(f"- {escape_markdown(point)}" for point in points)
