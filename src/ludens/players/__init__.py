"""The players, and the text that names one: `random`, `alphabeta:4:positional`. One file and one line add another."""

from typing import Any

from ludens.core.game import Game, S
from ludens.core.player import Player
from ludens.players.alpha_beta import AlphaBeta
from ludens.players.expectimax import Expectimax
from ludens.players.learned import learned
from ludens.players.mcts import MCTS
from ludens.players.okey import OkeyGreedy, Thesis
from ludens.players.onitama import MaterialPlayer
from ludens.players.optimal import Optimal
from ludens.players.othello import MobilityPlayer, PositionalPlayer
from ludens.players.random import Random
from ludens.players.smart_random import SmartRandom
from ludens.players.ur import RacePlayer

PLAYERS: dict[str, type[Player[Any]]] = {
    "random": Random,
    "smart-random": SmartRandom,
    "positional": PositionalPlayer,
    "mobility": MobilityPlayer,
    "material": MaterialPlayer,
    "greedy": RacePlayer,
    "thesis": Thesis,
    "okey-greedy": OkeyGreedy,
    "alphabeta": AlphaBeta,
    "expectimax": Expectimax,
    "mcts": MCTS,
    "optimal": Optimal,
}


def player(spec: str, game: Game[S]) -> Player[S]:
    """Whoever `spec` names, ready to play `game`; ValueError says what was expected."""
    name, *options = spec.split(":")
    if name == "run":
        return learned(":".join(options), game)
    if name not in PLAYERS:
        raise ValueError(f"unknown player '{spec}': expected one of {', '.join(names_for(game))}, or run:FOLDER")
    kind = PLAYERS[name]
    if not kind.plays(game):
        raise ValueError(f"'{spec}' cannot play {game.id}: expected one of {', '.join(names_for(game))}")
    try:
        return kind.from_options(game, tuple(options))
    except ValueError as error:
        raise ValueError(f"'{spec}' names no player of {game.id}: {error}") from None


def names_for(game: Game[Any]) -> list[str]:
    """The names that specs for `game` begin with."""
    return [name for name, kind in PLAYERS.items() if kind.plays(game)]
