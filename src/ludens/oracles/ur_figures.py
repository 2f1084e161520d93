"""What else perfect play in Ur implies: how long it lasts, what the first capture decides, and where play can lead.

Where several moves are as good as the best to within `EQUAL`, the one from the lowest square is played. A *turn* is a
throw and what is done with it; a throw of 0 and one after a rosette are turns too. Shapes are those of `ur_sweep.py`.
"""

from functools import partial
from typing import NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.types import Array
from ludens.games.ur import Ur
from ludens.oracles.ur_positions import layout
from ludens.oracles.ur_sweep import Order, Stage, chunk_size, coupled, left_chance, moves_of, rows_of

EQUAL = 1e-9
UNCHANGED = 1e-6
"""A change in expected turns, as a share of them, that ends the sweeps: a few steps of 32 bits. They are then known to
about 0.01."""
OVER, PASS = np.int32(-(2**31)), np.int32(2**31 - 1)
"""Instead of where a throw leads: the game is over; the other side is to move."""


class Figures(NamedTuple):
    """Of positions by number, or of the rows of a stage."""

    turns: Array
    """Expected turns to the end, `float32[...]`."""
    captured: Array
    """The chances that there will be a capture, and that there will be one and whoever makes the first wins,
    `float32[..., 2]`."""


def nothing(size: int) -> Figures:
    return Figures(jnp.zeros(size, jnp.float32), jnp.zeros((size, 2), jnp.float32))


def follow(game: Ur, at: Stage, known: Array, figures: Figures, bounds: Array, course: Order) -> Figures:
    """The figures of a stage, by row, from its bounds and from chances and figures of the stages after it."""
    pieces = cast(int, game.pieces)
    chunk = chunk_size(pieces)
    captured, leads = _play(game, chunk, at, known, figures, bounds.mean(axis=1), course)
    turns, change = jnp.zeros(len(bounds), jnp.float32), np.inf
    while change > UNCHANGED:
        turns, most = _count(game, chunk, at, figures.turns, turns, leads, course)
        change = float(most)
    return Figures(turns, captured)


