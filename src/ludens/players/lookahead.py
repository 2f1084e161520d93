"""Trying only what can be played: one act ahead, the legal moves and nothing else.

A game has up to hundreds of actions and a position about a dozen legal ones, but under `vmap` nothing can be skipped.
So a batch of positions becomes one queue of (position, legal move), worked off in chunks of equal size: no lane tries
an illegal move, and none waits for the position with the most moves.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap

from ludens.core.batching import apart
from ludens.core.bits import nth_set_bit, pack
from ludens.core.game import Game, S
from ludens.core.types import Array

Attempt = Callable[[Array, Any], Any]
"""From an index and the arguments: what comes of it, a pytree."""
Worth = Callable[[Any, Any, Any], Array]
"""From parameters, arguments and what came of an attempt: a number or a flag, `[]`."""

_CHUNK, _LARGE_CHUNK = 16384, 131072
"""Most attempts at a time: few enough for the caches of a CPU, or many enough to fill an accelerator."""


def after_each(game: Game[S], judge: Worth, params: Any, s: S, *, among: Array | None = None) -> Array:
    """`judge(params, s, t)` of the position `t` after each legal action, before fate acts: `[A]`, 0 elsewhere.

    `among` (`bool[A]`) leaves some of the legal actions out.
    """
    return for_each(_act(game), judge, game.legal(s) if among is None else among, s, params)


def for_each(attempt: Attempt, judge: Worth, mask: Array, args: Any, params: Any = None) -> Array:
    """`judge(params, args, attempt(i, args))` for each `i` at which `mask` (`bool[M]`) is set: `[M]`, 0 elsewhere.

    `vmap` over `mask` and `args` (a pytree of arrays) makes one longer queue; over `params`, one for each. Functions
    that are the same object each time, not made on the way, are traced once instead of at every level of nesting.
    """
    args = jax.tree.map(lambda x: jnp.asarray(x)[None], args)
    result: Array = _queue(attempt, judge)(mask[None], args, params)[0]
    return result


@lru_cache(maxsize=64)
def _act(game: Game[S]) -> Attempt:
    # Queues hold legal actions only. In Chung Toi the check that `apply` adds costs several times what the act does.
    return lambda a, s: game._apply(s, a)


@lru_cache(maxsize=256)
def _queue(attempt: Attempt, judge: Worth) -> Callable[..., Array]:
    """`for_each` over a batch, which `vmap` makes longer: masks `bool[N, M]`, args `[N, ...]`, params to `[N, M]`."""
    queue = jax.jit(partial(_work_off, attempt, judge))
    batch = custom_vmap(queue)

    @batch.def_vmap
    def flatten(size: int, batched: list[Any], masks: Array, args: Any, params: Any) -> tuple[Array, bool]:
        if any(jax.tree.leaves(batched[2])):
            axes = jax.tree.map(lambda is_batched: 0 if is_batched else None, tuple(batched))
            return jax.vmap(queue, in_axes=axes, axis_size=size)(masks, args, params), True

        def one_batch(x: Array, is_batched: bool) -> Array:
            x = x if is_batched else jnp.broadcast_to(x, (size, *x.shape))
            return x.reshape(-1, *x.shape[2:])

        masks, args = jax.tree.map(one_batch, (masks, args), (batched[0], batched[1]))
        out = batch(masks, args, params)
        return out.reshape(size, -1, *out.shape[1:]), True

    return batch


def _work_off(attempt: Attempt, judge: Worth, masks: Array, args: Any, params: Any) -> Array:
    rows, places = masks.shape
    words = jax.vmap(pack)(masks)
    counts = sum((lax.population_count(word) for word in words), start=jnp.uint32(0)).astype(jnp.int32)
    ends = jnp.cumsum(counts, dtype=jnp.int32)
    starts = ends - counts
    chunk = min(_CHUNK if jax.default_backend() == "cpu" else _LARGE_CHUNK, max(32, 8 * rows))

    @jax.jit
    def attempts(first: Array) -> tuple[Array, Any, Any]:
        """The next chunk of the queue: where its results belong, its arguments, and what comes of its attempts."""
        at = first + jnp.arange(chunk, dtype=jnp.int32)
        # The row of a place in the queue is the number of rows that end before it. Marking the ends and adding up is
        # several times as fast as a binary search for each place.
        marks = jnp.zeros(chunk, jnp.int32).at[jnp.where(ends >= first, ends - first, chunk)].add(1, mode="drop")
        row = jnp.minimum((ends < first).sum(dtype=jnp.int32) + jnp.cumsum(marks), rows - 1)
        place = jax.vmap(nth_set_bit)(tuple(word[row] for word in words), at - starts[row])
        here = jax.tree.map(lambda x: x[row], args)
        target = jnp.where(at < ends[-1], row * places + place, rows * places)
        return target, here, jax.vmap(attempt)(place, here)

    judge_all = jax.jit(jax.vmap(judge, in_axes=(None, 0, 0)))
    shapes = jax.eval_shape(attempts, jnp.int32(0))
    kind = jax.eval_shape(judge_all, params, *shapes[1:])

    def work(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        first, result = carry
        # Apart, or a CPU would repeat an attempt for everything that a judge derives from it: 2 to 5 times as slow.
        target, here, outcome = apart(first < ends[-1], attempts, first)
        return first + chunk, result.at[target].set(judge_all(params, here, outcome), mode="drop")

    nothing = jnp.zeros(rows * places, kind.dtype)
    _, result = lax.while_loop(lambda carry: carry[0] < ends[-1], work, (jnp.int32(0), nothing))
    return result.reshape(rows, places)
