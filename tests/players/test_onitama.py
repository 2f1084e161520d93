"""Onitama's formula by hand, legal play, and its worth against random players."""

from typing import Any

import jax
import pytest

from ludens.core.game import Game
from ludens.games import make
from ludens.players import player
from ludens.players.onitama import Material
from ludens.players.simple import Random
from players.positions import check_decisions, duel, positions
from variants import VARIANTS, label, slow_but

GAME = make("onitama")
CARDS = "blue ox,boar red elephant,horse side crab turn"


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ("rrRrr/5/5/5/bbBbb", 0.0),
        ("rrRrr/5/2b2/5/b1Bbb", 0.1),
        ("r1R1r/5/5/5/bbBbb", 2.0),
        ("2R2/1r3/2r2/5/bbBbb", 2.0 - 0.2),
        ("2R2/5/b3b/5/2B2", 2.0),  # the edge is not the middle
        ("2R2/1bbb1/1r3/5/2B2", 2.0 + 0.3 - 0.1),
    ],
)
def test_students_and_the_middle(ranks: str, expected: float) -> None:
    for side, sign in (("blue", 1), ("red", -1)):
        s = GAME.read(f"{ranks} {CARDS} {side}")
        assert float(Material(GAME).value(None, s)) == pytest.approx(sign * expected)
        assert abs(expected) < Material.win


@pytest.mark.parametrize("game", slow_but((game for game in VARIANTS if game.id == "onitama"), 0), ids=label)
def test_decisions_are_legal(game: Game[Any]) -> None:
    check_decisions(player("material", game), positions(game, 16))


def test_it_captures_the_master_before_anything_else() -> None:
    s = GAME.read("rr1rr/2R2/2b2/5/bbB1b " + CARDS + " blue")
    decision = jax.jit(player("material", GAME).act)(None, jax.random.key(0), s)
    assert GAME.name(decision.action, s) in ("ox c3c4", "boar c3c4")
    assert float(decision.scores.max()) == Material.win


@pytest.mark.slow
def test_it_beats_random() -> None:
    wins, _, losses = duel(player("material", GAME), Random(GAME), games=256)
    assert wins > 0.9 * (wins + losses)
