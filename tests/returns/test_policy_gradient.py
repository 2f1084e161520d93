"""Policy gradients by hand, and advantages against a plain walk over each seat's decisions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens.returns.policy_gradient import (
    clipped_surrogate_loss,
    entropy,
    gae,
    policy_gradient_loss,
    standardize,
    weighted_mean,
)


# Two seats in turn; seat 0's second move wins. gamma 0.9, lambda 0.5. Looking back:
#   move 2 (seat 0): earns 1, then nothing.    delta = 1 - 0.6 = 0.4                  A = 0.4
#   move 1 (seat 1): earns -1 by move 2.       delta = -1 - (-0.2) = -0.8             A = -0.8
#   move 0 (seat 0): next decision worth 0.6.  delta = 0 + 0.9 * 0.6 - 0.1 = 0.44     A = 0.44 + 0.45 * 0.4 = 0.62
# The next game's first moves (3 and 4) are the last of both seats: nothing is known about them.
def test_two_seats_by_hand() -> None:
    values = jnp.array([0.1, -0.2, 0.6, 0.5, 0.7])
    rewards = jnp.zeros((5, 2)).at[2].set(jnp.array([1.0, -1.0]))
    mover, done = jnp.array([0, 1, 0, 0, 1]), jnp.array([False, False, True, False, False])
    found, known = gae(values, rewards, mover, done, gamma=0.9, gae_lambda=0.5)
    np.testing.assert_allclose(found[:3], [0.62, -0.8, 0.4], rtol=1e-6)
    np.testing.assert_array_equal(known, [True, True, True, False, False])


# The same seat again, as in Ur: the first turn leads to the second. What the other seat earns in between is its own.
def test_another_turn_by_hand() -> None:
    values, mover = jnp.array([0.5, 0.2, 0.0]), jnp.array([1, 1, 1])
    rewards = jnp.array([[9.0, 0.3], [9.0, 0.0], [9.0, 0.0]])
    found, known = gae(values, rewards, mover, jnp.zeros(3, bool), gamma=1.0, gae_lambda=1.0)
    assert float(found[1]) == pytest.approx(-0.2)
    assert float(found[0]) == pytest.approx(0.3 + 0.2 - 0.5 - 0.2)
    np.testing.assert_array_equal(known, [True, True, False])


@given(st.integers(0, 2**31 - 1), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_any_order_of_seats(seed: int, seats: int) -> None:
    rng, length = np.random.default_rng(seed), 24
    values, rewards = rng.normal(size=length), rng.normal(size=(length, 4))
    mover, done = rng.integers(0, seats, length), rng.random(length) < 0.15
    found, known = _compiled(values, rewards, mover, done)
    expected, expected_known = _plain(values, rewards, mover, done, 0.95, 0.8)
    np.testing.assert_array_equal(known, expected_known)
    np.testing.assert_allclose(found, expected, atol=1e-4)


_compiled = jax.jit(lambda *given: gae(*given, gamma=0.95, gae_lambda=0.8))


def _plain(
    values: np.ndarray, rewards: np.ndarray, mover: np.ndarray, done: np.ndarray, gamma: float, decay: float
) -> tuple[np.ndarray, np.ndarray]:
    """Each decision's next one by the same seat in the same game, found by looking for it."""
    advantage, known = np.zeros(len(values)), np.zeros(len(values), bool)
    for at in reversed(range(len(values))):
        paid, later = 0.0, None
        for then in range(at, len(values)):
            if then > at and mover[then] == mover[at]:
                later = then
                break
            paid += rewards[then, mover[at]]
            if done[then]:
                break
        else:
            continue  # the record ends before anything is known
        known[at] = True
        ahead = 0.0 if later is None else values[later]
        rest = 0.0 if later is None else advantage[later]
        advantage[at] = paid + gamma * ahead - values[at] + gamma * decay * rest
    return advantage, known


ADVANTAGES, WEIGHTS = jnp.array([1.0, -1.0, 50.0]), jnp.array([1.0, 1.0, 0.0])


# log pi is -0.5 and -2: - (-0.5 * 1 + 2 * 1) / 2. What has no weight does not count.
def test_the_policy_gradient_by_hand() -> None:
    log_probs = jnp.array([-0.5, -2.0, -9.0])
    assert float(policy_gradient_loss(log_probs, ADVANTAGES, WEIGHTS)) == pytest.approx(-0.75)


# The first move is e^0.5 = 1.65 times as likely as when it was played, beyond 1.2: its term is clipped to 1.2. The next
# is e^-0.5 = 0.607 times as likely; for -1 the lesser of -0.607 and -0.8 is -0.8. The loss is -(1.2 - 0.8) / 2 = -0.2.
def test_the_clipped_surrogate_by_hand() -> None:
    now, old = jnp.array([-0.5, -1.5, 0.0]), jnp.array([-1.0, -1.0, 0.0])
    assert float(clipped_surrogate_loss(now, old, ADVANTAGES, WEIGHTS, 0.2)) == pytest.approx(-0.2, rel=1e-5)
    assert float(clipped_surrogate_loss(now, now, ADVANTAGES, WEIGHTS, 0.2)) == pytest.approx(0.0, abs=1e-6)


def test_entropy_by_hand() -> None:
    log_probs = jnp.log(jnp.array([[0.5, 0.5, 1e-9], [1.0, 1e-9, 1e-9]]))
    legal = jnp.array([[True, True, False], [True, False, False]])
    np.testing.assert_allclose(entropy(log_probs, legal), [np.log(2), 0.0], atol=1e-6)
    np.testing.assert_allclose(entropy(jnp.log(jnp.array([0.25] * 4))), np.log(4), rtol=1e-6)


def test_means_by_weight() -> None:
    values = jnp.array([1.0, 3.0, 100.0])
    assert float(weighted_mean(values, WEIGHTS)) == 2.0
    np.testing.assert_allclose(standardize(values, WEIGHTS)[:2], [-1.0, 1.0], rtol=1e-6)
