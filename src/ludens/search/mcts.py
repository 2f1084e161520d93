"""Monte Carlo tree search on mctx: a tree that grows where play looks good, its leaves judged by whoever is asked.

The tree's nodes are positions. Where a player decides, a branch is an action; where fate is due (games with dice), a
branch is an outcome. So a move before a throw is worth the expectation over throws:

    player's node   the branch with the highest   Q + c d P sqrt(N) / (1 + n)    PUCT
    fate's node     the branch with the highest   P / (2 n + 1)                  Sainte-Laguë

Q is the mean of what came back through the branch, P the judge's prior or the outcome's probability, n the visits of
the branch and N those of the node. A branch not tried yet counts as much as the node itself. Sainte-Laguë hands out
visits in proportion to the probabilities with the least rounding, which keeps the mean an expectation. d is how much
the leaves of the tree differ (their standard deviation): some judges call a good move 0.01 better, random playouts
call it a win or a loss, and both are to be explored alike. As long as few leaves are known, d leans towards 1.

Whose value. All values are those of one seat, the one that decides at the root: its side picks the highest, all other
sides the lowest. With two sides that is minimax; with more it is the paranoid reduction. Nobody has to alternate.

The end. A finished game is worth its result. mctx goes on to expand it; what it finds there is the same position with
the same worth, so means stay what they are.

Hidden facts. The seat's view is completed at random in several ways, the
worlds; each gets a tree of its own with a share of the simulations, and visits are added up. In such a tree fate is
sampled once for each branch: what many worlds draw takes the place of branches for every tile.

Every lane of a batch has its own key, from which everything random in its trees follows, so that no lane's result
depends on another's. mctx's own random numbers are not used.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import mctx

from ludens.core.game import Game, S, settle, where
from ludens.core.playout import playout
from ludens.core.types import Array, Key

EXPLORATION = 3.0
"""c, for judges who know nothing of moves: where P is equal for all, much of it. With a sharp prior, less."""
_TIE = 1e-5
"""Differences of scores below this are left to luck."""
_WIN = 5.0
"""Logit of a move that wins at once, the others having 0: tried first and most, but not alone."""

LeafJudge: TypeAlias = Callable[[Any, Key, S, Array], tuple[Array, Array]]
"""`judge(params, key, s, seat)`: logits of the actions, `float32[A]`, and what an open position is worth to `seat`,
`float32[]` in [-1, 1]. The search itself sees to illegal actions, fate and finished games."""


class MCTSResult(NamedTuple):
    """What a search found out about the actions at its root, as the side that decides there sees it."""

    visits: Array
    """Simulations that began with each action, `float32[B, A]`."""
    values: Array
    """Their mean result, `float32[B, A]` in [-1, 1]; 0 without visits."""
    value: Array
    """Mean result of all simulations, `float32[B]`."""


def search(
    game: Game[S],
    judge: LeafJudge[S],
    params: Any,
    keys: Key,
    views: S,
    *,
    simulations: int,
    exploration: float = EXPLORATION,
    worlds: int = 1,
) -> MCTSResult:
    """Search from every position of a batch, everything `[B]`, where a player is to move.

    A game that is over disturbs no other and gets results that mean nothing. Where facts are hidden, each lane looks
    into `worlds` worlds and spends `simulations / worlds` (rounded up) in each.
    """
    seats = jax.vmap(game.player)(views)
    if not game.hidden:
        return _search(game, judge, params, keys, views, seats, simulations, exploration, explicit=game.num_chance > 0)

    def imagine(key: Key, view: S, seat: Array) -> tuple[Key, S, Array]:
        """The worlds of one lane, everything `[worlds]`."""
        deal, think = jax.random.split(key)
        view = game.view(view, seat)  # whatever else the caller knows
        states = jax.vmap(game.determinize, in_axes=(None, 0))(view, jax.random.split(deal, worlds))
        return jax.random.split(think, worlds), states, jnp.full(worlds, seat)

    lanes, each = len(seats), -(-simulations // worlds)
    imagined = jax.vmap(imagine)(keys, views, seats)
    keys, states, seats = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), imagined)
    found = _search(game, judge, params, keys, states, seats, each, exploration, explicit=False)
    visits, values, value = jax.tree.map(lambda x: x.reshape(lanes, worlds, *x.shape[1:]), found)
    total = visits.sum(axis=1)
    return MCTSResult(total, (visits * values).sum(axis=1) / jnp.maximum(total, 1), value.mean(axis=1))


def rollouts(game: Game[S]) -> LeafJudge[S]:
    """Judges a position by the result of one random game from there; a move that wins at once is made and preferred.

    Otherwise all moves look alike. Without the eye for wins, a move that loses at once seems as good as the random
    replies to it, and a few hundred simulations do not always find out.
    """

    def judge(params: Any, key: Key, s: S, seat: Array) -> tuple[Array, Array]:
        results = jax.vmap(lambda a: game.returns(game.apply(s, a)))(jnp.arange(game.num_actions))[:, game.player(s)]
        wins = results > 0
        start = where(wins.any(), game.apply(s, jnp.argmax(wins)), s)
        end, _ = playout(game, start, key)
        return jnp.where(wins, _WIN, 0.0), game.returns(end)[seat]

    return judge


def movers_view(game: Game[S], evaluate: Callable[[Any, S], tuple[Array, Array]]) -> LeafJudge[S]:
    """Judges by `evaluate(params, s)`, a net or a formula: logits `[A]`, and what `s` is worth to the side to move.

    The other sides see the value with the opposite sign.
    """

    def judge(params: Any, key: Key, s: S, seat: Array) -> tuple[Array, Array]:
        logits, value = evaluate(params, s)
        return logits, _sign(game, s, seat) * value

    return judge


# ---------------------------------------------------------------------- the tree


class _Node(NamedTuple):
    """What mctx keeps for each position of the tree."""

    state: Any
    sign: Array
    """+1 if the root's side moves here, -1 if another does, `float32[]`."""
    key: Array
    """Data of the key for everything random below, `uint32[...]`: mctx stores plain arrays."""


