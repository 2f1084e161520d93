"""`ludens reproduce` and `ludens publish`: what they write and print, how they go on, and what they refuse."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ludens.cli import reproduce as cli
from ludens.papers.results import Reproduction, Results
from ludens.papers.study import Study
from papers.fake import FakePaper


class OtherPaper(FakePaper):
    """Without figures, which take longest."""

    name = "other"
    title = "Another"

    def run(self, study: Study) -> Results:
        return replace(super().run(study), figures=())


@pytest.fixture(autouse=True)
def papers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.papers.PAPERS", {"fake-game": FakePaper, "other": OtherPaper}, raising=False)
    monkeypatch.setattr(FakePaper, "computed", [])
    monkeypatch.setenv("COLUMNS", "120")


def run(*names: str, out: Path, **options: Any) -> None:
    usual: dict[str, Any] = {"quick": False, "full": False, "seeds": None, "jobs": None, "json": False}
    cli.run(names, out=out, **(usual | options))


def test_everything_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fake-game", out=tmp_path)
    names = {
        str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file() and "parts" not in path.parts
    }
    assert names == {
        f"fake-game/{name}"
        for name in [
            *("results.json", "rows.md", "rows.csv", "table-1.md", "table-1.csv"),
            *("figure-3.png", "figure-3.svg", "figure-7.png", "figure-7.svg"),
        ]
    }
    made = Reproduction.load(tmp_path / "fake-game" / "results.json")
    assert (made.paper, made.scale, made.seeds) == ("fake-game", "quick", 2)
    assert made.command == "ludens reproduce fake-game --quick --seeds 2"
    assert made.seconds > 0
    assert made.work[0].parts == 2
    assert "**Reduced scale" in (tmp_path / "fake-game" / "rows.md").read_text()
    said = capsys.readouterr()
    assert said.err == ""  # no bar where nobody looks
    for text in [
        "89.6 % (88.5 to 90.8)",
        "agrees",
        "better",
        "differs",
        "ours alone",
        "Reduced scale",
        f"Results are in {tmp_path} (",
    ]:
        assert text in said.out, text
    assert "s, all parts added up" in said.out
    assert said.out.rstrip().endswith(" s)")  # by the clock


def test_a_narrow_terminal_has_room_for_the_measure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run("fake-game", out=tmp_path)
    lines = capsys.readouterr().out.splitlines()
    table = [line.split() for line in lines]
    assert ["length", "of", "a", "game", "(moves)", "12", "15.25", "2", "differs"] in table
    assert ["(15", "to", "15.5)"] in table
    assert ["regret", "of", "perfect", "play", "–", "0", "–", "ours", "alone"] in table  # exact: no interval is shown


def test_full_scale_seeds_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("other", out=tmp_path, full=True, json=True)
    facts = json.loads(capsys.readouterr().out)
    assert (facts["scale"], facts["seeds"]) == ("full", 20)
    assert facts == json.loads((tmp_path / "other" / "results.json").read_text())
    run("other", out=tmp_path, full=True, seeds=3)
    assert "Reduced" not in capsys.readouterr().out
    assert json.loads((tmp_path / "other" / "results.json").read_text())["rows"][0]["seeds"] == 3


def test_all_papers(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    run("all", out=tmp_path, json=True)
    assert [each["paper"] for each in json.loads(capsys.readouterr().out)] == ["fake-game", "other"]
    monkeypatch.chdir(tmp_path)
    run("other", out=Path("results"))
    assert "Results are in results; `ludens serve` shows them beside each other (" in capsys.readouterr().out


def test_an_interrupted_reproduction_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(FakePaper, "before_second", staticmethod(interrupt))
        with pytest.raises(KeyboardInterrupt):
            run("other", out=tmp_path)
    assert FakePaper.computed == ["first"]
    said = " ".join(capsys.readouterr().err.split())
    assert f"finished parts of other (1) are safe in {tmp_path / 'other'}; the same command goes on." in said
    assert not (tmp_path / "other" / "results.json").exists()
    run("other", out=tmp_path)
    assert FakePaper.computed == ["first", "second"]
    run("other", out=tmp_path)
    assert FakePaper.computed == ["first", "second"]
    run("other", out=tmp_path, seeds=7)
    assert FakePaper.computed == ["first", "second"] * 2


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    run("fake-game", out=tmp_path / "a")
    run("fake-game", out=tmp_path / "b")
    drawn = [
        path for path in (tmp_path / "a" / "fake-game").iterdir() if path.is_file() and path.name != "results.json"
    ]
    assert len(drawn) == 8
    for path in drawn:
        assert path.read_bytes() == (tmp_path / "b" / "fake-game" / path.name).read_bytes(), path.name


@pytest.mark.parametrize(
    ("names", "options", "sentence"),
    [
        (("fake-game",), {"quick": True, "full": True}, "--quick and --full are both given: expected one of them"),
        (("fake-game",), {"seeds": 0}, "--seeds is 0: expected 1 or more"),
        (("fake-game",), {"jobs": 0}, "--jobs is 0: expected 1 or more"),
        (("chess",), {}, "unknown paper 'chess': expected all or some of fake-game, other"),
        (("all", "chess"), {}, "unknown paper 'chess'"),
        ((), {}, "no paper named: expected all or some of fake-game, other"),
    ],
)
def test_what_cannot_be(tmp_path: Path, names: tuple[str, ...], options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        run(*names, out=tmp_path / "results", **options)
    assert not (tmp_path / "results").exists()


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "results"):
        with pytest.raises(ValueError, match="expected a folder for results"):
            run("fake-game", out=out)
    (tmp_path / "fake-game").write_text("")  # where this paper's results would be
    with pytest.raises(ValueError, match=r"fake-game cannot be made .*: expected a folder for results"):
        run("fake-game", out=tmp_path)
    assert FakePaper.computed == []


def test_publishing_into_the_docs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("all", out=tmp_path / "results", json=True)
    capsys.readouterr()
    files = sorted((tmp_path / "results").glob("*/results.json"))
    cli.publish(files, tmp_path / "docs")
    assert capsys.readouterr().out.split() == [str(tmp_path / "docs" / f"{name}.md") for name in ("fake-game", "other")]
    assert (tmp_path / "docs" / "other.json").read_text() == files[1].read_text()
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(ValueError, match="is not JSON, or not all of it"):
        cli.publish([files[0], tmp_path / "bad.json"], tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(ValueError, match="no results named"):
        cli.publish([], tmp_path / "docs")
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "other.md").write_text("a page without marks")
    with pytest.raises(ValueError, match=r"other\.md has no place for results"):
        cli.publish(files, tmp_path / "strange")
    assert {path.name for path in (tmp_path / "strange").rglob("*") if path.is_file()} == {"other.md"}
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "figures").write_text("")
    with pytest.raises(ValueError, match="figures cannot be made"):
        cli.publish(files, tmp_path / "file")
