"""Lanes that have run out of jobs help those that have not.

When there is no job left to be dealt, a search would take as many turns as its slowest job, with nearly all lanes idle.
So a lane that still has children waiting *lends* them: an idle lane takes one, searches it in its own stack at the same
level as its owner would have, and returns the value to the node that it came from. Helpers lend in turn.

A node is not finished while some of its children are lent, unless the value of one of them is enough to refute it. Then
those that still search the others are *orphans*: what they find has nowhere to go, so they stop at once, and their own
helpers with them.

A lane's window can narrow while it searches: when a helper or a rival for the same root comes back with a better value.
From then on that lane searches as if it had known before. What it has found so far is only more precise than needed.

Shapes: `R` levels, `L` lanes, `W` moves at a time.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.types import Array
from ludens.search.stack import Node, first, read, write

T = TypeVar("T")


class LanePlace(NamedTuple):
    """Where each lane is and what for, everything `int32[L]`."""

    level: Array
    """Its node's level in its stack."""
    base: Array
    """Level of the node it began with: 0 for a job, more for a helper; what lies above is in its owner's stack."""
    owner: Array
    """Lane whose child it searches; a lane with a job of its own is its own owner."""
    job: Array
    """What it works on, be it to help; -1 if it is idle."""


class Step(NamedTuple):
    """What each lane enters next: the position one move on from some node, everything `[L, ...]`."""

    some: Array
    """Whether there is one, `bool[L]`."""
    parent: Any
    """The position before the move."""
    move: Array
    """The move, `int32[L]`."""
    alpha: Array
    """The window of the node it leaves, `float32[L]`."""
    beta: Array
    place: LanePlace
    """The lane's place when it is there."""


class Loan(NamedTuple):
    """What each lane has lent in this turn."""

    level: Array
    """Of the node that it was taken from, `int32[L]`; -1 if nothing was."""
    promise: Array
    """What is still waiting in that node, `float32[L, W]`."""
    taken: Array
    """How many children were taken, `int32[L]`."""


def only_if(condition: Array, function: Callable[..., T], unchanged: T, *args: Any) -> T:
    """`function(unchanged, *args)`; where `condition` is false **`unchanged` must do as well**: a CPU saves it then.

    An accelerator computes it always: there a conditional takes longer than most that it could save.
    """

    def ask(condition: Array, unchanged: T, *args: Any) -> T:
        result: T = lax.cond(condition, function, lambda unchanged, *_: unchanged, unchanged, *args)
        return result

    result: T = lax.platform_dependent(condition, unchanged, *args, cpu=ask, default=lambda _, *args: function(*args))
    return result


def choose(which: Array, new: T, old: T) -> T:
    """Of trees of `[L, ...]`, `new` for the lanes in `which` `bool[L]`, `old` for the others."""

    def one(new: Array, old: Array) -> Array:
        return jnp.where(which.reshape((-1,) + (1,) * (new.ndim - 1)), new, old)

    result: T = jax.tree.map(one, new, old)
    return result


def lend(unchanged: tuple[Step, Loan], stack: Node, place: LanePlace) -> tuple[Step, Loan]:
    """Let idle lanes step into children that wait in the stacks of busy ones, the most promising of each first.

    `place` is where the lanes are before they step.
    """
    step, _ = unchanged
    level = _level_to_lend(stack, place)
    node: Node = read(stack, level)
    promise = jnp.where((level < stack.best.shape[0])[:, None], node.promise, -jnp.inf)
    offered, idle = (promise > -jnp.inf).sum(axis=1, dtype=jnp.int32), step.place.job < 0
    helps, owner, rank, taken = _match(offered, idle)
    ranks = _ranks(promise)
    chosen = ranks[owner] == rank[:, None]
    parent, alpha, beta = jax.tree.map(lambda x: x[owner], (node.state, jnp.maximum(node.alpha, node.best), node.beta))
    base = level[owner] + 1
    helper = Step(
        some=helps,
        parent=parent,
        move=jnp.where(chosen, node.moves[owner], 0).sum(axis=1),
        alpha=alpha,
        beta=beta,
        place=LanePlace(base, base, owner, place.job[owner]),
    )
    left = jnp.where(ranks < taken[:, None], -jnp.inf, promise)
    return choose(helps, helper, step), Loan(jnp.where(taken > 0, level, -1), left, taken)


