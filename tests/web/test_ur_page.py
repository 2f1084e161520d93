"""The Royal Game of Ur in a real browser: a whole game by clicking, dice, reasons, dragging, keys and small screens."""

import random

import pytest

from web.looking import now, settled, soon, visit

CAPTION = ".board-ur .ur-caption"
ROLLING = "() => [...document.querySelectorAll('.ur-die')].some((die) => die.getAnimations().length > 0)"


@pytest.fixture
def table(http):
    """Makes a table: `table(pieces=2)`, `table(position=...)`; its state."""

    def make(*, seats=None, position=None, seed=3, **variant):
        asked = {
            "game": "ur",
            "variant": variant,
            "seats": seats or [{"kind": "person"}, {"kind": "agent", "spec": "random"}],
            "seed": seed,
        }
        answer = http.post("/api/tables", json=asked | ({"position": position} if position else {}))
        assert answer.status_code == 201, answer.text
        return answer.json()

    return make


def drawn(page):
    """Who stands where on the page, by what a reader is told."""
    labels = page.eval_on_selector_all(
        "[data-square]", "all => all.map((one) => [one.dataset.square, one.getAttribute('aria-label')])"
    )
    seats = {"First": 0, "Second": 1}
    return {square: seats[label.split("'s piece")[0].split(", ")[-1]] for square, label in labels if "piece" in label}


@pytest.mark.parametrize(("rules", "pieces"), [("paper", 1), pytest.param("finkel", 2, marks=pytest.mark.slow)])
def test_a_whole_game_by_clicking_with_a_reload_and_a_take_back(page, http, table, rules, pieces):
    state = table(rules=rules, pieces=pieces)
    visit(page, state)
    rng = random.Random(1)
    reloaded = taken_back = False
    for _ in range(400):
        state = now(http, state)
        if state["over"]:
            break
        assert state["mover"] == 0
        settled(page, state["version"], 0)
        assert drawn(page) == state["board"]["squares"]
        assert page.locator(".ur-throw").text_content() == str(state["board"]["throw"])
        if state["ply"] >= 4 and not reloaded:
            page.reload()
            settled(page, state["version"], 0)
            reloaded = True
        if state["ply"] >= 6 and not taken_back:
            button = page.locator("[data-command=undo]")
            assert button.inner_text() == "Take back"
            button.click()
            settled(page, state["version"] + 1, 0)
            assert now(http, state)["ply"] < state["ply"]
            taken_back = True
            continue
        playable = page.locator(".board-ur [data-action], .status [data-action]")
        assert playable.count() == len(state["moves"])
        playable.nth(rng.randrange(playable.count())).click()
        settled(page, state["version"] + 1, 0)
    assert reloaded
    assert taken_back
    assert state["over"]
    page.wait_for_selector(".board-frame[data-over]")
    assert page.locator("[data-result]").inner_text() == state["result"]["text"]
    assert page.locator(".board-ur [data-action]").count() == 0
    assert pieces in state["board"]["home"]


@pytest.mark.slow
def test_dice_roll_until_a_key_lets_them_rest(page, table):
    # Both throws of the paper's rules enter here, whatever was thrown.
    state = table(seats=[{"kind": "person"}, {"kind": "person"}])
    visit(page, state, still=False)
    page.locator(".board-ur [data-action]").first.click()
    page.wait_for_function(ROLLING)
    assert page.locator(".board-ur [data-action]").count() == 0  # nobody plays before the throw is known
    page.keyboard.press("x")
    page.wait_for_function(f"() => !({ROLLING})()")
    settled(page, state["version"] + 1, 1)
    assert page.locator(".board-ur [data-action]").count() > 0
    assert page.locator(".ur-die").count() == 2
    assert page.locator(".ur-tip.up").count() == int(page.locator(".ur-throw").text_content())


@pytest.mark.slow
def test_a_blocked_piece_says_why_and_a_movable_one_where_to(page, http, table):
    state = table(position="first: on b2 b5 a7; second: on b4 b7; turn first; throw 2")
    visit(page, state)
    why = "The other side is safe on b4, and b5 behind it is taken by an own piece."
    page.locator("[data-square=b2]").click()
    soon(page, page.locator(CAPTION).inner_text, why)
    assert why in page.locator("[data-square=b2]").get_attribute("aria-label")
    page.locator("[data-square=a7]").hover()
    soon(page, page.locator(CAPTION).inner_text, "Leaving the board takes a throw of exactly 1, and this is 2.")
    assert page.locator(".ur-way").count() == 0
    page.locator("[data-square=b5]").hover()
    soon(page, page.locator(CAPTION).inner_text, "b5 to b7, sends Second's piece back.")
    assert page.locator(".ur-way.captures").count() == 1
    assert now(http, state)["ply"] == 0


@pytest.mark.slow
def test_a_piece_is_dragged_home_and_another_back_where_it_was(page, http, table):
    state = table(position="first: on b5 a8; second: on c3; turn first; throw 2")
    visit(page, state)
    drag(page, page.locator("[data-square=a8]"), page.locator("[data-square=b2]"))
    assert now(http, state)["ply"] == 0
    drag(page, page.locator("[data-square=a8]"), page.locator("[data-tray=off0]"))
    settled(page, state["version"] + 1)
    assert now(http, state)["history"][0]["name"] == "a8-off"


def drag(page, origin, target):
    begin, end = origin.bounding_box(), target.bounding_box()
    page.mouse.move(begin["x"] + begin["width"] / 2, begin["y"] + begin["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=5)
    page.mouse.up()


@pytest.mark.slow
def test_a_move_by_keys_alone(page, http, table):
    state = table(position="first: on a4 b1; second: on c3; turn first; throw 1")
    visit(page, state)
    page.locator("[data-square=b4]").focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    focused = page.evaluate("document.activeElement.dataset.square")
    assert focused == "b1"
    assert "legal move: b1 to b2" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    settled(page, state["version"] + 1)
    assert now(http, state)["history"][0]["name"] == "b1-b2"


@pytest.mark.slow
@pytest.mark.parametrize(("width", "least"), [(1280, 60), (390, 44), (360, 42)])
def test_squares_are_large_enough_and_nothing_sticks_out(page, table, width, least):
    page.set_viewport_size({"width": width, "height": 844})
    visit(page, table(rules="finkel", position="first: on a4 b1; second: on c3; turn first; throw 3"))
    box = page.locator("[data-square=b4]").bounding_box()
    assert min(box["width"], box["height"]) >= least
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_the_second_seat_sits_at_its_own_side_until_the_board_is_turned(page, table):
    seats = [{"kind": "agent", "spec": "random"}, {"kind": "person"}]
    visit(page, table(seats=seats, position="first: on a4; second: on c4; turn second; throw 1"))
    own, other = page.locator("[data-tray=start1]"), page.locator("[data-tray=start0]")
    assert own.bounding_box()["y"] > other.bounding_box()["y"]
    page.locator("[data-command=flip]").click()
    page.locator("[data-command=flip][aria-pressed=true]").wait_for()
    assert own.bounding_box()["y"] < other.bounding_box()["y"]
