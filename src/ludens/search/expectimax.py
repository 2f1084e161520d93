"""Expectiminimax: the best move when fate acts between the moves, by looking at everything that can happen.

    value(s, d)   = max over moves a of E(apply(s, a), d - 1), for the side to move
    E(t, 0)       = what the evaluator says of t, before fate acts
    E(t, d)       = sum over outcomes c of chance(t)[c] * value(roll(t, c), d)

with the sign of `core.game.sign` wherever the mover changes; a finished game counts what it brought. Nothing is pruned:
an expectation needs all its terms.

Shapes: `A` actions, `C` outcomes of fate.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S, sign, where
from ludens.core.types import Array


def expectimax(game: Game[S], evaluator: Evaluator[S], params: Any, s: S, *, depth: int) -> Array:
    """Value of each action to the mover, looking `depth` moves ahead, `float32[A]`; -inf where illegal."""
    if game.rolls > 1:
        raise ValueError(f"expectimax cannot search {game.id}, where fate acts in a row: expected one roll at most")
    if depth < 1:
        raise ValueError(f"a search of depth {depth} sees nothing: expected 1 or more")

    def score(s: S, a: Array, d: int) -> Array:
        t = game.apply(s, a)
        return sign(game, s, t) * expected(t, d - 1)

    def scores(s: S, d: int) -> Array:
        """Of the legal actions one after the other; at the last ply, where an action is cheap, of all at once."""
        legal, actions = game.legal(s), jnp.arange(game.num_actions)
        if d == 1:
            return jnp.where(legal, jax.vmap(lambda a: score(s, a, d))(actions), -jnp.inf)

        def next_action(carry: tuple[Array, Array]) -> tuple[Array, Array]:
            left, found = carry
            a = jnp.argmax(left).astype(jnp.int32)
            return left & (actions != a), jnp.where(actions == a, score(s, a, d), found)

        none_yet = jnp.full(game.num_actions, -jnp.inf, jnp.float32)
        return lax.while_loop(lambda carry: carry[0].any(), next_action, (legal, none_yet))[1]

    def value(s: S, d: int) -> Array:
        return jnp.where(game.done(s), evaluator.outcome(s), scores(s, d).max())

    def expected(t: S, d: int) -> Array:
        if d == 0:
            return jnp.where(game.done(t), evaluator.outcome(t), evaluator.value(params, t))
        chance = game.chance(t)
        due = chance.sum() > 0  # if not, the one thing that happens is nothing
        chance = jnp.where(due, chance, jnp.arange(game.num_chance) == 0)

        def after(c: Array) -> Array:
            u = where(due, game.roll(t, c), t)
            return sign(game, t, u) * value(u, d)

        values = jax.vmap(after)(jnp.arange(game.num_chance))
        return jnp.where(chance > 0, chance * values, 0.0).sum()

    return scores(s, depth)
