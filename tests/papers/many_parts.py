"""A paper of parts, some of which need others; in a module of its own, which other processes can import."""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax

from ludens.papers.experiment import Part
from ludens.papers.results import Results
from ludens.papers.study import Study
from papers.fake import FakePaper, results

NAMES = [f"part {number}" for number in range(5)]
LAST = "all of them"


class ManyParts(FakePaper):
    """Each part says which process computed it, on how many devices, and when it began and ended."""

    def parts(self, study: Study) -> Mapping[str, Part]:
        def one(name: str) -> Callable[[], Any]:
            return lambda: study.part(name, {"seeds": study.seeds}, lambda: self.compute(name))

        # The one that needs the others is named first: it must wait nevertheless.
        return {LAST: Part(one(LAST), after=tuple(NAMES), on_cores=True)} | {name: Part(one(name)) for name in NAMES}

    def compute(self, name: str) -> Any:
        begun = time.time()
        return os.getpid(), jax.local_device_count(), begun, time.time()

    def run(self, study: Study) -> Results:
        facts_of_parts = [part.compute() for part in self.parts(study).values()]
        made = results([0.5, 0.7, 0.8, 0.85], 0.9, study.seeds)
        return Results(made.rows, [], [], [" ".join(map(str, facts)) for facts in facts_of_parts], [])


class Others(ManyParts):
    """Another paper of the same kind."""

    name = "others"


class Endless(ManyParts):
    """Parts that somebody must stop; each leaves a file named after the process that is at it."""

    def parts(self, study: Study) -> Mapping[str, Part]:
        def one(name: str) -> Callable[[], Any]:
            return lambda: study.part(name, {"seeds": study.seeds}, lambda: self.wait(study.folder(name)))

        return {name: Part(one(name)) for name in NAMES}

    def wait(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / str(os.getpid())).touch()
        time.sleep(600)


class OneFails(ManyParts):
    """As it might be interrupted."""

    def compute(self, name: str) -> Any:
        if name == NAMES[2]:
            raise ValueError("this part cannot be computed: expected another")
        return super().compute(name)


class OneFailsOthersGoOn(OneFails):
    """Whoever would wait for the others would wait long."""

    def compute(self, name: str) -> Any:
        return time.sleep(600) if name == NAMES[1] else super().compute(name)
