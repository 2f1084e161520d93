"""`ludens solve`: what perfect play makes of a game, or of one position and its moves."""

import json as json_text
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from ludens.cli.app import bad_input
from ludens.cli.inputs import GameName, Json, Position, Words, bar, game_from, on_all_cores
from ludens.core.game import legal_actions
from ludens.core.game import variant as variant_of
from ludens.core.types import Array
from ludens.games.othello import Othello, State
from ludens.oracles import oracle_for, solver, store
from ludens.oracles.oracle import Oracle, Solution
from ludens.players.othello import MOST_EMPTY as QUICK
from ludens.players.othello import final_scores
from ludens.players.othello_solver import MOST_EMPTY, EndGameSolver, Move

WORDS = {1: "the side to move wins", 0: "a draw", -1: "the side to move loses"}


class Judged(NamedTuple):
    """A move or a position with its value to the side to move, and plies to the end (None: unknown or never)."""

    name: str
    value: float
    distance: int | None


@on_all_cores()
@bad_input()
def solve(
    game: GameName,
    *words: Words,
    position: Annotated[
        Position,
        Parameter(help="Ask about this position, as text, instead of the whole game; in Othello any end game."),
    ] = None,
    rebuild: Annotated[bool, Parameter(help="Solve again even if the table is stored.")] = False,
    table: Annotated[
        Path | None, Parameter(help="A table kept elsewhere: read if there is one, else written there.")
    ] = None,
    json: Json = False,
) -> None:
    """End games of Othello on boards too large for a table are searched to the end instead.

    What takes long shows how much is left; after an interruption the same command goes on from there.
    """
    variant = game_from(game, words)
    if position is not None and isinstance(variant, Othello) and oracle_for(variant) is None:
        _solve_end_game(variant, variant.read(position), json=json)
        return
    who = solver(variant)  # says that nobody can before anything else is looked at
    s = None if position is None else variant.read(position)
    with bar(f"solving {variant.id}", 1.0) as show:
        oracle, solution = store.load(variant, show, rebuild=rebuild, at_length=True, file=table, oracle=who)
    if s is None:
        _print_game(oracle, solution, table, json=json)
    else:
        _print_position(oracle, judge(oracle, solution, s), moves(oracle, solution, s), json=json)


def judge(oracle: Oracle[Any], solution: Solution, s: Any) -> Judged:
    """The position itself; ValueError if it is none that play can reach."""
    value = oracle.exact(solution.table, s)
    if np.isnan(value):
        raise ValueError(f"'{oracle.game.show(s)}' is not in the table: expected a position that play can lead to")
    plies = int(oracle.distance(solution.table, s))
    return Judged(oracle.game.show(s), value, plies if plies >= 0 else None)


def moves(oracle: Oracle[Any], solution: Solution, s: Any) -> list[Judged]:
    """Every legal move, best first, with the plies that the game then lasts, the move included."""
    game, legal = oracle.game, legal_actions(oracle.game, s)
    with jax.enable_x64(True):
        values, order, plies = jax.tree.map(np.asarray, _each_move(oracle, solution.table, s))

    def judged(a: int) -> Judged:
        return Judged(game.name(a, s), float(values[a]), int(plies[a]) + 1 if plies[a] >= 0 else None)

    return [judged(a) for a in sorted(legal, key=lambda a: -order[a])]


@partial(jax.jit, static_argnums=0)
def _each_move(oracle: Oracle[Any], table: Any, s: Any) -> tuple[Array, Array, Array]:
    """Value, preference and the distance after it, of each action `[A]`."""
    actions = jnp.arange(oracle.game.num_actions, dtype=jnp.int32)
    plies = jax.vmap(lambda a: oracle.distance(table, oracle.game.apply(s, a)))(actions)
    return oracle.values(table, s), oracle.preference(table, s), plies


def _print_game(oracle: Oracle[Any], solution: Solution, kept: Path | None, *, json: bool) -> None:
    game = oracle.game
    if json:
        names = ("start_value", "error", "states", "wins", "draws", "losses", "longest", "seconds", "figures")
        counts = {name: getattr(solution, name) for name in names}
        print(json_text.dumps({"game": game.id, "variant": variant_of(game), **counts}))
        return
    options = " ".join(f"{field}={value}" for field, value in variant_of(game).items())
    likely = oracle.values_are == "probability"
    kinds = ("better than even", "even", "worse") if likely else ("won", "drawn", "lost")
    split = zip((solution.wins, solution.draws, solution.losses), kinds, strict=True)
    print(f"{game.id}  {options}")
    print(f"start      {_in_words(oracle, solution.start_value)}")
    print(f"positions  {solution.states:,}: {', '.join(f'{n:,} {kind}' for n, kind in split)} for the side to move")
    if solution.longest is not None:
        print(f"longest    {solution.longest} plies to the end of a decided position")
    for line in _figures_in_words(solution.figures):
        print(line)
    if solution.error:
        print(f"error      {solution.error:.2g} at most, in any position of the table")
    print(f"time       {solution.seconds:.1f} s to solve")
    path = kept or store.path_of(game)
    print(f"table      {path if path.exists() else 'not kept, the cache cannot be written'}")


