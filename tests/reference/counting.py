"""A learner that learns nothing but counts everything: for tests of the loop and of runs."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.game import random_action
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn


@dataclass(frozen=True)
class CountingConfig(Config):
    explode_after: int = 0
    """Games after which the state is no longer finite; 0 for never."""


class Counts(NamedTuple):
    moves: Array
    """Moves seen in all games."""
    ends: Array
    """Games seen to end."""
    longest: Array
    """The most moves a memory has counted."""
    noise: Array
    """A number that depends on every key drawn."""


@dataclass(frozen=True)
class Counting(Learner[Any]):
    name: ClassVar[str] = "counting"
    config_type: ClassVar[type[Config]] = CountingConfig

    config: CountingConfig

    def init(self, key: Key) -> Counts:
        return Counts(jnp.int32(0), jnp.int32(0), jnp.int32(0), jax.random.uniform(key))

    def init_memory(self) -> Array:
        return jnp.int32(0)

    def act(self, state: Counts, memory: Array, views: Any, keys: Key, clock: Clock) -> tuple[Array, Array]:
        return jax.vmap(lambda s, key: random_action(self.game, s, key))(views, keys), memory

    def update(
        self, state: Counts, memory: Array, turn: Turn[Any], key: Key, clock: Clock
    ) -> tuple[Counts, Array, Means]:
        noise = (state.noise * 0.9 + jax.random.uniform(key)) + 0.001 * turn.action.sum()
        limit = self.config.explode_after
        noise = jnp.where((limit > 0) & (clock.games >= limit), jnp.nan, noise)
        counts = Counts(
            state.moves + turn.action.size,
            state.ends + turn.done.sum(dtype=jnp.int32),
            jnp.maximum(state.longest, (memory + 1).max()),
            noise,
        )
        agree = Mean.of((turn.ply == turn.extra).astype(jnp.float32))
        return counts, memory + 1, {"loss": Mean.of(noise[None]), "agree": agree}

    def params(self, state: Counts) -> dict[str, Array]:
        return {"noise": state.noise}

    def agent(self) -> dict[str, Any]:
        return {"kind": "value-net", "hidden": 1, "known_ends": False}
