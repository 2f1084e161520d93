"""Okey in a real browser: whole deals by clicking, the rack under mouse and keys, the end, small screens."""

import random
from collections import Counter

import pytest

from web.looking import now, settled, visit

FINISHED = "r2 r3 r4 r5 b6 b7 b8 b9 g1 g2 g3 y9 y10 okey"
OTHERS = (
    "r6 r7 r8 b1 b3 b4 b12 g5 g6 g8 g11 y1 y5 y13",
    "r9 r10 r12 b5 b13 g4 g7 g9 y2 y3 y6 y7 y8 y11",
    "r2 r11 r13 b9 b10 g1 g10 g12 g13 r8 y10 y12 y13 b1",
)
ABOUT_TO_WIN = f"indicator b10 turn 0 phase discard hands {FINISHED} b2 / {' / '.join(OTHERS)}"
WITH_JOKERS = (
    "indicator r13 turn 0 phase discard hands r1 r1 r2 r3 b4 b6 b8 g2 g9 y5 y8 y9 y13 okey okey"
    f" / {OTHERS[0]} discards b2 g7 / r12 y3"
)
HELD = Counter(f"{OTHERS[0]} {OTHERS[1]} r3 b10".split())
REST = [tile for tile in [*(c + str(n) for c in "rbgy" for n in range(1, 14)), "okey"] for _ in range(2 - HELD[tile])]
NEAR_THE_END = (
    f"indicator b10 turn 0 phase discard hands {OTHERS[1]} r3 / {OTHERS[0]}"
    f" discards {' '.join(REST[:30])} / {' '.join(REST[30:60])}"
)
PERSON, AGENT = {"kind": "person"}, {"kind": "agent", "spec": "random"}
ON_TABLE = """() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  return {
    tiles: all(".okey-rack [data-tile]").map((tile) => tile.dataset.tile).sort(),
    left: document.querySelector(".okey-count").textContent,
    tops: all(".okey-pile").map((pile) => pile.querySelector("[data-top]")?.dataset.top ?? null),
    others: all(".okey-seat").slice(1).map((seat) => [all(".okey-small", seat).length, all(".okey-back", seat).length]),
  };
}"""
"""What a page shows of a deal."""


@pytest.fixture
def table(http):
    """Makes a table with a person in seat 0: `table(players=4)`, `table(position=...)`; its state."""

    def make(*, players=2, position=None, seats=None, seed=3, **variant):
        asked = {
            "game": "okey",
            "variant": {"players": players, **variant},
            "seats": seats or [PERSON, *[AGENT] * (players - 1)],
            "seed": seed,
        }
        answer = http.post("/api/tables", json=asked | ({"position": position} if position else {}))
        assert answer.status_code == 201, answer.text
        return answer.json()

    return make


def rack(page):
    """What stands on each of the rack's places; None where it is empty."""
    return page.eval_on_selector_all(
        ".okey-slot", "all => all.map((slot) => slot.querySelector('[data-tile]')?.dataset.tile ?? null)"
    )


def tiles(page):
    return sorted(name for name in rack(page) if name)


def holds(page, count):
    """Wait until that many tiles stand on the rack."""
    page.wait_for_function("n => document.querySelectorAll('.okey-rack [data-tile]').length === n", arg=count)


def hand(state):
    return sorted(tile["tile"] for tile in state["board"]["hand"])


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, origin, target):
    page.mouse.move(*middle(origin))
    page.mouse.down()
    page.mouse.move(*middle(target), steps=6)
    page.mouse.up()


# ---------------------------------------------------------------------- whole deals


