from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pgx._src import api_test as pgx_api_test
from pgx.experimental.wrappers import auto_reset

from adapters.cases import CASES, IDS
from adapters.toy import RUN, WAIT, WALK, Race
from ludens.adapters.pgx_env import PgxEnv
from ludens.core.game import step
from ludens.games import GAMES, make

RACE = PgxEnv(Race())
INIT, STEP = jax.jit(RACE.init), jax.jit(RACE.step)


@pytest.fixture
def pgx_test(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Pgx's own test, freed of what no other environment can pass: it wants one of Pgx's ids, and it chooses
    actions along axis 1, which the mask of a single state has not got (JAX now says so)."""

    def choose(key: Any, mask: Any) -> Any:
        return jax.random.categorical(key, jnp.log(mask.astype(jnp.float32)), axis=-1)

    monkeypatch.setattr(pgx_api_test, "act_randomly", jax.jit(choose))
    known = ("race", *GAMES)
    monkeypatch.setattr(pgx_api_test, "get_args", lambda literal: known)
    return pgx_api_test


@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_pgxs_own_test(name: str, options: dict[str, Any], pgx_test: Any) -> None:
    env = PgxEnv(make(name, **options))
    pgx_test.api_test_single(env, num=1)
    if not options:  # a variant in batches would be compiled for little news
        pgx_test.api_test_batch(env, num=1)
    assert env.observation_shape == jax.eval_shape(env.init, jax.random.PRNGKey(1)).observation.shape


@pytest.mark.slow
def test_pgxs_own_test_with_fate_and_secrets(pgx_test: Any) -> None:
    pgx_test.api_test(RACE, num=3)


def episodes_of(env: Any) -> tuple[Any, Any, Any]:
    """A rollout as Pgx's users write it: rewards [T, B, P], ends [T, B] and movers [T, B]."""
    batch, steps = 16, 60
    advance = jax.vmap(auto_reset(env.step, env.init))

    def turn(state: Any, key: Any) -> Any:
        choose, fate = jax.random.split(key)
        action = jax.random.categorical(choose, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=-1)
        after = advance(state, action, jax.random.split(fate, batch))
        return after, (after.rewards, after.terminated, state.current_player)

    @jax.jit
    def run(key: Any) -> Any:
        start, play = jax.random.split(key)
        state = jax.vmap(env.init)(jax.random.split(start, batch))
        return jax.lax.scan(turn, state, jax.random.split(play, steps))[1]

    return jax.tree.map(np.asarray, run(jax.random.PRNGKey(0)))


def test_code_written_for_pgx_runs() -> None:
    rewards, ends, movers = episodes_of(RACE)
    assert ends.sum() > 16
    assert not rewards[~ends].any()
    np.testing.assert_allclose(rewards.sum(axis=-1), 0, atol=1e-6)
    assert set(np.unique(movers)) == {0, 1, 2}


def test_play_is_the_games_own() -> None:
    game = RACE.game
    facts = jax.jit(lambda s: (game.legal(s), game.observe(game.view(s, s.seat), s.seat), game.returns(s)))
    deal, onward = jax.jit(game.init), jax.jit(lambda s, a, key: step(game, s, a, key))
    for seed in range(5):
        key = jax.random.key(seed)
        state, s = INIT(key), deal(key)
        while not state.terminated:
            key, now = jax.random.split(key)
            legal, observation, _ = facts(s)
            assert state.current_player == s.seat
            np.testing.assert_array_equal(state.legal_action_mask, legal)
            np.testing.assert_allclose(state.observation, observation)
            assert not state.rewards.any()
            state, s = STEP(state, WALK, now), onward(s, WALK, now)
            np.testing.assert_array_equal(state._x.places, s.places)
        assert bool(game.done(s))
        np.testing.assert_array_equal(state.rewards, facts(s)[2])
        assert state.legal_action_mask.all()
        assert not STEP(state, WALK, key).rewards.any()


def test_the_turn_limit_terminates_with_nothing_won() -> None:
    state = INIT(jax.random.key(0))
    for turn in range(Race.turn_limit):
        assert not state.terminated
        state = STEP(state, WAIT, jax.random.key(turn))
    assert state.terminated
    assert not state.truncated
    assert not state.rewards.any()


def test_an_illegal_action_is_punished_as_pgx_does() -> None:
    state = next(s for s in map(INIT, map(jax.random.key, range(100))) if not s.legal_action_mask[RUN])
    state = STEP(state, RUN, jax.random.key(0))
    assert state.terminated
    assert state.rewards.tolist() == [-1, 2, 2]


def test_raw_and_typed_keys_mean_the_same() -> None:
    texts = [RACE.game.show(STEP(INIT(key), WALK, key)._x) for key in (jax.random.key(3), jax.random.PRNGKey(3))]
    assert texts[0] == texts[1]


def test_fate_needs_a_key_and_nothing_else_does() -> None:
    with pytest.raises(ValueError, match=r"fate acts in race: expected step\(state, action, key\)"):
        RACE.step(INIT(jax.random.key(0)), WALK)
    env = PgxEnv(make("othello", size=4))
    start = jax.eval_shape(env.init, jax.random.key(0))
    assert jax.eval_shape(env.step, start, 0)._step_count.dtype == jnp.int32


def test_drawings(tmp_path: Path) -> None:
    state = INIT(jax.random.key(0))
    assert RACE.game.show(state._x) in state.to_svg()
    assert state._repr_html_() == state.to_svg()
    batch = jax.tree.map(lambda x: jnp.stack([x] * 3), state)
    batch.save_svg(str(tmp_path / "batch.svg"), color_theme="dark", scale=2.0)
    drawing = ElementTree.parse(tmp_path / "batch.svg").getroot()
    assert len(drawing.findall(".//{http://www.w3.org/2000/svg}text")) == 3
    with pytest.raises(ValueError, match=r"cannot draw into 'a.png': expected a name that ends in .svg"):
        state.save_svg("a.png")
    with pytest.raises(ValueError, match="unknown colour theme 'pink': expected one of light, dark"):
        state.to_svg(color_theme="pink")
