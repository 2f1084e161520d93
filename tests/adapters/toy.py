"""A made-up race that has everything an adapter can stumble over, small enough to work out by hand.

Every seat holds a secret number. Fate throws 1, 2 or 3 before every turn; the mover may wait, walk (as far
as the throw) or, on a throw of 1 only, run (twice as far). A throw of 3 gives another turn. Whoever is first
at `goal` wins.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.game import Game
from ludens.core.types import Action, Array, Key

WAIT, WALK, RUN = 0, 1, 2
TRACES: list[str] = []
"""Grows whenever Python, and not compiled code, carries out a move."""


class State(NamedTuple):
    seat: Array  # int32[]: whose turn it is
    throw: Array  # int32[]: 1 to 3; 0 where fate is due
    places: Array  # int32[P]
    secrets: Array  # int32[P]: 0 to 3; -1 where blanked


@dataclass(frozen=True)
class Race(Game[State]):
    id: ClassVar[str] = "race"
    notation: ClassVar[str] = "wait, walk or run"
    turn_limit: ClassVar[int] = 31
    hidden: ClassVar[bool] = True
    num_chance: ClassVar[int] = 3

    players: int = 3
    goal: int = 12

    @property
    def num_players(self) -> int:
        return self.players

    @property
    def num_actions(self) -> int:
        return 3

    def init(self, key: Key) -> State:
        deal, throw = jax.random.split(key)
        secrets = jax.random.randint(deal, (self.players,), 0, 4)
        first = jax.random.randint(throw, (), 1, 4)
        return State(jnp.int32(0), first, jnp.zeros(self.players, jnp.int32), secrets)

    def player(self, s: State) -> Array:
        return s.seat

    def legal(self, s: State) -> Array:
        on = ~self.done(s) & (s.throw > 0)
        return on & jnp.stack([jnp.bool_(True), jnp.bool_(True), s.throw == 1])

    def _apply(self, s: State, a: Array) -> State:
        TRACES.append("apply")
        places = s.places + jnp.where(jnp.arange(self.players) == s.seat, s.throw * a, 0)
        seat = jnp.where((s.throw == 3) | (places >= self.goal).any(), s.seat, (s.seat + 1) % self.players)
        return State(seat, jnp.int32(0), places, s.secrets)

    def chance(self, s: State) -> Array:
        due = (s.throw == 0) & ~self.done(s)
        return jnp.where(due, jnp.float32(1 / 3), jnp.float32(0)) * jnp.ones(3, jnp.float32)

    def roll(self, s: State, c: Action) -> State:
        return s._replace(throw=jnp.asarray(c, jnp.int32) + 1)

    def done(self, s: State) -> Array:
        return (s.places >= self.goal).any()

    def returns(self, s: State) -> Array:
        won = s.places >= self.goal
        return jnp.where(won.any(), jnp.where(won, 1.0, -1.0 / (self.players - 1)), 0.0).astype(jnp.float32)

    def view(self, s: State, seat: Array | int) -> State:
        return s._replace(secrets=jnp.where(jnp.arange(self.players) == seat, s.secrets, -1))

    def observe(self, s: State, seat: Array | int | None = None) -> Array:
        seat = s.seat if seat is None else seat
        order = (jnp.arange(self.players) + seat) % self.players
        secret = jnp.where(jnp.arange(self.players) == seat, s.secrets, 0).sum()
        facts = jnp.stack([s.throw / 3, secret / 3, (s.seat == seat).astype(jnp.float32)])
        return jnp.concatenate([facts, jnp.minimum(s.places[order] / self.goal, 1.0)])

    def name(self, a: Action, s: State) -> str:
        return ("wait", "walk", "run")[int(a)]

    def show(self, s: State) -> str:
        places = ",".join(str(int(place)) for place in s.places)
        secrets = ",".join("?" if secret < 0 else str(int(secret)) for secret in s.secrets)
        return f"{int(s.seat)} {int(s.throw)} {places} {secrets}"

    def read(self, text: str) -> State:
        seat, throw, places, secrets = text.split()
        return State(
            jnp.int32(int(seat)),
            jnp.int32(int(throw)),
            jnp.array([int(place) for place in places.split(",")], jnp.int32),
            jnp.array([-1 if secret == "?" else int(secret) for secret in secrets.split(",")], jnp.int32),
        )
