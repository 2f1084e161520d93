"""Onitama in a real browser: a whole game by clicking, cards and pieces in either order, the swap, red's side, keys."""

import random

import pytest

from web.looking import now, settled, soon, visit

START = "r1Rr1/1r3/2b2/5/b1B1b blue dragon,elephant red goose,rooster side monkey turn blue"
WALLED = "b3R/b4/b4/b4/B4 blue tiger,horse red frog,crab side boar turn blue"
SQUARES = [f"{file}{rank}" for rank in "12345" for file in "abcde"]
CAPTION = ".board-onitama .onitama-caption"


@pytest.fixture
def table(http):
    """Makes a table for a person and the random player; its state."""

    def make(*, person=0, position=None, seed=5):
        seats = [{"kind": "agent", "spec": "random"}, {"kind": "agent", "spec": "random"}]
        seats[person] = {"kind": "person"}
        asked = {"game": "onitama", "variant": {}, "seats": seats, "seed": seed}
        answer = http.post("/api/tables", json=asked | ({"position": position} if position else {}))
        assert answer.status_code == 201, answer.text
        return answer.json()

    return make


def square(page, place):
    number = place if isinstance(place, int) else SQUARES.index(place)
    return page.locator(f".board-onitama [data-square='{number}']")


def card(page, name):
    return page.locator(f".board-onitama [data-card={name}]")


def drawn(page):
    """Seat and kind on every square, by what a reader is told."""
    pieces = []
    for number in range(25):
        words = square(page, number).get_attribute("aria-label").split(", ")
        piece = next((word for word in words if word.endswith(("student", "master"))), None)
        pieces.append(piece and {"seat": 0 if piece.startswith("Blue") else 1, "master": piece.endswith("master")})
    return pieces


def held(page):
    """Whose each card is, by what a reader is told."""
    labels = page.eval_on_selector_all("[data-card]", "all => all.map((one) => one.getAttribute('aria-label'))")
    return {label.split(", ")[0]: label.split(", ")[1] for label in labels}


def test_a_whole_game_by_clicking_in_either_order_with_a_reload(page, http, table):
    state = table()
    visit(page, state, 0)
    rng = random.Random(2)
    for turn in range(110):
        state = now(http, state)
        settled(page, state["version"], 0)
        if state["over"]:
            break
        assert drawn(page) == state["board"]["squares"]
        owners = ["Blue's card", "Red's card"]
        expected = {name: owners[seat] for seat in (0, 1) for name in state["board"]["hands"][seat]}
        assert held(page) == expected | {state["board"]["side"]: "the card aside"}
        if turn == 1:
            page.reload()
            settled(page, state["version"], 0)
        wins = [move for move in state["moves"] if "from" in move and takes_master(state, move)]
        move = rng.choice(wins or state["moves"])
        steps = [card(page, move["card"])] + ([] if "pass" in move else [square(page, move["from"])])
        for step in steps if turn % 2 else reversed(steps):
            step.click()
        if "pass" not in move:
            target = square(page, move["to"])
            soon(page, lambda target=target: target.get_attribute("data-action"), str(move["action"]))
            target.click()
        settled(page, state["version"] + 1, 0)
    assert state["over"]
    assert turn > 1
    assert page.locator("[data-result]").inner_text() == state["result"]["text"]
    assert page.locator(".board-onitama [data-action]").count() == 0


def takes_master(state, move):
    piece = state["board"]["squares"][move["to"]]
    return piece is not None and piece["master"]


@pytest.mark.slow
def test_targets_follow_from_what_is_chosen(page, table):
    visit(page, table(position=START), 0)
    square(page, "c3").click()
    both = {"a4", "e4", "b2", "d2", "b3", "d3", "b4", "d4"}
    soon(page, lambda: reachable(page), both)
    card(page, "elephant").click()
    soon(page, lambda: reachable(page), {"b3", "d3", "b4", "d4"})
    assert "can be reached by elephant" in square(page, "b4").get_attribute("aria-label")
    card(page, "elephant").click()  # put back
    soon(page, lambda: reachable(page), both)
    square(page, "c3").press("Escape")
    soon(page, lambda: reachable(page), set())
    card(page, "dragon").click()
    soon(page, lambda: card(page, "dragon").get_attribute("aria-pressed"), "true")
    square(page, "a1").click()
    soon(page, lambda: reachable(page), {"c2"})
    card(page, "goose").click(force=True)  # red's
    soon(page, lambda: reachable(page), {"c2"})


