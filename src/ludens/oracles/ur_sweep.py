"""Ur, solved stage by stage: sweeps over all positions of a stage, moves computed where they are needed.

A stage (`ur_positions.py`) is how many pieces are home on each side; a game only ever goes on to the next. Within it a
move that captures nothing brings a piece forward, so a sweep goes from the most advanced *level* (squares gone by all
pieces together) to the least: what such a move leads to has just been improved. Only captures lead backwards, and
passes stay on the level: they couple a position with itself, the other side to move, and these two equations are
solved together. So a sweep is as good as playing on until the next capture, and some 50 sweeps are enough.

Shapes: `N` positions of a chunk, `2` sides to move (A, B), `T` throws, `K` moves. Chances here are those of A.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.types import Array
from ludens.games.ur import State, Ur
from ludens.oracles.ur_positions import Rows, boards, layout, place, rows

CHUNK = {"cpu": 2048}
"""Positions treated together: what a core's cache holds; accelerators want more."""
LARGE_CHUNK = 1 << 16
LEVELS = 256
"""More than a stage has."""
MOST_SWEEPS = 20_000
"""More than bounds need to meet: 30 to 60 as a rule."""
SETTLED = 0.5
"""Of the gap that is aimed at: a chunk whose bounds are so near is not swept again. That the rest stops at a larger gap
keeps it from creeping towards one that it never reaches."""

Tell: TypeAlias = Callable[[float], None]


class Stage(NamedTuple):
    """One stage and where it leads."""

    home: Array
    """Pieces home, A's and B's, `int32[2]`."""
    size: Array
    """Its places, `int32[]`: the position with B to move is so many rows further."""
    here: Rows
    after: Rows
    """Of the stages after A, or B, has brought a piece home, `[2]`."""
    first: Array
    """The numbers of their first positions with the other side to move, `int32[2]`."""
    over: Array
    """Whether that ends the game, `bool[2]`."""
    even: Array
    """Whether both have as many home, `bool[]`: then it is enough to sweep half of it, and B, once ahead, is A."""


def stage(pieces: int, a: int, b: int) -> Stage:
    """The stage with so many of A's and of B's pieces home, `a >= b`."""
    where, even = layout(pieces), a == b
    to_a, to_b = (a + 1, b), (a + 1, b) if even else (a, b + 1)
    firsts = [
        0 if to[0] == pieces else where.stage[to] + (where.size[to] if second else 0)
        for to, second in ((to_a, True), (to_b, even))
    ]
    after: Rows = jax.tree.map(lambda *each: np.stack(each), rows(pieces, *to_a), rows(pieces, *to_b))
    on_device: tuple[Rows, Rows] = jax.tree.map(jnp.asarray, (rows(pieces, a, b), after))
    return Stage(
        home=jnp.array([a, b], jnp.int32),
        size=jnp.int32(where.size[a, b]),
        here=on_device[0],
        after=on_device[1],
        first=jnp.array(firsts, jnp.int32),
        over=jnp.array([a + 1 == pieces, b + 1 == pieces]),
        even=jnp.bool_(even),
    )


class Order(NamedTuple):
    """How a stage is swept. All stages of a variant have the same shapes, so that everything is compiled once."""

    codes: Array
    """A's and B's squares in 16 bits each, the most advanced first, `uint32[most + CHUNK]`; the last is repeated."""
    starts: Array
    """Where chunks begin, `int32[most chunks]`; one may reach into the next level, which does no harm."""
    chunks: int
    """How many chunks there are."""


def chunk_size(pieces: int) -> int:
    """No more than some parts of the largest level."""
    most = CHUNK.get(jax.default_backend(), LARGE_CHUNK)
    return min(most, 1 << max(6, int(layout(pieces).size[0, 0]).bit_length() - 6))


