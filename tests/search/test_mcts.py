from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import Game, random_action, step, where
from ludens.core.types import Action, Array, Key
from ludens.games import make
from ludens.players.evaluators import ResultEvaluator
from ludens.players.mcts import MCTS
from ludens.search.mcts import movers_view, rollouts, search
from reference import ur as slow_ur
from variants import slow_but

CHUNG_TOI = make("chung-toi")
OKEY = make("okey", match=20)
LANES = 32


@pytest.fixture(scope="module")
def decide() -> Any:
    """`mcts:200` in Chung Toi for `LANES` positions at once."""
    return jax.jit(partial(MCTS(CHUNG_TOI, 200).act_batch, None))


def keys(seed: int, count: int) -> Key:
    return jax.random.split(jax.random.key(seed), count)


def repeat(s: Any, count: int) -> Any:
    return jax.tree.map(lambda x: jnp.repeat(jnp.asarray(x)[None], count, axis=0), s)


# ---------------------------------------------------------------------- it plays well


@pytest.mark.parametrize(
    ("position", "moves"),
    [
        ("------/Rx--R+/W+W+-- turn white", {"c1+", "c1x"}),  # three in a row
        ("R+--Rx/--W+--/Wx---- turn white", {"b3+", "b3x"}),  # or else red has three in a row
        pytest.param("R+R+--/----Rx/WxW+W+ turn red", set(), marks=pytest.mark.slow),  # over
    ],
)
def test_wins_and_blocks_in_chung_toi(decide: Any, position: str, moves: set[str]) -> None:
    s = CHUNG_TOI.read(position)
    decisions = decide(keys(1, LANES), repeat(s, LANES))
    legal = np.asarray(CHUNG_TOI.legal(s))
    assert (decisions.scores[:, ~legal] == -np.inf).all()
    assert (abs(decisions.scores[:, legal]) <= 1).all()
    if moves:
        assert {CHUNG_TOI.name(int(a), s) for a in decisions.action} <= moves


@pytest.mark.slow
def test_wins_in_onitama() -> None:
    game = make("onitama")
    s = game.read("rR1rr/2B2/5/1r3/bb1bb blue horse,dragon red frog,crane side ox turn blue")
    results = jax.jit(jax.vmap(lambda a: game.returns(game.apply(s, a))[0]))(jnp.arange(game.num_actions))
    won = set(np.flatnonzero(results > 0).tolist())
    assert 0 < len(won) < game.legal(s).sum()
    decisions = jax.jit(partial(MCTS(game, 100, ResultEvaluator(game)).act_batch, None))(keys(2, 4), repeat(s, 4))
    assert {int(a) for a in decisions.action} <= won
    assert (decisions.scores.max(axis=1) == 1).all()


@pytest.mark.slow
def test_beats_random(decide: Any) -> None:
    seat = jnp.arange(LANES) % 2

    @jax.jit
    def reply(keys: Key, s: Any, action: Array) -> Any:
        act = jnp.where(CHUNG_TOI.player(s) == seat, action, jax.vmap(partial(random_action, CHUNG_TOI))(s, keys))
        return jax.vmap(partial(step, CHUNG_TOI))(s, act, keys)

    s = jax.vmap(CHUNG_TOI.init)(keys(3, LANES))
    for ply in range(30):
        # Where the other side is to move, a finished game stands in for the position: it costs nothing.
        over = repeat(CHUNG_TOI.read("R+R+--/----Rx/WxW+W+ turn red"), LANES)
        asked = jax.vmap(where)(CHUNG_TOI.player(s) == seat, s, over)
        s = reply(keys(100 + ply, LANES), s, decide(keys(ply, LANES), asked).action)
    score = np.asarray(jax.vmap(CHUNG_TOI.returns)(s))[np.arange(LANES), seat]
    assert (score > 0).mean() >= 0.9


# ---------------------------------------------------------------------- values


UR_ENDINGS = [
    ("finkel", "first: on b8 a7; second: on c8 home 1; turn first; throw 1"),
    ("finkel", "first: on a7 home 1; second: on b8 c8; turn second; throw 2"),
    ("paper", "first: on b8 a8; second: on c8 home 1; turn first; throw 2"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "text"), slow_but(UR_ENDINGS))
def test_a_move_is_worth_the_expectation_over_throws(rules: str, text: str) -> None:
    game = make("ur", rules=rules, pieces=2)
    s = game.read(text)
    worth = exact(text, rules)
    assert len(worth) > 1
    decisions = jax.jit(partial(MCTS(game, 4000).act_batch, None))(keys(5, 2), repeat(s, 2))
    for name, value in worth.items():
        np.testing.assert_allclose(decisions.scores[:, game.parse(name, s)], value, atol=0.05, err_msg=name)


