"""The arena's page in a browser: a match ordered by hand, and tournaments as their books tell them."""

from typing import Any

import pytest

from web.looking import check_everywhere, open_page
from web.shelves import make_tournament

LONG = 120_000
"""Milliseconds that a command may take on a busy machine."""


@pytest.mark.slow
def test_a_match_is_ordered_and_its_result_read(page: Any) -> None:
    open_page(page, "/#/arena")
    page.get_by_label("Game", exact=True).select_option("onitama")
    page.get_by_label("First player").select_option("random")
    page.get_by_label("Games", exact=True).fill("12")
    page.get_by_role("button", name="Play the match").click()
    card = page.locator(".job").filter(has_text="onitama: random against random").first
    card.wait_for()
    card.locator(".match").wait_for(timeout=LONG)
    assert card.get_attribute("data-state") == "done"
    assert card.locator("tbody tr").last.locator("td").first.inner_text() == "12"
    assert "of the points for random against random" in card.inner_text()
    card.get_by_text("In a terminal").click()
    assert "ludens match onitama random random --games=12" in card.inner_text()
    check_everywhere(page)


@pytest.mark.slow
def test_what_cannot_be_played_is_said(page: Any) -> None:
    open_page(page, "/#/arena")
    page.get_by_label("Games", exact=True).fill("0")
    page.get_by_role("button", name="Play the match").click()
    page.get_by_role("alert").filter(has_text="'games' is not right").wait_for()
    page.get_by_label("Tournament", exact=True).check()
    page.get_by_role("button", name="Hold the tournament").click()
    page.get_by_role("alert").filter(has_text="'players' is not right").wait_for()


@pytest.mark.slow
def test_entrants_are_chosen_and_removed(page: Any) -> None:
    open_page(page, "/#/arena")
    page.get_by_label("Game", exact=True).select_option("chung-toi")
    page.get_by_label("Tournament", exact=True).check()
    entrants = page.locator(".entrants li")
    page.get_by_label("Add a player").select_option("smart-random")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Add", exact=True).click()
    assert entrants.all_inner_texts() == ["smart-random"]
    page.get_by_role("button", name="Add all on the ladder").click()
    assert entrants.count() > 4
    page.get_by_role("button", name="Remove smart-random").click()
    assert "smart-random" not in entrants.all_inner_texts()


def test_a_tournament_of_a_terminal_is_shown(page: Any, server: Any) -> None:
    make_tournament(server.tournaments / "shown", rounds=5)
    open_page(page, "/#/arena")
    page.get_by_role("link", name="shown").click()
    page.locator(".standings").wait_for()
    assert page.locator(".standings tbody th").all_inner_texts() == ["smart-random", "alphabeta:1", "random"]
    assert "12 of 15 games played" in page.locator("main").inner_text()
    net, turns = page.locator(".matrix").all()
    assert net.locator("tbody td").all_inner_texts() == ["·", "−4", "−4", "+4", "·", "−4", "+4", "+4", "·"]
    assert turns.locator("tbody tr").last.locator("td").all_inner_texts() == ["8", "9", "·"]
    assert page.locator(".plot-picture .plot-line").count() == 3
    assert page.get_by_role("button", name="Go on").is_visible()
    check_everywhere(page)


@pytest.mark.slow
def test_a_tournament_that_is_played_meanwhile_moves_on(page: Any, server: Any) -> None:
    import sqlite3

    folder = server.tournaments / "moving"
    make_tournament(folder, rounds=5)
    with sqlite3.connect(folder / "tournament.sqlite") as book:
        rest = book.execute("SELECT * FROM games WHERE round = 3").fetchall()
        book.execute("DELETE FROM games WHERE round = 3")
    open_page(page, "/#/arena/moving")
    page.get_by_text("9 of 15 games played").wait_for()
    with sqlite3.connect(folder / "tournament.sqlite") as book:
        book.executemany("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)", rest)
    page.get_by_text("12 of 15 games played").wait_for()
    assert page.locator(".plot-picture .plot-line circle").count() == 3 * 5
