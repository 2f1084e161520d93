"""A training run on disk: what its files are called, what `run.json` says, and how older runs are read.

    run.json                 what the run is: game, variant, learner, config, agent, seeds
    checkpoint.safetensors   where it stands, and the weights that play
    metrics.jsonl            a line after each chunk of training

Without JAX, so that the web server and the learners share one reader.
"""

import json
import re
from pathlib import Path
from typing import Any

RUN = "run.json"
CHECKPOINT = "checkpoint.safetensors"
METRICS = "metrics.jsonl"
PARAMS = "params"
"""Where in a checkpoint the weights lie that play."""
FORMAT = 1
"""Goes up whenever a run would be read differently."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")
"""Of a folder that the page may make or read: no slash, and no dot in front."""
_TYPES = {"game": str, "variant": dict, "learner": str, "config": dict, "agent": dict, "seed": int, "seeds": int}
"""What `run.json` holds besides its format."""


def read_run(folder: Path) -> dict[str, Any]:
    """What `run.json` says; ValueError unless it is a run that this version understands."""
    try:
        facts = json.loads((folder / RUN).read_text(encoding="utf-8"))
        if not isinstance(facts, dict) or "format" not in facts:
            raise ValueError
        if not all(isinstance(facts.get(name), kind) for name, kind in _TYPES.items()):
            raise ValueError
    except (OSError, ValueError, RecursionError):
        raise ValueError(f"'{folder}' holds no run: expected a folder that `ludens train` made") from None
    if facts["format"] != FORMAT:
        raise ValueError(f"'{folder}' is a run of format {facts['format']}: expected {FORMAT}, as this version writes")
    return facts


def folder_and_seed(where: str) -> tuple[Path, int]:
    """`DIR@2` is the third seed of the run in DIR, `DIR` its first."""
    name, at, number = where.rpartition("@")
    return (Path(name), int(number)) if at and number.isdecimal() else (Path(where), 0)


def whole_lines(content: bytes) -> list[dict[str, Any]]:
    """The metrics in `content`, without a line that is still being written or was cut off."""
    return [json.loads(line) for line in content.splitlines(keepends=True) if line.endswith(b"\n")]
