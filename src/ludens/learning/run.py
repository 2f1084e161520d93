"""Training on the host: compiled chunks, and between them files, metrics and evaluations.

A run lives in a folder: `run.json`, `checkpoint.safetensors`, `metrics.jsonl`. It may be killed at any moment and goes
on from its last checkpoint to the very same weights. It stops by itself if the weights are no longer finite, and leaves
the last checkpoint in which they were.

A checkpoint follows every chunk; one that takes long to write, as with a large replay, only now and then.
"""

import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core import storage
from ludens.core.player import Player
from ludens.core.run_files import CHECKPOINT, LOCK, METRICS, RUN, alone, read_metrics
from ludens.core.types import Array
from ludens.learning import checkpoint
from ludens.learning.checkpoint import KEPT, RunTerms, params_of
from ludens.learning.evaluation import evaluate
from ludens.learning.learner import Learner, Means
from ludens.learning.loop import Training, compiled_begin, compiled_chunk, on_all_devices, share_out
from ludens.players.learned import agent_of, learned

CHUNKS = 100  # chunks of a run unless told otherwise
HEAVY, PAUSE = 5_000_000, 20
"""Bytes of a checkpoint after which a run goes on for so many times as long as it took before it writes the next."""
EVALUATION_KEY = 0x0E7A1
PAST_GAMES = 200  # against what a run kept of itself


class DivergedError(ValueError):
    """The weights are no longer finite."""


Evaluate: TypeAlias = Callable[[Any, int], dict[str, Any]]
"""Counts for weights `[R]` after so many games of training; the same whenever it is asked again."""


@dataclass(frozen=True)
class Progress:
    games: int
    line: dict[str, Any]  # what was written to `metrics.jsonl`


def train(
    learner: Learner[Any],
    folder: Path,
    *,
    seed: int = 0,
    seeds: int = 1,
    every: int | None = None,
    evaluate: Evaluate | None = None,
    evaluate_every: int | None = None,
    snapshots: int = 0,
    resume: bool = False,
) -> Iterator[Progress]:
    """Train to the end of `learner.config.episodes`, in `folder`; yields after each chunk, when its line is written.

    `every` is the number of games in a chunk. `evaluate` is asked before the first game and whenever `evaluate_every`
    more are finished. So many `snapshots` of what plays are kept on the way, evenly over all games. With
    `resume` a run on the same terms goes on; without, the folder must hold none. ValueError says what was expected, and
    nothing is overwritten.
    """
    total, terms = learner.config.episodes, RunTerms.of(learner, seed, seeds)
    if resume and _is_finished(learner, folder, terms, total):
        return
    _check_folder(learner, folder, terms, resume)
    with alone(folder):
        storage.sweep(folder)
        yield from _train(learner, folder, terms, every, evaluate, evaluate_every, snapshots)


