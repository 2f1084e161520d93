"""A table in a browser: play, step, understand, watch, review; with dropped lines, on phones and shared devices."""

import re
from typing import Any

import pytest

from web.looking import LONG, grave_findings, overflow, until

PERSON = {"kind": "person"}
GAMES = ("othello", "onitama", "ur", "chung-toi", "okey")


def new_table(http: Any, game: str, seats: list[dict[str, str]], **more: Any) -> str:
    """A table laid over HTTP; its id."""
    answer = http.post("/api/tables", json={"game": game, "variant": {}, "seats": seats, "seed": 5} | more)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["table"])


def agent(spec: str = "random") -> dict[str, str]:
    """A seat for an agent."""
    return {"kind": "agent", "spec": spec}


def sit_down(page: Any, table: str) -> None:
    """Open a table and wait until its board stands still."""
    page.set_default_timeout(LONG)
    page.goto(f"/#/table/{table}")
    page.wait_for_selector(".board-frame[data-version]")


def play_first(page: Any) -> bool:
    """Play the first legal move from the list once the board shows the position; False once the game is over."""
    frame = "document.querySelector('.board-frame').dataset"
    listed = "document.querySelector('.choice-list button')?.closest('.choices').dataset.version"
    until(page, f"'over' in {frame} || {frame}.version === {listed}")
    if page.locator(".board-frame[data-over]").count():
        return False
    version = page.get_attribute(".board-frame", "data-version")
    page.locator(".choice-list button").first.click()
    until(page, f"{frame}.version !== '{version}'")
    return True


def said(page: Any) -> list[str]:
    """What was announced lately."""
    return list(page.locator("#announcer p").all_text_contents())


# ---------------------------------------------------------------------- playing


def test_a_whole_game_review_and_what_follows(page: Any, http: Any) -> None:
    """From the first move to the result by the list of moves; then graded, stepped through, branched, played again."""
    sit_down(page, new_table(http, "othello", [PERSON, agent()], variant={"size": 4}))
    page.click("[data-tab=moves]")
    moves = 0
    while play_first(page):
        moves += 1
    assert moves >= 1
    result = page.inner_text("[data-result]")
    assert re.search(r"\d", result)
    assert any(result in line for line in said(page))
    page.click("[data-key=review]")
    page.wait_for_selector(".summary")
    plies = int(str(page.get_attribute(".board-frame", "data-ply")))
    graded = page.locator(".graded-list li")
    assert graded.count() == plies
    words = {graded.nth(place).locator(".grade").inner_text() for place in range(plies)}
    assert words <= {"best", "good", "inaccuracy", "mistake", "blunder"}
    assert page.locator(".grade svg").count() > plies, "every grade has a sign besides its colour"
    graded.nth(2).locator(".graded").click()
    page.wait_for_selector(".board-frame[data-ply='2']")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".board-frame[data-ply='3']")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".board-frame[data-ply='2']")
    page.click("text=Try another move from here")
    until(page, "document.querySelectorAll('.move-list button').length === 2")
    page.wait_for_selector(".board-frame:not([data-over])")
    page.go_back()
    page.wait_for_selector("[data-key=swap]")
    page.click("[data-key=swap]")
    page.wait_for_selector(".player[data-seat='1'] .player-label:has-text('you')")


def test_undo_hint_flip_and_keys(page: Any, http: Any) -> None:
    """Buttons and single letters do the same; arrow keys step when the board does not need them."""
    sit_down(page, new_table(http, "othello", [PERSON, agent()], variant={"size": 4}))
    page.click("[data-tab=moves]")
    assert page.locator("[data-command=undo]").is_disabled()
    play_first(page)
    page.wait_for_selector(".board-frame[data-ply='2']")
    page.click("h1")
    page.keyboard.press("u")
    page.wait_for_selector(".board-frame[data-ply='0']")
    page.click("[data-command=hint]")
    page.wait_for_selector(".hint-words")
    play_first(page)
    page.wait_for_selector(".board-frame[data-ply='2']")
    page.wait_for_selector(".hint-words", state="detached")
    page.click("h1")
    page.keyboard.press("f")
    assert page.get_attribute("[data-command=flip]", "aria-pressed") == "true"
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".board-frame[data-ply='1']")
    assert page.locator(".choices button").count() == 0, "no moves in the past"
    page.keyboard.press("Home")
    page.wait_for_selector(".board-frame[data-ply='0']")
    page.keyboard.press("End")
    page.wait_for_selector(".board-frame[data-ply='2']")
    page.keyboard.press("?")
    page.wait_for_selector("dialog .keys")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.wait_for_selector(".new-game")


