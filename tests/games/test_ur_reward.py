"""The paper's points, move by move."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import step
from ludens.games.ur import Ur, paper_reward

GAME = Ur()


@pytest.mark.parametrize(
    ("text", "move", "points"),
    [
        ("first: on a4; second: on c4; turn first; throw 1", "a4", 0),  # stays among its own squares
        ("first: waiting 4; second: waiting 4; turn first; throw 2", "start", 0),
        ("first: on a1; second: on c4; turn first; throw 1", "a1-b1", -1),
        ("first: on b1; second: on c4; turn first; throw 2", "b1-b3", -1),
        ("first: on b1; second: on b3; turn first; throw 2", "b1-b3", 10 - 1),
        ("first: on b2; second: on c4; turn first; throw 2", "b2-b4", 20),
        ("first: on b3; second: on b4 b5; turn first; throw 1", "b3-b5", 10 - 1),  # over b4, which is safe
        ("first: on b4; second: on c4; turn first; throw 1", "b4-b5", -1),
        ("first: on b8; second: on c4; turn first; throw 1", "b8-a8", 0),
        ("first: on a7 home 2; second: on c4; turn first; throw 1", "a7-off", 0),
        ("first: on a7 home 3; second: on c4; turn first; throw 1", "a7-off", 100),
        ("first: on b3; second: on c7 home 3; turn second; throw 1", "c7-off", 100),
        ("first: on b3; second: on b1; turn second; throw 2", "b1-b3", 10 - 1),
        ("first: on b1; second: on c4; turn second; throw 2", "start", 0),
    ],
)
def test_the_mover_collects(text: str, move: str, points: float) -> None:
    s = GAME.read(text)
    a = GAME.parse(move, s)
    t = step(GAME, s, a, jax.random.key(0))
    expected = np.zeros(2)
    expected[int(s.turn)] = points
    np.testing.assert_array_equal(paper_reward(GAME, s, a, t), expected)


def test_a_pass_and_a_second_turn() -> None:
    s = GAME.read("first: on a7 home 3; second: on c4; turn first; throw 2")
    np.testing.assert_array_equal(paper_reward(GAME, s, 15, step(GAME, s, 15, jax.random.key(0))), [0, 0])
    finkel = Ur(rules="finkel", pieces=4)
    s = finkel.read("first: on b2 b6; second: on b8; turn first; throw 2")
    rosette = step(finkel, s, finkel.parse("b2-b4", s), jax.random.key(0))
    assert int(rosette.turn) == int(s.turn)
    np.testing.assert_array_equal(paper_reward(finkel, s, 6, rosette), [20, 0])
    capture = step(finkel, s, finkel.parse("b6-b8", s), jax.random.key(0))
    np.testing.assert_array_equal(jax.jit(paper_reward, static_argnums=0)(finkel, s, jnp.int32(10), capture), [9, 0])
