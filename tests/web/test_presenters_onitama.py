"""What the page is told about Onitama, against the slow reference and positions worked out by hand."""

import random
from time import process_time
from timeit import repeat

import jax
import numpy as np
import pytest

from ludens.core.game import legal_actions
from ludens.games.onitama import Onitama
from ludens.web.worker.render import Scene, presenter
from reference import onitama as reference

ONITAMA = presenter("onitama")
GAME = Onitama()
SIDES = ("blue", "red")
WALLED = "b3R/b4/b4/b4/B4 blue tiger,horse red frog,crab side boar turn blue"
"""Blue's five stand on the a file, where tiger and horse lead only off the board and onto each other."""


def scene(text, *, over=False, acts=0):
    view = jax.tree.map(np.asarray, GAME.read(text))
    return Scene(GAME, view, 0, int(view.turn), over, 0, [0] * acts, [0] * acts)


def number(square):
    return square[1] * 5 + square[0]


def walk(seed):
    """A random game of the reference: every position and the move played there."""
    rng = random.Random(seed)
    cards = rng.sample(sorted(reference.OFFSETS), 5)
    position = reference.start(cards[:2], cards[2:4], cards[4])
    while position.winner is None:
        moves = reference.moves(position)
        name = rng.choice(sorted(moves))
        after = reference.play(position, moves[name])
        yield position, name, after
        position = after


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_random_games_look_as_the_reference_says(seed):
    seen = {"captures": 0, "positions": 0}
    for position, played, after in walk(seed):
        here, then = scene(position.text), scene(after.text, over=after.winner is not None)
        board = ONITAMA.board(here)
        expected = [None] * 25
        for square, (side, kind) in position.pieces.items():
            expected[number(square)] = {"seat": SIDES.index(side), "master": kind == "master"}
        assert board["squares"] == expected
        assert [set(hand) for hand in board["hands"]] == [position.hands[side] for side in SIDES]
        assert board["side"] == position.aside
        assert set(board["cards"]) == position.hands["blue"] | position.hands["red"] | {position.aside}
        for name, card in board["cards"].items():
            assert card["stamp"] == reference.STAMP[name]
            assert {tuple(offset) for offset in card["offsets"]} == reference.OFFSETS[name]

        told = [ONITAMA.move(here, a) for a in legal_actions(GAME, here.view)]
        wanted = [
            {"card": card, "pass": True}
            if square is None
            else {"card": card, "from": number(square), "to": number(target)}
            for card, square, target in reference.moves(position).values()
        ]
        assert sorted(told, key=str) == sorted(wanted, key=str)

        action = GAME.parse(played, here.view)
        card, square, target = reference.moves(position)[played]
        captured = position.pieces.get(target) if square is not None else None
        change = ONITAMA.change(here, action, then)
        assert change["captured"] == (
            {"seat": SIDES.index(captured[0]), "master": captured[1] == "master"} if captured else None
        )
        assert change["swapped"] == (None if after.winner else {"given": card, "taken": position.aside})
        said = ONITAMA.said(here, action, then)
        assert said.startswith(position.mover.capitalize())
        assert ("captures" in said) == bool(captured)
        assert said.endswith("wins" if after.winner else f"gets {position.aside}")
        seen["captures"] += bool(captured)
        seen["positions"] += 1
    assert all(seen.values())
    result = ONITAMA.result(then, [float(x) for x in GAME.returns(then.view)])
    assert result.startswith(f"{after.winner.capitalize()} wins: ")
    loser = reference.OTHER[after.winner]
    assert ("captured" in result) == ((loser, "master") not in after.pieces.values())


def test_red_is_told_in_the_same_squares():
    here = scene("rrRrr/5/5/5/bbBbb blue ox,boar red horse,elephant side mantis turn red")
    board = ONITAMA.board(here)
    assert board["squares"][2] == {"seat": 0, "master": True}
    assert board["squares"][22] == {"seat": 1, "master": True}
    assert board["hands"] == [["ox", "boar"], ["elephant", "horse"]]
    action = GAME.parse("elephant c5b4", here.view)
    assert ONITAMA.move(here, action) == {"card": "elephant", "from": 22, "to": 16}


def test_a_pass_chooses_a_card_and_is_explained():
    here = scene(WALLED)
    assert [ONITAMA.move(here, a) for a in legal_actions(GAME, here.view)] == [
        {"card": "tiger", "pass": True},
        {"card": "horse", "pass": True},
    ]
    notice = ONITAMA.notice(here)
    assert notice == "Blue cannot move any piece and passes: a card must still be swapped, so choose one."
    action = GAME.parse("tiger pass", here.view)
    then = scene("b3R/b4/b4/b4/B4 blue horse,boar red frog,crab side tiger turn red")
    assert ONITAMA.change(here, action, then) == {"captured": None, "swapped": {"given": "tiger", "taken": "boar"}}
    assert ONITAMA.said(here, action, then) == "Blue cannot move, gives tiger away and gets boar"
    assert ONITAMA.notice(then) is None


def test_draws_and_both_ways_to_win_are_told():
    temple = scene("2B2/5/5/5/4r blue ox,boar red horse,elephant side crab turn red", over=True)
    assert ONITAMA.result(temple, [1.0, -1.0]) == "Blue wins: the master has reached Red's temple"
    captured = scene("2R2/5/5/5/b4 blue ox,boar red horse,elephant side crab turn blue", over=True)
    assert ONITAMA.result(captured, [-1.0, 1.0]) == "Red wins: Blue's master is captured"
    drawn = scene("2R2/5/5/5/B4 blue ox,boar red horse,elephant side crab turn blue", over=True, acts=200)
    assert ONITAMA.result(drawn, [0.0, 0.0]) == "A draw: nobody has won after 200 moves"
    assert ONITAMA.notice(drawn) is None


def test_a_position_is_shown_in_no_time():
    here = scene("r1R1r/1r1r1/2b2/1b3/b1B1b blue dragon,goose red elephant,rooster side monkey turn red")
    legal = legal_actions(GAME, here.view)
    assert len(legal) > 10

    def show():
        ONITAMA.board(here)
        ONITAMA.notice(here)
        for action in legal:
            ONITAMA.move(here, action)

    show()
    assert min(repeat(show, timer=process_time, number=50, repeat=5)) / 50 < 0.0005
