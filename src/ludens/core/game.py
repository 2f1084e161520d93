"""The game contract, and what follows from it for every game.

A game is a frozen, hashable dataclass whose fields choose the variant. Its methods are pure functions on a small
state, a `NamedTuple` of arrays without a batch axis; callers add axes with `jax.vmap`.

Fate is explicit. `apply` is the mover's act and nothing else; if chance decides what comes next, `chance` gives the
probabilities and `roll` carries one outcome out. `step` does both. Planners can look at every outcome, and nothing in
the state foretells one.

Shapes: `A = num_actions`, `C = num_chance`, `P = num_players`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core import bits, settings
from ludens.core.batching import once
from ludens.core.types import Action, Array, Key

S = TypeVar("S")
"""The state of a game: a NamedTuple of arrays."""
NOTHING = -1
"""In place of an outcome where fate did not act."""


@dataclass(frozen=True)
class Game(ABC, Generic[S]):
    """What a game must answer. Subclasses are frozen dataclasses; equal fields mean the same game."""

    id: ClassVar[str]
    """The name a user types: `othello`."""
    notation: ClassVar[str]
    """How a move is typed, for messages: `a square such as f5, or pass`."""
    turn_limit: ClassVar[int]
    """Actions after which a match is called a draw, as the paper has it. The rules themselves know no limit."""
    hidden: ClassVar[bool] = False
    """Whether `view` blanks anything."""
    can_undo: ClassVar[bool] = True
    """Whether taking a move back is fair: false where fate or hidden facts would be seen twice."""
    num_chance: ClassVar[int] = 0
    """C: outcomes fate chooses from; 0 where the game has no dice and no draws."""

    def __post_init__(self) -> None:
        """ValueError if a field is not what its setting allows; games that ask more of theirs call this first."""
        settings.check(self, of=self.id)

    @property
    @abstractmethod
    def num_players(self) -> int:
        """P: number of seats."""

    @property
    @abstractmethod
    def num_actions(self) -> int:
        """A: number of actions, legal or not."""

    @property
    def rolls(self) -> int:
        """The most times fate acts in a row between two actions."""
        return 1 if self.num_chance else 0

    def side(self, seat: Array) -> Array:
        """Which side a seat plays for: itself, unless the game has teams."""
        return seat

    # ------------------------------------------------------------------ the rules

    @abstractmethod
    def init(self, key: Key) -> S:
        """A starting position, everything that is dealt or thrown before the first decision included."""

    @abstractmethod
    def player(self, s: S) -> Array:
        """Seat to move, `int32[]`."""

    @abstractmethod
    def legal(self, s: S) -> Array:
        """Legal actions, `bool[A]`; none once the game is over or while fate is due."""

    @abstractmethod
    def _apply(self, s: S, a: Array) -> S:
        """The mover's act, given that it is legal."""

    def _allows(self, s: S, a: Array) -> Array:
        """Whether `a` (in range) is legal, `bool[]`; games override it where one action is cheaper than all."""
        return self.legal(s)[a]

    def apply(self, s: S, a: Action) -> S:
        """The mover's act only. An illegal action leaves the state as it is; `checked` catches it at the edge."""
        a = jnp.asarray(a, jnp.int32)
        inside = (a >= 0) & (a < self.num_actions)
        a = jnp.clip(a, 0, self.num_actions - 1)
        return where(inside & self._allows(s, a), self._apply(s, a), s)

    def chance(self, s: S) -> Array:
        """Probabilities of what fate does next, `float32[C]`; all zero if it is a player's turn or the end."""
        return jnp.zeros(self.num_chance, jnp.float32)

    def roll(self, s: S, c: Action) -> S:
        """Fate's act: outcome `c`, of positive probability."""
        return s

    @abstractmethod
    def done(self, s: S) -> Array:
        """Whether the game is over, `bool[]`."""

    @abstractmethod
    def returns(self, s: S) -> Array:
        """Result for each seat, `float32[P]` in [-1, 1]; all zero while the game is on."""

    def view(self, s: S, seat: Array | int) -> S:
        """The state as `seat` knows it: hidden facts blanked, everything else untouched."""
        return s

    def determinize(self, view: S, key: Key) -> S:
        """A full state that fits a seat's `view`: what is hidden is drawn at random, if anything is."""
        return view

    @property
    def symmetries(self) -> int:
        """In how many ways a position can be turned or mirrored into one that is played alike; 1 if in none."""
        return 1

    def transform(self, s: S, k: Array | int) -> S:
        """The position under symmetry `k`, 0 to `symmetries - 1`; 0 changes nothing."""
        return s

    def transform_action(self, s: S, a: Action, k: Array | int) -> Array:
        """What action `a` in `s` becomes in `transform(s, k)`, `int32[]`."""
        return jnp.asarray(a, jnp.int32)

    def noisy(self, s: S) -> Array:
        """Legal actions before which a position is not judged as it stands, `bool[A]`, such as captures."""
        return jnp.zeros(self.num_actions, bool)

    def is_noisy(self, s: S) -> Array:
        """Whether any action is, `bool[]`; games override it where that is cheaper than all of them."""
        return self.noisy(s).any()

    @property
    def one_deal(self) -> "Game[S]":
        """The part of the game that a search looks through: all of it, or one deal where a match has several."""
        return self

    @abstractmethod
    def observe(self, s: S, seat: Array | int | None = None) -> Array:
        """Features for a learner as `seat` sees them (the mover if not given): one array within [-1, 1]."""

    # ------------------------------------------------------------------ text, on the host

    @abstractmethod
    def name(self, a: Action, s: S) -> str:
        """What a person calls action `a` in position `s`."""

    def parse(self, text: str, s: S) -> int:
        """The legal action that `text` names; ValueError says what was expected."""
        named = {self.name(a, s).lower(): a for a in legal_actions(self, s)}
        try:
            return named[" ".join(text.lower().split())]
        except KeyError:
            raise ValueError(self.rejection(text, s)) from None

    def rejection(self, text: str, s: S) -> str:
        """The sentence for a move that cannot be played: what is wrong and what was expected."""
        names = [self.name(a, s) for a in legal_actions(self, s)]
        if not names:
            due = "no more moves, the game is over" if bool(self.done(s)) else "fate to act first"
            return f"'{text}' cannot be played in {self.id}: expected {due}"
        return f"'{text}' is not a legal move in {self.id}: expected {self.notation}; here {choices(names)}"

    @abstractmethod
    def show(self, s: S) -> str:
        """The position in one line of text."""

    @abstractmethod
    def read(self, text: str) -> S:
        """The position that `show` wrote or a person typed; ValueError says what was expected."""


