"""What happened in a game, so that it can be stored, counted and played again move by move, alone or in batches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.game import Game, S, variant, where
from ludens.core.types import Array

TOLERANCE = 1e-6  # of a result that went through text
WRITTEN_AS: dict[str, tuple[type[Any], type[Any] | None]] = {
    "game": (str, None),
    "variant": (dict, None),
    "seed": (int, None),
    "seats": (list, str),
    "start": (str, None),
    "opening": (int, None),
    "actions": (list, int),
    "chance": (list, int),
    "returns": (list, float),
}
"""What a record's fields are in JSON, and what a list holds."""


@dataclass(frozen=True)
class Record:
    """A finished game. With `start`, `actions` and `chance` it can be played again."""

    game: str
    """The game's id."""
    variant: dict[str, Any]
    """The fields that make the variant, as JSON has them (lists, not tuples)."""
    seed: int
    """Decides the start and the opening; with the seating, everything random that follows."""
    seats: tuple[str, ...]
    """The spec of the player in each seat."""
    start: str
    """The position as it was dealt, by `game.show`."""
    opening: int
    """How many of the first actions were drawn at random and chosen by nobody."""
    actions: tuple[int, ...]
    """Every action, the opening's included."""
    chance: tuple[int, ...]
    """Every outcome of fate, in order."""
    returns: tuple[float, ...]
    """The result of each seat; all zero where the turn limit made it a draw."""

    @property
    def turns(self) -> int:
        """How long the game was: all actions of all seats."""
        return len(self.actions)

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON has it; `turns` is written for readers."""
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return plain | {"turns": self.turns}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "Record":
        """The inverse of `to_dict`; ValueError says what is wrong."""
        if missing := [name for name in WRITTEN_AS if name not in written]:
            raise ValueError(f"the record has no '{missing[0]}': expected {', '.join(WRITTEN_AS)}")
        for name, (outer, inner) in WRITTEN_AS.items():
            value = written[name]
            if not isinstance(value, outer) or (inner and not all(_is_a(inner, item) for item in value)):
                what = f"a list of {inner.__name__}" if inner else outer.__name__
                raise ValueError(f"the record's '{name}' is {value!r}: expected {what}")
        record = cls(
            game=written["game"],
            variant=dict(written["variant"]),
            seed=written["seed"],
            seats=tuple(written["seats"]),
            start=written["start"],
            opening=written["opening"],
            actions=tuple(written["actions"]),
            chance=tuple(written["chance"]),
            returns=tuple(float(value) for value in written["returns"]),
        )
        if written.get("turns", record.turns) != record.turns:
            raise ValueError(f"the record claims {written['turns']} turns: expected {record.turns}, one per action")
        return record


def plain_variant(game: Game[Any]) -> dict[str, Any]:
    """The fields that make this variant, as JSON has them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in variant(game).items()}


def replay(game: Game[S], record: Record) -> list[S]:
    """The positions in which the record's actions were chosen, then the last one: `turns + 1` states.

    ValueError says where a record is not a finished game by these rules with this result.
    """
    if (record.game, record.variant) != (game.id, plain_variant(game)):
        claimed = f"{record.game} {record.variant}"
        raise ValueError(f"the record is of {claimed}: expected {game.id} {plain_variant(game)}")
    if len(record.seats) != game.num_players:
        raise ValueError(f"the record has {len(record.seats)} seats: expected {game.num_players}")
    if not 0 <= record.opening <= record.turns:
        raise ValueError(f"the record's opening has {record.opening} plies: expected 0 to {record.turns}")
    rules, fate = _compiled(game), iter(record.chance)
    s = _settled(game, game.read(record.start), fate, "the start")
    states = [s]
    for number, a in enumerate(record.actions, start=1):
        if bool(rules.done(s)) or number > game.turn_limit:
            raise ValueError(f"the record goes on after the game ended: expected {number - 1} actions")
        if not (0 <= a < game.num_actions and bool(rules.legal(s)[a])):
            raise ValueError(f"action {number} of the record is wrong: {game.rejection(f'action {a}', s)}")
        s = _settled(game, rules.apply(s, np.int32(a)), fate, f"action {number}")
        states.append(s)
    if (left := len(list(fate))) > 0:
        raise ValueError(f"the record has {left} outcomes of fate too many: expected {len(record.chance) - left}")
    if not bool(rules.done(s)) and record.turns < game.turn_limit:
        raise ValueError(f"the record breaks off after {record.turns} actions: expected a finished game")
    returns = np.asarray(game.returns(s))
    if len(record.returns) != len(returns) or not np.allclose(record.returns, returns, atol=TOLERANCE):
        raise ValueError(f"the record claims returns {list(record.returns)}: expected {returns.tolist()}")
    return states


