"""Othello: rule cases worked by hand, perft, a slow reference over thousands of positions, OpenSpiel and Pgx."""

import random
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from ludens.core.bits import Bits
from ludens.core.game import legal_actions, random_action
from ludens.core.playout import perft
from ludens.games.othello import SIZES, Othello, _position
from reference import othello as slow
from variants import slow_but

GAME = Othello()
ROWS = 8192  # the one batch shape in which engine and reference are compared
PEER_GAMES = 2000
STEPS = 128  # more than the 60 discs and their passes can take
GAMES = {size: Othello(size=size) for size in SIZES}


def names(text, game=GAME):
    """The legal moves of a position by name."""
    s = game.read(text)
    return {game.name(a, s) for a in legal_actions(game, s)}


def after(text, *moves, game=GAME):
    """The position after some moves."""
    s = game.read(text)
    for move in moves:
        s = applied(game)(s, game.parse(move, s))
    return s


@cache
def applied(game):
    """`apply`, compiled: one by one its operations take a tenth of a second."""
    return jax.jit(game.apply)


def board(*rows, mover="X"):
    """A position from its rows; the missing ones are empty."""
    size = len(rows[0])
    return "".join(rows).ljust(size**2, "-") + " " + mover


# ---------------------------------------------------------------------- perft


@pytest.mark.slow
def test_perft_to_depth_nine():
    expected = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288]
    assert perft(GAME, GAME.init(jax.random.key(0)), 9) == expected


@pytest.mark.parametrize(("size", "depth"), slow_but([(4, 7), (6, 6), (8, 5)]))
def test_perft_agrees_with_the_reference(size, depth):
    game = GAMES[size]
    assert perft(game, game.init(jax.random.key(0)), depth) == slow.perft(slow.start(size), depth)


def test_every_game_on_the_smallest_board():
    game = GAMES[4]
    assert perft(game, game.init(jax.random.key(0)), 16)[-2:] == [60060, 60060]
    opened = slow.play(slow.start(4), "b1")
    counts = perft(game, game.read(slow.text(opened)), 15)
    assert counts == slow.perft(opened, 15)
    assert counts[-1] == 60060 // 4  # the four first moves are mirror images


# ---------------------------------------------------------------------- the reference


def as_numbers(position):
    """Own discs, the opponent's (integers, square i is bit i) and the seat to move."""
    own, opponent = (
        sum(1 << i for i, square in enumerate(slow.squares(position.size)) if position.discs.get(square) == side)
        for side in (position.mover, slow.OTHER[position.mover])
    )
    return own, opponent, "XO".index(position.mover)


def expectations(positions):
    """One row per position and legal move: what the reference says of the position and of what the move leads to.

    A finished position has one row, with a move that is illegal and must not change anything.
    """
    rows = []
    for position in positions:
        names = [*slow.squares(position.size), "pass"]
        here, options = as_numbers(position), slow.moves(position)
        legal = [name in options for name in names]
        winner = np.sign(slow.margin(position)) if not options else 0
        for move in options or ["a1"]:
            there = as_numbers(slow.play(position, move)) if options else here
            rows.append((here, names.index(move), legal, not options, winner, there))
    return rows


@cache
def engine(size):
    """Compiled over `ROWS` positions and actions: what the engine says of each, and where the action leads."""
    game = GAMES[size]

    def one(own, opponent, turn, a):
        s = _position(Bits(*own), Bits(*opponent), turn, size=size)
        t = game.apply(s, a)
        facts = {"legal": game.legal(s), "over": game.done(s), "returns": game.returns(s), "player": game.player(s)}
        there = {"discs": jnp.stack([*t.own, *t.opponent]), "turn": t.turn, "derived": _derived(game, t)}
        return facts | there

    return jax.jit(jax.vmap(one))


def _derived(game, s):
    """Whether what the state keeps beside the discs is what its discs imply."""
    fresh = _position(s.own, s.opponent, s.turn, size=game.size)
    return jnp.stack([x == y for x, y in zip(jax.tree.leaves(s), jax.tree.leaves(fresh), strict=True)]).all()


def words(numbers):
    """Boards as pairs of 32-bit words, `uint32[N, 2]`."""
    return np.array([[n & 0xFFFFFFFF, n >> 32] for n in numbers], np.uint32)


