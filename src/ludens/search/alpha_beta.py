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
root the lanes share its moves and answer sooner.

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
from ludens.search.stack import first, next_moves, read, write

WIDTH = 16
"""W: children expanded in one turn of a lane, unless told otherwise: about as many as a position has moves."""
LANES = {"cpu": 128, "other": 2048}
"""L: enough to fill the machine's vector units, few enough to stay in its caches."""


class Search(NamedTuple):
    """What a search found."""

    scores: Array
    """Value of each action to the mover, `float32[B, A]`; -inf where illegal. Without `exact`, the best actions have
    their true value and every other one a bound that is below the best."""
    nodes: Array
    """Positions made and evaluated, for all roots together, `int32[]`."""


class _Node(NamedTuple):
    """One node per lane and level, everything `[R, L, ...]`."""

    state: Any
    """The position."""
    rest: tuple[Array, ...]
    """Legal moves that have not been expanded, as words `uint32[R, L]`."""
    moves: Array
    """Moves expanded in the last turn, `int32[R, L, W]`."""
    promise: Array
    """Value of the child behind each of them to this node's mover, `float32[R, L, W]`; -inf once it is searched."""
    best: Array
    """Best value so far to this node's mover, `float32[R, L]`."""
    alpha: Array
    """Values up to here do not matter to the mover: it has better elsewhere. `float32[R, L]`."""
    beta: Array
    """Values from here on do not matter: the opponent will avoid this node. `float32[R, L]`."""
    sign: Array
    """+1 if the same side moves in the node above, else -1, `float32[R, L]`."""


class _Lanes(NamedTuple):
    """All that a turn changes."""

    stack: _Node
    level: Array
    """Where each lane is in its stack, `int32[L]`."""
    job: Array
    """What it works on, `int32[L]`; -1 once there is nothing left."""
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
    state: Any
    """The positions behind all root moves, `[B, A]`."""
    sign: Array
    """How their values turn into those of the root, `float32[B, A]`."""
    total: Array


class _Children(NamedTuple):
    """Positions one move on, everything `[N, W]`."""

    state: Any
    value: Array
    """Worth to the parent's mover, `float32[N, W]`."""
    sign: Array
    """+1 if the parent's mover moves again, else -1, `float32[N, W]`."""
    over: Array
    """Whether the game ends there, `bool[N, W]`."""


def alpha_beta(
    game: Game[S],
    evaluator: Evaluator[S],
    params: Any,
    roots: S,
    *,
    depth: int,
    exact: bool | Array = False,
    width: int = WIDTH,
) -> Search:
    """Search every root position `[B]` to `depth` plies; `exact` gives every move its true value, at a higher price."""
    if game.rolls:
        raise ValueError(f"alpha-beta cannot search {game.id}, where fate acts: expected a game without chance")
    if depth < 1:
        raise ValueError(f"a search of depth {depth} sees nothing: expected 1 or more")
    scores, children = _one_ply(game, evaluator, params, roots)
    nodes = (scores > -jnp.inf).sum(dtype=jnp.int32)
    if depth == 1:
        return Search(scores, nodes)
    jobs, known = _deal(scores, children)
    most = LANES.get(jax.default_backend(), LANES["other"])
    count = min(most, 16 * scores.shape[0])  # one position keeps no more than about 16 lanes busy
    return _search(game, evaluator, params, jobs, known, nodes, levels=depth - 1, exact=exact, count=count, width=width)


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
        return _Children(state, to_parent * worth, to_parent, over)

    repeated = jax.tree.map(lambda x: jnp.repeat(x, actions.shape[1], axis=0), parents)
    flat: _Children = jax.vmap(child)(repeated, actions.reshape(-1))
    shaped: _Children = jax.tree.map(lambda x: x.reshape(actions.shape + x.shape[1:]), flat)
    return shaped