def _is_a(kind: type[Any], item: Any) -> bool:
    """Whether JSON can mean such an item; a whole number may stand for a float."""
    return isinstance(item, int | float if kind is float else kind) and not isinstance(item, bool)


class _Rules(NamedTuple):
    """The rules of one game, compiled."""

    apply: Callable[..., Any]
    legal: Callable[..., Array]
    done: Callable[..., Array]
    chance: Callable[..., Array]
    roll: Callable[..., Any]


@lru_cache(maxsize=32)
def _compiled(game: Game[Any]) -> _Rules:
    return _Rules(*(jax.jit(rule) for rule in (game.apply, game.legal, game.done, game.chance, game.roll)))


def _settled(game: Game[S], s: S, fate: Any, when: str) -> S:
    """`s` after fate has done what the record says, until somebody can decide or the game is over."""
    rules = _compiled(game)
    while game.rolls and (weights := np.asarray(rules.chance(s))).sum() > 0:
        c = next(fate, None)
        if c is None:
            raise ValueError(f"the record has no outcome of fate after {when}: expected one, for fate is due")
        if not (0 <= c < game.num_chance and weights[c] > 0):
            possible = [int(each) for each in np.flatnonzero(weights > 0)]
            raise ValueError(f"fate cannot do {c} after {when}: expected one of {possible}")
        s = rules.roll(s, np.int32(c))
    return s


# ---------------------------------------------------------------------- many records: every decision, as one batch

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
    rules, fates = _compiled_batch(game), [iter(record.chance) for record in some]
    starts = [game.read(record.start) for record in some]
    starts += starts[:1] * (TOGETHER - len(some))
    states = _settled_batch(game, jax.tree.map(lambda *rows: np.stack(rows), *starts), fates)
    parts = []
    for ply in range(max(record.turns for record in some)):
        going = _padded([ply < record.turns for record in some], bool)
        actions = _padded([record.actions[ply] if ply < record.turns else 0 for record in some], np.int32)
        chosen = np.flatnonzero(_padded([record.opening <= ply < record.turns for record in some], bool))
        movers = np.asarray(rules.player(states))
        kept = jax.tree.map(lambda x, chosen=chosen: np.asarray(x)[chosen], states)
        parts.append(Decisions(kept, actions[chosen], movers[chosen], (first + chosen).astype(np.int32)))
        states = _settled_batch(game, rules.apply(states, actions, going), fates)
    return parts


class _BatchRules(NamedTuple):
    """The rules for a batch of positions, compiled; flags `bool[B]` say which of them move on."""

    player: Callable[[Any], Array]
    apply: Callable[[Any, Any, Any], Any]
    due: Callable[[Any], Array]
    roll: Callable[[Any, Any, Any], Any]


@lru_cache(maxsize=32)
def _compiled_batch(game: Game[Any]) -> _BatchRules:
    return _BatchRules(
        player=jax.jit(jax.vmap(game.player)),
        apply=jax.jit(jax.vmap(lambda s, a, going: where(going, game.apply(s, a), s))),
        due=jax.jit(jax.vmap(lambda s: jnp.sum(game.chance(s)) > 0)),
        roll=jax.jit(jax.vmap(lambda s, c, due: where(due, game.roll(s, c), s))),
    )


def _settled_batch(game: Game[Any], states: Any, fates: Sequence[Any]) -> Any:
    """The positions after fate has done what the records say."""
    rules = _compiled_batch(game)
    while game.rolls and (due := np.asarray(rules.due(states))[: len(fates)]).any():
        outcomes = [next(fate) if is_due else 0 for fate, is_due in zip(fates, due, strict=True)]
        states = rules.roll(states, _padded(outcomes, np.int32), _padded(due, bool))
    return states


def _padded(values: Any, kind: Any) -> np.ndarray:
    """The values `[N]` with zeros after them, `[TOGETHER]`."""
    array = np.zeros(TOGETHER, kind)
    array[: len(values)] = values
    return array
