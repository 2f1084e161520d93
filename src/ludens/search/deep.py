"""One position, searched as deep as time allows: alpha-beta with a table of positions met before, in steps.

`alpha_beta.py` searches thousands of positions in lock-step. For a single one that is the wrong shape: lanes that share
one tree search what one after the other would have pruned, and each turn of the loop is dispatched operation by
operation. Here there is one stack and nothing else, so that XLA compiles the whole loop into one kernel on a CPU
(`core/compiling.py`); what is wide is one node: all its children are made and judged together.

A turn takes the most promising child that waits at the node it is at and enters it. If the table knows it, or if all of
its own children are decided (at the horizon they are), its value goes back at once; else it becomes the next node. If
no child waits, or one was enough to refute the node, its value goes up and into the table.

The search can be stopped after any turn and taken up again: `begin`, then `proceed` as often as one likes, and the
table serves the next search, one ply deeper. A table entry counts only for a search of just the same depth, so values
are minimax values, as everywhere; the best move it names is tried first whatever its depth was.

Shapes: `A` actions, `R` levels of the stack, `M` children of a node, `W` of them made at once, `T` slots of the table.
"""

from functools import reduce
from operator import add
from typing import Any, Generic, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.batching import apart
from ludens.core.bits import nth_set_bit, pack
from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S, sign, where
from ludens.core.types import Array
from ludens.search.sharing import child_window

WIDTH = 16
"""W: the words that a vector register holds."""
LEVELS = 64
"""R: plies a search can look ahead, and one."""
TO_THE_END = 1000
"""A limit that is none: positions are then the same however many plies were played before."""
SLOTS = 1 << 20
"""T, 16 bytes each."""
_NONE = np.int32(np.iinfo(np.int32).min)
"""Key of a child that does not wait."""
_FIRST = np.int32(np.iinfo(np.int32).max & ~0xFFFF)
"""Key of a child that is tried before all others, apart from its place."""
_EXACT, _LOWER, _UPPER = 1, 2, 3
"""What the value of a table entry is: the position's, or a bound of it."""


class _Rows(NamedTuple):
    """The children of the nodes on the stack, everything `[R, M]`."""

    state: Any
    """The position."""
    move: Array
    """What leads to it, `int32[R, M]`."""
    sign: Array
    """+1 if the same side moves there, else -1, `float32[R, M]`."""
    key: Array
    """How promising it is, with its place in the lowest bits, `int32[R, M]`; `_NONE` if it does not wait."""


class _Nodes(NamedTuple):
    """The nodes on the stack, everything `[R]`."""

    alpha: Array
    beta: Array
    best: Array
    """Best value so far to the mover, `float32[R]`."""
    choice: Array
    """The move it belongs to, `int32[R]`."""
    entered: Array
    """The move by which the node was entered, `int32[R]`."""
    sign: Array
    """+1 if the same side moves in the node above, else -1, `float32[R]`."""
    hash: Array
    """`uint32[R, 2]`."""
    place: Array
    """Where the node waited in the row above, `int32[R]`."""
    scout: Array
    """Whether it was only asked if it is better than the best so far, `bool[R]`."""
    again: Array
    """Place of the child that is and must be searched again, with the whole window, `int32[R]`; -1 if none."""


class _Child(NamedTuple):
    """What waits at a node and is most promising."""

    live: Array
    """Whether there is any and the node is not refuted, `bool[]`."""
    place: Array
    """In its row, `int32[]`."""
    state: Any
    move: Array
    sign: Array
    hash: Array


class Dive(NamedTuple):
    """A search under way. The node at level 0 is none: its only child is the root."""

    rows: _Rows
    nodes: _Nodes
    table: Array
    """`uint32[T, 4]`: both words of the hash; move, kind of value and depth; the value."""
    level: Array
    """Where the search is, `int32[]`; -1 when it is over."""
    limit: Array
    """Plies to look ahead, `int32[]`."""
    exact: Array
    """Whether every root move gets its true value, `bool[]`."""
    order: Array
    """How promising root moves are, `float32[A]`."""
    scores: Array
    """Values of root moves, `float32[A + 1]`; -inf if not yet known. Those that were refuted have bounds."""
    evaluated: Array
    """Positions made and evaluated, `int32[]`."""