def _search(
    game: Game[S],
    judge: LeafJudge[S],
    params: Any,
    keys: Key,
    states: S,
    seats: Array,
    simulations: int,
    exploration: float,
    explicit: bool,
) -> MCTSResult:
    """One tree for each lane. Branches `[A + C]` if fate's outcomes are `explicit`, else `[A]`, and fate is sampled."""
    actions = game.num_actions
    kind_of_key = jax.random.key_impl(keys)

    def look(params: Any, key: Key, s: S, seat: Array) -> tuple[Array, Array, _Node]:
        """A position as a new node: logits of its branches, its value, and what to keep."""
        now, later = jax.random.split(key)
        logits, value = judge(params, now, s, seat)
        logits = jnp.where(game.legal(s), logits, -jnp.inf)
        if explicit:
            logits = jnp.concatenate([logits, jnp.log(game.chance(s))])
        over = game.done(s)
        node = _Node(s, _sign(game, s, seat), jax.random.key_data(later))
        return jnp.where(over, 0.0, logits), jnp.where(over, game.returns(s)[seat], value), node

    def follow(params: Any, seat: Array, branch: Array, node: _Node) -> tuple[Array, Array, _Node]:
        """Along a branch to the next node. A branch that is closed, as all are at the end, leads back to the same."""
        s: S = node.state
        key = jax.random.fold_in(jax.random.wrap_key_data(node.key, impl=kind_of_key), branch)
        fate, here = jax.random.split(key)
        if explicit:
            rolled = game.roll(s, jnp.clip(branch - actions, 0, game.num_chance - 1))
            t = where(game.chance(s).sum() > 0, rolled, game.apply(s, branch))
        else:
            t = settle(game, game.apply(s, branch), fate)
        return look(params, here, t, seat)

    def expand(context: Any, _: Key, branch: Array, nodes: _Node) -> tuple[Any, _Node]:
        """mctx's recurrent function, everything `[B]`. Values are one seat's all the way, so they pass unchanged."""
        params, seats = context
        logits, value, node = jax.vmap(follow, in_axes=(None, 0, 0, 0))(params, seats, branch, nodes)
        reward, discount = jnp.zeros_like(value), jnp.ones_like(value)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), node

    def select(_: Key, tree: Any, node: Array, depth: Array | int = 0) -> Array:
        """The branch to follow from `node` of one lane's tree, `int32[]`."""
        visits, logits = tree.children_visits[node], tree.children_prior_logits[node]
        prior = jax.nn.softmax(logits)
        mean = jnp.where(visits > 0, tree.children_values[node], tree.node_values[node])
        urge = exploration * _spread(tree) * jnp.sqrt(tree.node_visits[node]) * prior / (1 + visits)
        score = tree.embeddings.sign[node] * mean + urge
        if explicit:
            score = jnp.where(jnp.arange(score.size) < actions, score, prior / (2 * visits + 1))
        return jnp.argmax(jnp.where(logits > -jnp.inf, score + tree.extra_data, -jnp.inf)).astype(jnp.int32)

    def plant(key: Key, s: S, seat: Array) -> tuple[tuple[Array, Array, _Node], Array]:
        """The root of one lane, and the luck that decides between equal branches."""
        here, luck = jax.random.split(key)
        root = look(params, here, s, seat)
        return root, _TIE * jax.random.uniform(luck, root[0].shape)

    (logits, value, node), luck = jax.vmap(plant)(keys, states, seats)
    tree = mctx.search(
        (params, seats),
        jax.random.key(0),  # mctx wants one; nothing here listens to it
        root=mctx.RootFnOutput(prior_logits=logits, value=value, embedding=node),
        recurrent_fn=expand,
        root_action_selection_fn=select,
        interior_action_selection_fn=select,
        num_simulations=simulations,
        extra_data=luck,
    )
    found = tree.summary()
    return MCTSResult(found.visit_counts[:, :actions], found.qvalues[:, :actions], found.value)


def _sign(game: Game[S], s: S, seat: Array) -> Array:
    """+1 if the side of `seat` moves in `s`, else -1, `float32[]`."""
    return jnp.where(game.side(game.player(s)) == game.side(seat), 1.0, -1.0).astype(jnp.float32)


def _spread(tree: Any) -> Array:
    """Standard deviation of the leaves' values in one lane's tree, `float32[]`, as if there were one more far out."""
    count = tree.node_visits[tree.ROOT_INDEX]
    total, squares = tree.raw_values.sum(), (tree.raw_values**2).sum()
    return jnp.sqrt((1 + jnp.maximum(squares - total**2 / count, 0)) / (1 + count))
