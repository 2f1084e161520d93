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

**Selective searches** look less closely where it hardly matters (ProbCut, Buro 1995). A child that is only asked
whether it is better than a bound is first *probed*: searched less deep, against a bound moved by `doubt` times the
error that the evaluator says such a shallow search has. If that is convincing it is the answer, else the child is
searched in full. Values then are no minimax values, and table entries of greater depth count as well.

Shapes: `A` actions, `R` levels of the stack, `M` children of a node, `W` of them made at once, `T` slots of the table.
"""

from functools import reduce
from operator import add
from typing import Any, Generic

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.batching import apart
from ludens.core.bits import nth_set_bit, pack
from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S, sign, where
from ludens.core.types import Array
from ludens.search.dive import FIRST, HIGH, LOW, NONE, PLAIN, Child, Dive, Nodes, Plan, Rows
from ludens.search.sharing import child_window
from ludens.search.transpositions import (
    EXACT,
    LOWER,
    SLOTS,
    UPPER,
    Entry,
    empty,
    get,
    hash_of,
    just_above,
    look_up,
    put,
    sortable,
    written,
)

WIDTH = 16
"""W: the words that a vector register holds."""
LEVELS = 64
"""R: plies a search can look ahead, and one."""
TO_THE_END = 1000
"""A limit that is none: positions are then the same however many plies were played before."""


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
        return empty(slots)

    def begin(
        self, root: S, table: Array, order: Array, limit: Array, exact: Array, window: Array, doubt: Array
    ) -> Dive:
        """A search of `root`, `limit` plies deep (2 to R - 1, or to the end), most promising moves by `order` first.

        Values outside `window` (`float32[2]`) are bounds; with `exact` every root move gets its own, whatever the
        others are worth. With a `doubt` above 0 the search is selective, if the evaluator says how.
        """
        size, most = self.levels + 1, self.most

        def blank(shape: tuple[int, ...], dtype: Any) -> Array:
            return jnp.zeros(shape, dtype)

        rows = Rows(
            state=jax.tree.map(lambda x: blank((size, most, *x.shape), x.dtype).at[0, 0].set(x), root),
            move=blank((size, most), jnp.int32),
            sign=jnp.ones((size, most), jnp.float32),
            worth=blank((size, most), jnp.float32),
            key=jnp.full((size, most), NONE).at[0, 0].set(self.place_mask),
        )
        nodes = Nodes(
            alpha=jnp.full(size, window[0]),
            beta=jnp.full(size, window[1]),
            best=jnp.full(size, -jnp.inf),
            choice=blank((size,), jnp.int32),
            entered=blank((size,), jnp.int32),
            sign=jnp.ones(size, jnp.float32),
            hash=blank((size, 2), jnp.uint32),
            place=blank((size,), jnp.int32),
            left=jnp.full(size, jnp.minimum(limit + 1, TO_THE_END)),
            scout=blank((size,), bool),
            narrow=blank((size,), bool),
            probe=blank((size,), jnp.int32),
            whole=blank((size,), jnp.int32),
            bound=blank((size,), jnp.float32),
            known=blank((size,), jnp.int32),
            again=jnp.full(size, -1),
            wide=blank((size,), bool),
        )
        scores = jnp.full(self.game.num_actions + 1, -jnp.inf)
        return Dive(rows, nodes, table, jnp.int32(0), exact, doubt, order, scores, jnp.int32(0))

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
        here, above, child, entry = apart(level >= 0, self._look, dive)
        live, move, to_here = child.live, child.move, child.sign
        in_full = self._in_full(dive, here, child)

        # Is it known? The last ply costs less than the table. If not, a probe may do.
        asks = live & (level > 0)
        known = asks & (in_full.left > 1) & entry.decides(in_full.alpha, in_full.beta)
        known &= self._deep_enough(dive, entry, in_full.left)
        plan = self._probe(dive, here, child, in_full, asks & ~known)
        known_probe = (plan.probe > PLAIN) & entry.decides(plan.alpha, plan.beta)
        known_probe &= self._deep_enough(dive, entry, plan.left)

        # If neither does, make all its children.
        expands = live & ~known & ~known_probe
        hint = jnp.where(entry.met & (in_full.left > 1), entry.choice, -1)
        count, rows, waiting, best, best_move = self._expand(
            params, rows, dive, level + 1, child.state, expands, plan.left, plan.beta, hint
        )
        pushes = expands & waiting & (best < plan.beta)
        kept = jnp.where(entry.met, entry.depth, 0)
        entered = Nodes(
            plan.alpha,
            plan.beta,
            best,
            best_move,
            move,
            to_here,
            child.hash,
            child.place,
            plan.left,
            plan.scout,
            plan.narrow,
            plan.probe,
            plan.whole,
            plan.bound,
            kept,
            jnp.full_like(level, -1),
            jnp.zeros_like(live),
        )

        # Whose value goes up: the child's, or if no child was left that of the node itself.
        pops = ~live
        done: Nodes = where(pops, here, entered)
        value = jnp.where(pops | expands, done.best, entry.value)
        probe = jnp.where(known, PLAIN, done.probe)
        convinces = jnp.where(probe == HIGH, value > done.alpha, value <= done.alpha) & (probe > PLAIN)
        fails = (probe > PLAIN) & ~convinces
        value = jnp.where(convinces, done.bound, value)
        up = jnp.where(fails, -jnp.inf, done.sign * value)
        parent: Nodes = where(pops, above, here)
        to = jnp.where(pops, level - 1, jnp.where(pushes, self.levels, level))  # the last level is nobody's
        to = jnp.where(to < 0, self.levels, to)
        better = up > jnp.maximum(parent.best, parent.alpha)
        wide = done.scout & better & (up < parent.beta)
        again = (wide | fails) & ~pushes
        nodes = nodes._replace(
            best=put(nodes.best, jnp.maximum(parent.best, up), to),
            choice=put(nodes.choice, jnp.where(up > parent.best, done.entered, parent.choice), to),
            again=put(nodes.again, jnp.where(again, done.place, -1), to),
            wide=put(nodes.wide, wide, to),
        )
        scores = put(dive.scores, up, jnp.where((to == 1) & ~fails, done.entered, self.game.num_actions))

        # What is finished is written down, unless the table knows better: a probe looks less far than a search before.
        depth = jnp.where(convinces, done.whole, done.left)
        kind = jnp.where(value >= done.beta, LOWER, jnp.where(value <= done.alpha, UPPER, EXACT))
        kind = jnp.where(convinces, jnp.where(done.probe == HIGH, LOWER, UPPER), kind)
        keeps = (pops | (expands & ~pushes)) & (depth > 1) & (level >= 1) & ~(fails & (done.known > depth))
        table = written(dive.table, keeps, done.hash, Entry(keeps, done.choice, kind, depth, value))

        # The stack. A child that must be searched again waits again, before all others.
        row = jnp.where(live, level, jnp.where(again, level - 1, self.levels))
        place_bits = jnp.where(again, self.place_mask - done.place, 0)
        next_level = jnp.where(pushes | (expands & (level == 0)), level + 1, self.levels)  # the root's is looked at
        return dive._replace(
            rows=rows._replace(key=put(rows.key, jnp.where(again, FIRST, NONE) | place_bits, row, done.place)),
            nodes=jax.tree.map(lambda x, y: put(x, y, next_level), nodes, entered),
            table=table,
            level=jnp.where(pops, level - 1, jnp.where(pushes, level + 1, level)),
            scores=scores,
            evaluated=dive.evaluated + count,
        )

    def _look(self, dive: Dive) -> tuple[Nodes, Nodes, Child, Entry]:
        """The node the search is at, the one above, the child to enter next, and what the table says of it."""
        rows, level = dive.rows, dive.level
        here: Nodes = jax.tree.map(lambda x: get(x, level), dive.nodes)
        above: Nodes = jax.tree.map(lambda x: get(x, jnp.maximum(level - 1, 0)), dive.nodes)
        top = get(rows.key, level).max()
        place = self.place_mask - (top & self.place_mask)
        state, move, to_here, worth = jax.tree.map(
            lambda x: get(x, level, place), (rows.state, rows.move, rows.sign, rows.worth)
        )
        live = (top > NONE) & ((here.best < here.beta) | (dive.exact & (level == 1)))
        child = Child(live, place, state, move, to_here, worth, hash_of(state))
        return here, above, child, look_up(dive.table, child.hash)

    def _in_full(self, dive: Dive, here: Nodes, child: Child) -> Plan:
        """The search of a child that alpha-beta asks for: only for a bound, unless it is the first or must be again."""
        left = jnp.where(here.left >= TO_THE_END, TO_THE_END, here.left - 1)
        is_open = dive.exact & (dive.level == 1)
        wide = here.wide & (here.again == child.place)
        scout = (here.best > -jnp.inf) & ~wide & (left > 1) & ~is_open
        alpha = jnp.where(is_open, here.alpha, jnp.maximum(here.alpha, here.best))
        alpha, beta = child_window(alpha, jnp.where(scout, just_above(alpha), here.beta), child.sign)
        return Plan(alpha, beta, left, scout, here.narrow | scout, jnp.int32(PLAIN), left, beta)

    def _probe(self, dive: Dive, here: Nodes, child: Child, plan: Plan, asks: Array) -> Plan:
        """The search of a child to begin with, in place of `plan`: on the side of the window where it seems to be."""
        if not self.evaluator.predicts:
            return plan
        left, worth = plan.left, child.sign * child.worth
        shallow = jnp.where(left < TO_THE_END, shallow_plies(left), 0)
        probes = asks & (dive.doubt > 0) & plan.narrow & (here.again != child.place) & (shallow > 0)
        high = worth >= plan.beta
        margin = dive.doubt * self.evaluator.error(child.state, shallow, left)
        alpha = jnp.where(high, plan.beta + margin, plan.alpha - margin)
        shortened = Plan(
            alpha,
            just_above(alpha),
            shallow,
            plan.scout,
            plan.narrow,
            jnp.where(high, HIGH, LOW),
            left,
            jnp.where(high, plan.beta, plan.alpha),
        )
        chosen: Plan = where(probes, shortened, plan)
        return chosen

    def _deep_enough(self, dive: Dive, entry: Entry, left: Array) -> Array:
        return (entry.depth == left) | ((dive.doubt > 0) & (entry.depth > left))

    def _expand(
        self,
        params: Any,
        rows: Rows,
        dive: Dive,
        level: Array,
        state: S,
        wanted: Array,
        left: Array,
        beta: Array,
        hint: Array,
    ) -> tuple[Array, Rows, Array, Array, Array]:
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

        def unfinished(carry: tuple[Array, Rows, Array, Array, Array]) -> Array:
            return (carry[0] < count) & (carry[3] < beta)

        def more(carry: tuple[Array, Rows, Array, Array, Array]) -> tuple[Array, Rows, Array, Array, Array]:
            first, rows, waiting, best, best_move = carry
            moves = jax.vmap(nth_set_bit, in_axes=(None, 0))(words, first + lane)
            real = first + lane < count
            states, values, over, signs = self._children(params, state, jnp.where(real, moves, self.game.num_actions))
            loud = jax.vmap(self.game.is_noisy)(states) if self.quiescence else False
            decided = real & (over | ((left <= 1) & ~(loud & noisy[moves])))
            promise = jnp.where(is_root, dive.order[moves], values)
            key = (sortable(promise) & ~self.place_mask) | (self.place_mask - first - lane)
            key = jnp.where(moves == hint, FIRST | (self.place_mask - first - lane), key)
            key = jnp.where(real & ~decided, key, NONE)
            found = jnp.where(decided, values, -jnp.inf).max()
            at = jnp.where(decided & (values == found), moves, self.game.num_actions).min()
            new = Rows(states, moves, signs, values, key)

            def put_there(x: Array, y: Array) -> Array:
                return lax.dynamic_update_slice(x, y[None], (level, first, *([0] * (x.ndim - 2))))

            return (
                first + WIDTH,
                jax.tree.map(put_there, rows, new),
                waiting | (key > NONE).any(),
                jnp.maximum(best, found),
                jnp.where(found > best, at, best_move),
            )

        # Keys of an earlier node on this level that had more children.
        rows = rows._replace(
            key=put(rows.key, jnp.full(self.most, NONE, jnp.int32), jnp.where(wanted, level, self.levels))
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


def shallow_plies(left: Array) -> Array:
    """Plies of a probe for a search of `left` plies: about half as many, odd if those are odd; 0: there is none."""
    return jnp.where(left >= 3, left - 2 * ((left + 3) // 4), 0)
