"""Keeping compiled batches fast on CPUs."""

from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap

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
        plain = jax.vmap(function, in_axes=axes, axis_size=axis_size)
        shapes = jax.eval_shape(plain, *args)

        def behind_a_border(*args: Any) -> Any:
            any_work = sum(jnp.any(leaf != 0) for leaf in jax.tree.leaves(args[0])) > 0
            nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)
            return lax.cond(any_work, plain, lambda *_: nothing, *args)

        result = lax.platform_dependent(*args, cpu=behind_a_border, default=plain)
        return result, jax.tree.map(lambda _: True, shapes)

    return fenced
