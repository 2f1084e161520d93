"""Several parts of a reproduction at once, each in a process of its own.

Runs of small nets leave most of a large machine idle: on an accelerator they wait for one small operation after the
other, and cores that no run uses do nothing. Parts that do not need one another are therefore handed to so many
processes; each keeps what it computes in the same folder, and whoever runs the paper afterwards only reads it.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from ludens.papers.paper import Paper, Scale
from ludens.papers.provenance import provenance
from ludens.papers.workshop import FolderWorkshop, Watcher

SHARE = "XLA_PYTHON_CLIENT_PREALLOCATE"
"""Tells JAX not to take most of an accelerator's memory for one process."""


class Nobody:
    """A watcher who does not look."""

    def begins(self, part: str) -> None:
        """A part is about to be computed."""

    def moves(self, what: str, share: float) -> None:
        """A piece of work has come so far."""

    def ends(self, part: str, seconds: float, *, kept: bool) -> None:
        """A part is there."""


def compute(paper: type[Paper], scale: Scale, seeds: int, folder: Path, jobs: int, watcher: Watcher) -> None:
    """Have the parts in `folder` that the paper says can be computed alone, in `jobs` processes.

    An exception in one of them ends the others after the part they are at; what is finished is kept.
    """
    names = list(paper().parts(FolderWorkshop(folder, scale, seeds, provenance(), Nobody())))
    if not names:
        return
    with _shared_memory(), ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(_one, paper, scale, seeds, folder, name) for name in names]
        try:
            for done, finished in enumerate(as_completed(waiting), start=1):
                finished.result()
                watcher.moves(f"{done} of {len(names)} parts, {jobs} at once", done / len(names))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _one(paper: type[Paper], scale: Scale, seeds: int, folder: Path, name: str) -> None:
    """One part, in a process of its own."""
    paper().parts(FolderWorkshop(folder, scale, seeds, provenance(), Nobody()))[name]()


@contextmanager
def _shared_memory() -> Iterator[None]:
    """Processes that begin now share an accelerator's memory."""
    before = os.environ.get(SHARE)
    os.environ.setdefault(SHARE, "false")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SHARE, None)
