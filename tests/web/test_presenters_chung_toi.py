"""What the page is told about Chung Toi, against positions worked out by hand and against the rules themselves."""

import time
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
import pytest

from ludens.games.chung_toi import PASS, SQUARES, ChungToi
from ludens.web.worker.render import Scene, presenter

SHOW = presenter("chung-toi")
VARIANTS = [ChungToi(hop=hop, allow_pass=allow_pass) for hop in (True, False) for allow_pass in (True, False)]
MOST_SECONDS = 0.3e-3
"""For a whole position. One call of a compiled function for each move would already take longer."""


def look(game: ChungToi, state: Any, actions: Sequence[int] = ()) -> Scene:
    view = jax.tree.map(np.asarray, state)
    mover, over = int(game.player(state)), bool(game.done(state))
    return Scene(game, view, seat=mover, mover=mover, over=over, seed=0, movers=[], actions=actions)


def random_positions(game: ChungToi, seed: int, games: int = 4) -> list[tuple[Any, list[int]]]:
    """The positions of some games at random, and what is legal in each."""
    apply, legal_in, chooser, met = jax.jit(game.apply), jax.jit(game.legal), np.random.default_rng(seed), []
    for _ in range(games):
        state = game.init(jax.random.key(0))
        for _ in range(30):
            legal = np.flatnonzero(legal_in(state))
            if not legal.size:
                break
            met.append((state, [int(a) for a in legal]))
            state = apply(state, chooser.choice(legal))
    return met


def said(game: ChungToi, position: str, move: str) -> str:
    state = game.read(position)
    action = game.parse(move, state)
    return SHOW.said(look(game, state), action, look(game, game.apply(state, action)))


def test_a_position() -> None:
    scene = look(ChungToi(), ChungToi().read("W+--Rx/--R+--/----Wx turn white"))
    white, red = {"seat": 0}, {"seat": 1}
    squares: list[Any] = [None] * 9
    squares[SQUARES.index("a3")] = white | {"diagonal": False}
    squares[SQUARES.index("c1")] = white | {"diagonal": True}
    squares[SQUARES.index("c3")] = red | {"diagonal": True}
    squares[SQUARES.index("b2")] = red | {"diagonal": False}
    assert SHOW.board(scene) == {"squares": squares, "phase": "placing", "left": [1, 1], "line": None}
    assert SHOW.seats(scene.game) == ["White", "Red"]


def test_the_phase_is_that_of_the_mover() -> None:
    scene = look(ChungToi(), ChungToi().read("W+--Rx/--R+W+/----Wx turn red"))
    assert SHOW.board(scene)["phase"] == "placing"
    assert SHOW.board(scene)["left"] == [0, 1]
    after = look(ChungToi(), ChungToi().read("W+--Rx/RxR+W+/----Wx turn white"))
    assert SHOW.board(after)["phase"] == "moving"


@pytest.mark.parametrize("game", [VARIANTS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in VARIANTS[1:])])
def test_every_move_touches_what_the_rules_say(game: ChungToi) -> None:
    apply = jax.jit(game.apply)
    for state, legal in random_positions(game, seed=7):
        before = look(game, state)
        squares = SHOW.board(before)["squares"]
        touched = [SHOW.move(before, action) for action in legal]
        assert len({str(sorted(move.items())) for move in touched}) == len(legal)
        for action, move in zip(legal, touched, strict=True):
            expected = list(squares)
            piece = {"seat": before.mover, "diagonal": move["diagonal"]}
            match move["kind"]:
                case "pass":
                    assert (action, move["from"], move["to"]) == (PASS, None, None)
                case "place":
                    assert move["from"] is None
                    assert squares[move["to"]] is None
                    assert game.name(action, before.view) == SQUARES[move["to"]] + "+x"[move["diagonal"]]
                    expected[move["to"]] = piece
                case "turn":
                    assert move["from"] == move["to"]
                    assert squares[move["to"]] == {"seat": before.mover, "diagonal": not move["diagonal"]}
                    expected[move["to"]] = piece
                case "move":
                    assert squares[move["from"]]["seat"] == before.mover
                    assert squares[move["to"]] is None
                    ends = SQUARES[move["from"]], SQUARES[move["to"]]
                    assert game.name(action, before.view) == "-".join(ends) + "+x"[move["diagonal"]]
                    expected[move["from"]], expected[move["to"]] = None, piece
                case other:
                    pytest.fail(f"unknown kind {other}")
            after = look(game, apply(state, action))
            board = SHOW.board(after)
            assert board["squares"] == expected
            assert (board["line"] is not None) == after.over
            assert SHOW.change(before, action, after) == ({"line": board["line"]} if after.over else {})
            if board["line"]:
                assert {str(expected[i] and expected[i]["seat"]) for i in board["line"]} == {str(before.mover)}


