"""Chung Toi in a real browser: placing, moving and turning with the mouse, a finger's path, and keys."""

import itertools
import random
import re
from typing import Any

import httpx
import pytest

PERSON, RANDOM = {"kind": "person"}, {"kind": "agent", "spec": "random"}
MIDDLE = "W+--Rx/RxR+W+/----Wx turn white"
"""All pieces are placed: white on a3 and c2 (straight) and c1 (diagonal); b3, a1 and b1 are empty."""
A1, B1, C1, A2, B2, C2, A3, B3, C3 = range(9)
SETTLED = """([since, seat]) => {
  const frame = document.querySelector(".board-frame");
  if (!frame?.dataset.version || frame.dataset.version === since) return false;
  return frame.hasAttribute("data-over") || seat === null || frame.dataset.mover === String(seat);
}"""
"""Whether the board stands still in another version than `since`, and `seat` is to move or the game is over."""
DRAWN = """() => {
  const numbers = (node) => node.getAttribute("transform").match(/[-.0-9]+/g).map(Number);
  const pieces = [...document.querySelectorAll(".standing > .piece")];
  const cells = [...document.querySelectorAll(".cell")].sort((a, b) => a.dataset.square - b.dataset.square);
  return cells.map((cell) => {
    const [x, y] = numbers(cell).map((corner) => corner + cell.firstChild.width.baseVal.value / 2);
    const piece = pieces.find((each) => numbers(each)[0] === x && numbers(each)[1] === y);
    const seat = piece?.classList.contains("seat-1") ? 1 : 0;
    return piece ? { seat, diagonal: piece.classList.contains("diagonal") } : null;
  });
}"""
"""What stands in the middle of each square."""


class Player:
    """A person in front of the page, against random or (`alone`) in both seats."""

    def __init__(self, page: Any, http: httpx.Client, *, alone: bool = False, **asked: Any) -> None:
        seats = [PERSON, PERSON if alone else RANDOM]
        made = http.post("/api/tables", json={"game": "chung-toi", "seats": seats, "seed": 5} | asked)
        assert made.status_code == 201, made.text
        self.page, self.http, self.id = page, http, made.json()["table"]
        self.seat = None if alone else 0
        page.goto(f"/#/table/{self.id}")
        self.wait(None)

    def wait(self, since: str | None) -> None:
        """Until the page shows another version than `since`, in which this person can do something (or nobody can)."""
        self.page.wait_for_function(SETTLED, arg=[since, self.seat])

    @property
    def version(self) -> str:
        """What the page shows."""
        return self.page.locator(".board-frame").get_attribute("data-version")

    @property
    def over(self) -> bool:
        """Whether the page says that the game has ended."""
        return self.page.locator(".board-frame[data-over]").count() > 0

    def check(self) -> dict[str, Any]:
        """The page shows what the server says, piece by piece."""
        told = self.http.get(f"/api/tables/{self.id}").json()
        assert self.page.evaluate(DRAWN) == told["board"]["squares"]
        left = self.page.locator(".tray").evaluate_all(
            "all => all.map(e => e.querySelectorAll('.tile:not(.gone)').length)"
        )
        assert left == told["board"]["left"]
        return told

    def cell(self, square: int) -> Any:
        """A square to press."""
        return self.page.locator(f".cell[data-square='{square}']")

    def click(self, move: dict[str, Any]) -> None:
        """Play a move as it is offered: the piece, the square, the way it shall point."""
        since = self.version
        if move["from"] is not None:
            self.cell(move["from"]).click()
        if move["kind"] == "turn":
            assert self.cell(move["to"]).get_attribute("data-action") == str(move["action"])
        if move["from"] != move["to"]:
            self.cell(move["to"]).click()
            assert self.page.locator(".choice").count() == 2
        self.page.locator(f".board-frame [data-action='{move['action']}']").click()
        self.wait(since)

    def type(self, move: dict[str, Any]) -> None:
        """The same without a mouse."""
        since = self.version
        if move["from"] is not None:
            self.walk(move["from"])
            self.page.keyboard.press("Enter")
        if move["kind"] == "turn":
            self.page.keyboard.press(" ")
        else:
            self.walk(move["to"])
            self.page.keyboard.press("Enter")
            if self.page.evaluate("document.activeElement.dataset.action") != str(move["action"]):
                self.page.keyboard.press("ArrowRight")
            self.page.keyboard.press("Enter")
        self.wait(since)

    def walk(self, square: int) -> None:
        """Tab to the board, then arrows to the square. Row 1 is the lowest."""
        for _ in range(80):
            if self.page.evaluate("document.activeElement.matches('.cell')"):
                break
            self.page.keyboard.press("Tab")
        here = int(self.page.evaluate("document.activeElement.dataset.square"))
        across, up = square % 3 - here % 3, square // 3 - here // 3
        steps = ["ArrowRight" if across > 0 else "ArrowLeft"] * abs(across)
        for key in steps + ["ArrowUp" if up > 0 else "ArrowDown"] * abs(up):
            self.page.keyboard.press(key)
        assert self.page.evaluate("document.activeElement.dataset.square") == str(square)

    def drag(self, origin: int, target: int, part: float) -> None:
        """Drag a piece to `part` of the way across another square and let it go."""
        start, end = self.cell(origin).bounding_box(), self.cell(target).bounding_box()
        mouse = self.page.mouse
        mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
        mouse.down()
        mouse.move(end["x"] + end["width"] * part, end["y"] + end["height"] / 2, steps=6)
        mouse.up()


