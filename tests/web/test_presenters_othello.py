"""What the page is told about Othello, against positions worked out by hand and against the rules themselves."""

import time
from typing import Any

import jax
import numpy as np
import pytest

from ludens.games.othello import SIZES, Othello
from ludens.web.worker.render import Scene, presenter

SHOW = presenter("othello")
MOST_SECONDS = 0.3e-3
"""For a whole position. One call of a compiled function for each move would already take longer."""


def look(game: Othello, state: Any) -> Scene:
    view = jax.tree.map(np.asarray, state)
    mover, over = int(view.turn), bool(view.over)
    return Scene(game, view, seat=mover, mover=mover, over=over, seed=0, movers=[], actions=[])


def square(name: str, size: int = 8) -> int:
    return "abcdefgh".index(name[0]) + (int(name[1]) - 1) * size


def random_positions(game: Othello, seed: int) -> list[tuple[Any, list[int]]]:
    """The positions of one game at random, and what is legal in each."""
    apply, legal_in = jax.jit(game.apply), jax.jit(game.legal)
    chooser, state, met = np.random.default_rng(seed), game.init(jax.random.key(0)), []
    while (legal := np.flatnonzero(legal_in(state))).size:
        met.append((state, [int(a) for a in legal]))
        state = apply(state, chooser.choice(legal))
    return met


def test_the_start() -> None:
    scene = look(Othello(), Othello().init(jax.random.key(0)))
    squares = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27
    assert SHOW.board(scene) == {"size": 8, "squares": squares, "counts": [2, 2]}
    turned = {"d3": "d4", "c4": "d4", "f5": "e5", "e6": "e5"}
    for placed, turns in turned.items():
        assert SHOW.move(scene, square(placed)) == {"square": square(placed), "turns": [square(turns)]}
    assert SHOW.notice(scene) is None
    assert SHOW.seats(scene.game) == ["Black", "White"]


def test_lines_in_all_directions_turn_up_to_the_own_disc_and_open_ones_do_not() -> None:
    rows = [
        "O--X----",  # from d4 up to d1: closed; up left to a1 and up right past f2: open
        "-O-O-O--",
        "--OOO---",
        "XOO-OOOX",  # both ways along the rank: closed
        "--OOO---",
        "-O-O-X--",  # down left to a7 and down right to f6: closed; straight down to d7: open
        "X--O----",
        "--------",
    ]
    scene = look(Othello(), Othello().read("".join(rows) + "X"))
    turned = ["d3", "d2", "e4", "f4", "g4", "c4", "b4", "c5", "b6", "e5"]
    assert sorted(SHOW.move(scene, square("d4"))["turns"]) == sorted(map(square, turned))


@pytest.mark.parametrize("size", [8, *(pytest.param(size, marks=pytest.mark.slow) for size in SIZES if size != 8)])
def test_every_move_touches_what_the_rules_say(size: int) -> None:
    game = Othello(size=size)
    apply = jax.jit(game.apply)
    for state, legal in random_positions(game, seed=size):
        before = look(game, state)
        squares = SHOW.board(before)["squares"]
        own = "XO"[before.mover]
        touched = [SHOW.move(before, action) for action in legal]
        assert len({str(sorted(move.items())) for move in touched}) == len(legal)
        for action, move in zip(legal, touched, strict=True):
            after = look(game, apply(state, action))
            now = SHOW.board(after)
            changed = {i for i in range(size**2) if squares[i] != now["squares"][i]}
            flipped = {i for i in changed if squares[i] != "-"}
            assert SHOW.change(before, action, after) == {"flipped": sorted(flipped)}
            assert now["counts"] == [now["squares"].count("X"), now["squares"].count("O")]
            if "pass" in move:
                assert move == {"pass": True}
                assert not changed
                continue
            assert move["square"] == square(game.name(action, before.view), size)
            assert changed - flipped == {move["square"]}
            assert sorted(move["turns"]) == sorted(flipped)
            assert len(move["turns"]) == len(flipped)
            assert all(now["squares"][i] == own for i in changed)


def test_a_pass_is_explained() -> None:
    game = Othello(size=4)
    scene = look(game, game.read("XO-------------- O"))
    assert SHOW.notice(scene) == "White has no square to place on and must pass"
    assert SHOW.move(scene, 16) == {"pass": True}
    after = look(game, game.apply(scene.view, 16))
    assert SHOW.said(scene, 16, after) == "White passes"
    assert SHOW.change(scene, 16, after) == {"flipped": []}
    assert SHOW.notice(after) is None


def test_moves_in_words() -> None:
    game = Othello()
    start = game.init(jax.random.key(0))
    after = game.apply(start, square("f5"))
    assert SHOW.said(look(game, start), square("f5"), look(game, after)) == "Black places on f5 and turns 1 disc"
    small = Othello(size=4)
    before = small.read("XOO------------- X")
    said = SHOW.said(look(small, before), 3, look(small, small.apply(before, 3)))
    assert said == "Black places on d1 and turns 2 discs"


@pytest.mark.parametrize(
    ("black", "returns", "said"),
    [
        (40, (1.0, -1.0), "Black wins 40 to 24"),
        (20, (-1.0, 1.0), "White wins 44 to 20"),
        (32, (0.0, 0.0), "A draw, 32 to 32"),
    ],
)
def test_how_it_ended(black: int, returns: tuple[float, float], said: str) -> None:
    scene = look(Othello(), Othello().read("X" * black + "O" * (64 - black) + "X"))
    assert scene.over
    assert SHOW.result(scene, returns) == said
    assert SHOW.notice(scene) is None


def test_a_position_is_shown_in_no_time() -> None:
    positions = [(look(Othello(), state), legal) for state, legal in random_positions(Othello(), seed=1)]

    def seconds() -> float:
        began = time.perf_counter()
        for scene, legal in positions:
            SHOW.board(scene)
            for action in legal:
                SHOW.move(scene, action)
        return (time.perf_counter() - began) / len(positions)

    assert min(seconds() for _ in range(5)) < MOST_SECONDS
