"""A batch of search trees that grow in step: every simulation adds one node to each.

A node is a position, a branch an action or, where fate is due and its outcomes are `explicit`, an outcome. One
simulation goes down from the root, at each node along the branch that `select` names, to a branch not tried yet; the
position behind it becomes a node, is judged, and its value counts for every node on the way.

Whose value. All values are those of one seat, the one that decides at the root, so what comes back to a node is added
up as it is. Its side picks the highest, all other sides the lowest (`sign`): with two sides that is minimax, with more
the paranoid reduction. Nobody has to alternate.

Why not mctx's trees. They keep visits and values of every branch and walk back from the leaf node by node; under `vmap`
such a walk copies whole trees on a CPU and waits for the host at every step on a GPU. Here nodes are counted, not
branches, and since a value is one seat's all the way, coming back is one addition for all nodes that were passed.
New nodes have the same number in all trees, so a node is written as one slice. Measured in `benchmarks/self_play.py`.

Shapes: `N` nodes, `B` trees, `K` branches: `A` actions and then `C` outcomes where they are explicit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.game import Game, S, settle, where
from ludens.core.types import Array, Key

LeafJudge: TypeAlias = Callable[[Any, Key, S, Array], tuple[Array, Array]]
"""`judge(params, key, s, seat)`: logits of the actions, `float32[A]`, and what an open position is worth to `seat`,
`float32[]` in [-1, 1]. The search itself sees to illegal actions, fate and finished games."""


class Tree(NamedTuple):
    """Trees side by side; of the nodes the first `size` are there, the root is number 0."""

    size: Array
    """`int32[]`."""
    key: Key
    """Of each tree, `[B]`: everything random in it follows from this and the number of the node."""
    seat: Array
    """Whose values these are, `int32[B]`."""
    state: Any
    """Positions, `[N, B]`."""
    logits: Array
    """Of the branches, `float32[N, B, K]`; -inf where closed."""
    raw_value: Array
    """What the judge said of each node, or its result, `float32[N, B]`."""
    sign: Array
    """+1 if the root's side moves there, -1 if another does, `float32[N, B]`."""
    over: Array
    """Whether the game is over there, `bool[N, B]`."""
    child: Array
    """Number of the node behind each branch, `int32[N, B, K]`; 0 if there is none yet."""
    visits: Array
    """Simulations that came by, `float32[N, B]`."""
    total: Array
    """Sum of the values that they brought back, `float32[N, B]`."""
    squares: Array
    """Sum of the squares of all values, `float32[B]`."""


class Node(NamedTuple):
    """What there is to choose from at one node, as the side that moves there sees it. For fate's nodes `fate` holds."""

    logits: Array
    """`float32[K]`; -inf where closed."""
    visits: Array
    """Of each branch, `float32[K]`."""
    values: Array
    """Mean value of each branch, `float32[K]`; 0 without visits."""
    raw_value: Array
    """What the judge said of the node itself, `float32[]`."""
    total_visits: Array
    """Of the node, `float32[]`: one more than its branches have together."""
    value: Array
    """Mean of all that came back to it, `float32[]`."""
    spread: Array
    """Standard deviation of all values in the tree, as if there were one more far out, `float32[]`."""


Select: TypeAlias = Callable[[Any, Node, Array], Array]
"""`select(extra, node, depth)`: the branch to follow, `int32[]`; the root has depth 0, `extra` is the tree's own."""