def reachable(page):
    actions = "all => all.map((one) => Number(one.dataset.square))"
    return {SQUARES[number] for number in page.eval_on_selector_all(".board-onitama .cell[data-action]", actions)}


@pytest.mark.slow
def test_where_both_cards_lead_the_card_is_asked_for(page, http, table):
    state = table(position="r1Rr1/5/5/5/b1B1b blue horse,boar red goose,rooster side monkey turn blue")
    visit(page, state, 0)
    square(page, "a1").click()
    square(page, "a2").click()
    soon(page, page.locator(CAPTION).inner_text, "Both cards lead there: choose one.")
    assert now(http, state)["ply"] == 0
    card(page, "boar").click()
    settled(page, state["version"] + 1, 0)
    assert now(http, state)["history"][0]["name"] == "boar a1a2"


@pytest.mark.slow
def test_a_piece_is_dragged_and_the_cards_glide(page, http, table):
    state = table(position=START)
    visit(page, state, 0, still=False)
    begin, end = square(page, "c3").bounding_box(), square(page, "b4").bounding_box()
    page.mouse.move(begin["x"] + begin["width"] / 2, begin["y"] + begin["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=5)
    page.evaluate(
        """() => {
          const glide = Element.prototype.animate;
          window.glided = [];
          Element.prototype.animate = function (...told) {
            if (this.dataset.card) window.glided.push(this.dataset.card);
            return glide.apply(this, told);
          };
        }"""
    )
    page.mouse.up()
    settled(page, state["version"] + 1, 0)
    assert now(http, state)["history"][0]["name"] == "elephant c3b4"
    assert {"elephant", "monkey"} <= set(page.evaluate("window.glided"))


@pytest.mark.slow
def test_without_a_move_a_card_is_given_away(page, http, table):
    state = table(position=WALLED)
    visit(page, state, 0)
    assert page.locator(CAPTION).inner_text() == "No piece can move: choose a card to give away."
    card(page, "horse").click()
    settled(page, state["version"] + 1, 0)
    assert now(http, state)["history"][0]["name"] == "horse pass"


@pytest.mark.slow
def test_a_move_by_keys_alone(page, http, table):
    state = table(position=START)
    visit(page, state, 0)
    square(page, "c3").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    assert "d4, empty, can be reached by elephant" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press(" ")
    settled(page, state["version"] + 1, 0)
    assert now(http, state)["history"][0]["name"] == "elephant c3d4"


@pytest.mark.slow
def test_red_sits_at_its_own_side_and_the_other_hand_is_turned(page, table):
    state = table(person=1, position=START.replace("turn blue", "turn red"))
    visit(page, state, mover=1)
    top = square(page, "c1").bounding_box()["y"]
    assert square(page, "c5").bounding_box()["y"] > top
    assert card(page, "goose").bounding_box()["y"] > card(page, "dragon").bounding_box()["y"]
    assert "rotate(180)" in card(page, "dragon").get_attribute("transform")
    assert "rotate(0)" in card(page, "goose").get_attribute("transform")
    page.locator("[data-command=flip][aria-pressed=true]").click()
    page.locator("[data-command=flip][aria-pressed=false]").wait_for()
    assert square(page, "c5").bounding_box()["y"] == pytest.approx(top, abs=2)
    assert "rotate(0)" in card(page, "dragon").get_attribute("transform")


@pytest.mark.slow
@pytest.mark.parametrize(("width", "least"), [(1280, 60), (390, 44), (360, 40)])
def test_squares_are_large_enough_and_nothing_sticks_out(page, table, width, least):
    page.set_viewport_size({"width": width, "height": 844})
    visit(page, table(position=START), 0)
    assert square(page, "b4").bounding_box()["width"] >= least
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
