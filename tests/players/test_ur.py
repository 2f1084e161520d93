"""Ur's formula by hand and against a slow count, legal play in every variant, and its worth against random players."""

from functools import cache
from typing import Any

import jax
import numpy as np
import pytest

from ludens.core.game import Game
from ludens.games import make
from ludens.games.ur import PATHS, SEATS, Ur
from ludens.players import player
from ludens.players.simple import Random
from ludens.players.ur import Race
from players.positions import check_decisions, duel, positions
from variants import VARIANTS, label, slow_but

PAPER, FINKEL = make("ur"), make("ur", rules="finkel")


@cache
def valued(game: Any) -> Any:
    return jax.jit(lambda s: Race(game).value(None, s))


def value(game: Any, text: str) -> float:
    return float(valued(game)(game.read(text)))


def test_by_hand_under_paper_rules() -> None:
    # A throw is 1.5 on average.
    assert value(PAPER, "first: ; second: ; turn first; throw ?") == 1.5
    assert value(PAPER, "first: on a4 home 1; second: on c3; turn first; throw 1") == 1.5 + 15 + 1 - 2
    # The first side's piece on b1 (5) can capture on b3 (7) with a 2: half the time, seven steps.
    assert value(PAPER, "first: on b1; second: on b3; turn first; throw ?") == 1.5 + 5 - 7 + 0.5 * 7
    # On b4 (8) a piece is safe, but who would land there goes on to b5 (9) and captures what stands there.
    assert value(PAPER, "first: on b3; second: on b4; turn first; throw ?") == 1.5 + 7 - 8 - 6
    assert value(PAPER, "first: on b3; second: on b4 b5; turn first; throw ?") == 1.5 + 7 - 17 - 6 + 9
    assert value(PAPER, "first: on b4; second: ; turn second; throw ?") == 1.5 - 8 - 6


def test_by_hand_under_finkel_rules() -> None:
    # A throw is 2 on average; b6 is 1 and b8 is 3 beyond b5: 4/16 and 4/16 of the time, and the farther counts more.
    assert value(FINKEL, "first: ; second: ; turn second; throw ?") == 2
    assert value(FINKEL, "first: on b5; second: on b6 b8; turn first; throw ?") == 2 + 9 - 22 + 0.25 * 10 + 0.25 * 12
    # Pieces off the shared squares cannot be captured; a4 and a7 are the first side's own.
    assert value(FINKEL, "first: on a4 a7; second: on c3; turn second; throw ?") == 2 - 15 + 2


def slow_value(game: Ur, text: str) -> float:
    """The same from the text of a position, piece by piece and throw by throw."""
    first, second, turn, _ = text.split("; ")
    mover = SEATS.index(turn.split()[1])
    numbers = []
    for seat, part in enumerate((first, second)):
        words = part.replace(":", "").split()
        on = [PATHS[seat].index(word) for word in words[4 if "on" in words else len(words) : -2]]
        numbers.append((int(words[2]), on, int(words[-1])))
    (waiting, own, home), (_, other, other_home) = numbers[mover], numbers[1 - mover]
    total = sum(own) + 15 * home - sum(other) - 15 * other_home + 6 * (8 in own) - 6 * (8 in other)
    for throw, share in enumerate(game.throws):
        total += share * throw
        caught = [0]
        for start in own + [0] * (waiting > 0):
            landing = start + throw
            if landing == 8 and 8 in other and game.rules == "paper":
                caught += [9] * (9 in other)
            elif landing in other and 5 <= landing <= 12 and landing != 8:
                caught.append(landing)
        total += share * max(caught) * (throw > 0)
    return total


@pytest.mark.parametrize("game", [PAPER, FINKEL], ids=str)
def test_piece_by_piece(game: Any) -> None:
    states = positions(game, 24)
    values, host = jax.tree.map(np.asarray, (jax.jit(jax.vmap(lambda s: Race(game).value(None, s)))(states), states))
    for row in range(192):
        text = game.show(jax.tree.map(lambda x, row=row: x[row], host))
        assert values[row] == pytest.approx(slow_value(game, text), abs=1e-4), text
        assert abs(values[row]) < Race.win


@pytest.mark.slow
@pytest.mark.parametrize("game", [game for game in VARIANTS if game.id == "ur"], ids=label)
def test_decisions_are_legal(game: Game[Any]) -> None:
    check_decisions(player("greedy", game), positions(game, 16))


@pytest.mark.parametrize("game", slow_but([PAPER, FINKEL]), ids=str)
def test_it_beats_random(game: Any) -> None:
    wins, draws, losses = duel(player("greedy", game), Random(game), games=256)
    assert draws == 0
    assert wins > 0.9 * (wins + losses)
