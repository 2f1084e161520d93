"""The prioritized replay by hand and against a plain model: what is drawn, how often, with which weights."""

from collections import deque
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens.returns.replay import (
    Ranked,
    Replay,
    add,
    draw,
    empty,
    importance_weights,
    lots,
    renew,
    take,
    top,
)

ITEM = Ranked({"n": jnp.int32(0), "x": jnp.zeros(2)}, jnp.float32(0))
CAPACITY, ROUND = 5, 3
ADD, TOP = jax.jit(add), jax.jit(top, static_argnums=1)


@partial(jax.jit, static_argnames=("n", "alpha", "beta"))
def proportional(ring, key, n, *, alpha, beta):
    return draw(lots(ring, alpha), ring.size, key, n, beta=beta)


def ranked(*pairs: tuple[int, float]) -> Ranked:
    numbers, priorities = zip(*pairs, strict=True)
    return Ranked(
        {"n": jnp.array(numbers), "x": jnp.array([[n, -n] for n in numbers], jnp.float32)},
        jnp.array(priorities, jnp.float32),
    )


def filled(*pairs: tuple[int, float], capacity: int = CAPACITY) -> Replay:
    return ADD(empty(ITEM, capacity), ranked(*pairs), jnp.ones(len(pairs), bool))


def numbers(ring: Replay, slots: jax.Array) -> list[int]:
    found = take(ring, slots).item
    np.testing.assert_array_equal(found["x"][:, 0], found["n"])  # the parts of an item stay together
    return np.asarray(found["n"]).tolist()


# ------------------------------------------------------------------ the highest priorities


def test_the_highest_come_first_and_of_equal_ones_the_lower_slot() -> None:
    ring = filled((1, 2.0), (2, 7.0), (3, 0.0), (4, 7.0), (5, 3.0))
    assert numbers(ring, TOP(ring, 3)) == [2, 4, 5]
    assert numbers(ring, TOP(ring, 5)) == [2, 4, 5, 1, 3]


def test_the_oldest_goes_out_with_its_priority() -> None:
    ring = filled((1, 9.0), (2, 8.0), (3, 1.0))
    ring = ADD(ring, ranked((4, 2.0), (0, 99.0), (5, 3.0)), jnp.array([True, False, True]))
    assert numbers(ring, TOP(ring, 3)) == [1, 2, 5]
    ring = ADD(ring, ranked((6, 0.5), (7, 0.25), (0, 99.0)), jnp.array([True, True, False]))  # 1 and 2 were the oldest
    assert numbers(ring, TOP(ring, 5)) == [5, 4, 3, 6, 7]


def test_where_fewer_are_filled_they_come_again() -> None:
    ring = filled((1, 1.0), (2, 3.0), (3, 2.0), capacity=100)
    assert numbers(ring, TOP(ring, 7)) == [2, 3, 1, 2, 3, 1, 2]
    without = filled((1, 0.0), (2, 0.0), (3, 0.0), capacity=100)  # as large as what lies in empty slots
    assert numbers(without, TOP(without, 7)) == [1, 2, 3, 1, 2, 3, 1]
    assert numbers(filled((8, 1.0), capacity=2), TOP(filled((8, 1.0), capacity=2), 4)) == [8, 8, 8, 8]  # more than fit


# ------------------------------------------------------------------ in proportion


# Priorities 1, 4, 9 and 0. With alpha 1/2 they count 1, 2, 3 and 0 of 6; with beta 1 the weights of what is drawn are
# 1 / (4 P), or 3/2, 3/4 and 1/2; the largest becomes 1. With beta 1/2 they are the roots of that.
@pytest.mark.parametrize(
    ("alpha", "beta", "probs", "weights"),
    [
        (0.5, 1.0, [1 / 6, 2 / 6, 3 / 6, 0], [1, 1 / 2, 1 / 3]),
        (0.5, 0.5, [1 / 6, 2 / 6, 3 / 6, 0], [1, 2**-0.5, 3**-0.5]),
        (1.0, 1.0, [1 / 14, 4 / 14, 9 / 14, 0], [1, 1 / 4, 1 / 9]),
        (1.0, 0.0, [1 / 14, 4 / 14, 9 / 14, 0], [1, 1, 1]),
        (0.0, 1.0, [1 / 4, 1 / 4, 1 / 4, 1 / 4], [1, 1, 1, 1]),  # every item counts the same, also one without priority
    ],
)
def test_frequencies_and_weights(alpha: float, beta: float, probs: list[float], weights: list[float]) -> None:
    ring = filled((0, 1.0), (1, 4.0), (2, 9.0), (3, 0.0), capacity=100)
    ends = np.asarray(lots(ring, alpha))
    np.testing.assert_allclose(np.diff(ends, prepend=0)[:4] / ends[-1], probs, rtol=1e-6)
    assert (np.diff(ends)[3:] == 0).all()  # empty slots have no lots
    drawn = proportional(ring, jax.random.key(1), 60_000, alpha=alpha, beta=beta)
    slots = np.asarray(drawn.slots)
    np.testing.assert_allclose(np.bincount(slots, minlength=4) / 60_000, probs, atol=0.008)  # four deviations
    for slot, weight in enumerate(weights):
        np.testing.assert_allclose(np.asarray(drawn.weights)[slots == slot], weight, rtol=1e-5)


