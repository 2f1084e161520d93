"""The player contract: whoever decides, by dice, formula, search or learning, has this shape."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, NamedTuple, Self

import jax
import jax.numpy as jnp

from ludens.core.game import Game, S, pick
from ludens.core.types import Array, Key


class Decision(NamedTuple):
    """What a player does and how it sees its choices."""

    action: Array
    """The action chosen, `int32[]`."""
    scores: Array
    """What the player thinks of each action, `float32[A]`; -inf where illegal."""


def best(scores: Array, key: Key) -> Decision:
    """The decision for one of the actions with the highest score (`float32[A]`, -inf where illegal), at random."""
    return Decision(pick(scores == scores.max(), jax.random.bits(key, dtype=jnp.uint32)), scores)


def alone(decide: Callable[[Key, S], Decision], key: Key, view: S) -> Decision:
    """The decision in a single position of whoever decides in batches, given keys and views `[B]`."""
    decisions = decide(key[None], jax.tree.map(lambda x: jnp.asarray(x)[None], view))
    only: Decision = jax.tree.map(lambda x: x[0], decisions)
    return only


def whole_number(what: str, text: str, most: int) -> int:
    """The number from 1 to `most` that a word of a spec stands for; ValueError says what was expected of `what`."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and 1 <= int(text) <= most):
        raise ValueError(f"{what} is '{text}': expected a whole number from 1 to {most}")
    return int(text)


@dataclass(frozen=True)
class Player(ABC, Generic[S]):
    """One who plays `game`. `act` is pure, so a batch of players is a `vmap`."""

    scores_are: ClassVar[str] = "value"
    """What `Decision.scores` mean: `value` or `probability`."""
    games: ClassVar[tuple[str, ...]] = ()
    """Ids of the games it can play; empty: all of them."""
    compiled: ClassVar[bool] = True
    """Whether `act` is pure and can be compiled; if not (who decides by the clock), there is `asked` only."""

    game: Game[S]

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        """Whether it can play `game` at all."""
        return not cls.games or game.id in cls.games

    @classmethod
    def from_options(cls, game: Game[S], options: tuple[str, ...]) -> Self:
        """The player that the words after its name describe: `alphabeta:4:positional` has two."""
        if options:
            raise ValueError(f"it has options it cannot take ('{':'.join(options)}'): expected none")
        return cls(game)

    def init(self, key: Key) -> Any:
        """What `act` needs beyond the position (weights, tables): a pytree, None for most."""
        return None

    @abstractmethod
    def act(self, params: Any, key: Key, view: S) -> Decision:
        """Decide in a position given as the mover's `view`."""

    def act_batch(self, params: Any, keys: Key, views: S) -> Decision:
        """Decide in many positions at once, everything `[B]`; who can share work between them overrides this.

        A view in which the game is over costs nothing there and may get any action.
        """
        decisions: Decision = jax.vmap(self.act, in_axes=(None, 0, 0))(params, keys, views)
        return decisions

    def analyse(self, params: Any, key: Key, view: S) -> Decision:
        """As `act`, but with the true score of every legal action where `act` stops at what it needs to choose."""
        return self.act(params, key, view)

    def asked(self, params: Any, key: Key, view: S, *, analyse: bool = False) -> Callable[[Key, S], Decision]:
        """How to ask it on the host, one position like this at a time; everything is compiled by then."""
        think = jax.jit(self.analyse if analyse else self.act).lower(params, key, view).compile()
        return partial(think, params)