@partial(jax.jit, static_argnums=(0, 1))
def _play(
    game: Ur, chunk: int, at: Stage, known: Array, figures: Figures, chance: Array, course: Order
) -> tuple[Array, Array]:
    """By rows, what the first capture decides; and where the best move after each throw above 0 leads, in the order of
    the codes, `int32[T, 2, codes]`: a row, `~number` of a position in another stage, `OVER` or `PASS`.

    Up to the first capture pieces only move on, so one sweep is enough.
    """
    throws = [throw for throw, share in enumerate(game.throws) if share and throw]

    def one(i: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        captured, leads = carry
        codes = lax.dynamic_slice(course.codes, (course.starts[i],), (chunk,))
        board_a, board_b = codes >> 16, codes & 0xFFFF
        total = jnp.zeros((2, chunk, 2), jnp.float32)
        passes = jnp.full((2, chunk), game.throws[0], jnp.float32)
        ways = []
        for throw in throws:
            moves = moves_of(game, at, board_a, board_b, throw)
            chances = jnp.concatenate([chance[moves.to], left_chance(at, known, moves)[None]])  # [K + 1, 2, N] of A
            mine = jnp.stack([chances[:, 0], 1 - chances[:, 1]], axis=1)
            mine = jnp.where(jnp.concatenate([moves.moves, moves.leaves[None]]), mine, -jnp.inf)
            best = jnp.argmax(mine >= mine.max(axis=0) - EQUAL, axis=0)[None]  # [1, 2, N]
            leaves = (best == len(chances) - 1)[0]
            inside = jnp.minimum(best, len(chances) - 2)
            to, capture = (jnp.take_along_axis(x, inside, axis=0)[0] for x in (moves.to, moves.captures))
            maker_wins = jnp.take_along_axis(mine, best, axis=0)[0].astype(jnp.float32)
            later = jnp.where(
                leaves[..., None], jnp.where(at.over[:, None, None], 0, figures.captured[moves.left]), captured[to]
            )
            now = jnp.stack([jnp.ones_like(maker_wins), maker_wins], axis=-1)
            share = jnp.float32(game.throws[throw])
            here = jnp.where((capture & ~leaves)[..., None], now, later)
            total += jnp.where(moves.passes[..., None], 0, share * here)
            passes += jnp.where(moves.passes, share, 0)
            out = jnp.where(at.over[:, None], OVER, ~moves.left)
            ways.append(jnp.where(moves.passes, PASS, jnp.where(leaves, out, to)))
        new = coupled(total, passes)
        to = jnp.stack(rows_of(at, board_a, board_b))
        captured = captured.at[to].set(jnp.stack([new, new]))
        return captured, lax.dynamic_update_slice_in_dim(leads, jnp.stack(ways), course.starts[i], axis=2)

    leads = jnp.zeros((len(throws), 2, len(course.codes)), jnp.int32)
    begun = jnp.zeros((len(chance), 2), jnp.float32), leads
    played: tuple[Array, Array] = lax.fori_loop(0, course.chunks, one, begun)
    return played


@partial(jax.jit, static_argnums=(0, 1))
def _count(
    game: Ur, chunk: int, at: Stage, later: Array, turns: Array, leads: Array, course: Order
) -> tuple[Array, Array]:
    """One sweep over the expected turns of a stage, `float32[rows]`, and the most that one has changed, as a share."""
    shares = jnp.array([share for throw, share in enumerate(game.throws) if share and throw], jnp.float32)

    def one(i: Array, turns: Array) -> Array:
        codes = lax.dynamic_slice(course.codes, (course.starts[i],), (chunk,))
        to = lax.dynamic_slice_in_dim(leads, course.starts[i], chunk, axis=2)  # [T, 2, N]
        passes, ends = to == PASS, to == OVER
        inside, outside = turns[jnp.where(passes | (to < 0), 0, to)], later[jnp.where((to >= 0) | ends, 0, ~to)]
        each = jnp.where(passes | ends, 0, jnp.where(to < 0, outside, inside))
        total = 1 + jnp.einsum("t,t...->...", shares, each)
        new = coupled(total, game.throws[0] + jnp.einsum("t,t...->...", shares, passes.astype(jnp.float32)))
        rows = jnp.stack(rows_of(at, codes >> 16, codes & 0xFFFF))
        return turns.at[rows].set(jnp.stack([new, new]))

    new: Array = lax.fori_loop(0, course.chunks, one, turns)
    return new, jnp.where(new > 0, jnp.abs(1 - turns / new), 0).max()


def reached(game: Ur, at: Stage, found: Array, course: Order, start: int, length: int) -> Array:
    """Which positions can arise from the start, `bool[positions]`, with all of one stage added.

    `found` has what the stages before it lead to. The least advanced positions come first, and what captures lead to is
    followed by further sweeps.
    """
    pieces = cast(int, game.pieces)
    met = jnp.zeros(2 * int(layout(pieces).size.max()), bool).at[:length].set(found[start : start + length])
    spent = jnp.zeros(len(course.starts), bool)
    more, before = True, -1
    while more:
        found, met, spent = _spread(game, chunk_size(pieces), at, found, met, spent, course)
        now = int(met.sum())
        more, before = now > before, now
    return found.at[start : start + length].set(met[:length])


@partial(jax.jit, static_argnums=(0, 1), donate_argnums=(3, 4, 5))
def _spread(
    game: Ur, chunk: int, at: Stage, found: Array, met: Array, spent: Array, course: Order
) -> tuple[Array, Array, Array]:
    """One sweep; chunks all of whose positions have been followed before are `spent`."""

    def one(n: Array, carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        found, met, spent = carry
        i = course.chunks - 1 - n
        codes = lax.dynamic_slice(course.codes, (course.starts[i],), (chunk,))
        board_a, board_b = codes >> 16, codes & 0xFFFF
        rows, exchanged = rows_of(at, board_a, board_b)
        here = met[rows] | met[exchanged]  # [2, N]
        throws = [throw for throw, share in enumerate(game.throws) if share]

        def work() -> tuple[Array, Array]:
            inside, outside = [rows, exchanged], []
            for throw in throws:
                if throw == 0:
                    inside.append(rows[::-1])
                    continue
                moves = moves_of(game, at, board_a, board_b, throw)
                inside += list(jnp.where(moves.moves, moves.to, len(met)))
                inside.append(jnp.where(moves.passes, rows[::-1], len(met)))
                outside.append(jnp.where(moves.leaves & ~at.over[:, None], moves.left, len(found)))
            to, out = jnp.stack(inside), jnp.stack(outside)
            return jnp.where(here, to, len(met)), jnp.where(here, out, len(found))

        shapes = jax.eval_shape(work)

        def rest() -> tuple[Array, Array]:
            return jnp.full(shapes[0].shape, len(met), jnp.int32), jnp.full(shapes[1].shape, len(found), jnp.int32)

        to, out = lax.cond(spent[i] | ~here.any(), rest, work)
        met, found = met.at[to].set(True, mode="drop"), found.at[out].set(True, mode="drop")
        return found, met, spent.at[i].set(here.all())

    swept: tuple[Array, Array, Array] = lax.fori_loop(0, course.chunks, one, (found, met, spent))
    return swept
