"""Exact end games of Othello: alpha-beta with the final score as its evaluator, run to the end."""

import jax.numpy as jnp

from ludens.core.types import Array
from ludens.games.othello import Othello, State
from ludens.players.othello import Discs
from ludens.search.alpha_beta import alpha_beta

MOST_EMPTY = 14
"""Empty squares that are solved in seconds; twelve take a fraction of one."""


def final_scores(game: Othello, states: State) -> Array:
    """Final score of each move to its mover with perfect play, `float32[B, A]`; -inf where illegal.

    A score is the lead in discs with empty squares counted for the winner, as end-game problems are published.
    NaN in a position with more than `MOST_EMPTY` empty squares.
    """
    # Between two placements there can be a pass, so the end is at most twice as many plies away as squares are empty.
    search = alpha_beta(game, Discs(game), None, states, depth=2 * MOST_EMPTY, exact=True, width=8)
    empty = game.size**2 - (states.own | states.opponent).total()
    return jnp.where((empty <= MOST_EMPTY)[:, None], search.scores, jnp.nan)
