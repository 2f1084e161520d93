"""Alpha-beta search, compiled, for deterministic games: many positions at once, with any evaluator.

The value of a position to depth d is the plain minimax value: what the evaluator says d plies on (or at the end of the
game) when both sides choose their best. Alpha-beta finds the same number and skips what cannot change it.

How it runs. A *job* is one move of one root position: search the position behind it one ply less deep, inside a window
that the best move found so far sets. A fixed number of *lanes* work on jobs, each a depth-first search with an explicit
stack, and a lane that has finished takes the next job, so nobody waits for the slowest. All lanes turn together: in one
turn each expands one node (up to `W` of its moves), evaluates the children, climbs while nodes are finished, and
steps down into the most promising child left. At the last ply the children's values are the leaves'; above, they order
the moves. Either way no turn is idle.

Jobs are dealt rank by rank: the most promising move of every root, then the second of every root, and so on. With many
roots a window is therefore almost always known when a job begins, as in a search of one move after the other; with one
root the lanes share its moves and answer sooner. Once all jobs are dealt, idle lanes help busy ones (`sharing.py`).

Shapes: `B` root positions, `A` actions, `L` lanes, `R` levels of a lane's stack, `W` children in one turn.
"""

from functools import reduce
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.batching import apart
from ludens.core.bits import pack
from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S, sign
from ludens.core.types import Array
from ludens.search.sharing import LanePlace, Loan, Step, child_window, choose, give_back, lend, narrow, note, only_if
from ludens.search.stack import Node, first, next_moves, read, write

WIDTH = {"cpu": 16, "other": 32}
"""W: children expanded in one turn of a lane: about as many as a position has moves, or all where more cost nothing."""
LANES = {"cpu": 128, "other": 4096}
"""L: enough to fill the machine's vector units, few enough to stay in its caches."""
LANES_A_ROOT = {"cpu": 16, "other": 256}
"""But for few root positions not more than they keep busy."""


class AlphaBetaResult(NamedTuple):
    """What a search found."""

    scores: Array
    """Value of each action to the mover, `float32[B, A]`; -inf where illegal. Without `exact`, the best actions have
    their true value and every other one a bound that is below the best."""
    nodes: Array
    """Positions made and evaluated, for all roots together, `int32[]`."""


class _Lanes(NamedTuple):
    """All that a turn changes."""

    stack: Node
    place: LanePlace
    dealt: Array
    """Jobs handed out so far, `int32[]`."""
    scores: Array
    """Values of root moves, `float32[B, A]`."""
    best: Array
    """The best of them so far, `float32[B]`."""
    nodes: Array
    """Positions evaluated, `int32[]`."""


class _Jobs(NamedTuple):
    """Root moves to be searched, in the order in which they are dealt: `[J]`, the first `total` of them real."""

    root: Array
    move: Array
    total: Array


class _Children(NamedTuple):
    """Positions one move on, everything `[N, W]`."""

    value: Array
    """Worth to the parent's mover, `float32[N, W]`."""
    over: Array
    """Whether the game ends there, `bool[N, W]`."""


def alpha_beta(
    game: Game[S],
    evaluator: Evaluator[S],
    params: Any,
    roots: S,
    *,
    depth: int,
    limit: Array | None = None,
    exact: bool | Array = False,
    width: int | None = None,
) -> AlphaBetaResult:
    """Search every root position `[B]` to `depth` plies; `exact` gives every move its true value, at a higher price.

    With a `limit` (`int32[]`, 1 to `depth`) to so many plies: one compiled search for several depths.
    """
    if game.rolls:
        raise ValueError(f"alpha-beta cannot search {game.id}, where fate acts: expected a game without chance")
    if depth < 1:
        raise ValueError(f"a search of depth {depth} sees nothing: expected 1 or more")
    scores, children = _one_ply(game, evaluator, params, roots)
    nodes = (scores > -jnp.inf).sum(dtype=jnp.int32)
    if depth == 1:
        return AlphaBetaResult(scores, nodes)
    to = jnp.int32(depth) if limit is None else limit
    jobs, known = _deal(scores, children, to > 1)
    roots = jax.tree.map(jnp.asarray, roots)
    count = min(_usual(LANES), _usual(LANES_A_ROOT) * scores.shape[0])
    width = _usual(WIDTH) if width is None else width
    sizes = {"levels": depth - 1, "count": count, "width": width}
    return _search(game, evaluator, params, roots, jobs, known, nodes, last=to - 2, exact=exact, **sizes)


