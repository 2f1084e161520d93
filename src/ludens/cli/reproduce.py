"""`ludens reproduce` and `ludens publish`: papers' figures and ours, side by side."""

import json as json_text
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ludens.cli.app import bad_input
from ludens.cli.inputs import Json, on_all_cores
from ludens.core.storage import can_write
from ludens.papers import docs, parallel
from ludens.papers.experiment import Paper
from ludens.papers.format import format_duration, format_time_of_parts, format_verdicts, row_cells, scale_warning
from ludens.papers.parallel import Order
from ludens.papers.reproduce import reproduce
from ludens.papers.results import Reproduction, Scale
from ludens.papers.study import Observer

COLOURS = {
    "agrees": "cyan",
    "better": "green",
    "worse": "red",
    "differs": "yellow",
    "cannot tell": "magenta",
    "ours alone": "dim",
}
WIDE = 100
"""Columns of a terminal from which on a figure and its interval stand on one line."""


@on_all_cores()
@bad_input()
def reproduce_papers(
    *papers: Annotated[str, Parameter(help="Which: `chung-toi`, `ur`, `othello`, `onitama`, `okey`, or `all`.")],
    quick: Annotated[
        bool,
        Parameter(help="A reduced scale, minutes on two cores; this is what is done if nothing is said."),
    ] = False,
    full: Annotated[bool, Parameter(help="The paper's scale.")] = False,
    seeds: Annotated[
        int | None,
        Parameter(help="Independent training runs of each experiment; what is usual for the paper if not given."),
    ] = None,
    jobs: Annotated[
        int | None,
        Parameter(
            help="Parts computed at once, each in a process of its own. If not given, 1; where there is an "
            "accelerator, three quarters of the cores: so many training runs share it, and matches are played "
            "whenever they leave a core."
        ),
    ] = None,
    out: Annotated[Path, Parameter(help="Folder for results, tables and figures.")] = Path("results"),
    json: Annotated[Json, Parameter(help="Print the results for programs.")] = False,
) -> None:
    run(papers, quick=quick, full=full, seeds=seeds, jobs=jobs, out=out, json=json)


@bad_input()
def publish_results(
    *results: Annotated[Path, Parameter(help="Files such as `results/ur/results.json`.")],
    docs: Annotated[Path, Parameter(help="The folder of the papers' pages.")] = Path("docs/papers"),
) -> None:
    publish(results, docs)


def run(
    names: Sequence[str], *, quick: bool, full: bool, seeds: int | None, jobs: int | None, out: Path, json: bool
) -> None:
    """Reproduce the papers named, write their results, print them; ValueError about what was typed."""
    if quick and full:
        raise ValueError("--quick and --full are both given: expected one of them")
    if seeds is not None and seeds < 1:
        raise ValueError(f"--seeds is {seeds}: expected 1 or more")
    if jobs is not None and jobs < 1:
        raise ValueError(f"--jobs is {jobs}: expected 1 or more")
    chosen = _papers_named(names)
    scale: Scale = "full" if full else "quick"
    for folder in (out, *(out / kind.name for kind in chosen)):
        _writable(folder)
    begin = time.perf_counter()
    made: list[Reproduction] = []
    runs = {kind: seeds or kind.usual_seeds[scale] for kind in chosen}
    if (at_once := jobs or parallel.usual_jobs()) > 1:
        orders = [Order(kind, scale, runs[kind], out / kind.name) for kind in chosen]
        with _observed(", ".join(kind.name for kind in chosen), out) as observer:
            parallel.compute(orders, at_once, observer)
    for kind in chosen:
        with _observed(kind.name, out / kind.name) as observer:
            made.append(reproduce(kind(), scale, runs[kind], out, observer))
        if not json:
            _print(made[-1])
    if json:
        facts = [each.to_dict() for each in made]
        print(json_text.dumps(facts if len(facts) > 1 or "all" in names else facts[0]))
    else:
        took = format_duration(time.perf_counter() - begin)
        shown = "; `ludens serve` shows them beside each other" * (out.resolve() == Path("results").resolve())
        Console(soft_wrap=True).print(Text(f"Results are in {out}{shown} ({took})"))


