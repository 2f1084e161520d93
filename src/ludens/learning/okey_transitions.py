"""What Okey's actor-critic remembers of a game: transitions from one of its discards to the next (section 3.2).

Between two discards lie the opponents' turns and the learner's own draw. A transition is complete when the learner
throws the next tile or the game ends, whoever ended it. All that the nets see are small whole numbers, kept as `int8`.

Shapes: `B` games, `F` and `D` inputs of the discard and the draw actor.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.types import Array
from ludens.learning.opponents import UNSEATED
from ludens.learning.pending import Pending, Played, put


class OkeyTransition(NamedTuple):
    """From a discard to the next, or to the end."""

    x: Array  # what the learner saw, `int8[F]`
    action: Array  # which of its tiles it threw, `int8[]`
    reward: Array  # what that and the following draw were paid, in units of the largest reward, `float32[]`
    next_x: Array  # what it saw before the next discard, `int8[F]`
    done: Array  # whether the game ended instead, `bool[]`


class WithDraw(NamedTuple):
    transition: OkeyTransition
    draw: Played  # `int8[D]`, and which source it chose, `int8[]`; -1 if it did not draw


class OkeyMemory(NamedTuple):
    seat: Array  # the learner's, `int32[]`
    pending: Pending  # its last discard: `int8[F]`, and which of its tiles it threw, `int8[]`; -1 if none yet
    draw: Played  # the draw since
    turns: Array  # tiles it has thrown, `float32[]`
    paid: Array  # what its draws and its discards have been paid by section 3.1, `float32[2]`


class OkeyActed(NamedTuple):
    """What was seen and decided, everything `[B]`; what nobody decided is any number."""

    seat: Array  # the learner's, `int32[B]`
    draws: Array  # whether the learner drew, `bool[B]`
    throws: Array  # whether it threw a tile, `bool[B]`
    discard: Played
    draw: Played
    entropy: Array  # of the discard actor, `float32[B]`


def no_memory(drawing: int, discarding: int) -> OkeyMemory:
    """Of a game that has just begun, for actors with so many inputs."""
    none = jnp.asarray(-1, jnp.int8)
    discard, draw = (Played(jnp.zeros(inputs, jnp.int8), none) for inputs in (discarding, drawing))
    seat = jnp.asarray(UNSEATED, jnp.int32)
    return OkeyMemory(seat, Pending(discard, jnp.float32(0)), draw, jnp.float32(0), jnp.zeros(2))


def after(
    memory: OkeyMemory, did: OkeyActed, done: Array, points: Array, reward: Array, result: Array
) -> tuple[OkeyMemory, WithDraw, Array]:
    """Memories `[B]` after a move in each game, transitions `[2 B]`, and which of them are complete, `bool[2 B]`.

    done `bool[B]`; what section 3.1 pays for the learner's act, what the learner is paid for it, and what for the end
    of the game: `float32[B]` each. The first B transitions end with this discard, the others with the game.
    """
    before = memory.pending
    pending = before.follow(did.throws, did.discard, jnp.where(did.draws | did.throws, reward, 0))
    drawn = put(did.draws, did.draw, memory.draw)
    draw = Played(drawn.x, jnp.where(did.throws & ~did.draws, -1, drawn.action))
    was, now = before.decision, pending.decision
    next_x, end_x = did.discard.x, jnp.zeros_like(did.discard.x)
    to_the_next = OkeyTransition(was.x, was.action, before.reward, next_x, jnp.zeros_like(done))
    to_the_end = OkeyTransition(now.x, now.action, pending.reward + result, end_x, done)
    both = WithDraw(to_the_next, memory.draw), WithDraw(to_the_end, Played(draw.x, jnp.full_like(draw.action, -1)))
    transitions: WithDraw = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), *both)
    complete = jnp.concatenate([did.throws & (was.action >= 0), done & (now.action >= 0)])
    paid = memory.paid + jnp.where(jnp.stack([did.draws, did.throws], axis=1), points[:, None], 0)
    return OkeyMemory(did.seat, pending, draw, memory.turns + did.throws, paid), transitions, complete
