"""Wins and blocks: what a move decides at once, in any game of two sides."""

from functools import lru_cache
from typing import Any

import jax.numpy as jnp

from ludens.core.game import Game, S, sign
from ludens.core.types import Array
from ludens.players.lookahead import Attempt, Worth, after_each, for_each


def wins(game: Game[S], s: S) -> Array:
    """Legal moves that end the game at once in the mover's favour, `bool[A]`."""
    return after_each(game, _wins(game), None, s)


def blocks(game: Game[S], s: S, *, among: Array | None = None) -> Array:
    """Legal moves that neither lose at once nor leave the opponent one that wins at once, by any throw: `bool[A]`.

    `among` (`bool[A]`) leaves some of the legal moves out. The opponent's replies must be known: nothing is hidden.
    """
    return after_each(game, _is_safe(game), None, s, among=among)


def wins_first(game: Game[S], s: S) -> Array:
    """The moves that remain to choose from, `bool[A]`: wins if there are any, else all that are legal."""
    winning = wins(game, s)
    return jnp.where(winning.any(), winning, game.legal(s))


def wins_and_blocks(game: Game[S], s: S) -> Array:
    """The moves that remain to choose from, `bool[A]`: wins if there are any, else blocks, else all that are legal.

    Where facts are hidden, nobody knows the opponent's replies, and only wins are looked for.
    """
    if game.hidden:
        return wins_first(game, s)
    legal, winning = game.legal(s), wins(game, s)
    decided = winning.any()
    blocking = blocks(game, s, among=legal & ~decided)
    return jnp.where(decided, winning, jnp.where(blocking.any(), blocking, legal))


@lru_cache(maxsize=64)
def _wins(game: Game[Any]) -> Worth:
    """Whether the step from `s` to `t` won, `bool[]`."""
    return lambda _, s, t: _result(game, s, t) > 0


@lru_cache(maxsize=64)
def _is_safe(game: Game[Any]) -> Worth:
    """Whether the step from `s` to `t` is a block, `bool[]`."""

    def is_safe(_: None, s: Any, t: Any) -> Array:
        threatened = (sign(game, s, t) < 0) & _can_win(game, game.rolls, t)
        return (_result(game, s, t) >= 0) & ~threatened

    return is_safe


def _result(game: Game[S], s: S, t: S) -> Array:
    """What the game that ended in `t` brought to the mover of `s`, `float32[]`; 0 if it goes on."""
    return game.returns(t)[game.player(s)]


def _can_win(game: Game[S], rolls: int, s: S) -> Array:
    """Whether the side to move has a move that wins at once, after up to `rolls` acts of fate, `bool[]`."""
    now = wins(game, s).any()
    if rolls == 0:
        return now
    return now | for_each(*_throws(game, rolls), game.chance(s) > 0, s).any()


@lru_cache(maxsize=64)
def _throws(game: Game[Any], rolls: int) -> tuple[Attempt, Worth]:
    """Fate's act, and whether the side to move can win after it."""
    return lambda c, s: game.roll(s, c), lambda _, s, t: _can_win(game, rolls - 1, t)
