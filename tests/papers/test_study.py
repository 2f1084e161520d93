"""A study: every finished part is kept, and only what was really computed is trusted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludens.papers.provenance import Device, Provenance
from ludens.papers.results import Scale
from ludens.papers.study import Observer, Study
from papers.test_results import CPU, GPU


class Notes(Observer):
    """Remembers."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def part_started(self, part: str) -> None:
        self.seen.append(("begins", part))

    def progress(self, what: str, share: float) -> None:
        self.seen.append((what, share))

    def part_finished(self, part: str, seconds: float, *, kept: bool) -> None:
        self.seen.append(("kept" if kept else "ends", part))


def study(
    folder: Path,
    *,
    scale: Scale = "quick",
    device: Device = CPU,
    commit: str | None = "c0ffee",
    notes: Notes | None = None,
) -> Study:
    origin = Provenance("2026-01-31T12:00:00Z", {}, device, commit)
    return Study(folder, scale, 2, origin, notes or Notes())


def counted(value: Any) -> tuple[Callable[[], Any], list[int]]:
    calls: list[int] = []

    def compute() -> Any:
        calls.append(1)
        return value

    return compute, calls


def test_a_part_is_computed_once(tmp_path: Path) -> None:
    compute, calls = counted({"curve": np.array([0.5, 0.25], np.float32), "pair": (1, None), "gap": float("nan")})
    notes = Notes()
    first = study(tmp_path, notes=notes).part("a part", {"games": (1, 2)}, compute)
    again = study(tmp_path, notes=notes).part("a part", {"games": [1, 2]}, compute)
    assert len(calls) == 1
    assert notes.seen == [("begins", "a part"), ("ends", "a part"), ("kept", "a part")]
    assert (first["curve"], first["pair"]) == ([0.5, 0.25], [1, None])
    assert repr(first) == repr(again)  # whether computed or read


def test_other_settings_names_and_scales_are_other_parts(tmp_path: Path) -> None:
    compute, calls = counted(1)
    study(tmp_path).part("a", {"x": 1}, compute)
    study(tmp_path).part("a", {"x": 2}, compute)
    study(tmp_path).part("b", {"x": 1}, compute)
    study(tmp_path).part("A", {"x": 1}, compute)
    study(tmp_path, scale="full").part("a", {"x": 1}, compute)
    assert len(calls) == 5
    assert len(list((tmp_path / "parts").iterdir())) == 5


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    def interrupted() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(tmp_path).part("a", {}, interrupted)
    assert not list(tmp_path.rglob("*.json"))
    compute, calls = counted(3)
    assert study(tmp_path).part("a", {}, compute) == 3
    assert calls
    with pytest.raises(TypeError, match="a part gave"):
        study(tmp_path).part("b", {}, lambda: tmp_path)


def changed(facts: dict[str, Any], **others: Any) -> str:
    return json.dumps(facts | others)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda facts: "",
        lambda facts: json.dumps(facts)[:-5],
        lambda facts: "[]",
        lambda facts: "{}",
        lambda facts: "\udcff",
        lambda facts: changed(facts, value={"won": 2}),
        lambda facts: changed(facts, key={**facts["key"], "settings": {"x": 9}}),
        lambda facts: changed(facts, key={**facts["key"], "format": 0}),
        lambda facts: changed(facts, seconds="long"),
        lambda facts: changed(facts, device={"kind": "abacus"}),
        lambda facts: json.dumps({name: each for name, each in facts.items() if name != "commit"}),
    ],
)
def test_a_spoiled_file_is_not_trusted(tmp_path: Path, spoil: Callable[[dict[str, Any]], str]) -> None:
    compute, calls = counted({"won": 1})
    study(tmp_path).part("a", {"x": 1}, compute)
    (path,) = (tmp_path / "parts").iterdir()
    sound = path.read_bytes()
    path.write_bytes(spoil(json.loads(sound)).encode(errors="surrogateescape"))
    assert study(tmp_path).part("a", {"x": 1}, compute) == {"won": 1}
    assert len(calls) == 2
    assert json.loads(path.read_bytes())["value"] == {"won": 1}


def test_it_knows_who_computed_what_and_how_long_that_took(tmp_path: Path) -> None:
    study(tmp_path, device=GPU, commit="old").part("a", {}, lambda: 1)
    (path,) = (tmp_path / "parts").iterdir()
    path.write_text(changed(json.loads(path.read_text()), seconds=100.0))
    later = study(tmp_path)
    later.part("all", {}, lambda: [later.part("a", {}, lambda: 2), later.part("b", {}, lambda: 3)])
    later.part("c", {}, lambda: 4)
    assert later.parts == 4
    assert [(work.device, work.commit, work.parts) for work in later.work] == [(GPU, "old", 1), (CPU, "c0ffee", 3)]
    assert later.seconds_kept == 100.0
    assert 100.0 <= later.work[1].seconds < 110.0  # 'all' took what 'a' had taken before


def test_folders_of_runs_are_kept_apart_by_scale(tmp_path: Path) -> None:
    quick, full = study(tmp_path).folder("run"), study(tmp_path, scale="full").folder("run")
    assert quick != full
    assert quick == study(tmp_path).folder("run")
    assert quick.is_relative_to(tmp_path / "runs")
    assert quick.parent.is_dir()


def test_it_shows_progress(tmp_path: Path) -> None:
    notes = Notes()
    here = study(tmp_path, notes=notes)
    here.progress("training", 0.5)
    assert notes.seen == [("training", 0.5)]
    assert (here.scale, here.seeds) == ("quick", 2)