def order(pieces: int, a: int, b: int) -> Order:
    board_a, board_b = boards(pieces, a, b)
    squares = np.arange(1 << 15)
    gone = sum(((squares >> i & 1) * i for i in range(1, 15)), start=np.zeros_like(squares)).astype(np.uint8)
    behind = 255 - (gone[board_a] + gone[board_b])  # both at most 77 with seven pieces
    codes = board_a.astype(np.uint32) << 16 | board_b
    if a == b:
        half = board_a >= board_b
        codes, behind = codes[half], behind[half]
    codes = codes[np.argsort(behind, kind="stable")]
    chunk, most = chunk_size(pieces), int(layout(pieces).size.max())
    ends = np.cumsum(np.bincount(behind, minlength=256))
    starts = np.concatenate(
        [np.arange(end - n, end, chunk) for end, n in zip(ends, np.diff(ends, prepend=0), strict=True)]
    )
    room = most // chunk + LEVELS
    return Order(
        codes=jnp.asarray(np.pad(codes, (0, most + chunk - len(codes)), mode="edge")),
        starts=jnp.asarray(np.pad(starts, (0, room - len(starts))).astype(np.int32)),
        chunks=len(starts),
    )


# ---------------------------------------------------------------------- moves


class Moves(NamedTuple):
    """What a throw allows in positions `[2, N]`."""

    passes: Array
    """Whether there is no move, `bool[2, N]`."""
    leaves: Array
    """Whether a piece can leave the board, `bool[2, N]`; no more than one can."""
    left: Array
    """The number of the position after that, in the table of all stages, `int32[2, N]`; 0 if none can."""
    moves: Array
    """Whether there is a `k`-th move within the stage, `bool[K, 2, N]`."""
    to: Array
    """The row it leads to, `int32[K, 2, N]`; 0 if there is none."""
    captures: Array
    """Whether it captures, `bool[K, 2, N]`."""


def _positions(at: Stage, board_a: Array, board_b: Array, throw: int) -> State:
    """With either side to move, `[2, N]`; A sits first."""
    own, other = jnp.stack([board_a, board_b]), jnp.stack([board_b, board_a])
    home = jnp.broadcast_to(at.home[:, None], own.shape)
    seat = jnp.broadcast_to(jnp.arange(2, dtype=jnp.int32)[:, None], own.shape)
    return State(own, other, home, home[::-1], jnp.full(own.shape, throw, jnp.int32), seat)


def _each(options: Array, count: int) -> tuple[Array, Array]:
    """The actions among the bits of `options` `uint32[...]`, lowest first, `int32[count, ...]`; and which there are."""
    actions, there = [], []
    for _ in range(count):
        lowest = options & (~options + 1)
        actions.append(lax.population_count(lowest - 1).astype(jnp.int32) & 15)
        there.append(options != 0)
        options = options ^ lowest
    return jnp.stack(actions), jnp.stack(there)


def moves_of(game: Ur, at: Stage, board_a: Array, board_b: Array, throw: int) -> Moves:
    """For positions given by their boards, `uint32[N]`, and a throw above 0."""
    s = _positions(at, board_a, board_b, throw)
    each = jax.vmap(jax.vmap(game.options))
    options, off = each(s), jnp.uint32(1 << 15 - throw)
    leaves = (options & off) != 0
    rest = s.own & ~off
    # Who was not ahead and now is, is called A from then on.
    first = jnp.stack([rest[0], jnp.where(at.even, rest[1], board_a)])
    second = jnp.stack([board_b, jnp.where(at.even, board_a, rest[1])])
    left = jax.vmap(place)(at.after, first, second) + at.first[:, None]
    actions, there = _each(options & ~off & 0x7FFF, cast(int, game.pieces))
    t = jax.vmap(lambda a: jax.vmap(jax.vmap(game.apply))(s, a))(actions)
    same = t.turn == s.turn
    after_a, after_b = jnp.where(t.turn == 0, t.own, t.other), jnp.where(t.turn == 0, t.other, t.own)
    to = place(at.here, after_a, after_b) + t.turn * at.size
    # Computed once: what is gathered by it would otherwise compute it again for each column.
    apart: tuple[Array, Array] = lax.optimization_barrier((jnp.where(leaves, left, 0), jnp.where(there, to, 0)))  # type: ignore[no-untyped-call]  # as jax has it
    left, to = apart
    return Moves((options >> 15) != 0, leaves, left, there, to, jnp.where(same, t.other, t.own) != s.other)


def left_chance(at: Stage, known: Array, moves: Moves) -> Array:
    """A's chance after a piece has left, `float64[2, N]`; `known` are the movers' own."""
    chance = known[moves.left]
    chance = jnp.stack([1 - chance[0], chance[1]])
    return jnp.where(at.over[:, None], jnp.array([1.0, 0.0])[:, None], chance)


