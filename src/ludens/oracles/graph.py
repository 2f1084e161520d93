"""Positions as numbers and moves as arrows between them: what every solver works on.

An arrow to position `i` is written `i` if the other side moves there and `~i` (negative) if the same side moves again.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core import bits
from ludens.core.game import Game, S, sign
from ludens.core.types import Array


def arrows(game: Game[S], index: Callable[[S], Array], s: S, width: int) -> Array:
    """Arrows for the legal actions in `s`, `int32[width]`; where there are fewer the first is repeated.

    `width` must be at least the number of legal actions. A finished game points at itself.
    """
    words = bits.pack(game.legal(s))
    count = sum((lax.population_count(word) for word in words), start=jnp.uint32(0))

    def follow(n: Array) -> Array:
        t = game.apply(s, bits.nth_set_bit(words, jnp.where(n < count, n, 0)))
        return jnp.where(sign(game, s, t) > 0, ~index(t), index(t))

    return jax.vmap(follow)(jnp.arange(width, dtype=jnp.uint32))


def targets(arrows_out: Array) -> Array:
    """The positions that arrows point at, whoever moves there; the same shape, `int32`."""
    return jnp.where(arrows_out < 0, ~arrows_out, arrows_out)


def reachable(arrows_from: Callable[[np.ndarray], np.ndarray], start: int, size: int) -> np.ndarray:
    """Which of `size` positions arise from `start`, `bool[size]`; an arrow to `size` leads nowhere.

    `arrows_from` gives all the arrows of some positions, `int32[...]`.
    """
    found = np.zeros(size, bool)
    latest = np.array([start])
    while latest.size:
        found[latest] = True
        out = arrows_from(latest)
        met = np.zeros(size + 1, bool)
        met[np.where(out < 0, ~out, out)] = True
        latest = np.flatnonzero(met[:size] & ~found)
    return found
