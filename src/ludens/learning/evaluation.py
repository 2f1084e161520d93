"""Evaluation while learning: whole games against an opponent, compiled, with the weights as an argument.

The arena plays matches that anyone can play again game by game. Here nothing is kept but the counts, so that twenty
learners can be tried in three hundred games each after every hundred games of training.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.game import S, step, where
from ludens.core.player import Player
from ludens.core.types import Array, Key


class Counts(NamedTuple):
    wins: Array  # `int32[]`, as the others
    draws: Array
    losses: Array


@partial(jax.jit, static_argnames=("player", "opponent", "games", "first_only"))
def evaluate(
    player: Player[S], opponent: Player[S], params: Any, other: Any, key: Key, *, games: int, first_only: bool = False
) -> Counts:
    """`games` of `player` with `params` against `opponent` with `other`, who has all other seats.

    It sits in all seats in turn, or always in the first. Games longer than the game's limit are draws.
    """
    game = player.game
    deal, key = jax.random.split(key)
    seats = jnp.zeros(games, jnp.int32) if first_only else jnp.arange(games, dtype=jnp.int32) % game.num_players
    states = jax.vmap(game.init)(jax.random.split(deal, games))
    over_at_first = jax.vmap(game.done)(states)

    def ply(carry: tuple[Array, Any, Array]) -> tuple[Array, Any, Array]:
        number, states, over = carry
        mine, theirs, fates = jax.random.split(jax.random.fold_in(key, number), (3, games))
        turns = jax.vmap(game.player)(states) == seats
        views = jax.vmap(lambda s: game.view(s, game.player(s)))(states)
        ours = _if_any(turns & ~over, lambda: player.act_batch(params, mine, views).action)
        answers = _if_any(~turns & ~over, lambda: opponent.act_batch(other, theirs, views).action)
        after = jax.vmap(lambda s, a, fate: step(game, s, a, fate))(states, jnp.where(turns, ours, answers), fates)
        states = jax.vmap(where)(over, states, after)
        return number + 1, states, jax.vmap(game.done)(states)

    def going_on(carry: tuple[Array, Any, Array]) -> Array:
        return (carry[0] < game.turn_limit) & ~carry[2].all()

    _, states, _ = lax.while_loop(going_on, ply, (jnp.int32(0), states, over_at_first))
    results = jax.vmap(lambda s, seat: game.returns(s)[seat])(states, seats)
    return Counts(*((jnp.sign(results) == outcome).sum(dtype=jnp.int32) for outcome in (1, 0, -1)))


def _if_any(wanted: Array, decide: Callable[[], Array]) -> Array:
    """Decisions `int32[B]`, or any numbers if none is `wanted` (`bool[B]`): where seats alternate, every other ply."""
    decisions: Array = lax.cond(wanted.any(), decide, lambda: jnp.zeros(wanted.shape, jnp.int32))
    return decisions
