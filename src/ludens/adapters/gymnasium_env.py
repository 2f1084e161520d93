"""Gymnasium: one learner in one seat, everybody else played for it.

Importing this module registers every game, `ludens/Othello-v0` and so on; Gymnasium imports it by itself if
the id says so: `gymnasium.make("ludens.adapters.gymnasium_env:ludens/Othello-v0")`.

- `step` plays the learner's action, then fate and the other seats until the learner decides again (at once,
  where the rules give another turn) or the game is over. A game over before the learner's first decision is
  dealt anew.
- The reward is the learner's result at the end (-1 to 1), else 0. The episode is truncated, with reward 0,
  after `game.turn_limit` actions of all seats together.
- The observation is what the learner's seat may know, `float32` within [-1, 1]. The legal actions are in
  `info["action_mask"]` (`int8[A]`) and, for MaskablePPO, in `action_masks()` (`bool[A]`); none once it is
  over.
- An illegal action loses: the episode ends with -1 and `info["illegal"]` says why. A learner that samples
  without a mask, as Gymnasium's own `check_env` does, can thus run and learn the rules. `illegal="raise"`
  raises instead. What is no action at all, such as an array or a fraction, raises Gymnasium's InvalidAction.
- `reset(seed=...)` decides everything that follows: seat, deal, dice and opponents.

Two more environments, `ludens/OnitamaPaper-v0` and `ludens/OkeyPaper-v0`, cast their games as papers do
(`paper_envs.py`): other observations, other actions, other rewards.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces
from jax import lax
from numpy.typing import NDArray

from ludens.adapters import Episode, as_game
from ludens.adapters.casting import ByTheGame, Cast
from ludens.core.game import Game, step
from ludens.core.types import Array, Key
from ludens.games import GAMES
from ludens.players import player

DEAL = -1
"""In place of the learner's action: deal a new game."""


PAPER_ENVS = {name: f"ludens.adapters.paper_envs:{name}Env" for name in ("OnitamaPaper", "OkeyPaper")}
"""Ids without `ludens/` and `-v0`, and where their environments are."""


