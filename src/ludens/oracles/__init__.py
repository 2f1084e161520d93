"""Exact solvers: perfect play where a game is small enough. Adding one is one file and one line here.

A game without an oracle of its own is solved by enumeration, if a person asks for it: nothing begins that by itself.
"""

from typing import Any

from ludens.core.game import Game, S
from ludens.oracles.chung_toi import ChungToiOracle
from ludens.oracles.oracle import Oracle
from ludens.oracles.othello import OthelloOracle
from ludens.oracles.small import SmallChanceOracle, SmallOracle
from ludens.oracles.ur import UrOracle

ORACLES: dict[str, type[Oracle[Any]]] = {
    "chung-toi": ChungToiOracle,
    "ur": UrOracle,
    "othello": OthelloOracle,
}

LARGE = ("onitama", "okey")
"""Games that are too large in every variant."""
SOLVED = "chung-toi, ur, othello with --size 4"
"""What can be solved, for messages."""


def oracle_for(game: Game[S]) -> Oracle[S] | None:
    """The oracle of `game`, or None where this variant is not solved: too large, or small and never asked for."""
    kind = ORACLES.get(game.id)
    if kind:
        return kind(game) if kind.solves(game) else None
    from ludens.oracles.store import path_of  # which imports this file

    return _by_enumeration(game) if path_of(game).exists() else None


def solvable(game: Game[S]) -> Oracle[S]:
    """The oracle of `game`; a ValueError that says what is solved if it has none."""
    oracle = oracle_for(game)
    if oracle is None:
        raise ValueError(_why_not(game))
    return oracle


def solver(game: Game[S]) -> Oracle[S]:
    """Who can be asked to solve `game`; ValueError if nobody can."""
    oracle = oracle_for(game) or _by_enumeration(game)
    if oracle is None:
        raise ValueError(_why_not(game))
    return oracle


def _by_enumeration(game: Game[S]) -> Oracle[S] | None:
    kinds: tuple[type[Oracle[Any]], ...] = (SmallOracle, SmallChanceOracle)
    if game.id in ORACLES or game.id in LARGE:
        return None
    return next((kind(game) for kind in kinds if kind.solves(game)), None)


def _why_not(game: Game[Any]) -> str:
    if _by_enumeration(game):
        return f"{game.id} is not solved in this variant: expected `ludens solve {game.id}` first"
    if game.id in ORACLES or game.id in LARGE:
        return f"{game.id} is too large to be solved in this variant: expected one of {SOLVED}"
    return f"{game.id} cannot be solved: expected a game of two sides with nothing hidden"
