"""What the page is told about the Royal Game of Ur, against the slow reference and positions worked out by hand."""

import random
import re
from timeit import repeat

import jax
import numpy as np
import pytest

from ludens.core.game import legal_actions
from ludens.games.ur import Ur
from ludens.web.worker.render import Scene, presenter
from reference import ur as reference

UR = presenter("ur")
VARIANTS = [Ur(), Ur(pieces=2), Ur(rules="finkel"), Ur(rules="finkel", pieces=3), Ur(rules="finkel", pieces=7, dice=3)]
PAPER, FINKEL = Ur(), Ur(rules="finkel", pieces=4)


def scene(game, text, *, seed=0, movers=(), over=False):
    view = jax.tree.map(np.asarray, game.read(text))
    return Scene(game, view, 0, int(view.turn), over, seed, movers, [0] * len(movers))


def text_of(position):
    """A position of the reference as the game writes it."""
    sides = [
        f"{side}: waiting {position['waiting'][side]} on {' '.join(sorted(position['on'][side]))} "
        f"home {position['home'][side]}"
        for side in reference.SIDES
    ]
    throw = "none" if reference.winner(position) else position["throw"]
    return f"{'; '.join(sides)}; turn {position['turn']}; throw {throw}".replace("on  home", "home")


def walk(game, seed):
    """A random game of the reference: every position with its throw, and the move played there by name."""
    rng = random.Random(seed)
    chances = reference.throws(game.rules, game.dice)
    position = reference.start(game.pieces)
    while reference.winner(position) is None:
        position = {**position, "throw": rng.choice(list(chances))}
        moves = reference.moves(position, game.rules)
        name = rng.choice(sorted(moves))
        yield position, name, moves[name]
        position = moves[name]


@pytest.mark.parametrize(
    "game",
    [VARIANTS[1], *(pytest.param(game, marks=pytest.mark.slow) for game in VARIANTS if game != VARIANTS[1])],
    ids=str,
)
def test_random_games_look_as_the_reference_says(game):
    seen = {"capture": 0, "blocked": 0, "off": 0}
    for position, played, after in walk(game, seed=4):
        here = scene(game, text_of(position))
        mover, opponent = position["turn"], reference.OTHER[position["turn"]]
        board = UR.board(here)
        assert board["squares"] == {
            square: seat for seat, side in enumerate(reference.SIDES) for square in position["on"][side]
        }
        assert board["waiting"] == [position["waiting"][side] for side in reference.SIDES]
        assert board["home"] == [position["home"][side] for side in reference.SIDES]
        assert board["throw"] == position["throw"] == sum(board["dice"])
        assert (len(board["dice"]), board["pieces"], board["rules"]) == (game.dice, game.pieces, game.rules)

        geometry = {a: UR.move(here, a) for a in legal_actions(game, here.view)}
        names = {"pass" if "pass" in move else f"{move['from']}-{move['to']}" for move in geometry.values()}
        assert names == set(reference.moves(position, game.rules))
        assert len(names) == len(geometry)
        for move in geometry.values():
            if "pass" in move:
                assert move == {"pass": True}
                continue
            way = ["start", *reference.WAY[mover], "off"]
            assert move["path"] == way[way.index(move["from"]) + 1 : way.index(move["to"]) + 1]
            assert move["captures"] == (move["to"] if move["to"] in position["on"][opponent] else None)
            assert move["rosette"] == (move["to"] in reference.ROSETTES)
            seen["off"] += move["to"] == "off"

        own = set(position["on"][mover]) | ({"start"} if position["waiting"][mover] else set())
        blocked = {entry["from"]: entry["why"] for entry in board["blocked"]}
        assert len(blocked) == len(board["blocked"])
        assert set(blocked) == own - {name.partition("-")[0] for name in names}
        for origin, why in blocked.items():
            check_reason(position, origin, why, game.rules)
            seen["blocked"] += 1

        again = after["turn"] == mover and reference.winner(after) is None
        then = scene(game, text_of({**after, "throw": 1}), over=reference.winner(after) is not None)
        action = game.parse(played, here.view)
        captured = after["waiting"][opponent] - position["waiting"][opponent]
        change = UR.change(here, action, then)
        assert change == {"captured": played.partition("-")[2] if captured else None, "again": again}
        said = UR.said(here, action, then)
        assert said.startswith(mover.capitalize())
        assert ("sends a piece back" in said) == bool(captured)
        assert ("another throw" in said) == again
        seen["capture"] += captured
    assert all(seen.values())


def check_reason(position, origin, why, rules):
    """A reason must be true, by the reference's way of seeing the position."""
    mover, throw = position["turn"], position["throw"]
    mine, theirs = position["on"][mover], position["on"][reference.OTHER[mover]]
    way = ["start", *reference.WAY[mover], "off"]
    steps = way.index(origin) + throw
    if throw == 0:
        assert why == "A throw of 0 moves nothing."
    elif steps >= len(way):
        assert why == f"Leaving the board takes a throw of exactly {15 - way.index(origin)}, and this is {throw}."
    elif way[steps] == "b4" and "b4" in theirs and rules == "finkel":
        assert why == "The other side holds b4, where a piece is safe: nobody may land there."
    elif way[steps] == "b4" and "b4" in theirs:
        assert "b5" in mine
        assert why == "The other side is safe on b4, and b5 behind it is taken by an own piece."
    else:
        assert way[steps] in mine
        assert why == f"An own piece already stands on {way[steps]}."


