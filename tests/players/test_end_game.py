"""Exact end games of Othello: alpha-beta run to the end, against brute force and against published scores."""

import json
import subprocess
import sys
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games import make
from ludens.players import othello_solver
from ludens.players.othello import Discs, final_scores
from ludens.players.othello_solver import EndGameSolver
from reference.minimax import scores as brute_force
from search.positions import open_positions

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

HARD = {
    40: ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X", ["a2"], 38),
    41: ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", ["h4"], 0),
}
"""FForum's problems of these numbers, with 20 and 22 empty squares: position, best moves, final score."""


@pytest.mark.parametrize(("size", "empty", "count"), [(4, 9, 4), pytest.param(8, 14, 4, marks=pytest.mark.slow)])
def test_the_solver_finds_the_score_and_all_best_moves(
    size: int, empty: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was guessed. The scores of all moves are known by another search; bounds of the others hold."""
    game = make("othello", size=size)
    states = open_positions(game, 2000, longest=size**2 - 4, seed=3)
    chosen = np.flatnonzero(size**2 - np.asarray((states.own | states.opponent).total()) == empty)[:count]
    states = jax.tree.map(lambda x: x[chosen], states)
    if size == 4:
        true = brute_force(game, Discs(game), None, states, depth=2 * empty)
    else:
        true = np.asarray(jax.jit(lambda s: final_scores(game, s))(states))
    solver = EndGameSolver(game, cores=2, slots=64 if size == 4 else 1 << 20)
    monkeypatch.setattr(othello_solver, "GUESSING", 0)
    for number, guess in product(range(count), (0, 100, -100)):
        monkeypatch.setattr(othello_solver, "_guess", lambda *_, guess=guess: (guess, np.zeros(game.num_actions)))
        found = solver.solve(jax.tree.map(lambda x, number=number: x[number], states))
        best = true[number].max()
        assert sorted(found) == np.flatnonzero(true[number] > -np.inf).tolist()
        for move, (least, most) in found.items():
            assert least <= true[number, move] <= most
            assert (least == most == best) if true[number, move] == best else most < best


@pytest.mark.slow
@pytest.mark.parametrize("number", HARD)
def test_the_command_finds_published_scores(number: int) -> None:
    """In a process of its own, which compiles whole loops."""
    position, moves, score = HARD[number]
    command = [sys.executable, "-m", "ludens", "solve", "othello", "--position", position, "--json"]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert found["score"] == score
    assert [move["name"] for move in found["moves"] if move.get("score") == score] == moves


@pytest.mark.slow
@pytest.mark.parametrize(("size", "empty", "longest"), [(4, 5, 12), (8, 8, 56)])
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
