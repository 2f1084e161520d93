"""Exact end games of Othello: alpha-beta run to the end, against brute force and against published scores."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.players.othello import Discs, final_scores
from reference.minimax import scores as brute_force
from search.positions import open_positions
from variants import slow_but

OTHELLO = make("othello")

PUBLISHED = [
    ("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X", "g8", 18),
    ("-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X", "a4", 10),
    ("----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X", "d1", 2),
    ("-XXXXXX-X-XXXOO-XOXXXOOXXXOXOOOX-OXOOXXX--OOOXXX--OOXX----XOXXO- X", "h8", 0),
    ("-OOOOO----OXXO-XXXOXOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOOO---XXXXX-- X", "g8", 32),
    ("--OXXX--OOOXXX--OOOXOXO-OOXOOOX-OOXXXXXXXOOXXOX--OOOOX---XXXXXX- X", "a1", 14),
    ("--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO- X", "a6", 8),
]
"""Problems 1 to 7 of FForum, the bulletin of the French Othello federation: position, best move, final score.

They have 14 empty squares; we solve the position after the best move, and from its solution play on to 12.
"""


@pytest.mark.parametrize(("size", "empty", "longest"), slow_but([(4, 5, 12), (8, 8, 56)], 0))
def test_it_agrees_with_brute_force(size: int, empty: int, longest: int) -> None:
    game = make("othello", size=size)
    states = open_positions(game, 2000, longest=longest, seed=8)
    chosen = np.flatnonzero(size**2 - np.asarray((states.own | states.opponent).total()) == empty)[:32]
    assert len(chosen) >= 20
    states = jax.tree.map(lambda x: x[chosen], states)
    found = np.asarray(jax.jit(lambda s: final_scores(game, s))(states))
    np.testing.assert_array_equal(found, brute_force(game, Discs(game), None, states, depth=2 * empty))


@pytest.mark.slow
def test_it_finds_the_published_scores() -> None:
    after_best = []
    for position, move, _ in PUBLISHED:
        s = OTHELLO.read(position)
        after_best.append(OTHELLO.apply(s, OTHELLO.parse(move, s)))
    solve = jax.jit(lambda s: final_scores(OTHELLO, s))
    published = np.array([score for _, _, score in PUBLISHED])
    states = jax.tree.map(lambda *rows: jnp.stack(rows), *after_best)
    scores = np.asarray(solve(states))
    np.testing.assert_array_equal(-scores.max(axis=1), published)
    # Twelve empty squares: the best reply leads to a position of the same score.
    replies = jax.jit(jax.vmap(OTHELLO.apply))(states, scores.argmax(axis=1))
    assert (np.asarray((replies.own | replies.opponent).total()) == 52).all()
    np.testing.assert_array_equal(np.asarray(solve(replies)).max(axis=1), published)
