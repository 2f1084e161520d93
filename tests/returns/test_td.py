"""One hand-worked number for each equation: r = 9, gamma = 0.9, and a next decision with Q 2, 6 and (illegal) 50."""

import jax.numpy as jnp
import numpy as np
import pytest

from ludens.returns.td import (
    accumulate_trace,
    double_q_target,
    expected_sarsa_target,
    lambda_return,
    minimax_q_target,
    q_learning_target,
    sarsa_target,
    soft_update,
    td_error,
)

R, GAMMA = jnp.float32(9.0), 0.9
Q, LEGAL, OVER = jnp.array([2.0, 6.0, 50.0]), jnp.array([True, True, False]), jnp.zeros(3, bool)


def test_td_error() -> None:
    assert float(td_error(R, GAMMA, jnp.float32(2.0), jnp.float32(4.0))) == pytest.approx(6.8)  # 9 + 1.8 - 4


def test_q_learning() -> None:
    assert float(q_learning_target(R, GAMMA, Q, LEGAL)) == pytest.approx(14.4)  # 9 + 0.9 * 6
    assert float(q_learning_target(R, GAMMA, Q, OVER)) == 9.0


def test_double_q() -> None:
    other = jnp.array([7.0, 1.0, 99.0])  # which chooses the first: the best of its legal ones
    assert float(double_q_target(R, GAMMA, Q, other, LEGAL)) == pytest.approx(10.8)  # 9 + 0.9 * 2
    assert float(double_q_target(R, GAMMA, Q, other, OVER)) == 9.0


def test_sarsa() -> None:
    assert float(sarsa_target(R, GAMMA, Q, jnp.int32(0))) == pytest.approx(10.8)


def test_expected_sarsa() -> None:
    # V = 0.8 * 6 + 0.2 * (2 + 6) / 2 = 5.6
    assert float(expected_sarsa_target(R, GAMMA, Q, LEGAL, 0.2)) == pytest.approx(14.04)


def test_minimax_q() -> None:
    assert float(minimax_q_target(R, GAMMA, Q, LEGAL, jnp.bool_(False))) == pytest.approx(3.6)  # 9 - 0.9 * 6
    assert float(minimax_q_target(R, GAMMA, Q, LEGAL, jnp.bool_(True))) == pytest.approx(14.4)


def test_lambda_return() -> None:
    value, following = jnp.float32(8.0), jnp.float32(100.0)
    for lambda_, expected in ((1.0, 99.0), (0.0, 16.2), (0.5, 57.6)):  # 9 + 0.9 * (4 + 50)
        assert float(lambda_return(R, GAMMA, lambda_, value, following)) == pytest.approx(expected)


def test_traces_and_slow_copies() -> None:
    trace = accumulate_trace({"w": jnp.array([1.0, 2.0])}, {"w": jnp.array([10.0, 0.0])}, 0.5)
    np.testing.assert_allclose(trace["w"], [10.5, 1.0])
    target = soft_update({"w": jnp.array([3.0])}, {"w": jnp.array([1.0])}, 0.005)
    np.testing.assert_allclose(target["w"], [1.01], rtol=1e-6)