def coupled(total: Array, passes: Array) -> Array:
    """`x = total + passes * (x of the other side to move)` for both sides, `[2, N, ...]`; `passes` is `[2, N]`."""
    passes = passes.reshape(*passes.shape, *[1] * (total.ndim - 2))
    return (total + passes * total[::-1]) / (1 - passes[:1] * passes[1:])


def rows_of(at: Stage, board_a: Array, board_b: Array) -> tuple[Array, Array]:
    """The rows of positions, A to move and B to move, `int32[2, N]`, and those of the same with the sides exchanged,
    which an even stage has too; in others the same rows again."""
    row, exchanged = place(at.here, board_a, board_b), place(at.here, board_b, board_a)
    both = jnp.stack([row, row + at.size])
    return both, jnp.where(at.even, jnp.stack([exchanged + at.size, exchanged]), both)


# ---------------------------------------------------------------------- bounds


def _improved(game: Ur, at: Stage, known: Array, bounds: Array, board_a: Array, board_b: Array) -> Array:
    """New bounds on A's chance, no more and no less, `float64[2, N, 2]`."""
    sign = jnp.array([1.0, -1.0])[:, None, None]  # A wants much of it, B little
    total, passes = jnp.zeros((2, len(board_a), 2)), jnp.zeros((2, len(board_a)))
    for throw, share in enumerate(game.throws):
        if not share:
            continue
        if throw == 0:
            passes += share
            continue
        moves = moves_of(game, at, board_a, board_b, throw)
        best = jnp.where(moves.leaves, left_chance(at, known, moves) * sign[..., 0], -jnp.inf)[..., None]
        best = jnp.maximum(best, jnp.where(moves.moves[..., None], bounds[moves.to] * sign, -jnp.inf).max(axis=0))
        total += jnp.where(moves.passes[..., None], 0.0, share * sign * best)
        passes += jnp.where(moves.passes, share, 0.0)
    return coupled(total, passes)


@partial(jax.jit, static_argnums=(0, 1), donate_argnums=(4, 5))
def _sweep(
    game: Ur, chunk: int, at: Stage, known: Array, bounds: Array, widest: Array, course: Order, settled: Array
) -> tuple[Array, Array, Array]:
    """Improve every chunk once whose bounds are further apart than `settled`.

    Returns the bounds, how far apart they are at most in each chunk, and in all.
    """

    def improve(i: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        bounds, widest = carry

        def work() -> tuple[Array, Array, Array]:
            codes = lax.dynamic_slice(course.codes, (course.starts[i],), (chunk,))
            board_a, board_b = codes >> 16, codes & 0xFFFF
            new = _improved(game, at, known, bounds, board_a, board_b)
            exchanged = jnp.where(at.even, 1 - new[..., ::-1], new)
            to = jnp.stack(rows_of(at, board_a, board_b))
            return to, jnp.stack([new, exchanged]), (new[..., 1] - new[..., 0]).max()

        def rest() -> tuple[Array, Array, Array]:
            return jnp.full((2, 2, chunk), len(bounds), jnp.int32), jnp.zeros((2, 2, chunk, 2)), widest[i]

        to, new, gap = lax.cond(widest[i] <= settled, rest, work)
        return bounds.at[to].set(new, mode="drop"), widest.at[i].set(gap)

    bounds, widest = lax.fori_loop(0, course.chunks, improve, (bounds, widest))
    return bounds, widest, jnp.where(jnp.arange(len(widest)) < course.chunks, widest, 0).max()


def close_in(game: Ur, at: Stage, known: Array, course: Order, gap: float, tell: Tell) -> Array:
    """A's chances in a stage to within `gap`, low and high, `float64[2 * most, 2]`; `tell` gets the share done."""
    pieces = cast(int, game.pieces)
    bounds = jnp.tile(jnp.array([0.0, 1.0]), (2 * int(layout(pieces).size.max()), 1))
    widest = jnp.ones(len(course.starts))
    for _ in range(MOST_SWEEPS):
        bounds, widest, most = _sweep(
            game, chunk_size(pieces), at, known, bounds, widest, course, jnp.float64(SETTLED * gap)
        )
        apart = float(most)
        if apart <= gap:
            return cast(Array, bounds)
        tell(np.log(apart) / np.log(gap))
    raise RuntimeError(f"the bounds in {game} have not met after {MOST_SWEEPS} sweeps")
