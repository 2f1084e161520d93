"""What core adds to every game: step, sampling, random actions, signs, sentences, perft, playouts."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import checked, legal_actions, pick, random_action, sample, sign, step, variant
from ludens.core.playout import perft, playout, tree
from ludens.games import GAMES, make
from variants import slow_but


def test_pick_is_uniform_over_what_is_set() -> None:
    mask = jnp.zeros(70, bool).at[jnp.array([0, 7, 31, 32, 64, 69])].set(True)
    noise = jax.random.bits(jax.random.key(0), (60_000,))
    counts = np.bincount(np.asarray(jax.vmap(pick, in_axes=(None, 0))(mask, noise)), minlength=70)
    assert set(np.flatnonzero(counts)) == {0, 7, 31, 32, 64, 69}
    # Six equal shares of 60,000: five standard deviations are about 460.
    assert np.abs(counts[counts > 0] - 10_000).max() < 460


def test_pick_at_the_edges_of_the_noise() -> None:
    mask = jnp.array([False, True, False, True, True])
    for noise, expected in ((0, 1), (2**32 - 1, 4)):
        assert int(pick(mask, jnp.uint32(noise))) == expected
    assert int(pick(jnp.zeros(5, bool), jnp.uint32(123456))) == 0


@pytest.mark.slow
def test_random_actions_are_random_in_64_bit_mode_too() -> None:
    game = make("othello")
    with jax.enable_x64(True):
        s = game.init(jax.random.key(0))
        choose = jax.jit(lambda key: random_action(game, s, key))
        assert {int(choose(jax.random.key(k))) for k in range(60)} == set(legal_actions(game, s))
        with pytest.raises(TypeError, match="32-bit"):
            pick(game.legal(s), jax.random.bits(jax.random.key(0)))


@pytest.mark.parametrize("name", slow_but(GAMES))
def test_states_keep_their_types_in_64_bit_mode(name: str) -> None:
    """A scan refuses a state whose types change; whoever needs double precision must not lose the games."""
    game = make(name)
    with jax.enable_x64(True):

        def turn(s: object, key: jax.Array) -> tuple[object, jax.Array]:
            t = step(game, s, random_action(game, s, key), key)
            return t, game.returns(t)

        s = game.init(jax.random.key(0))
        last, returns = jax.jit(lambda s, keys: jax.lax.scan(turn, s, keys))(s, jax.random.split(jax.random.key(1), 6))
        assert returns.dtype == jnp.float32
        again = game.read(game.show(last))
        assert [x.dtype for x in jax.tree.leaves(again)] == [x.dtype for x in jax.tree.leaves(s)]


def test_sample_follows_the_weights() -> None:
    weights = jnp.array([0.0, 1.0, 0.0, 3.0, 0.0])
    drawn = jax.vmap(lambda key: sample(weights, key))(jax.random.split(jax.random.key(1), 40_000))
    counts = np.bincount(np.asarray(drawn), minlength=5)
    assert counts[[0, 2, 4]].sum() == 0
    assert abs(counts[3] - 30_000) < 5 * (40_000 * 0.75 * 0.25) ** 0.5


def test_sign_knows_extra_turns() -> None:
    game = make("ur", rules="finkel")
    s = game.read("first: waiting 7; second: waiting 7; turn first; throw 4")
    rosette = game.apply(s, game.parse("enter", s))
    assert float(sign(game, s, rosette)) == 1.0
    s = game.read("first: waiting 7; second: waiting 7; turn first; throw 3")
    assert float(sign(game, s, game.apply(s, game.parse("enter", s)))) == -1.0


def test_step_is_apply_and_then_fate() -> None:
    game = make("ur")
    s = game.init(jax.random.key(3))
    a = legal_actions(game, s)[0]
    acted = game.apply(s, a)
    assert float(game.chance(acted).sum()) == pytest.approx(1)
    throws = {int(step(game, s, a, jax.random.key(k)).throw) for k in range(30)}
    assert throws == {1, 2}
    assert all(int(t.throw) in throws for t in tree(game, acted))


def test_random_action_is_legal() -> None:
    game = make("othello", size=6)
    s = game.init(jax.random.key(0))
    chosen = {int(random_action(game, s, jax.random.key(k))) for k in range(60)}
    assert chosen == set(legal_actions(game, s))


@pytest.mark.parametrize("name", slow_but(["ur", "othello", "chung-toi", "onitama"]))
def test_perft_is_the_size_of_the_tree(name: str) -> None:
    """The batched count against a plain walk over `tree`."""
    game = make(name, size=4) if name == "othello" else make(name)
    s = game.init(jax.random.key(4))
    depth = 2 if name == "chung-toi" else 3

    def leaves(s: object, depth: int) -> int:
        if depth == 0 or bool(game.done(s)):
            return 1
        return sum(leaves(t, depth - 1) for t in tree(game, s))

    assert perft(game, s, depth, batch=64) == [leaves(s, d) for d in range(1, depth + 1)]


def test_perft_counts_a_finished_game_once_at_every_depth() -> None:
    game = make("othello", size=4)
    full = game.read("X" * 16 + " O")
    assert perft(game, full, 3) == [1, 1, 1]


@pytest.mark.slow
def test_playout_reaches_the_end_or_the_limit() -> None:
    game = make("othello")
    last, turns = jax.jit(lambda key: playout(game, game.init(key), key))(jax.random.key(0))
    assert bool(game.done(last))
    assert 9 <= int(turns) <= 128
    _, turns = playout(game, game.init(jax.random.key(0)), jax.random.key(0), limit=5)
    assert int(turns) == 5


def test_checked_catches_illegal_actions_at_the_edge() -> None:
    game = make("othello")
    s = game.init(jax.random.key(0))
    assert checked(game, s, 19) == 19
    with pytest.raises(
        ValueError, match=r"'action 0' .* expected a square such as f5, or pass; here one of d3, c4, f5, e6"
    ):
        checked(game, s, 0)
    with pytest.raises(ValueError, match="action 99 does not exist in othello: expected 0 to 64"):
        checked(game, s, 99)


def test_unknown_games_and_options_say_what_exists() -> None:
    with pytest.raises(ValueError, match=f"unknown game 'chess': expected one of {', '.join(GAMES)}"):
        make("chess")
    with pytest.raises(ValueError, match="othello has no option 'rules': expected size"):
        make("othello", rules="finkel")
    with pytest.raises(ValueError, match="size is 5 in othello: expected one of 4, 6, 8"):
        make("othello", size=5)
    assert variant(make("othello", size=6)) == {"size": 6}