def where(condition: Array | bool, yes: S, no: S) -> S:
    """`yes` if the condition `bool[]` holds, else `no`, for whole states."""
    chosen: S = jax.tree.map(lambda x, y: jnp.where(condition, x, y), yes, no)
    return chosen


def step(game: Game[S], s: S, a: Action, key: Key) -> S:
    """The mover's act and then fate's: the next position in which somebody decides, or the end."""
    return settle(game, game.apply(s, a), key)


def settle(game: Game[S], s: S, key: Key) -> S:
    """Let fate act, at random, until it is a player's turn or the game is over."""
    return settle_and_tell(game, s, key)[0]


def settle_and_tell(game: Game[S], s: S, key: Key) -> tuple[S, Array]:
    """As `settle`, and what fate did, in order: `int32[rolls]`, filled up with `NOTHING`."""
    outcomes = jnp.full(game.rolls, NOTHING, jnp.int32)
    if game.rolls == 0:
        return s, outcomes
    if game.rolls == 1:
        weights = game.chance(s)
        c = sample(weights, key)
        return where(weights.sum() > 0, (game.roll(s, c), c[None]), (s, outcomes))

    def due(carry: tuple[S, Array, Array]) -> Array:
        return game.chance(carry[0]).sum() > 0

    def roll(carry: tuple[S, Array, Array]) -> tuple[S, Array, Array]:
        s, outcomes, count = carry
        c = sample(game.chance(s), jax.random.fold_in(key, count))
        return game.roll(s, c), jnp.where(jnp.arange(game.rolls) == count, c, outcomes), count + 1

    return lax.while_loop(due, roll, (s, outcomes, jnp.int32(0)))[:2]


