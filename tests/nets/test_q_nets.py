"""The nets' written-out backpropagation against automatic differentiation of half the squared error."""

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.nets.q_nets import NetPerSquare, QBatch, SingleNet
from variants import slow_but

SQUARES, HIDDEN = 16, 5
NETS = [SingleNet(SQUARES, HIDDEN), NetPerSquare(SQUARES, HIDDEN), SingleNet(SQUARES, HIDDEN, players=1)]
MOST = [*NETS[:2], pytest.param(NETS[2], marks=pytest.mark.slow)]
KEY = jax.random.key(7)


def plainly(nets, weights, x, who, a):
    """Q(x, a) straight from equations 12 and 13, with nothing but the weights of one player and one square."""
    w = {name: each[who] for name, each in weights.items()}
    if isinstance(nets, SingleNet):
        inside = jnp.tanh(w["hidden"] @ x + w["hidden_bias"])
    else:
        inside = jnp.tanh(x @ w["hidden"][a] + w["hidden_bias"][a])
    return jnp.tanh(w["output"][a] @ inside + w["output_bias"][a])


def some_batch(nets, count):
    keys = jax.random.split(KEY, 5)
    return QBatch(
        who=jax.random.randint(keys[0], (count,), 0, nets.players),
        x=jax.random.randint(keys[1], (count, SQUARES), -1, 2).astype(jnp.float32),
        action=jax.random.randint(keys[2], (count,), 0, SQUARES),
        target=jax.random.uniform(keys[3], (count,), minval=-1),
        mask=jnp.arange(count) % 3 != 1,
    )


def some_weights(nets):
    return nets.init(jax.random.key(3), 0.7)


@pytest.mark.parametrize("nets", slow_but(NETS))
def test_values_are_those_of_the_equations(nets):
    weights, batch = some_weights(nets), some_batch(nets, 6)
    legal = np.asarray(jax.random.bernoulli(KEY, 0.3, (6, SQUARES)))
    dense = jax.jit(nets.values)(weights, batch.x, batch.who)
    few = jax.jit(nets.legal_values)(weights, batch.x, batch.who, legal)
    every = jax.vmap(lambda x, who: jax.vmap(lambda a: plainly(nets, weights, x, who, a))(jnp.arange(SQUARES)))
    expected = np.asarray(jax.jit(every)(batch.x, batch.who))
    np.testing.assert_allclose(dense, expected, atol=1e-5)
    np.testing.assert_allclose(np.asarray(few)[legal], expected[legal], atol=1e-5)
    alone = jax.jit(nets.legal_values)(weights, batch.x[:1], batch.who[:1], legal[:1])
    np.testing.assert_allclose(alone[0][legal[0]], dense[0][legal[0]], atol=1e-5)


@pytest.mark.parametrize("count", [pytest.param(1, marks=pytest.mark.slow), 6])
@pytest.mark.parametrize("nets", MOST)
def test_backpropagation_is_the_gradient(nets, count):
    weights, batch = some_weights(nets), some_batch(nets, count)

    def half_squared_error(weights):
        each = [plainly(nets, weights, batch.x[b], batch.who[b], batch.action[b]) for b in range(count)]
        return (jnp.where(batch.mask, batch.target - jnp.stack(each), 0) ** 2 / 2).sum()

    slopes = jax.jit(jax.grad(half_squared_error))(weights)
    gradients, values = jax.jit(nets.backward)(weights, batch)
    chex.assert_trees_all_close(gradients, jax.tree.map(jnp.negative, slopes), atol=1e-5)
    stepped, again = jax.jit(nets.descend, static_argnums=2)(weights, batch, 0.3)
    chex.assert_trees_all_close(stepped, jax.tree.map(lambda w, g: w - 0.3 * g, weights, slopes), atol=1e-5)
    np.testing.assert_allclose(values, again, atol=1e-6)


@pytest.mark.parametrize("nets", NETS[:2])
def test_only_the_square_and_the_player_that_learn_are_changed(nets):
    weights = some_weights(nets)
    lesson = some_batch(nets, 1)._replace(who=jnp.array([1]), action=jnp.array([9]), mask=jnp.array([True]))
    after, _ = jax.jit(nets.descend, static_argnums=2)(weights, lesson, 0.1)
    moved = {name: np.asarray(after[name] != weights[name]) for name in weights}
    per_square = ["output", "output_bias"] if isinstance(nets, SingleNet) else list(weights)
    for name in weights:
        assert not moved[name][0].any()
        assert moved[name][1].any()
    for name in per_square:
        assert moved[name][1, 9].any()
        assert not np.delete(moved[name][1], 9, axis=0).any()


def test_one_update_by_hand():
    # Two squares and one hidden unit: h = tanh(0.5) for the board (1, -1), Q(1) = tanh(0.8 h - 0.1).
    nets = SingleNet(squares=2, hidden=1, players=1)
    weights = {
        "hidden": jnp.array([[[0.2, -0.2]]]),
        "hidden_bias": jnp.array([[0.1]]),
        "output": jnp.array([[[0.3], [0.8]]]),
        "output_bias": jnp.array([[0.0, -0.1]]),
    }
    lesson = QBatch(*(jnp.array([each]) for each in (0, [1.0, -1.0], 1, 0.5, True)))
    after, value = nets.descend(weights, lesson, 0.1)
    h = np.tanh(0.5)
    q = np.tanh(0.8 * h - 0.1)
    slope = 0.1 * (0.5 - q) * (1 - q * q)
    assert float(value[0]) == pytest.approx(q)
    assert float(value[0]) == pytest.approx(0.26334, abs=1e-5)
    assert np.asarray(after["output"]).ravel() == pytest.approx([0.3, 0.8 + slope * h])
    assert np.asarray(after["output_bias"]).ravel() == pytest.approx([0.0, -0.1 + slope])
    within = slope * 0.8 * (1 - h * h)
    assert np.asarray(after["hidden"]).ravel() == pytest.approx([0.2 + within, -0.2 - within])
    assert np.asarray(after["hidden_bias"]).ravel() == pytest.approx([0.1 + within])


def test_the_papers_numbers_of_weights():
    def without_biases(nets):
        return sum(np.prod(shape) for name, shape in nets.layout.items() if "bias" not in name)

    assert without_biases(SingleNet(64, 44, players=1)) == 5632
    assert without_biases(NetPerSquare(64, 36, players=1)) == 149_760


@pytest.mark.parametrize("nets", NETS)
def test_first_weights_lie_within_their_scale(nets):
    weights = nets.init(KEY, 0.1)
    assert {name: x.shape for name, x in weights.items()} == nets.layout
    everything = np.concatenate([np.ravel(each) for each in weights.values()])
    assert np.abs(everything).max() <= 0.1
    assert np.abs(everything).max() > 0.09
    assert abs(everything.mean()) < 0.01
