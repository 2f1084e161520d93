"""The Royal Game of Ur against a plain reference, endgames with known chances, and what its text refuses."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import legal_actions, pick, settle, where
from ludens.games.ur import PATHS, Ur
from ludens.games.ur import State as UrState
from reference import ur as reference
from variants import slow_but

VARIANTS = [
    *(Ur(rules="paper", pieces=pieces) for pieces in (1, 2, 4, 6, 7)),
    *(Ur(rules="finkel", pieces=pieces) for pieces in (1, 3, 5, 7)),
    Ur(rules="finkel", pieces=2, dice=2),
    Ur(rules="finkel", pieces=4, dice=3),
]
BATCH = 512


def to_reference(game, row):
    """The engine's numbers, one state, as the reference writes a position."""
    own, other, own_home, other_home, throw, turn = row
    position = {"waiting": {}, "on": {}, "home": {}}
    for seat, board, home in ((turn, own, own_home), (1 - turn, other, other_home)):
        side = reference.SIDES[seat]
        squares = frozenset(square for i, square in enumerate(reference.WAY[side]) if board >> (i + 1) & 1)
        position["on"][side] = squares
        position["home"][side] = home
        position["waiting"][side] = game.pieces - home - len(squares)
    return position | {"turn": reference.SIDES[turn], "throw": None if throw < 0 else throw}


def to_engine(positions):
    """Positions of the reference as a batch of states."""
    rows = []
    for position in positions:
        mover = position["turn"]
        sides = (mover, reference.OTHER[mover])
        boards = [sum(2 << reference.WAY[side].index(s) for s in position["on"][side]) for side in sides]
        homes = [position["home"][side] for side in sides]
        throw = -1 if position["throw"] is None else position["throw"]
        rows.append([*boards, *homes, throw, reference.SIDES.index(mover)])
    own, other, *rest = np.array(rows).T
    return UrState(
        jnp.asarray(own, jnp.uint32),
        jnp.asarray(other, jnp.uint32),
        *(jnp.asarray(x, jnp.int32) for x in rest),
    )


def rows(states):
    """A batch of states as tuples of Python integers."""
    return list(zip(*(np.asarray(x).tolist() for x in states), strict=True))


def everything(game):
    """Compiled: legal moves, all successors, chances, ends and results of a batch of states."""
    successors = jax.vmap(game.apply, (None, 0))

    def one(s):
        after = successors(s, jnp.arange(game.num_actions))
        return game.legal(s), after, game.chance(s), game.done(s), game.returns(s)

    return jax.jit(jax.vmap(one))


def random_positions(game, count, seed):
    """Crowded boards that random play seldom shows: any squares, throw and number home; some are over."""
    rng = random.Random(seed)
    throws = [None, *reference.throws(game.rules, game.dice)]
    positions = []
    for _ in range(count):
        position = reference.start(game.pieces)
        turn, throw, over = rng.choice(reference.SIDES), rng.choice(throws), rng.random() < 0.05
        taken = set()
        for side in reference.SIDES:
            won = over and side != turn
            free = [square for square in reference.WAY[side] if square not in taken]
            standing = frozenset(rng.sample(free, 0 if won else rng.randint(0, game.pieces)))
            taken |= standing
            most = game.pieces - len(standing) - (0 if standing else 1)
            position["on"][side] = standing
            position["home"][side] = game.pieces if won else rng.randint(0, most)
            position["waiting"][side] = game.pieces - len(standing) - position["home"][side]
        positions.append(position | {"turn": turn, "throw": None if over else throw})
    return positions


def played_positions(game, count, seed):
    """Positions of random play, from first to last, before and after each throw."""

    def one(s, noise, key):
        fate, anew = jax.random.split(key)
        moved = game.apply(s, pick(game.legal(s), noise))
        return moved, where(game.done(moved), game.init(anew), settle(game, moved, fate))

    def turn(s, key):
        noise, fate = jax.random.split(key)
        moved, ready = jax.vmap(one)(s, jax.random.bits(noise, (64,)), jax.random.split(fate, 64))
        return ready, (moved, ready)

    @jax.jit
    def play(key):
        s = jax.vmap(game.init)(jax.random.split(key, 64))
        return jax.lax.scan(turn, s, jax.random.split(key, 500))[1]

    seen = set().union(*(rows(UrState(*(x.reshape(-1) for x in states))) for states in play(jax.random.key(seed))))
    return [to_reference(game, row) for row in random.Random(seed).sample(sorted(seen), min(count, len(seen)))]


