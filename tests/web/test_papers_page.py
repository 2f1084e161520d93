"""The papers' page in a browser: every figure, table and verdict of the results, read by pointer and keyboard."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from ludens.papers.format import VERDICTS
from web.looking import check_everywhere, open_page

DOCS = Path(__file__).parents[2] / "docs" / "papers"


@pytest.fixture
def papers(server: Any) -> list[str]:
    """The published results, where the server looks for them."""
    names = []
    for path in sorted(DOCS.glob("*.json")):
        (server.results / path.stem).mkdir(exist_ok=True)
        shutil.copy(path, server.results / path.stem / "results.json")
        names.append(path.stem)
    return names


@pytest.mark.slow
def test_the_list_leads_to_every_paper(page: Any, papers: list[str]) -> None:
    open_page(page, "/#/papers")
    links = page.locator(".paper-list a").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
    assert links == [f"#/papers/{name}" for name in papers]
    explained = page.locator(".verdicts")
    said = zip(explained.locator("dt").all_inner_texts(), explained.locator("dd").all_inner_texts(), strict=True)
    assert dict(said) == VERDICTS  # as the reports have them
    check_everywhere(page)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(path.stem, marks=() if path.stem == "ur" else pytest.mark.slow)
        for path in sorted(DOCS.glob("*.json"))
    ],
)
def test_everything_in_the_results_is_shown(page: Any, papers: list[str], name: str) -> None:
    made = json.loads((DOCS / f"{name}.json").read_bytes())
    open_page(page, f"/#/papers/{name}")
    assert page.locator("h1").inner_text() == made["title"]
    assert page.locator(".beside tbody tr").count() == len(made["rows"])
    verdicts = page.locator(".beside tbody .chip").all_inner_texts()
    assert verdicts == [row["verdict"] for row in made["rows"]]
    for figure in made["figures"]:
        drawn = page.locator(f'[data-figure="{figure["name"]}"]')
        assert drawn.locator(".plot").count() == len(figure["panels"])
        lines = sum(len(panel["series"]) for panel in figure["panels"])
        assert drawn.locator(".plot-picture .plot-line").count() == lines
        bands = sum(series["low"] is not None for panel in figure["panels"] for series in panel["series"])
        assert drawn.locator(".plot-band").count() == bands
        assert drawn.locator(".plot-levels text").count() == sum(len(panel["lines"]) for panel in figure["panels"])
    text = page.locator("main").inner_text()
    for table in made["tables"]:
        assert table["title"] in text
    for sentence in made["findings"] + made["deviations"]:
        assert " ".join(sentence.replace("`", "").split())[:60] in " ".join(text.split())
    assert made["command"] in text
    assert not re.search(r"NaN|undefined|\[object", text)


@pytest.mark.slow
def test_a_paper_keeps_nobody_out(page: Any, papers: list[str]) -> None:
    open_page(page, "/#/papers/ur")
    check_everywhere(page)


@pytest.mark.slow
def test_a_figure_is_read_without_a_mouse(page: Any, papers: list[str]) -> None:
    made = json.loads((DOCS / "chung-toi.json").read_bytes())
    panel = made["figures"][0]["panels"][0]
    ours = panel["series"][0]
    open_page(page, "/#/papers/chung-toi")
    figure = page.locator(".plot").first
    stage = figure.get_by_role("slider")
    stage.focus()
    page.keyboard.press("Home")
    assert stage.get_attribute("aria-valuetext").startswith(f"{ours['x'][0]:g}: {ours['label']} ")
    page.keyboard.press("ArrowRight")
    assert stage.get_attribute("aria-valuetext").startswith(f"{ours['x'][1]:g}: {ours['label']} ")
    assert figure.locator(".plot-readout").is_visible()
    page.keyboard.press("Escape")
    assert not figure.locator(".plot-readout").is_visible()


@pytest.mark.slow
def test_lines_are_switched_off_and_on(page: Any, papers: list[str]) -> None:
    open_page(page, "/#/papers/chung-toi")
    figure = page.locator(".plot").first
    lines = figure.locator(".plot-picture .plot-line")
    before = lines.count()
    key = figure.locator(".plot-key").first
    key.press("Enter")
    assert (key.get_attribute("aria-pressed"), lines.count()) == ("false", before - 1)
    key.press("Enter")
    assert (key.get_attribute("aria-pressed"), lines.count()) == ("true", before)


@pytest.mark.slow
def test_the_numbers_stand_in_a_table(page: Any, papers: list[str]) -> None:
    made = json.loads((DOCS / "chung-toi.json").read_bytes())
    series = made["figures"][0]["panels"][0]["series"]
    open_page(page, "/#/papers/chung-toi")
    figure = page.locator(".plot").first
    figure.locator("summary").click()
    figure.locator("tbody tr").first.wait_for()
    assert figure.locator("thead th").count() == 1 + len(series)
    assert figure.locator("tbody tr").count() == len({x for each in series for x in each["x"]})


@pytest.mark.slow
def test_a_paper_that_is_not_there_is_a_sentence(page: Any, papers: list[str]) -> None:
    open_page(page, "/#/papers/none")
    assert "there are no results of a paper 'none'" in page.locator("main").inner_text()