@pytest.mark.parametrize(("players", "position"), [(2, NEAR_THE_END), pytest.param(4, None, marks=pytest.mark.slow)])
def test_a_deal_to_its_end_by_clicking(page, http, table, players, position):
    state = table(players=players, position=position)
    visit(page, state)
    rng = random.Random(players)
    reloaded = False
    while not (state := now(http, state))["over"]:
        assert state["mover"] == 0
        settled(page, state["version"], 0)
        board = state["board"]
        # Of the others' tiles only those are in the page that everybody knows.
        others = [[len(known), size - len(known)] for known, size in zip(board["known"], board["sizes"], strict=True)][
            1:
        ]
        assert page.evaluate(ON_TABLE) == {
            "tiles": hand(state),
            "left": str(board["left"]),
            "tops": [pile[-1]["tile"] if pile else None for pile in board["discards"]],
            "others": others,
        }
        if state["ply"] > 8 and not reloaded:
            before = rack(page)
            page.reload()
            settled(page, state["version"], 0)
            assert rack(page) == before
            reloaded = True
        if board["phase"] == "draw":
            page.locator(f".okey-felt [data-action='{rng.choice([0, 0, 0, 1])}']").click()
        else:
            page.locator(f".okey-rack [data-tile='{rng.choice(hand(state))}']").first.click()
            if rng.random() < 0.5:
                page.locator(".okey-tools [data-action]").click()
            else:
                page.locator(".okey-pile-bottom[data-action]").click()
        settled(page, state["version"] + 1, 0)
    page.wait_for_selector(".board-frame[data-over]")
    assert reloaded
    assert page.locator("[data-hand]").count() == players
    assert page.locator(".okey [data-action]").count() == 0


@pytest.mark.slow
def test_a_deal_ends_with_all_hands_open_and_the_winners_in_sets(page, http, table):
    state = table(players=4, position=ABOUT_TO_WIN)
    visit(page, state, still=False)
    assert page.locator("[data-hand]").count() == 0
    drag(page, page.locator("[data-tile=b2]"), page.locator(".okey-pile-bottom"))
    settled(page, state["version"] + 1)
    state = now(http, state)
    assert state["over"]
    assert state["board"]["winner"] == 0
    sets = page.locator("[data-hand='0'] .okey-set")
    assert sets.count() == 4
    labels = [each.get_attribute("aria-label") for each in page.locator("[data-hand='0'] .okey-small").all()]
    assert labels[:4] == ["red 2", "red 3", "red 4", "red 5"]
    assert sum(label.startswith("joker as yellow") for label in labels) == 1
    assert len(labels) == 14
    for seat, held in enumerate(OTHERS, start=1):
        assert page.locator(f"[data-hand='{seat}'] .okey-small").count() == len(held.split())
    assert page.locator(".okey-rack").is_hidden()
    assert "finishes in sets (2 points)" in page.locator(".okey-prompt").inner_text()


# ---------------------------------------------------------------------- the rack


@pytest.mark.slow
def test_tiles_are_sorted_dragged_and_tapped_and_stay_over_a_draw_and_a_reload(page, http, table):
    state = table(position=WITH_JOKERS)
    visit(page, state)
    page.get_by_role("button", name="Sort by pairs").click()
    assert [name for name in rack(page)[:8] if name] == ["r1", "r1", "okey", "okey", "r2", "g2"]
    page.get_by_role("button", name="Sort by runs").click()
    assert rack(page)[:4] == ["r1", "r2", "r3", None]

    slots = page.locator(".okey-slot")
    drag(page, page.locator("[data-tile=r3]"), slots.nth(10))
    assert rack(page)[10] == "r3"
    drag(page, page.locator("[data-tile=b4]"), page.locator("[data-tile=r2]"))
    assert rack(page)[:3] == ["r1", "b4", "r2"]
    page.locator("[data-tile=r3]").click()
    slots.nth(21).click()
    assert rack(page)[21] == "r3"
    assert tiles(page) == hand(state)
    assert now(http, state)["ply"] == 0

    arranged = rack(page)
    page.locator("[data-tile=y13]").click()
    page.get_by_role("button", name="Discard yellow 13", exact=True).click()
    settled(page, state["version"] + 1, 0)
    arranged[arranged.index("y13")] = None
    assert rack(page) == arranged
    drag(page, page.locator(".okey-stack"), slots.nth(9))
    settled(page, now(http, state)["version"], 0)
    holds(page, 15)
    state = now(http, state)
    drawn = state["last"]["drawn"]["tile"]
    assert rack(page)[9] == drawn
    assert tiles(page) == hand(state)
    before = rack(page)
    page.reload()
    settled(page, state["version"], 0)
    assert rack(page) == before


