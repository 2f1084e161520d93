"""4x4 Othello's table against plain minimax on the reference's rules."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games.othello import Othello
from ludens.oracles.othello import OthelloOracle
from reference import othello as reference

GAME = Othello(size=4)
ORACLE = OthelloOracle(GAME)


@pytest.fixture(scope="module")
def solution():
    return ORACLE.solve()


def best(position, known):
    """The result for the side to move: 1, 0 or -1. Stops at a win, as nothing is better."""
    at = reference.text(position)
    if at not in known:
        moves = reference.moves(position)
        if moves:
            known[at] = -1
            for move in moves:
                known[at] = max(known[at], -best(reference.play(position, move), known))
                if known[at] == 1:
                    break
        else:
            lead = reference.margin(position) * (1 if position.mover == "X" else -1)
            known[at] = (lead > 0) - (lead < 0)
    return known[at]


def test_white_wins(solution) -> None:
    assert solution.start_value == -1
    assert best(reference.start(4), {}) == -1
    assert solution.wins + solution.draws + solution.losses == solution.states == len(solution.table["keys"])


def test_positions_after_random_play_agree_with_plain_minimax(solution) -> None:
    rng, known, games = random.Random(7), {}, []
    while len(games) < 60:
        position = reference.start(4)
        for _ in range(rng.randrange(5, 12)):
            if moves := reference.moves(position):
                position = reference.play(position, rng.choice(moves))
        games.append(position)
    states = [GAME.read(reference.text(position)) for position in games]
    batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)
    look = jax.jit(jax.vmap(lambda s: (ORACLE.value(solution.table, s), ORACLE.values(solution.table, s))))
    values, by_move = map(np.asarray, look(batch))
    np.testing.assert_array_equal(values, [best(position, known) for position in games])
    for position, s, scores in zip(games, states, by_move, strict=True):
        moves = {GAME.parse(move, s): move for move in reference.moves(position)}
        assert set(np.flatnonzero(np.isfinite(scores))) == set(moves)
        for a, move in moves.items():
            assert scores[a] == -best(reference.play(position, move), known)


def test_a_position_that_play_cannot_reach_has_no_value(solution) -> None:
    s = GAME.read("XXX--OX--XO----- X")
    assert np.isnan(ORACLE.exact(solution.table, s))
    assert int(ORACLE.distance(solution.table, s)) == -1
    assert int(ORACLE.index(solution.table, s)) == -1


def test_only_4x4_is_solved() -> None:
    assert OthelloOracle.solves(GAME)
    assert not OthelloOracle.solves(Othello(size=6))