@dataclass(frozen=True)
class Grower(Generic[S]):
    """Plants trees in `game` and lets them grow, their leaves judged by `judge`."""

    game: Game[S]
    judge: LeafJudge[S]
    explicit: bool
    """Whether fate's outcomes are branches; if not, fate is sampled once for each branch."""

    def plant(self, params: Any, keys: Key, states: S, seats: Array, capacity: int) -> Tree:
        """Trees of nothing but their roots `[B]`, with room for `capacity` nodes."""
        numbered = jax.vmap(jax.random.fold_in, (0, None))(keys, 0)
        found = jax.vmap(self._look, in_axes=(None, 0, 0, 0))(params, numbered, states, seats)

        def room(x: Array) -> Array:
            return jnp.zeros((capacity, *x.shape), x.dtype).at[0].set(x)

        kept: Any = jax.tree.map(room, found)
        _, logits, raw_value, *_ = kept
        child = jnp.zeros(logits.shape, jnp.int32)
        visits = jnp.zeros(raw_value.shape, jnp.float32).at[0].set(1.0)
        return Tree._make((jnp.int32(1), keys, seats, *kept, child, visits, visits * raw_value, raw_value[0] ** 2))

    def grow(self, params: Any, tree: Tree, select: Select, extra: Any, simulations: int) -> Tree:
        """So many simulations more. `select` gets `extra` `[B]` of its tree; there must be room for the nodes."""
        grown: Tree = lax.fori_loop(0, simulations, lambda _, tree: self._simulate(params, tree, select, extra), tree)
        return grown

    def _simulate(self, params: Any, tree: Tree, select: Select, extra: Any) -> Tree:
        lane = jnp.arange(len(tree.seat))
        parent, branch, path, fresh = self._descend(tree, select, extra)
        keys = jax.vmap(jax.random.fold_in, (0, None))(tree.key, tree.size)
        s = jax.tree.map(lambda x: x[parent, lane], tree.state)
        found = jax.vmap(self._follow, in_axes=(None, 0, 0, 0, 0))(params, keys, s, branch, tree.seat)
        kept: Any = (tree.state, tree.logits, tree.raw_value, tree.sign, tree.over)

        def write(whole: Array, new: Array) -> Array:
            written: Array = lax.dynamic_update_index_in_dim(whole, new, tree.size, 0)
            return written

        kept = jax.tree.map(write, kept, found)
        # A way that ended at a finished game made no node: what was computed lies beside the tree.
        child = tree.child.at[jnp.where(fresh, parent, len(path)), lane, branch].set(tree.size, mode="drop")
        leaf = jnp.where(fresh, found[2], tree.raw_value[parent, lane])
        path = path | (fresh & (jnp.arange(len(path)) == tree.size)[:, None])
        visits, total = tree.visits + path, tree.total + jnp.where(path, leaf, 0.0)
        squares = tree.squares + leaf**2
        return Tree._make((tree.size + 1, tree.key, tree.seat, *kept, child, visits, total, squares))

    def _descend(self, tree: Tree, select: Select, extra: Any) -> tuple[Array, Array, Array, Array]:
        """From the roots down: the last node `int32[B]`, the branch that leads on from it, all nodes on the way
        `bool[N, B]`, and whether a node is to be made: not if the game is over there."""
        lane = jnp.arange(len(tree.seat))
        numbers = jnp.arange(len(tree.visits))[:, None]

        def going_on(way: tuple[Array, Array, Array, Array, Array]) -> Array:
            return way[-1].any()

        def onward(way: tuple[Array, Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array, Array]:
            node, branch, path, depth, going = way
            chosen = self._choose(tree, select, extra, node, depth)
            behind = tree.child[node, lane, chosen]
            stays = (behind == 0) | tree.over[behind, lane]
            passed = jnp.where(going & (behind > 0), behind, node)
            return (
                passed,
                jnp.where(going, chosen, branch),
                path | (numbers == passed),
                depth + 1,
                going & ~stays,
            )

        node = jnp.zeros(lane.shape, jnp.int32)
        start = node, node, jnp.broadcast_to(numbers == 0, tree.visits.shape), jnp.int32(0), ~tree.over[0]
        node, branch, path, _, _ = lax.while_loop(going_on, onward, start)
        return node, branch, path, ~tree.over[node, lane]

    def _choose(self, tree: Tree, select: Select, extra: Any, node: Array, depth: Array) -> Array:
        """The branches to follow from nodes `int32[B]`, `int32[B]`."""
        nodes, fate = self.nodes(tree, node)
        chosen = jax.vmap(select, in_axes=(0, 0, None))(extra, nodes, depth)
        if not self.explicit:
            return chosen
        # Sainte-Laguë hands out visits in proportion to the probabilities with the least rounding.
        due = jnp.where(nodes.logits > -jnp.inf, jax.nn.softmax(nodes.logits) / (2 * nodes.visits + 1), -1.0)
        return jnp.where(fate, jnp.argmax(due, axis=-1).astype(jnp.int32), chosen)

    def nodes(self, tree: Tree, node: Array) -> tuple[Node, Array]:
        """What is known at one node of each tree, numbers `int32[B]`; and where fate is due, `bool[B]`."""
        lane = jnp.arange(len(tree.seat))
        child, sign = tree.child[node, lane], tree.sign[node, lane]
        tried = child > 0
        visits = jnp.where(tried, tree.visits[child, lane[:, None]], 0.0)
        values = jnp.where(tried, tree.total[child, lane[:, None]] / jnp.maximum(visits, 1.0), 0.0)
        count = tree.visits[node, lane]
        mean = tree.total[node, lane] / count
        logits = tree.logits[node, lane]
        fate = (logits[:, self.game.num_actions :] > -jnp.inf).any(axis=1)
        raw_value = sign * tree.raw_value[node, lane]
        return Node(logits, visits, sign[:, None] * values, raw_value, count, sign * mean, _spread(tree)), fate

    def _look(self, params: Any, key: Key, s: S, seat: Array) -> tuple[S, Array, Array, Array, Array]:
        """A position as a new node: itself, logits of its branches, raw value, sign and whether it is an end."""
        logits, raw_value = self.judge(params, key, s, seat)
        logits = jnp.where(self.game.legal(s), logits, -jnp.inf).astype(jnp.float32)
        if self.explicit:
            logits = jnp.concatenate([logits, jnp.log(self.game.chance(s))])
        over = self.game.done(s)
        raw_value = jnp.where(over, self.game.returns(s)[seat], raw_value).astype(jnp.float32)
        return s, jnp.where(over, 0.0, logits), raw_value, sign_for(self.game, s, seat), over

    def _follow(self, params: Any, key: Key, s: S, branch: Array, seat: Array) -> tuple[S, Array, Array, Array, Array]:
        """Along a branch to the next node."""
        game = self.game
        fate, here = jax.random.split(key)
        if self.explicit:
            rolled = game.roll(s, jnp.clip(branch - game.num_actions, 0, game.num_chance - 1))
            t = where(game.chance(s).sum() > 0, rolled, game.apply(s, branch))
        else:
            t = settle(game, game.apply(s, branch), fate)
        return self._look(params, here, t, seat)


def sign_for(game: Game[S], s: S, seat: Array) -> Array:
    """+1 if the side of `seat` moves in `s`, else -1, `float32[]`."""
    return jnp.where(game.side(game.player(s)) == game.side(seat), 1.0, -1.0).astype(jnp.float32)


def _spread(tree: Tree) -> Array:
    count, total = tree.visits[0], tree.total[0]
    return jnp.sqrt((1 + jnp.maximum(tree.squares - total**2 / count, 0)) / (1 + count))