def exact(text: str, rules: str) -> dict[str, float]:
    """What each move is worth to the mover, -1 to 1: value iteration over everything that can follow."""
    sides, turn, throw = text.split("; ")[:2], text.split("turn ")[1].split(";")[0], int(text[-1])
    on = {
        side: frozenset(words.split(" home ")[0].split()[2:]) for side, words in zip(slow_ur.SIDES, sides, strict=True)
    }
    home = {side: 2 - len(on[side]) for side in slow_ur.SIDES}
    root = {"waiting": dict.fromkeys(slow_ur.SIDES, 0), "on": on, "home": home, "turn": turn, "throw": throw}

    def key(p: slow_ur.Position) -> Any:
        return p["turn"], *(p["on"][side] for side in slow_ur.SIDES)

    follow: dict[Any, Any] = {}
    todo = list(slow_ur.moves(root, rules).values())
    while todo:
        p = todo.pop()
        if key(p) not in follow:
            thrown = [(float(c), list(slow_ur.moves(t, rules).values())) for c, t in slow_ur.thrown(p, rules, 4)]
            follow[key(p)] = (slow_ur.winner(p), thrown)
            todo += [t for _, after in thrown for t in after]
    value = {k: {None: 0.0, turn: 1.0}.get(won, -1.0) for k, (won, _) in follow.items()}
    for _ in range(200):
        for k, (won, thrown) in follow.items():
            if won is None:
                best = max if k[0] == turn else min
                value[k] = sum(c * best(value[key(t)] for t in after) for c, after in thrown)
    return {name: value[key(t)] for name, t in slow_ur.moves(root, rules).items()}


class Line(NamedTuple):
    """Choices so far, `int32[3]`, and how many they are, `int32[]`."""

    path: Array
    count: Array


@dataclass(frozen=True)
class ThreeChoices(Game[Line]):
    """Seats 0, 1 and 2 choose 0 or 1 in turn. What seat 0 gets stands in a table."""

    id: ClassVar[str] = "three-choices"
    notation: ClassVar[str] = "0 or 1"
    turn_limit: ClassVar[int] = 3
    PAYS: ClassVar[Any] = np.array([[[-0.8, 0.9], [0.9, -0.8]], [[0.2, 0.2], [0.2, 0.3]]], np.float32)

    partners: bool = False
    """Whether seats 0 and 2 are one side."""

    num_players: ClassVar[int] = 3
    num_actions: ClassVar[int] = 2

    def side(self, seat: Array) -> Array:
        return seat % 2 if self.partners else seat

    def init(self, key: Key) -> Line:
        return Line(jnp.zeros(3, jnp.int32), jnp.int32(0))

    def player(self, s: Line) -> Array:
        return s.count % 3

    def legal(self, s: Line) -> Array:
        return jnp.full(2, s.count < 3)

    def _apply(self, s: Line, a: Array) -> Line:
        return Line(jnp.where(jnp.arange(3) == s.count, a, s.path), s.count + 1)

    def done(self, s: Line) -> Array:
        return s.count == 3

    def returns(self, s: Line) -> Array:
        pay = jnp.asarray(self.PAYS)[tuple(s.path)]
        third = pay if self.partners else -pay / 2
        return jnp.where(self.done(s), jnp.stack([pay, -pay if self.partners else -pay / 2, third]), 0.0)

    def observe(self, s: Line, seat: Array | int | None = None) -> Array:
        return s.path.astype(jnp.float32)

    def name(self, a: Action, s: Line) -> str:
        return str(a)

    def show(self, s: Line) -> str:
        return "".join(str(x) for x in s.path[: int(s.count)])

    def read(self, text: str) -> Line:
        return Line(jnp.array([int(x) for x in text.ljust(3, "0")]), jnp.int32(len(text)))


@pytest.mark.parametrize(("partners", "values"), [(False, [-0.8, 0.2]), (True, [0.9, 0.3])])
def test_all_other_sides_play_against_the_root(partners: bool, values: list[float]) -> None:
    # Fourteen positions and 600 simulations: nearly all end in a finished game, whose worth must not wear off.
    game = ThreeChoices(partners)
    nothing = movers_view(game, lambda params, s: (jnp.zeros(2), jnp.float32(0)))
    look = jax.jit(partial(search, game, nothing, None, simulations=600))
    found = look(keys(6, 1), repeat(game.read(""), 1))
    best = int(np.argmax(values))
    assert found.visits.sum() == 600
    assert int(found.visits[0].argmax()) == best
    np.testing.assert_allclose(found.values[0, best], values[best], atol=0.05)


def test_a_net_guides_and_judges() -> None:
    s = repeat(CHUNG_TOI.read("R+--Rx/--W+--/Wx---- turn white"), 1)
    liked = CHUNG_TOI.parse("b1x", CHUNG_TOI.read("R+--Rx/--W+--/Wx---- turn white"))

    def net(params: Array, s: Any) -> tuple[Array, Array]:
        return params, jnp.float32(-0.5)  # always bad for the side to move

    logits = jnp.zeros(CHUNG_TOI.num_actions).at[liked].set(9.0)
    once = jax.jit(partial(search, CHUNG_TOI, movers_view(CHUNG_TOI, net), simulations=1))(logits, keys(7, 1), s)
    assert once.visits[0, liked] == 1
    np.testing.assert_allclose(once.values[0, liked], 0.5)
    assert once.visits.sum() == 1


