"""Keeping compiled batches fast on CPUs."""

from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap

from ludens.core.types import Array

T = TypeVar("T")


def once(function: Callable[..., T]) -> Callable[..., T]:
    """`function`, but under `vmap` on a CPU computed once instead of once for each of its consumers.

    XLA's CPU compiler fuses a chain of cheap operations into everything that reads its result: the eight words of an
    Othello state each repeated the whole search for flips, which made a step 2.5 times slower (`benchmarks/once.py`).
    A conditional is a border that fusion does not cross, so under `vmap` we compute behind one. Its condition is worth
    asking anyway: a batch whose first argument is zero everywhere gives zero everywhere. **`function` must keep that
    promise.** Single games and accelerators, where fusing everything is best, get the plain function.
    """
    fenced = custom_vmap(function)

    @fenced.def_vmap
    def batched(axis_size: int, in_batched: list[Any], *args: Any) -> tuple[T, Any]:
        axes = jax.tree.map(lambda is_batched: 0 if is_batched else None, tuple(in_batched))
        plain = jax.jit(jax.vmap(function, in_axes=axes, axis_size=axis_size))
        shapes = jax.eval_shape(plain, *args)
        any_work = jnp.stack([jnp.any(leaf != 0) for leaf in jax.tree.leaves(args[0])]).any()
        return apart(any_work, plain, *args), jax.tree.map(lambda _: True, shapes)

    return fenced


def apart(any_work: Array, function: Callable[..., T], *args: Any) -> T:
    """`function(*args)` for a whole batch, on a CPU behind a border that fusion does not cross (see `once`).

    There the result is zero everywhere if `any_work` (`bool[]`, not known when compiling) is false.
    """

    function = jax.jit(function)  # traced once, though it stands in three places below

    def behind_a_border(any_work: Array, *args: Any) -> Any:
        nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(function, *args))
        return lax.cond(any_work, function, lambda *_: nothing, *args)

    result: T = lax.platform_dependent(any_work, *args, cpu=behind_a_border, default=lambda _, *args: function(*args))
    return result
