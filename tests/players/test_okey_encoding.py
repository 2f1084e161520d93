"""How the thesis shows the game to its nets: 107 and 53 numbers by hand, and tiles in their order."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import random_action, step
from ludens.games import make
from ludens.games.okey import FIRST_DISCARD, KINDS
from ludens.players.okey_encoding import TILES, all_discards, discard, discarding, drawing, tiles
from variants import slow_but

TWO, FOUR = make("okey", players=2), make("okey", players=4)
HAND = "r1 r1 r13 b1 b7 g2 g2 g9 y1 y5 y12 y13 okey okey"
# Its kinds: red from 0, black from 13, green from 26, yellow from 39; the joker is 52.
KINDS_HELD = [0, 0, 12, 13, 19, 27, 27, 34, 39, 43, 50, 51, 52, 52]


def position(phase: str, hand: str, offer: str = "b3") -> Any:
    lies = "r4 b3" if phase == "draw" else "r4"
    shown = f"offer {offer} " if phase == "draw" else ""
    return TWO.read(f"indicator g5 turn 1 phase {phase} {shown}hands ?14 / {hand} discards {lies} / y2 y2")


def test_what_the_draw_actor_sees() -> None:
    view = position("draw", HAND)
    x = np.asarray(drawing(view))
    assert x.shape == (107,)
    assert x.dtype == np.float32
    expected = np.bincount(KINDS_HELD, minlength=53)
    np.testing.assert_array_equal(x[:53], expected)
    assert x[:53].sum() == 14
    assert x[52] == 2  # jokers
    np.testing.assert_array_equal(np.flatnonzero(x[53:106]), [13 + 2])  # b3
    assert x[53 + 15] == 1
    # 105 in play, less two hands of 14 and the four tiles that lie
    assert x[106] == 105 - 28 - 4 == int(view.left)


def test_a_joker_on_the_table_sets_the_flag() -> None:
    view = TWO.read(f"indicator g5 turn 1 phase draw offer okey hands ?14 / {HAND[:-5]} y9 discards okey / -")
    x = np.asarray(drawing(view))
    np.testing.assert_array_equal(np.flatnonzero(x[53:106]), [52])


def test_what_the_discard_actor_sees_and_its_outputs() -> None:
    view = position("discard", HAND + " y13")
    held = sorted([*KINDS_HELD, 51])
    x = np.asarray(discarding(view))
    assert x.shape == (53,)
    np.testing.assert_array_equal(x, np.bincount(held, minlength=53))
    np.testing.assert_array_equal(tiles(view), held)
    thrown = jax.vmap(lambda place: discard(view, place))(jnp.arange(TILES))
    np.testing.assert_array_equal(thrown, FIRST_DISCARD + np.array(held))
    names = [TWO.name(int(a), view) for a in thrown]
    assert names[:2] == ["discard r1", "discard r1"]  # equal tiles are separate outputs
    assert names[-3:] == ["discard y13", "discard okey", "discard okey"]


def test_fewer_tiles_end_with_minus_one() -> None:
    np.testing.assert_array_equal(tiles(position("draw", HAND)), [*KINDS_HELD, -1])


def test_all_discards_from_the_mover_on() -> None:
    view = position("draw", HAND)
    x = np.asarray(all_discards(TWO, view))
    assert x.shape == (106,)
    np.testing.assert_array_equal(np.flatnonzero(x), [39 + 1, 53 + 3, 53 + 15])  # own y2 twice; the other's r4 and b3
    assert x[40] == 2
    s = FOUR.init(jax.random.key(0))
    lying = jnp.arange(4, dtype=jnp.int8)[:, None] * jnp.ones((4, KINDS), jnp.int8)  # seat n has n of each before it
    seen = np.asarray(all_discards(FOUR, s._replace(turn=jnp.int32(2), discards=lying))).reshape(4, KINDS)
    np.testing.assert_array_equal(seen[:, 0], [2, 3, 0, 1])


@pytest.mark.parametrize("game", slow_but([TWO, FOUR], 0), ids=["two", "four"])
def test_in_random_games_every_output_is_legal_and_nothing_hidden_is_seen(game: Any) -> None:
    def walk(key: Any) -> Any:
        def turn(s: Any, keys: Any) -> Any:
            view = game.view(s, s.turn)
            other = game.determinize(game.view(s, s.turn), keys[2])  # the same for the mover, with other hidden tiles
            looks = [jnp.concatenate([drawing(x), discarding(x), all_discards(game, x), tiles(x)]) for x in (s, other)]
            same = (looks[0] == looks[1]).all()
            places = jax.vmap(lambda place: discard(view, place))(jnp.arange(TILES))
            lawful = game.legal(s)[places].all() | (s.phase != 2)
            whole = (looks[0] >= -1).all() & (looks[0] < 128).all() & (looks[0] == jnp.round(looks[0])).all()
            return step(game, s, random_action(game, s, keys[0]), keys[1]), same & lawful & whole

        first, rest = jax.random.split(key)
        return jax.lax.scan(turn, game.init(first), jax.random.split(rest, (60, 3)))[1]

    assert np.asarray(jax.jit(jax.vmap(walk))(jax.random.split(jax.random.key(1), 8))).all()