@pytest.mark.slow
def test_reload_finds_the_game_again(page: Any, http: Any) -> None:
    """The same position, the same moves, and the front page offers to go on."""
    table = new_table(http, "chung-toi", [PERSON, agent()])
    sit_down(page, table)
    page.click("[data-tab=moves]")
    play_first(page)
    page.wait_for_selector(".board-frame[data-ply='2']")
    names = page.locator(".move-list button").all_text_contents()
    page.reload()
    page.wait_for_selector(".board-frame[data-ply='2']")
    assert page.locator(".move-list button").all_text_contents() == names
    page.click(".brand")
    page.click(f"#continue a[href='#/table/{table}']")
    page.wait_for_selector(".board-frame[data-ply='2']")


@pytest.mark.slow
def test_two_browsers_at_once_play_different_games(browser: Any, server: Any, http: Any) -> None:
    """Move by move in turn: each page shows its own game, and neither learns of the other's."""
    contexts = [browser.new_context(base_url=server.url) for _ in range(2)]
    pages = [context.new_page() for context in contexts]
    tables = [new_table(http, game, [PERSON, agent()]) for game in ("othello", "okey")]
    for page, table in zip(pages, tables, strict=True):
        sit_down(page, table)
        page.click("[data-tab=moves]")
    for _ in range(4):
        for page in pages:
            assert play_first(page)
    for page, table in zip(pages, tables, strict=True):
        told = http.get(f"/api/tables/{table}").json()
        assert told["ply"] >= 8  # four moves of the person, and the answers
        until(page, f"document.querySelector('.board-frame').dataset.version === '{told['version']}'")
        page.click("[data-tab=game]")
        names = [name.strip() for name in page.locator(".move-list [data-ply]").all_inner_texts()]
        assert names == [move["name"] for move in told["history"]]
    for context in contexts:
        context.close()


@pytest.mark.slow
def test_acts_turns_and_results_are_said(page: Any, http: Any) -> None:
    """Whoever only listens hears what was played and whose turn it is."""
    sit_down(page, new_table(http, "onitama", [PERSON, agent()]))
    page.click("[data-tab=moves]")
    play_first(page)
    page.wait_for_selector(".board-frame[data-ply='2']")
    until(page, "document.querySelector('#announcer').textContent.includes('Your turn')")
    assert sum(len(line) > 10 for line in said(page)) >= 2
    assert page.get_attribute("#announcer", "aria-live") == "polite"


@pytest.mark.slow
def test_a_refused_move_changes_nothing(page: Any, http: Any) -> None:
    """A move that comes late is refused: the sentence is shown, the position stays, and the next move counts."""
    late = iter((True,))

    def tamper(line: Any) -> None:
        beyond = line.connect_to_server()
        beyond.on_message(line.send)
        line.on_message(
            lambda sent: beyond.send(
                re.sub(r'"version":\d+', '"version":0', sent) if "move" in sent and next(late, False) else sent
            )
        )

    page.route_web_socket("**/socket", tamper)
    sit_down(page, new_table(http, "othello", [PERSON, PERSON], transcript="f5"))
    page.click("[data-tab=moves]")
    page.locator(".choice-list button").first.click()
    page.wait_for_selector(".toast")
    assert len(page.inner_text(".toast")) > 10
    assert page.get_attribute(".board-frame", "data-ply") == "1"
    play_first(page)
    page.wait_for_selector(".board-frame[data-ply='2']")


def test_a_dropped_line_is_told_and_mended(page: Any, http: Any) -> None:
    """The notice comes and goes, and what happened meanwhile is there."""
    lines: list[Any] = []

    def through(line: Any) -> None:
        beyond = line.connect_to_server()
        line.on_message(beyond.send)
        beyond.on_message(line.send)
        lines.append(line)

    page.route_web_socket("**/socket", through)
    table = new_table(http, "othello", [PERSON, PERSON])
    sit_down(page, table)
    page.evaluate(
        "window.seen = []; new MutationObserver(() => document.querySelector('.line-down') && seen.push(1))"
        ".observe(document.querySelector('.status'), {childList: true})"
    )
    lines[0].close()
    until(page, "window.seen.length > 0")
    page.wait_for_selector(".line-down", state="detached")
    assert len(lines) == 2
    page.click("[data-tab=moves]")
    play_first(page)
    page.wait_for_selector(".board-frame[data-ply='1']")


