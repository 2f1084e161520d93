"""The oracle contract: a game small enough to be solved, its table, and what the table says about any position.

Solving happens once and on the host; the table it leaves is a few named arrays. Everything that reads the table is
pure, so whole batches of positions are looked up in compiled code.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.game import Game, S
from ludens.core.types import Array, Key

Lookup: TypeAlias = Mapping[str, Any]
"""The arrays of a solution by name, on the host (NumPy) or on a device (JAX)."""

Progress: TypeAlias = Callable[[float], None]
"""Called now and then while solving, with the share of the work that is done, 0 to 1."""


@dataclass(frozen=True)
class Solution:
    """A solved game. Counts are of positions that play can reach from the start, each seen by the side to move.

    The same position with the seats exchanged is one position. Finished games count, except in Ur, where a position
    is counted before its throw and while the game is on.
    """

    table: dict[str, np.ndarray]
    """What the oracle looks up."""
    states: int
    """Positions; wins, draws and losses add up to it."""
    wins: int
    """Positions good for the side to move: won, or in Ur with a chance of more than one half."""
    draws: int
    """Positions good for neither: drawn, or in Ur one half to within 1e-9."""
    losses: int
    """Positions good for the other side."""
    longest: int | None
    """The most plies that a won or lost position lasts if the winner hurries and the loser delays; None in Ur."""
    start_value: float
    """What the start is worth to the side that begins; in Ur before its first throw."""
    seconds: float
    """How long solving took, compiling included; what was kept of an earlier try not."""
    error: float = 0.0
    """No value in the table is wrong by more."""
    figures: dict[str, Any] = field(default_factory=dict)
    """What else perfect play implies, by name; see the oracle."""


@dataclass(frozen=True)
class Oracle(ABC, Generic[S]):
    """Perfect knowledge of `game`: every number is exact and belongs to the side to move."""

    values_are: ClassVar[str] = "result"
    """What values mean: `result` (+1 won, 0 drawn, -1 lost) or `probability` (of winning, 0 to 1)."""
    numbered_by: ClassVar[tuple[str, ...]] = ()
    """The arrays of its table without which `decision` cannot number positions; none where a formula does."""

    game: Game[S]

    @classmethod
    @abstractmethod
    def solves(cls, game: Game[Any]) -> bool:
        """Whether this variant is small enough."""

    @property
    def small(self) -> bool:
        """Whether it is solved within a minute or so, unasked, and its decisions fit into a learner's table."""
        return True

    @property
    def tolerance(self) -> float:
        """Values no further apart than this are equal: numbers in the table or of 32 bits cannot tell them apart."""
        return 0.0

    @property
    @abstractmethod
    def most_moves(self) -> int:
        """No position has more legal actions."""

    @abstractmethod
    def decisions(self, table: Lookup) -> int:
        """How many numbers `decision` gives."""

    @abstractmethod
    def decision(self, table: Lookup, s: S) -> Array:
        """The number of a position in which somebody decides, from 0, `int32[]`; the same whoever sits where.

        What fate has done, such as the throw in Ur, is part of the position. `table` needs no more than `numbered_by`.
        """

    @abstractmethod
    def solve(self, progress: Progress | None = None, unfinished: Path | None = None) -> Solution:
        """Solve the game. Where that takes long, a solver that was killed goes on from what it kept in `unfinished`."""

    @abstractmethod
    def value(self, table: Lookup, s: S) -> Array:
        """What `s` is worth to the side to move or to throw, `float32[]`; NaN if play can never lead there."""

    @abstractmethod
    def values(self, table: Lookup, s: S) -> Array:
        """What each action is worth to the mover, over whatever fate does next, `float32[A]`; -inf where illegal."""

    def drawn(self, key: Key) -> S | None:
        """A position drawn from those of the table, perhaps a finished one; None where only play finds them."""
        return None

    def preference(self, table: Lookup, s: S) -> Array:
        """An order of the actions that refines `values`, `float32[A]`: win soon, lose late. -inf where illegal."""
        return self.values(table, s)

    def distance(self, table: Lookup, s: S) -> Array:
        """Plies to the end if the winner hurries and the loser delays, `int32[]`; -1 if drawn or not known."""
        return jnp.full((), -1, jnp.int32)

    def exact(self, table: Lookup, s: S) -> float:
        """`value` of one concrete position, on the host and as precise as the table was stored."""
        with jax.enable_x64(True):
            return float(_value(self, table, s))

    def _after_each(self, s: S, judge: Callable[[S], Array]) -> Array:
        """`judge` of the position after each action, `float32[A]`; -inf where the action is illegal."""
        actions = jnp.arange(self.game.num_actions, dtype=jnp.int32)
        judged: Array = jax.vmap(lambda a: judge(self.game.apply(s, a)))(actions)
        return jnp.where(self.game.legal(s), judged, -jnp.inf)


@partial(jax.jit, static_argnums=0)
def _value(oracle: Oracle[S], table: Lookup, s: S) -> Array:
    return oracle.value(table, s)
