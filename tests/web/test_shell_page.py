"""The page around the games: front page, routes, themes, new games, rules; with a screen reader and on a phone."""

import re
from pathlib import Path
from typing import Any

import pytest

import ludens.web
from web.looking import grave_findings, open_page, overflow, until

GAMES = ("othello", "onitama", "ur", "chung-toi", "okey")
STATIC = Path(ludens.web.__file__).parent / "static"
LIMIT = 300_000
"""Bytes that a first visit may load in all."""


# ---------------------------------------------------------------------- files


def test_nothing_is_inline_and_nothing_comes_from_elsewhere() -> None:
    """The policy forbids inline scripts and styles, and no file names another host."""
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=", index)
    for path in STATIC.rglob("*.*"):
        if path.suffix in (".html", ".css", ".js", ".svg"):
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]", text), path


def test_every_file_the_page_names_exists() -> None:
    """Links in the page, modules that import each other, pictures and rules of every game."""
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    for address in re.findall(r"(?:src|href)=\"/static/([^\"]+)\"", index):
        assert (STATIC / address).is_file(), address
    for module in (STATIC / "js").rglob("*.js"):
        for other in re.findall(r"(?:from|import\()\s*\"(\.[^\"$]+)\"", module.read_text(encoding="utf-8")):
            assert (module.parent / other).resolve().is_file(), f"{module.name} imports {other}"
    for game in GAMES:
        for needed in (f"img/{game}.svg", f"rules/{game}.html", f"js/boards/{game}.js", f"css/board-{game}.css"):
            assert (STATIC / needed).is_file(), needed


def test_text_can_be_read_in_both_themes() -> None:
    """Every colour of text against every ground it stands on: at least 4.5 to 1."""
    theme = (STATIC / "css" / "theme.css").read_text(encoding="utf-8").split("[data-game=")[0]
    colours = dict(re.findall(r"(--[a-z0-9-]+): light-dark\((#[0-9a-f]{6}, #[0-9a-f]{6})\)", theme))
    for scheme in (0, 1):
        pick = {name: pair.split(", ")[scheme] for name, pair in colours.items()}
        for ink in ("--ink", "--ink-2", "--accent", "--good", "--bad", "--warn"):
            for ground in ("--bg", "--surface", "--surface-2"):
                assert _contrast(pick[ink], pick[ground]) >= 4.5, (scheme, ink, ground)
        assert _contrast(pick["--accent-ink"], pick["--accent"]) >= 4.5


def _contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# ---------------------------------------------------------------------- front page and routes


def test_front_page_needs_no_answer_from_the_server(page: Any) -> None:
    """Five games with picture and sentence, and links on, though no request to the API succeeds."""
    page.route("**/api/**", lambda route: route.abort())
    open_page(page, "/")
    cards = page.locator(".game-card")
    assert [cards.nth(place).get_attribute("href") for place in range(5)] == [f"#/new/{game}" for game in GAMES]
    assert all(len(text) > 30 for text in page.locator(".game-card p").all_inner_texts())
    assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
    assert page.locator(".site-nav a").all_inner_texts() == ["Arena", "Learn", "Papers"]


@pytest.mark.slow
def test_first_visit_is_small(page: Any, http: Any) -> None:
    """Everything that the front page and then a table load, together."""
    sizes: dict[str, int] = {}
    page.on("response", lambda got: sizes.__setitem__(got.url, len(got.body()) if got.status == 200 else 0))
    open_page(page, "/")
    home = sum(sizes.values())
    seats = [{"kind": "person"}, {"kind": "agent", "spec": "random"}]
    table = http.post("/api/tables", json={"game": "okey", "variant": {}, "seats": seats})  # has the largest board
    page.goto(f"/#/table/{table.json()['table']}")
    page.wait_for_selector(".board-frame[data-version]")
    page.wait_for_load_state("networkidle")
    assert 10_000 < home < sum(sizes.values()) < LIMIT, sizes


@pytest.mark.slow
def test_routes_move_the_focus_and_name_themselves(page: Any) -> None:
    """A new page is announced by its heading; an address that names nothing says so and leads back."""
    open_page(page, "/")
    page.click(".game-card[href='#/new/ur']")
    page.wait_for_selector(".new-game")
    until(page, "document.activeElement.tagName === 'H1'")
    assert page.title() == "New game of Royal Game of Ur · Ludens"
    page.evaluate("location.hash = '#/nowhere'")
    page.wait_for_selector("h1:has-text('Nothing is here')")
    page.go_back()
    page.wait_for_selector(".new-game")
    page.click(".brand")
    page.wait_for_selector(".game-card")
    page.evaluate("location.hash = '#/new/chess'")
    page.wait_for_selector(".message")
    assert "There is no game 'chess'" in page.inner_text(".message")


