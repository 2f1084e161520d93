"""The games as a page offers them: what can be chosen, and what a choice means. For workers, who know the rules."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ludens.arena.record import plain_variant
from ludens.core.game import Game
from ludens.core.player import Player
from ludens.games import GAMES, make
from ludens.games.onitama import CARDS
from ludens.players import player
from ludens.web.exchange import Variant
from ludens.web.ladder import LADDERS, own_runs
from ludens.web.presenters import presenter


class Option(NamedTuple):
    """How a field of a game's dataclass is asked for."""

    kind: str
    """`bool`, `int`, `choice` or `cards`."""
    help: str
    choices: tuple[Any, ...] = ()


OPTIONS: dict[str, dict[str, Option]] = {
    "othello": {"size": Option("choice", "Squares a side; 4 is solved.", (8, 6, 4))},
    "chung-toi": {
        "hop": Option("bool", "A piece may move two squares over another piece."),
        "allow_pass": Option("bool", "A side that has placed all its pieces may pass."),
    },
    "ur": {
        "rules": Option(
            "choice", "The paper's rules, or Finkel's with rosettes that give another turn.", ("paper", "finkel")
        ),
        "pieces": Option(
            "choice", "Pieces of each side: 4 in the paper's rules, 7 in Finkel's.", (1, 2, 3, 4, 5, 6, 7)
        ),
        "dice": Option(
            "choice", "Binary dice under Finkel's rules, as a rule 4; the paper's throw is 1 or 2.", (1, 2, 3, 4)
        ),
    },
    "onitama": {"cards": Option("cards", "The five cards in play; none chosen: five are dealt anew.", tuple(CARDS))},
    "okey": {
        "players": Option("choice", "Seats at the table.", (2, 3, 4)),
        "longest_run": Option("choice", "Most tiles in a run, 0 for no limit: 4 for two seats, 0 for more.", (0, 4, 5)),
        "pairs": Option("bool", "Seven pairs finish, too: as a rule with three or four seats."),
        "joker_finish": Option("bool", "A joker thrown last doubles the points: as a rule with three or four seats."),
        "teams": Option("bool", "Four seats: 0 and 2 play together against 1 and 3."),
        "match": Option("int", "Points everybody starts a match with, commonly 20; 0 for one deal."),
        "losers_drop": Option("bool", "Losers' points drop instead of the winner's."),
        "show_indicator": Option("bool", "The indicator's twin may be shown for a point."),
    },
}
"""By game and field."""


def describe(runs: str) -> list[dict[str, Any]]:
    """All games, as `GET /api/games` tells them."""
    described = []
    for name, kind in GAMES.items():
        game, shows = make(name), presenter(name)
        described.append(
            {
                "id": name,
                "title": shows.title,
                "blurb": shows.blurb,
                "seats": shows.seats(game),
                "num_players": game.num_players,
                "hidden": game.hidden,
                "can_undo": game.can_undo,
                "options": [_option(name, field, kind) for field in OPTIONS[name]],
                "ladder": [rung._asdict() for rung in (*LADDERS[name], *own_runs(name, Path(runs)))],
            }
        )
    return described


def whole_variant(name: str, told: Mapping[str, Any]) -> tuple[Variant, int]:
    """The variant that these fields choose, all others filled in, and its seats; ValueError says what was expected."""
    game = make(name, **{field: tuple(value) if isinstance(value, list) else value for field, value in told.items()})
    return Variant(name, json.dumps(plain_variant(game), sort_keys=True)), game.num_players


@lru_cache(maxsize=256)
def game_of(variant: Variant) -> Game[Any]:
    """The game itself."""
    told = json.loads(variant.fields)
    return make(variant.game, **{name: tuple(v) if isinstance(v, list) else v for name, v in told.items()})


def agent(game: Game[Any], path: str) -> Player[Any]:
    """The player that a resolved spec names; ValueError, without the folders of this machine, if there is none."""
    try:
        return player(path, game)
    except ValueError as error:
        folder = path.partition("run:")[2].rpartition("/")[0]
        raise ValueError(str(error).replace(f"{folder}/", "") if folder else str(error)) from None


def _option(name: str, field: str, kind: type[Game[Any]]) -> dict[str, Any]:
    option = OPTIONS[name][field]
    (known,) = (each for each in fields(kind) if each.name == field)
    default = None if known.default is MISSING else known.default
    told = {
        "name": field,
        "kind": option.kind,
        "default": list(default) if isinstance(default, tuple) else default,
        "help": option.help,
    }
    return told | ({"choices": list(option.choices)} if option.choices else {})
