"""Results on the pages of the docs; and the committed pages are what the committed results make of them."""

import json
from pathlib import Path

import pytest

from ludens.papers.docs import BEGIN, END, FIGURES, page_with_results, publish
from ludens.papers.figures import mark
from ludens.papers.results import Reproduction, Results
from papers.test_results import reproduction

COMMITTED = Path(__file__).parents[2] / "docs" / "papers"


def stale(folder: Path) -> list[str]:
    """What in the docs is not as the committed results have it, a sentence each; empty: all is well."""
    wrong: list[str] = []
    figures: dict[str, str] = {}
    for path in sorted(folder.glob("*.json")):
        made = Reproduction.load(path)
        if path.stem != made.paper:
            wrong.append(f"{path.name} holds results of '{made.paper}'")
        page = path.with_suffix(".md")
        if not page.exists() or page.read_text(encoding="utf-8") != page_with_results(page, made):
            wrong.append(f"{page.name} is not what {path.name} makes of it")
        figures |= {f"{made.paper}-{figure.name}.svg": mark(figure) for figure in made.results.figures}
    for name, data in figures.items():
        drawn = folder / FIGURES / name
        if not drawn.exists() or data not in drawn.read_text(encoding="utf-8"):
            wrong.append(f"{FIGURES}/{name} is not drawn from its results")
    present = {path.name for path in (folder / FIGURES).glob("*.svg")}
    return wrong + [f"{FIGURES}/{name} belongs to no results" for name in sorted(present - set(figures))]


def test_the_committed_pages_are_what_their_results_make_of_them() -> None:
    assert stale(COMMITTED) == []


def test_committed_verdicts_follow_from_the_two_intervals() -> None:
    for path in COMMITTED.glob("*.json"):
        for row in Reproduction.load(path).results.rows:
            if row.paper is not None and "depth 4 (report: depth 2)" not in row.measure:
                low, high = row.ci95 or (row.ours, row.ours)
                paper_low, paper_high = row.paper_ci95 or (row.paper, row.paper)
                overlap = low <= paper_high and paper_low <= high
                assert overlap == (row.verdict in ("agrees", "cannot tell")), row


def test_a_page_is_begun_and_written_again_without_a_change(tmp_path: Path) -> None:
    (page,) = publish([reproduction()], tmp_path)
    text = page.read_text()
    assert page == tmp_path / "fake-game.md"
    assert text.startswith("# Learning to play \\<Fake> & Other Games\n")
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == [
        *("fake-game-figure-3.svg", "fake-game-figure-7.svg", "fake-game.json", "fake-game.md")
    ]
    for part in [
        "| won against smart random",
        "(figures/fake-game-figure-3.svg)",
        "NVIDIA H200",
        "- The paper does not state",
    ]:
        assert part in text
    assert "ludens reproduce fake-game --full --seeds 20" in text
    assert "0123456789ab" in text
    assert "Reduced scale" not in text
    assert Reproduction.load(tmp_path / "fake-game.json").to_json() == (tmp_path / "fake-game.json").read_text()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    publish([Reproduction.load(tmp_path / "fake-game.json")], tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before
    assert stale(tmp_path) == []


def test_a_persons_words_stay(tmp_path: Path) -> None:
    page = tmp_path / "fake-game.md"
    page.write_text(f"# Ours\n\nBefore.\n\n{BEGIN}\nold\n{END}\n\nAfter.\n")
    publish([reproduction(scale="quick")], tmp_path)
    text = page.read_text()
    assert text.startswith(f"# Ours\n\nBefore.\n\n{BEGIN}\n")
    assert text.endswith(f"{END}\n\nAfter.\n")
    assert "old" not in text
    assert "**Reduced scale" in text
    page.write_text(text.replace("After.", "After all."))
    assert stale(tmp_path) == []


@pytest.mark.parametrize("text", ["no marks", BEGIN, f"{END}\n{BEGIN}\n", f"{BEGIN}{END}{BEGIN}{END}"])
def test_a_page_without_a_place_for_results_is_left_alone(tmp_path: Path, text: str) -> None:
    page = tmp_path / "fake-game.md"
    page.write_text(text)
    with pytest.raises(ValueError, match="has no place for results: expected '<!-- results: begin -->' and below it"):
        publish([reproduction()], tmp_path)
    assert page.read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["fake-game.md"]


def test_figures_that_are_no_more_go(tmp_path: Path) -> None:
    publish([reproduction()], tmp_path)
    publish([reproduction(paper="fake")], tmp_path)
    publish([reproduction(Results([], [], [], [], []))], tmp_path)
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == ["fake-figure-3.svg", "fake-figure-7.svg"]
    assert stale(tmp_path) == []


def test_stale_pages_and_figures_are_found(tmp_path: Path) -> None:
    publish([reproduction()], tmp_path)
    page, data = tmp_path / "fake-game.md", tmp_path / "fake-game.json"
    first, second = tmp_path / "figures" / "fake-game-figure-3.svg", tmp_path / "figures" / "fake-game-figure-7.svg"
    sound = {path: path.read_text() for path in (page, data, first, second)}

    page.write_text(sound[page].replace("90.0 %", "99.0 %"))
    assert stale(tmp_path) == ["fake-game.md is not what fake-game.json makes of it"]
    page.unlink()
    assert stale(tmp_path) == ["fake-game.md is not what fake-game.json makes of it"]
    page.write_text(sound[page])

    facts = json.loads(sound[data])
    facts["figures"][0]["panels"][0]["series"][0]["y"][0] = 0.4
    data.write_text(json.dumps(facts))
    assert stale(tmp_path) == ["figures/fake-game-figure-3.svg is not drawn from its results"]
    data.write_text(sound[data])

    second.rename(tmp_path / "figures" / "other.svg")
    assert stale(tmp_path) == [
        "figures/fake-game-figure-7.svg is not drawn from its results",
        "figures/other.svg belongs to no results",
    ]
    (tmp_path / "figures" / "other.svg").rename(second)

    data.rename(tmp_path / "another.json")
    page.rename(tmp_path / "another.md")
    assert stale(tmp_path) == ["another.json holds results of 'fake-game'"]