def _usual(sizes: dict[str, int]) -> int:
    """The size for the machine at hand."""
    return sizes.get(jax.default_backend(), sizes["other"])


def _one_ply(game: Game[S], evaluator: Evaluator[S], params: Any, roots: S) -> tuple[Array, _Children]:
    """Values `float32[B, A]` of all positions one move on, -inf where illegal, and these positions."""
    legal = jax.vmap(game.legal)(roots)
    actions = jnp.broadcast_to(jnp.arange(game.num_actions, dtype=jnp.int32), legal.shape)
    children = _children(game, evaluator, params, roots, actions)
    return jnp.where(legal, children.value, -jnp.inf), children


def _children(game: Game[S], evaluator: Evaluator[S], params: Any, parents: S, actions: Array) -> _Children:
    """Play `actions` `[N, W]` in `parents` `[N]`.

    One flat batch, so that the games' own fences against repeated work (`core.batching.once`) stay whole.
    """

    def child(parent: S, action: Array) -> _Children:
        state = game.apply(parent, action)
        over, to_parent = game.done(state), sign(game, parent, state)
        worth = jnp.where(over, evaluator.outcome(state), evaluator.value(params, state))
        return _Children(to_parent * worth, over)

    repeated = jax.tree.map(lambda x: jnp.repeat(x, actions.shape[1], axis=0), parents)
    flat: _Children = jax.vmap(child)(repeated, actions.reshape(-1))
    shaped: _Children = jax.tree.map(lambda x: x.reshape(actions.shape + x.shape[1:]), flat)
    return shaped


def _deal(scores: Array, children: _Children, deeper: Array) -> tuple[_Jobs, Array]:
    """Root moves to be searched, best first and all roots in turn; and the scores that are known without, `[B, A]`.

    All of them are if one ply is enough: if nobody wants to look `deeper` (`bool[]`).
    """
    roots, actions = scores.shape
    promise = jnp.where(children.over | ~deeper, -jnp.inf, scores)
    ranked = jnp.argsort(-promise, axis=1).T.reshape(-1).astype(jnp.int32)  # rank by rank
    root = jnp.tile(jnp.arange(roots, dtype=jnp.int32), actions)
    wanted = promise[root, ranked] > -jnp.inf
    place = jnp.where(wanted, jnp.cumsum(wanted) - 1, roots * actions)
    empty = jnp.zeros(roots * actions, jnp.int32)
    jobs = _Jobs(
        root=empty.at[place].set(root, mode="drop"),
        move=empty.at[place].set(ranked, mode="drop"),
        total=wanted.sum(dtype=jnp.int32),
    )
    return jobs, jnp.where(promise > -jnp.inf, -jnp.inf, scores)


