import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.returns.exploration import boltzmann, epsilon_greedy, linear, sample, temperature

PAPER = {"a": 1.0, "b": 0.9999995, "c": 0.002}


def warmth(games, **constants):
    return float(temperature(jnp.int32(games), **constants))


@pytest.mark.parametrize(
    ("games", "expected"),
    [(0, 1.0), (1_000_000, 0.606531), (1_386_294, 0.5), (6_000_000, 0.0497870), (12_000_000, 0.00247875)],
)
def test_the_papers_temperature(games, expected):
    assert warmth(games, **PAPER) == pytest.approx(expected, rel=1e-4)


def test_exploration_stops_after_some_12_million_games():
    assert warmth(12_429_000, **PAPER) == pytest.approx(0.002, rel=1e-3)
    assert warmth(12_430_000, **PAPER) == 0.0
    assert warmth(15_000_000, **PAPER) == 0.0


def test_other_constants_by_hand():
    assert warmth(3, a=2.0, b=0.5, c=0.1) == pytest.approx(0.25)
    assert warmth(5, a=2.0, b=0.5, c=0.1) == 0.0


def test_boltzmann_by_hand():
    values, legal = jnp.array([0.3, 0.9, 0.1, -0.5]), jnp.array([True, False, True, True])
    weights = np.asarray(boltzmann(values, legal, jnp.float32(0.2)))
    assert weights == pytest.approx([1, 0, np.exp(-1), np.exp(-4)])


def test_without_warmth_only_the_best_are_tried():
    values, legal = jnp.array([0.3, 0.9, 0.3, -0.5]), jnp.array([True, False, True, True])
    assert boltzmann(values, legal, jnp.float32(0)).tolist() == [1, 0, 1, 0]


def test_little_warmth_overflows_nowhere():
    values, legal = jnp.array([1.0, -1.0, 0.999]), jnp.array([False, True, True])
    weights = jax.jit(boltzmann)(values, legal, jnp.float32(1e-6))
    assert weights.tolist() == [0, 0, 1]


def test_draws_follow_the_weights():
    weights = jnp.tile(jnp.array([0.0, 1.0, 0.0, 2.0, 1.0, 0.0]), (4000, 1))
    drawn = np.asarray(sample(weights, jax.random.split(jax.random.key(4), 4000)))
    shares = np.bincount(drawn, minlength=6) / 4000
    assert shares == pytest.approx([0, 0.25, 0, 0.5, 0.25, 0], abs=0.04)


def test_a_straight_line_ends_where_it_should():
    line = [float(linear(0.4, 0.1, jnp.float32(share))) for share in (0, 0.5, 1, 1.5)]
    assert line == pytest.approx([0.4, 0.25, 0.1, 0.1])


# Of 4,000 moves a fifth is any of three, and the rest one of two equally good ones; the best of all is illegal.
def test_epsilon_is_how_often_a_move_is_any():
    q_values, legal = jnp.array([2.0, 1.0, 2.0, 9.0]), jnp.array([True, True, True, False])
    choose = jax.jit(jax.vmap(epsilon_greedy, in_axes=(None, None, None, 0)))
    keys = jax.random.split(jax.random.key(5), 4000)
    shares = np.bincount(np.asarray(choose(q_values, legal, 0.2, keys)), minlength=4) / 4000
    assert shares == pytest.approx([0.4 + 0.2 / 3, 0.2 / 3, 0.4 + 0.2 / 3, 0], abs=0.03)
    assert set(np.asarray(choose(q_values, legal, 0.0, keys)).tolist()) == {0, 2}
