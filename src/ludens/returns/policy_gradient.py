"""Policy gradients: advantages, losses, entropy.

Shapes: `T` decisions in the order in which they were made, `N` in any order, `A` actions, `P` seats.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax

from ludens.core.types import Array


def gae(
    values: Array, rewards: Array, mover: Array, done: Array, *, gamma: float, gae_lambda: float
) -> tuple[Array, Array]:
    """Generalized advantage estimates (Schulman et al. 2016) `float32[T]`, and which are known, `bool[T]`.

        delta_k = r_k + gamma V(s_k+1) - V(s_k)         A_k = delta_k + gamma lambda A_k+1

    Each seat's decisions are a chain of their own, from one to its next, whatever others do in between; r_k is all that
    the seat is paid until then, and values after the end of a game are 0.

    Values `float32[T]` to the mover, what each seat is paid by each move `float32[T, P]`, the mover `int32[T]`, and
    whether the move ended the game `bool[T]`, after which another begins. The last decision of each seat is not known:
    what comes after it was not recorded. It still tells what the one before it led to.
    """
    seats = jnp.arange(rewards.shape[1])
    nothing = jnp.zeros(rewards.shape[1])

    def back(later: _Later, step: tuple[Array, Array, Array, Array]) -> tuple[_Later, tuple[Array, Array]]:
        value, reward, who, over = step
        mine = seats == who
        last = _Later(nothing, nothing, nothing, jnp.ones(len(seats), jnp.bool_))
        later = _Later(*(jnp.where(over, end, then) for end, then in zip(last, later, strict=True)))
        total = later.reward + reward

        def of_mover(each: Array) -> Array:
            return jnp.where(mine, each, 0).sum()

        known = (mine & later.known).any()
        delta = of_mover(total) + gamma * of_mover(later.value) - value
        advantage = jnp.where(known, delta + gamma * gae_lambda * of_mover(later.advantage), 0.0)
        now = _Later(
            jnp.where(mine, value, later.value),
            jnp.where(mine, advantage, later.advantage),
            jnp.where(mine, 0.0, total),
            later.known | mine,
        )
        return now, (advantage, known)

    unknown = _Later(nothing, nothing, nothing, jnp.zeros(len(seats), jnp.bool_))
    _, found = lax.scan(back, unknown, (values, rewards, mover, done), reverse=True)
    return found


class _Later(NamedTuple):
    """What is known about each seat when looking back from the end, everything `[P]`."""

    value: Array  # of its next decision
    advantage: Array
    reward: Array  # until then
    known: Array  # whether a next decision, or the end of the game, was recorded


def policy_gradient_loss(log_probs: Array, advantages: Array, weights: Array) -> Array:
    """- mean log pi(a | s) A, `float32[]`, of decisions `[N]` by their weights (Williams 1992; Mnih et al. 2016)."""
    return -weighted_mean(log_probs * advantages, weights)


def clipped_surrogate_loss(
    log_probs: Array, old_log_probs: Array, advantages: Array, weights: Array, clip_ratio: float
) -> Array:
    """- mean min(rho A, clip(rho, 1 - c, 1 + c) A), rho = pi / pi_old, `float32[]` (Schulman et al. 2017).

    What has become much likelier, or much less likely, stops counting.
    """
    ratio = jnp.exp(log_probs - old_log_probs)
    clipped = jnp.clip(ratio, 1 - clip_ratio, 1 + clip_ratio)
    return -weighted_mean(jnp.minimum(ratio * advantages, clipped * advantages), weights)


def entropy(log_probs: Array, legal: Array | None = None) -> Array:
    """- sum_a pi(a | s) log pi(a | s) of log-probabilities `float32[..., A]`; illegal actions have none."""
    terms = jnp.exp(log_probs) * log_probs
    return -(terms if legal is None else jnp.where(legal, terms, 0)).sum(axis=-1)


def weighted_mean(values: Array, weights: Array) -> Array:
    """Of `values` `[N]` by `weights` `[N]`, `float32[]`."""
    return (values * weights).sum() / jnp.maximum(weights.sum(), 1.0)


def standardize(values: Array, weights: Array) -> Array:
    """`values` `[N]` with mean 0 and deviation 1 where `weights` `[N]` are not 0."""
    centred = values - weighted_mean(values, weights)
    return centred / (jnp.sqrt(weighted_mean(centred**2, weights)) + 1e-8)
