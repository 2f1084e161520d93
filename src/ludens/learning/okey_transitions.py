"""What Okey's actor-critic remembers of a game: transitions from one of its discards to the next (section 3.2).

Between two discards lie the opponents' turns and the learner's own draw. A transition is complete when the learner
throws the next tile or the game ends, whoever ended it.

Shapes: `B` games, `F` and `D` inputs of the discard and the draw actor.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.types import Array
from ludens.learning.opponents import UNSEATED


class Thrown(NamedTuple):
    """A transition: from a discard to the next, or to the end."""

    x: Array
    """What the learner saw, `int8[F]`: all that it sees are small whole numbers."""
    place: Array
    """Which of its tiles it threw, `int8[]`; -1 if none yet."""
    earned: Array
    """What that and the following draw were paid, in units of the largest reward, `float32[]`."""
    then: Array
    """What it saw before the next discard, `int8[F]`."""
    done: Array
    """Whether the game ended instead, `bool[]`."""


class Drawn(NamedTuple):
    """The draw in a transition."""

    x: Array
    """What the learner saw, `int8[D]`."""
    output: Array
    """Which source it chose, `int8[]`; -1 if it did not draw."""


class Lived(NamedTuple):
    """A transition and the draw in it."""

    thrown: Thrown
    drawn: Drawn


class Memory(NamedTuple):
    """Of a game under way."""

    seat: Array
    """The learner's, `int32[]`."""
    lived: Lived
    """The transition that is not complete yet."""
    turns: Array
    """Tiles it has thrown, `float32[]`."""
    paid: Array
    """What its draws and its discards have been paid by section 3.1, `float32[2]`."""


class Acted(NamedTuple):
    """What was seen and decided, everything `[B]`; what nobody decided is any number."""

    seat: Array
    """The learner's, `int32[B]`."""
    draws: Array
    """Whether the learner drew, `bool[B]`."""
    throws: Array
    """Whether it threw a tile, `bool[B]`."""
    x: Array
    """What the discard actor saw, `int8[B, F]`."""
    place: Array
    """What it threw, `int8[B]`."""
    drawing: Array
    """What the draw actor saw, `int8[B, D]`."""
    output: Array
    """What it chose, `int8[B]`."""
    entropy: Array
    """How undecided the discard actor was, `float32[B]`."""


def nothing(drawing: int, discarding: int) -> Memory:
    """Of a game that has just begun, for actors with so many inputs: no seat, and nothing done."""
    x, none = jnp.zeros(discarding, jnp.int8), jnp.asarray(-1, jnp.int8)
    thrown = Thrown(x, none, jnp.float32(0), x, jnp.bool_(False))
    lived = Lived(thrown, Drawn(jnp.zeros(drawing, jnp.int8), none))
    return Memory(jnp.asarray(UNSEATED, jnp.int32), lived, jnp.float32(0), jnp.zeros(2))


def after(
    memory: Memory, did: Acted, done: Array, points: Array, earned: Array, result: Array
) -> tuple[Memory, Lived, Array]:
    """Memories `[B]` after a move in each game, transitions `[2 B]`, and which of them are complete, `bool[2 B]`.

    done `bool[B]`; what section 3.1 pays for the learner's act, what the learner is paid for it, and what for the end
    of the game: `float32[B]` each. The first B transitions end with this discard, the others with the game.
    """
    before = memory.lived
    acts = did.draws | did.throws
    thrown = Thrown(
        x=jnp.where(did.throws[:, None], did.x, before.thrown.x),
        place=jnp.where(did.throws, did.place, before.thrown.place),
        earned=jnp.where(did.throws, 0, before.thrown.earned) + jnp.where(acts, earned, 0),
        then=before.thrown.then,
        done=before.thrown.done,
    )
    drawn = Drawn(
        x=jnp.where(did.draws[:, None], did.drawing, before.drawn.x),
        output=jnp.where(did.draws, did.output, jnp.where(did.throws, -1, before.drawn.output)),
    )
    to_the_next = Lived(before.thrown._replace(then=did.x), before.drawn)
    to_the_end = Lived(
        thrown._replace(earned=thrown.earned + result, done=done),
        drawn._replace(output=jnp.full_like(drawn.output, -1)),
    )
    lived: Lived = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), to_the_next, to_the_end)
    complete = jnp.concatenate([did.throws & (before.thrown.place >= 0), done & (thrown.place >= 0)])
    paid = memory.paid + jnp.where(jnp.stack([did.draws, did.throws], axis=1), points[:, None], 0)
    return Memory(did.seat, Lived(thrown, drawn), memory.turns + did.throws, paid), lived, complete
