"""The players, and the text that names one: `random`. Adding one is one file and one line here."""

from typing import Any

from ludens.core.game import Game, S
from ludens.core.player import Player
from ludens.players.random import Random

PLAYERS: dict[str, type[Player[Any]]] = {
    "random": Random,
}


def player(spec: str, game: Game[S]) -> Player[S]:
    """Whoever `spec` names, ready to play `game`; ValueError says which players exist."""
    name, *options = spec.split(":")
    if name not in PLAYERS:
        raise ValueError(f"unknown player '{spec}': expected one of {', '.join(PLAYERS)}")
    if options:
        raise ValueError(f"player '{spec}' has options it cannot take: expected just {name}")
    return PLAYERS[name](game)