class DeepSearch(Generic[S]):
    """Searches of one game by one evaluator; its methods are pure."""

    def __init__(
        self, game: Game[S], evaluator: Evaluator[S], *, levels: int = LEVELS, quiescence: bool = False
    ) -> None:
        """With `quiescence` the last positions are not judged in the middle of an exchange (`Game.noisy`)."""
        if game.rolls:
            raise ValueError(f"alpha-beta cannot search {game.id}, where fate acts: expected a game without chance")
        self.game, self.evaluator, self.levels = game, evaluator, levels
        self.quiescence = quiescence and type(game).noisy is not Game.noisy
        self.most = -(-game.num_actions // WIDTH) * WIDTH
        self.place_mask = (1 << (self.most - 1).bit_length()) - 1

    def one_ply(self, params: Any, root: S) -> tuple[Array, Array]:
        """Values of all positions one move on, `float32[A]`, -inf where illegal; and where the game ends, `bool[A]`."""
        actions = jnp.arange(self.game.num_actions, dtype=jnp.int32)
        _, value, over, _ = self._children(params, root, actions)
        legal = self.game.legal(root)
        return jnp.where(legal, value, -jnp.inf), legal & over

    def empty_table(self, slots: int = SLOTS) -> Array:
        return jnp.zeros((slots + 1, 4), jnp.uint32)

    def begin(self, root: S, table: Array, order: Array, limit: Array, exact: Array, window: Array) -> Dive:
        """A search of `root`, `limit` plies deep (2 to R - 1, or to the end), most promising moves by `order` first.

        Values outside `window` (`float32[2]`) are bounds, and `exact` takes no window.
        """
        size, most = self.levels + 1, self.most

        def blank(shape: tuple[int, ...], dtype: Any) -> Array:
            return jnp.zeros(shape, dtype)

        rows = _Rows(
            state=jax.tree.map(lambda x: blank((size, most, *x.shape), x.dtype).at[0, 0].set(x), root),
            move=blank((size, most), jnp.int32),
            sign=jnp.ones((size, most), jnp.float32),
            key=jnp.full((size, most), _NONE).at[0, 0].set(self.place_mask),
        )
        nodes = _Nodes(
            alpha=jnp.full(size, window[0]),
            beta=jnp.full(size, window[1]),
            best=jnp.full(size, -jnp.inf),
            choice=blank((size,), jnp.int32),
            entered=blank((size,), jnp.int32),
            sign=jnp.ones(size, jnp.float32),
            hash=blank((size, 2), jnp.uint32),
            place=blank((size,), jnp.int32),
            scout=blank((size,), bool),
            again=jnp.full(size, -1),
        )
        scores = jnp.full(self.game.num_actions + 1, -jnp.inf)
        return Dive(rows, nodes, table, jnp.int32(0), limit, exact, order, scores, jnp.int32(0))

    def proceed(self, params: Any, dive: Dive, turns: Array) -> Dive:
        """At most so many turns (`int32[]`) of a search."""

        def unfinished(carry: tuple[Array, Dive]) -> Array:
            return (carry[0] < turns) & (carry[1].level >= 0)

        def turn(carry: tuple[Array, Dive]) -> tuple[Array, Dive]:
            return carry[0] + 1, self._turn(params, carry[1])

        return lax.while_loop(unfinished, turn, (jnp.int32(0), dive))[1]

    def _turn(self, params: Any, dive: Dive) -> Dive:
        rows, nodes, level = dive.rows, dive.nodes, dive.level
        # Everything is read before anything is written, or the loop would copy what it could change in place.
        here, above, child, entry = apart(level >= 0, self._look, rows, nodes, dive.table, level)
        live, move, to_here, hashed = child.live, child.move, child.sign, child.hash
        left = jnp.where(dive.limit >= TO_THE_END, TO_THE_END, dive.limit - level)  # plies to look ahead from the child
        is_open = dive.exact & (level == 1)
        alpha = jnp.where(is_open, -jnp.inf, jnp.maximum(here.alpha, here.best))
        scout = (here.best > -jnp.inf) & (here.again != child.place) & (left > 1) & ~is_open
        beta = jnp.where(is_open, jnp.inf, jnp.where(scout, _just_above(alpha), here.beta))
        alpha, beta = child_window(alpha, beta, to_here)

        # Is it known? The last ply costs less than the table.
        met = live & (left > 1) & (entry[0] == hashed[0]) & (entry[1] == hashed[1])
        choice, kind, depth = _unpacked(entry[2])
        value = lax.bitcast_convert_type(entry[3], jnp.float32)
        enough = (kind == _EXACT) | ((kind == _LOWER) & (value >= beta)) | ((kind == _UPPER) & (value <= alpha))
        known = met & (depth == left) & enough & (level > 0)

        # If not, make all its children.
        expands = live & ~known
        hint = jnp.where(met, choice, -1)
        count, rows, waiting, best, best_move = self._expand(
            params, rows, dive, level + 1, child.state, expands, left, beta, hint
        )
        pushes = expands & waiting & (best < beta)

        # Whose value goes up: the child's, or if no child was left that of the node itself.
        pops = ~live
        up = jnp.where(pops, here.sign * here.best, to_here * jnp.where(known, value, best))
        by = jnp.where(pops, here.entered, move)
        parent: _Nodes = where(pops, above, here)
        to = jnp.where(pops, level - 1, jnp.where(pushes, self.levels, level))  # the last level is nobody's
        to = jnp.where(to < 0, self.levels, to)
        better = up > jnp.maximum(parent.best, parent.alpha)
        again = jnp.where(pops, here.scout, scout) & better & (up < parent.beta) & ~pushes
        where_from = jnp.where(pops, here.place, child.place)
        nodes = nodes._replace(
            best=_put(nodes.best, jnp.maximum(parent.best, up), to),
            choice=_put(nodes.choice, jnp.where(up > parent.best, by, parent.choice), to),
            again=_put(nodes.again, jnp.where(again, where_from, -1), to),
        )
        scores = _put(dive.scores, up, jnp.where(to == 1, by, self.game.num_actions))

        # What is finished is written down.
        entered = _Nodes(
            alpha, beta, best, best_move, move, to_here, hashed, child.place, scout, jnp.full_like(level, -1)
        )
        done: _Nodes = where(pops, here, entered)
        done_left = jnp.where(pops & (left < TO_THE_END), left + 1, left)
        keeps = (pops | (expands & ~pushes)) & (done_left > 1) & (level >= 1)
        slots = dive.table.shape[0] - 1
        slot = jnp.where(keeps, (done.hash[0] % slots).astype(jnp.int32), slots)
        kind = jnp.where(done.best >= done.beta, _LOWER, jnp.where(done.best <= done.alpha, _UPPER, _EXACT))
        value = lax.bitcast_convert_type(done.best, jnp.uint32)
        fresh = jnp.stack([done.hash[0], done.hash[1], _packed(done.choice, kind, done_left), value])

        # The stack. A child that must be searched again waits again, before all others.
        row = jnp.where(live, level, jnp.where(again, level - 1, self.levels))
        place_bits = jnp.where(again, self.place_mask - where_from, 0)
        next_level = jnp.where(pushes | (expands & (level == 0)), level + 1, self.levels)  # the root's is looked at
        return dive._replace(
            rows=rows._replace(key=_put(rows.key, jnp.where(again, _FIRST, _NONE) | place_bits, row, where_from)),
            nodes=jax.tree.map(lambda x, y: _put(x, y, next_level), nodes, entered),
            table=_put(dive.table, fresh, slot),
            level=jnp.where(pops, level - 1, jnp.where(pushes, level + 1, level)),
            scores=scores,
            evaluated=dive.evaluated + count,
        )

    def _look(self, rows: _Rows, nodes: _Nodes, table: Array, level: Array) -> tuple[_Nodes, _Nodes, _Child, Array]:
        """The node the search is at, the one above, the child to enter next, and what the table has in its place."""
        here: _Nodes = jax.tree.map(lambda x: _get(x, level), nodes)
        above: _Nodes = jax.tree.map(lambda x: _get(x, jnp.maximum(level - 1, 0)), nodes)
        top = _get(rows.key, level).max()
        place = self.place_mask - (top & self.place_mask)
        state: Any = jax.tree.map(lambda x: _get(x, level, place), rows.state)
        live, hashed = (top > _NONE) & (here.best < here.beta), _hash(state)
        child = _Child(live, place, state, _get(rows.move, level, place), _get(rows.sign, level, place), hashed)
        return here, above, child, _get(table, (hashed[0] % (table.shape[0] - 1)).astype(jnp.int32))

    def _expand(
        self,
        params: Any,
        rows: _Rows,
        dive: Dive,
        level: Array,
        state: S,
        wanted: Array,
        left: Array,
        beta: Array,
        hint: Array,
    ) -> tuple[Array, _Rows, Array, Array, Array]:
        """Make the children of `state` as the row at `level`, if it is `wanted`.

        How many there are; the rows; whether any of them waits to be searched; and the best value among those that do
        not, with its move.
        """
        legal, best = self.game.legal(state), jnp.float32(-jnp.inf)
        noisy = self.game.noisy(state) if self.quiescence else jnp.zeros_like(legal)
        if self.quiescence:  # beyond the horizon a side may stop, or go on with what is noisy
            beyond = left <= 0
            legal = jnp.where(beyond, noisy, legal)
            best = jnp.where(beyond & wanted, apart(beyond & wanted, self.evaluator.value, params, state), best)
        words = pack(legal)
        count = reduce(add, (lax.population_count(word) for word in words)).astype(jnp.int32)
        count = jnp.where(wanted, count, 0)
        lane = jnp.arange(WIDTH, dtype=jnp.int32)
        is_root = level == 1

        def unfinished(carry: tuple[Array, _Rows, Array, Array, Array]) -> Array:
            return (carry[0] < count) & (carry[3] < beta)

        def more(carry: tuple[Array, _Rows, Array, Array, Array]) -> tuple[Array, _Rows, Array, Array, Array]:
            first, rows, waiting, best, best_move = carry
            moves = jax.vmap(nth_set_bit, in_axes=(None, 0))(words, first + lane)
            real = first + lane < count
            states, values, over, signs = self._children(params, state, jnp.where(real, moves, self.game.num_actions))
            loud = jax.vmap(self.game.is_noisy)(states) if self.quiescence else False
            decided = real & (over | ((left <= 1) & ~(loud & noisy[moves])))
            promise = jnp.where(is_root, dive.order[moves], values)
            key = (_sortable(promise) & ~self.place_mask) | (self.place_mask - first - lane)
            key = jnp.where(moves == hint, _FIRST | (self.place_mask - first - lane), key)
            key = jnp.where(real & ~decided, key, _NONE)
            found = jnp.where(decided, values, -jnp.inf).max()
            at = jnp.where(decided & (values == found), moves, self.game.num_actions).min()
            new = _Rows(states, moves, signs, key)

            def put(x: Array, y: Array) -> Array:
                return lax.dynamic_update_slice(x, y[None], (level, first, *([0] * (x.ndim - 2))))

            return (
                first + WIDTH,
                jax.tree.map(put, rows, new),
                waiting | (key > _NONE).any(),
                jnp.maximum(best, found),
                jnp.where(found > best, at, best_move),
            )

        # Keys of an earlier node on this level that had more children.
        rows = rows._replace(
            key=_put(rows.key, jnp.full(self.most, _NONE, jnp.int32), jnp.where(wanted, level, self.levels))
        )
        start = (jnp.int32(0), rows, jnp.bool_(False), best, jnp.int32(0))
        first, rows, waiting, best, best_move = lax.while_loop(unfinished, more, start)
        return jnp.minimum(first, count), rows, waiting | (first < count), best, best_move

    def _children(self, params: Any, parent: S, actions: Array) -> tuple[S, Array, Array, Array]:
        """Play `actions` `[W]` in `parent`: positions, their worth to the parent's mover, which are ends, and signs."""

        def child(action: Array) -> tuple[S, Array, Array, Array]:
            state = self.game.apply(parent, action)
            over = self.game.done(state) | self.evaluator.settled(state)
            to_parent = sign(self.game, parent, state)
            worth = jnp.where(over, self.evaluator.outcome(state), self.evaluator.value(params, state))
            return state, to_parent * worth, over, to_parent

        made: tuple[S, Array, Array, Array] = jax.vmap(child)(actions)
        return made


def _get(x: Array, *index: Array) -> Array:
    """`x[*index]`, by the operation that a loop can do in place."""
    rest = x.shape[len(index) :]
    start = (*index, *([jnp.int32(0)] * len(rest)))
    return lax.dynamic_slice(x, start, (1,) * len(index) + rest).reshape(rest)


def _put(x: Array, y: Array, *index: Array) -> Array:
    """`x` with `y` at this index."""
    rest = x.shape[len(index) :]
    start = (*index, *([jnp.int32(0)] * len(rest)))
    return lax.dynamic_update_slice(x, y.reshape((1,) * len(index) + rest), start)


def _hash(state: Any) -> Array:
    """Two words that tell positions apart, `uint32[2]`."""
    words = [word for leaf in jax.tree.leaves(state) for word in _words(leaf)]
    first, second = jnp.uint32(0x9E3779B9), jnp.uint32(0x85EBCA6B)
    for word in words:
        first = (first ^ word) * jnp.uint32(0xCC9E2D51)
        first = first ^ (first >> 15)
        second = (second + word) * jnp.uint32(0x1B873593)
        second = second ^ (second >> 13)
    return jnp.stack([first * jnp.uint32(0x27D4EB2F) ^ second >> 7, second])


def _words(leaf: Array) -> list[Array]:
    flat = jnp.ravel(leaf)
    if flat.dtype == jnp.float32:
        flat = lax.bitcast_convert_type(flat, jnp.uint32)
    return list(flat.astype(jnp.uint32))


def _just_above(x: Array) -> Array:
    """The next larger number; around 0 one that is not flushed to 0."""
    tiny = 2 * float(np.finfo(np.float32).tiny)
    return jnp.where(jnp.abs(x) < tiny, tiny, jnp.nextafter(x, jnp.inf))


def _sortable(x: Array) -> Array:
    """Integers in the order of these numbers, `float32[...] -> int32[...]`."""
    i = lax.bitcast_convert_type(x, jnp.int32)
    return i ^ ((i >> 31) & np.int32(0x7FFFFFFF))


def _packed(choice: Array, kind: Array, depth: Array) -> Array:
    return (choice | kind << 16 | depth << 20).astype(jnp.uint32)


def _unpacked(word: Array) -> tuple[Array, Array, Array]:
    word = word.astype(jnp.int32)
    return word & 0xFFFF, word >> 16 & 3, word >> 20
