"""Random positions for tests of searches."""

from typing import Any

import jax
import numpy as np

from ludens.core.game import Game, random_action, step
from ludens.core.types import Key


def open_positions(game: Game[Any], count: int, *, longest: int, seed: int) -> Any:
    """`count` positions `[count]` that are still open, each after 0 to `longest - 1` random moves."""

    def walk(key: Key) -> Any:
        start, *keys = jax.random.split(key, longest + 1)

        def move(s: Any, key: Key) -> tuple[Any, Any]:
            choose, fate = jax.random.split(key)
            return step(game, s, random_action(game, s, choose), fate), (s, game.done(s))

        return jax.lax.scan(move, game.init(start), jax.numpy.stack(keys))[1]

    walks, done = jax.jit(jax.vmap(walk))(jax.random.split(jax.random.key(seed), count))
    flat = jax.tree.map(lambda x: np.asarray(x).reshape(-1, *x.shape[2:]), walks)
    still_open = np.flatnonzero(~np.asarray(done))
    chosen = np.random.default_rng(seed).choice(still_open, count, replace=False)
    return jax.tree.map(lambda x: x[chosen], flat)
