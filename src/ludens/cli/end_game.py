"""`ludens solve othello --position ...` on boards too large for a table: the end game, searched to the end."""

import json as json_text
from typing import Any

import jax
import numpy as np
from rich.console import Console
from rich.table import Table

from ludens.core.game import legal_actions, variant
from ludens.games.othello import Othello, State
from ludens.players.othello import MOST_EMPTY, final_scores


def solve_end_game(game: Othello, s: State, *, json: bool) -> None:
    """Print the final score of each move with perfect play; ValueError if there is too much left to play."""
    empty = game.size**2 - int((s.own | s.opponent).total())
    if empty > MOST_EMPTY:
        raise ValueError(f"this position has {empty} empty squares: expected at most {MOST_EMPTY}, a few seconds' work")
    scores = np.zeros(0) if bool(s.over) else np.asarray(_solve(game, jax.tree.map(lambda x: x[None], s)))[0]
    moves = sorted(legal_actions(game, s), key=lambda a: -scores[a])
    lead = int(s.own.total() - s.opponent.total())
    value = int(scores[moves[0]]) if moves else lead + int(np.sign(lead)) * empty
    judged = [(game.name(a, s), int(scores[a])) for a in moves]
    if json:
        facts: dict[str, Any] = {"game": game.id, "variant": variant(game), "position": game.show(s), "score": value}
        print(json_text.dumps({**facts, "moves": [{"name": name, "score": score} for name, score in judged]}))
        return
    print(f"{game.id}  {game.show(s)}")
    print(f"final score with perfect play, to the side to move: {value:+d}")
    table = Table("move", "final score", box=None)
    for name, score in judged:
        table.add_row(name, f"{score:+d}")
    if judged:
        Console().print(table)


_solve = jax.jit(final_scores, static_argnums=0)
