"""Players and a game made for the tests of the arena."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from adapters.toy import WAIT, WALK, Race, State
from ludens.core.game import Game, random_action
from ludens.core.player import Decision, Player
from ludens.core.types import Action, Array
from ludens.players.external import MoveRequest, Outsider

TRACES: list[str] = []
"""Grows whenever Python, and not compiled code, makes a `Fussy` player decide."""


class Rattle(Race):
    """The race, but a throw of 3 is thrown again: fate may act twice in a row."""

    @property
    def rolls(self) -> int:
        return 2

    def chance(self, s: State) -> Array:
        due = (s.throw <= 0) & ~self.done(s)
        return jnp.where(due, jnp.float32(1 / 3), jnp.float32(0)) * jnp.ones(3, jnp.float32)

    def roll(self, s: State, c: Action) -> State:
        return s._replace(throw=jnp.where((s.throw == 0) & (c == 2), -1, jnp.asarray(c, jnp.int32) + 1))


@dataclass(frozen=True)
class Fussy(Player[Any]):
    """Knows no lots: its move follows from what it observes, in a way that changes with every detail."""

    taste: int = 1

    def act(self, params: Any, key: Any, view: Any) -> Decision:
        TRACES.append("act")
        seen = self.game.observe(view).astype(jnp.float32).ravel()
        mood = (jnp.round(seen * 12).astype(jnp.int32) * (jnp.arange(seen.size) % 89 + self.taste)).sum()
        wish = (jnp.arange(self.game.num_actions) * 31 + mood) % 97
        scores = jnp.where(self.game.legal(view), wish.astype(jnp.float32), -jnp.inf)
        return Decision(jnp.argmax(scores).astype(jnp.int32), scores)


@dataclass(frozen=True)
class Lazy(Player[Any]):
    """Waits for ever."""

    def act(self, params: Any, key: Any, view: Any) -> Decision:
        return Decision(jnp.int32(WAIT), jnp.zeros(self.game.num_actions))


@dataclass(frozen=True)
class Cheat(Player[Any]):
    """Does what is not allowed."""

    def act(self, params: Any, key: Any, view: Any) -> Decision:
        return Decision(jnp.argmin(self.game.legal(view)).astype(jnp.int32), jnp.zeros(self.game.num_actions))


@dataclass(frozen=True)
class Spy(Player[Any]):
    """Walks, but waits as soon as it sees a secret of somebody else, or not its own."""

    def act(self, params: Any, key: Any, view: State) -> Decision:
        own = jnp.arange(self.game.num_players) == view.seat
        fair = ((view.secrets >= 0) == own).all()
        return Decision(jnp.where(fair, WALK, WAIT).astype(jnp.int32), jnp.zeros(3))


class Visitor(Outsider[Any]):
    """Plays at random on the host, and keeps what it was told."""

    def __init__(self, game: Game[Any], fails_after: int | None = None) -> None:
        self.game, self.fails_after = game, fails_after
        self.turns: list[MoveRequest] = []
        self.closed = 0
        self.choose = jax.jit(lambda s, key: random_action(game, s, key))

    def decide(self, turn: MoveRequest) -> int:
        if len(self.turns) == self.fails_after:
            raise RuntimeError("the visitor left")
        self.turns.append(turn)
        return int(self.choose(turn.view, turn.key))

    def close(self) -> None:
        self.closed += 1