def note(stack: Node, loan: Loan) -> Node:
    """The owners' nodes without the children that they lent."""
    return stack._replace(
        promise=write(stack.promise, loan.level, loan.promise),
        lent=write(stack.lent, loan.level, read(stack.lent, loan.level) + loan.taken),
    )


def _level_to_lend(stack: Node, place: LanePlace) -> Array:
    """Where each lane has children to lend, `int32[L]`; `R` if nowhere. Nearest to its base, where they are largest.

    A node lends nothing before it has a value: its first child often refutes it, and sets the window if it does not.
    """
    height = jnp.arange(stack.best.shape[0], dtype=jnp.int32)[:, None]
    used = (place.job >= 0) & (place.base <= height) & (height <= place.level)  # the rest of a stack is out of date
    wanted = (stack.best > -jnp.inf) & (stack.best < stack.beta)
    return first((used & wanted & (stack.promise > -jnp.inf).any(axis=-1)).T)


def _match(offered: Array, idle: Array) -> tuple[Array, Array, Array, Array]:
    """Who helps whom, when lanes have so many children to lend and these are idle.

    Which lanes help, `bool[L]`; for each of them its owner and which of the owner's children it takes; and how many are
    taken from each lane, all `int32[L]`.
    """
    until = jnp.cumsum(offered, dtype=jnp.int32)
    since = until - offered
    number = jnp.cumsum(idle, dtype=jnp.int32) - 1  # the idle lane of this number gets the child of the same number
    owner = (until <= number[:, None]).sum(axis=1, dtype=jnp.int32)
    helps = idle & (owner < offered.shape[0])
    owner = jnp.where(helps, owner, 0)
    return helps, owner, number - since[owner], jnp.clip(idle.sum(dtype=jnp.int32) - since, 0, offered)


def _ranks(x: Array) -> Array:
    """Place of each number in its row, from the largest, `float32[L, W] -> int32[L, W]`."""
    column = jnp.arange(x.shape[1])
    mine, other = x[:, :, None], x[:, None, :]
    return ((other > mine) | ((other == mine) & (column < column[:, None]))).sum(axis=2, dtype=jnp.int32)


def narrow(stack: Node, floor: Array, place: LanePlace) -> tuple[Array, Array]:
    """The windows of all nodes, alpha and beta `[R, L]`, by what is known now: other lanes have found values meanwhile.

    `floor` `float32[L]` is what the root of each lane's job has at least.
    """
    lane = jnp.arange(floor.shape[0], dtype=jnp.int32)
    alpha, beta, windows = floor, jnp.full_like(floor, jnp.inf), []
    for k in range(stack.best.shape[0]):
        if k > 0:
            above = jnp.where(place.base == k, place.owner, lane)
            alpha, beta = jnp.maximum(alpha, stack.best[k - 1])[above], beta[above]
        alpha, beta = child_window(alpha, beta, stack.sign[k])
        windows.append((alpha, beta))
    alphas, betas = zip(*windows, strict=True)
    return jnp.stack(alphas), jnp.stack(betas)


def child_window(alpha: Array, beta: Array, to_parent: Array) -> tuple[Array, Array]:
    """A window as the mover behind a move sees it, who may be the same (`to_parent` +1) or the other one (-1)."""
    same = to_parent > 0
    return jnp.where(same, alpha, -beta), jnp.where(same, beta, -alpha)


def give_back(unchanged: tuple[Array, Array, Array], found: Array, place: LanePlace) -> tuple[Array, Array, Array]:
    """Hand what helpers have found to their owners: best values and loans, `[R, L]`; and which lanes stop, `bool[L]`.

    `unchanged` has the same, with the lanes that have finished; `found` `float32[L]` is what they found, to the parent.
    """
    best, lent, finished = unchanged
    above = place.base - 1  # level of the owner's node
    level, orphan = jnp.where(finished, above, place.level), jnp.zeros_like(finished)
    for _ in range(best.shape[0] - 1):  # from owners to helpers and on to theirs, whose bases rise
        orphan = level[place.owner] < above
        level = jnp.where(orphan, above, level)
    returns = finished & ~orphan & (place.base > 0)
    owner = jnp.where(returns, place.owner, best.shape[1])
    best = best.at[above, owner].max(found, mode="drop")
    lent = lent.at[above, owner].add(-1, mode="drop")
    return best, lent, finished | orphan