@pytest.mark.slow
def test_stepping_back_through_the_game_leaves_the_rack_as_it_was(page, http, table):
    state = table(position=WITH_JOKERS)
    visit(page, state)
    page.locator("[data-tile=y13]").click()
    page.locator(".okey-tools [data-action]").click()
    settled(page, state["version"] + 1, 0)
    drag(page, page.locator("[data-tile=b4]"), page.locator(".okey-slot").nth(21))
    arranged = rack(page)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Home")
    holds(page, 15)
    assert page.locator(".okey [data-action]").count() == 0
    page.keyboard.press("End")
    holds(page, 14)
    assert rack(page) == arranged


@pytest.mark.slow
def test_a_turn_and_the_order_of_the_rack_by_keys_alone(page, http, table):
    state = table(position=WITH_JOKERS)
    visit(page, state)
    label = "document.activeElement.getAttribute('aria-label')"
    page.locator(".okey [tabindex='0']").focus()
    while "row 1, place 1" not in page.evaluate(label):
        page.keyboard.press("ArrowDown" if "row" not in page.evaluate(label) else "ArrowLeft")
    assert page.evaluate(label) == "false joker, played as red 1, row 1, place 1, can be discarded"
    before = rack(page)
    page.keyboard.press("m")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("m")
    assert rack(page)[:2] == before[1::-1]
    assert page.evaluate(label).startswith("false joker, played as red 1, row 1, place 2")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(label) == "red 2, row 1, place 1, can be discarded"
    page.keyboard.press("Enter")
    assert page.locator("[aria-pressed=true]").get_attribute("data-tile") == "r2"
    page.keyboard.press("Escape")
    assert page.locator(".okey [aria-pressed=true]").count() == 0
    page.keyboard.press("d")
    settled(page, state["version"] + 1, 0)
    assert now(http, state)["history"][0]["name"] == "discard r2"
    while not page.evaluate(label).startswith("Centre"):
        page.keyboard.press("ArrowUp" if "row" in page.evaluate(label) else "ArrowRight")
    version = now(http, state)["version"]
    page.keyboard.press("Enter")
    settled(page, version + 1, 0)
    assert now(http, state)["last"]["name"] == "draw"


# ---------------------------------------------------------------------- looks


@pytest.mark.slow
@pytest.mark.parametrize(("width", "least"), [(1280, 40), (390, 27), (320, 24)])
def test_four_seats_fit_and_tiles_are_large_enough(page, table, width, least):
    page.set_viewport_size({"width": width, "height": 844})
    visit(page, table(players=4))
    box = page.locator(".okey-rack [data-tile]").first.bounding_box()
    assert min(box["width"], box["height"]) >= least
    assert page.evaluate("() => document.querySelector('.board-place').scrollWidth <= innerWidth")
    felt = page.locator(".okey-felt").bounding_box()
    for plate in page.locator(".okey-plate").all():
        inside = plate.bounding_box()
        assert felt["x"] <= inside["x"]
        assert inside["x"] + inside["width"] <= felt["x"] + felt["width"]


@pytest.mark.slow
def test_nothing_serious_for_axe(page, table):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    visit(page, table(players=4))
    page.locator(".okey-rack [data-tile]").first.click()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = axe.run(page, context=".okey-board").response["violations"]
        assert [(each["id"], each["help"]) for each in found if each["impact"] in ("serious", "critical")] == []
