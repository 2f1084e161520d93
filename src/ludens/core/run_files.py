"""A training run on disk: what its files are called, what `run.json` says, and how older runs are read.

    run.json                 what the run is: game, variant, learner, config, agent, seeds
    checkpoint.safetensors   where it stands, and the weights that play
    metrics.jsonl            a line after each chunk of training
    lock                     held by the process that trains, whose number it tells

Without JAX, so that the web server and the learners share one reader.
"""

import errno
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

RUN = "run.json"
CHECKPOINT = "checkpoint.safetensors"
METRICS = "metrics.jsonl"
LOCK = "lock"
PARAMS = "params"
"""Where in a checkpoint the weights lie that play."""
FORMAT = 2
"""Goes up whenever a run would be read differently. Runs of format 1 are read with today's names of their settings."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")
"""Of a folder that the page may make or read: no slash, and no dot in front."""
_TYPES = {"game": str, "variant": dict, "learner": str, "config": dict, "agent": dict, "seed": int, "seeds": int}
"""What `run.json` holds besides its format."""

_ROLLOUT = {
    "steps": "num_steps",
    "decay": "gae_lambda",
    "entropy": "entropy_coef",
    "value_weight": "value_coef",
    "longest_step": "max_grad_norm",
    "share": "opponent_fraction",
    "enough": "promote_at",
}
_REPLAY = {"capacity": "buffer_size", "batch": "batch_size"}
_DQN = _REPLAY | {"warmup": "learning_starts", "exploring": "exploration_fraction", "target_every": "target_update"}
_Q_NETS = {"reach": "init_scale", "a": "temperature", "b": "temperature_decay", "c": "temperature_end"}
_RENAMED: dict[str, dict[str, str]] = {
    "dqn": _DQN,
    "double-dqn": _DQN,
    "neural-q": _Q_NETS,
    "minimax-q": _Q_NETS,
    "minimax-v": {"second": "hidden2", "warm": "temperature", "cold": "temperature_end"},
    "ddpg": _REPLAY | {"warmup": "learning_starts", "enough": "promote_at"},
    "okey-actor-critic": _REPLAY | {"trainings": "updates", "refresh": "update_priorities"},
    "a2c": _ROLLOUT,
    "ppo": _ROLLOUT | {"batches": "num_minibatches", "clip": "clip_ratio"},
}
"""What the settings of each learner were called in format 1, and what they are called now."""
_FLIPPED = {"td-lambda": ("epsilon", "epsilon_end"), "td-table": ("epsilon", "epsilon_end")}
"""Settings that were the probability of the best move in format 1, and are now that of a random one."""


_LEAVES = (
    (r"^training\.games\b", "training.positions"),
    (r"^training\.memory\.(s|x)\b", "training.memory.decision.x"),  # DQN; and DDPG, see below
    (r"^training\.memory\.(action|number)$", "training.memory.decision.action"),
    (r"^training\.memory\.entry$", "training.memory.decision"),
    (r"^training\.memory\.earned$", "training.memory.reward"),
    (r"^training\.memory\.lived\.thrown\.x$", "training.memory.pending.decision.x"),
    (r"^training\.memory\.lived\.thrown\.place$", "training.memory.pending.decision.action"),
    (r"^training\.memory\.lived\.thrown\.earned$", "training.memory.pending.reward"),
    (r"^training\.memory\.lived\.drawn\.", "training.memory.draw."),
    (r"^training\.learner\.diary\.", "training.learner.episode."),
    (r"^training\.learner\.waiting\.reward$", "training.learner.pending.reward"),
    (r"^training\.learner\.waiting\.", "training.learner.pending.decision."),
    (r"^training\.learner\.moves\.", "training.learner.rollout."),
    (r"^training\.learner\.lately\.", "training.learner.recent."),
    (r"\.items\.thrown\.", ".items.transition."),
    (r"\.items\.drawn\.", ".items.draw."),
    (r"^(training\.learner\..*)\.likelihood$", r"\1.log_prob"),
    (r"^(training\.learner\..*)\.place$", r"\1.action"),
    (r"^(training\..*\.draw)\.output$", r"\1.action"),
    (r"^(training\.learner\..*)\.earned$", r"\1.reward"),
    (r"^(training\.learner\..*)\.then$", r"\1.next_x"),
    (r"^(training\.learner\.replay\.items)\.legal$", r"\1.next_legal"),
)
"""What the leaves of a checkpoint were called in format 1, and what they are called now, one after the other."""


def leaf_today(name: str) -> str:
    """Under which name a leaf of a checkpoint of format 1 lies now."""
    for former, now in _LEAVES:
        name = re.sub(former, now, name)
    return name


def renamed(learner: str, option: str) -> str | None:
    """What to say to somebody who types a setting by its former name (`--decay`); None if it never was one."""
    now = _names(learner).get(option.removeprefix("--").replace("-", "_"))
    return None if now is None else f"--{option.removeprefix('--')} is now --{now.replace('_', '-')}"


def today(facts: dict[str, Any]) -> dict[str, Any]:
    """What `run.json` says, its settings as they are called now; ValueError if no version that we know wrote it."""
    if facts.get("format") not in (1, FORMAT):
        raise ValueError(f"a run of format {facts.get('format')}: expected {FORMAT}, as this version writes")
    if facts["format"] == FORMAT:
        return facts
    names, flipped = _names(facts["learner"]), _FLIPPED.get(facts["learner"], ())
    config = {
        names.get(name, name): round(1 - value, 12) if name in flipped else value
        for name, value in facts["config"].items()
    }
    return facts | {"format": FORMAT, "config": config}


def _names(learner: str) -> dict[str, str]:
    return {"games": "episodes", **_RENAMED.get(learner, {})}


def read_run(folder: Path) -> dict[str, Any]:
    """What `run.json` says; ValueError unless it is a run that this version understands."""
    try:
        facts = json.loads(content(folder / RUN))
        if not isinstance(facts, dict) or "format" not in facts:
            raise ValueError
        if not all(isinstance(facts.get(name), kind) for name, kind in _TYPES.items()):
            raise ValueError
    except (OSError, ValueError, RecursionError):
        raise ValueError(f"'{folder}' holds no run: expected a folder that `ludens train` made") from None
    try:
        return today(facts)
    except ValueError as error:
        raise ValueError(f"'{folder}' is {error}") from None


def folder_and_seed(where: str) -> tuple[Path, int]:
    """`DIR@2` is the third seed of the run in DIR, `DIR` its first."""
    name, at, number = where.rpartition("@")
    return (Path(name), int(number)) if at and number.isdecimal() else (Path(where), 0)


def content(path: Path) -> bytes:
    """Of a plain file; OSError if it is none: a pipe in its place would be waited for."""
    if not path.is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return path.read_bytes()


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """All whole lines of a run's metrics; ValueError if they are none."""
    path = folder / METRICS
    if not path.exists():
        return []
    try:
        lines = whole_lines(content(path))
    except (OSError, ValueError, RecursionError):
        lines = [{}]
    if not all(isinstance(line, dict) and {"games", "seconds"} <= line.keys() for line in lines):
        raise ValueError(f"'{path}' holds no metrics: expected the lines that `ludens train` wrote")
    return lines


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Inside, nobody else trains in `folder`; ValueError if somebody does. Whoever dies gives it free."""
    path = folder / LOCK
    while True:
        with path.open("a+") as file:
            try:
                import fcntl  # which not every system has

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise ValueError(
                    f"'{folder}' is in use by process {file.read().strip()}, which trains there: "
                    "expected another folder, or to wait until it has ended"
                ) from None
            except (ImportError, OSError):
                pass  # no locks here, or not in this file system
            if not os.fstat(file.fileno()).st_nlink:
                continue  # whoever had it has ended just now, and taken it away
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return


def device(lines: list[dict[str, Any]]) -> str:
    """Where a run has learned: `cpu`, or several devices if it was moved."""
    return " and ".join(dict.fromkeys(line.get("device", "an unknown device") for line in lines))


def whole_lines(content: bytes) -> list[dict[str, Any]]:
    """The metrics in `content`, without a line that is still being written or was cut off."""
    return [json.loads(line) for line in content.splitlines(keepends=True) if line.endswith(b"\n")]
