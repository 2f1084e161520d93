"""Games in the terminal: `watch` and `play`."""

import json as json_text
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from ludens.arena.live_game import LiveGame
from ludens.arena.match import Contestant, contestant, decider
from ludens.cli.app import BadInputError, bad_input
from ludens.cli.boards import draw
from ludens.cli.inputs import FreshSeed, GameName, Json, Position, Words, chosen, on_all_cores, position_or_start
from ludens.core.game import Game, legal_actions
from ludens.players.external import ExternalError, Outsider

HELP = "a move, or: moves (what is legal), board (draw it again), undo (take a move back), quit"
LONGEST_DELAY = 3600

Seats = list[Contestant]


def fresh_seed() -> int:
    """A seed nobody has used before, short enough to type again."""
    return secrets.randbelow(10**6)


def players_for(game: Game[Any], specs: str, apart_from: int | None = None) -> Seats:
    """One player for each seat, from one spec for all or one for each (but for the seat `apart_from`)."""
    named = specs.split(",")
    seats = [seat for seat in range(game.num_players) if seat != apart_from]
    if len(named) not in (1, len(seats)):
        raise ValueError(f"'{specs}' names {len(named)} players: expected one for all, or {len(seats)}")
    chosen = iter(named * len(seats) if len(named) == 1 else named)
    everybody = [contestant(spec, game) for spec in (next(chosen) for _ in seats)]
    if apart_from is not None:
        everybody.insert(apart_from, Contestant("you", everybody[0].player))
    return everybody


@on_all_cores()
def watch(
    game: GameName,
    *words: Words,
    by: Annotated[
        str, Parameter(help="Who plays: one player for all seats, or one per seat separated by commas.")
    ] = "random",
    position: Position = None,
    seed: FreshSeed = None,
    delay: Annotated[float, Parameter(help="Seconds between moves, where the terminal can show them.")] = 0.4,
    json: Annotated[Json, Parameter(help="Print the whole game for programs: start, moves, fate, result.")] = False,
) -> None:
    """Who only watches may see all hands."""
    variant = chosen(game, words)
    seed = fresh_seed() if seed is None else seed
    table, console = _table(variant, seed, position_or_start(variant, position, seed)), Console()
    with bad_input():
        players = players_for(variant, by)
    if not 0 <= delay <= LONGEST_DELAY:
        raise BadInputError(f"--delay is {delay}: expected 0 to {LONGEST_DELAY} seconds")
    if not json:
        console.print(Rule(f"{variant.id}  seed {seed}", align="left"))
        console.print(draw(variant, table.state))
    with bad_input(ExternalError), _asked(players) as deciders:
        while not table.over:
            seat = table.mover
            name = table.act(deciders[seat].decide(table.turn()))
            if json:
                continue
            console.print(Text(f"\n{len(table.actions)}. seat {seat} ({players[seat].spec}): {name}", "bold"))
            console.print(draw(variant, table.state))
            if console.is_terminal:
                time.sleep(delay)
    if json:
        told = {"moves": table.names, "movers": table.movers, "final": variant.show(table.state)}
        print(json_text.dumps(table.record([each.spec for each in players]).to_dict() | told))
    else:
        console.print(Text(f"\n{_result(table)}", "bold"))


@on_all_cores()
def play(
    game: GameName,
    *words: Words,
    against: Annotated[
        str, Parameter(help="Who plays the other seats: one player, or one per other seat separated by commas.")
    ] = "random",
    seat: Annotated[int, Parameter(help="Your seat; 0 begins (except in Onitama, where the card aside decides).")] = 0,
    position: Position = None,
    seed: FreshSeed = None,
) -> None:
    """Everything shown is what the person's seat may know.

    At a terminal a mistake is explained and asked again; in a script it ends the game.
    """
    variant = chosen(game, words)
    if not 0 <= seat < variant.num_players:
        raise BadInputError(f"--seat is {seat}: expected 0 to {variant.num_players - 1}")
    seed = fresh_seed() if seed is None else seed
    table, console = _table(variant, seed, position_or_start(variant, position, seed)), Console()
    with bad_input():
        others = players_for(variant, against, apart_from=seat)
    console.print(Rule(f"{variant.id}  you are seat {seat}, seed {seed}", align="left"))
    console.print(Text(f"Type {HELP}.", "dim"))
    with bad_input(ExternalError), _asked(others) as deciders:
        while not table.over:
            if table.mover != seat:
                mover = table.mover
                name = table.act(deciders[mover].decide(table.turn()))
                console.print(Text(f"seat {mover} ({others[mover].spec}): {name}", "bold"))
                continue
            console.print(draw(variant, variant.view(table.state, seat), seat))
            if not _persons_turn(table, seat, console):
                console.print(Text("Bye.", "dim"))
                return
    console.print(draw(variant, variant.view(table.state, seat), seat))
    console.print(Text(_result(table), "bold"))


def _persons_turn(table: LiveGame, seat: int, console: Console) -> bool:
    """Ask until a move is made (or taken back); False if the person leaves."""
    game = table.game
    while True:
        try:
            typed = input("> ").strip()
        except EOFError:
            return False
        match typed.lower():
            case "":
                continue
            case "quit" | "exit" | "q":
                return False
            case "help" | "?":
                console.print(Text(f"Type {HELP}.", "dim"))
            case "moves":
                legal = legal_actions(game, table.state)
                console.print(Text(", ".join(game.name(a, table.state) for a in legal)))
            case "board":
                console.print(draw(game, game.view(table.state, seat), seat))
            case "undo" if not game.can_undo:
                console.print(Text(f"{game.id} has no undo: fate or hidden tiles would be seen twice.", "red"))
            case "undo":
                if table.undo(seat):
                    return True
                console.print(Text("There is nothing to take back.", "red"))
            case _:
                try:
                    table.act(game.parse(typed, table.state))
                except ValueError as error:
                    if not sys.stdin.isatty():
                        raise BadInputError(str(error)) from None
                    console.print(Text(str(error), "red"))
                else:
                    return True


def _table(game: Game[Any], seed: int, start: Any = None) -> LiveGame:
    return LiveGame(game, seed=seed, seating=range(game.num_players), start=start)


@contextmanager
def _asked(players: Seats) -> Iterator[list[Outsider[Any]]]:
    """Those who decide, one for each seat; programs from outside are ended with the game."""
    deciders = [decider(each) for each in players]
    try:
        yield deciders
    finally:
        for each in deciders:
            each.close()


def _result(table: LiveGame) -> str:
    returns = [float(x) for x in table.game.returns(table.state)]
    winners = [str(seat) for seat, value in enumerate(returns) if value == max(returns) > 0]
    if not winners:
        return f"draw after {len(table.actions)} moves"
    seats, verb = ("seats", "win") if len(winners) > 1 else ("seat", "wins")
    return f"{seats} {' and '.join(winners)} {verb} after {len(table.actions)} moves"
