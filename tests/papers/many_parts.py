"""A paper of parts that do not need one another; in a module of its own, which other processes can import."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from ludens.papers.paper import Results, Workshop
from papers.fake import FakePaper, results

NAMES = [f"part {number}" for number in range(5)]


class ManyParts(FakePaper):
    """Each part says which process computed it."""

    def parts(self, shop: Workshop) -> Mapping[str, Callable[[], Any]]:
        def one(name: str) -> Callable[[], Any]:
            return lambda: shop.part(name, {"seeds": shop.seeds}, lambda: self.compute(name))

        return {name: one(name) for name in NAMES}

    def compute(self, name: str) -> Any:
        return os.getpid()

    def run(self, shop: Workshop) -> Results:
        processes = [compute() for compute in self.parts(shop).values()]
        made = results([0.5, 0.7, 0.8, 0.85], 0.9, shop.seeds)
        return Results(made.rows, [], [], [f"computed by {process}" for process in processes], [])


class OneFails(ManyParts):
    """As it might be interrupted."""

    def compute(self, name: str) -> Any:
        if name == NAMES[2]:
            raise ValueError("this part cannot be computed: expected another")
        return os.getpid()
