"""Ur's table against linear equations on the reference's rules, known end games, and what perfect play implies."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games.ur import State, Ur
from ludens.oracles.regret import positions
from ludens.oracles.ur import UrOracle
from reference import ur as reference
from variants import slow_but


@pytest.fixture(scope="module")
def solved():
    games = (Ur(pieces=1), Ur(rules="finkel", pieces=1), Ur(pieces=3), Ur(rules="finkel", pieces=2, dice=3))
    return {game: UrOracle(game).solve() for game in games}


def key(position):
    """A position without its throw as the side to throw sees it: its squares and homes, then the other's."""
    sides = (position["turn"], reference.OTHER[position["turn"]])
    return tuple((frozenset(map(reference.WAY[s].index, position["on"][s])), position["home"][s]) for s in sides)


def to_engine(keys):
    """Such keys as a batch of states before their throws."""
    boards = [[sum(2 << i for i in squares) for squares, _ in sides] for sides in keys]
    homes = [[home for _, home in sides] for sides in keys]
    own, other = jnp.asarray(np.array(boards, np.uint32).T)
    own_home, other_home = jnp.asarray(np.array(homes, np.int32).T)
    return State(own, other, own_home, other_home, jnp.full_like(own_home, -1), jnp.zeros_like(own_home))


def from_engine(game, s):
    """One state as the reference writes it; the mover is called first."""
    position = {"waiting": {}, "on": {}, "home": {}, "turn": "first", "throw": int(s.throw)}
    for side, board, home in (("first", int(s.own), int(s.own_home)), ("second", int(s.other), int(s.other_home))):
        position["on"][side] = frozenset(square for i, square in enumerate(reference.WAY[side]) if board >> (i + 1) & 1)
        position["home"][side] = home
        position["waiting"][side] = game.pieces - home - len(position["on"][side])
    return position


def exact(oracle, table, states):
    """64-bit values of a batch of states."""
    with jax.enable_x64(True):
        return np.asarray(jax.jit(jax.vmap(oracle.value, in_axes=(None, 0)))(table, states))


@pytest.mark.parametrize("rules", slow_but(["paper", "finkel"]))
def test_one_piece_is_a_set_of_linear_equations(rules, solved) -> None:
    game = Ur(rules=rules, pieces=1)
    found, waiting = {}, [reference.start(1)]
    equations = []
    while waiting:
        position = waiting.pop()
        if key(position) in found:
            continue
        row = found.setdefault(key(position), len(found))
        for chance, thrown in reference.thrown(position, rules, game.dice):
            (after,) = reference.moves(thrown, rules).values()  # one piece: never a choice
            equations.append((row, after, float(chance), after["turn"] == position["turn"]))
            if not reference.winner(after):
                waiting.append(after)
    left, right = np.eye(len(found)), np.zeros(len(found))
    for row, after, chance, again in equations:
        if reference.winner(after):
            right[row] += chance
        else:
            left[row, found[key(after)]] -= chance if again else -chance
            right[row] += 0 if again else chance
    expected = np.linalg.solve(left, right)
    solution = solved[game]
    assert solution.states == len(found)
    assert solution.start_value == pytest.approx(expected[0], abs=1e-9)
    values = exact(UrOracle(game), solution.table, to_engine(found))
    np.testing.assert_allclose(values, expected, atol=1e-9, rtol=0)
    assert solution.wins == (expected > 0.5).sum()
    assert solution.losses == (expected < 0.5).sum()


@pytest.mark.parametrize(
    ("first", "second", "chance"),
    [("a7", "c7", Fraction(4, 7)), ("a8", "c7", Fraction(116, 161)), ("a7", "c8", Fraction(74, 161))],
)
def test_known_end_games(first, second, chance, solved) -> None:
    game = Ur(rules="finkel", pieces=1)
    oracle, table = UrOracle(game), solved[game].table
    s = game.read(f"first: on {first}; second: on {second}; turn first; throw ?")
    assert oracle.exact(table, s) == pytest.approx(float(chance), abs=1e-9)
    assert float(oracle.value(table, s)) == pytest.approx(float(chance), abs=1e-6)
    assert oracle.exact(table, s._replace(turn=jnp.int32(1))) == oracle.exact(table, s)


def test_thrown_and_finished_positions_have_values_too(solved) -> None:
    game = Ur(rules="finkel", pieces=1)
    oracle, table = UrOracle(game), solved[game].table
    s = game.read("first: on a7; second: on c7; turn first; throw 1")
    assert oracle.exact(table, s) == 1
    values = jax.jit(lambda s: oracle.values(table, s))
    assert values(s)[14] == 1
    assert np.isneginf(values(s)).sum() == 15
    assert oracle.exact(table, game.apply(s, 14)) == 0
    assert oracle.exact(table, s._replace(throw=jnp.int32(2))) == pytest.approx(1 - 4 / 7, abs=1e-9)
    assert np.isneginf(values(s._replace(throw=jnp.int32(-1)))).all()


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "pieces", "dice"), [("finkel", 2, 3), ("paper", 3, 2)])
def test_a_position_is_worth_what_its_best_moves_are(rules, pieces, dice, solved) -> None:
    game = Ur(rules=rules, pieces=pieces, dice=dice)
    oracle, solution = UrOracle(game), solved[game]
    drawn = positions(oracle, solution.table, 150, jax.random.key(5), undecided=False)
    starts = [from_engine(game, jax.tree.map(lambda x, i=i: x[i], drawn)) for i in range(150)]
    branches, after = [], []
    for position in starts:
        for chance, thrown in reference.thrown(position, rules, dice):
            results = []
            for new in reference.moves(thrown, rules).values():
                results.append((len(after), new["turn"] == position["turn"], reference.winner(new)))
                after.append(new)
            branches.append((float(chance), results))
    over = np.array([bool(reference.winner(new)) for new in after])
    next_values = exact(oracle, solution.table, to_engine([key(new) for new in after]))
    assert (next_values[over] == 0).all()
    expected = np.zeros(len(starts))
    throws = len(branches) // len(starts)
    for n, (chance, results) in enumerate(branches):
        best = max(next_values[i] if again else 1 - next_values[i] for i, again, _ in results)
        expected[n // throws] += chance * best
    values = exact(oracle, solution.table, drawn._replace(throw=jnp.full(150, -1, jnp.int32)))
    np.testing.assert_allclose(values, expected, atol=2e-10, rtol=0)


def test_counts_and_what_the_table_leaves_out(solved) -> None:
    for game, placements in ((Ur(pieces=3), 263_121), (Ur(rules="finkel", pieces=2, dice=3), 12_869)):
        solution = solved[game]
        chances = solution.table["chance"]
        assert np.isfinite(chances).sum() == placements  # by counting: pieces waiting, on the board, home
        assert np.nanmin(chances) >= 0
        assert np.nanmax(chances) <= 1
        assert solution.wins + solution.draws + solution.losses == solution.states <= placements
        assert solution.longest is None
    # Who throws 0 to 3 may have to wait, so everything can arise; who throws 1 or 2 always has a move at first.
    assert solved[Ur(rules="finkel", pieces=2, dice=3)].states == 12_869
    assert solved[Ur(pieces=3)].states < 263_121
