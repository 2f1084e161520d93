"""The games. Adding one is one file and one line here."""

from dataclasses import fields
from typing import Any

from ludens.core.game import Game
from ludens.games.chung_toi import ChungToi
from ludens.games.okey import Okey
from ludens.games.onitama import Onitama
from ludens.games.othello import Othello
from ludens.games.ur import Ur

GAMES: dict[str, type[Game[Any]]] = {
    "othello": Othello,
    "chung-toi": ChungToi,
    "ur": Ur,
    "onitama": Onitama,
    "okey": Okey,
}


def make(name: str, **variant: Any) -> Game[Any]:
    """The game called `name` with these fields; ValueError says which games and which fields exist."""
    if name not in GAMES:
        raise ValueError(f"unknown game '{name}': expected one of {', '.join(GAMES)}")
    known = [field.name for field in fields(GAMES[name])]
    for field in variant:
        if field not in known:
            expected = f"expected {', '.join(known)}" if known else "it has no variants"
            raise ValueError(f"{name} has no option '{field}': {expected}")
    return GAMES[name](**variant)
