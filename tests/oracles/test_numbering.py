"""Every decision has a number of its own, and its moves too."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import legal_actions, random_action, step
from ludens.games.chung_toi import ChungToi
from ludens.games.othello import Othello
from ludens.games.ur import Ur
from ludens.oracles.numbering import numbering

LANES, TURNS = 128, 60


def visited(game, rows):
    """Decisions of random games, their numbers and their legal moves."""

    def turn(s, key):
        choose, fate, anew = jax.random.split(key, 3)
        t = step(game, s, random_action(game, s, choose), fate)
        fresh = game.init(anew)
        return jax.tree.map(lambda x, y: jnp.where(game.done(t), x, y), fresh, t), s

    def one(key):
        first, rest = jax.random.split(key)
        states = jax.lax.scan(turn, game.init(first), jax.random.split(rest, TURNS))[1]
        return states, jax.vmap(rows.decision)(states), jax.vmap(game.legal)(states)

    states, numbers, legal = jax.jit(jax.vmap(one))(jax.random.split(jax.random.key(0), LANES))
    return jax.tree.map(np.ravel, states), np.ravel(numbers), np.asarray(legal).reshape(-1, game.num_actions)


@pytest.mark.parametrize(
    "game", [Ur(), Ur(rules="finkel", pieces=2), Ur(pieces=1), ChungToi(), Othello(size=4)], ids=lambda game: repr(game)
)
def test_numbers(game, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path))
    rows = numbering(game)
    states, numbers, legal = visited(game, rows)
    assert numbers.min() >= 0
    assert numbers.max() < rows.decisions
    assert legal.sum(axis=1).max() <= rows.width
    # Whoever sits where, the same number is the same position, the throw included.
    seen = np.stack([np.asarray(x, np.int64) for x in jax.tree.leaves(states._replace(turn=states.turn * 0))], axis=1)
    by_number = {number: tuple(sight) for number, sight in zip(numbers.tolist(), seen.tolist(), strict=True)}
    assert all(by_number[number] == tuple(sight) for number, sight in zip(numbers.tolist(), seen.tolist(), strict=True))
    assert len(set(by_number.values())) == len(by_number) == len(np.unique(seen, axis=0))


def test_moves_are_counted_in_the_order_of_the_actions() -> None:
    game = Ur()
    rows = numbering(game)
    s = game.read("first: waiting 2 on a3 b4 home 0; second: waiting 4; turn first; throw 2")
    actions = legal_actions(game, s)
    assert np.asarray(rows.moves(s)).tolist() == [n < len(actions) for n in range(4)]
    assert [int(rows.action(s, jnp.int32(n))) for n in range(len(actions))] == actions
    scores = np.asarray(rows.by_action(s, jnp.array([1.0, 2.0, 3.0, 4.0])))
    assert [scores[a] for a in actions] == [1.0, 2.0, 3.0, 4.0][: len(actions)]
    assert np.isneginf(np.delete(scores, actions)).all()


def test_what_has_no_number() -> None:
    with pytest.raises(ValueError, match="ur has too many positions in this variant for a table"):
        numbering(Ur(pieces=5))
