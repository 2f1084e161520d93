"""Exact solvers: perfect play where a game is small enough. Adding one is one file and one line here."""

from typing import Any

from ludens.core.game import Game, S
from ludens.oracles.chung_toi import ChungToiOracle
from ludens.oracles.oracle import Oracle
from ludens.oracles.othello import OthelloOracle
from ludens.oracles.ur import UrOracle

ORACLES: dict[str, type[Oracle[Any]]] = {
    "chung-toi": ChungToiOracle,
    "ur": UrOracle,
    "othello": OthelloOracle,
}

SOLVED = "chung-toi, ur, othello with --size 4"
"""What can be solved, for messages."""


def oracle_for(game: Game[S]) -> Oracle[S] | None:
    """The oracle of `game`, or None where nobody has solved this variant."""
    kind = ORACLES.get(game.id)
    return kind(game) if kind and kind.solves(game) else None


def solvable(game: Game[S]) -> Oracle[S]:
    """The oracle of `game`; a ValueError that names the games with one if it has none."""
    oracle = oracle_for(game)
    if oracle is None:
        raise ValueError(f"{game.id} is too large to be solved in this variant: expected one of {SOLVED}")
    return oracle
