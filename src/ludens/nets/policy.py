"""A net with two heads: what to do, and what the position is worth."""

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp

from ludens.core.types import Array, Key
from ludens.nets.mlp import MLP, fan_in

TIMID = 0.01  # the policy head's weights at first, in units of the usual: all actions begin about equally likely


EMPHASIS = 10.0
"""What is known about actions is multiplied by this: Adam's steps are as small for these few weights as for all others,
and they have the farthest to go."""


class PolicyNet(eqx.Module):
    """Layers of rectified units that both heads share."""

    trunk: MLP
    policy: MLP
    value: MLP
    shared: Array  # weights `float32[F]` of what is known about each action, the same for all actions; F may be 0

    @classmethod
    def create(cls, key: Key, inputs: int, hidden: Sequence[int], actions: int, told: int = 0) -> "PolicyNet":
        """From `inputs` numbers over `hidden` layers to `actions` preferences and one value.

        The last `actions * told` inputs say something about each action.
        """
        below, upper, worth = jax.random.split(key, 3)
        return cls(
            MLP.create(below, [inputs, *hidden], draw=_rectified, hidden=jax.nn.relu, output=jax.nn.relu),
            MLP.create(upper, [hidden[-1], actions], draw=_timid, hidden=jax.nn.relu),
            MLP.create(worth, [hidden[-1], 1], draw=fan_in, hidden=jax.nn.relu),
            jnp.zeros(told),
        )

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """Preferences (logits) `float32[A]` and the value `float32[]` of inputs `float32[inputs]`."""
        common = self.trunk(x)
        preferences = self.policy(common)
        if self.shared.size:
            told = x[-preferences.size * self.shared.size :].reshape(preferences.size, -1)
            preferences = preferences + EMPHASIS * told @ self.shared
        return preferences, self.value(common)[0]


def _rectified(key: Key, shape: tuple[int, int]) -> Array:
    """Weights that keep the size of signals through rectified units."""
    weights: Array = 2.0**0.5 * fan_in(key, shape)
    return weights


def _timid(key: Key, shape: tuple[int, int]) -> Array:
    weights: Array = TIMID * fan_in(key, shape)
    return weights
