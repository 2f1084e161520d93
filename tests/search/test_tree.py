"""Trees for learning, beside mctx's: the same search by somebody else's code."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest

from ludens.core.game import random_action, sign, step
from ludens.core.types import Array, Key
from ludens.games import make
from ludens.search.mcts import gumbel_search, halving_schedule, movers_view

GAME = make("chung-toi")
LANES, SIMULATIONS = 64, 24


def opinion(params: Any, s: Any) -> tuple[Array, Array]:
    """Logits and a value that look random but are the same whenever they are asked for."""
    seed = s.own * 7919 + s.other * 104729 + s.diagonal * 1299709
    key = jax.random.key(seed)
    logits, value = jax.random.normal(key, (GAME.num_actions,)), jax.random.uniform(jax.random.fold_in(key, 1))
    return logits, 2 * value - 1


@pytest.fixture(scope="module")
def positions() -> Any:
    """After 0 to 15 random moves."""

    def play(key: Key, moves: Array) -> Any:
        def move(i: Array, s: Any) -> Any:
            t = step(GAME, s, random_action(GAME, s, jax.random.fold_in(key, i)), key)
            keep = (i >= moves) | GAME.done(t)
            return jax.tree.map(lambda old, new: jnp.where(keep, old, new), s, t)

        return jax.lax.fori_loop(0, 16, move, GAME.init(key))

    return jax.jit(jax.vmap(play))(jax.random.split(jax.random.key(3), LANES), jnp.arange(LANES) % 16)


def by_mctx(roots: Any) -> Any:
    """mctx sees values as the side to move does, which alternates: a step's discount is -1."""

    def expand(params: Any, key: Key, action: Array, states: Any) -> Any:
        def one(s: Any, a: Array) -> Any:
            t = GAME.apply(s, a)
            over = GAME.done(s)
            logits, value = opinion(None, t)
            logits = jnp.where(GAME.legal(t), logits, jnp.finfo(jnp.float32).min)
            done = GAME.done(t)
            reward = jnp.where(over, 0.0, GAME.returns(t)[GAME.player(s)])
            discount = jnp.where(done, 0.0, sign(GAME, s, t))
            value = jnp.where(done, 0.0, value)
            return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), t

        return jax.vmap(one)(states, action)

    logits, value = jax.vmap(partial(opinion, None))(roots)
    return mctx.gumbel_muzero_policy(
        None,
        jax.random.key(0),
        mctx.RootFnOutput(prior_logits=logits, value=value, embedding=roots),
        expand,
        SIMULATIONS,
        invalid_actions=~jax.vmap(GAME.legal)(roots),
        max_num_considered_actions=8,
        gumbel_scale=0.0,
    )


def test_a_search_finds_what_mctx_finds(positions: Any) -> None:
    keys = jax.random.split(jax.random.key(1), LANES)
    search = partial(gumbel_search, simulations=SIMULATIONS, considered=8, gumbel_scale=0.0)
    ours = jax.jit(lambda keys, s: search(GAME, movers_view(GAME, opinion), None, keys, s))(keys, positions)
    theirs = jax.jit(by_mctx)(positions)
    np.testing.assert_array_equal(ours.action, theirs.action)
    np.testing.assert_allclose(ours.policy, theirs.action_weights, atol=2e-4)
    assert (jnp.abs(ours.value) <= 1).all()


def test_actions_drop_out_by_halves() -> None:
    """16 simulations for 4 actions: two rounds of 8, each action twice, then the better two four times each."""
    schedule = halving_schedule(4, 16)
    assert schedule[4].tolist() == [0] * 4 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5, 5]
    assert schedule[1].tolist() == list(range(16))
    assert schedule.shape == (5, 16)
