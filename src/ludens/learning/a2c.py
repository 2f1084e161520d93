"""A2C (Mnih et al. 2016, played side by side instead of asynchronously): one step along the policy gradient.

    loss = - mean log pi(a | s) A + v (V - return)^2 / 2 - e entropy

It learns once from each move, so it looks back often: after a few moves. The paper on Onitama names it among its
wishes. Everything around the loss is in `policy_learner.py`.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludens.core.game import S
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Config
from ludens.learning.policy_learner import PolicyBatch, PolicyConfig, PolicyLearner, PolicyState
from ludens.returns.policy_gradient import policy_gradient_loss


@dataclass(frozen=True)
class A2CConfig(PolicyConfig):
    num_steps: int = setting(16, "T: moves in each game between two updates.", least=1)


class A2C(PolicyLearner[S]):
    name: ClassVar[str] = "a2c"
    config_type: ClassVar[type[Config]] = A2CConfig

    config: A2CConfig

    def learn(self, state: PolicyState, batch: PolicyBatch, key: Key, rate: Array) -> tuple[PolicyState, Array]:
        """One step for the whole rollout."""
        state, losses = self.descend(state, batch, rate)
        return state, losses[None]

    def policy_loss(self, log_probs: Array, advantages: Array, batch: PolicyBatch) -> Array:
        return policy_gradient_loss(log_probs, advantages, batch.weight)
