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
from ludens.papers import docs, side_by_side
from ludens.papers.paper import Paper, Scale
from ludens.papers.reproduce import reproduce, write_report
from ludens.papers.reproduction import Reproduction
from ludens.papers.side_by_side import Order
from ludens.papers.wording import count_of_verdicts, duration, reduced, row_cells, time_of_parts

COLOURS = {"agrees": "cyan", "better": "green", "worse": "red", "differs": "yellow", "ours alone": "dim"}
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
    out: Annotated[Path, Parameter(help="Folder for results, tables, figures and the report.")] = Path("results"),
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
    """Reproduce the papers named, write their results and the report, print them; ValueError about what was typed."""
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
    problems: list[str] = []
    runs = {kind: seeds or kind.usual_seeds[scale] for kind in chosen}
    if (at_once := jobs or side_by_side.usual_jobs()) > 1:
        orders = [Order(kind, scale, runs[kind], out / kind.name) for kind in chosen]
        with _watched(", ".join(kind.name for kind in chosen), out) as watcher:
            side_by_side.compute(orders, at_once, watcher)
    for kind in chosen:
        with _watched(kind.name, out / kind.name) as watcher:
            made.append(reproduce(kind(), scale, runs[kind], out, watcher))
        report, problems = write_report(out)
        if not json:
            _print(made[-1])
    for problem in problems:
        Console(stderr=True, soft_wrap=True).print(Text(problem))
    if json:
        facts = [each.to_dict() for each in made]
        print(json_text.dumps(facts if len(facts) > 1 or "all" in names else facts[0]))
    else:
        said = f"Results are in {out}, all of them on one page: {report}"
        Console(soft_wrap=True).print(Text(f"{said} ({duration(time.perf_counter() - begin)})"))


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
def _watched(name: str, folder: Path) -> Iterator["_Bar"]:
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


class _Bar:
    """Shows what is under way, and leaves a line for each part that is finished."""

    def __init__(self, paper: str, progress: Progress) -> None:
        self.finished = 0
        self._under_way: list[tuple[str, TaskID]] = []
        self._paper, self._progress = paper, progress
        self._whole = progress.add_task(paper, total=None)

    def begins(self, part: str) -> None:
        """A part is about to be computed."""
        self._progress.update(self._whole, visible=False)
        self._under_way.append((part, self._progress.add_task(f"{self._paper}: {part}", total=None)))

    def moves(self, what: str, share: float) -> None:
        """A piece of work has come so far."""
        name, task = self._under_way[-1] if self._under_way else (self._paper, self._whole)
        said = what if what.startswith(name) else f"{name}: {what}"
        before = f"{self._paper}: " if self._under_way else ""
        self._progress.update(task, description=f"{before}{said}", total=1.0, completed=min(max(share, 0.0), 1.0))

    def ends(self, part: str, seconds: float, *, kept: bool) -> None:
        """A part is there."""
        self.finished += 1
        if not kept:
            self._progress.remove_task(self._under_way.pop()[1])
        self._progress.update(self._whole, visible=not self._under_way)
        if not self._progress.disable:
            self._progress.console.print(
                Text(f"{self._paper}: {part} {'kept from before' if kept else duration(seconds)}")
            )


def _print(made: Reproduction) -> None:
    """Ours beside the paper's, for people."""
    screen = Console()
    screen.print(Text(f"{made.title} ({made.reference})", "bold"))
    if said := reduced(made.paper, made.scale):
        screen.print(Text(said, "yellow"))
    gap = " " if screen.width >= WIDE else "\n"
    table = Table(box=SIMPLE_HEAD, padding=(0, 1 if screen.width >= WIDE else 0))
    table.add_column("measure", overflow="fold")
    for head in ("paper", "ours (95 %)", "seeds"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for row in made.results.rows:
        # Units longer than a sign stand with the measure: beside each number they would leave it no room.
        unit = "" if row.unit == "share" else row.unit
        measure, paper, ours, within, seeds, _, _ = row_cells(row if not unit else replace(row, unit=""))
        if row.ci95 is not None:
            ours += f"{gap}({within.removesuffix(' %')})"
        measure += f" ({unit})" * bool(unit)
        table.add_row(Text(measure), Text(paper), Text(ours), seeds, Text(row.verdict, COLOURS[row.verdict]))
    screen.print(table)
    screen.print(Text(f"{count_of_verdicts(made.results.rows)}; {time_of_parts(made)}"))