# ---------------------------------------------------------------------- lanes and secrets


@pytest.mark.slow
def test_lanes_do_not_depend_on_each_other() -> None:
    lanes = [
        CHUNG_TOI.read("------/------/------ turn white"),
        CHUNG_TOI.read("R+R+--/----Rx/WxW+W+ turn red"),  # over: must not disturb the others
        CHUNG_TOI.read("R+--Rx/--W+--/Wx---- turn white"),
        CHUNG_TOI.read("R+R+--/--WxRx/--W+W+ turn red"),
    ]
    together = jax.tree.map(lambda *x: jnp.stack(x), *lanes)

    look = jax.jit(partial(search, CHUNG_TOI, rollouts(CHUNG_TOI), None, simulations=40))
    found = look(keys(8, 4), together)
    assert jax.tree.all(jax.tree.map(lambda x: bool(jnp.isfinite(x).all()), found))
    order = jnp.array([3, 2, 0, 0])
    other_company = look(keys(8, 4)[order], jax.tree.map(lambda x: x[order], together))
    np.testing.assert_array_equal(other_company.visits, found.visits[order])
    np.testing.assert_array_equal(other_company.values, found.values[order])


@pytest.mark.slow
def test_one_position_and_a_batch_are_decided_alike(decide: Any) -> None:
    s = CHUNG_TOI.read("R+----/------/--W+-- turn white")
    batch = decide(keys(9, LANES), repeat(s, LANES))
    alone = jax.jit(partial(MCTS(CHUNG_TOI, 200).act, None))(keys(9, LANES)[5], s)
    assert batch.action[5] == alone.action
    np.testing.assert_allclose(batch.scores[5], alone.scores, atol=1e-5)


@pytest.fixture(scope="module")
def play_okey() -> Any:
    return jax.jit(partial(MCTS(OKEY, 64).act, None))


@pytest.mark.slow
def test_hidden_tiles_stay_hidden(play_okey: Any) -> None:
    s = jax.jit(OKEY.init)(jax.random.key(9))
    other = jax.jit(OKEY.determinize)(OKEY.view(s, 0), jax.random.key(10))
    assert (other.hands[0] == s.hands[0]).all()
    assert (other.hands[1] != s.hands[1]).any()
    first, second = play_okey(jax.random.key(11), s), play_okey(jax.random.key(11), other)
    assert first.action == second.action
    np.testing.assert_array_equal(first.scores, second.scores)
    legal = np.asarray(OKEY.legal(s))
    assert legal[first.action]
    assert (abs(first.scores[legal]) <= 1).all()
    assert (first.scores[~legal] == -np.inf).all()


@pytest.mark.slow
def test_finishes_a_hand(play_okey: Any) -> None:
    held = "r1 r2 r3 r4 b5 b6 b7 g8 g9 g10 y11 y12 y13 r9 okey"
    other = "r6 r7 b1 b3 b9 b11 g1 g3 g5 g13 y1 y3 y5 y7"
    table = f"indicator g2 turn 0 phase discard hands {held} / {other} discards - / - centre 76"
    s = OKEY.read(f"{table} scores 20 20 starter 0")
    apply = jax.jit(OKEY.apply)
    for key in keys(12, 4):
        assert apply(s, play_okey(key, s).action).scores[0] == 18


# ---------------------------------------------------------------------- options


def test_options() -> None:
    assert MCTS.from_options(CHUNG_TOI, ()) == MCTS(CHUNG_TOI, 400)
    assert MCTS.from_options(CHUNG_TOI, ("50",)) == MCTS(CHUNG_TOI, 50)
    assert MCTS.from_options(CHUNG_TOI, ("50", "result")) == MCTS(CHUNG_TOI, 50, ResultEvaluator(CHUNG_TOI))
    assert hash(MCTS(CHUNG_TOI, 50)) == hash(MCTS(CHUNG_TOI, 50))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("x",), "simulations is 'x': expected a whole number from 1 to 100000"),
        (("0",), "simulations is '0': expected a whole number from 1 to 100000"),
        (("",), "simulations is '': expected"),
        (("100001",), "simulations is '100001': expected"),
        (("9" * 5000,), "expected a whole number from 1 to 100000"),
        (("10", "nonsense"), "'nonsense' cannot judge positions of chung-toi"),
        (("10", "result", "x"), "'result:x' is too much: expected one evaluator"),
    ],
)
def test_wrong_options(options: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        MCTS.from_options(CHUNG_TOI, options)
