"""Commands that print an answer and are done: `list` and `perft`."""

import json as json_text
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

from ludens.cli.variants import describe
from ludens.core.game import Game
from ludens.core.playout import perft as count
from ludens.games import GAMES
from ludens.learning import LEARNERS
from ludens.players import names_for


def list_games(*, json: bool) -> None:
    """Every game with its options, their defaults, who plays it and who learns it."""
    games = {name: GAMES[name]() for name in GAMES}
    if json:
        facts = {
            name: {
                "about": headline(game),
                "players": game.num_players,
                "actions": game.num_actions,
                "options": describe(name),
                "specs": names_for(game),
                "learners": learners_of(game),
            }
            for name, game in games.items()
        }
        print(json_text.dumps(facts, indent=2))
        return
    heads = ("game", "what it is", "options (defaults)", "players", "learners")
    table = Table(*heads, title="Games", title_justify="left")
    for name, game in games.items():
        options = "\n".join(f"{option} {value}" for option, value in describe(name).items())
        people = ["\n".join(names) for names in (names_for(game), learners_of(game))]
        table.add_row(f"[bold]{name}[/bold]", headline(game), options, *people, end_section=True)
    Console().print(table)


def learners_of(game: Game[Any]) -> list[str]:
    """The learners that can learn `game`, in this variant."""
    return [name for name, kind in LEARNERS.items() if kind.learns(game)]


def perft(game: Game[Any], s: Any, depth: int, *, json: bool) -> None:
    """How many ways the next acts can go, to each depth."""
    counts = count(game, s, depth)
    if json:
        print(json_text.dumps({"perft": counts}))
        return
    print(f"{game.id}  {game.show(s)}")
    for i, leaves in enumerate(counts, start=1):
        print(f"{i:>5}  {leaves:>15,}")


def headline(game: Game[Any]) -> str:
    """The first line of the file that holds a game's rules: what the game is."""
    return (sys.modules[type(game).__module__].__doc__ or game.id).strip().splitlines()[0]
