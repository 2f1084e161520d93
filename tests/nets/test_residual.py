from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.nets.residual import ResidualNet, _convolved, _convolved_on_cpu

SHAPES = [(2, 4, 4), (20,)]


@partial(jax.jit, static_argnames="shape")
def look(shape: tuple[int, ...]) -> Any:
    """A net's answers for five observations, for the last of them alone, and gradients of all its answers."""
    net = ResidualNet.create(jax.random.key(0), shape, 17, blocks=1, channels=8)
    x = jax.random.uniform(jax.random.key(1), (5, *shape), minval=-1)

    def together(net: ResidualNet) -> Any:
        logits, value, final = jax.vmap(net.and_final)(x)
        return (logits**2).sum() + value.sum() + (final**2).sum(), (logits, value, final)

    grads, answers = jax.grad(together, has_aux=True)(net)
    return x, answers, net(x[-1]), grads


@pytest.mark.parametrize("shape", SHAPES)
def test_a_position_alone_is_judged_as_in_a_batch(shape: tuple[int, ...]) -> None:
    x, (logits, value, final), alone, _ = look(shape)
    assert (logits.shape, value.shape, final.shape) == ((5, 17), (5,), x.shape)
    assert max(abs(value).max(), abs(final).max()) < 1
    np.testing.assert_allclose(alone[0], logits[-1], atol=1e-5)
    np.testing.assert_allclose(alone[1], value[-1], atol=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_weight_learns(shape: tuple[int, ...]) -> None:
    *_, grads = look(shape)
    assert all(np.abs(g).max() > 0 for g in jax.tree.leaves(grads))


def test_far_squares_matter_at_once() -> None:
    """Without a block a convolution sees one square around; the whole observation reaches every square."""

    @jax.jit
    def corner(disc: Any) -> Any:
        net = ResidualNet.create(jax.random.key(0), (1, 8, 8), 64, blocks=0, channels=4)
        return net.and_final(jnp.zeros((1, 8, 8)).at[0, 0, 0].set(disc))[2][0, 7, 7]

    assert float(corner(0.0)) != float(corner(1.0))


def test_the_quick_gradient_of_a_convolution_is_the_gradient() -> None:
    """On CPUs it goes another way than XLA's own: through a product of matrices."""
    draw = jax.random.split(jax.random.key(2), 3)
    x, w = jax.random.normal(draw[0], (3, 4, 2)), jax.random.normal(draw[1], (3, 3, 2, 5))
    slope = jax.random.normal(draw[2], (3, 4, 5))
    quick, plain = (jax.vjp(f, x, w)[1](slope) for f in (_convolved_on_cpu, _convolved))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), quick, plain)
