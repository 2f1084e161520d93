"""Any small game: solved through the contract alone it comes to what its own oracle says, and to what is worked out."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import Game, random_action, step
from ludens.core.settings import setting
from ludens.core.types import Array
from ludens.games import make
from ludens.games.chung_toi import ChungToi
from ludens.games.othello import Othello
from ludens.games.ur import Ur
from ludens.oracles import enumeration, oracle_for, solvable, solver, store
from ludens.oracles.small import SmallChanceOracle, SmallOracle


class State(NamedTuple):
    place: Array
    turn: Array
    due: Array


@dataclass(frozen=True)
class Walk(Game[State]):
    """Two walk in turn along places 0 to 6, 0 being a win of the first and 6 of the second; each goes one step.

    `slips`: a step succeeds only with probability 1/2; else one stays.
    """

    id: ClassVar[str] = "walk"
    notation: ClassVar[str] = "left or right"
    turn_limit: ClassVar[int] = 100
    num_chance: ClassVar[int] = 2

    slips: bool = setting(False, "Whether steps may fail.")

    num_players, num_actions = 2, 2  # type: ignore[assignment]

    @property
    def rolls(self) -> int:
        return 1 if self.slips else 0

    def init(self, key: Any) -> State:
        return State(jnp.int32(3), jnp.int32(0), jnp.int32(0))

    def player(self, s: State) -> Array:
        return s.turn

    def legal(self, s: State) -> Array:
        return jnp.full(2, ~self.done(s) & (s.due == 0))

    def _apply(self, s: State, a: Array) -> State:
        if self.slips:
            return s._replace(due=a + 1)
        return State(s.place + 2 * a - 1, 1 - s.turn, s.due)

    def chance(self, s: State) -> Array:
        return jnp.where(s.due > 0, jnp.full(2, 0.5), 0.0)

    def roll(self, s: State, c: Any) -> State:
        return State(s.place + jnp.where(c == 0, 0, 2 * s.due - 3), 1 - s.turn, jnp.int32(0))

    def done(self, s: State) -> Array:
        return (s.place == 0) | (s.place == 6)

    def returns(self, s: State) -> Array:
        return jnp.where(s.place == 0, 1.0, jnp.where(s.place == 6, -1.0, 0.0)) * jnp.array([1.0, -1.0])

    def observe(self, s: State, seat: Any = None) -> Array:
        return jnp.stack([s.place / 6, s.turn])

    def name(self, a: Any, s: State) -> str:
        return ("left", "right")[int(a)]

    def show(self, s: State) -> str:
        return f"{int(s.place)} {int(s.turn)} {int(s.due)}"

    def read(self, text: str) -> State:
        return State(*(jnp.int32(int(word)) for word in text.split()))


def met(game: Any, lanes: int = 64, turns: int = 40) -> Any:
    """Decisions of random games, `[lanes * turns]`."""

    def turn(s: Any, key: Any) -> Any:
        return step(game, s, random_action(game, s, key), jax.random.fold_in(key, 1)), s

    def one(key: Any) -> Any:
        return jax.lax.scan(turn, game.init(key), jax.random.split(key, turns))[1]

    states = jax.jit(jax.vmap(one))(jax.random.split(jax.random.key(3), lanes))
    return jax.tree.map(lambda x: x.reshape(-1), states)


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(Ur(pieces=1), marks=pytest.mark.slow),
        pytest.param(Othello(size=4), marks=pytest.mark.slow),
        pytest.param(ChungToi(), marks=pytest.mark.slow),
        pytest.param(Ur(rules="finkel", pieces=2), marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_the_contract_tells_as_much_as_a_games_own_oracle(game: Any) -> None:
    own = solvable(game)
    small = (SmallChanceOracle if game.rolls else SmallOracle)(game)
    by_name, by_contract = own.solve(), small.solve()
    states = met(game)
    look = jax.jit(jax.vmap(lambda s: [(o.value(t, s), o.values(t, s), o.preference(t, s)) for o, t in tables]))
    tables = [(own, by_name.table), (small, by_contract.table)]
    here, there = (jax.tree.map(np.asarray, each) for each in look(states))
    assert not np.isnan(there[0]).any()
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, atol=1e-6), here, there)
    assert by_contract.start_value == pytest.approx(by_name.start_value, abs=0.003)
    assert by_contract.longest == by_name.longest


def test_what_goes_on_for_ever_is_drawn_and_the_rest_is_counted() -> None:
    """In the middle both can turn back for ever; whoever stands beside its own end steps over it."""
    oracle = SmallOracle(game := Walk())
    solution = oracle.solve()
    # Places 1, 3, 5 with the first to move, 2 and 4 with the second, and two ends after a move of the first.
    assert (solution.states, solution.start_value) == (5 + 2, 0)
    value = {
        text: oracle.exact(solution.table, game.read(text)) for text in ("3 0 0", "1 0 0", "5 0 0", "2 1 0", "3 1 0")
    }
    assert value["3 0 0"] == 0
    assert value["1 0 0"] == 1
    assert np.isnan(value["3 1 0"])  # never met
    assert solution.wins + solution.draws + solution.losses == solution.states


def test_bounds_meet_where_chance_ends_what_could_go_on_for_ever() -> None:
    """Every step may fail, so play may last any time, but not for ever."""
    oracle = SmallChanceOracle(game := Walk(slips=True))
    solution = oracle.solve()
    table = {place: oracle.exact(solution.table, game.read(f"{place} 0 0")) for place in range(1, 6)}
    other = {place: oracle.exact(solution.table, game.read(f"{place} 1 0")) for place in range(1, 6)}
    ends = {0: 1.0, 6: 0.0}
    for place in range(1, 6):
        # Equation of optimality, written out: half the time nothing happens and the other is to move.
        after = {x: ends[x] if x in ends else 1 - other[x] for x in (place - 1, place, place + 1)}
        assert table[place] == pytest.approx(
            max((after[place] + after[x]) / 2 for x in (place - 1, place + 1)), abs=1e-9
        )
        assert table[place] == pytest.approx(other[6 - place], abs=1e-9)
    assert table[3] > 0.5
    assert solution.start_value == pytest.approx(table[3])


def test_a_small_game_is_known_once_it_was_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path))
    game = Walk()
    assert oracle_for(game) is None
    with pytest.raises(ValueError, match="walk is not solved in this variant: expected `ludens solve walk` first"):
        store.load(game)
    store.load(game, oracle=solver(game))
    assert isinstance(oracle_for(game), SmallOracle)
    assert store.load(game)[1].states == 7


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        ValueError, match="othello is too large to be solved in this variant: expected at most 10,000,000"
    ):
        enumeration.refuse_if_larger(make("othello", size=6))
    monkeypatch.setattr(enumeration, "MOST_POSITIONS", 6)
    with pytest.raises(
        ValueError, match="walk is too large to be solved in this variant: expected at most 6 positions"
    ):
        SmallOracle(Walk()).solve()
    monkeypatch.setattr(enumeration, "MOST_ARROWS", 2)
    with pytest.raises(ValueError, match="walk has more than 2 moves in this variant: expected fewer"):
        SmallOracle(Walk()).solve()
    with pytest.raises(
        ValueError, match="onitama is too large to be solved in this variant: expected one of chung-toi"
    ):
        solver(make("onitama"))
