"""`once` must never change a result."""

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.batching import once


def doubled(x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
    return x * y, x & 1


def test_same_results_alone_in_a_batch_and_in_a_batch_of_batches() -> None:
    fenced = once(doubled)
    x, y = jnp.arange(24, dtype=jnp.uint32).reshape(4, 6), jnp.arange(6, dtype=jnp.uint32) + 3
    assert [int(v) for v in fenced(x[1, 1], y[1])] == [7 * 4, 1]
    for function in (fenced, jax.jit(fenced)):
        rows = jax.vmap(function)(x[2], y)
        np.testing.assert_array_equal(rows[0], x[2] * y)
        grid = jax.vmap(jax.vmap(function), in_axes=(0, None))(x, y)
        np.testing.assert_array_equal(grid[0], x * y)
        np.testing.assert_array_equal(grid[1], x & 1)


def test_unbatched_arguments_stay_as_they_are() -> None:
    x = jnp.arange(5, dtype=jnp.uint32)
    product, _ = jax.vmap(once(doubled), in_axes=(0, None))(x, jnp.uint32(9))
    np.testing.assert_array_equal(product, x * 9)
    product, odd = jax.vmap(once(doubled), in_axes=(None, 0))(jnp.uint32(3), x)
    np.testing.assert_array_equal(product, x * 3)
    np.testing.assert_array_equal(odd, np.ones(5))


def test_nothing_to_do_is_zero() -> None:
    product, odd = jax.vmap(once(doubled))(jnp.zeros(7, jnp.uint32), jnp.arange(7, dtype=jnp.uint32))
    assert not product.any()
    assert not odd.any()


def test_inside_a_compiled_loop() -> None:
    fenced = once(doubled)

    def turn(x: jax.Array, _: None) -> tuple[jax.Array, None]:
        return jax.vmap(fenced)(x, jnp.full(3, 3, jnp.uint32))[0], None

    out, _ = jax.jit(lambda x: jax.lax.scan(turn, x, None, length=4))(jnp.arange(3, dtype=jnp.uint32))
    np.testing.assert_array_equal(out, [0, 81, 162])
