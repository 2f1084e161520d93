"""A2C (Mnih et al. 2016, played side by side instead of asynchronously): one step along the policy gradient.

    loss = - mean log pi(a | s) A + v (V - return)^2 / 2 - e entropy

It learns once from each move, so it looks back often: after a few moves. The paper on Onitama names it among its
wishes. Everything around the loss is in `policy_learner.py`.
"""

from dataclasses import dataclass
from typing import ClassVar

import jax

from ludens.core.game import S
from ludens.core.types import Array, Key
from ludens.learning.learner import Config, Mean, Means
from ludens.learning.policy_learner import (
    Lesson,
    PolicyConfig,
    PolicyLearner,
    PolicyState,
    standardized,
    weighted,
)
from ludens.nets.policy import PolicyNet


@dataclass(frozen=True)
class A2CConfig(PolicyConfig):
    """The settings."""

    steps: int = 16
    """T: moves in each game between two looks back."""


class A2C(PolicyLearner[S]):
    """Advantage actor-critic."""

    name: ClassVar[str] = "a2c"
    config_type: ClassVar[type[Config]] = A2CConfig

    config: A2CConfig

    def learn(self, state: PolicyState, lessons: Lesson, key: Key, rate: Array) -> tuple[PolicyState, Means]:
        """One step for all lessons together."""
        (_, figures), slopes = jax.value_and_grad(self._loss, has_aux=True)(state.net, lessons)
        names = ("policy_loss", "value_loss", "entropy")
        return self.improved(state, slopes, rate), {
            name: Mean.of(figure[None]) for name, figure in zip(names, figures, strict=True)
        }

    def _loss(self, net: PolicyNet, lessons: Lesson) -> tuple[Array, tuple[Array, Array, Array]]:
        likelihood, value, undecided = self.look(net, lessons)
        policy = -weighted(likelihood * standardized(lessons.advantage, lessons.counts), lessons.counts)
        error = weighted((value - lessons.value - lessons.advantage) ** 2, lessons.counts) / 2
        entropy = weighted(undecided, lessons.counts)
        return policy + self.config.value_weight * error - self.config.entropy * entropy, (policy, error, entropy)
