"""Othello's formulas against the paper: by hand, and square by square over random positions."""

from functools import cache
from typing import Any

import jax
import numpy as np
import pytest

from ludens.games import make
from ludens.games.othello import Othello
from ludens.players import player
from ludens.players.othello import Discs, Mobility, Positional
from players.positions import check_decisions, positions
from reference import othello as plain
from variants import slow_but

FIGURE_10 = [
    [100, -20, 10, 5, 5, 10, -20, 100],
    [-20, -50, -2, -2, -2, -2, -50, -20],
    [10, -2, -1, -1, -1, -1, -2, 10],
    [5, -2, -1, -1, -1, -1, -2, 5],
    [5, -2, -1, -1, -1, -1, -2, 5],
    [10, -2, -1, -1, -1, -1, -2, 10],
    [-20, -50, -2, -2, -2, -2, -50, -20],
    [100, -20, 10, 5, 5, 10, -20, 100],
]
FULL, SMALL = make("othello"), make("othello", size=4)


def board(*rows: str, size: int = 8) -> str:
    """Rows from the first on; what is left out is empty."""
    return "".join(row.ljust(size, "-") for row in rows).ljust(size**2, "-")


@cache
def valued(kind: Any) -> Any:
    return jax.jit(lambda s: kind(FULL).value(None, s))


def value(kind: Any, text: str) -> float:
    return float(valued(kind)(FULL.read(text)))


# ------------------------------------------------------------------ by hand


@pytest.mark.parametrize(
    ("squares", "expected"),
    [
        (FULL.show(FULL.init(jax.random.key(0)))[:64], 0),  # four squares of -1, two each
        (board("XXO"), 100 - 20 - 10),
        (board("--O", "-X", "O-X"), -10 - 50 - 10 - 1),
        (board("", "", "---X", "X--O--", "O"), -1 + 5 + 1 - 5),
        (board("X------X", "", "", "", "", "", "", "OX"), 100 + 100 - 100 - 20),
    ],
)
def test_positional_by_hand(squares: str, expected: float) -> None:
    assert value(Positional, squares + " X") == expected
    assert value(Positional, squares + " O") == -expected


@pytest.mark.parametrize(
    ("squares", "expected"),
    [
        (board("XXO"), 10 * 1 + (1 - 0) / 1),  # black can place on d1, white nowhere
        (FULL.show(FULL.init(jax.random.key(0)))[:64], 0),  # four moves each
        (board("OXX----O"), 10 * -2 + (0 - 1) / 1),  # white closes b1 and c1 in from d1
        (board("OXX----O", "", "", "---XO"), 10 * -2 + (1 - 2) / 3),  # and now also d4 from c4, black e4 from f4
    ],
)
def test_mobility_by_hand(squares: str, expected: float) -> None:
    assert value(Mobility, squares + " X") == pytest.approx(expected)
    assert value(Mobility, squares + " O") == pytest.approx(-expected)


@pytest.mark.parametrize("kind", [Positional, Mobility])
def test_the_end_game_counts_discs(kind: Any) -> None:
    corners = board("X------X", "", "", "---X", "", "", "", "O------X")
    assert value(kind, corners + " X") == 3  # all corners are taken: four discs to one
    three = board("X------X", "", "", "---X", "", "", "", "O-------")
    assert value(kind, three + " X") != 2
    most = "X" * 30 + "O" * 22  # 52 of 64 squares are more than 80 %, 51 are less
    assert value(kind, most.ljust(64, "-") + " X") == 8
    assert value(kind, most[:-1].ljust(64, "-") + " X") != 9


def test_finished_games_count_more_than_any_open_one() -> None:
    won = FULL.read(board("XXX") + " X")
    assert bool(FULL.done(won))
    assert float(Positional(FULL).outcome(won)) == 1000
    assert float(Mobility(FULL).outcome(FULL.read(board("XXX") + " O"))) == -100
    assert sum(abs(number) for row in FIGURE_10 for number in row) < 1000


