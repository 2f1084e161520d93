"""Every paper's results made again from parts that an earlier version computed: the same rows, tables and figures.

`parts/NAME.json.xz` holds all parts of a `--quick` reproduction, by name, and the results that they gave then.
"""

import json
import lzma
import math
from pathlib import Path
from typing import Any

import pytest

from ludens.papers import PAPERS
from ludens.papers.plain import plain
from ludens.papers.reproduce import _rounded

KEPT = {name: Path(__file__).parent / "parts" / f"{name}.json.xz" for name in PAPERS}


class Parts:
    """Answers with the parts of then, by name; nothing is computed."""

    def __init__(self, kept: Any) -> None:
        self.scale, self.seeds, self.parts = kept["scale"], kept["seeds"], kept["parts"]
        self.asked: set[str] = set()

    def part(self, name: str, settings: Any, compute: Any) -> Any:
        self.asked.add(name)
        return self.parts[name]

    def folder(self, name: str) -> Path:
        return Path(name)


def close(ours: Any, theirs: Any) -> bool:
    """Equal, numbers to nine digits: sums may be added up in another order."""
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(close(ours[name], theirs[name]) for name in theirs)
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(close, ours, theirs))
    if isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(theirs, str) and ours != theirs:  # moves that as many seeds play once came in any order
        return sorted(ours.split(", ")) == sorted(theirs.split(", "))
    return bool(ours == theirs)


@pytest.mark.parametrize("name", PAPERS)
def test_the_parts_of_then_give_the_results_of_then(name: str) -> None:
    kept = json.loads(lzma.decompress(KEPT[name].read_bytes()))
    study = Parts(kept)
    made = plain(_rounded(PAPERS[name]().run(study)))
    assert study.asked == set(study.parts)
    for row in [*made["rows"], *kept["rows"]]:
        del row["verdict"]
    assert close(made["rows"], kept["rows"])
    for what in ("tables", "figures"):
        for ours, theirs in zip(made[what], kept[what], strict=True):
            assert close(ours, theirs), theirs["name"]
    assert made["findings"] == kept["findings"]
    assert made["deviations"] == kept["deviations"]
