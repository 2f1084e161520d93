"""Decisions as numbers without gaps: what a table needs to have a place for each.

Wherever a game has been solved its positions have been numbered. A **decision** is a position with whatever fate has
done, such as the throw in Ur, seen by the side to move; its legal moves are counted from 0 in the order of the actions.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic

import jax
import jax.numpy as jnp

from ludens.core import bits
from ludens.core.game import Game, S
from ludens.core.types import Array
from ludens.oracles import oracle_for, solvable
from ludens.oracles.oracle import Lookup, Oracle
from ludens.oracles.store import load


@dataclass(frozen=True)
class Numbering(Generic[S]):
    """A number for each decision of a game, and one for each of its moves."""

    oracle: Oracle[S]

    @property
    def decisions(self) -> int:
        """N: how many there are, among them perhaps some that play cannot reach."""
        return self.oracle.decisions(_keys(self.oracle))

    @property
    def width(self) -> int:
        """K: no decision has more moves."""
        return self.oracle.most_moves

    def decision(self, s: S) -> Array:
        """The number of a decision, `int32[]` below N; whatever number if the game is over."""
        return self.oracle.decision(_keys(self.oracle), s)

    def moves(self, s: S) -> Array:
        """Which of the K moves there are, `bool[K]`."""
        count = self.oracle.game.legal(s).sum(dtype=jnp.int32)
        return jnp.arange(self.width) < count

    def action(self, s: S, n: Array) -> Array:
        """The `n`-th legal action (`int32[]`, from 0), `int32[]`."""
        return bits.nth_set_bit(bits.pack(self.oracle.game.legal(s)), n)

    def by_action(self, s: S, figures: Array) -> Array:
        """Figures `float32[K]` of the moves as figures of the actions, `float32[A]`; -inf where illegal."""
        legal = self.oracle.game.legal(s)
        rank = jnp.cumsum(legal, dtype=jnp.int32) - 1
        spread = jnp.where(rank[:, None] == jnp.arange(self.width), figures, 0).sum(axis=1)
        return jnp.where(legal, spread, -jnp.inf)


def numbered(game: Game[Any]) -> bool:
    """Whether the decisions of `game` have numbers, few enough for a table."""
    oracle = oracle_for(game)
    return oracle is not None and oracle.small


def numbering(game: Game[S]) -> Numbering[S]:
    """The numbering of `game`; ValueError if nobody has numbered this variant, or it is too large for a table."""
    oracle = solvable(game)
    if not oracle.small:
        raise ValueError(f"{game.id} has too many positions in this variant for a table: expected a smaller variant")
    return Numbering(oracle)


@lru_cache(maxsize=8)
def _keys(oracle: Oracle[Any]) -> Lookup:
    """The part of the solution that numbers positions; nothing is solved where a formula does it."""
    if not oracle.numbered_by:
        return {}
    with jax.ensure_compile_time_eval():  # asked for while something else is compiled, it is solved all the same
        table = load(oracle.game)[1].table
    return {name: table[name] for name in oracle.numbered_by}
