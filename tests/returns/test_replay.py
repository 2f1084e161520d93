"""The ring by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.returns.replay import add, empty, sample

ADD = jax.jit(add)


def items(*numbers: int) -> dict:
    return {"n": jnp.array(numbers), "x": jnp.array([[n, -n] for n in numbers], jnp.float32)}


def test_the_oldest_goes_first() -> None:
    ring = empty({"n": jnp.int32(0), "x": jnp.zeros(2)}, 5)
    ring = ADD(ring, items(1, 2, 3), jnp.array([True, False, True]))
    np.testing.assert_array_equal(ring.items["n"], [1, 3, 0, 0, 0])
    assert (int(ring.head), int(ring.size)) == (2, 2)
    ring = ADD(ring, items(4, 5, 6), jnp.array([True, True, True]))
    np.testing.assert_array_equal(ring.items["n"], [1, 3, 4, 5, 6])
    assert (int(ring.head), int(ring.size)) == (0, 5)
    ring = ADD(ring, items(7, 8, 9), jnp.array([False, True, True]))  # 1 and 3 were the oldest
    np.testing.assert_array_equal(ring.items["n"], [8, 9, 4, 5, 6])
    np.testing.assert_array_equal(ring.items["x"], [[8, -8], [9, -9], [4, -4], [5, -5], [6, -6]])
    assert (int(ring.head), int(ring.size)) == (2, 5)
    ring = ADD(ring, items(1, 2, 3), jnp.zeros(3, bool))
    np.testing.assert_array_equal(ring.items["n"], [8, 9, 4, 5, 6])


def test_round_the_end() -> None:
    ring = empty({"n": jnp.int32(0), "x": jnp.zeros(2)}, 5)
    for first in (1, 4, 7):
        ring = ADD(ring, items(first, first + 1, first + 2), jnp.ones(3, bool))
    np.testing.assert_array_equal(ring.items["n"], [6, 7, 8, 9, 5])


def test_an_empty_slot_is_never_drawn() -> None:
    ring = ADD(empty({"n": jnp.int32(0), "x": jnp.zeros(2)}, 100), items(1, 2, 3), jnp.ones(3, bool))
    drawn = sample(ring, jax.random.key(0), 3000)
    counts = np.bincount(np.asarray(drawn["n"]))
    assert counts[0] == 0
    np.testing.assert_allclose(counts[1:] / 3000, 1 / 3, atol=0.04)
    np.testing.assert_array_equal(drawn["x"][:, 0], drawn["n"])  # the parts of an item stay together


def test_more_at_once_than_it_holds() -> None:
    ring = empty({"n": jnp.int32(0), "x": jnp.zeros(2)}, 2)
    with pytest.raises(ValueError, match="3 items at once do not fit into a replay of 2: expected a larger one"):
        add(ring, items(1, 2, 3), jnp.ones(3, bool))
