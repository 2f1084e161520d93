"""Chung Toi's table against a plain solver on the reference's rules, position by position."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games.chung_toi import SQUARES, ChungToi, State
from ludens.oracles.chung_toi import ChungToiOracle, _placements
from reference import chung_toi_solution as reference
from variants import slow_but

VARIANTS = [ChungToi(hop=hop, allow_pass=allow) for hop in (True, False) for allow in (False, True)]


def to_engine(keys):
    """Positions of the reference solver as a batch of states."""
    rows = []
    for key in keys:
        bits = {square: 1 << SQUARES.index(square) for square, _, _ in key}
        own, other = (sum(bits[s] for s, colour, _ in key if colour == side) for side in ("white", "red"))
        rows.append((own, other, sum(bits[s] for s, _, orientation in key if orientation == "x")))
    own, other, diagonal = np.array(rows, np.uint32).T
    return State(jnp.asarray(own), jnp.asarray(other), jnp.asarray(diagonal), jnp.zeros(len(rows), jnp.int32))


class Solutions(dict):
    """Variants that somebody asks for, solved."""

    def __missing__(self, game):
        return self.setdefault(game, ChungToiOracle(game).solve())


@pytest.fixture(scope="module")
def solutions():
    return Solutions()


@pytest.mark.slow
@pytest.mark.parametrize("game", [VARIANTS[0], VARIANTS[3]], ids=str)
def test_every_position_is_what_a_plain_solver_finds(game, solutions) -> None:
    expected = reference.solve(hop=game.hop, allow_pass=game.allow_pass)
    oracle, solution = ChungToiOracle(game), solutions[game]
    states = to_engine(expected)
    look = jax.jit(jax.vmap(lambda s: (oracle.value(solution.table, s), oracle.distance(solution.table, s))))
    values, plies = look(states)
    np.testing.assert_array_equal(values, [value for value, _ in expected.values()])
    np.testing.assert_array_equal(plies, [-1 if n is None else n for _, n in expected.values()])
    images = [len(set(reference.mirrored(key))) for key in expected]
    weighted = {
        kind: sum(n for n, (v, _) in zip(images, expected.values(), strict=True) if v == kind) for kind in (1, 0, -1)
    }
    assert (solution.wins, solution.draws, solution.losses) == (weighted[1], weighted[0], weighted[-1])
    assert solution.states == sum(images)
    assert solution.longest == max(n for _, n in expected.values() if n is not None)


@pytest.mark.parametrize("game", slow_but(VARIANTS), ids=str)
def test_nobody_wins_with_perfect_play(game, solutions) -> None:
    solution = solutions[game]
    assert solution.start_value == 0
    assert solution.wins + solution.draws + solution.losses == solution.states


def test_index_numbers_all_placements_without_gaps() -> None:
    own, other, diagonal = (jnp.asarray(board) for board in _placements())
    oracle = ChungToiOracle(ChungToi())
    for turn in (0, 1):
        numbers = jax.vmap(lambda s: oracle.index({}, s))(State(own, other, diagonal, jnp.full(len(own), turn)))
        np.testing.assert_array_equal(numbers, np.arange(162_259))


def test_moves_are_ordered_by_how_soon_they_win_and_how_late_they_lose(solutions) -> None:
    game = VARIANTS[0]
    oracle, table = ChungToiOracle(game), solutions[game].table
    # White wins at once on c1; anything but blocking c3 lets red win there, and after c3 nothing is decided yet.
    s = game.read("RxRx--/------/W+W+-- turn white")
    values, order = map(np.asarray, jax.jit(lambda s: (oracle.values(table, s), oracle.preference(table, s)))(s))
    names = {game.name(a, s): a for a in np.flatnonzero(game.legal(s))}
    assert values[names["c1+"]] == values[names["c1x"]] == 1
    assert values[names["a2+"]] == values[names["b2x"]] == -1
    assert float(oracle.value(table, s)) == 1
    assert int(oracle.distance(table, s)) == 1
    assert {a for a in names.values() if order[a] == order.max()} == {names["c1+"], names["c1x"]}
    assert (np.sign(order[list(names.values())]) == values[list(names.values())]).all()
    assert np.isneginf(order).sum() == game.num_actions - len(names)
