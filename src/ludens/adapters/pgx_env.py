"""Pgx: a game for code written against `pgx.Env`; `init` and `step` are pure, to be jitted and vmapped.

    env = PgxEnv(ludens.make("ur"))
    state = jax.jit(env.init)(key)
    state = jax.jit(env.step)(state, action, key)

- A player's id is its seat, and who moves comes from the game, so a player may act twice in a row. (Pgx's
  own games draw which id gets the first move; with ours, swap the agents to be fair.)
- `observation` is what the mover may know; `legal_action_mask` is the mover's, and all True once
  terminated, as Pgx has it.
- `rewards` are the results at the end (-1 to 1), else 0. After `game.turn_limit` actions the game is
  terminated with rewards 0: Pgx's environments terminate and never truncate by themselves.
- `step` takes a key, needed where fate acts (dice, draws); typed keys and `jax.random.PRNGKey` both do.
- An illegal action terminates with Pgx's own penalty: -1 for whoever took it, P - 1 for each of the others.
- `state.to_svg` and `state.save_svg` draw the position's text: Pgx's drawings know Pgx's own games only.
"""

import dataclasses
from html import escape
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from pgx import core

from ludens.core.game import Game, step
from ludens.core.types import Array, Key

COLOURS = {"light": ("white", "black"), "dark": ("#1e1e1e", "gainsboro")}
"""Background and text of a drawing for each of Pgx's colour themes."""


@core.dataclass
class State(core.State):  # type: ignore[misc]  # Pgx carries no types
    """What Pgx tells about a position, and the position itself. Shapes are those of one state."""

    current_player: Array
    """Seat to move, `int32[]`."""
    observation: Array
    """What the mover observes, `[...]` within [-1, 1]."""
    rewards: Array
    """Result for each seat if the game has just ended, else 0: `float32[P]`."""
    terminated: Array
    """Whether the game is over, by the rules or by the turn limit, `bool[]`."""
    truncated: Array
    """False, `bool[]`; there for wrappers to set."""
    legal_action_mask: Array
    """Legal actions of the mover, `bool[A]`; all True once terminated."""
    _step_count: Array
    """Actions taken so far, `int32[]`."""
    _x: Any
    """The game's own state."""
    _game: Game[Any] = dataclasses.field(metadata={"pytree_node": False})
    """The game being played; static."""

    @property
    def env_id(self) -> str:
        return self._game.id

    def to_svg(self, *, color_theme: str | None = None, scale: float | None = None) -> str:
        """The position's text as a drawing; a batch of positions has a line for each."""
        batch, axes = self.current_player.size, self.current_player.ndim
        rows = jax.tree.map(lambda x: x.reshape((batch, *x.shape[axes:])), self._x)
        lines = [self._game.show(jax.tree.map(lambda x, i=i: x[i], rows)) for i in range(batch)]
        return _svg(lines, color_theme or "light", scale or 1.0)

    def save_svg(self, filename: str, *, color_theme: str | None = None, scale: float | None = None) -> None:
        """Write the drawing to a file whose name ends in `.svg`."""
        if Path(filename).suffix != ".svg":
            raise ValueError(f"cannot draw into '{filename}': expected a name that ends in .svg")
        Path(filename).write_text(self.to_svg(color_theme=color_theme, scale=scale), encoding="utf-8")


class PgxEnv(core.Env):  # type: ignore[misc]  # Pgx carries no types
    """`game` as an environment of Pgx."""

    def __init__(self, game: Game[Any]) -> None:
        super().__init__()
        self.game = game

    @property
    def id(self) -> str:
        return self.game.id

    @property
    def version(self) -> str:
        """Changes when the game's rules, actions or observation do."""
        return "v0"

    @property
    def num_players(self) -> int:
        return self.game.num_players

    @property
    def num_actions(self) -> int:
        return self.game.num_actions

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Shape of one observation, without compiling anything."""
        shape: tuple[int, ...] = jax.eval_shape(self.init, jax.random.key(0)).observation.shape
        return shape

    def _init(self, key: Key) -> State:
        s = self.game.init(_typed(key))
        return State(
            current_player=self.game.player(s).astype(jnp.int32),
            observation=jnp.zeros(()),  # `init` and `step` fill it in, by `_observe`
            rewards=jnp.zeros(self.game.num_players, jnp.float32),
            terminated=jnp.bool_(False),
            truncated=jnp.bool_(False),
            legal_action_mask=self.game.legal(s),
            _step_count=jnp.int32(0),
            _x=s,
            _game=self.game,
        )

    def _step(self, state: State, action: Array, key: Key | None) -> State:
        if key is None and self.game.rolls:
            raise ValueError(f"fate acts in {self.game.id}: expected step(state, action, key)")
        s = step(self.game, state._x, action, _typed(jax.random.key(0) if key is None else key))
        stepped: State = state.replace(
            current_player=self.game.player(s).astype(jnp.int32),
            rewards=self.game.returns(s),
            terminated=self.game.done(s) | (state._step_count >= self.game.turn_limit),
            legal_action_mask=self.game.legal(s),
            _x=s,
        )
        return stepped

    def _observe(self, state: State, player_id: Array) -> Array:
        return self.game.observe(self.game.view(state._x, player_id), player_id)


def _typed(key: Key) -> Key:
    """The typed form of a key; Pgx's users mostly have raw ones, `uint32[2]`."""
    return key if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else jax.random.wrap_key_data(key)


def _svg(lines: list[str], theme: str, scale: float) -> str:
    """A drawing of lines of text; a character is 10 wide, a line 30 high, with as much around them."""
    if theme not in COLOURS:
        raise ValueError(f"unknown colour theme '{theme}': expected one of {', '.join(COLOURS)}")
    background, ink = COLOURS[theme]
    width, height = 10 * max(map(len, lines)) + 60, 30 * len(lines) + 60
    texts = [
        f'<text x="30" y="{30 * i + 50}" textLength="{10 * len(line)}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * scale:g}" height="{height * scale:g}"'
        f' viewBox="0 0 {width} {height}"><rect width="100%" height="100%" fill="{background}"/>'
        f'<g font-family="monospace" font-size="16" fill="{ink}" xml:space="preserve">{"".join(texts)}</g>'
        "</svg>"
    )