def compare(size, positions):
    """Engine and reference must agree on everything, in every one of `positions` and after every legal move."""
    rows = expectations(positions)
    for begin in range(0, len(rows), ROWS):
        some = rows[begin : begin + ROWS]
        padded = some + some[:1] * (ROWS - len(some))
        here, actions, legal, over, winner, there = zip(*padded, strict=True)
        own, opponent, turn = zip(*here, strict=True)
        found = engine(size)(words(own), words(opponent), np.array(turn, np.uint8), np.array(actions, np.int32))
        found = jax.tree.map(np.asarray, found)
        next_own, next_opponent, next_turn = zip(*there, strict=True)
        black = np.array(winner, np.float32)
        np.testing.assert_array_equal(found["legal"], np.array(legal))
        np.testing.assert_array_equal(found["over"], np.array(over))
        np.testing.assert_array_equal(found["returns"], np.stack([black, -black], axis=1))
        np.testing.assert_array_equal(found["player"], np.array(turn))
        np.testing.assert_array_equal(found["discs"], np.concatenate([words(next_own), words(next_opponent)], axis=1))
        np.testing.assert_array_equal(found["turn"], np.array(next_turn))
        assert found["derived"].all()


def wandering_positions(size, count, rng):
    """Positions as random play meets them, finished ones included."""
    found = []
    while len(found) < count:
        position = slow.start(size)
        found.append(position)
        while options := slow.moves(position):
            position = slow.play(position, rng.choice(options))
            found.append(position)
    return found


def scattered_positions(size, count, rng):
    """Boards nobody would reach, from nearly empty to full: lines of every length against every border."""
    found = []
    for _ in range(count):
        filled, black = rng.random(), rng.choice([0.1, 0.5, 0.9])
        discs = {square: "X" if rng.random() < black else "O" for square in slow.squares(size) if rng.random() < filled}
        found.append(slow.Position(size, discs, rng.choice("XO")))
    return found


@pytest.mark.parametrize("size", slow_but(SIZES))
def test_agrees_with_the_reference_wherever_random_play_leads(size):
    compare(size, wandering_positions(size, 2000, random.Random(size)))


@pytest.mark.parametrize("size", slow_but(SIZES))
def test_agrees_with_the_reference_on_scattered_discs(size):
    compare(size, scattered_positions(size, 2000, random.Random(10 + size)))


@pytest.mark.slow
def test_agrees_with_the_reference_in_every_position_of_the_smallest_board():
    """After b1, that is; the other three first moves are its mirror images."""
    compare(4, slow.reachable(slow.play(slow.start(4), "b1")).values())


# ---------------------------------------------------------------------- worked by hand


@pytest.mark.parametrize(
    ("size", "text", "moves"),
    [
        (4, "-----OX--XO----- X", {"b1", "a2", "d3", "c4"}),
        (6, "--------------OX----XO-------------- X", {"c2", "b3", "e4", "d5"}),
        (8, "---------------------------OX------XO--------------------------- X", {"d3", "c4", "f5", "e6"}),
    ],
)
def test_start(size, text, moves):
    game = GAMES[size]
    s = game.init(jax.random.key(0))
    assert game.show(s) == text
    assert names(text, game) == moves
    assert not game.done(s)
    assert game.returns(s).tolist() == [0, 0]
    assert game.num_actions == size**2 + 1


def test_eight_lines_are_turned_at_once():
    before = board("X--X--X-", "-O-O-O--", "--OOO---", "XOO-OOOX", "--OOO---", "-O-O-O--", "X--O--O-", "---X---X")
    s = after(before, "d4")
    assert GAME.show(s) == before.replace("O", "X").replace("XXX-XXXX", "XXXXXXXX")[:-1] + "O"
    assert int(s.opponent.total()) == 8 + 19 + 1
    assert GAME.done(s)  # white has nothing left


def test_only_closed_lines_are_turned():
    """Placing on c3 closes c4-c5; the line to the right meets an empty square and the one above the border."""
    before = board("--O-----", "--O-----", "---OO-O-", "--O-----", "--O-----", "--X-----")
    expected = board("--O-----", "--O-----", "--XOO-O-", "--X-----", "--X-----", "--X-----", mover="O")
    assert GAME.show(after(before, "c3")) == expected


def test_turned_discs_close_no_further_lines():
    """c1 turns b1; that b1 now stands above b2 and b3 turns nothing more."""
    before = board("XO------", "-O------", "-X------")
    assert GAME.show(after(before, "c1")) == board("XXX-----", "-O------", "-X------", mover="O")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("line", ["top", "bottom", "left", "right", "diagonal", "antidiagonal"])