@pytest.mark.parametrize("game", slow_but(VARIANTS), ids=str)
def test_engine_agrees_with_the_reference(game):
    positions = random_positions(game, 2 * BATCH, seed=1) + played_positions(game, 2 * BATCH, seed=2)
    positions += positions[: -len(positions) % BATCH]
    assert len(positions) >= 3 * BATCH
    evaluate = everything(game)
    ends = 0
    for begin in range(0, len(positions), BATCH):
        some = positions[begin : begin + BATCH]
        states = to_engine(some)
        legal, after, chance, done, returns = jax.tree.map(np.asarray, evaluate(states))
        before = rows(states)
        for i, position in enumerate(some):
            s = UrState(*before[i])
            expected = reference.moves(position, game.rules)
            named = {game.name(a, s): a for a in np.flatnonzero(legal[i])}
            assert named.keys() == expected.keys()
            for a in range(game.num_actions):
                successor = tuple(int(x[i, a]) for x in after)
                if legal[i, a]:
                    assert to_reference(game, successor) == expected[game.name(a, s)]
                else:
                    assert successor == before[i]
            won = reference.winner(position)
            due = position["throw"] is None and not won
            throws = reference.throws(game.rules, game.dice) if due else {}
            assert chance[i].tolist() == [float(throws.get(c, 0)) for c in range(5)]
            assert done[i] == (won is not None)
            assert returns[i].tolist() == {None: [0, 0], "first": [1, -1], "second": [-1, 1]}[won]
            ends += won is not None
    assert ends > 0


# ---------------------------------------------------------------------- endgames that others have solved

ENDGAMES = [("a7", "c7", 4 / 7), ("a8", "c7", 116 / 161), ("a7", "c8", 74 / 161)]


def iterate(value, steps=400):
    """The fixed point of `value`, which maps every position's old chance to its new one."""
    chances = dict.fromkeys(value, 0.5)
    for _ in range(steps):
        chances = {key: update(chances) for key, update in value.items()}
    return chances


def closed(first, expand):
    """Every position reachable from `first`, each with what `expand` says of it."""
    found, todo = {}, [first]
    while todo:
        key = todo.pop()
        if key not in found:
            found[key] = expand(key)
            todo += [after for _, options in found[key] for after, _ in options if after is not None]
    return found


def solve(tree):
    """The mover's chance to win in every position of `tree`.

    Each position is a list of (chance, options), each option a pair: the position after it (None if that is
    won) and whether the other side moves there.
    """

    def updater(throws):
        def update(chances):
            def worth(after, changes):
                return 1.0 if after is None else 1 - chances[after] if changes else chances[after]

            return sum(share * max(worth(*option) for option in options) for share, options in throws)

        return update

    return iterate({key: updater(throws) for key, throws in tree.items()})


@pytest.mark.parametrize(("mine", "theirs", "chance"), ENDGAMES)
def test_reference_solves_known_endgames(mine, theirs, chance):
    def freeze(position):
        mover = position["turn"]
        return tuple(
            (position["waiting"][side], position["on"][side], position["home"][side], side == mover)
            for side in reference.SIDES
        )

    def expand(key):
        position = {"turn": reference.SIDES[0 if key[0][3] else 1], "throw": None}
        for i, field in enumerate(("waiting", "on", "home")):
            position[field] = {side: part[i] for side, part in zip(reference.SIDES, key, strict=True)}
        tree = []
        for share, ready in reference.thrown(position, "finkel", 4):
            options = []
            for after in reference.moves(ready, "finkel").values():
                won = reference.winner(after) is not None
                options.append((None if won else freeze(after), after["turn"] != position["turn"]))
            tree.append((float(share), options))
        return tree

    position = reference.start(1)
    position["waiting"] = dict.fromkeys(reference.SIDES, 0)
    position["on"] = {"first": frozenset({mine}), "second": frozenset({theirs})}
    key = freeze(position)
    assert solve(closed(key, expand))[key] == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize(("mine", "theirs", "chance"), ENDGAMES)
def test_engine_solves_known_endgames(mine, theirs, chance):
    game = Ur(rules="finkel", pieces=1)

    def expand(text):
        s = game.read(text)
        tree = []
        for c, share in enumerate(game.chance(s).tolist()):
            ready = game.roll(s, c)
            options = []
            for a in legal_actions(game, ready):
                after = game.apply(ready, a)
                changes = int(game.player(after)) != int(game.player(s))
                options.append((None if bool(game.done(after)) else game.show(after), changes))
            tree.append((share, options))
        return tree

    text = game.show(game.read(f"first: on {mine}; second: on {theirs}; turn first; throw ?"))
    assert solve(closed(text, expand))[text] == pytest.approx(chance, abs=1e-6)


# ---------------------------------------------------------------------- rules by hand


def names(game, text):
    s = game.read(text)
    return [game.name(a, s) for a in legal_actions(game, s)]


def play(game, text, move):
    s = game.read(text)
    return game.show(game.apply(s, game.parse(move, s)))