@pytest.mark.slow
def test_skip_link_leads_to_the_content(page: Any) -> None:
    """The first stop of the Tab key, and it does not change the route."""
    open_page(page, "/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert "#main" not in page.url


@pytest.mark.slow
def test_theme_follows_the_system_until_it_is_chosen(browser: Any, server: Any) -> None:
    """The switch turns it over, and the choice is there before anything is painted next time."""
    context = browser.new_context(base_url=server.url, color_scheme="dark")
    page = context.new_page()
    open_page(page, "/")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(ground)
    assert page.get_attribute("#theme-switch", "aria-pressed") == "true"
    page.click("#theme-switch")
    light = page.evaluate(ground)
    assert light != dark
    page.add_init_script(
        "addEventListener('DOMContentLoaded', () => window.early = document.documentElement.dataset.theme)"
    )
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.evaluate("window.early") == "light"
    assert page.evaluate(ground) == light
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_pages_are_accessible_and_fit(browser: Any, server: Any, width: int, scheme: str) -> None:
    """Axe has nothing grave to say about the front page, new games of all sorts and the rules; nothing sticks out."""
    context = browser.new_context(
        base_url=server.url, viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    open_page(page, "/")
    assert (grave_findings(page), overflow(page)) == ([], 0)
    for game in GAMES:
        page.goto(f"/#/new/{game}")
        page.wait_for_selector(f".new-game[data-game={game}]")
        page.wait_for_selector("body[data-ready]")
        page.click("summary")
        assert (game, overflow(page)) == (game, 0)
        if game in ("othello", "onitama", "okey"):  # which have every sort of option between them
            assert (game, grave_findings(page)) == (game, [])
    page.click("text=Rules")
    page.wait_for_selector(".rules li")
    assert grave_findings(page) == []
    context.close()


# ---------------------------------------------------------------------- a new game


@pytest.mark.slow
def test_rules_of_every_game_are_one_click_away(page: Any) -> None:
    """Escape closes them and gives the focus back."""
    for game in GAMES:
        page.goto(f"/#/new/{game}")
        page.wait_for_selector(f".new-game[data-game={game}]")
        page.click("text=Rules")
        page.wait_for_selector(".rules h3")
        assert len(page.inner_text(".rules")) > 500
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        assert page.evaluate("document.activeElement.innerText") == "Rules"


@pytest.mark.slow
def test_a_typed_spec_is_checked_by_the_server(page: Any) -> None:
    """The sentence appears, starting is refused with the same, and the address stays."""
    open_page(page, "/#/new/othello")
    page.click("text=Another agent")
    page.fill(".field .mono >> visible=true", "gnubg")
    told = page.locator(".field [role=status] >> visible=true")
    told.filter(has_text="gnubg").wait_for()
    page.click("button.start")
    page.locator(".new-foot .problem").filter(has_text="gnubg").wait_for()
    assert page.url.endswith("#/new/othello")
    page.fill(".field .mono >> visible=true", "random")
    until(page, "document.querySelector('.field [role=status]').textContent === ''")
    page.click("button.start")
    page.wait_for_selector(".board-frame[data-version]")


@pytest.mark.slow
def test_the_address_can_choose(page: Any) -> None:
    """`?spec=...&seat=1&size=6` is preselected, whatever was played before."""
    open_page(page, "/#/new/othello?spec=alphabeta:3:mobility&seat=1&size=6")
    assert page.input_value(".field .mono >> visible=true") == "alphabeta:3:mobility"
    assert page.locator(".sides input").nth(1).is_checked()
    assert page.locator("select").first.input_value() == "6"


def test_seats_follow_the_variant(page: Any) -> None:
    """Okey with four players has four seats to choose, for one person as for agents only."""
    open_page(page, "/#/new/okey")
    assert page.locator(".sides input").count() == 2
    page.get_by_label("Players", exact=True).select_option("4")
    assert page.locator(".sides input").count() == 4
    page.get_by_label("Watch agents").check()
    assert page.locator(".new-body .panel").first.locator("select").count() == 4


@pytest.mark.slow
def test_othello_can_start_from_a_transcript_or_a_position(page: Any) -> None:
    """What is wrong with one is told in a sentence; a right one is played on."""
    open_page(page, "/#/new/othello")
    page.get_by_label("Play together here").check()
    page.click("summary")
    page.fill("textarea", "f5f5")
    page.click("button.start")
    until(page, "document.querySelector('.new-foot .problem').textContent.length > 10")
    page.fill("textarea", "f5d6c3")
    page.click("button.start")
    page.wait_for_selector(".board-frame[data-ply='3']")
    assert page.inner_text("[data-copy=transcript]") == "f5d6c3"
    position = page.inner_text("[data-copy=position]")
    open_page(page, "/#/new/othello")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.click("summary")
    page.fill("textarea", position)
    page.click("button.start")
    page.wait_for_selector(".board-frame[data-ply='0'][data-mover='1']")


@pytest.mark.slow
def test_agents_that_ship_are_offered_with_their_cards(page: Any) -> None:
    open_page(page, "/#/new/chung-toi")
    about = page.locator("details", has_text="About Agent chung-toi-2011")
    about.locator("summary").click()
    assert "ludens train chung-toi td-lambda" in about.locator("dl").inner_text()
    page.locator(".agent-card", has_text="Agent chung-toi-2011").click()
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_selector(".board-frame[data-version]")
    assert "Agent chung-toi-2011" in page.inner_text("main")
