"""Every decision in a set of records, as one batch of positions: what measures of play are taken on."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.arena.record import Record
from ludens.core.game import Game, where
from ludens.core.types import Array

TOGETHER = 256  # records walked through side by side


class Decisions(NamedTuple):
    """`N` decisions, NumPy arrays all. The plies of openings are not among them, since nobody chose those."""

    states: Any
    """The positions, whole and not as views: a pytree `[N]`."""
    actions: np.ndarray
    """What was chosen, `int32[N]`."""
    movers: np.ndarray
    """The seat that chose, `int32[N]`."""
    records: np.ndarray
    """The number of the record it stands in, `int32[N]`."""


def decisions(game: Game[Any], records: Sequence[Record]) -> Decisions:
    """All decisions of records that are known to be right (`replay` checks one)."""
    parts = [part for first in range(0, len(records), TOGETHER) for part in _walk(game, records, first)]
    if not parts:
        raise ValueError("there is no decision to look at: expected records of games with actions")
    together: Decisions = jax.tree.map(lambda *pieces: np.concatenate(pieces), *parts)
    return together


def _walk(game: Game[Any], records: Sequence[Record], first: int) -> list[Decisions]:
    """The decisions in up to `TOGETHER` records from `first` on, ply by ply."""
    some = records[first : first + TOGETHER]
    rules, fates = _compiled(game), [iter(record.chance) for record in some]
    starts = [game.read(record.start) for record in some]
    starts += starts[:1] * (TOGETHER - len(some))
    states = _settled(game, jax.tree.map(lambda *rows: np.stack(rows), *starts), fates)
    parts = []
    for ply in range(max(record.turns for record in some)):
        going = _padded([ply < record.turns for record in some], bool)
        actions = _padded([record.actions[ply] if ply < record.turns else 0 for record in some], np.int32)
        chosen = np.flatnonzero(_padded([record.opening <= ply < record.turns for record in some], bool))
        movers = np.asarray(rules.player(states))
        kept = jax.tree.map(lambda x, chosen=chosen: np.asarray(x)[chosen], states)
        parts.append(Decisions(kept, actions[chosen], movers[chosen], (first + chosen).astype(np.int32)))
        states = _settled(game, rules.apply(states, actions, going), fates)
    return parts


class _Rules(NamedTuple):
    """The rules for a batch of positions, compiled; flags `bool[B]` say which of them move on."""

    player: Callable[[Any], Array]
    apply: Callable[[Any, Any, Any], Any]
    due: Callable[[Any], Array]
    roll: Callable[[Any, Any, Any], Any]


@lru_cache(maxsize=32)
def _compiled(game: Game[Any]) -> _Rules:
    return _Rules(
        player=jax.jit(jax.vmap(game.player)),
        apply=jax.jit(jax.vmap(lambda s, a, going: where(going, game.apply(s, a), s))),
        due=jax.jit(jax.vmap(lambda s: jnp.sum(game.chance(s)) > 0)),
        roll=jax.jit(jax.vmap(lambda s, c, due: where(due, game.roll(s, c), s))),
    )


def _settled(game: Game[Any], states: Any, fates: Sequence[Any]) -> Any:
    """The positions after fate has done what the records say."""
    rules = _compiled(game)
    while game.rolls and (due := np.asarray(rules.due(states))[: len(fates)]).any():
        outcomes = [next(fate) if is_due else 0 for fate, is_due in zip(fates, due, strict=True)]
        states = rules.roll(states, _padded(outcomes, np.int32), _padded(due, bool))
    return states


def _padded(values: Any, kind: Any) -> np.ndarray:
    """The values `[N]` with zeros after them, `[TOGETHER]`."""
    array = np.zeros(TOGETHER, kind)
    array[: len(values)] = values
    return array