def test_paper_refuge_sends_the_attacker_on():
    game = Ur()
    text = "first: on b2 b3; second: on b4 b5; turn first; throw 1"
    assert names(game, text) == ["start-a4", "b3-b5"]
    assert play(game, text, "b3") == (
        "first: waiting 2 on b2 b5 home 0; second: waiting 3 on b4 home 0; turn second; throw ?"
    )
    assert "b2-b5" in names(game, "first: on b2; second: on b4; turn first; throw 2")
    assert "b2-b5" not in names(game, "first: on b2 b5; second: on b4; turn first; throw 2")
    assert "b3-b4" in names(game, "first: on b3 b5; second: on b6; turn first; throw 1")


def test_finkel_refuge_is_closed():
    game = Ur(rules="finkel")
    text = "first: on b2 b3; second: on b4 b6; turn first; throw 2"
    assert names(game, text) == ["start-a3", "b3-b5"]
    assert names(game, text.replace("throw 2", "throw 4")) == ["start-a1", "b2-b6", "b3-b7"]


def test_rosettes_give_another_turn_under_finkel_rules_only():
    text = "first: on a3 b2 a8; second: on b8; turn first; throw 1"
    for rules, turn in (("finkel", "first"), ("paper", "second")):
        after = play(Ur(rules=rules), text, "a8-a7")
        assert after.endswith(f"turn {turn}; throw ?")
    quiet = play(Ur(rules="finkel"), text, "b2-b3")
    assert quiet.endswith("turn second; throw ?")


def test_capture_sends_back_and_gives_no_extra_turn():
    text = "first: on b6; second: on b8 c3 home 1; turn first; throw 2"
    assert play(Ur(rules="finkel"), text, "b6-b8") == (
        "first: waiting 6 on b8 home 0; second: waiting 5 on c3 home 1; turn second; throw ?"
    )


def test_private_squares_are_safe():
    text = "first: on a3 a8; second: on c4 c7; turn second; throw 1"
    assert play(Ur(), text, "c4-c3") == (
        "first: waiting 2 on a3 a8 home 0; second: waiting 2 on c3 c7 home 0; turn first; throw ?"
    )


def test_leaving_needs_the_exact_throw_and_the_last_piece_wins():
    game = Ur(pieces=2)
    assert names(game, "first: on a7 home 1; second: ; turn first; throw 2") == ["pass"]
    assert names(game, "first: on a8 home 1; second: ; turn first; throw 2") == ["a8-off"]
    after = play(game, "first: on a7 home 1; second: on b1; turn first; throw 1", "a7-off")
    assert after == "first: waiting 0 home 2; second: waiting 1 on b1 home 0; turn second; throw none"
    over = game.read(after)
    assert bool(game.done(over))
    assert game.returns(over).tolist() == [1, -1]
    assert float(game.chance(over).sum()) == 0
    assert legal_actions(game, over) == []


def test_pass_only_when_nothing_else_and_always_on_a_throw_of_nought():
    game = Ur(rules="finkel")
    assert names(game, "first: on a3; second: on b1; turn first; throw 0") == ["pass"]
    assert play(game, "first: on a3; second: on b1; turn first; throw 0", "pass").endswith("turn second; throw ?")
    full = "first: on a4 a3 a2 a1 b1 b2 b3; second: on b4; turn first; throw 1"
    assert names(game, full) == ["pass"]
    assert names(game, full.replace("throw 1", "throw ?")) == []


def test_observation_by_hand():
    game = Ur(rules="finkel", pieces=4)
    s = game.read("first: on a3 b4 home 1; second: on c7; turn second; throw 3")
    first = [0] * 14
    first[1] = first[7] = 1
    second = [0] * 13 + [1]
    throw = [0, 0, 0, 1, 0]
    expected = {
        0: [*first, *second, 0.25, 0.25, 0.75, 0, *throw, 0],
        1: [*second, *first, 0.75, 0, 0.25, 0.25, *throw, 1],
    }
    for seat in (0, 1):
        assert game.observe(s, seat).tolist() == expected[seat]
    assert game.observe(s).tolist() == expected[1]
    assert game.observe(s._replace(throw=jnp.int32(-1)))[32:37].tolist() == [0] * 5


def test_first_throw_is_made_and_impossible_ones_never_come():
    for game in VARIANTS:
        s = jax.vmap(game.init)(jax.random.split(jax.random.key(7), BATCH))
        assert set(s.throw.tolist()) == set(reference.throws(game.rules, game.dice))
        assert set(s.turn.tolist()) == {0}


# ---------------------------------------------------------------------- text


@pytest.mark.parametrize("game", slow_but(VARIANTS[::2]), ids=str)
def test_text_round_trips(game):
    states = to_engine(random_positions(game, 40, seed=5))
    for i, row in enumerate(rows(states)):
        s = UrState(*(x[i] for x in states))
        again = game.read(game.show(s))
        assert tuple(int(x) for x in again) == row
        assert [x.dtype for x in again] == [x.dtype for x in s]
        for a in legal_actions(game, s) if i < 12 else []:
            assert game.parse(game.name(a, s), s) == a


