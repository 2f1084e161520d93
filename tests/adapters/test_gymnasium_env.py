import subprocess
import sys
from typing import Any

import gymnasium
import jax
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

from adapters.cases import CASES, IDS
from adapters.toy import RUN, TRACES, WAIT, WALK, Race
from ludens.adapters.gymnasium_env import GameEnv, env_id
from ludens.games import GAMES


def episode(env: Any, seed: int | None, choose: int = 0) -> list[Any]:
    """One episode of masked random play, as everything that came back."""
    rng = np.random.default_rng(choose)
    observation, info = env.reset(seed=seed)
    trail: list[Any] = [(observation, info)]
    while True:
        result = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        trail.append(result)
        info = result[4]
        if result[2] or result[3]:
            return trail


@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_gymnasiums_own_checker(name: str, options: dict[str, Any]) -> None:
    env = gymnasium.make(env_id(GAMES[name]), seat="random", render_mode="ansi", **options)
    check_env(env.unwrapped)
    trails = [episode(env, seed=7) for _ in range(2)]
    assert data_equivalence(trails[0], trails[1], exact=True)
    assert not trails[0][-1][4]["action_mask"].any()
    assert isinstance(env.render(), str)


def test_ids_come_from_the_class_names() -> None:
    assert env_id(GAMES["othello"]) == "ludens/Othello-v0"
    assert all(env_id(game) in gymnasium.registry for game in GAMES.values())


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("gymnasium", "ludens.adapters.gymnasium_env:ludens/Othello-v0"),
        ("gymnasium, ludens", "ludens/Othello-v0"),
        ("gymnasium, ludens.adapters.gymnasium_env", "ludens/Othello-v0"),
    ],
)
def test_gymnasium_finds_the_games(imports: str, name: str) -> None:
    code = f"import {imports}; print(gymnasium.make('{name}', size=4))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "ludens/Othello-v0" in done.stdout


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_play_returns_when_the_learner_decides(seat: int) -> None:
    env = GameEnv(Race(), seat=seat)
    turns = []
    for seed in range(30):
        observation, info = env.reset(seed=seed)
        while True:
            state = env._episode.state
            assert int(state.seat) == seat
            np.testing.assert_array_equal(info["action_mask"], [1, 1, int(state.throw) == 1])
            np.testing.assert_array_equal(env.action_masks(), info["action_mask"].astype(bool))
            np.testing.assert_allclose(observation, env.game.observe(env.game.view(state, seat), seat))
            before = int(env._episode.turns)
            observation, reward, terminated, truncated, info = env.step(WALK)
            if terminated or truncated:
                break
            assert reward == 0
            turns.append((int(state.throw), int(env._episode.turns) - before))
        assert not info["action_mask"].any()
        assert reward == (0 if truncated else float(env.game.returns(env._episode.state)[seat]))
        assert terminated == bool(env.game.done(env._episode.state))
    # a throw of 3 gives another turn at once; otherwise both opponents come first, each at least once
    assert {count for throw, count in turns if throw == 3} == {1}
    assert min(count for throw, count in turns if throw < 3) == 3
    assert max(count for throw, count in turns if throw < 3) > 3


def test_truncated_after_the_turn_limit_of_all_seats() -> None:
    env = GameEnv(Race(goal=10_000), seat=1)
    env.reset(seed=3)
    while True:
        _, reward, terminated, truncated, info = env.step(WAIT)
        if terminated or truncated:
            break
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert int(env._episode.turns) == Race.turn_limit
    assert not info["action_mask"].any()


def test_a_game_that_ends_before_the_learner_decides_is_dealt_again() -> None:
    env = GameEnv(Race(goal=1), seat=2)  # only waiting opponents let the learner in
    for seed in range(20):
        _, info = env.reset(seed=seed)
        assert info["action_mask"].any()
        assert not np.asarray(env._episode.state.places)[:2].any()


def test_seeds_decide_everything() -> None:
    env, other = GameEnv(Race(), seat="random"), GameEnv(Race(), seat="random")
    assert data_equivalence(episode(env, seed=5), episode(other, seed=5), exact=True)
    assert data_equivalence(episode(env, seed=None), episode(other, seed=None), exact=True)
    starts = {env.reset(seed=seed)[0].tobytes() for seed in range(30)}
    assert len(starts) > 10
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(30)} == {0, 1, 2}
    assert {env.reset()[1]["seat"] for _ in range(30)} == {0, 1, 2}


def test_render_shows_the_learners_view() -> None:
    env = GameEnv(Race(), seat=1, render_mode="ansi")
    assert env.render() is None
    env.reset(seed=0)
    secrets = (env.render() or "").split()[-1].split(",")
    assert secrets[0] == secrets[2] == "?"
    assert secrets[1] == str(int(env._episode.state.secrets[1]))


def test_an_illegal_action_loses_by_default() -> None:
    env = GameEnv(Race())
    for action in (RUN, 3, -1):
        observation, info = env.reset()
        while info["action_mask"][RUN]:
            observation, info = env.reset()
        last, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        np.testing.assert_array_equal(last, observation)
        assert not info["action_mask"].any()
        assert f"action {action}" in info["illegal"]
        assert "expected" in info["illegal"]
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
            env.step(WAIT)


def test_an_illegal_action_raises_where_asked_to() -> None:
    env = GameEnv(Race(), illegal="raise")
    while env.reset()[1]["action_mask"][RUN]:
        pass
    with pytest.raises(ValueError, match="'action 2' is not a legal move in race: expected wait, walk"):
        env.step(RUN)
    with pytest.raises(ValueError, match="action 9 does not exist in race: expected 0 to 2"):
        env.step(9)
    env.step(WALK)  # nothing was lost by the error


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seat": 3}, "race has no seat 3: expected 0 to 2 or 'random'"),
        ({"seat": "first"}, "race has no seat 'first'"),
        ({"seat": np.array([0, 1])}, "race has no seat array"),
        ({"opponent": None}, "the opponent is None: expected the name of a player"),
        ({"illegal": "ignore"}, "an illegal action cannot 'ignore': expected 'lose' or 'raise'"),
        ({"render_mode": "human"}, "unknown render mode 'human': expected 'ansi' or None"),
        ({"opponent": "nobody"}, "unknown player 'nobody': expected one of random"),
        ({"size": 6}, "race is ready made: expected no options beside it, got size"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        GameEnv(Race(), **options)


def test_compiles_once() -> None:
    env = GameEnv(Race(), seat="random")
    episode(env, seed=0)
    compiled = len(TRACES)
    for seed in range(3):
        episode(GameEnv(Race(), seat=seed), seed=seed)
    assert len(TRACES) == compiled


def test_results_are_the_callers_own() -> None:
    env = GameEnv(Race())
    observation, info = env.reset(seed=0)
    kept = observation.copy()
    info["action_mask"][:] = 0
    observation[:] = 0
    assert env.action_masks().any()
    np.testing.assert_array_equal(env.reset(seed=0)[0], kept)
    assert isinstance(observation, np.ndarray)
    assert not isinstance(observation, jax.Array)
