"""The agent of Okey's actor-critic: the right act for an output, legal in every variant, and blind to hidden facts."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.games.okey import DISCARD, DRAW, FIRST_DISCARD, SHOW, TAKE
from ludens.nets.mlp import MLP
from ludens.players.okey_actors import Actors, TwoActors, actors, choose, inputs
from players.positions import check_decisions, positions, views

TWO = make("okey", players=2)
TEAMS = make("okey", players=4, teams=True, show_indicator=True)
FACTS = {"kind": "two-actors", "draw_hidden": 6, "hidden": 5, "discards": False, "sample": False}
KEYS = jax.random.split(jax.random.key(0), 4000)


def drawn_at_random(shapes: Actors) -> Actors:
    """Weights large enough for opinions."""
    leaves, tree = jax.tree.flatten(shapes)
    keys = jax.random.split(jax.random.key(3), len(leaves))
    return jax.tree.unflatten(tree, [jax.random.normal(key, x.shape) for key, x in zip(keys, leaves, strict=True)])


def agent(game: Any = TWO, source: Any = drawn_at_random, **facts: Any) -> TwoActors:
    return TwoActors.from_facts(game, FACTS | facts, source)


def constant(net: MLP, outputs: Any) -> MLP:
    """A net with these outputs, whatever it sees."""
    last = jnp.zeros_like(net.weights[-1]).at[:, -1].set(jnp.asarray(outputs))
    return MLP((*net.weights[:-1], last), net.hidden, net.output)


def fixed(who: TwoActors, sources: Any, places: Any) -> Actors:
    nets = who.init(KEYS[0])
    return Actors(constant(nets.draw, sources), constant(nets.discard, places))


def view(phase: str) -> Any:
    hand = "r1 r1 r13 b1 b7 g2 g2 g9 y1 y5 y12 y13 okey okey" + (" y13" if phase == "discard" else "")
    offer = "offer b3 " if phase == "draw" else ""
    return TWO.read(f"indicator g5 turn 1 phase {phase} {offer}hands ?14 / {hand} discards r4 b3 / y2")


def test_the_thesiss_sizes() -> None:
    assert inputs(TWO, discards=False) == (107, 53)
    assert inputs(TWO, discards=True) == (107 + 106, 53 + 106)
    assert inputs(make("okey", players=4), discards=True) == (107 + 212, 53 + 212)
    nets = jax.eval_shape(partial(actors, game=TWO, draw_hidden=512, hidden=128, discards=False), KEYS[0])
    assert [w.shape for w in nets.draw.weights] == [(512, 108), (2, 513)]
    assert [w.shape for w in nets.discard.weights] == [(128, 54), (128, 129), (128, 129), (15, 129)]


@pytest.mark.slow
@pytest.mark.parametrize("sample", [False, True])
@pytest.mark.parametrize(("game", "discards"), [(TWO, False), (TWO, True), (TEAMS, True)])
def test_legal_everywhere_and_blind_to_what_is_hidden(game: Any, discards: bool, sample: bool) -> None:
    states = positions(game, 8)
    who = agent(game, discards=discards, sample=sample)
    decisions = check_decisions(who, states)
    if game.show_indicator:
        assert (np.asarray(decisions.action) != SHOW).all()  # it has no output for that
    seen = views(game, states)
    keys = jax.random.split(jax.random.key(5), 64)
    others = jax.vmap(lambda s, key: game.view(game.determinize(game.view(s, s.turn), key), s.turn))(states, keys)
    act = jax.jit(partial(who.act_batch, who.init(KEYS[0])))
    for one, other in zip(jax.tree.leaves(act(KEYS[:64], seen)), jax.tree.leaves(act(KEYS[:64], others)), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_drawing() -> None:
    who, s = agent(), view("draw")
    for outputs, best in (([1.0, 0.0], TAKE), ([0.0, 1.0], 0)):
        decision = who.act(fixed(who, jnp.array(outputs), jnp.arange(15.0)), KEYS[0], s)
        assert int(decision.action) == best
        likely = np.exp(1) / (1 + np.exp(1))
        assert float(decision.scores[best]) == pytest.approx(likely, rel=1e-5)
        assert float(decision.scores[1 - best]) == pytest.approx(1 - likely, rel=1e-5)
        assert (np.asarray(decision.scores)[2:] == -np.inf).all()


# The tiles in order: r1 r1 r13 b1 b7 g2 g2 g9 y1 y5 y12 y13 y13 okey okey. With probabilities of 1 to 15 of 120, r1 has
# 1 + 2, g2 6 + 7, y13 12 + 13, the joker 14 + 15; the likeliest output is the last.
def test_equal_tiles_add_up_and_the_likeliest_output_is_thrown() -> None:
    who, s = agent(), view("discard")
    act = jax.jit(who.act)
    decision = act(fixed(who, jnp.zeros(2), jnp.log(jnp.arange(1.0, 16))), KEYS[0], s)
    scores = {TWO.name(a, s): float(decision.scores[a]) for a in np.flatnonzero(np.isfinite(decision.scores))}
    expected = {"r1": 3, "r13": 3, "b1": 4, "b7": 5, "g2": 13, "g9": 8, "y1": 9, "y5": 10, "y12": 11, "y13": 25}
    expected |= {"okey": 29}
    assert scores == pytest.approx({f"discard {tile}": n / 120 for tile, n in expected.items()}, rel=1e-5)
    assert TWO.name(int(decision.action), s) == "discard okey"
    odd_one_out = jnp.log(jnp.ones(15).at[0].set(1.5).at[1].set(1.5).at[7].set(2.0))  # g9: 2; r1: 3 together
    assert TWO.name(int(act(fixed(who, jnp.zeros(2), odd_one_out), KEYS[0], s).action), s) == "discard g9"


def test_sampled_acts_have_their_probabilities() -> None:
    who = agent(sample=True)
    params = fixed(who, jnp.array([0.0, jnp.log(3.0)]), jnp.log(jnp.arange(1.0, 16)))
    for s, states in ((view("draw"), DRAW), (view("discard"), DISCARD)):
        assert int(s.phase) == states
        decisions = jax.jit(jax.vmap(who.act, in_axes=(None, 0, None)))(params, KEYS, s)
        counts = np.bincount(np.asarray(decisions.action), minlength=TWO.num_actions) / len(KEYS)
        expected = np.maximum(np.asarray(decisions.scores[0]), 0)
        np.testing.assert_allclose(counts, expected, atol=0.03)  # four deviations
    assert counts[FIRST_DISCARD] > 0


def test_the_first_of_equal_outputs() -> None:
    outputs = jnp.array([0.0, 2.0, 1.0, 2.0])
    assert {int(choose(outputs, key, greedy=True)) for key in KEYS[:8]} == {1}
    assert {int(choose(outputs, key, greedy=False)) for key in KEYS[:64]} >= {1, 3}


def test_only_okey() -> None:
    with pytest.raises(ValueError, match="an agent of the kind 'two-actors' cannot play ur: expected"):
        agent(make("ur"))
