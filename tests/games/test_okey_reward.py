"""The thesis's rewards, act by act: every sentence of section 3.1 by hand, and hands at random against plain search."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import random_action, step
from ludens.games import make
from ludens.games.okey import DISCARD, DRAW, FIRST_DISCARD, JOKER, KINDS, OVER, SHOW, TAKE
from ludens.games.okey.reward import hand_value, paper_reward, sparse_reward
from reference import okey_hands

FOUR = make("okey", players=2)
FIVE = make("okey", players=2, longest_run=5)
OPEN = make("okey", players=4)
COLOURS = "rbgy"
LOOSE = "r13 g10"
"""Tiles that fit none of the others here, not even with a joker."""


def counts(text: str) -> np.ndarray:
    """Tiles written as `r5` or `okey`, `int8[53]`."""
    held = np.zeros(KINDS, np.int8)
    for word in text.split():
        held[kind(word)] += 1
    return held


def kind(word: str) -> int:
    return JOKER if word == "okey" else COLOURS.index(word[0]) * 13 + int(word[1:]) - 1


def table(game: Any, hand: str, phase: int, offer: str = "") -> Any:
    """A position in which seat 1 holds these tiles and two loose ones; y13 is the indicator."""
    s = game.init(jax.random.key(0))
    nothing = jnp.zeros_like(s.hands)
    return s._replace(
        hands=nothing.at[1].set(jnp.asarray(counts(f"{hand} {LOOSE}"))),
        known=nothing,
        discards=nothing.at[0].set(jnp.asarray(counts(offer))),
        indicator=jnp.int32(51),
        turn=jnp.int32(1),
        phase=jnp.int32(phase),
        offer=jnp.int32(kind(offer) if offer else -1),
    )


def earned(game: Any, s: Any, a: int, t: Any) -> list[float]:
    return np.asarray(paper_reward(game, s, a, t)).tolist()


# ------------------------------------------------------------------ what a hand is worth


@pytest.mark.parametrize(
    ("game", "tiles", "worth"),
    [
        (FOUR, "b3 b4 b5", 10),
        (FOUR, "b3 b4 b5 b6", 15),
        (FOUR, "b3 b4 b5 b6 b7", 15),  # no series of five there: four of them
        (FIVE, "b3 b4 b5 b6 b7", 20),
        (FIVE, "b3 b4 b5 b6 b7 b8", 20),  # two series of three, as much as one of five
        (FOUR, "b3 b4 b5 b6 b7 b8", 20),
        (FOUR, "r5 b5 g5", 10),
        (FOUR, "r5 b5 g5 y5", 15),
        (FOUR, "r5 b5 g5 r2 r3 r4", 20),
        (FOUR, "r12 r13 r1", 10),  # 1 after 13
        (FOUR, "r13 r1 r2", 0),  # but no further
        (FOUR, "b3 b4 okey", 10),  # the joker is valued as any other tile in a series
        (FOUR, "b3 okey b5 b6", 15),
        (FOUR, "b3 okey okey", 10),
        (FOUR, "r2 r2 b8 b8 g9 g9", 0),  # pairs have no reward
        (OPEN, "b3 b4 b5 b6 b7", 20),
    ],
)
def test_hands(game: Any, tiles: str, worth: int) -> None:
    assert float(hand_value(game, jnp.asarray(counts(tiles)))) == worth


# ------------------------------------------------------------------ drawing


@pytest.mark.parametrize(
    ("game", "tiles", "drawn", "points"),
    [
        (FOUR, "b4 b5", "b3", 10),  # a new series of three
        (FOUR, "b3 b4 b5", "b6", 5),  # of three becomes of four
        (FOUR, "b3 b4 b5 b6", "b8", 0),
        (FOUR, "b3 b4 b5 b6", "b7", 0),  # five are no series there
        (FIVE, "b3 b4 b5 b6", "b7", 5),  # of four becomes of five
        (FOUR, "b2 b3 b4 b6 b7", "b5", 10),  # a fourth, and of two series instead of one
        (FOUR, "r6 b6", "g6", 10),
        (FOUR, "r6 b6 g6", "y6", 5),
        (FOUR, "b3 b4", "okey", 10),
        (FOUR, "b3 b4 b5", "okey", 5),
        (FOUR, "b3 b4 b5", "g13", 0),
        (FOUR, "b3 b4 b5", "b4", 0),
    ],
)
def test_drawing_pays_what_it_adds(game: Any, tiles: str, drawn: str, points: int) -> None:
    s = table(game, tiles, DRAW, offer=drawn)
    assert earned(game, s, TAKE, game.apply(s, TAKE)) == [0, points]
    other = table(game, tiles, DRAW, offer="r3")
    t = game.roll(game.apply(other, 0), kind(drawn))
    assert earned(game, other, 0, t) == [0, points]  # wherever it came from


# ------------------------------------------------------------------ discarding


@pytest.mark.parametrize(
    ("game", "tiles", "thrown", "points"),
    [
        (FOUR, "b3 b4 b5", "b4", -10),  # a series of three broken
        (FOUR, "b3 b4 b5 b6", "b6", -5),  # a tile from a series of four
        (FIVE, "b3 b4 b5 b6 b7", "b7", -5),  # of five
        (FIVE, "b3 b4 b5 b6 b7", "b4", -10),  # three are left
        (FIVE, "b3 b4 b5 b6 b7", "b5", -20),  # nothing is left
        (FOUR, "b3 b4 b5 b6", "b4", -15),
        (FOUR, "r6 b6 g6", "g6", -10),
        (FOUR, "r6 b6 g6 y6", "g6", -5),
        (FOUR, "b3 b4 b5", "r13", 5),  # a free tile
        (FOUR, "b3 b4 b4 b5", "b4", 5),  # another just like it takes its place
        (FOUR, "b3 b4 b5 b6 b7", "b7", 5),  # the fifth is free where series have four tiles
        (FOUR, "b3 b4 okey", "okey", -10),
        (FOUR, "b3 b4 b5 okey", "okey", -5),
        (FOUR, "b3 b4 b5 okey", "b4", -5),  # the joker takes its place
        (FOUR, "", "r13", 5),
    ],
)
def test_discarding_pays_what_it_takes_away(game: Any, tiles: str, thrown: str, points: int) -> None:
    s = table(game, tiles, DISCARD)
    a = FIRST_DISCARD + kind(thrown)
    assert earned(game, s, a, game.apply(s, a)) == [0, points]


def test_only_the_mover_is_paid_and_showing_is_not() -> None:
    game = make("okey", players=4, show_indicator=True)
    s = game.init(jax.random.key(0))
    twin = jnp.zeros(KINDS, jnp.int8).at[s.indicator].set(1)
    hand = jnp.asarray(counts("r1 r2 r3 g5 g6 g7 b1 b8 y3")) * (1 - twin) + twin
    s = s._replace(hands=s.hands.at[0].set(hand))
    assert earned(game, s, SHOW, game.apply(s, SHOW)) == [0, 0, 0, 0]
    a = FIRST_DISCARD + kind("b8")
    assert earned(game, s, a, game.apply(s, a)) == [5, 0, 0, 0]


@pytest.mark.slow
def test_random_acts_by_plain_search_and_from_views_alone() -> None:
    """Forty plies of four games: what each act is paid, by exhaustive search for the best sets."""

    def walk(key: Any) -> Any:
        def turn(s: Any, key: Any) -> Any:
            choose, fate = jax.random.split(key)
            a = random_action(FOUR, s, choose)
            t = step(FOUR, s, a, fate)
            views = (FOUR.view(s, s.turn), FOUR.view(t, t.turn))
            return t, (s, a, t, paper_reward(FOUR, s, a, t), paper_reward(FOUR, views[0], a, views[1]))

        first, rest = jax.random.split(key)
        return jax.lax.scan(turn, FOUR.init(first), jax.random.split(rest, 40))[1]

    s, a, t, paid, seen = jax.tree.map(np.asarray, jax.jit(jax.vmap(walk))(jax.random.split(jax.random.key(4), 4)))
    np.testing.assert_array_equal(paid, seen)
    for game, ply in np.ndindex(4, 40):
        seat, act = s.turn[game, ply], a[game, ply]
        before, after = (_plain(x.hands[game, ply, seat]) for x in (s, t))
        points = after - before + (5 if act >= FIRST_DISCARD and after == before else 0)
        assert paid[game, ply].tolist() == [points if other == seat else 0 for other in range(2)]


def _plain(hand: np.ndarray) -> int:
    tiles = [(face // 13, face % 13 + 1) for face in range(JOKER) for _ in range(hand[face])]
    return okey_hands.value(tiles, int(hand[JOKER]), 4)


# ------------------------------------------------------------------ nothing but the end


@pytest.mark.parametrize(
    ("options", "winner", "expected"),
    [
        ({"players": 2}, 1, [-100, 100]),
        ({"players": 2}, -1, [0, 0]),
        ({"players": 4}, 2, [-100, -100, 100, -100]),
        ({"players": 4, "teams": True}, 3, [-100, 100, -100, 100]),
    ],
)
def test_the_sparse_reward(options: dict, winner: int, expected: list[float]) -> None:
    game = make("okey", **options)
    s = game.init(jax.random.key(0))
    over = s._replace(phase=jnp.int32(OVER), winner=jnp.int32(winner), worth=jnp.int32(2 * (winner >= 0)))
    assert np.asarray(sparse_reward(game, over)).tolist() == expected
    assert np.asarray(sparse_reward(game, s)).tolist() == [0] * game.players  # nothing on the way
