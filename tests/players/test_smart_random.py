"""Takes a win, else blocks, else plays at random: by hand in Chung Toi, and legally everywhere."""

from functools import partial
from typing import Any

import jax
import numpy as np
import pytest

from ludens.core.game import Game, legal_actions
from ludens.games import make
from ludens.players import player
from ludens.players.simple import SmartRandom
from ludens.players.tactics import wins
from players.positions import check_decisions, positions
from variants import VARIANTS, label, slow_but

CHUNG_TOI = make("chung-toi")
SOME = [game for game in VARIANTS if game.num_players == 2][1::3]
"""A variant or two of every game: what is chosen from are legal moves, so more would only take longer."""


DECIDE = jax.jit(partial(SmartRandom(CHUNG_TOI).act, None))


def choices(game: Game[Any], text: str) -> dict[str, float]:
    """The moves it may play in a position, each with its probability."""
    s = game.read(text)
    scores = DECIDE(jax.random.key(0), s).scores
    return {game.name(a, s): round(float(scores[a]), 4) for a in legal_actions(game, s) if scores[a] > 0}


def test_a_win_comes_before_everything_else() -> None:
    # White can complete the first rank on c1, either way round; red threatens on c3.
    assert choices(CHUNG_TOI, "R+R+--/------/W+W+-- turn white") == {"c1+": 0.5, "c1x": 0.5}


def test_a_block_comes_second() -> None:
    # Red is one short of rank 3; only a piece on c3 stops it.
    assert choices(CHUNG_TOI, "R+R+--/----W+/W+---- turn white") == {"c3+": 0.5, "c3x": 0.5}


def test_with_no_danger_all_moves_are_alike() -> None:
    moves = choices(CHUNG_TOI, "------/------/W+---- turn red")
    assert len(moves) == 16
    assert set(moves.values()) == {round(1 / 16, 4)}


@pytest.mark.parametrize("game", slow_but(SOME, 0), ids=label)
def test_decisions_are_legal(game: Game[Any]) -> None:
    check_decisions(SmartRandom(game), positions(game, 4))


def test_it_needs_one_opponent() -> None:
    assert SmartRandom.plays(make("okey", players=2))
    assert not SmartRandom.plays(make("okey", players=4))


def test_every_choice_is_taken() -> None:
    s = CHUNG_TOI.read("------/------/W+---- turn red")
    keys = jax.random.split(jax.random.key(1), 800)
    played = [int(DECIDE(key, s).action) for key in keys]
    counts = np.bincount(played, minlength=CHUNG_TOI.num_actions)[legal_actions(CHUNG_TOI, s)]
    assert (abs(counts - 50) < 32).all()  # 4.6 standard deviations


def test_wins_alone() -> None:
    """`smart-random:wins` takes a win, and where there is none plays anything, also what lets the other side win."""
    who = player("smart-random:wins", CHUNG_TOI)
    decide = jax.jit(who.act)
    winning = CHUNG_TOI.read("R+R+--/------/W+W+-- turn white")
    shares = decide(None, jax.random.key(0), winning).scores
    assert {CHUNG_TOI.name(a, winning) for a in np.flatnonzero(shares > 0)} == {"c1+", "c1x"}
    threatened = CHUNG_TOI.read("R+R+--/W+----/--Wx-- turn white")
    shares = np.asarray(decide(None, jax.random.key(0), threatened).scores)
    legal = np.asarray(CHUNG_TOI.legal(threatened))
    assert not np.asarray(wins(CHUNG_TOI, threatened)).any()
    assert (shares[legal] > 0).all()
    assert (np.asarray(DECIDE(jax.random.key(0), threatened).scores)[legal] == 0).any()
    with pytest.raises(ValueError, match="expected none, or wins"):
        player("smart-random:losses", CHUNG_TOI)
