"""PPO (Schulman et al. 2017): learn from the same moves several times, but go only so far each time.

    loss = - mean min(rho A, clip(rho, 1 - c, 1 + c) A) + v (V - return)^2 / 2 - e entropy

where rho is how much likelier a move has become since it was played. The paper on Onitama names it among its wishes.
Everything around the loss is in `policy_learner.py`.
"""

from dataclasses import dataclass
from typing import ClassVar

import jax
from jax import lax

from ludens.core.game import S
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Config
from ludens.learning.policy_learner import PolicyBatch, PolicyConfig, PolicyLearner, PolicyState
from ludens.returns.policy_gradient import clipped_surrogate_loss


@dataclass(frozen=True)
class PPOConfig(PolicyConfig):
    epochs: int = setting(3, "Passes over each rollout.", least=1)
    num_minibatches: int = setting(4, "Minibatches in a pass; an update follows each.", least=1)
    clip_ratio: float = setting(0.2, "How far the probability ratio may leave 1 before a move stops counting.", least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_steps * self.num_envs % self.num_minibatches:
            size = self.num_steps * self.num_envs
            raise ValueError(f"num_steps x num_envs is {size}: expected a multiple of num_minibatches")


class PPO(PolicyLearner[S]):
    name: ClassVar[str] = "ppo"
    config_type: ClassVar[type[Config]] = PPOConfig

    config: PPOConfig

    def learn(self, state: PolicyState, batch: PolicyBatch, key: Key, rate: Array) -> tuple[PolicyState, Array]:
        """`epochs` times through the whole rollout, in a new order each time."""
        config = self.config
        size = len(batch.action) // config.num_minibatches

        def update(state: PolicyState, rows: Array) -> tuple[PolicyState, Array]:
            return self.descend(state, jax.tree.map(lambda x: x[rows], batch), rate)

        orders = jax.vmap(lambda key: jax.random.permutation(key, size * config.num_minibatches))(
            jax.random.split(key, config.epochs)
        )
        # The rollout is not carried through the loop: only the net and its optimizer change.
        rollout = state.rollout
        state, losses = lax.scan(update, state._replace(rollout=None), orders.reshape(-1, size))
        return state._replace(rollout=rollout), losses

    def policy_loss(self, log_probs: Array, advantages: Array, batch: PolicyBatch) -> Array:
        return clipped_surrogate_loss(log_probs, batch.log_prob, advantages, batch.weight, self.config.clip_ratio)