def test_the_largest_weight_is_of_what_was_drawn() -> None:
    ends = lots(filled((0, 1.0), (1, 1e-6), capacity=100), 1.0)
    drawn = draw(ends, jnp.int32(2), jax.random.key(0), 8, beta=1.0)  # the second comes once in a million draws
    np.testing.assert_array_equal(drawn.slots, np.zeros(8))
    np.testing.assert_array_equal(drawn.weights, np.ones(8))


def test_without_any_priority_all_are_equally_likely() -> None:
    ring = filled((0, 0.0), (1, 0.0), (2, 0.0), capacity=100)
    counts = np.bincount(
        np.asarray(proportional(ring, jax.random.key(2), 6000, alpha=0.6, beta=0.4).slots), minlength=3
    )
    assert len(counts) == 3
    np.testing.assert_allclose(counts / 6000, 1 / 3, atol=0.03)


@pytest.mark.parametrize("priorities", [(1e-30, 1e30, 1e-38), (1e30, 3e37, 2e37), (1e-37, 2e-37, 4e-37)])
def test_far_apart_and_far_from_one(priorities: tuple[float, ...]) -> None:
    ring = filled(*enumerate(priorities), capacity=100)
    ends = np.asarray(lots(ring, 1.0))
    expected = np.array(priorities) / sum(priorities)
    np.testing.assert_allclose(np.diff(ends, prepend=0)[:3] / ends[-1], expected, atol=1e-6)
    drawn = proportional(ring, jax.random.key(3), 1000, alpha=1.0, beta=1.0)
    assert (np.asarray(drawn.slots) < 3).all()
    assert np.isfinite(np.asarray(drawn.weights)).all()


def test_many_small_ones_are_all_reached() -> None:
    size = 20_000
    ring = Replay(Ranked(jnp.arange(size), jnp.full(size, 1e-9).at[7].set(1.0)), jnp.int32(0), jnp.int32(size))
    ends = np.asarray(jax.jit(lots, static_argnums=1)(ring, 1.0))
    assert (np.diff(ends, prepend=0) > 0).all()
    assert ends[-1] < 2**31 - 1


# ------------------------------------------------------------------ new priorities


def test_renewed() -> None:
    ring = filled((1, 1.0), (2, 2.0), (3, 3.0))
    ring = jax.jit(renew)(ring, jnp.array([2, 0, 2]), jnp.array([0.5, 9.0, 0.5]))
    np.testing.assert_array_equal(ring.items.priority, [9.0, 2.0, 0.5, 0.0, 0.0])
    assert numbers(ring, TOP(ring, 3)) == [1, 2, 3]


# ------------------------------------------------------------------ against a plain model

# The model: the latest five in a deque, each with a priority. A round puts up to three in and renews one.
ROUNDS = st.lists(
    st.tuples(
        st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=ROUND, max_size=ROUND),
        st.integers(0, CAPACITY - 1),
        st.integers(0, 6),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(ROUNDS, st.integers(0, 2**31))
def test_a_plain_model(rounds: list, seed: int) -> None:
    ring, model, number = empty(ITEM, CAPACITY), deque(maxlen=CAPACITY), 0
    for offered, which, priority in rounds:
        pairs = [(number + i + 1, float(priority)) for i, (_, priority) in enumerate(offered)]
        ring = ADD(ring, ranked(*pairs), jnp.array([wanted for wanted, _ in offered]))
        model.extend([pair for pair, (wanted, _) in zip(pairs, offered, strict=True) if wanted])
        number += ROUND
        assert int(ring.size) == len(model)
        if not model:
            continue
        named = [int(n) for n in np.asarray(ring.items.item["n"])[: len(model)]]
        assert sorted(named) == sorted(n for n, _ in model)
        slot = which % len(model)
        ring = renew(ring, jnp.array([slot]), jnp.array([float(priority)]))
        model = deque([(n, float(priority) if n == named[slot] else p) for n, p in model], maxlen=CAPACITY)
        held = dict(model)
        found = numbers(ring, TOP(ring, ROUND))
        best = sorted(held, key=lambda n: (-held[n], named.index(n)))[:ROUND]
        assert found == [best[i % len(best)] for i in range(ROUND)]
        drawn = numbers(ring, proportional(ring, jax.random.key(seed), 16, alpha=0.6, beta=0.4).slots)
        likely = {n for n in held if held[n] > 0} or set(held)
        assert set(drawn) <= likely


# Drawn with 1/2 and 1/8 of four: (4 / 2)^-1 = 1/2 and (4 / 8)^-1 = 2, of which the largest becomes 1.
def test_importance_weights_by_hand() -> None:
    weights = importance_weights(jnp.array([0.5, 0.125]), jnp.int32(4), 1.0)
    np.testing.assert_allclose(weights, [0.25, 1.0])
    np.testing.assert_allclose(importance_weights(jnp.array([0.5, 0.125]), jnp.int32(4), 0.0), [1.0, 1.0])