def test_typing_is_forgiving():
    game = Ur()
    s = game.read(" FIRST on b3 a7 ; second waiting 4;turn first ; throw 1 ")
    assert game.show(s) == "first: waiting 2 on b3 a7 home 0; second: waiting 4 home 0; turn first; throw 1"
    for text, square in {
        "enter": 0,
        "start": 0,
        "start-a4": 0,
        " B3": 7,
        "b3 - b4": 7,
        "a7": 14,
        "a7-off": 14,
    }.items():
        assert game.parse(text, s) == square
    assert PATHS[1][14] == "c7"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "expected four parts"),
        ("first: ; second: ; turn first", "expected four parts"),
        ("second: ; first: ; turn first; throw 1", "does not describe the first side"),
        ("first: on a3 home x; second: ; turn first; throw 1", "'home' is not on the first side's path"),
        ("first: waiting -1; second: ; turn first; throw 1", "does not describe the first side"),
        ("first: ; second: b4; turn first; throw 1", "does not describe the second side"),
        (
            "first: on c3; second: ; turn first; throw 1",
            "'c3' is not on the first side's path: expected one of a4",
        ),
        ("first: on a5; second: ; turn first; throw 1", "'a5' is not on the first side's path"),
        ("first: on start; second: ; turn first; throw 1", "'start' is not on the first side's path"),
        ("first: ; second: on b4 c4 b4; turn first; throw 1", "the second side has b4 twice"),
        ("first: on b7; second: on b7; turn first; throw 1", "both sides stand on b7"),
        (
            "first: waiting 3 on b7 home 1; second: ; turn first; throw 1",
            "3 waiting, 1 on the board and 1 home",
        ),
        (
            "first: on a4 a3 a2 a1 b1; second: ; turn first; throw 1",
            "5 on the board and 0 home: expected 4 in all",
        ),
        ("first: home 5; second: ; turn first; throw 1", "0 on the board and 5 home: expected 4 in all"),
        ("first: ; second: ; turn third; throw 1", "'turn third' does not say who moves"),
        ("first: ; second: ; first; throw 1", "'first' does not say who moves"),
        ("first: ; second: ; turn first; throw 0", "'throw 0' is not possible here: .* one of 1, 2, "),
        ("first: ; second: ; turn first; throw 3", "'throw 3' is not possible here"),
        ("first: ; second: ; turn first; throw none", "'throw none' is not possible here"),
        ("first: ; second: ; turn first; 2", "'2' is not possible here: expected throw and then"),
        ("first: home 4; second: ; turn second; throw 1", "'throw 1' is not possible here: .* none"),
        ("first: home 4; second: ; turn second; throw ?", "is not possible here: .* none"),
        ("first: home 4; second: ; turn first; throw none", "the first side has won and is to move"),
        ("first: home 4; second: home 4; turn first; throw none", "both sides have all their pieces home"),
    ],
)
def test_impossible_positions_are_refused(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        Ur().read(text)


def test_illegal_moves_are_refused():
    game = Ur()
    s = game.read("first: on b3; second: ; turn first; throw 1")
    for text in ("pass", "b4", "start-a3", "off", ""):
        with pytest.raises(ValueError, match=f"'{text}' is not a legal move in ur: .*one of start-a4, b3-b4"):
            game.parse(text, s)
    with pytest.raises(ValueError, match="expected fate to act first"):
        game.parse("b3", game.read("first: on b3; second: ; turn first; throw ?"))
    with pytest.raises(ValueError, match="the game is over"):
        game.parse("pass", game.read("first: home 4; second: ; turn second; throw none"))


def test_variants_are_filled_in_and_checked():
    assert Ur() == Ur(rules="paper", pieces=4, dice=2)
    assert Ur(rules="finkel") == Ur(rules="finkel", pieces=7, dice=4)
    assert hash(Ur()) == hash(Ur(pieces=4))
    assert Ur() != Ur(pieces=5)
    for fields, sentence in (
        ({"rules": "masters"}, "rules is 'masters' in ur: expected one of paper, finkel"),
        ({"pieces": 0}, "pieces is 0 in ur: expected a whole number from 1 to 7"),
        ({"pieces": 8}, "pieces is 8"),
        ({"pieces": "4"}, "pieces is '4'"),
        ({"pieces": True}, "pieces is True"),
        ({"rules": "finkel", "dice": 5}, "dice is 5 in ur: expected a whole number from 1 to 4"),
        ({"rules": "finkel", "dice": 0}, "dice is 0"),
        ({"dice": 4}, "dice is 4 in ur under paper rules: expected 2"),
    ):
        with pytest.raises(ValueError, match=sentence):
            Ur(**fields)
