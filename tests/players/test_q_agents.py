"""Agents with a table or a net for moves: the highest entry among the legal ones, each seat by its own table."""

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.game import legal_actions
from ludens.games.ur import Ur
from ludens.nets.mlp import MLP
from ludens.oracles.numbering import numbering
from ludens.players.q_mlp import QMLP, net
from ludens.players.q_table import QTable

GAME = Ur(pieces=2)
FIRST = GAME.read("first: on a3 b2; second: waiting 2; turn first; throw 1")
SECOND = GAME.read("first: waiting 2; second: on c3 b2; turn second; throw 1")  # the same, as the mover sees it
KEYS = jax.random.split(jax.random.key(0), 64)


def test_each_seat_has_a_table() -> None:
    row, (low, high) = numbering(GAME).decision(FIRST), legal_actions(GAME, FIRST)
    apart = QTable.from_facts(GAME, {"kind": "q-table", "shared": False}, lambda shapes: shapes)
    q = jnp.zeros(apart.shapes()["q"].shape).at[0, row].set(jnp.array([1.0, 2.0])).at[1, row].set(jnp.array([2.0, 1.0]))
    act = jax.jit(jax.vmap(apart.act, in_axes=(None, 0, None)))
    for s, best, scores in ((FIRST, high, (1.0, 2.0)), (SECOND, low, (2.0, 1.0))):
        decision = act({"q": q}, KEYS, s)
        assert set(np.asarray(decision.action).tolist()) == {best}
        assert tuple(np.asarray(decision.scores)[0, [low, high]]) == scores
        assert np.isfinite(np.asarray(decision.scores)[0]).sum() == 2
    shared = QTable.from_facts(GAME, {"kind": "q-table", "shared": True}, lambda shapes: {"q": q[:1]})
    assert shared.shapes()["q"].shape == (1, *q.shape[1:])
    act = jax.jit(shared.act)
    for s in (FIRST, SECOND):
        assert int(act(shared.init(KEYS[0]), KEYS[0], s).action) == high


def test_where_nothing_was_learned_any_move_is_played() -> None:
    agent = QTable.from_facts(GAME, {"shared": True}, lambda shapes: jax.tree.map(lambda x: jnp.zeros(x.shape), shapes))
    played = jax.jit(jax.vmap(agent.act, in_axes=(None, 0, None)))(agent.init(KEYS[0]), KEYS, FIRST).action
    assert set(np.asarray(played).tolist()) == set(legal_actions(GAME, FIRST))


def test_a_net_plays_the_best_legal_action() -> None:
    weights = net(jax.random.key(1), GAME, (5, 3))
    agent = QMLP.from_facts(GAME, {"kind": "q-mlp", "hidden": [5, 3]}, lambda shapes: weights)
    assert jax.tree.map(jnp.shape, weights) == jax.tree.map(lambda x: x.shape, agent.shapes())
    # A net whose outputs are the numbers of the actions: the last one is best but only if it is legal.
    last = jnp.zeros_like(weights.weights[-1]).at[:, -1].set(jnp.arange(16.0))
    counting = MLP((*weights.weights[:-1], last), weights.hidden, weights.output)
    decision = jax.jit(agent.act)(counting, KEYS[0], FIRST)
    assert int(decision.action) == max(legal_actions(GAME, FIRST))
    assert set(np.flatnonzero(np.isfinite(decision.scores)).tolist()) == set(legal_actions(GAME, FIRST))
