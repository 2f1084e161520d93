"""The queue does what a loop over the set flags would do, in every way that `vmap` can nest it."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludens.games import make
from ludens.players import lookahead
from ludens.players.lookahead import after_each, for_each
from players.positions import positions

MASKS = np.random.default_rng(5).random((3, 5, 70)) < 0.3
NUMBERS = np.random.default_rng(1).integers(0, 100, (3, 5, 2), np.int32)


def attempt(i: Any, args: Any) -> Any:
    return {"sum": args["pair"].sum() + i, "first": args["pair"][0]}


def judge(factor: Any, args: Any, tried: Any) -> Any:
    return factor * tried["sum"] + args["pair"][1] - tried["first"]


def expected(factor: Any) -> Any:
    return np.where(MASKS, _unmasked(factor), 0)


def test_every_set_flag_is_judged_and_no_other() -> None:
    def one(mask: Any, pair: Any) -> Any:
        return for_each(attempt, judge, mask, {"pair": pair}, 3)

    many = jax.jit(jax.vmap(one))
    np.testing.assert_array_equal(jax.jit(one)(MASKS[0, 0], NUMBERS[0, 0]), expected(3)[0, 0])
    np.testing.assert_array_equal(many(MASKS[0], NUMBERS[0]), expected(3)[0])
    np.testing.assert_array_equal(jax.jit(jax.vmap(jax.vmap(one)))(MASKS, NUMBERS), expected(3))
    empty = many(jnp.zeros((5, 70), bool), NUMBERS[0])
    assert empty.dtype == jnp.int32
    assert not empty.any()


def test_a_queue_longer_than_a_chunk(monkeypatch: Any) -> None:
    monkeypatch.setattr(lookahead, "_CHUNK", 32)
    result = jax.jit(jax.vmap(lambda mask, pair: for_each(attempt, judge, mask, {"pair": pair}, 3)))(
        MASKS[0], NUMBERS[0]
    )
    assert int(MASKS[0].sum()) > 3 * 32
    np.testing.assert_array_equal(result, expected(3)[0])


def test_what_is_the_same_for_all_may_be_given_once() -> None:
    one_mask = jax.jit(jax.vmap(lambda pair: for_each(attempt, judge, MASKS[0, 0], {"pair": pair}, 3)))(NUMBERS[0])
    np.testing.assert_array_equal(one_mask, np.where(MASKS[0, 0], _unmasked(3)[0], 0))


def test_parameters_may_differ_between_batches() -> None:
    def batch(factor: Any, masks: Any, pairs: Any) -> Any:
        return jax.vmap(lambda mask, pair: for_each(attempt, judge, mask, {"pair": pair}, factor))(masks, pairs)

    result = jax.jit(jax.vmap(batch))(jnp.arange(3), MASKS, NUMBERS)
    np.testing.assert_array_equal(result, expected(np.arange(3)[:, None, None]))


def test_queues_nest() -> None:
    def outer(mask: Any, pair: Any) -> Any:
        def total(_: None, pair: Any, tried: Any) -> Any:
            return for_each(lambda j, i: i * j, lambda _, i, product: product, jnp.arange(4) < tried % 4, tried).sum()

        return for_each(lambda i, pair: i + pair[0], total, mask, pair)

    tried = NUMBERS[0, :, 0, None] + np.arange(70)
    sums = np.array([0, 0, 1, 3])[tried % 4] * tried
    np.testing.assert_array_equal(jax.jit(jax.vmap(outer))(MASKS[0], NUMBERS[0]), np.where(MASKS[0], sums, 0))


def test_after_each_is_the_position_after_apply() -> None:
    game = make("chung-toi")
    states = positions(game, 12)

    def one_by_one(s: Any) -> Any:
        after = jax.vmap(lambda a: game.apply(s, a))(jnp.arange(game.num_actions))
        return jnp.where(game.legal(s), after.own + 512 * after.other, 0)

    queued = jax.jit(jax.vmap(lambda s: after_each(game, lambda _, s, t: t.own + 512 * t.other, None, s)))
    np.testing.assert_array_equal(queued(states), jax.jit(jax.vmap(one_by_one))(states))


def _unmasked(factor: Any) -> Any:
    first, second = NUMBERS[..., 0, None], NUMBERS[..., 1, None]
    return factor * (first + second + np.arange(70)) + second - first