def _train(
    learner: Learner[Any],
    folder: Path,
    terms: RunTerms,
    every: int | None,
    evaluate: Evaluate | None,
    evaluate_every: int | None,
    snapshots: int,
) -> Iterator[Progress]:
    """As `train`, in a folder that is ours."""
    total = learner.config.episodes
    with _enough_memory(folder):
        training, lines = _start(learner, folder, terms)
    size = sum(x.nbytes for x in jax.tree.leaves(jax.tree.map(_data, training.learner)))
    if every is None:
        every = -(-total // CHUNKS)
    step = compiled_chunk(learner, terms.seeds)
    done = kept = _finished(training)
    next_checkpoint = 0.0  # by the clock
    if lines == 0 and evaluate:
        line = _line(done, training, 0.0, 0, {}, evaluate(params_of(learner, training), 0))
        checkpoint.append(folder, line)
        lines = 1
        yield Progress(0, line)
    while done < total:
        target, begun = min((done // every + 1) * every, total), time.perf_counter()
        with _enough_memory(folder):
            training, means = step(training, target)
            before, done = done, _finished(training)
        seconds = time.perf_counter() - begun
        if not bool(_finite(training.learner)):
            left = f"the checkpoint after {kept:,} is kept" if kept else "there was no checkpoint yet"
            raise DivergedError(
                f"the weights are no longer finite after {done:,} games, and {left}: "
                "expected settings that learn, such as a smaller learning rate"
            )
        due = evaluate is not None and (done >= total or _crossed(before, done, evaluate_every or every))
        found = evaluate(params_of(learner, training), done) if evaluate and due else None
        line = _line(done, training, seconds, done - before, means, found)
        if found and (past := _latest_kept(folder, done)):
            line["past"] = against_past(learner, folder, past)(params_of(learner, training), done)
        checkpoint.append(folder, line)
        lines += 1
        if done >= total or size <= HEAVY or time.perf_counter() >= next_checkpoint:
            begun = time.perf_counter()
            checkpoint.save(folder, learner, training, lines=lines)
            kept = done
            next_checkpoint = time.perf_counter() + PAUSE * (time.perf_counter() - begun)
        if snapshots and (done >= total or _crossed(before, done, -(-total // snapshots))):
            checkpoint.snapshot(folder, learner, training, terms, done)
        yield Progress(done, line)


def against(
    learner: Learner[Any], opponent: Player[Any], spec: str, *, games: int, first_only: bool = False
) -> Evaluate:
    """Evaluation by `games` against `opponent`, compiled, for all seeds."""
    player = agent_of(learner.game, learner.agent())
    other = opponent.init(jax.random.key(0))

    def measure(params: Any, done: int) -> dict[str, Any]:
        seeds = len(jax.tree.leaves(params)[0])
        keys = jax.random.split(jax.random.fold_in(jax.random.key(EVALUATION_KEY), done), seeds)
        counts = _compiled_evaluation(player, opponent, seeds, games, first_only)(params, other, keys)
        return {"vs": spec, "games": games} | {name: np.asarray(x).tolist() for name, x in counts._asdict().items()}

    return measure


def against_past(learner: Learner[Any], folder: Path, games: int) -> Evaluate:
    """Evaluation against what the run in `folder` had learned after so many games, which it kept."""
    earlier = learned(str(folder / KEPT / str(games)), learner.game)
    return against(learner, earlier, f"itself after {games:,} games", games=PAST_GAMES)


def _latest_kept(folder: Path, done: int) -> int:
    """After how many games the last state was kept that is older than `done`; 0 if none was."""
    kept = (folder / KEPT).iterdir() if (folder / KEPT).is_dir() else ()
    return max((int(each.name) for each in kept if each.name.isdigit() and int(each.name) < done), default=0)


@lru_cache(maxsize=16)
def _compiled_evaluation(
    player: Player[Any], opponent: Player[Any], seeds: int, games: int, first_only: bool
) -> Callable[[Any, Any, Any], Any]:
    """`evaluate` for weights and keys `[R]`, one seed after the other."""

    def one(params: Any, other: Any, key: Array) -> Any:
        return evaluate(player, opponent, params, other, key, games=games, first_only=first_only)

    def in_turn(params: Any, other: Any, keys: Array) -> Any:
        return lax.map(lambda each: one(each[0], other, each[1]), (params, keys))

    return on_all_devices(in_turn, seeds, whole=(1,))


@contextmanager
def _enough_memory(folder: Path) -> Iterator[None]:
    """Inside, what does not fit into memory is about the settings: ValueError; a run that has not begun is gone."""
    try:
        yield
    except (MemoryError, jax.errors.JaxRuntimeError) as error:
        if isinstance(error, jax.errors.JaxRuntimeError) and "RESOURCE_EXHAUSTED" not in str(error):
            raise
        if not (folder / CHECKPOINT).exists():
            for name in (RUN, METRICS):
                (folder / name).unlink(missing_ok=True)
        raise ValueError("there is not enough memory for this run: expected smaller settings") from None


def _is_finished(learner: Learner[Any], folder: Path, terms: RunTerms, total: int) -> bool:
    """Whether the run in `folder` has these terms and no game left to play; what it would go on with is not read."""
    if not (folder / RUN).exists() or RunTerms.read(folder, learner).differences(terms):
        return False
    lines = checkpoint.lines(folder)
    return lines is not None and 0 < lines <= len(seen := read_metrics(folder)) and seen[lines - 1]["games"] >= total


def _check_folder(learner: Learner[Any], folder: Path, terms: RunTerms, resume: bool) -> None:
    """Make the folder if it is not there; ValueError unless the run can go on in it, or begin there."""
    if (folder / RUN).exists():
        stored = RunTerms.read(folder, learner)
        if not resume:
            raise ValueError(f"'{folder}' already holds a run of {stored.learner}: expected --resume or another folder")
        if differences := stored.differences(terms):
            raise ValueError(f"'{folder}' holds another run ({differences}): expected the terms it began with")
    elif folder.exists() and not (folder.is_dir() and all(each.name == LOCK for each in folder.iterdir())):
        raise ValueError(f"'{folder}' is not empty and holds no run: expected a new folder")
    elif resume:
        raise ValueError(f"'{folder}' holds no run: expected the folder of one that was interrupted")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / LOCK).touch()
    except OSError as error:
        raise ValueError(f"'{folder}' cannot be written to ({error.strerror}): expected a folder for a run") from None


def _start(learner: Learner[Any], folder: Path, terms: RunTerms) -> tuple[Training, int]:
    """Where the run stands, and how many lines of metrics belong to that."""
    if (folder / RUN).exists() and (at := checkpoint.load(folder, learner, terms.seeds)):
        checkpoint.keep(folder, at[1])
        return share_out(learner, at[0], terms.seeds), at[1]
    numbers = np.arange(terms.seed, terms.seed + terms.seeds, dtype=np.uint32)
    if _bytes(jax.eval_shape(compiled_begin(learner), numbers)) > _memory():
        raise MemoryError  # before anything tries: a machine may swap for minutes until it says so
    terms.write(folder)
    checkpoint.keep(folder, 0)
    return share_out(learner, compiled_begin(learner)(jnp.asarray(numbers)), terms.seeds), 0


def _bytes(shapes: Any) -> int:
    """What arrays of these shapes hold."""
    leaves = jax.tree.leaves(shapes)
    return sum(math.prod(x.shape) * getattr(x.dtype, "itemsize", 8) for x in leaves)


def _memory() -> int:
    """Bytes that there are for a run: the device's, or the machine's."""
    stats = jax.devices()[0].memory_stats()
    if stats and "bytes_limit" in stats:
        return int(stats["bytes_limit"])
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else sys.maxsize


def _line(
    done: int,
    training: Training,
    seconds: float,
    games: int,
    means: Means,
    evaluation: dict[str, Any] | None,
) -> dict[str, Any]:
    """A line of metrics: for each seed the average over the chunk, None where nothing was measured."""
    host: Means = jax.tree.map(np.asarray, means)
    averages = {
        name: [float(t / n) if n else None for t, n in zip(mean.total, mean.number, strict=True)]
        for name, mean in host.items()
    }
    rate = games * len(training.clock.games) / seconds if seconds else None
    line = {"games": done, "steps": int(training.clock.steps[0]), "seconds": round(seconds, 3)}
    line |= {"device": jax.devices()[0].device_kind}
    return line | {"games_per_second": rate, **averages} | ({"evaluation": evaluation} if evaluation else {})


def _finished(training: Training) -> int:
    return int(np.asarray(training.clock.games).min())


def _crossed(before: int, after: int, every: int) -> bool:
    return before // every < after // every


@jax.jit
def _finite(state: Any) -> Array:
    """Whether all numbers in a learner's state are finite, `bool[]`."""
    numbers = [x for x in jax.tree.leaves(state) if jnp.issubdtype(x.dtype, jnp.floating)]
    return jnp.stack([jnp.isfinite(x).all() for x in numbers]).all()


def _data(x: Array) -> Array:
    return jax.random.key_data(x) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x