def _figures_in_words(figures: Mapping[str, Any]) -> list[str]:
    """What is told of Ur beside its value."""
    if not figures:
        return []
    won, captures = figures["first_capture_wins"], figures["captures"]
    throws = ", ".join(f"{throw}: {chance:.6f}" for throw, chance in figures["wins_by_throw"].items())
    decides = "" if won is None else f", and whoever makes the first wins {100 * won:.2f} % of these"
    return [
        f"throws     {throws} (the side to move wins, by its first throw)",
        f"turns      {figures['turns']:.2f} expected, throws of both sides",
        f"captures   in {100 * captures:.2f} % of games{decides}",
    ]


def _print_position(oracle: Oracle[Any], here: Judged, choices: list[Judged], *, json: bool) -> None:
    game = oracle.game
    if json:
        facts = {"game": game.id, "variant": variant_of(game), "position": here.name}
        listed = [choice._asdict() for choice in choices]
        print(json_text.dumps({**facts, "value": here.value, "distance": here.distance, "moves": listed}))
        return
    print(f"{game.id}  {here.name}")
    plies = "" if here.distance is None else f" in {here.distance} {'ply' if here.distance == 1 else 'plies'}"
    print(_in_words(oracle, here.value) + plies)
    table = Table("move", "value", *(["plies"] if oracle.values_are == "result" else []), box=None)
    for choice in choices:
        plies = "" if choice.distance is None else str(choice.distance)
        table.add_row(choice.name, _number(oracle, choice.value), *([plies] if oracle.values_are == "result" else []))
    if choices:
        Console().print(table)


def _solve_end_game(game: Othello, s: State, *, json: bool) -> None:
    """Print the final score with perfect play and what moves come to; ValueError if there is too much left to play."""
    empty = game.size**2 - int((s.own | s.opponent).total())
    if empty > MOST_EMPTY:
        raise ValueError(
            f"this position has {empty} empty squares: expected at most {MOST_EMPTY}; 20 take seconds, 24 minutes"
        )
    lead = int(s.own.total() - s.opponent.total())
    known: dict[int, Move] = {}
    if not bool(s.over) and empty <= QUICK:
        scores = np.asarray(_final_scores(game, jax.tree.map(lambda x: x[None], s)))[0]
        known = {a: Move(int(scores[a]), int(scores[a])) for a in legal_actions(game, s)}
    elif not bool(s.over):
        with bar("solving", 1.0) as show:
            known = EndGameSolver(game).solve(s, show)
    moves = sorted(known, key=lambda a: (-known[a].most, known[a].least < known[a].most))
    value = max((move.least for move in known.values()), default=lead + int(np.sign(lead)) * empty)
    if json:
        facts: dict[str, Any] = {"game": game.id, "variant": variant_of(game), "position": game.show(s), "score": value}
        print(json_text.dumps({**facts, "moves": [{"name": game.name(a, s), **_told(known[a])} for a in moves]}))
        return
    print(f"{game.id}  {game.show(s)}")
    print(f"final score with perfect play, to the side to move: {value:+d}")
    table = Table("move", "final score", box=None)
    for a in moves:
        least, most = known[a]
        table.add_row(game.name(a, s), f"{most:+d}" if least == most else f"at most {most:+d}")
    if moves:
        Console().print(table)


def _told(move: Move) -> dict[str, int]:
    """A move's score, or how much it is at most: of moves that are not best no more may be known."""
    return {"score": move.most} if move.least == move.most else {"at_most": move.most}


_final_scores = jax.jit(final_scores, static_argnums=0)


def _in_words(oracle: Oracle[Any], value: float) -> str:
    if oracle.values_are == "probability":
        return f"the side to move wins with probability {_number(oracle, value)}"
    return f"{WORDS[int(value)]} ({_number(oracle, value)})"


def _number(oracle: Oracle[Any], value: float) -> str:
    return f"{value:.9f}" if oracle.values_are == "probability" else f"{int(value):+d}" if value else "0"
