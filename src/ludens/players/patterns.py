"""Playing by pattern tables, in every game that says how its positions are read (`players/pattern_tables.py`)."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import jax.numpy as jnp

from ludens.core.game import Game, S, sign
from ludens.core.player import Decision, best
from ludens.core.types import Array, Key
from ludens.players.agent import Agent, LearnedEvaluator
from ludens.players.lookahead import Worth, after_each
from ludens.players.onitama_patterns import OnitamaTables
from ludens.players.othello_patterns import OthelloTables
from ludens.players.pattern_tables import PatternTables

TABLES: dict[str, type[PatternTables[Any]]] = {"othello": OthelloTables, "onitama": OnitamaTables}
"""By the game's id."""


@lru_cache(maxsize=8)
def tables_of(game: Game[Any]) -> PatternTables[Any]:
    return TABLES[game.id](game)


def after_moves(game: Game[S], tables: Array, s: S) -> Array:
    """What the position after each legal move is worth to the mover, `float32[A]`; 0 where illegal."""
    return after_each(game, _judge(game), tables, s)


def blank(game: Game[Any], phases: int) -> Array:
    """Tables that know nothing, `int16[P, E]`."""
    return jnp.zeros((phases, tables_of(game).entries_of_a_phase), jnp.int16)


@lru_cache(maxsize=8)
def _judge(game: Game[Any]) -> Worth:
    known = tables_of(game)

    def judge(tables: Array, s: Any, t: Any) -> Array:
        return sign(game, s, t) * jnp.where(game.done(t), known.outcome(t), known.worth(tables, t))

    return judge


@dataclass(frozen=True)
class PatternAgent(Agent[S]):
    """Plays to the position that is worth most, at random among equals."""

    kind: ClassVar[str] = "patterns"
    games: ClassVar[tuple[str, ...]] = tuple(TABLES)

    phases: int

    def create(self, key: Key) -> Array:
        return blank(self.game, self.phases)

    def act(self, params: Array, key: Key, view: S) -> Decision:
        worth = after_moves(self.game, params, view)
        return best(jnp.where(self.game.legal(view), worth, -jnp.inf), key)

    def value(self, params: Array, s: S) -> Array:
        known = tables_of(self.game)
        return known.result(known.worth(params, s))

    def evaluator(self) -> LearnedEvaluator[S]:
        return tables_of(self.game).evaluator(self.game, self)