@pytest.mark.parametrize(
    ("game", "text", "blocked"),
    [
        (
            PAPER,
            "first: on a3 a1 home 1; second: on b4; turn first; throw 2",
            {"start": "An own.* a3", "a3": "An own.* a1"},
        ),
        (PAPER, "first: on b2 b5 a7; second: on b4; turn first; throw 2", {"b2": "b4.*b5.*own", "a7": "exactly 1"}),
        (FINKEL, "first: on b2 b5; second: on b4; turn first; throw 2", {"b2": "other side holds b4"}),
        (FINKEL, "first: on b2; second: on c4 b7; turn second; throw 4", {}),
        (FINKEL, "first: on b2; second: on c4 c7; turn second; throw 0", {"start": "0", "c4": "0", "c7": "0"}),
        (FINKEL, "first: on b2; second: on c8 b8 home 2; turn second; throw 4", {"c8": "exactly 2", "b8": "exactly 3"}),
    ],
)
def test_reasons_by_hand(game, text, blocked):
    told = {entry["from"]: entry["why"] for entry in UR.board(scene(game, text))["blocked"]}
    assert set(told) == set(blocked)
    for origin, pattern in blocked.items():
        assert re.search(pattern, told[origin])


def test_a_move_over_the_refuge_passes_it():
    here = scene(PAPER, "first: on b2; second: on b4 b5; turn first; throw 2")
    move = UR.move(here, PAPER.parse("b2-b5", here.view))
    assert move == {"from": "b2", "to": "b5", "path": ["b3", "b4", "b5"], "captures": "b5", "rosette": False}


def test_the_board_is_the_real_one():
    board = UR.board(scene(PAPER, "first: on a3; second: home 1; turn second; throw 1"))
    assert set(board["rosettes"]) == reference.ROSETTES
    assert len(board["rosettes"]) == 5
    assert board["paths"] == [reference.WAY["first"], reference.WAY["second"]]
    assert len({square for path in board["paths"] for square in path}) == 20


def test_dice_fall_by_seed_and_ply_and_stay():
    text = "first: on a3; second: home 1; turn second; throw 2"
    faces = [[UR.board(scene(FINKEL, text, seed=seed, movers=[0] * ply))["dice"] for ply in (1, 2)] for seed in (1, 2)]
    assert faces == [
        [UR.board(scene(FINKEL, text, seed=seed, movers=[0] * ply))["dice"] for ply in (1, 2)] for seed in (1, 2)
    ]
    shown = {
        tuple(UR.board(scene(FINKEL, text, seed=seed, movers=[0] * ply))["dice"]) for seed in range(8) for ply in (1, 2)
    }
    assert len(shown) > 1
    assert all(sum(dice) == 2 and len(dice) == 4 for dice in shown)


def test_passes_and_second_throws_are_explained():
    zero = scene(FINKEL, "first: on b2; second: on c4; turn second; throw 0", movers=[0])
    assert UR.notice(zero) == "Second throws 0 and must pass."
    assert UR.said(zero, 15, zero) == "Second throws 0 and passes"
    stuck = scene(PAPER, "first: on a7 home 3; second: on c4; turn first; throw 2", movers=[1])
    assert UR.notice(stuck) == "First cannot move 2: a pass."
    again = scene(FINKEL, "first: on a1; second: on c4; turn first; throw 2", movers=[1, 0])
    assert UR.notice(again) == "A rosette: First throws again."
    assert UR.notice(scene(FINKEL, "first: on a1; second: on c4; turn first; throw 2", movers=[0, 1])) is None


def test_the_end_has_no_throw_and_names_the_winner():
    over = scene(PAPER, "first: home 4; second: on c4 home 1; turn second; throw none", over=True)
    board = UR.board(over)
    assert (board["throw"], board["dice"], board["blocked"]) == (None, [], [])
    assert UR.result(over, [1.0, -1.0]) == "First wins: all 4 pieces are home, 1 of Second's"
    cut = scene(PAPER, "first: on a1; second: on c4 home 1; turn second; throw 2", over=True, movers=[0, 1] * 1000)
    assert UR.board(cut)["throw"] is None
    assert UR.notice(cut) is None
    assert UR.result(cut, [0.0, 0.0]) == "A draw: nobody was home after 2,000 turns"


def test_a_position_is_shown_in_no_time():
    game = Ur(rules="finkel")
    here = scene(game, "first: on a4 a3 b2 b5; second: on c2 b4 b7; turn first; throw 2")
    legal = legal_actions(game, here.view)

    def show():
        UR.board(here)
        for action in legal:
            UR.move(here, action)

    show()
    assert min(repeat(show, number=50, repeat=5)) / 50 < 0.0003
