"""Ur's table against linear equations on the reference's rules, known end games, and what perfect play implies."""

import signal
import subprocess
import sys
import time
from fractions import Fraction
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.games.ur import State, Ur
from ludens.oracles import ur
from ludens.oracles.regret import positions, regrets
from ludens.oracles.ur import STEPS, UrOracle, rounded
from ludens.oracles.ur_positions import boards, layout, number
from reference import ur as reference
from variants import slow_but

SMALL, THREE_DICE = Ur(rules="finkel", pieces=1), Ur(rules="finkel", pieces=2, dice=3)


@cache
def solve(game):
    return UrOracle(game).solve()


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


@pytest.mark.parametrize("rules", ["paper", "finkel"])
def test_one_piece_is_a_set_of_linear_equations(rules) -> None:
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
            equations.append((row, thrown, after, float(chance), after["turn"] == position["turn"]))
            if not reference.winner(after):
                waiting.append(after)
    left, right = np.eye(len(found)), np.zeros(len(found))
    for row, _, after, chance, again in equations:
        if reference.winner(after):
            right[row] += chance
        else:
            left[row, found[key(after)]] -= chance if again else -chance
            right[row] += 0 if again else chance
    expected = np.linalg.solve(left, right)
    solution = solve(game)
    assert solution.states == len(found)
    assert solution.start_value == pytest.approx(expected[0], abs=1e-9)
    values = exact(UrOracle(game), solution.table, to_engine(found))
    np.testing.assert_allclose(values, expected, atol=1e-9, rtol=0)
    assert solution.wins == (expected > 0.5).sum()
    assert solution.losses == (expected < 0.5).sum()

    # Turns: one each, and those after it. The first capture: who makes it wins what the position is then worth to it.
    left, turns, captures, wins = np.eye(len(found)), np.ones(len(found)), np.zeros(len(found)), np.zeros(len(found))
    without = np.eye(len(found))
    for row, before, after, chance, again in equations:
        if not reference.winner(after):
            left[row, found[key(after)]] -= chance
            value = expected[found[key(after)]]
            if sum(after["waiting"].values()) > sum(before["waiting"].values()):
                captures[row] += chance
                wins[row] += chance * (value if again else 1 - value)
            else:
                without[row, found[key(after)]] -= chance
    figures = solution.figures
    assert figures["turns"] == pytest.approx(np.linalg.solve(left, turns)[0], abs=1e-3)
    share = np.linalg.solve(without, captures)[0]
    assert figures["captures"] == pytest.approx(share, abs=1e-5)
    assert figures["first_capture_wins"] == pytest.approx(np.linalg.solve(without, wins)[0] / share, abs=1e-5)
    throws = {throw: share for throw, share in enumerate(game.throws) if share}
    assert list(figures["wins_by_throw"]) == [str(throw) for throw in throws]
    by_throw = zip(throws.values(), figures["wins_by_throw"].values(), strict=True)
    assert sum(share * chance for share, chance in by_throw) == pytest.approx(solution.start_value, abs=1e-9)


@pytest.mark.parametrize(
    ("first", "second", "chance"),
    [("a7", "c7", Fraction(4, 7)), ("a8", "c7", Fraction(116, 161)), ("a7", "c8", Fraction(74, 161))],
)
def test_known_end_games(first, second, chance) -> None:
    game = SMALL
    oracle, table = UrOracle(game), solve(game).table
    s = game.read(f"first: on {first}; second: on {second}; turn first; throw ?")
    assert oracle.exact(table, s) == pytest.approx(float(chance), abs=1e-9)
    assert float(oracle.value(table, s)) == pytest.approx(float(chance), abs=1e-6)
    assert oracle.exact(table, s._replace(turn=jnp.int32(1))) == oracle.exact(table, s)


def test_thrown_and_finished_positions_have_values_too() -> None:
    game = SMALL
    oracle, table = UrOracle(game), solve(game).table
    s = game.read("first: on a7; second: on c7; turn first; throw 1")
    assert oracle.exact(table, s) == 1
    values = jax.jit(lambda s: oracle.values(table, s))
    assert values(s)[14] == 1
    assert np.isneginf(values(s)).sum() == 15
    assert oracle.exact(table, game.apply(s, 14)) == 0
    assert oracle.exact(table, s._replace(throw=jnp.int32(2))) == pytest.approx(1 - 4 / 7, abs=1e-9)
    assert np.isneginf(values(s._replace(throw=jnp.int32(-1)))).all()


@pytest.mark.parametrize(("rules", "pieces", "dice"), slow_but([("finkel", 2, 3), ("paper", 3, 2), ("finkel", 3, 4)]))
def test_a_position_is_worth_what_its_best_moves_are(rules, pieces, dice) -> None:
    game = Ur(rules=rules, pieces=pieces, dice=dice)
    oracle, solution = UrOracle(game), solve(game)
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


@pytest.mark.parametrize(
    ("pieces", "value"),
    [
        (1, 0.5300498),
        pytest.param(2, 0.5185729, marks=pytest.mark.slow),
        pytest.param(3, 0.5162011, marks=pytest.mark.slow),
    ],
)
def test_published_values(pieces, value) -> None:
    solution = solve(Ur(rules="finkel", pieces=pieces))
    assert solution.start_value == pytest.approx(value, abs=5e-8)
    assert solution.error <= 5e-11


