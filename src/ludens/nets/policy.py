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


class ActionNet(eqx.Module):
    """Weighs each action by what is known about it, all by the same weights, in the light of the whole position.

    What the position looks like goes through layers of rectified units, together with the sum and the largest of each
    feature over the actions; the value comes from there. A small net sees this and an action's features, and adds to
    their weighted sum, with which the preferences begin.
    """

    trunk: MLP
    value: MLP
    scorer: MLP
    prior: Array  # weights `float32[F]` of features in an action's preference
    features: int = eqx.field(static=True)

    @classmethod
    def create(cls, key: Key, inputs: int, hidden: Sequence[int], actions: int, prior: Array) -> "ActionNet":
        """From `inputs` numbers, the last `actions * F` of them features of actions that `prior` (`[F]`) weighs."""
        below, worth, each = jax.random.split(key, 3)
        told = len(prior)
        seen = inputs - actions * told + 2 * told
        units = hidden[-1] // 4 or 1
        scorer = MLP.create(each, [told + hidden[-1], units, units, 1], draw=_rectified, hidden=jax.nn.relu)
        *layers, last = scorer.weights
        return cls(
            MLP.create(below, [seen, *hidden], draw=_rectified, hidden=jax.nn.relu, output=jax.nn.relu),
            MLP.create(worth, [hidden[-1], 1], draw=_timid, hidden=jax.nn.relu),
            eqx.tree_at(lambda net: net.weights, scorer, (*layers, TIMID * last)),
            jnp.asarray(prior, jnp.float32) / EMPHASIS,
            told,
        )

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """Preferences (logits) `float32[A]` and the value `float32[]` of inputs `float32[inputs]`."""
        seen = (self.trunk.weights[0].shape[1] - 1) - 2 * self.features
        told = x[seen:].reshape(-1, self.features)  # [A, F]
        common = self.trunk(jnp.concatenate([x[:seen], told.sum(axis=0) / 10, told.max(axis=0)]))
        # The part of the scorer's first layer that all actions have in common is worked out once.
        first, *others = self.scorer.weights
        shared = first[:, self.features : -1] @ common + first[:, -1]
        each = jax.nn.relu(told @ first[:, : self.features].T + shared)  # [A, units]
        for weights in others[:-1]:
            each = jax.nn.relu(each @ weights[:, :-1].T + weights[:, -1])
        scores = each @ others[-1][0, :-1] + others[-1][0, -1]
        return scores + EMPHASIS * told @ self.prior, self.value(common)[0]


def _rectified(key: Key, shape: tuple[int, int]) -> Array:
    """Weights that keep the size of signals through rectified units."""
    weights: Array = 2.0**0.5 * fan_in(key, shape)
    return weights


def _timid(key: Key, shape: tuple[int, int]) -> Array:
    weights: Array = TIMID * fan_in(key, shape)
    return weights