def sample(weights: Array, key: Key) -> Array:
    """An index drawn in proportion to `weights` (`float32[N]`, not all zero): `int32[]`."""
    edges = jnp.cumsum(weights)
    point = jax.random.uniform(key) * edges[-1]
    last = jnp.max(jnp.where(weights > 0, jnp.arange(weights.shape[0]), 0))
    return jnp.minimum((edges <= point).sum(dtype=jnp.int32), last).astype(jnp.int32)


def pick(mask: Array, noise: Array) -> Array:
    """An index at which `mask` (`bool[N]`) is set, from one word of random bits (`uint32[]`): `int32[]`.

    Every set index is equally likely (to one part in 2^24); 0 if none is set.
    """
    if noise.dtype != jnp.uint32:  # as `jax.random.bits` makes it in 64-bit mode
        raise TypeError(f"pick takes one 32-bit word of noise, not {noise.dtype}: expected dtype=jnp.uint32")
    return _nth(bits.pack(mask), noise)


@once
def _nth(words: tuple[Array, ...], noise: Array) -> Array:
    """The place of a set bit, by the share of all set bits that `noise` asks for."""
    count = sum((lax.population_count(word) for word in words), start=jnp.uint32(0))
    share = (noise >> 8).astype(jnp.float32) * jnp.float32(2.0**-24)
    nth = jnp.minimum((share * count.astype(jnp.float32)).astype(jnp.uint32), jnp.maximum(count, 1) - 1)
    return bits.nth_set_bit(words, nth)


def random_action(game: Game[S], s: S, key: Key) -> Array:
    """A uniformly random legal action, `int32[]`."""
    return pick(game.legal(s), jax.random.bits(key, dtype=jnp.uint32))


def sign(game: Game[S], s: S, t: S) -> Array:
    """+1 if the side that moves in `s` moves again in `t`, else -1: how values change hands. `float32[]`."""
    same = game.side(game.player(s)) == game.side(game.player(t))
    return jnp.where(same, 1.0, -1.0).astype(jnp.float32)


# ---------------------------------------------------------------------- at the edge, on the host


def legal_actions(game: Game[S], s: S) -> list[int]:
    """The legal actions of one concrete position as Python integers."""
    legal: list[int] = np.flatnonzero(game.legal(s)).tolist()  # with JAX every number of moves would be compiled anew
    return legal


def checked(game: Game[S], s: S, a: int) -> int:
    """`a` itself if it is legal in `s`; a ValueError that says what was expected if not."""
    if not 0 <= a < game.num_actions:
        raise ValueError(f"action {a} does not exist in {game.id}: expected 0 to {game.num_actions - 1}")
    if not bool(game.legal(s)[a]):
        raise ValueError(game.rejection(f"action {a}", s))
    return a


def variant(game: Game[Any]) -> dict[str, Any]:
    """The fields that make this variant: `{"size": 8}`."""
    return {field.name: getattr(game, field.name) for field in fields(game)}


def choices(names: list[str], most: int = 24) -> str:
    """`one of a, b, c` for a message, cut where nobody reads on."""
    listed = ", ".join(names[:most]) + (f", ... ({len(names)} in all)" if len(names) > most else "")
    return listed if len(names) == 1 else f"one of {listed}"
