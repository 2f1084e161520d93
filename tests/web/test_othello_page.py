"""Othello in a real browser: whole games with the mouse and without one, undo, reload, phone and desktop."""

import itertools
from typing import Any

import httpx
import pytest

PERSON, RANDOM = {"kind": "person"}, {"kind": "agent", "spec": "random"}
PLAYABLE = ".cell[data-action], .status [data-action]"
SETTLED = """([since, playable]) => {
  const { version, mover } = document.querySelector(".board-frame")?.dataset ?? {};
  if (version === undefined || version === since) return false;
  if (document.querySelector(".board-frame").hasAttribute("data-over")) return true;
  return document.querySelector(playable) !== null && mover === document.body.dataset.seat;
}"""
"""Whether the board stands still in another version than `since`, and the person is to move or the game is over."""
DRAWN = """() => {
  const discs = [...document.querySelectorAll(".disc")].map((disc) => [Number(disc.dataset.at), disc.dataset.seat]);
  const cells = document.querySelectorAll(".cell").length;
  return Array.from({ length: cells }, (_, i) => "XO"[new Map(discs).get(i)] ?? "-").join("");
}"""


class Player:
    """A person in front of the page."""

    def __init__(self, page: Any, http: httpx.Client, *, seat: int = 0, **asked: Any) -> None:
        seats = [RANDOM, RANDOM]
        seats[seat] = PERSON
        made = http.post("/api/tables", json={"game": "othello", "seats": seats, "seed": 3} | asked)
        assert made.status_code == 201, made.text
        self.page, self.http, self.seat, self.id = page, http, seat, made.json()["table"]
        page.goto(f"/#/table/{self.id}")
        self.wait(None)

    def wait(self, since: str | None) -> None:
        """Until the page shows another version than `since`, in which this person can do something (or nobody can)."""
        self.page.wait_for_selector("body[data-ready] .board-frame[data-version]")
        self.page.evaluate("seat => { document.body.dataset.seat = seat; }", self.seat)
        self.page.wait_for_function(SETTLED, arg=[since, PLAYABLE])

    @property
    def version(self) -> str:
        """What the page shows."""
        return self.page.locator(".board-frame").get_attribute("data-version")

    @property
    def over(self) -> bool:
        """Whether the page says that the game has ended."""
        return self.page.locator(".board-frame[data-over]").count() > 0

    @property
    def told(self) -> dict[str, Any]:
        """What the server says."""
        return self.http.get(f"/api/tables/{self.id}").json()

    def check(self) -> dict[str, Any]:
        """The page shows what the server says, disc by disc."""
        told = self.told
        assert self.page.evaluate(DRAWN) == told["board"]["squares"]
        assert self.page.locator(".tally-count").all_inner_texts() == [str(n) for n in told["board"]["counts"]]
        marked = [
            int(a)
            for a in self.page.locator(".cell").evaluate_all("all => all.map(e => e.dataset.action).filter(Boolean)")
        ]
        assert sorted(marked) == sorted(move["action"] for move in told["moves"] if "square" in move)
        return told

    def click(self) -> None:
        """Play the first move that the page offers, and wait for the answer."""
        since = self.version
        self.page.locator(PLAYABLE).first.click()
        self.wait(since)

    def type(self) -> None:
        """The same without a mouse: arrows to the square and Enter, or Tab to the button."""
        since = self.version
        if self.page.locator(".cell[data-action]").count():
            self.tab_to(".cell")
            here, size = self.focused("square"), len(self.told["board"]["squares"])
            there = int(self.page.locator(".cell[data-action]").last.get_attribute("data-square"))
            width = int(size**0.5)
            across, down = there % width - here % width, there // width - here // width
            steps = ["ArrowRight" if across > 0 else "ArrowLeft"] * abs(across)
            for key in steps + ["ArrowDown" if down > 0 else "ArrowUp"] * abs(down):
                self.page.keyboard.press(key)
            assert self.focused("square") == there
        else:
            self.tab_to(".status [data-action]")
        self.page.keyboard.press("Enter")
        self.wait(since)

    def tab_to(self, wanted: str) -> None:
        """Press Tab until something of that kind has the focus."""
        for _ in range(80):
            if self.page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
                return
            self.page.keyboard.press("Tab")
        pytest.fail(f"Tab never leads to {wanted}")

    def focused(self, name: str) -> int:
        """A number that the element with the focus carries."""
        return int(self.page.evaluate("name => document.activeElement.dataset[name]", name))


