"""PettingZoo: every seat an agent, `player_0` to `player_{P-1}`, in the agent-environment cycle (AEC).

    env = ludens.adapters.pettingzoo_env.env("okey", players=4)

- Whose turn it is comes from the game, so agents may act twice in a row. Fate acts by itself.
- An agent observes `{"observation": float32[...] within [-1, 1], "action_mask": int8[A]}`, built from what
  its seat may know; the mask is all zero for everybody but the agent to act.
- Rewards are the results at the end (-1 to 1), else 0. All agents are truncated, with reward 0, after
  `game.turn_limit` actions.
- An illegal action ends the game with -1 for whoever took it (PettingZoo's `TerminateIllegalWrapper`);
  `raw_env` has no wrappers and raises a ValueError instead.
- `reset(seed=...)` decides everything that fate does from there on.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ludens.adapters import Episode, as_game
from ludens.core.game import Game, checked, step
from ludens.core.types import Array


def env(game: str | Game[Any], render_mode: str | None = None, **variant: Any) -> "AECEnv[str, Any, Any]":
    """The game with PettingZoo's usual wrappers: `game` by name with its variant's fields, or ready made."""
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(game, render_mode, **variant), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


def raw_env(game: str | Game[Any], render_mode: str | None = None, **variant: Any) -> "SeatsEnv":
    """The game without wrappers: an illegal action raises a ValueError that says what was expected."""
    return SeatsEnv(as_game(game, variant), render_mode)


class SeatsEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo carries no types
    """All seats of one game."""

    def __init__(self, game: Game[Any], render_mode: str | None = None) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"unknown render mode {render_mode!r}: expected 'ansi' or None")
        super().__init__()
        self.game = game
        self.render_mode = render_mode
        self.metadata = {"name": f"{game.id}_v0", "render_modes": ["ansi"], "is_parallelizable": False}
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self.agents: list[str] = []
        self._begin, self._step = _compiled(game)
        shape = jax.eval_shape(self._begin, np.uint32(0))[1].observations.shape[1:]
        self.observation_spaces = {agent: _observation_space(shape, game) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents}
        self._random, _ = seeding.np_random()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of `agent`'s observations: the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of `agent`'s actions: the same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self.agents = self.possible_agents[:]
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._take_in(*self._begin(np.uint32(self._random.integers(2**32))))

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Play the action of the agent to act, then fate's act; a finished agent's action is None."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is still in the game: expected an action, not None")
        action = int(action)
        if not (0 <= action < self.game.num_actions and self._seen.mask[action]):
            checked(self.game, self._episode.state, action)
        self._cumulative_rewards[agent] = 0.0
        self._take_in(*self._step(self._episode, np.int32(action)))
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What `agent` knows, and what it may do now."""
        seat = self.possible_agents.index(agent)
        mask = self._seen.mask if seat == int(self._seen.player) else np.zeros_like(self._seen.mask)
        return {"observation": self._seen.observations[seat].copy(), "action_mask": mask.astype(np.int8)}

    def render(self) -> str | None:
        """The position as the agent to act knows it, in one line of text."""
        if self.render_mode is None:
            return None
        return self.game.show(self.game.view(self._episode.state, int(self._seen.player)))

    def close(self) -> None:
        """Nothing to release."""

    def _take_in(self, episode: Episode, seen: "AgentsStep") -> None:
        self._episode = episode
        self._seen = seen = jax.device_get(seen)
        self.agent_selection = self.possible_agents[int(seen.player)]
        self.rewards = {agent: float(seen.rewards[i]) for i, agent in enumerate(self.possible_agents)}
        self.terminations = dict.fromkeys(self.agents, bool(seen.terminated))
        self.truncations = dict.fromkeys(self.agents, bool(seen.truncated))


class AgentsStep(NamedTuple):
    """What the agents get to know."""

    player: Array
    """Seat to move, `int32[]`."""
    observations: Array
    """What each seat observes, `float32[P, ...]` within [-1, 1]."""
    mask: Array
    """Legal actions of the seat to move, `bool[A]`; none once the game is over."""
    rewards: Array
    """Result for each seat if the game is over, else 0: `float32[P]`."""
    terminated: Array
    """The rules ended the game, `bool[]`."""
    truncated: Array
    """The turn limit ended it, `bool[]`."""


@lru_cache(maxsize=32)
def _compiled(game: Game[Any]) -> tuple[Callable[..., tuple[Episode, AgentsStep]], ...]:
    """Compiled `begin(seed)` and `step(episode, action)`, shared by all environments of this game."""

    def see(episode: Episode) -> AgentsStep:
        def observe(seat: Array) -> Array:
            return game.observe(game.view(episode.state, seat), seat).astype(jnp.float32)

        done = game.done(episode.state)
        late = ~done & (episode.turns >= game.turn_limit)
        return AgentsStep(
            player=game.player(episode.state),
            observations=jax.vmap(observe)(jnp.arange(game.num_players)),
            mask=game.legal(episode.state) & ~done & ~late,
            rewards=game.returns(episode.state),
            terminated=done,
            truncated=late,
        )

    def begin(seed: Array) -> tuple[Episode, AgentsStep]:
        key, start = jax.random.split(jax.random.key(seed))
        episode = Episode(game.init(start), jnp.int32(0), key)
        return episode, see(episode)

    def play(episode: Episode, action: Array) -> tuple[Episode, AgentsStep]:
        key, fate = jax.random.split(episode.key)
        episode = Episode(step(game, episode.state, action, fate), episode.turns + 1, key)
        return episode, see(episode)

    return jax.jit(begin), jax.jit(play)


def _observation_space(shape: tuple[int, ...], game: Game[Any]) -> spaces.Dict:
    """What one agent gets to see: features and the mask of its legal actions."""
    features = spaces.Box(-1.0, 1.0, shape, np.float32)
    return spaces.Dict({"observation": features, "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8)})
