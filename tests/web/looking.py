"""What every test of a page asks: is it shown, does it keep somebody out, does it fit."""

from typing import Any

import pytest

GRAVE = ("serious", "critical")
PHONE = {"width": 360, "height": 740}
SETTLES = 300
"""Milliseconds until a change of colours or width is drawn."""


def open_page(page: Any, address: str) -> None:
    """Go there and wait until the page says that it is shown."""
    page.goto(address)
    page.wait_for_selector("body[data-ready]")


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
