"""PPO (Schulman et al. 2017): learn from the same moves several times, but go only so far each time.

    loss = - mean min(rho A, clip(rho, 1 - c, 1 + c) A) + v (V - return)^2 / 2 - e entropy

where rho is how much likelier a move has become since it was played. The paper on Onitama names it among its wishes.
Everything around the loss is in `policy_learner.py`.
"""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.game import S
from ludens.core.types import Array, Key
from ludens.learning.learner import Config
from ludens.learning.policy_learner import PolicyConfig, PolicyLearner, PolicyState
from ludens.learning.policy_lessons import Lesson, weighted


@dataclass(frozen=True)
class PPOConfig(PolicyConfig):
    """The settings."""

    epochs: int = 3
    """Times that everything is learned from."""
    batches: int = 4
    """Parts into which it is cut each time; an update follows each."""
    clip: float = 0.2
    """c: how much likelier or less likely a move may become before it stops counting."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("epochs", "batches"):
            self.at_least(name, 1)
        self.at_least("clip", 0)
        if self.steps * self.num_envs % self.batches:
            raise ValueError(f"steps x num_envs is {self.steps * self.num_envs}: expected a multiple of batches")


class PPO(PolicyLearner[S]):
    """Clipped policy gradients."""

    name: ClassVar[str] = "ppo"
    config_type: ClassVar[type[Config]] = PPOConfig

    config: PPOConfig

    def learn(self, state: PolicyState, lessons: Lesson, key: Key, rate: Array) -> tuple[PolicyState, Array]:
        """`epochs` times through all lessons, in a new order each time."""
        config = self.config
        size = len(lessons.action) // config.batches

        def update(state: PolicyState, some: Array) -> tuple[PolicyState, Array]:
            return self.improved_by(state, jax.tree.map(lambda x: x[some], lessons), rate)

        orders = jax.vmap(lambda key: jax.random.permutation(key, size * config.batches))(
            jax.random.split(key, config.epochs)
        )
        # The moves played are not carried through the loop: only the net and its optimizer change.
        kept = state.moves
        state, parts = lax.scan(update, state._replace(moves=None), orders.reshape(-1, size))
        return state._replace(moves=kept), parts

    def policy_loss(self, likelihood: Array, advantage: Array, lessons: Lesson) -> Array:
        """Clipped: what has become much likelier, or much less likely, stops counting."""
        ratio = jnp.exp(likelihood - lessons.likelihood)
        clipped = jnp.clip(ratio, 1 - self.config.clip, 1 + self.config.clip)
        return -weighted(jnp.minimum(ratio * advantage, clipped * advantage), lessons.counts)
