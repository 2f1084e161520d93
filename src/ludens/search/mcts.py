"""Monte Carlo tree search: a tree that grows where play looks good, its leaves judged by whoever is asked (`tree.py`).

Two ways to choose at a player's node; fate's nodes hand out visits in proportion to their probabilities.

`search`, for players: the branch with the highest Q + c d P sqrt(N) / (1 + n) (PUCT), where Q is the mean of what came
back through the branch, P the judge's prior, n the visits of the branch and N those of the node. A branch not tried yet
counts as much as the node itself. d is how much the leaves of the tree differ (their standard deviation): some judges
call a good move 0.01 better, random playouts call it a win or a loss, and both are to be explored alike. As long as few
leaves are known, d leans towards 1.

`gumbel_search`, for learning: at the root sequential halving among actions drawn without replacement, below it whatever
brings visits closest to the improved policy (Danihelka, Guez, Schrittwieser, Silver 2022, "Policy improvement by
planning with Gumbel"). The improved policy is better than the judge's with any number of simulations, which makes few
enough.

Hidden facts. The seat's view is completed at random in several ways, the
worlds; each gets a tree of its own with a share of the simulations, and visits are added up. In such a tree fate is
sampled once for each branch: what many worlds draw takes the place of branches for every tile.

Every lane of a batch has its own key, from which everything random in its trees follows, so that no lane's result
depends on another's.

Shapes: `B` positions, `A` actions, `K` branches of a node.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.game import Game, S, where
from ludens.core.playout import playout
from ludens.core.types import Array, Key
from ludens.search.tree import Grower, LeafJudge, Node, Tree, sign_for

EXPLORATION = 3.0
"""c, for judges who know nothing of moves: where P is equal for all, much of it. With a sharp prior, less."""
_TIE = 1e-5
"""Differences of scores below this are left to luck."""
_WIN = 5.0
"""Logit of a move that wins at once, the others having 0: tried first and most, but not alone."""
VISIT_OFFSET, VALUE_SCALE = 50.0, 0.1
"""c_visit and c_scale of the Gumbel paper: how much values weigh against the prior, as in mctx."""


class MCTSResult(NamedTuple):
    """What a search found out about the actions at its root, as the side that decides there sees it."""

    visits: Array
    """Simulations that began with each action, `float32[B, A]`."""
    values: Array
    """Their mean result, `float32[B, A]` in [-1, 1]; 0 without visits."""
    value: Array
    """Mean result of all simulations, `float32[B]`."""


class GumbelResult(NamedTuple):
    """What a search for learning found out, as the side that decides sees it."""

    action: Array
    """The one to play, drawn from something close to the improved policy, `int32[B]`."""
    policy: Array
    """The improved policy, `float32[B, A]`; zeros where illegal."""
    value: Array
    """What the position is worth by it, `float32[B]` in [-1, 1]."""


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
        return logits, sign_for(game, s, seat) * value

    return judge


# ---------------------------------------------------------------------- choosing branches


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
    """One tree for each lane."""
    grower = Grower(game, judge, explicit)
    tree = grower.plant(params, keys, states, seats, simulations + 1)
    tree = grower.grow(params, tree, partial(puct, exploration), luck(tree), simulations)
    return summary(grower, tree)


def luck(tree: Tree) -> Array:
    """What decides between equal branches, `float32[B, K]`."""
    draw = partial(jax.random.uniform, shape=tree.logits.shape[2:])
    return _TIE * jax.vmap(lambda key: draw(jax.random.fold_in(key, 0x7FFFFFFF)))(tree.key)


def puct(exploration: float, luck: Array, node: Node, depth: Array) -> Array:
    prior = jax.nn.softmax(node.logits)
    mean = jnp.where(node.visits > 0, node.values, node.value)
    urge = exploration * node.spread * jnp.sqrt(node.total_visits) * prior / (1 + node.visits)
    return jnp.argmax(jnp.where(node.logits > -jnp.inf, mean + urge + luck, -jnp.inf)).astype(jnp.int32)


def summary(grower: Grower[S], tree: Tree) -> MCTSResult:
    """What is known at the roots."""
    root, _ = grower.nodes(tree, jnp.zeros(len(tree.seat), jnp.int32))
    actions = grower.game.num_actions
    return MCTSResult(root.visits[:, :actions], root.values[:, :actions], root.value)


def gumbel_search(
    game: Game[S],
    judge: LeafJudge[S],
    params: Any,
    keys: Key,
    views: S,
    *,
    simulations: int,
    considered: int = 16,
    gumbel_scale: float | Array = 1.0,
) -> GumbelResult:
    """Search from every position of a batch, everything `[B]`, where a player is to move.

    At most `considered` actions are looked into at the root. Where facts are hidden, each lane looks into one world.
    """
    seats = jax.vmap(game.player)(views)
    think, deal, noise = jax.vmap(lambda key: jax.random.split(key, 3), out_axes=1)(keys)
    states = views
    if game.hidden:
        states = jax.vmap(lambda view, seat, key: game.determinize(game.view(view, seat), key))(views, seats, deal)
    grower = Grower(game, judge, explicit=game.num_chance > 0 and not game.hidden)
    tree = grower.plant(params, think, states, seats, simulations + 1)
    branches = tree.logits.shape[-1]
    gumbel = gumbel_scale * jax.vmap(lambda key: jax.random.gumbel(key, (branches,)))(noise)
    schedule = jnp.asarray(halving_schedule(min(considered, game.num_actions), simulations))
    tree = grower.grow(params, tree, partial(gumbel_select, schedule), gumbel, simulations)
    root, _ = grower.nodes(tree, jnp.zeros(len(seats), jnp.int32))
    completed = jax.vmap(completed_values)(root)
    logits = root.logits + jax.vmap(value_logits)(root, completed)
    most = root.visits.max(axis=1, keepdims=True)
    action = jnp.argmax(jnp.where((root.visits == most) & (logits > -jnp.inf), gumbel + logits, -jnp.inf), axis=1)
    policy = jax.nn.softmax(logits)
    value = (policy * completed).sum(axis=1)
    return GumbelResult(action.astype(jnp.int32), policy[:, : game.num_actions], value)


def gumbel_select(schedule: Array, gumbel: Array, node: Node, depth: Array) -> Array:
    """At the root the best of those that have as many visits as the schedule asks for, by Gumbel noise, prior and
    value; below it the action whose visits lag furthest behind the improved policy."""
    logits = node.logits + value_logits(node, completed_values(node))
    open_branches = (node.logits > -jnp.inf).sum()
    simulation = (node.total_visits - 1).astype(jnp.int32)
    wanted = schedule[jnp.minimum(open_branches, len(schedule) - 1), jnp.minimum(simulation, schedule.shape[1] - 1)]
    at_root = jnp.where(node.visits == wanted, gumbel + logits, -1e9)
    below = jax.nn.softmax(logits) - node.visits / node.total_visits
    return jnp.argmax(jnp.where(node.logits > -jnp.inf, jnp.where(depth == 0, at_root, below), -jnp.inf)).astype(
        jnp.int32
    )


def completed_values(node: Node) -> Array:
    """Values of the branches, `float32[K]`; those not tried yet get what the others and the judge say of the node."""
    tried = node.visits > 0
    prior = jnp.where(tried, jax.nn.softmax(node.logits), 0.0)
    seen = (prior * node.values).sum() / jnp.maximum(prior.sum(), 1e-12)
    visits = node.visits.sum()
    mixed = (node.raw_value + visits * jnp.where(tried.any(), seen, 0.0)) / (1 + visits)
    return jnp.where(tried, node.values, mixed)


def value_logits(node: Node, completed: Array) -> Array:
    """What values add to the logits, `float32[K]`: they count from the worst to the best that is known."""
    low, high = completed.min(), completed.max()
    rescaled = (completed - low) / jnp.maximum(high - low, 1e-8)
    return (VISIT_OFFSET + node.visits.max()) * VALUE_SCALE * rescaled


@cache
def halving_schedule(most: int, simulations: int) -> np.ndarray:
    """How many visits an action must have to be chosen in each simulation, `int32[most + 1, simulations]`.

    One row for each number of actions to begin with. Half of them drop out as soon as all have had their share.
    """
    rows = []
    for count in range(most + 1):
        row: list[int] = []
        alive, visited, rounds = max(count, 1), 0, max(int(np.ceil(np.log2(max(count, 2)))), 1)
        while len(row) < simulations:
            each = max(1, simulations // (rounds * alive)) if count > 1 else simulations
            for _ in range(each):
                row += [visited] * alive
                visited += 1
            alive = max(2, alive // 2) if count > 1 else 1
        rows.append(row[:simulations])
    return np.array(rows, np.int32)
