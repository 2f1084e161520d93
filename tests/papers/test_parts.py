"""Every paper's results made again from parts that an earlier version computed: the same rows, tables and figures.

`parts/NAME.json.xz` holds all parts of a `--quick` reproduction, by name, and the results that they gave then.
"""

import copy
import json
import lzma
import math
from pathlib import Path
from typing import Any

import pytest

from ludens.papers import PAPERS
from ludens.papers.codec import encode
from ludens.papers.provenance import Device, Provenance
from ludens.papers.reproduce import rounded
from ludens.papers.study import Study

KEPT = {name: Path(__file__).parent / "parts" / f"{name}.json.xz" for name in PAPERS}


def of_then(paper: str, name: str) -> str:
    """What a part was called."""
    if paper == "okey":
        return name.replace("training ", "training: ", 1).replace("matches of ", "matches: ", 1)
    if paper == "onitama":
        return name
    return name.removeprefix("training ").removeprefix("matches of ")


def as_of_now(name: str, part: Any) -> Any:
    """A part as its paper wants it today: curves `[T][R]`, evaluations with the games before them, nothing else new."""
    if name.startswith("matches of "):
        return {"against": part["matches"], **part} if "matches" in part else part
    if not name.startswith("training "):
        return part
    if "length" in part and "value" in part:  # Ur
        part["evaluations"] = [{"after": x, "value": y} for x, y in zip(part["games"], part["value"], strict=True)]
        part["curves"] = {"length": [[y] for y in part["length"]]}
    elif "length" in part:  # Chung Toi
        part["evaluations"] = [{**y, "after": x} for x, y in zip(part["games"], part["evaluations"], strict=True)]
        part["curves"] = {"length": [[part["length"]]]}
    elif "totals" not in part and "curves" in part:  # Onitama
        part["curves"] = {name: [[y] for y in values] for name, values in part["curves"].items()}
    return part


class Parts(Study):
    """Answers with the parts of then; nothing is computed."""

    def __init__(self, paper: str, kept: Any, folder: Path) -> None:
        super().__init__(folder, kept["scale"], kept["seeds"], Provenance("", {}, Device("", "", 1, 1), None))
        self.paper, self.kept, self.asked = paper, kept["parts"], set[str]()

    def part(self, name: str, settings: Any, compute: Any) -> Any:
        self.asked.add(of_then(self.paper, name))
        return as_of_now(name, copy.deepcopy(self.kept[of_then(self.paper, name)]))


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
def test_the_parts_of_then_give_the_results_of_then(name: str, tmp_path: Path) -> None:
    kept = json.loads(lzma.decompress(KEPT[name].read_bytes()))
    study = Parts(name, kept, tmp_path)
    made = encode(rounded(PAPERS[name]().run(study)))
    assert study.asked == set(study.kept)
    for row in [*made["rows"], *kept["rows"]]:
        del row["verdict"]
        row.pop("paper_ci95", None)
    assert close(made["rows"], kept["rows"])
    for what in ("tables", "figures"):
        for ours, theirs in zip(made[what], kept[what], strict=True):
            assert close(ours, theirs), theirs["name"]
    assert made["findings"] == kept["findings"]
    assert made["deviations"] == kept["deviations"]
