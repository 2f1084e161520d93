"""What DDPG remembers: the last turn of each seat while a game goes on, and whole transitions in the replay.

A transition goes from one own turn to the next (onitama.txt, section 4.3): what the opponent does in between is part of
the world. A turn completes the transition that began with the mover's last one and, if it ends the game, one of each
seat, whoever ended it. A game that was cut short has no result: what its last turns led to is not known, and they are
not learned from.

Shapes: `B` games, `P` seats, `W` words of a transition.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.game import Game
from ludens.core.types import Array
from ludens.learning.learner import Turn
from ludens.learning.opponents import UNSEATED


class Transition(NamedTuple):
    """From a turn of a seat to its next one; every number has 32 bits, see `in_words`."""

    s: Any
    number: Array
    """The action taken, as the encoding numbers it, `int32[]`."""
    reward: Array
    """`float32[]`."""
    then: Any
    """The next turn; anything if the game is over."""
    over: Array
    """1 if the game ended before, else 0, `int32[]`."""


class Memory(NamedTuple):
    """Of a game under way: who the learner is, and the last turn of each seat, which waits for what comes of it."""

    seat: Array
    """`int32[]`."""
    s: Any
    """`[P]`."""
    number: Array
    """What was done, `int32[P]`; -1 before the first turn."""


def blank(game: Game[Any]) -> Transition:
    """The shape of a transition, as a pytree of `ShapeDtypeStruct`."""

    def example() -> Transition:
        s = game.init(jax.random.key(0))
        return Transition(s, jnp.int32(0), jnp.float32(0), s, jnp.int32(0))

    shape: Transition = jax.eval_shape(example)
    return shape


def begin(game: Game[Any]) -> Memory:
    """Of a game in which nobody has a seat and nobody has moved."""
    seats = game.num_players
    nowhere = jax.tree.map(lambda x: jnp.zeros((seats, *x.shape), x.dtype), blank(game).s)
    return Memory(jnp.int32(UNSEATED), nowhere, jnp.full(seats, -1, jnp.int32))


def complete(
    game: Game[Any], memory: Memory, numbers: Array, turn: Turn[Any], every_seat: bool
) -> tuple[Memory, Transition, Array]:
    """Memories `[B]` after a turn that played `numbers` (`int32[B]`), transitions `[B (1 + P)]`, and which count.

    Those do that are complete, and of the learner's seat unless those of `every_seat` are wanted.
    """
    seats = jnp.arange(game.num_players)
    mover = seats == jax.vmap(game.player)(turn.s)[:, None]  # [B, P]
    wanted = (seats == memory.seat[:, None]) | every_seat

    def of_mover(each: Array) -> Array:
        """`[B, ...]` of `[B, P, ...]`."""
        return jnp.where(_like(mover, each), each, 0).sum(axis=1, dtype=each.dtype)

    nothing = jnp.zeros_like(numbers)
    before = Transition(
        s=jax.tree.map(of_mover, memory.s),
        number=of_mover(memory.number),
        reward=nothing.astype(jnp.float32),
        then=turn.s,
        over=nothing,
    )
    begun = (mover & wanted & (memory.number >= 0)).any(axis=1)
    memory = Memory(
        seat=memory.seat,
        s=jax.tree.map(lambda old, new: jnp.where(_like(mover, old), new[:, None], old), memory.s, turn.s),
        number=jnp.where(mover, numbers[:, None], memory.number),
    )
    last = Transition(memory.s, memory.number, turn.returns, memory.s, jnp.ones_like(memory.number))
    last = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), last)  # [B P]
    ended = jax.vmap(game.done)(turn.t)[:, None] & wanted & (memory.number >= 0)  # [B, P]
    lived = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), before, last)
    return memory, lived, jnp.concatenate([begun, ended.reshape(-1)])


def in_words(items: Any) -> Array:
    """A pytree of arrays of 32 bits, `[M, ...]`, side by side: `uint32[M, W]`.

    One array instead of twenty: on an accelerator each would be a kernel of its own, whenever the replay is touched.
    """
    parts = [lax.bitcast_convert_type(x, jnp.uint32).reshape(len(x), -1) for x in jax.tree.leaves(items)]
    return jnp.concatenate(parts, axis=1)


def from_words(words: Array, shapes: Any) -> Any:
    """The reverse of `in_words`, for items of these `shapes`."""
    leaves, tree = jax.tree.flatten(shapes)
    parts = jnp.split(words, np.cumsum([leaf.size for leaf in leaves])[:-1], axis=1)
    found = [
        lax.bitcast_convert_type(part.reshape(len(words), *leaf.shape), leaf.dtype)
        for part, leaf in zip(parts, leaves, strict=True)
    ]
    return jax.tree.unflatten(tree, found)


def _like(mask: Array, each: Array) -> Array:
    """`mask` (`bool[B, P]`) with as many axes as `each` (`[B, P, ...]`)."""
    return mask.reshape(mask.shape + (1,) * (each.ndim - 2))