def test_the_final_score_gives_empty_squares_to_the_winner() -> None:
    assert float(Discs(FULL).outcome(FULL.read(board("XXX") + " X"))) == 64
    assert float(Discs(FULL).outcome(FULL.read(board("XXX") + " O"))) == -64
    even = "X" * 32 + "O" * 32
    assert float(Discs(FULL).outcome(FULL.read(even + " O"))) == 0
    full = "X" * 35 + "O" * 29
    assert float(Discs(FULL).outcome(FULL.read(full + " X"))) == 6
    alone = SMALL.read("XXXXXXXXXXXOX--O" + " X")
    assert bool(SMALL.done(alone))
    assert float(Discs(SMALL).outcome(alone)) == 12 - 2 + 2


# ------------------------------------------------------------------ square by square


def paper_value(kind: str, game: Othello, text: str) -> float:
    """EVAL(s) as equations 17 to 19 have it, for the side to move."""
    size, mover = game.size, text[-1]
    cells = {square: disc for square, disc in zip(plain.squares(size), text, strict=False) if disc != "-"}
    here = plain.Position(size, cells, mover)
    signs = {square: 1 if disc == mover else -1 for square, disc in cells.items()}
    ends = "abcdefgh"[:size][:: size - 1]
    corners = [column + str(row) for column in ends for row in (1, size)]
    if len(cells) >= 0.8 * size**2 or all(corner in cells for corner in corners):
        return sum(signs.values())
    if kind == "positional":
        kept = [i for i in range(8) if i < size // 2 or i >= 8 - size // 2]
        values = [FIGURE_10[row][column] for row in kept for column in kept]
        return sum(signs.get(square, 0) * v for square, v in zip(plain.squares(size), values, strict=True))
    corner_lead = sum(signs.get(corner, 0) for corner in corners)
    own, other = len(plain.placements(here, mover)), len(plain.placements(here, plain.OTHER[mover]))
    return 10 * corner_lead + 1 * (own - other) / (own + other)


@pytest.mark.parametrize("size", slow_but([4, 6, 8]))
def test_every_square_as_in_the_paper(size: int) -> None:
    game = make("othello", size=size)
    states = positions(game, 24)
    both = jax.jit(jax.vmap(lambda s: (Positional(game).value(None, s), Mobility(game).value(None, s))))(states)
    both, host = jax.tree.map(np.asarray, (both, states))
    ends = 0
    for row in range(192):
        text = game.show(jax.tree.map(lambda x, row=row: x[row], host))
        assert both[0][row] == paper_value("positional", game, text), text
        assert both[1][row] == pytest.approx(paper_value("mobility", game, text), abs=1e-5), text
        assert abs(both[0][row]) < Positional.win
        assert abs(both[1][row]) < Mobility.win
        ends += text.count("-") <= 0.2 * size**2
    assert 20 < ends < 172


@pytest.mark.parametrize("size", slow_but([4, 6, 8]))
def test_the_other_side_sees_the_opposite(size: int) -> None:
    game = make("othello", size=size)
    states = positions(game, 24)
    # The same discs with the other side to move.
    swapped = [game.show(jax.tree.map(lambda x, row=row: np.asarray(x)[row], states)) for row in range(0, 192, 8)]
    swapped = [game.read(text[:-1] + plain.OTHER[text[-1]]) for text in swapped]
    others = jax.tree.map(lambda *xs: np.stack(xs), *swapped)
    some = jax.tree.map(lambda x: x[::8], states)
    for kind in (Positional, Mobility, Discs):
        values = jax.jit(jax.vmap(lambda s, kind=kind: kind(game).value(None, s)))
        np.testing.assert_allclose(values(some), -values(others), atol=1e-6)


@pytest.mark.parametrize("size", slow_but([4, 6, 8]))
@pytest.mark.parametrize("spec", slow_but(["positional", "mobility"]))
def test_decisions_are_legal(spec: str, size: int) -> None:
    game = make("othello", size=size)
    check_decisions(player(spec, game), positions(game, 24))


def test_players_take_no_options() -> None:
    with pytest.raises(ValueError, match="'positional:3' is too much: expected one evaluator"):
        player("positional:3", FULL)


def test_the_corner_is_taken() -> None:
    # Black can place on a1, closing b1 in, or on e5, closing e4 in.
    s = FULL.read(board("-OX", "", "----X", "----O") + " X")
    for spec in ("positional", "mobility"):
        decision = jax.jit(player(spec, FULL).act)(None, jax.random.key(0), s)
        assert FULL.name(decision.action, s) == "a1"