def _search(
    game: Game[S],
    evaluator: Evaluator[S],
    params: Any,
    roots: S,
    jobs: _Jobs,
    known: Array,
    nodes: Array,
    *,
    last: Array,
    exact: bool | Array,
    levels: int,
    count: int,
    width: int,
) -> AlphaBetaResult:
    """Run all `jobs` on `count` lanes; `known` has the scores that need no search, `float32[B, A]`."""

    def blank(*shape: int, dtype: Any = jnp.float32) -> Array:
        return jnp.zeros((levels, count, *shape), dtype)

    empty = Node(
        state=jax.tree.map(lambda x: blank(*x.shape[1:], dtype=x.dtype), roots),
        rest=tuple(blank(dtype=jnp.uint32) for _ in range(-(-game.num_actions // 32))),
        moves=blank(width, dtype=jnp.int32),
        promise=blank(width) - jnp.inf,
        lent=blank(dtype=jnp.int32),
        best=blank(),
        alpha=blank(),
        beta=blank(),
        sign=blank(),
    )
    each, nowhere = jnp.arange(count, dtype=jnp.int32), jnp.zeros(count, jnp.int32)
    nobody = LanePlace(nowhere, nowhere, each, nowhere - 1)
    start = _Lanes(empty, nobody, jnp.int32(0), known, known.max(axis=1), nodes)

    def floor(best: Array, root: Array) -> Array:
        """Up to here values of moves do not matter, `float32[L]`: one step below the best, so that its equals count."""
        return jnp.where(exact, -jnp.inf, _just_below(best[root]))

    def refresh(_: tuple[Array, Array], stack: Node, place: LanePlace, best: Array) -> tuple[Array, Array]:
        """The windows of all nodes, `[R, L]`."""
        return narrow(stack, floor(best, jobs.root[place.job]), place)

    def deal(unchanged: tuple[Step, Array], best: Array) -> tuple[Step, Array]:
        """Give every idle lane the next job, if there is one."""
        step, dealt = unchanged
        free = step.place.job < 0
        place = dealt + jnp.cumsum(free, dtype=jnp.int32) - 1
        some = free & (place < jobs.total)
        root = jobs.root[place]
        job = Step(
            some=some,
            parent=jax.tree.map(lambda x: x[root], roots),
            move=jobs.move[place],
            alpha=floor(best, root),
            beta=jnp.full(count, jnp.inf),
            place=LanePlace(nowhere, nowhere, each, place),
        )
        return choose(some, job, step), dealt + some.sum(dtype=jnp.int32)

    def step_down(lanes: _Lanes) -> tuple[Node, LanePlace, Array]:
        """Every lane to its next node, its own, that of a new job or one to help with; also the jobs dealt by then."""
        stack, place = lanes.stack, lanes.place
        idle, all_dealt = (place.job < 0).any(), lanes.dealt >= jobs.total
        alpha, beta = only_if(all_dealt, refresh, (stack.alpha, stack.beta), stack, place, lanes.best)
        left, step = _own_step(stack._replace(alpha=alpha, beta=beta), place)
        stack = stack._replace(alpha=alpha, beta=beta, promise=write(stack.promise, place.level, left))
        step, dealt = only_if(idle & ~all_dealt, deal, (step, lanes.dealt), lanes.best)
        if levels > 1:  # else all children are leaves
            no_loan = Loan(nowhere - 1, left, nowhere)
            step, loan = only_if(idle & all_dealt, lend, (step, no_loan), stack, place)
            stack = note(stack, loan)
        entered = _entered(game, step, width)
        return write(stack, jnp.where(step.some, step.place.level, -1), entered), step.place, dealt

    def turn(lanes: _Lanes) -> _Lanes:
        stack, place, dealt = step_down(lanes)
        busy = place.job >= 0
        stack, evaluated = _expand(game, evaluator, params, stack, place.level, busy, last)
        best, level, finished = apart(busy.any(), _climb, stack, place)
        place, finished = place._replace(level=level), finished & busy
        found = read(stack.sign * best, place.base)
        best, lent, stops = only_if((place.base > 0).any(), give_back, (best, stack.lent, finished), found, place)
        scored = finished & (place.base == 0)
        job = jnp.where(scored, place.job, 0)
        root = jnp.where(scored, jobs.root[job], known.shape[0])
        return _Lanes(
            stack=stack._replace(best=best, lent=lent),
            place=choose(stops, nobody, place),
            dealt=dealt,
            scores=lanes.scores.at[root, jobs.move[job]].set(found, mode="drop"),
            best=lanes.best.at[root].max(found, mode="drop"),
            nodes=lanes.nodes + evaluated,
        )

    lanes = lax.while_loop(lambda lanes: (lanes.place.job >= 0).any() | (lanes.dealt < jobs.total), turn, start)
    return AlphaBetaResult(lanes.scores, lanes.nodes)


def _expand(
    game: Game[S], evaluator: Evaluator[S], params: Any, stack: Node, level: Array, busy: Array, last: Array
) -> tuple[Node, Array]:
    """Play the next moves of each lane's node; what is decided counts at once, the rest waits to be searched.

    Everything is on the `last` level.
    """
    some = busy.any()

    def choose(state: Any, rest: tuple[Array, ...], level: Array) -> Any:
        return read(state, level), *next_moves(read(rest, level), game.num_actions, stack.moves.shape[-1])

    def judge(params: Any, state: Any, moves: Array) -> tuple[Array, Array]:
        children = _children(game, evaluator, params, state, moves)
        return children.value, children.over

    state, moves, rest = apart(some, choose, stack.state, stack.rest, level)
    values, over = apart(some, judge, params, state, moves)
    real = (moves < game.num_actions) & busy[:, None]
    decided = real & (over | (level == last)[:, None])
    best = jnp.maximum(read(stack.best, level), jnp.where(decided, values, -jnp.inf).max(axis=1))
    promise = jnp.where(real & ~decided, values, -jnp.inf)
    stack = stack._replace(
        rest=write(stack.rest, level, rest),
        moves=write(stack.moves, level, moves),
        promise=write(stack.promise, level, promise),
        best=write(stack.best, level, best),
    )
    return stack, real.sum(dtype=jnp.int32)


def _climb(stack: Node, place: LanePlace) -> tuple[Array, Array, Array]:
    """Carry values up from finished nodes: best values `[R, L]`, levels, and which lanes are done, `bool[L]`."""
    unsettled = (stack.promise > -jnp.inf).any(axis=-1) | (reduce(jnp.bitwise_or, stack.rest) != 0) | (stack.lent > 0)
    best, level, base = list(stack.best), place.level, place.base
    for k in reversed(range(len(best))):  # what a helper found may have refuted a node further up
        level = jnp.where((base <= k) & (k < level) & (best[k] >= stack.beta[k]), k, level)
    done = jnp.zeros_like(level, bool)
    for k in reversed(range(len(best))):
        finished = (level == k) & (~unsettled[k] | (best[k] >= stack.beta[k]))
        done = done | (finished & (base == k))
        if k > 0:
            up = finished & (base < k)
            best[k - 1] = jnp.where(up, jnp.maximum(best[k - 1], stack.sign[k] * best[k]), best[k - 1])
            level = jnp.where(up, k - 1, level)
    return jnp.stack(best), level, done


def _own_step(stack: Node, place: LanePlace) -> tuple[Array, Step]:
    """Into the most promising child; a lane whose node has none left stays to expand more of its moves.

    Also what is then left waiting, `float32[L, W]`.
    """
    busy = place.job >= 0

    def pick(stack: Node, level: Array) -> tuple[Node, Array, Array, Array]:
        here: Node = read(stack, level)
        most = here.promise.max(axis=1)
        chosen = jnp.arange(here.moves.shape[-1]) == first(here.promise == most[:, None])[:, None]
        move = jnp.where(chosen, here.moves, 0).sum(axis=1)
        left = jnp.where(chosen, -jnp.inf, here.promise)
        return here, move, left, busy & (most > -jnp.inf)

    here, move, left, down = apart(busy.any(), pick, stack, place.level)
    below = place._replace(level=jnp.where(down, place.level + 1, place.level))
    return left, Step(down, here.state, move, jnp.maximum(here.alpha, here.best), here.beta, below)


def _entered(game: Game[S], step: Step, width: int) -> Node:
    """New nodes `[L]` for the positions that are reached."""
    lanes = step.move.shape[0]
    state = jax.vmap(game.apply)(step.parent, step.move)
    to_parent = jax.vmap(lambda s, t: sign(game, s, t))(step.parent, state)
    alpha, beta = child_window(step.alpha, step.beta, to_parent)
    return Node(
        state=state,
        rest=jax.vmap(lambda s: pack(game.legal(s)))(state),
        moves=jnp.zeros((lanes, width), jnp.int32),
        promise=jnp.full((lanes, width), -jnp.inf),
        lent=jnp.zeros(lanes, jnp.int32),
        best=jnp.full(lanes, -jnp.inf),
        alpha=alpha,
        beta=beta,
        sign=to_parent,
    )


def _just_below(x: Array) -> Array:
    """The next smaller number; around 0 one that is not flushed to 0."""
    tiny = 2 * float(np.finfo(np.float32).tiny)
    return jnp.where(jnp.abs(x) < tiny, -tiny, jnp.nextafter(x, -jnp.inf))
