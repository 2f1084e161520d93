"""Training runs as their folders tell of them: `run.json`, `metrics.jsonl`, `checkpoint.safetensors`.

The server reads them itself, without JAX, so that runs of a terminal are seen like those of the page.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludens.core.run_files import CHECKPOINT, METRICS, NAME, RUN, read_run
from ludens.web.server.processes import Command

FRESH = 20.0
"""Seconds for which a run that was written to may still be going on, if nobody is seen at it."""
CHUNKS = 3.0
"""For slow runs: so many times as long as the last chunk took."""


@dataclass(frozen=True)
class TrainingRun:
    """A run and how far it has come."""

    name: str
    folder: Path
    terms: dict[str, Any]  # what `run.json` says
    lines: int  # of metrics
    last: dict[str, Any] | None  # the newest line
    evaluation: dict[str, Any] | None  # the newest evaluation
    updated: float  # when something was written last, in seconds since 1970
    playable: bool  # whether there is a checkpoint

    @property
    def games(self) -> int:
        return int(self.last["games"]) if self.last else 0

    @property
    def total(self) -> int:
        return int(self.terms["config"].get("episodes", 0))

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return self.playable and self.games >= self.total

    @property
    def fresh(self) -> bool:
        """Whether it was written to so recently that somebody may still be at it."""
        chunk = (self.last or {}).get("seconds") or 0.0
        return time.time() - self.updated < max(FRESH, CHUNKS * chunk)


def all_runs(runs: Path) -> list[TrainingRun]:
    """Every run in the folder of runs, the newest first."""
    found = [run for path in runs.glob(f"*/{RUN}") if (run := find(runs, path.parent.name))]
    return sorted(found, key=lambda run: -run.updated)


def find(runs: Path, name: str) -> TrainingRun | None:
    """The run called `name`; None if there is none that this version understands."""
    folder = runs / name
    if not NAME.fullmatch(name):
        return None
    try:
        terms = read_run(folder)
    except ValueError:
        return None
    lines, last, evaluation = _newest(folder, _looks(folder / METRICS))
    return TrainingRun(
        name=name,
        folder=folder,
        terms=terms,
        lines=lines,
        last=last,
        evaluation=evaluation,
        updated=max(_looks(folder / each)[0] for each in (RUN, METRICS, CHECKPOINT)) / 1e9,
        playable=(folder / CHECKPOINT).exists(),
    )


def playable_runs(runs: Path) -> dict[str, list[dict[str, str]]]:
    """By game the runs that have learned something, by name: rungs to be offered beside those of the ladder."""
    found: dict[str, list[dict[str, str]]] = {}
    for run in sorted(all_runs(runs), key=lambda run: run.name):
        if run.playable:
            variant = ", ".join(f"{name} {value}" for name, value in run.terms["variant"].items())
            note = f"Learned by {run.terms['learner']}{f' for {variant}' if variant else ''}."
            rung = {"label": f"Your run {run.name}, {run.games:,} games", "spec": f"run:{run.name}", "note": note}
            found.setdefault(run.terms["game"], []).append(rung)
    return found


def trainer(run: TrainingRun, trainers: list[Command]) -> Command | None:
    """Which of these `ludens train` is at work in the run's folder, wherever it was started."""
    terms, folder = run.terms, run.folder.resolve()
    for each in trainers:
        seed = each.option("seed") or "0"
        same = each.words[:2] == (terms["game"], terms["learner"])
        usual = f"runs/{terms['game']}-{terms['learner']}-{seed}" if same else ""
        out = each.option("out") or usual
        if out and each.path(out) == folder:
            return each
    return None


class Metrics:
    """The lines of a run's metrics, read as they are written."""

    def __init__(self, folder: Path, seen: int = 0) -> None:
        self._path = folder / METRICS
        self._skip = seen
        self._file: tuple[int, int] | None = None
        self._offset = self._number = 0

    def cut(self) -> bool:
        """Whether lines that were read are there no more: a run that goes on replaces the file. Then read anew."""
        try:
            facts = self._path.stat()
        except OSError:
            return False
        same = self._file in (None, (facts.st_dev, facts.st_ino)) and facts.st_size >= self._offset
        if not same:
            self._file, self._offset, self._number, self._skip = None, 0, 0, 0
        return not same

    def new(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Whole lines that were not read yet, with their numbers from 1; those `seen` before are left out."""
        try:
            with self._path.open("rb") as file:
                facts = self._path.stat()
                self._file = facts.st_dev, facts.st_ino
                file.seek(self._offset)
                content = file.read()
        except OSError:
            return
        whole, end, _ = content.rpartition(b"\n")
        self._offset += len(whole) + len(end)
        for text in whole.split(b"\n") if end else []:
            self._number += 1
            line = _parsed(text)
            if line is not None and self._number > self._skip:
                yield self._number, line


def _parsed(text: bytes) -> dict[str, Any] | None:
    """A JSON object; None if it is something else. What is no number in browsers' JSON becomes null."""
    try:
        found = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


@lru_cache(maxsize=256)
def _newest(folder: Path, _: tuple[int, int]) -> tuple[int, dict[str, Any] | None, dict[str, Any] | None]:
    """How many lines of metrics there are, the last, and the last evaluation; read again once the file looks other."""
    lines = [line for _, line in Metrics(folder).new() if isinstance(line.get("games"), int)]
    evaluations = [line["evaluation"] for line in lines if isinstance(line.get("evaluation"), dict)]
    return len(lines), lines[-1] if lines else None, evaluations[-1] if evaluations else None


def _looks(path: Path) -> tuple[int, int]:
    """When a file was written, in nanoseconds since 1970, and how long it is."""
    try:
        facts = path.stat()
    except OSError:
        return 0, 0
    return facts.st_mtime_ns, facts.st_size
