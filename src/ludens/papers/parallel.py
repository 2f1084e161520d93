"""Several parts of reproductions at once, each in a process of its own.

Runs of small nets leave most of a large machine idle: on an accelerator they wait for one small operation after the
other, and cores that no run uses do nothing. Parts that do not need one another, of one paper or of several, are
therefore handed to so many processes; each keeps what it computes in its paper's folder, and whoever runs the paper
afterwards only reads it.

Where there is an accelerator, the parts that gain nothing by it are computed on cores, whenever the others leave some.
"""

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import chain, zip_longest
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import jax

from ludens.core.compiling import CORES, cores_as_devices
from ludens.papers.experiment import Paper, Part
from ludens.papers.mps import shared_gpu
from ludens.papers.provenance import provenance
from ludens.papers.results import Scale
from ludens.papers.study import Observer, Study

SHARE = "XLA_PYTHON_CLIENT_PREALLOCATE"
"""Tells JAX not to take most of an accelerator's memory for one process."""
GIVE_WAY = 10
"""How nice processes on cores are to those that feed an accelerator."""


class Order(NamedTuple):
    """A paper whose parts are wanted."""

    paper: type[Paper]
    scale: Scale
    seeds: int
    folder: Path
    """Of the paper."""

    def parts(self) -> dict[str, Part]:
        """What can be computed side by side, by name."""
        return dict(self.paper().parts(Study(self.folder, self.scale, self.seeds, provenance())))


Wanted = tuple[Order, str]
"""A part of a paper."""


def usual_jobs() -> int:
    """Parts to be computed at once unless a person says so: one after the other on cores, which a part can fill.

    A training run that waits for an accelerator fills about one of them.
    """
    with _shared_memory():
        return 1 if jax.default_backend() == "cpu" else max(2, 3 * CORES // 4)


def compute(orders: Sequence[Order], jobs: int, observer: Observer) -> None:
    """Have all parts that the papers say can be computed apart, in `jobs` processes.

    An exception in one of them, or an interrupt, ends them all at once; what is finished is kept, and whoever asks
    again has training runs go on from their checkpoints.
    """
    with _shared_memory():
        each = [{(order, name): part for name, part in order.parts().items()} for order in orders]
        in_turn = chain.from_iterable(zip_longest(*(of_one.items() for of_one in each)))
        parts = dict(item for item in in_turn if item is not None)
        if parts:
            with _shared_accelerator(), _Processes(jobs) as processes:
                _all(parts, processes, jobs, observer)


def _all(parts: dict[Wanted, Part], processes: "_Processes", jobs: int, observer: Observer) -> None:
    """Hand parts out as soon as those that they need are there."""
    waiting, done = dict(parts), set[Wanted]()
    running: dict[Future[float], Wanted] = {}
    while waiting or running:
        for wanted, part in list(waiting.items()):
            if all((wanted[0], name) in done for name in part.after):
                running[processes.submit(wanted, waiting.pop(wanted))] = wanted
        for finished in wait(running, return_when=FIRST_COMPLETED).done:
            order, name = wanted = running.pop(finished)
            seconds = finished.result()
            done.add(wanted)
            label = f"{order.paper.name}, {name}"
            observer.part_started(label)
            observer.part_finished(label, seconds, kept=False)
            observer.progress(f"{len(done)} of {len(parts)} parts, {jobs} at once", len(done) / len(parts))


class _Processes:
    """Those that have the accelerator, if there is one, and those that have cores."""

    def __init__(self, jobs: int) -> None:
        context = get_context("spawn")
        self._line, self._our_end = context.Pipe(duplex=False)
        if jax.default_backend() == "cpu":
            settle = partial(_on_cores, self._line, max(1, CORES // jobs), 0)
            self._with_cores = self._with_all = ProcessPoolExecutor(jobs, context, settle)
        else:
            self._with_all = ProcessPoolExecutor(jobs, context, partial(_stay_on, self._line))
            # More than there is room for: while the others compile they hardly run, and towards the end, alone.
            on_cores = partial(_on_cores, self._line, 1, GIVE_WAY)
            self._with_cores = ProcessPoolExecutor(max(1, CORES // 2), context, on_cores)

    def submit(self, wanted: Wanted, part: Part) -> Future[float]:
        """Let one of them compute it, when its turn has come; the seconds it takes."""
        with _deaf_children():
            return (self._with_cores if part.on_cores else self._with_all).submit(_one, *wanted)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if kind is not None:
            self._our_end.close()  # they leave; what is not computed yet ends with them
        for pool in {self._with_cores, self._with_all}:
            pool.shutdown()
        self._our_end.close()
        self._line.close()


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes that begin now do not hear Ctrl-C, which may come in the middle of anything: they hear it from us."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stay_on(line: Connection) -> None:
    """In a process of its own: leave as soon as whoever began it hangs up, or is no more."""

    def listen() -> None:
        line.poll(None)
        os._exit(1)

    threading.Thread(target=listen, daemon=True).start()


def _on_cores(line: Connection, devices: int, nice: int) -> None:
    """The same; leave the accelerator alone, and see so many devices: the cores that are this process's share."""
    _stay_on(line)
    jax.config.update("jax_platforms", "cpu")  # type: ignore[no-untyped-call]  # jax leaves it untyped
    cores_as_devices(devices)
    os.nice(nice)


def _one(order: Order, name: str) -> float:
    """One part, in a process of its own."""
    begun = time.perf_counter()
    order.parts()[name].compute()
    return time.perf_counter() - begun


@contextmanager
def _shared_memory() -> Iterator[None]:
    """Processes that begin now share an accelerator's memory, as does this one if it has not begun to use it."""
    before = os.environ.get(SHARE)
    os.environ.setdefault(SHARE, "false")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SHARE, None)


def _shared_accelerator() -> AbstractContextManager[object]:
    """Processes that begin now share it, if there is one for which this must be arranged."""
    return shared_gpu() if jax.default_backend() == "gpu" else nullcontext()