def test_lines_run_from_border_to_border(size, line, reverse):
    last = size - 1
    places = {
        "top": list(range(size)),
        "bottom": [last * size + i for i in range(size)],
        "left": [i * size for i in range(size)],
        "right": [i * size + last for i in range(size)],
        "diagonal": [i * (size + 1) for i in range(size)],
        "antidiagonal": [(i + 1) * last for i in range(size)],
    }[line][:: -1 if reverse else 1]
    game, cells = GAMES[size], ["-"] * size**2
    for place in places[1:]:
        cells[place] = "O"
    cells[places[-1]] = "X"
    s = game.read("".join(cells) + " X")
    assert legal_actions(game, s) == [places[0]]
    t = applied(game)(s, places[0])
    assert game.show(t) == "".join("X" if i in places else "-" for i in range(size**2)) + " O"


@pytest.mark.parametrize(
    ("black", "white"),
    [
        ("a2", "g1 h1"),  # f1, on past the right border
        ("h1", "a2 b2"),  # c2, back past the left border
        ("a4", "h2"),  # g1, down and right
        ("h2", "a2"),  # b1, down and left
        ("h1", "a3"),  # b4, up and left
        ("a1", "h1"),  # g2, up and right: the same row again
        ("a8", "a1"),  # beyond the first row comes nothing
        ("h1", "h8"),
        ("a1", "h8"),
        ("h8", "a1"),
    ],
)
def test_lines_stop_at_the_border(black, white):
    discs = dict.fromkeys(black.split(), "X") | dict.fromkeys(white.split(), "O")
    for mover in "XO":
        text = slow.text(slow.Position(8, discs, mover))
        assert names(text) == set()
        assert GAME.done(GAME.read(text))


def test_who_cannot_place_must_pass():
    before = board("XO------", mover="O")
    assert names(before) == {"pass"}
    s = after(before, "pass")
    assert GAME.show(s) == board("XO------", mover="X")
    assert names(GAME.show(s)) == {"c1"}
    with pytest.raises(ValueError, match=r"'pass' is not a legal move in othello: .*; here c1"):
        GAME.parse("pass", s)
    unchanged = GAME.apply(s, 64)
    assert GAME.show(unchanged) == GAME.show(s)


def test_the_game_ends_at_once_with_squares_left():
    s = after(board("XO------", mover="X"), "c1")
    assert GAME.done(s)
    assert not GAME.legal(s).any()
    assert GAME.returns(s).tolist() == [1, -1]
    assert GAME.show(GAME.apply(s, 64)) == GAME.show(s)


def test_the_game_ends_when_both_have_discs_but_no_moves():
    """After h1 the two sides stand apart: nobody can place on the other fifty-seven squares, and white has more."""
    s = after(board("-----XO-", "--------", "OOOO----"), "h1")
    assert GAME.done(s)
    assert not GAME.legal(s).any()
    assert GAME.returns(s).tolist() == [-1, 1]


def test_the_shortest_game():
    """Nine moves after which white has no disc left; the last of them is black's."""
    moves = ("e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5")
    s = after(GAME.show(GAME.init(jax.random.key(0))), *moves)
    assert GAME.done(s)
    assert GAME.returns(s).tolist() == [1, -1]
    assert (int(s.own.total()), int(s.opponent.total())) == (0, 13)


def test_a_full_board_with_as_many_discs_is_a_draw():
    game = GAMES[4]
    s = after(board("-OXX", "XXOO", "OOOO", "XXOO"), "a1", game=game)
    assert game.show(s) == board("XXXX", "XXOO", "OOOO", "XXOO", mover="O")
    assert game.done(s)
    assert game.returns(s).tolist() == [0, 0]


def test_observation_is_seen_from_the_seat():
    s = after(GAME.show(GAME.init(jax.random.key(0))), "f5")  # white moves; black has d5, e5, f5 and e4
    black, white = np.zeros((8, 8), bool), np.zeros((8, 8), bool)
    black[[4, 4, 4, 3], [3, 4, 5, 4]] = True
    white[3, 3] = True
    np.testing.assert_array_equal(GAME.observe(s), [white, black])
    np.testing.assert_array_equal(GAME.observe(s, 0), [black, white])
    np.testing.assert_array_equal(GAME.observe(s, 1), [white, black])


# ---------------------------------------------------------------------- text


def test_positions_may_be_typed_in_rows_and_lower_case():
    typed = "........ ........ ........ ...ox... ...xo... ........ ........ ........ x"
    assert GAME.show(GAME.read(typed)) == GAME.show(GAME.init(jax.random.key(0)))


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda: Othello(size=5), "size is 5 in othello: expected one of 4, 6, 8"),
        (lambda: GAME.read("XO X"), "'XO X' is not a position of othello: expected 64 characters X, O or -"),
        (lambda: GAME.read(board("XO------")[:-1]), "is not a position of othello: expected 64 characters"),
        (lambda: GAME.read(board("XO------", mover="-")), "does not say who moves: expected X or O after the 64"),
        (lambda: GAME.read(board("XQ------")), "is not a position of othello"),
        (lambda: GAMES[4].read(board("XO------")), "expected 16 characters X, O or -"),
        (lambda: GAME.parse("a1", GAME.init(jax.random.key(0))), "'a1' is not a legal move in othello: .* d3, c4, f5"),
        (
            lambda: GAME.parse("a1", GAME.read(board("XX------"))),
            "'a1' cannot be played in othello: expected no more moves, the game is over",
        ),
    ],
)
def test_errors_say_what_was_expected(act, sentence):
    with pytest.raises(ValueError, match=sentence):
        act()


