"""The learning page in a browser: a run started by hand, curves that grow, and what can be done with a run."""

import json
from typing import Any

import pytest

from web.looking import check_everywhere, open_page
from web.shelves import append, line, make_run, trial

LONG = 120_000
"""Milliseconds that a command may take on a busy machine."""


@pytest.mark.slow
def test_runs_are_listed_and_lead_to_their_curves(page: Any, server: Any) -> None:
    make_run(server.runs / "listed", [line(0, **trial(5)), line(500, **trial(40))])
    open_page(page, "/#/learn")
    card = page.locator('[data-run="listed"]')
    card.wait_for()
    assert "500 of 1,000 games · won 40.0 % against smart-random" in card.inner_text()
    card.click()
    page.locator('[data-curve="trials"]').wait_for()
    assert page.locator("h1").inner_text() == "listed"
    assert page.locator(".chip").first.inner_text() == "stopped"


@pytest.mark.slow
def test_runs_that_meet_several_opponents_or_tell_something_else(page: Any, server: Any) -> None:
    both = {"evaluation": {vs: trial(won)["evaluation"] | {"vs": vs} for vs, won in (("random", 70), ("greedy", 20))}}
    make_run(server.runs / "twofold", [line(0, **both), line(500, **both)])
    make_run(server.runs / "otherwise", [line(500, evaluation={"vs": "thesis", "games": 9, "counts": [[1, 2, 6]]})])
    open_page(page, "/#/learn")
    card = page.locator('[data-run="twofold"]')
    card.wait_for()
    assert "won 70.0 % against random · won 20.0 % against greedy" in card.inner_text()
    assert page.locator('[data-run="otherwise"]').inner_text().endswith("500 of 1,000 games")
    card.click()
    page.locator('[data-curve="trials-1"]').wait_for()
    assert "Trials against random" in page.locator('[data-curve="trials"]').inner_text()
    assert "Trials against greedy" in page.locator('[data-curve="trials-1"]').inner_text()
    open_page(page, "/#/learn/otherwise")
    page.locator('[data-curve="loss"]').wait_for()
    assert not page.locator('[data-curve="trials"]').is_visible()


@pytest.mark.slow
def test_curves_grow_as_lines_are_written(page: Any, server: Any) -> None:
    folder = server.runs / "growing-curves"
    make_run(folder, [line(0, **trial(5)), line(100)])
    open_page(page, "/#/learn/growing-curves")
    loss = page.locator('[data-curve="loss"]')
    loss.wait_for()
    assert loss.locator(".plot-line circle:visible").count() == 2
    trials = page.locator('[data-curve="trials"]')
    trials.get_by_role("button", name="drawn").click()
    append(folder, json.dumps(line(200, **trial(60))) + "\n")
    loss.locator(".plot-picture .plot-line circle").nth(2).wait_for()
    assert trials.locator(".plot-picture .plot-line").count() == 2  # what was switched off stays off
    trials.get_by_role("slider").focus()
    page.keyboard.press("End")
    assert "won 60.0 % (50.2 % to 69.1 %)" in trials.get_by_role("slider").get_attribute("aria-valuetext")
    check_everywhere(page)


@pytest.mark.slow
def test_what_can_be_done_with_a_run(page: Any, server: Any) -> None:
    make_run(server.runs / "halfway", [line(500)])
    open_page(page, "/#/learn/halfway")
    assert (
        page.get_by_role("link", name="Play its newest checkpoint").get_attribute("href")
        == "#/new/chung-toi?spec=run%3Ahalfway&hop=true&allow_pass=false"
    )
    assert page.get_by_role("button", name="Go on").is_visible()
    assert not page.get_by_role("button", name="Stop").is_visible()
    make_run(server.runs / "done", [line(1000)])
    open_page(page, "/#/learn/done")
    assert page.get_by_role("link", name="Play it").is_visible()
    assert not page.get_by_role("button", name="Go on").is_visible()


@pytest.mark.slow
def test_several_seeds_are_drawn_with_their_range(page: Any, server: Any) -> None:
    seeds = {"evaluation": {"vs": "random", "games": 10, "wins": [2, 6], "draws": [0, 0], "losses": [8, 4]}}
    make_run(server.runs / "pair", [line(0, loss=[0.1, 0.3], **seeds), line(9, loss=[0.2, 0.2], **seeds)], seeds=2)
    open_page(page, "/#/learn/pair")
    stage = page.locator('[data-curve="trials"]').get_by_role("slider")
    stage.focus()
    page.keyboard.press("Home")
    assert "won 40.0 % (20.0 % to 60.0 %)" in stage.get_attribute("aria-valuetext")


@pytest.mark.slow
def test_a_run_is_started_by_hand_and_learns(page: Any, server: Any) -> None:
    open_page(page, "/#/learn")
    page.get_by_label("Game", exact=True).select_option("chung-toi")
    page.get_by_label("Learner").select_option("td-lambda")
    page.get_by_label("Episodes", exact=True).fill("some")
    page.get_by_role("button", name="Start training").click()
    page.get_by_role("alert").filter(has_text="episodes is 'some': expected a whole number").wait_for()
    page.get_by_label("Episodes", exact=True).fill("60")
    page.get_by_text("All settings").click()
    page.get_by_label("Hidden", exact=True).fill("3")
    page.get_by_label("Name", exact=True).fill("by-hand")
    check_everywhere(page)
    page.get_by_role("button", name="Start training").click()
    page.wait_for_url("**/#/learn/by-hand")
    page.get_by_role("link", name="Play it", exact=True).wait_for(timeout=LONG)
    assert page.locator(".chip").first.inner_text() == "finished"
    assert page.locator('[data-curve="trials"]').is_visible()
    terms = json.loads((server.runs / "by-hand" / "run.json").read_bytes())
    assert (terms["config"]["episodes"], terms["config"]["hidden"]) == (60, 3)


@pytest.mark.slow
def test_a_run_that_is_not_there_is_a_sentence(page: Any) -> None:
    open_page(page, "/#/learn/none")
    assert "There is no run 'none'" in page.locator("main").inner_text()