def test_counts() -> None:
    solution = solve(THREE_DICE)
    assert len(solution.table["chance"]) == 12_869  # by counting: pieces waiting, on the board, home
    assert 0 <= solution.table["chance"].min() < solution.table["chance"].max() <= 1
    assert solution.wins + solution.draws + solution.losses == solution.states
    assert solution.states == 12_869  # who throws 0 to 3 may have to wait, so everything can arise
    assert solution.longest is None
    assert [layout(pieces).positions for pieces in (1, 3, 4, 7)] == [217, 263_121, 2_602_822, 137_870_097]


@pytest.mark.slow
def test_who_always_has_a_move_at_first_cannot_be_everywhere() -> None:
    game = Ur(pieces=2)
    found, waiting = set(), [reference.start(2)]
    while waiting:
        position = waiting.pop()
        if key(position) not in found:
            found.add(key(position))
            for _, thrown in reference.thrown(position, "paper", 2):
                waiting += [after for after in reference.moves(thrown, "paper").values() if not reference.winner(after)]
    assert solve(game).states == len(found) < 12_869


def test_every_position_has_a_number_of_its_own() -> None:
    numbers = []
    for a in range(3):
        for b in range(a + 1):
            board_a, board_b = (jnp.asarray(board.astype(np.uint32)) for board in boards(3, a, b))
            assert not (board_a & board_b & 0x1FE0).any()
            numbers.append(np.asarray(number(3, board_a, board_b, jnp.int32(a), jnp.int32(b))))
            if a > b:
                numbers.append(np.asarray(number(3, board_b, board_a, jnp.int32(b), jnp.int32(a))))
    np.testing.assert_array_equal(np.concatenate(numbers), np.arange(263_121))


def test_what_sixteen_bits_cost() -> None:
    oracle, exact_table = UrOracle(THREE_DICE), solve(THREE_DICE).table
    table = {"chance": rounded(exact_table["chance"])}
    assert table["chance"].dtype == np.uint16
    assert np.abs(table["chance"] / STEPS - exact_table["chance"]).max() <= 0.5 / STEPS
    states = positions(oracle, exact_table, 2000, jax.random.key(6))
    chosen = jax.jit(jax.vmap(lambda s: jnp.argmax(oracle.values(table, s))))(states)
    lost, _ = regrets(oracle, exact_table, states, chosen)
    assert float(lost.max()) <= 1.01 / STEPS  # both moves off by half a step
    assert float(lost.mean()) < 1e-6


def test_what_is_large_is_stored_in_sixteen_bits(monkeypatch) -> None:
    exact_solution = solve(SMALL)
    monkeypatch.setattr(ur, "SMALL", 0)
    oracle, solution = UrOracle(SMALL), UrOracle(SMALL).solve()
    np.testing.assert_array_equal(solution.table["chance"], rounded(exact_solution.table["chance"]))
    assert solution.start_value == exact_solution.start_value  # this one is not rounded
    assert solution.error == pytest.approx(0.5 / STEPS + 5e-11)
    assert not oracle.small
    s = SMALL.read("first: on a7; second: on c7; turn first; throw ?")
    assert oracle.exact(solution.table, s) == pytest.approx(4 / 7, abs=solution.error)
    assert float(oracle.values(solution.table, s._replace(throw=jnp.int32(1)))[14]) == 1


def test_a_solution_goes_on_where_it_was_interrupted(tmp_path) -> None:
    class EnoughError(Exception):
        pass

    told = []

    def interrupt(share):
        told.append(share)
        if share > 0.3:
            raise EnoughError

    oracle = UrOracle(THREE_DICE)
    with pytest.raises(EnoughError):
        oracle.solve(interrupt, tmp_path)
    assert told == sorted(told)
    assert {path.name for path in tmp_path.iterdir()} == {"1-1.safetensors", "1-0.safetensors"}
    (tmp_path / "1-0.safetensors").write_bytes(b"cut short")  # is solved again
    again = oracle.solve(None, tmp_path)
    np.testing.assert_array_equal(again.table["chance"], solve(THREE_DICE).table["chance"])
    assert again.figures == solve(THREE_DICE).figures


@pytest.mark.slow
def test_a_solution_that_is_killed_ends_the_same(tmp_path) -> None:
    script = (
        "import sys, pathlib; from ludens.games.ur import Ur; from ludens.oracles.ur import UrOracle; "
        "UrOracle(Ur(rules='finkel', pieces=3)).solve(None, pathlib.Path(sys.argv[1]))"
    )
    running = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)])
    while not (tmp_path / "2-0.safetensors").exists():
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGKILL)
    running.wait()
    game = Ur(rules="finkel", pieces=3)
    assert len(list(tmp_path.glob("*.safetensors"))) < 6
    again = UrOracle(game).solve(None, tmp_path)
    np.testing.assert_array_equal(again.table["chance"], solve(game).table["chance"])
    assert again.figures == solve(game).figures