def publish(results: Sequence[Path], folder: Path) -> None:
    """Write results into the docs; ValueError says which file is not results, and then nothing is written."""
    if not results:
        raise ValueError("no results named: expected files such as results/ur/results.json")
    made = [Reproduction.load(path) for path in results]
    _writable(folder)
    _writable(folder / docs.FIGURES)
    for page in docs.publish(made, folder):
        print(page)


def _papers_named(names: Sequence[str]) -> list[type[Paper]]:
    """The papers a person typed, each once; `all` is all."""
    from ludens.papers import PAPERS

    papers: Mapping[str, type[Paper]] = PAPERS
    for name in names:
        if name not in papers and name != "all":
            raise ValueError(f"unknown paper '{name}': expected all or some of {', '.join(papers)}")
    if not names:
        raise ValueError(f"no paper named: expected all or some of {', '.join(papers)}")
    return list(papers.values()) if "all" in names else [papers[name] for name in dict.fromkeys(names)]


def _writable(folder: Path) -> None:
    """Before hours of work: ValueError unless files can be written here."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"{folder} cannot be made ({error.strerror}): expected a folder for results") from None
    if not can_write(folder):
        raise ValueError(f"{folder} cannot be written to: expected a folder for results")


@contextmanager
def _observed(name: str, folder: Path) -> Iterator["_Bar"]:
    """A bar on stderr, where that is a terminal; what to do after Ctrl-C in any case."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = _Bar(name, progress)
        try:
            yield bar
        except KeyboardInterrupt:
            progress.stop()
            safe = f"finished parts of {name} ({bar.finished}) are safe in {folder}"
            console.print(Text(f"{safe}; the same command goes on."), soft_wrap=True)
            raise


class _Bar(Observer):
    """Shows what is under way, and leaves a line for each part that is finished."""

    def __init__(self, paper: str, progress: Progress) -> None:
        self.finished = 0
        self._under_way: list[tuple[str, TaskID]] = []
        self._paper, self._progress = paper, progress
        self._whole = progress.add_task(paper, total=None)

    def part_started(self, part: str) -> None:
        self._progress.update(self._whole, visible=False)
        self._under_way.append((part, self._progress.add_task(f"{self._paper}: {part}", total=None)))

    def progress(self, what: str, share: float) -> None:
        name, task = self._under_way[-1] if self._under_way else (self._paper, self._whole)
        text = what if what.startswith(name) else f"{name}: {what}"
        before = f"{self._paper}: " if self._under_way else ""
        self._progress.update(task, description=f"{before}{text}", total=1.0, completed=min(max(share, 0.0), 1.0))

    def part_finished(self, part: str, seconds: float, *, kept: bool) -> None:
        self.finished += 1
        if not kept:
            self._progress.remove_task(self._under_way.pop()[1])
        self._progress.update(self._whole, visible=not self._under_way)
        if not self._progress.disable:
            took = "kept from before" if kept else format_duration(seconds)
            self._progress.console.print(Text(f"{self._paper}: {part} {took}"))


def _print(made: Reproduction) -> None:
    """Ours beside the paper's, for people."""
    screen = Console()
    screen.print(Text(f"{made.title} ({made.reference})", "bold"))
    if warning := scale_warning(made.paper, made.scale):
        screen.print(Text(warning, "yellow"))
    gap = " " if screen.width >= WIDE else "\n"
    table = Table(box=SIMPLE_HEAD, padding=(0, 1 if screen.width >= WIDE else 0))
    table.add_column("measure", overflow="fold")
    for head in ("paper", "ours (95 %)", "seeds"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for row in made.results.rows:
        # Units longer than a sign stand with the measure: beside each number they would leave it no room.
        unit = "" if row.unit == "share" else row.unit
        plain = replace(row, paper_ci95=None, unit="" if unit else row.unit)
        measure, paper, ours, within, seeds, _, _ = row_cells(plain)
        if row.ci95 is not None:
            ours += f"{gap}({within.removesuffix(' %')})"
        measure += f" ({unit})" * bool(unit)
        table.add_row(Text(measure), Text(paper), Text(ours), seeds, Text(row.verdict, COLOURS[row.verdict]))
    screen.print(table)
    screen.print(Text(f"{format_verdicts(made.results.rows)}; {format_time_of_parts(made)}"))
