"""Who plays by an actor: valid moves only, the likeliest or in proportion, in every seat, whatever the encoding."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import legal_actions
from ludens.games.onitama import Onitama
from ludens.games.othello import Othello
from ludens.nets.onitama_actors import ACTORS, Net, act, create_actor, masked
from ludens.players.onitama_actor import ActorPlayer
from ludens.players.onitama_encoding import ENCODINGS, PAPER_CARDS
from variants import slow_but

GAME = Onitama(PAPER_CARDS)
SHORT = Onitama(("tiger", "horse", "frog", "crab", "ox"))
KEYS = jax.random.split(jax.random.key(0), 3000)
START = GAME.read("rrRrr/5/5/5/bbBbb blue dragon,monkey red elephant,rooster side goose turn blue")
LATER = GAME.read("r1R1r/1b3/3r1/2B2/b3b blue goose,rooster red dragon,monkey side elephant turn red")


def lively(key: jax.Array, kind: str, planes: int, actions: int) -> Net:
    """An actor that is far from indifferent."""
    net = create_actor(key, kind, planes, actions)
    return Net(net.weights._replace(actions=jax.tree.map(lambda x: 300 * x, net.weights.actions)), net.averages)


def agent(
    kind: str = "val_branch_actions", actions: str = "pawn", sample: bool = False, game: Any = GAME
) -> ActorPlayer:
    facts = {"kind": "actor", "actor": kind, "actions": actions, "sample": sample}
    encoding = ENCODINGS[actions]
    weights = lively(jax.random.key(4), kind, encoding.planes, encoding.actions)
    return ActorPlayer.from_facts(game, facts, lambda shapes: weights)


@pytest.mark.parametrize("kind", ACTORS)
def test_shapes_are_those_of_the_weights(kind: str) -> None:
    one = agent(kind)
    weights = one.init(KEYS[0])
    assert jax.tree.structure(weights) == jax.tree.structure(one.shapes())
    assert jax.tree.map(jnp.shape, weights) == jax.tree.map(lambda x: x.shape, one.shapes())


@pytest.mark.slow
@pytest.mark.parametrize("actions", slow_but(ENCODINGS))
def test_scores_are_the_masked_output(actions: str) -> None:
    one = agent(actions=actions)
    weights = one.init(KEYS[0])
    decide = jax.jit(one.act)
    for s in (START, LATER):
        encoding = one.encoding
        encoded = jax.tree.map(lambda x: x[None], encoding.encode(s))
        output, _ = jax.jit(act, static_argnums=0)(one.actor, weights, *encoded)
        chances = np.asarray(masked(output.logits[0], encoding.valid(s)))
        decision = decide(weights, KEYS[0], s)
        legal = legal_actions(GAME, s)
        for a in legal:
            assert float(decision.scores[a]) == pytest.approx(
                float(chances[int(encoding.number(s, jnp.int32(a)))]), rel=1e-4
            )
        assert np.flatnonzero(np.isfinite(decision.scores)).tolist() == legal
        assert float(jnp.where(jnp.isfinite(decision.scores), decision.scores, 0).sum()) == pytest.approx(1, rel=1e-4)
        assert int(decision.action) == int(decision.scores.argmax())


@pytest.mark.parametrize("actions", slow_but(ENCODINGS))
def test_moves_are_drawn_in_proportion(actions: str) -> None:
    one = agent(actions=actions, sample=True)
    weights = one.init(KEYS[0])
    views = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(KEYS), *x.shape)), LATER)
    decisions = jax.jit(one.act_batch)(weights, KEYS, views)
    scores = np.asarray(decisions.scores)[0]
    counts = np.bincount(np.asarray(decisions.action), minlength=GAME.num_actions) / len(KEYS)
    np.testing.assert_allclose(counts, np.where(np.isfinite(scores), scores, 0), atol=0.04)
    assert (counts > 0).sum() > 3


@pytest.mark.slow
def test_a_batch_is_as_one_by_one() -> None:
    one = agent()
    weights = one.init(KEYS[0])
    both = jax.tree.map(lambda a, b: jnp.stack([a, b]), START, LATER)
    batch, act_alone = jax.jit(one.act_batch)(weights, KEYS[:2], both), jax.jit(one.act)
    for n, s in enumerate((START, LATER)):
        alone = act_alone(weights, KEYS[n], s)
        assert int(alone.action) == int(batch.action[n])
        np.testing.assert_allclose(alone.scores, batch.scores[n], rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("actions", slow_but(ENCODINGS))
@pytest.mark.parametrize("sample", slow_but([False, True]))
def test_who_can_only_pass_passes(actions: str, sample: bool) -> None:
    s = SHORT.read("b3R/b4/b4/b4/B4 blue tiger,horse red frog,crab side ox turn blue")
    one = agent(actions=actions, sample=sample, game=SHORT)
    decision = jax.jit(one.act)(one.init(KEYS[0]), KEYS[0], s)
    assert int(decision.action) == 200
    assert decision.scores[200:].tolist() == [1.0, 0.0]


def test_what_it_plays() -> None:
    assert ActorPlayer.plays(GAME)
    assert not ActorPlayer.plays(Onitama())
    assert not ActorPlayer.plays(Othello())
    with pytest.raises(ValueError, match="the report's encoding needs five cards"):
        agent(game=Onitama())
    facts = {"actor": "val_branch_action", "actions": "pawn", "sample": False}
    with pytest.raises(ValueError, match="the actor is 'val_branch_action': expected one of val_after_actions"):
        ActorPlayer.from_facts(GAME, facts, lambda shapes: None)