@pytest.mark.parametrize(
    ("position", "line"),
    [
        ("W+W+W+/R+R+--/------ turn red", "a3 b3 c3"),
        ("R+R+--/------/W+WxW+ turn red", "a1 b1 c1"),
        ("W+--Rx/RxW+--/----Wx turn red", "c1 b2 a3"),
        ("--RxW+/--RxW+/W+Rx-- turn white", "b1 b2 b3"),
    ],
)
def test_three_in_a_row_are_pointed_out(position: str, line: str) -> None:
    board = SHOW.board(look(ChungToi(), ChungToi().read(position)))
    assert board["line"] == sorted(map(SQUARES.index, line.split()))


@pytest.mark.parametrize(
    ("position", "move", "words"),
    [
        ("------/------/------ turn white", "b2+", "White places on b2, straight"),
        ("------/--W+--/------ turn red", "a1x", "Red places on a1, diagonal"),
        ("W+--Rx/RxR+W+/----Wx turn white", "a3x", "White turns a3 diagonal"),
        ("W+--Rx/RxR+W+/----Wx turn white", "a3-b3+", "White moves a3 to b3"),
        ("W+--Rx/RxR+W+/----Wx turn white", "a3-b3x", "White moves a3 to b3 and turns it diagonal"),
        ("W+--Rx/RxR+W+/----Wx turn red", "c3-a1+", "Red moves c3 to a1 and turns it straight"),
        ("W+--Rx/RxR+W+/----Wx turn white", "--", "White passes"),
    ],
)
def test_moves_in_words(position: str, move: str, words: str) -> None:
    assert said(ChungToi(allow_pass=True), position, move) == words


def test_how_it_ended() -> None:
    game = ChungToi()
    won = look(game, game.read("W+W+W+/R+R+--/------ turn red"))
    assert SHOW.result(won, (1.0, -1.0)) == "White wins with three in a row"
    assert SHOW.result(won, (-1.0, 1.0)) == "Red wins with three in a row"
    open_end = look(game, game.read("W+--Rx/RxR+W+/----Wx turn white"), actions=[0] * game.turn_limit)
    assert SHOW.result(open_end, (0.0, 0.0)) == "A draw: nobody has three in a row after 100 moves"


def test_the_limit_is_announced_when_it_is_near() -> None:
    game = ChungToi()
    state = game.read("W+--Rx/RxR+W+/----Wx turn white")
    assert SHOW.notice(look(game, state)) is None
    assert SHOW.notice(look(game, state, actions=[0] * 89)) is None
    assert SHOW.notice(look(game, state, actions=[0] * 90)) == "10 more moves without three in a row, and it is a draw"
    assert SHOW.notice(look(game, state, actions=[0] * 99)) == "1 more move without three in a row, and it is a draw"
    over = look(game, game.read("W+W+W+/R+R+--/------ turn red"), actions=[0] * 95)
    assert SHOW.notice(over) is None


def test_a_position_is_shown_in_no_time() -> None:
    positions = [(look(VARIANTS[0], state), legal) for state, legal in random_positions(VARIANTS[0], seed=1)]

    def seconds() -> float:
        began = time.perf_counter()
        for scene, legal in positions:
            SHOW.board(scene)
            for action in legal:
                SHOW.move(scene, action)
        return (time.perf_counter() - began) / len(positions)

    assert min(seconds() for _ in range(5)) < MOST_SECONDS
