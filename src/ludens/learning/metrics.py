"""What a run tells about itself: `metrics.jsonl`, one line after each chunk, for people, curves and the page.

A line is written before the checkpoint that goes with it, and a checkpoint knows how many lines it has seen. So a run
that was killed in between begins by cutting off what it will write again.
"""

import json
from pathlib import Path
from typing import Any

import jax
import numpy as np

from ludens.core import storage
from ludens.core.run_files import METRICS, whole_lines
from ludens.learning.learner import Means


def append(folder: Path, line: dict[str, Any]) -> None:
    """One more line."""
    with (folder / METRICS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def read(folder: Path) -> list[dict[str, Any]]:
    """All whole lines; one that is still being written, or was cut off, is left out."""
    path = folder / METRICS
    if not path.exists():
        return []
    return whole_lines(path.read_bytes())


def keep(folder: Path, lines: int) -> None:
    """Keep the first `lines` lines and cut off the rest."""
    path = folder / METRICS
    kept = path.read_bytes().splitlines(keepends=True)[:lines] if path.exists() else []
    storage.replace(path, b"".join(kept))


def device(lines: list[dict[str, Any]]) -> str:
    """Where a run has learned: `cpu`, or several devices if it was moved."""
    return " and ".join(dict.fromkeys(line.get("device", "an unknown device") for line in lines))


def averages(means: Means) -> dict[str, list[float | None]]:
    """Figures of a chunk by name, one for each seed; None where nothing was measured."""
    host: Means = jax.tree.map(np.asarray, means)
    return {
        name: [float(t / n) if n else None for t, n in zip(mean.total, mean.number, strict=True)]
        for name, mean in host.items()
    }
