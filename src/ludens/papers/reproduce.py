"""Carry a reproduction out, and write down what came of it.

NAME/results.json           everything, with provenance
NAME/rows.md, .csv          ours beside the paper's
NAME/TABLE.md, .csv         the tables
NAME/FIGURE.png, .svg       the figures
NAME/parts/, NAME/runs/     what an interrupted reproduction goes on from
"""

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path

from ludens.core.storage import replace
from ludens.core.tables import csv_table, escape_markdown
from ludens.papers import figures
from ludens.papers.experiment import Paper
from ludens.papers.format import rows_csv, rows_markdown, scale_warning, table_markdown
from ludens.papers.provenance import provenance
from ludens.papers.results import Panel, Reproduction, Results, Scale, Series
from ludens.papers.study import Observer, Study

DIGITS = 6
"""That count, in the curves of figures."""


def reproduce(paper: Paper, scale: Scale, seeds: int, out: Path, observer: Observer) -> Reproduction:
    """Run all experiments of a paper, or what is missing of them, and write its folder under `out`."""
    folder = out / paper.name
    origin, begin = provenance(), time.perf_counter()
    study = Study(folder, scale, seeds, origin, observer)
    results = paper.run(study)
    made = Reproduction(
        paper=paper.name,
        title=paper.title,
        reference=paper.reference,
        scale=scale,
        command=f"ludens reproduce {paper.name} --{scale} --seeds {seeds}",
        date=origin.date,
        seeds=seeds,
        versions=origin.versions,
        device=origin.device,
        commit=origin.commit,
        seconds=time.perf_counter() - begin + study.seconds_kept,
        work=study.work,
        results=rounded(results),
    )
    made = Reproduction.from_dict(made.to_dict())  # as everybody will read it
    write(folder, made)
    return made


def write(folder: Path, made: Reproduction) -> None:
    """All files of one reproduction; what is computed comes first, what is drawn from it last."""
    folder.mkdir(parents=True, exist_ok=True)
    replace(folder / "results.json", made.to_json().encode())
    texts = {"rows.md": _rows_page(made), "rows.csv": rows_csv(made.results.rows, made.command)}
    for table in made.results.tables:
        texts[f"{table.name}.md"] = f"# {escape_markdown(table.title)}\n\n{table_markdown(table)}\n"
        texts[f"{table.name}.csv"] = csv_table(table.heads, table.rows)
    for name, text in texts.items():
        replace(folder / name, text.encode())
    for figure in made.results.figures:
        for name, content in figures.files(figure).items():
            replace(folder / name, content)


def rounded(results: Results) -> Results:
    """Curves with the digits that a drawing can show, which keeps files small."""

    def digits(values: Sequence[float] | None) -> list[float] | None:
        return None if values is None else [float(f"{float(x):.{DIGITS}g}") for x in values]

    def series(each: Series) -> Series:
        x, y = digits(each.x) or [], digits(each.y) or []
        return dataclasses.replace(each, x=x, y=y, low=digits(each.low), high=digits(each.high))

    def panel(each: Panel) -> Panel:
        return dataclasses.replace(each, series=[series(line) for line in each.series])

    figures = [dataclasses.replace(each, panels=[panel(axes) for axes in each.panels]) for each in results.figures]
    return dataclasses.replace(results, figures=figures)


def _rows_page(made: Reproduction) -> str:
    warning = scale_warning(made.paper, made.scale)
    parts = [
        f"# {escape_markdown(made.title)}",
        *([f"**{escape_markdown(warning)}**"] if warning else []),
        rows_markdown(made.results.rows),
        f"```\n{made.command}\n```",
    ]
    return "\n\n".join(parts) + "\n"
