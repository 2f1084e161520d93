"""Bits against Python's own integers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens.core.bits import (
    Bits,
    _by_computed_index,
    _by_fours,
    _by_remembered_index,
    _by_single_flags,
    _by_whole_words,
    bits,
    nth_set_bit,
    one_bit,
    pack,
    planes,
    spread,
    to_int,
    unpack,
)
from variants import slow_but

boards = st.integers(0, 2**64 - 1)
ALL = 2**64 - 1


@settings(deadline=None, derandomize=True)
@given(boards, boards)
def test_set_algebra(x: int, y: int) -> None:
    a, b = bits(x), bits(y)
    assert to_int(a & b) == x & y
    assert to_int(a | b) == x | y
    assert to_int(a ^ b) == x ^ y
    assert to_int(~a) == ALL - x
    assert bool(a.any()) == (x != 0)
    assert int(a.total()) == x.bit_count()


@settings(deadline=None, derandomize=True)
@given(boards, st.integers(1, 31))
def test_shifts(x: int, by: int) -> None:
    assert to_int(bits(x).shift(by)) == (x << by) & ALL
    assert to_int(bits(x).shift(-by)) == x >> by


def test_one_bit_is_empty_outside_the_board() -> None:
    assert [to_int(one_bit(jnp.int32(i))) for i in range(64)] == [1 << i for i in range(64)]
    assert [to_int(one_bit(jnp.int32(i))) for i in (64, 65, -1, 2**31 - 1)] == [0, 0, 0, 0]


@pytest.mark.parametrize("size", [9, 65, *slow_but([1, 31, 32, 33, 64, 202], 0)])
def test_pack_and_unpack_are_inverse(size: int) -> None:
    masks = np.random.default_rng(size).random((50, size)) < 0.3
    words = jax.vmap(pack)(masks)
    assert len(words) == -(-size // 32)
    np.testing.assert_array_equal(jax.vmap(lambda *w: unpack(w, size))(*words), masks)


@pytest.mark.parametrize("size", [36, 65, *slow_but([5, 31, 32, 64, 163, 202], 0)])
def test_what_cpus_and_gpus_do_is_the_same(size: int) -> None:
    """The ways that only an accelerator takes are tried here as well."""
    masks = np.random.default_rng(size).random((3, size)) < 0.4
    words = [_by_single_flags(jnp.asarray(mask)) for mask in masks]
    for mask, packed in zip(masks, words, strict=True):
        assert [int(word) for word in packed] == [int(word) for word in _by_fours(jnp.asarray(mask))]
    flat = [word for packed in words for word in packed]
    ways = [_by_computed_index, _by_remembered_index] + [_by_whole_words] * (size % 32 == 0)
    for way in ways:
        np.testing.assert_array_equal(way(flat, 3, size), masks)


@pytest.mark.parametrize("size", [9, 65, 202])
def test_nth_set_bit_finds_every_bit(size: int) -> None:
    find = jax.jit(jax.vmap(lambda mask, n: nth_set_bit(pack(mask), n), in_axes=(None, 0)))
    for seed in range(10):
        mask = np.random.default_rng(seed).random(size) < 0.2
        places = np.flatnonzero(mask)
        found = np.asarray(find(mask, jnp.arange(size)))
        np.testing.assert_array_equal(found[: len(places)], places)
        assert (found[len(places) :] == 0).all()


def test_planes_and_spread_pick_fixed_places() -> None:
    first, second = bits(0x8000000180000001), bits(0x10)
    rows = np.asarray(planes((first, second), 64))
    assert [list(np.flatnonzero(row)) for row in rows] == [[0, 31, 32, 63], [4]]
    places = np.array([63, 1, 32])
    assert list(np.asarray(spread(first, places // 32, places % 32))) == [True, False, True]
    assert isinstance(first, Bits)