# ---------------------------------------------------------------------- peers


@cache
def played():
    """Random games: `action[T, B]`, and what holds before each of them: `legal`, `over`, `discs` and `seen`.

    `discs[T, B, 2, 8, 8]` are black's and white's, `seen` is the same from the mover's side; `returns[B]` is black's.
    """

    def turn(s, key):
        a = random_action(GAME, s, key)
        record = {"action": a, "legal": GAME.legal(s), "over": GAME.done(s)}
        return GAME.apply(s, a), record | {"discs": GAME.observe(s, 0), "seen": GAME.observe(s)}

    def one(key):
        last, record = lax.scan(turn, GAME.init(key), jax.random.split(key, STEPS))
        return record | {"returns": GAME.returns(last)[0]}

    record = jax.jit(jax.vmap(one, out_axes=0))(jax.random.split(jax.random.key(2024), PEER_GAMES))
    assert record["over"][:, -2:].all()  # whoever needs two passes to see the end has the time for them
    return jax.tree.map(np.asarray, record)


@pytest.mark.slow
def test_agrees_with_open_spiel():
    """Which ends the game at once too, and has the same actions."""
    import pyspiel

    ours = played()
    cells = np.select([ours["discs"][:, :, 0], ours["discs"][:, :, 1]], [b"x", b"o"], b"-")
    cells = cells.reshape(PEER_GAMES, STEPS, 64)
    game = pyspiel.load_game("othello")
    checked = 0
    for b in range(PEER_GAMES):
        state = game.new_initial_state()
        for t in range(STEPS):
            rows = str(state).split("\n")[2:10]  # after who moves and the columns' letters; "1 - - - o x - - - 1"
            assert "".join(row[2:18:2] for row in rows).encode() == cells[b, t].tobytes()
            assert state.is_terminal() == ours["over"][b, t]
            checked += 1
            if state.is_terminal():
                break
            assert state.legal_actions() == np.flatnonzero(ours["legal"][b, t]).tolist()
            state.apply_action(int(ours["action"][b, t]))
        assert state.is_terminal()
        assert state.returns() == [ours["returns"][b], -ours["returns"][b]]
    assert checked > 60 * PEER_GAMES


@pytest.mark.slow
def test_agrees_with_pgx():
    """Which draws lots for who is black, and ends on a full board, with nothing left to one side, or by two passes."""
    import pgx

    env = pgx.make("othello")
    ours = played()

    def turn(state, given):
        action, over = given
        record = {"legal": state.legal_action_mask, "seen": state.observation, "over": state.terminated}
        state = env.step(state, jnp.where(over, 64, action))
        return state, record | {"rewards": state.rewards}

    def one(key, actions, over):
        state = env.init(key)
        last, record = lax.scan(turn, state, (actions, over))
        return record | {"black": state.current_player, "ended": last.terminated}

    keys = jax.random.split(jax.random.key(7), PEER_GAMES)
    theirs = jax.tree.map(np.asarray, jax.jit(jax.vmap(one))(keys, ours["action"], ours["over"]))
    on = ~ours["over"]
    just_over = ours["over"] & np.pad(on, ((0, 0), (1, 0)))[:, :-1]
    assert not theirs["over"][on].any()
    np.testing.assert_array_equal(theirs["legal"][on], ours["legal"][on])
    seen = np.moveaxis(theirs["seen"], -1, 2)
    np.testing.assert_array_equal(seen[on | just_over], ours["seen"][on | just_over])
    waiting = ours["over"] & ~theirs["over"]  # we are done, Pgx wants its passes: nothing else may be left to do
    assert (np.flatnonzero(theirs["legal"][waiting].any(axis=0)) == 64).all()
    assert theirs["ended"].all()
    black = theirs["rewards"].sum(axis=1)[np.arange(PEER_GAMES), theirs["black"]]
    np.testing.assert_array_equal(black, ours["returns"])
    assert set(theirs["black"]) == {0, 1}
    assert on.sum() > 60 * PEER_GAMES - PEER_GAMES