def _deal(scores: Array, children: _Children) -> tuple[_Jobs, Array]:
    """Root moves to be searched, best first and all roots in turn; and the scores that are known without, `[B, A]`."""
    roots, actions = scores.shape
    promise = jnp.where(children.over, -jnp.inf, scores)
    ranked = jnp.argsort(-promise, axis=1).T.reshape(-1).astype(jnp.int32)  # rank by rank
    root = jnp.tile(jnp.arange(roots, dtype=jnp.int32), actions)
    wanted = promise[root, ranked] > -jnp.inf
    place = jnp.where(wanted, jnp.cumsum(wanted) - 1, roots * actions)
    empty = jnp.zeros(roots * actions, jnp.int32)
    jobs = _Jobs(
        root=empty.at[place].set(root, mode="drop"),
        move=empty.at[place].set(ranked, mode="drop"),
        state=children.state,
        sign=children.sign,
        total=wanted.sum(dtype=jnp.int32),
    )
    return jobs, jnp.where(promise > -jnp.inf, -jnp.inf, scores)


def _search(
    game: Game[S],
    evaluator: Evaluator[S],
    params: Any,
    jobs: _Jobs,
    known: Array,
    nodes: Array,
    *,
    levels: int,
    exact: bool | Array,
    count: int,
    width: int,
) -> Search:
    """Run all `jobs` on `count` lanes; `known` has the scores that need no search, `float32[B, A]`."""

    def blank(*shape: int, dtype: Any = jnp.float32) -> Array:
        return jnp.zeros((levels, count, *shape), dtype)

    empty = _Node(
        state=jax.tree.map(lambda x: blank(*x.shape[2:], dtype=x.dtype), jobs.state),
        rest=tuple(blank(dtype=jnp.uint32) for _ in range(-(-game.num_actions // 32))),
        moves=blank(width, dtype=jnp.int32),
        promise=blank(width) - jnp.inf,
        best=blank(),
        alpha=blank(),
        beta=blank(),
        sign=blank(),
    )
    idle = jnp.full(count, -1, jnp.int32)
    start = _Lanes(empty, jnp.zeros(count, jnp.int32), idle, jnp.int32(0), known, known.max(axis=1), nodes)

    def take_jobs(lanes: _Lanes) -> _Lanes:
        """Give every idle lane the next job, if there is one."""
        free = lanes.job < 0
        place = lanes.dealt + jnp.cumsum(free, dtype=jnp.int32) - 1
        some = free & (place < jobs.total)
        root, move = jobs.root[place], jobs.move[place]
        child, to_parent = jax.tree.map(lambda x: x[root, move], (jobs.state, jobs.sign))
        # One step below the best: a move that only equals it is still given its true value.
        floor = jnp.where(exact, -jnp.inf, _just_below(lanes.best[root]))
        entered = _entered(game, child, floor, jnp.full_like(floor, jnp.inf), to_parent, width)
        return lanes._replace(
            stack=write(lanes.stack, jnp.where(some, 0, -1), entered),
            level=jnp.where(free, 0, lanes.level),
            job=jnp.where(some, place, lanes.job),
            dealt=lanes.dealt + some.sum(dtype=jnp.int32),
        )

    def turn(lanes: _Lanes) -> _Lanes:
        lanes = lax.cond((lanes.job < 0).any() & (lanes.dealt < jobs.total), take_jobs, lambda lanes: lanes, lanes)
        busy = lanes.job >= 0
        stack, evaluated = _expand(game, evaluator, params, lanes.stack, lanes.level, busy)
        stack, level, finished = apart(busy.any(), _climb, stack, lanes.level)
        finished = finished & busy
        place = jnp.where(finished, lanes.job, 0)
        root = jnp.where(finished, jobs.root[place], known.shape[0])
        found = stack.sign[0] * stack.best[0]
        stack, level = _descend(game, stack, level, busy & ~finished)
        return _Lanes(
            stack=stack,
            level=level,
            job=jnp.where(finished, -1, lanes.job),
            dealt=lanes.dealt,
            scores=lanes.scores.at[root, jobs.move[place]].set(found, mode="drop"),
            best=lanes.best.at[root].max(found, mode="drop"),
            nodes=lanes.nodes + evaluated,
        )

    lanes = lax.while_loop(lambda lanes: (lanes.job >= 0).any() | (lanes.dealt < jobs.total), turn, start)
    return Search(lanes.scores, lanes.nodes)


def _expand(
    game: Game[S], evaluator: Evaluator[S], params: Any, stack: _Node, level: Array, busy: Array
) -> tuple[_Node, Array]:
    """Play the next moves of each lane's node; what is decided counts at once, the rest waits to be searched."""
    levels, some = stack.best.shape[0], busy.any()

    def choose(state: Any, rest: tuple[Array, ...], level: Array) -> Any:
        return read(state, level), *next_moves(read(rest, level), game.num_actions, stack.moves.shape[-1])

    def judge(params: Any, state: Any, moves: Array) -> tuple[Array, Array]:
        children = _children(game, evaluator, params, state, moves)
        return children.value, children.over

    state, moves, rest = apart(some, choose, stack.state, stack.rest, level)
    values, over = apart(some, judge, params, state, moves)
    real = (moves < game.num_actions) & busy[:, None]
    decided = real & (over | (level == levels - 1)[:, None])
    best = jnp.maximum(read(stack.best, level), jnp.where(decided, values, -jnp.inf).max(axis=1))
    promise = jnp.where(real & ~decided, values, -jnp.inf)
    stack = stack._replace(
        rest=write(stack.rest, level, rest),
        moves=write(stack.moves, level, moves),
        promise=write(stack.promise, level, promise),
        best=write(stack.best, level, best),
    )
    return stack, real.sum(dtype=jnp.int32)


def _climb(stack: _Node, level: Array) -> tuple[_Node, Array, Array]:
    """Carry values up from finished nodes; also says which lanes have finished their job, `bool[L]`."""
    waiting = (stack.promise > -jnp.inf).any(axis=-1) | (reduce(jnp.bitwise_or, stack.rest) != 0)
    best = list(stack.best)
    finished = jnp.zeros_like(level, bool)
    for k in reversed(range(len(best))):
        finished = (level == k) & (~waiting[k] | (best[k] >= stack.beta[k]))
        if k > 0:
            best[k - 1] = jnp.where(finished, jnp.maximum(best[k - 1], stack.sign[k] * best[k]), best[k - 1])
            level = jnp.where(finished, k - 1, level)
    return stack._replace(best=jnp.stack(best)), level, finished


def _descend(game: Game[S], stack: _Node, level: Array, busy: Array) -> tuple[_Node, Array]:
    """Step into the most promising child; a lane whose node has none left stays to expand more of its moves."""
    width = stack.moves.shape[-1]

    def choose(stack: _Node, level: Array) -> tuple[_Node, Array, Array, Array]:
        here: _Node = read(stack, level)
        most = here.promise.max(axis=1)
        chosen = jnp.arange(width) == first(here.promise == most[:, None])[:, None]
        move = jnp.where(chosen, here.moves, 0).sum(axis=1)
        left = jnp.where(chosen, -jnp.inf, here.promise)
        return here, move, left, busy & (most > -jnp.inf)

    here, move, left, down = apart(busy.any(), choose, stack, level)
    child = jax.vmap(game.apply)(here.state, move)
    to_parent = jax.vmap(lambda s, t: sign(game, s, t))(here.state, child)
    stack = stack._replace(promise=write(stack.promise, level, left))
    entered = _entered(game, child, jnp.maximum(here.alpha, here.best), here.beta, to_parent, width)
    return write(stack, jnp.where(down, level + 1, -1), entered), jnp.where(down, level + 1, level)


def _entered(game: Game[S], state: S, alpha: Array, beta: Array, to_parent: Array, width: int) -> _Node:
    """New nodes `[L]` for positions that were reached from parents with this window."""
    lanes = to_parent.shape[0]
    same = to_parent > 0
    return _Node(
        state=state,
        rest=jax.vmap(lambda s: pack(game.legal(s)))(state),
        moves=jnp.zeros((lanes, width), jnp.int32),
        promise=jnp.full((lanes, width), -jnp.inf),
        best=jnp.full(lanes, -jnp.inf),
        alpha=jnp.where(same, alpha, -beta),
        beta=jnp.where(same, beta, -alpha),
        sign=to_parent,
    )


def _just_below(x: Array) -> Array:
    """The next smaller number; around 0 one that is not flushed to 0."""
    tiny = 2 * float(np.finfo(np.float32).tiny)
    return jnp.where(jnp.abs(x) < tiny, -tiny, jnp.nextafter(x, -jnp.inf))