class GameEnv(gymnasium.Env[Any, np.int64]):
    """A game as its learner meets it: `game` by name with its variant's fields, or ready made."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  Gymnasium declares it unshared

    def __init__(
        self,
        game: str | Game[Any],
        opponent: str = "random",
        seat: int | str = 0,
        illegal: str = "lose",
        render_mode: str | None = None,
        **variant: Any,
    ) -> None:
        self.game = as_game(game, variant)
        seats = self.game.num_players
        if not isinstance(opponent, str):
            raise ValueError(f"the opponent is {opponent!r}: expected the name of a player, such as 'random'")
        if not (isinstance(seat, (str, int, np.integer)) and (seat == "random" or seat in range(seats))):
            raise ValueError(f"{self.game.id} has no seat {seat!r}: expected 0 to {seats - 1} or 'random'")
        if illegal not in ("lose", "raise"):
            raise ValueError(f"an illegal action cannot {illegal!r}: expected 'lose' or 'raise'")
        if render_mode not in (None, "ansi"):
            raise ValueError(f"unknown render mode {render_mode!r}: expected 'ansi' or None")
        self.render_mode = render_mode
        self.illegal = illegal
        self._chosen_seat = seat
        self.cast = self._cast()
        self._advance = _compiled(self.cast, opponent)
        self._blank = jax.tree.map(
            lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(self.game.init, jax.random.key(0))
        )
        self.observation_space = self.cast.space()
        self.action_space = spaces.Discrete(self.cast.actions)
        self._seat = np.int32(0)
        self._episode: Episode | None = None
        self._observation: Any = None
        self._mask = np.zeros(self.cast.actions, np.bool_)
        self._over = True

    def _cast(self) -> Cast[Any]:
        return ByTheGame(self.game)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal a new game and play on to the learner's first decision."""
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(self.game.num_players))
        self._seat = np.int32(drawn if self._chosen_seat == "random" else self._chosen_seat)
        key = jax.random.key(int(self.np_random.integers(2**31)))
        self._go_on(Episode(self._blank, jnp.int32(0), key, self.cast.begin()), DEAL)
        return _copied(self._observation), self._info()

    def step(self, action: int | np.integer[Any]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play `action`, then everybody else until the learner decides again or the episode is over."""
        if self._over or self._episode is None:
            raise gymnasium.error.ResetNeeded("there is no episode to play in: call reset() first")
        chosen = _whole_number(action, self.cast.actions)
        if not (0 <= chosen < self.cast.actions and self._mask[chosen]):
            return self._forfeit(chosen)
        seen = self._go_on(self._episode, chosen)
        reward, terminated, truncated = float(seen.reward), bool(seen.terminated), bool(seen.truncated)
        return _copied(self._observation), reward, terminated, truncated, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """The learner's legal actions, `bool[N]`, under the name that MaskablePPO looks for."""
        return self._mask.copy()

    def render(self) -> str | None:
        """The position as the learner knows it, in one line of text."""
        if self.render_mode is None or self._episode is None:
            return None
        return self.game.show(self.game.view(self._episode.state, int(self._seat)))

    def _go_on(self, episode: Episode, action: int) -> "EnvStep":
        """Play `action` (or deal) and remember where the episode stands then."""
        self._episode, on_device = self._advance(episode, np.int32(action), self._seat)
        seen: EnvStep = jax.device_get(on_device)
        self._observation, self._mask = jax.tree.map(_as_gymnasium_has_it, seen.observation), seen.mask
        self._over = bool(seen.terminated | seen.truncated)
        return seen

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask.astype(np.int8), "seat": int(self._seat)}

    def _forfeit(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What an illegal action leads to: an error, or the loss of the episode."""
        assert self._episode is not None
        sentence = self.cast.explain(self.game.view(self._episode.state, int(self._seat)), action)
        if self.illegal == "raise":
            raise ValueError(sentence)
        self._over = True
        self._mask = np.zeros_like(self._mask)
        return _copied(self._observation), self.cast.forfeit, True, False, self._info() | {"illegal": sentence}


class EnvStep(NamedTuple):
    """What the learner gets to know."""

    observation: Any
    """What the cast shows."""
    mask: Any
    """The learner's legal actions, `bool[N]`; none once the episode is over."""
    reward: Array
    """What the learner was paid since its last decision, `float32[]`."""
    terminated: Array
    """The rules ended the game, `bool[]`."""
    truncated: Array
    """The turn limit ended it, `bool[]`."""


@lru_cache(maxsize=32)
def _compiled(cast: Cast[Any], opponent: str) -> Callable[..., tuple[Episode, EnvStep]]:
    """Compiled `advance(episode, action, seat)`, shared by all environments of this kind.

    It plays the learner's action, or deals a new game if the action is `DEAL`, and then everything else up to the
    learner's next decision or the end. One loop for all of it, so that the game's step is compiled just once.
    """
    game = cast.game
    rival = player(opponent, game)

    def rival_action(params: Any, key: Key, s: Any) -> Array:
        return rival.act(params, key, game.view(s, game.player(s))).action.astype(jnp.int32)

    def advance(params: Any, episode: Episode, action: Array, seat: Array) -> tuple[Episode, EnvStep]:
        fresh = action == DEAL

        def view(episode: Episode) -> Any:
            return game.view(episode.state, seat)

        def is_dealt_next(episode: Episode, first: Array) -> Array:
            return fresh & (first | game.done(episode.state))

        def is_on(carry: tuple[Episode, Array, Array]) -> Array:
            episode, first, _ = carry
            open_turn = ~game.done(episode.state) & (episode.turns < game.turn_limit)
            return first | is_dealt_next(episode, first) | (open_turn & (game.player(episode.state) != seat))

        def deal(episode: Episode, first: Array) -> tuple[Episode, Array]:
            key, start = jax.random.split(episode.key)
            return Episode(game.init(start), jnp.int32(0), key, cast.begin()), jnp.float32(0)

        def turn(episode: Episode, first: Array) -> tuple[Episode, Array]:
            key, choose, fate = jax.random.split(episode.key, 3)
            s, memory = episode.state, episode.memory
            # a branch and no `where`: a searching rival must not think in the learner's turn
            chosen = lax.cond(
                first,
                lambda: cast.action(memory, view(episode), action).astype(jnp.int32),
                lambda: rival_action(params, choose, s),
            )
            t = step(game, s, chosen, fate)
            paid = cast.earned(s, chosen, t, seat)
            return Episode(t, episode.turns + 1, key, cast.follow(memory, s, chosen, t)), paid

        def play(carry: tuple[Episode, Array, Array]) -> tuple[Episode, Array, Array]:
            episode, first, earned = carry
            episode, paid = lax.cond(is_dealt_next(episode, first), deal, turn, episode, first)
            return episode, jnp.bool_(False), earned + paid

        episode, _, earned = lax.while_loop(is_on, play, (episode, jnp.bool_(True), jnp.float32(0)))
        done = game.done(episode.state)
        late = ~done & (episode.turns >= game.turn_limit)
        seen = EnvStep(
            observation=cast.observe(episode.memory, view(episode), seat),
            mask=cast.mask(episode.memory, view(episode)) & ~done & ~late,
            reward=jnp.where(fresh, 0, earned),
            terminated=done,
            truncated=late,
        )
        return episode, seen

    return partial(jax.jit(advance), rival.init(jax.random.key(0)))


def _whole_number(action: Any, actions: int) -> int:
    """`action` as Python has it; whatever is not one whole number is refused before anything compiled sees it."""
    try:
        array = np.asarray(action)
    except ValueError:  # lists of different lengths
        array = np.empty(0)
    if array.shape or array.dtype.kind not in "iu":  # a timedelta counts as an integer elsewhere in NumPy
        raise gymnasium.error.InvalidAction(
            f"{action!r} is no action: expected one whole number, 0 to {actions - 1}, and no array, fraction or text"
        )
    return int(array)


def _as_gymnasium_has_it(x: NDArray[Any]) -> Any:
    """An array as it is, and a whole number as `Discrete` spaces have it."""
    return np.int64(x) if x.ndim == 0 else x


def _copied(observation: Any) -> Any:
    return jax.tree.map(lambda x: x.copy(), observation)


def env_id(game: type[Game[Any]]) -> str:
    """The id under which Gymnasium knows a game, from the name of its class: `ludens/ChungToi-v0`."""
    return f"ludens/{game.__name__}-v0"


for _name, _game in GAMES.items():
    if env_id(_game) not in gymnasium.registry:
        gymnasium.register(env_id(_game), entry_point=f"{__name__}:GameEnv", kwargs={"game": _name})
for _name, _entry in PAPER_ENVS.items():
    if f"ludens/{_name}-v0" not in gymnasium.registry:
        gymnasium.register(f"ludens/{_name}-v0", entry_point=_entry)
