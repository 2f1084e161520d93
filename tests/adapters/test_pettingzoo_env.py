from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, seed_test

from adapters.cases import CASES, IDS
from adapters.toy import RUN, TRACES, WAIT, WALK, Race
from ludens.adapters.pettingzoo_env import env, raw_env
from variants import slow_but

# PettingZoo's test knows its own games by name; in others it warns of dictionaries, and of the empty masks
# that finished agents have.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros"),
]


def play(game: Any, seed: int | None, choose: int = 0) -> list[Any]:
    """One game of masked random play, as everything that came back."""
    rng = np.random.default_rng(choose)
    game.reset(seed=seed)
    trail = []
    for agent in game.agent_iter():
        last = game.last()
        trail.append((agent, last))
        over = last[2] or last[3]
        game.step(None if over else int(rng.choice(np.flatnonzero(last[0]["action_mask"]))))
    return trail


@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_pettingzoos_own_tests(name: str, options: dict[str, Any]) -> None:
    api_test(env(name, render_mode="ansi", **options), num_cycles=100)
    seed_test(lambda: env(name, **options), num_cycles=100)


@pytest.mark.parametrize("players", slow_but([2, 3, 4]))
def test_pettingzoos_own_tests_with_fate_and_secrets(players: int) -> None:
    api_test(env(Race(players=players), render_mode="ansi"), num_cycles=100)
    seed_test(lambda: env(Race(players=players)), num_cycles=100)


def test_turn_order_comes_from_the_game() -> None:
    game = raw_env(Race())
    again = 0
    for seed in range(10):
        game.reset(seed=seed)
        while not any(game.terminations.values()) and not any(game.truncations.values()):
            state, agent = game._episode.state, game.agent_selection
            seat = int(state.seat)
            assert agent == f"player_{seat}"
            for other, name in enumerate(game.possible_agents):
                seen = game.observe(name)
                np.testing.assert_allclose(seen["observation"], game.game.observe(game.game.view(state, other), other))
                expected = [1, 1, int(state.throw) == 1] if other == seat else [0, 0, 0]
                np.testing.assert_array_equal(seen["action_mask"], expected)
            assert not any(game.rewards.values())
            game.step(WALK)
            again += game.agent_selection == agent
        assert list(game.rewards.values()) == game.game.returns(game._episode.state).tolist()
    assert again > 10


def test_rewards_reach_every_agent() -> None:
    for seed in range(10):
        trail = play(env(Race()), seed)
        ends = {agent: last for agent, last in trail if last[2] or last[3]}
        assert set(ends) == {"player_0", "player_1", "player_2"}
        rewards = sorted(last[1] for last in ends.values())
        assert rewards in ([-0.5, -0.5, 1.0], [0.0, 0.0, 0.0])


def test_truncated_after_the_turn_limit() -> None:
    game = env(Race(goal=10_000))
    game.reset(seed=0)
    for _ in range(Race.turn_limit):
        assert not any(game.truncations.values())
        game.step(WAIT)
    assert all(game.truncations.values())
    assert not any(game.terminations.values())
    assert not any(game.rewards.values())


def test_seeds_decide_everything() -> None:
    game, other = env(Race()), env(Race())
    assert data_equivalence(play(game, seed=5), play(other, seed=5), exact=True)
    assert data_equivalence(play(game, seed=None), play(other, seed=None), exact=True)
    assert not data_equivalence(play(game, seed=None), play(game, seed=None), exact=True)


def an_unfit_start(game: Any) -> None:
    """Reset until the first agent may not run."""
    seeds = iter(range(100))
    while True:
        game.reset(seed=next(seeds))
        if not game.observe("player_0")["action_mask"][RUN]:
            return


def test_an_illegal_action_loses() -> None:
    game = env(Race())
    an_unfit_start(game)
    game.step(RUN)
    assert all(game.terminations.values())
    assert game.rewards == {"player_0": -1, "player_1": 0, "player_2": 0}


def test_an_illegal_action_raises_without_wrappers() -> None:
    game = raw_env(Race())
    an_unfit_start(game)
    with pytest.raises(ValueError, match="'action 2' is not a legal move in race: expected wait, walk"):
        game.step(RUN)
    with pytest.raises(ValueError, match="action -1 does not exist in race: expected 0 to 2"):
        game.step(-1)
    with pytest.raises(ValueError, match="player_0 is still in the game: expected an action, not None"):
        game.step(None)
    game.step(WALK)


def test_render_shows_the_view_of_the_agent_to_act() -> None:
    game = raw_env(Race(), render_mode="ansi")
    game.reset(seed=0)
    secrets = game.render().split()[-1].split(",")
    assert secrets[1:] == ["?", "?"]
    assert secrets[0] == str(int(game._episode.state.secrets[0]))
    assert raw_env("othello", size=4).metadata["name"] == "othello_v0"
    with pytest.raises(ValueError, match="unknown render mode 'human': expected 'ansi' or None"):
        env(Race(), render_mode="human")


def test_compiles_once() -> None:
    play(env(Race()), seed=0)
    compiled = len(TRACES)
    for seed in range(3):
        play(env(Race()), seed=seed)
    assert len(TRACES) == compiled