@pytest.mark.slow
def test_a_table_that_does_not_exist(page: Any) -> None:
    """One sentence and a way on."""
    page.goto("/#/table/AAAAAAAAAAAAAAAA")
    page.wait_for_selector(".message")
    assert "AAAAAAAAAAAAAAAA" in page.inner_text(".message") or "table" in page.inner_text(".message")
    page.click("text=Choose a game")
    page.wait_for_selector(".game-card")


# ---------------------------------------------------------------------- understanding and watching


@pytest.mark.slow
def test_what_it_thinks(page: Any, http: Any) -> None:
    """A number on every legal move, a bar, words; with an oracle the exact result; and a graph after two positions."""
    sit_down(page, new_table(http, "othello", [PERSON, agent()], variant={"size": 4}))
    page.click("[data-tab=think]")
    assert page.locator(".bar").is_hidden()
    page.get_by_label("Show what it thinks").check()
    page.wait_for_selector(".scores tbody tr")
    legal = page.evaluate("document.querySelectorAll('.choice-list button').length")
    assert page.locator(".scores tbody tr").count() == legal == 4
    assert page.locator(".bar").is_visible()
    assert page.get_attribute(".bar", "aria-valuetext")
    page.click("[data-tab=moves]")
    play_first(page)
    page.wait_for_selector(".board-frame[data-ply='2']")
    page.click("[data-tab=think]")
    page.wait_for_selector(".graph-line")
    page.focus(".graph")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".board-frame[data-ply='1']")
    page.keyboard.press("End")
    page.wait_for_selector(".board-frame[data-ply='2']")
    page.get_by_label("Show what it thinks").uncheck()
    assert page.locator(".bar").is_hidden()


@pytest.mark.slow
def test_watching(page: Any, http: Any) -> None:
    """Agents wait, make one step, run as fast as told, and stop when told."""
    sit_down(page, new_table(http, "chung-toi", [agent(), agent()]))
    assert page.get_attribute(".board-frame", "data-ply") == "0"
    page.click("[data-command=step]")
    page.wait_for_selector(".board-frame[data-ply='1']")
    page.locator(".speed input").fill("0")
    page.click("[data-command=run]")
    page.wait_for_selector("[data-command=run]:has-text('Pause')")
    page.click("[data-command=run]")
    page.wait_for_selector("[data-command=run]:has-text('Play')")
    stopped = page.locator(".move-list button").count()
    page.wait_for_timeout(400)
    assert page.locator(".move-list button").count() == stopped
    page.locator(".speed input").fill("7")
    page.click("[data-command=run]")
    page.wait_for_selector(".board-frame[data-over]")
    assert page.locator("[data-tab=moves]").is_hidden()
    assert page.locator(".watch").is_hidden()


# ---------------------------------------------------------------------- everybody, everywhere


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_tables_are_accessible_and_fit(browser: Any, server: Any, http: Any, width: int, scheme: str) -> None:
    """For each game and each tab axe has nothing grave to say, and nothing is wider than the window."""
    context = browser.new_context(
        base_url=server.url, viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    for game in GAMES:
        sit_down(page, new_table(http, game, [PERSON, agent()]))
        page.click("[data-tab=moves]")
        play_first(page)
        for tab in ("game", "moves", "think", "review") if game == "othello" else ("moves",):
            page.click(f"[data-tab={tab}]")
            assert (game, tab, grave_findings(page)) == (game, tab, [])
        wide = overflow(page)
        assert (game, wide) == (game, 0)
    context.close()


def test_hands_are_hidden_when_the_device_is_passed_on(page: Any, http: Any) -> None:
    """Two persons play Okey at one device: nobody sees a hand before its owner asked for it."""
    page.goto(f"/#/table/{new_table(http, 'okey', [PERSON, PERSON])}")
    page.wait_for_selector(".curtain button")
    assert page.locator(".board-frame [data-tile]").count() == 0
    assert page.locator(".choice-list button").count() == 0
    first = page.inner_text(".curtain")
    page.click(".curtain button")
    page.wait_for_selector(".board-frame [data-tile]")
    page.click("[data-tab=moves]")
    page.locator(".choice-list button").first.click()
    page.wait_for_selector(".curtain button")
    assert page.inner_text(".curtain") != first
    assert page.locator(".board-frame").evaluate("frame => getComputedStyle(frame).visibility") == "hidden"