@pytest.mark.parametrize("size", [4, pytest.param(8, marks=pytest.mark.slow)])
def test_a_whole_game_by_clicking(page: Any, http: httpx.Client, size: int) -> None:
    page.emulate_media(reduced_motion="reduce")
    person = Player(page, http, seat=1, variant={"size": size})
    for _ in itertools.takewhile(lambda _: not person.over, range(40)):
        person.check()
        person.click()
    told = person.check()
    assert told["over"]
    assert page.locator("[data-result]").inner_text() == told["result"]["text"]
    assert page.locator(".cell[data-action]").count() == 0


@pytest.mark.slow
def test_a_whole_game_by_keyboard_alone(page: Any, http: httpx.Client) -> None:
    page.emulate_media(reduced_motion="reduce")
    person = Player(page, http, variant={"size": 4})
    for _ in itertools.takewhile(lambda _: not person.over, range(20)):
        person.check()
        person.type()
    assert person.check()["over"]
    assert page.locator("[data-result]").inner_text() == person.told["result"]["text"]


@pytest.mark.slow
def test_moves_animate_undo_takes_them_back_and_a_reload_keeps_them(page: Any, http: httpx.Client) -> None:
    person = Player(page, http)
    start = person.check()
    assert page.locator("[data-square='37']").get_attribute("aria-label") == "f5, empty, legal move, turns 1 disc"
    page.locator("[data-square='37']").hover()
    assert page.locator(".ghost").count() == 1
    assert page.locator(".turns").count() == 1
    person.click()
    first = person.check()
    assert first["ply"] >= 2
    person.click()
    assert person.check()["ply"] >= first["ply"] + 2
    assert page.locator(".last").count() == 1

    page.reload()
    person.wait(None)
    person.check()

    since = person.version
    page.locator("[data-command='undo']").click()
    person.wait(since)
    assert person.check()["board"] == first["board"]
    since = person.version
    page.locator("[data-command='undo']").click()
    person.wait(since)
    assert person.check()["board"] == start["board"]


@pytest.mark.slow
def test_a_pass_is_offered_and_explained(page: Any, http: httpx.Client) -> None:
    person = Player(page, http, seat=1, variant={"size": 4}, position="XO-------------- O")
    assert page.locator(".notice").inner_text() == "White has no square to place on and must pass"
    page.locator(".cell[data-square='5']").click(force=True)  # not a move, and marked so
    assert person.check()["ply"] == 0
    person.click()
    assert person.check()["over"]


@pytest.mark.slow
def test_a_turned_board_plays_the_square_that_is_seen(page: Any, http: httpx.Client) -> None:
    person = Player(page, http, seats=[PERSON, PERSON])
    page.locator("[data-command='flip']").click()
    corner = page.locator("[data-square='0']").bounding_box()
    other = page.locator("[data-square='63']").bounding_box()
    assert corner["x"] > other["x"]
    assert corner["y"] > other["y"]
    page.locator("[data-square='37']").focus()
    page.keyboard.press("ArrowLeft")
    assert person.focused("square") == 38
    page.keyboard.press("ArrowRight")
    since, person.seat = person.version, 1
    page.keyboard.press(" ")
    person.wait(since)
    assert person.check()["board"]["squares"][36:38] == "XX"


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(320, "light"), (390, "dark"), (1280, "light")])
def test_the_board_fits_and_is_accessible(
    browser: Any, server: Any, http: httpx.Client, width: int, theme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    seen = {"viewport": {"width": width, "height": 844}, "color_scheme": theme, "reduced_motion": "reduce"}
    context = browser.new_context(base_url=server.url, bypass_csp=True, **seen)  # axe sets styles of its own
    page = context.new_page()
    person = Player(page, http)
    person.click()
    page.locator("[data-square='0']").focus()
    left, right = page.locator(".board-othello").evaluate(
        "e => [e.getBoundingClientRect().left, e.getBoundingClientRect().right]"
    )
    assert 0 <= left < right <= width
    assert page.locator("[data-square='0']").bounding_box()["width"] >= (24 if width < 390 else 34)
    found = axe.run(page, context=".board-frame").response["violations"]
    assert not [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")]
    context.close()
