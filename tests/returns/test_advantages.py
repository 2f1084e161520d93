"""Advantages by hand, and against a plain walk over each seat's decisions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens.returns.advantages import advantages


# Two seats in turn; seat 0's second move wins. gamma 0.9, lambda 0.5. Looking back:
#   move 2 (seat 0): earns 1, then nothing.    delta = 1 - 0.6 = 0.4                  A = 0.4
#   move 1 (seat 1): earns -1 by move 2.       delta = -1 - (-0.2) = -0.8             A = -0.8
#   move 0 (seat 0): next decision worth 0.6.  delta = 0 + 0.9 * 0.6 - 0.1 = 0.44     A = 0.44 + 0.45 * 0.4 = 0.62
# The next game's first moves (3 and 4) are the last of both seats: nothing is known about them.
def test_two_seats_by_hand() -> None:
    values = jnp.array([0.1, -0.2, 0.6, 0.5, 0.7])
    earned = jnp.zeros((5, 2)).at[2].set(jnp.array([1.0, -1.0]))
    mover, done = jnp.array([0, 1, 0, 0, 1]), jnp.array([False, False, True, False, False])
    found, known = advantages(values, earned, mover, done, gamma=0.9, decay=0.5)
    np.testing.assert_allclose(found[:3], [0.62, -0.8, 0.4], rtol=1e-6)
    np.testing.assert_array_equal(known, [True, True, True, False, False])


# The same seat again, as in Ur: the first turn leads to the second. What the other seat earns in between is its own.
def test_another_turn_by_hand() -> None:
    values, mover = jnp.array([0.5, 0.2, 0.0]), jnp.array([1, 1, 1])
    earned = jnp.array([[9.0, 0.3], [9.0, 0.0], [9.0, 0.0]])
    found, known = advantages(values, earned, mover, jnp.zeros(3, bool), gamma=1.0, decay=1.0)
    assert float(found[1]) == pytest.approx(-0.2)
    assert float(found[0]) == pytest.approx(0.3 + 0.2 - 0.5 - 0.2)
    np.testing.assert_array_equal(known, [True, True, False])


@given(st.integers(0, 2**31 - 1), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_any_order_of_seats(seed: int, seats: int) -> None:
    rng, length = np.random.default_rng(seed), 24
    values, earned = rng.normal(size=length), rng.normal(size=(length, 4))
    mover, done = rng.integers(0, seats, length), rng.random(length) < 0.15
    found, known = _compiled(values, earned, mover, done)
    expected, expected_known = _plain(values, earned, mover, done, 0.95, 0.8)
    np.testing.assert_array_equal(known, expected_known)
    np.testing.assert_allclose(found, expected, atol=1e-4)


_compiled = jax.jit(lambda *given: advantages(*given, gamma=0.95, decay=0.8))


def _plain(
    values: np.ndarray, earned: np.ndarray, mover: np.ndarray, done: np.ndarray, gamma: float, decay: float
) -> tuple[np.ndarray, np.ndarray]:
    """Each decision's next one by the same seat in the same game, found by looking for it."""
    advantage, known = np.zeros(len(values)), np.zeros(len(values), bool)
    for at in reversed(range(len(values))):
        paid, later = 0.0, None
        for then in range(at, len(values)):
            if then > at and mover[then] == mover[at]:
                later = then
                break
            paid += earned[then, mover[at]]
            if done[then]:
                break
        else:
            continue  # the record ends before anything is known
        known[at] = True
        ahead = 0.0 if later is None else values[later]
        rest = 0.0 if later is None else advantage[later]
        advantage[at] = paid + gamma * ahead - values[at] + gamma * decay * rest
    return advantage, known
