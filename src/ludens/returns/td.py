"""Targets of temporal-difference learning, one function for each equation, for one decision; `vmap` for more.

Where two sides move in turn, r is all that a seat is paid from its decision s to its next one, s'. A game that is over
has no legal action in s', and its value is 0.
"""

from typing import TypeVar

import jax
import jax.numpy as jnp

from ludens.core.types import Array

T = TypeVar("T")


def td_error(reward: Array, gamma: float, next_value: Array, value: Array) -> Array:
    """delta = r + gamma V(s') - V(s)."""
    return reward + gamma * next_value - value


def q_learning_target(reward: Array, gamma: float, q_values: Array, legal: Array) -> Array:
    """r + gamma max_a Q(s', a) (Watkins and Dayan 1992); Q(s', .) `float32[A]`, legal `bool[A]`."""
    return reward + gamma * _best(q_values, legal)


def double_q_target(reward: Array, gamma: float, q_values: Array, selector: Array, legal: Array) -> Array:
    """r + gamma Q'(s', argmax_a Q(s', a)) (van Hasselt et al. 2016); Q' `q_values`, Q `selector`, `float32[A]` each."""
    chosen = q_values[jnp.argmax(jnp.where(legal, selector, -jnp.inf))]
    return reward + gamma * jnp.where(legal.any(), chosen, 0)


def sarsa_target(reward: Array, gamma: float, q_values: Array, action: Array) -> Array:
    """r + gamma Q(s', a'), a' being what is played in s' (Rummery and Niranjan 1994)."""
    return reward + gamma * q_values[action]


def expected_sarsa_target(reward: Array, gamma: float, q_values: Array, legal: Array, epsilon: float) -> Array:
    """r + gamma sum_a pi(a | s') Q(s', a), pi being epsilon-greedy (van Seijen et al. 2009)."""
    mean = jnp.where(legal, q_values, 0).sum() / legal.sum()
    return reward + gamma * ((1 - epsilon) * _best(q_values, legal) + epsilon * mean)


def minimax_q_target(reward: Array, gamma: float, q_values: Array, legal: Array, same_side: Array) -> Array:
    """r - gamma max_a Q(s', a), and plus where the `same_side` (`bool[]`) moves again (Littman 1994)."""
    best = _best(q_values, legal)
    return reward + gamma * jnp.where(same_side, best, -best)


def lambda_return(reward: Array, gamma: float, lambda_: float, next_value: Array, next_return: Array) -> Array:
    """G = r + gamma ((1 - lambda) Q(s', a') + lambda G'); lambda 1 is Monte Carlo, 0 is Sarsa."""
    return reward + gamma * ((1 - lambda_) * next_value + lambda_ * next_return)


def accumulate_trace(trace: T, grads: T, lambda_: float) -> T:
    """e(t) = lambda e(t-1) + grad V(s_t), of every weight (Sutton 1988)."""
    traces: T = jax.tree.map(lambda e, g: lambda_ * e + g, trace, grads)
    return traces


def soft_update(net: T, target: T, tau: float) -> T:
    """theta' <- tau theta + (1 - tau) theta' (Lillicrap et al. 2015)."""
    closer: T = jax.tree.map(lambda new, old: tau * new + (1 - tau) * old, net, target)
    return closer


def _best(q_values: Array, legal: Array) -> Array:
    return jnp.where(legal.any(), jnp.where(legal, q_values, -jnp.inf).max(), 0)
