"""Parts computed in processes of their own: all of them, once, where the paper then reads them."""

import os
from pathlib import Path

import pytest

from ludens.papers.reproduce import reproduce
from ludens.papers.side_by_side import Nobody
from papers.fake import FakePaper
from papers.many_parts import NAMES, ManyParts, OneFails


def test_all_parts_are_computed_elsewhere_and_read_here(tmp_path: Path) -> None:
    made = reproduce(ManyParts(), "quick", 1, tmp_path, Nobody(), jobs=2)
    processes = {finding.removeprefix("computed by ") for finding in made.results.findings}
    assert len(made.results.findings) == len(NAMES)
    assert 1 <= len(processes) <= 2
    assert str(os.getpid()) not in processes
    again = reproduce(ManyParts(), "quick", 1, tmp_path, Nobody())  # nothing is computed twice
    assert again.results.findings == made.results.findings


def test_alone_everything_is_computed_here(tmp_path: Path) -> None:
    made = reproduce(ManyParts(), "quick", 1, tmp_path, Nobody())
    assert set(made.results.findings) == {f"computed by {os.getpid()}"}


def test_a_part_that_fails_is_told_and_the_others_are_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="this part cannot be computed"):
        reproduce(OneFails(), "quick", 1, tmp_path, Nobody(), jobs=2)
    assert not (tmp_path / ManyParts.name / "results.json").exists()
    kept = list((tmp_path / ManyParts.name / "parts").iterdir())
    before = {path: path.read_bytes() for path in kept}
    reproduce(ManyParts(), "quick", 1, tmp_path, Nobody(), jobs=2)  # the same command goes on, once the cause is gone
    assert before
    assert all(path.read_bytes() == content for path, content in before.items())
    assert len(list((tmp_path / ManyParts.name / "parts").iterdir())) == len(NAMES)


def test_a_paper_without_such_parts_is_run_as_ever(tmp_path: Path) -> None:
    made = reproduce(FakePaper(), "quick", 1, tmp_path, Nobody(), jobs=3)
    assert made.work[0].parts == 2
