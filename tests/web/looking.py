"""What every test of a page does and asks: is it shown, does it stand still, does it keep somebody out, does it fit."""

import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

GRAVE = ("serious", "critical")
PHONE = {"width": 360, "height": 740}
SETTLES = 300
"""Milliseconds until a change of colours or width is drawn."""
LONG = 90_000
"""Milliseconds that a server may need for something it does the first time."""
SETTLED = """([version, mover]) => {
  const frame = document.querySelector(".board-frame");
  if (!frame || !(Number(frame.dataset.version) >= version)) return false;
  return frame.hasAttribute("data-over") || mover === null || frame.dataset.mover === String(mover);
}"""
"""Whether the board shows a version at least as new, with `mover` to move or the game over."""


def open_page(page: Any, address: str) -> None:
    """Go there and wait until the page says that it is shown; a server that has just started may take its time."""
    page.set_default_timeout(LONG)
    page.goto(address)
    page.wait_for_selector("body[data-ready]")


def visit(page: Any, state: dict[str, Any], mover: int | None = None, *, still: bool = True) -> None:
    """Open a table and wait until its board is drawn."""
    page.emulate_media(reduced_motion="reduce" if still else "no-preference")
    page.goto(f"/#/table/{state['table']}")
    settled(page, state["version"], mover)


def settled(page: Any, version: int, mover: int | None = None) -> None:
    """Wait until the board shows a position at least as new, with `mover` to move (or the end), and stands still."""
    page.wait_for_function(SETTLED, arg=[version, mover])


def now(http: httpx.Client, state: dict[str, Any]) -> Any:
    """The state of a table as the server tells it."""
    return http.get(f"/api/tables/{state['table']}").json()


def soon(page: Any, read: Callable[[], Any], wanted: Any) -> None:
    """Wait until `read()` gives what is wanted: a busy machine may deliver a click a little later."""
    for _ in range(200):
        if read() == wanted:
            break
        page.wait_for_timeout(25)
    assert read() == wanted


def until(page: Any, expression: str, seconds: float = LONG / 1000) -> None:
    """Wait until an expression holds in the page; asked from here, since the page itself may not evaluate text."""
    last = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < last, f"never came true: {expression}"
        page.wait_for_timeout(50)


def grave_findings(page: Any) -> list[str]:
    """What axe finds that would keep somebody out."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    found = axe.Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found if each["impact"] in GRAVE]


def overflow(page: Any) -> int:
    """Pixels by which the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def check_everywhere(page: Any) -> None:
    """In the dark at a desk, in light on a phone: nobody is kept out, and nothing sticks out."""
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")  # colours must not be judged on their way
    page.wait_for_timeout(SETTLES)
    found = grave_findings(page)
    assert not found, found
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)
    page.wait_for_timeout(SETTLES)
    assert overflow(page) == 0
    found = grave_findings(page)
    assert not found, found