@pytest.mark.parametrize("hand", ["click", pytest.param("type", marks=pytest.mark.slow)])
def test_a_whole_game(page: Any, http: httpx.Client, hand: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    person, chooser = Player(page, http), random.Random(2)
    for _ in itertools.takewhile(lambda _: not person.over, range(60)):
        told = person.check()
        getattr(person, hand)(chooser.choice(told["moves"]))
    told = person.check()
    assert told["over"]
    assert page.locator("[data-result]").inner_text() == told["result"]["text"]
    assert page.locator(".board-chung-toi .line").count() == (1 if told["board"]["line"] else 0)
    assert page.locator(".piece.won").count() == (3 if told["board"]["line"] else 0)
    assert page.locator(".cell.enabled").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize(("part", "diagonal"), [(0.3, False), (0.7, True)])
def test_dragging_moves_and_turns_in_one_gesture(page: Any, http: httpx.Client, part: float, diagonal: bool) -> None:
    person = Player(page, http, alone=True, position=MIDDLE)
    since = person.version
    person.drag(A3, B3, part)
    person.wait(since)
    assert person.check()["board"]["squares"][B3] == {"seat": 0, "diagonal": diagonal}


@pytest.mark.slow
def test_a_piece_dropped_where_it_may_not_go_returns(page: Any, http: httpx.Client) -> None:
    person = Player(page, http, alone=True, position=MIDDLE)
    for target in (B1, B2):
        person.drag(A3, target, 0.5)
        assert person.check()["ply"] == 0
    assert page.locator(".chosen").count() == 0


@pytest.mark.slow
def test_a_piece_pressed_twice_turns(page: Any, http: httpx.Client) -> None:
    person = Player(page, http, alone=True, position=MIDDLE)
    since = person.version
    person.cell(C1).click()
    assert "press again to turn it straight" in person.cell(C1).get_attribute("aria-label")
    person.cell(C1).click()
    person.wait(since)
    assert person.check()["board"]["squares"][C1] == {"seat": 0, "diagonal": False}


@pytest.mark.slow
def test_only_what_may_be_played_is_marked_and_escape_goes_back(page: Any, http: httpx.Client) -> None:
    person = Player(page, http, alone=True, position=MIDDLE)
    assert page.locator(".legal").count() == 0
    person.walk(A3)
    page.keyboard.press("Enter")
    assert page.locator(".legal").count() == 2  # b3 beside it, and a1 two steps down, over a2
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Move a3 to b3, straight"
    page.keyboard.press("Escape")
    assert page.locator(".choice").count() == 0
    assert page.evaluate("document.activeElement.dataset.square") == str(B3)
    page.keyboard.press("Escape")
    assert page.locator(".legal").count() == 0
    person.cell(C3).click(force=True)  # the other side's
    assert page.locator(".chosen, .choice").count() == 0
    assert person.check()["ply"] == 0


@pytest.mark.slow
def test_a_letter_places_at_once(page: Any, http: httpx.Client) -> None:
    person = Player(page, http, alone=True)
    for square, key, diagonal in ((B2, "x", True), (A1, "+", False)):
        since = person.version
        person.walk(square)
        page.keyboard.press(key)
        person.wait(since)
        assert person.check()["board"]["squares"][square]["diagonal"] == diagonal


@pytest.mark.slow
def test_undo_and_reload(page: Any, http: httpx.Client) -> None:
    person = Player(page, http)
    start = person.check()
    person.click(start["moves"][0])
    first = person.check()
    person.click(first["moves"][-1])
    page.reload()
    person.wait(None)
    person.check()
    for earlier in (first, start):
        since = person.version
        page.locator("[data-command='undo']").click()
        person.wait(since)
        assert person.check()["board"] == earlier["board"]


@pytest.mark.slow
def test_a_turned_board_plays_the_square_that_is_seen(page: Any, http: httpx.Client) -> None:
    person = Player(page, http, alone=True, position=MIDDLE)
    page.locator("[data-command='flip']").click()
    assert person.cell(A1).bounding_box()["y"] < person.cell(A3).bounding_box()["y"]
    since = person.version
    person.drag(A3, B3, 0.3)
    person.wait(since)
    assert person.check()["board"]["squares"][B3] == {"seat": 0, "diagonal": False}


@pytest.mark.slow
def test_a_pass_is_offered_where_the_variant_has_one(page: Any, http: httpx.Client) -> None:
    person = Player(page, http, alone=True, position=MIDDLE, variant={"allow_pass": True})
    since = person.version
    page.get_by_role("button", name="Pass").click()
    person.wait(since)
    assert person.check()["mover"] == 1


@pytest.mark.slow
def test_a_state_that_comes_again_keeps_what_was_begun(page: Any, http: httpx.Client) -> None:
    heard: list[tuple[Any, str]] = []

    def relay(line: Any) -> None:
        def pass_on(message: str) -> None:
            heard.append((line, message))
            line.send(message)

        line.connect_to_server().on_message(pass_on)

    page.route_web_socket(re.compile("/socket$"), relay)
    person = Player(page, http, alone=True, position=MIDDLE)
    person.cell(A3).click()
    person.cell(B3).click()
    page.evaluate("() => { document.querySelector('.board-frame').dataset.version = 'stale'; }")
    line, state = next((line, message) for line, message in heard if '"state"' in message)
    line.send(state)
    person.wait("stale")
    assert page.locator(".choice").count() == 2


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(320, "light"), (390, "dark"), (1280, "light")])
def test_the_board_fits_and_is_accessible(
    browser: Any, server: Any, http: httpx.Client, width: int, theme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    seen = {"viewport": {"width": width, "height": 844}, "color_scheme": theme, "reduced_motion": "reduce"}
    context = browser.new_context(base_url=server.url, bypass_csp=True, **seen)  # axe sets styles of its own
    page = context.new_page()
    person = Player(page, http, alone=True)
    person.cell(C3).click()
    left, right = page.locator(".board-chung-toi").evaluate(
        "e => [e.getBoundingClientRect().left, e.getBoundingClientRect().right]"
    )
    assert 0 <= left < right <= width
    for box in page.locator(".choice").evaluate_all("all => all.map(e => e.getBoundingClientRect().toJSON())"):
        assert min(box["width"], box["height"]) >= 40
        assert left <= box["left"] < box["right"] <= right
    found = axe.run(page, context=".board-frame").response["violations"]
    assert not [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")]
    context.close()
