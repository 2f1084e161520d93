"""Chung Toi against a plain reference, hand-worked positions and counts, and what its text refuses."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import legal_actions, pick
from ludens.core.playout import perft
from ludens.games.chung_toi import PASS, SQUARES, ChungToi, State
from reference import chung_toi as reference
from variants import slow_but

VARIANTS = [ChungToi(hop=hop, allow_pass=allow_pass) for hop in (True, False) for allow_pass in (False, True)]
BATCH = 512


def to_reference(own, other, diagonal, turn):
    """The engine's arrays, one state, as the reference writes a position."""
    mover = ("white", "red")[turn]
    board = {}
    for i, square in enumerate(SQUARES):
        orientation = "x" if diagonal >> i & 1 else "+"
        if own >> i & 1:
            board[square] = (mover, orientation)
        if other >> i & 1:
            board[square] = (reference.OTHER[mover], orientation)
    return board, mover


def to_engine(positions):
    """Positions of the reference as a batch of states."""
    rows = []
    for board, turn in positions:
        sides = {colour: [s for s, piece in board.items() if piece[0] == colour] for colour in reference.OTHER}
        own, other = sides[turn], sides[reference.OTHER[turn]]
        diagonal = [s for s, piece in board.items() if piece[1] == "x"]
        boards = [sum(1 << SQUARES.index(s) for s in squares) for squares in (own, other, diagonal)]
        rows.append([*boards, ("white", "red").index(turn)])
    own, other, diagonal, turn = np.array(rows).T
    return State(*(jnp.asarray(board, jnp.uint32) for board in (own, other, diagonal)), jnp.asarray(turn, jnp.int32))


def everything(game):
    """Compiled: legal moves, all successors, ends and results of a batch of states."""
    successors = jax.vmap(game.apply, (None, 0))

    def one(s):
        return game.legal(s), successors(s, jnp.arange(game.num_actions)), game.done(s), game.returns(s)

    return jax.jit(jax.vmap(one))


def has_line(board, colour):
    return any(all(board.get(square, "-")[0] == colour for square in row) for row in reference.ROWS)


def random_positions(count, seed):
    """Positions from the middle of the game: any pieces on any squares that either side could be facing."""
    rng = random.Random(seed)
    positions = []
    while len(positions) < count:
        red_to_move = rng.random() < 0.5
        reds = rng.randrange(4)
        whites = min(reds + 1, 3) if red_to_move else reds
        squares = rng.sample(reference.SQUARES, whites + reds)
        board = {square: ("white" if i < whites else "red", rng.choice("+x")) for i, square in enumerate(squares)}
        turn = "red" if red_to_move else "white"
        if not has_line(board, turn):
            positions.append((board, turn))
    return positions


def played_positions(game, steps, seed):
    """Positions of random play, `BATCH` games at a time, as the reference writes them."""
    advance = jax.jit(jax.vmap(lambda s, noise: game.apply(s, pick(game.legal(s), noise))))
    s = jax.vmap(game.init)(jax.random.split(jax.random.key(seed), BATCH))
    seen = {}
    for key in jax.random.split(jax.random.key(seed + 1), steps):
        s = advance(s, jax.random.bits(key, (BATCH,)))
        for row in zip(*(np.asarray(x).tolist() for x in s), strict=True):
            seen[row] = to_reference(*row)
    return list(seen.values())


@pytest.mark.parametrize("game", slow_but(VARIANTS), ids=str)
def test_engine_agrees_with_the_reference(game):
    positions = [reference.start(), *random_positions(700, seed=1), *played_positions(game, steps=24, seed=2)]
    positions = positions[: 5 * BATCH]
    evaluate = everything(game)
    ends = 0
    for begin in range(0, len(positions) - BATCH + 1, BATCH):
        some = positions[begin : begin + BATCH]
        states = to_engine(some)
        legal, after, done, returns = jax.tree.map(np.asarray, evaluate(states))
        before = [np.asarray(x) for x in states]
        for i, position in enumerate(some):
            expected = reference.moves(position, hop=game.hop, allow_pass=game.allow_pass)
            named = {game.name(a, None): a for a in np.flatnonzero(legal[i])}
            assert named.keys() == expected.keys()
            for name, a in named.items():
                assert to_reference(*(int(x[i, a]) for x in after)) == expected[name]
            for x, unchanged in zip(after, before, strict=True):
                assert (x[i][~legal[i]] == unchanged[i]).all()
            won = reference.winner(position)
            assert done[i] == (won is not None)
            assert returns[i].tolist() == {None: [0, 0], "white": [1, -1], "red": [-1, 1]}[won]
            ends += won is not None
    assert ends > 50


def test_counts_of_the_opening_by_hand():
    # Three placements a side: 18 * 16 * 14 * 12 * 10. White's third completes one of 8 lines in 3! orders
    # while red's two stand anywhere else: 8 * 6 * 6 * 5, each piece either way. Otherwise 4 squares are left.
    placed = 9 * 8 * 7 * 6 * 5 * 2**5
    over = 8 * 6 * 6 * 5 * 2**5
    counts = perft(ChungToi(), ChungToi().init(jax.random.key(0)), 6)
    assert counts == [18, 288, 4032, 48384, placed, (placed - over) * 8 + over]


def names(game, text):
    s = game.read(text)
    return {game.name(a, s) for a in legal_actions(game, s)}


def test_pieces_move_along_their_arrows_and_may_turn():
    # White: a1 cardinal, b2 diagonal, c1 cardinal; red: b1 (in the way), a3, b3.
    text = "RxR+--/--Wx--/W+RxW+ turn white"
    turns = {"a1x", "b2+", "c1x"}
    far = {"c1-c3"}
    a1, c1, b2 = {"a1-a2"}, {"c1-c2"} | far, {"b2-c3"}
    assert names(ChungToi(), text) == turns | {move + o for move in a1 | c1 | b2 for o in "+x"}


def test_hopping_is_a_choice():
    # White on a1 looks along the first rank over red on b1 and along the a file over red on a2.
    text = "--WxWx/R+R+--/W+Rx-- turn white"
    over = {"a1-c1+", "a1-c1x", "a1-a3+", "a1-a3x"}
    assert names(ChungToi(), text) & over == over
    assert not names(ChungToi(hop=False), text) & over
    assert names(ChungToi(hop=False), text) < names(ChungToi(), text)


def test_passing_is_a_choice_and_only_once_all_pieces_stand():
    placing, moving = "------/--W+--/------ turn red", "W+W+R+/R+R+W+/------ turn white"
    assert "--" not in names(ChungToi(), moving)
    assert names(ChungToi(allow_pass=True), moving) == names(ChungToi(), moving) | {"--"}
    assert "--" not in names(ChungToi(allow_pass=True), placing)
    game = ChungToi(allow_pass=True)
    after = game.apply(game.read(moving), game.parse("pass", game.read(moving)))
    assert game.show(after) == moving.replace("turn white", "turn red")


def test_a_line_wins_in_either_phase():
    game = ChungToi()
    s = game.read("R+----/Rx----/WxW+-- turn white")
    won = game.apply(s, game.parse("c1x", s))
    assert bool(game.done(won))
    assert game.returns(won).tolist() == [1, -1]
    assert int(game.player(won)) == 1
    assert legal_actions(game, won) == []
    moving = game.read("RxRx--/--WxR+/--W+W+ turn red")
    won = game.apply(moving, game.parse("c2-c3x", moving))
    assert game.returns(won).tolist() == [-1, 1]
    assert game.show(game.apply(won, 0)) == game.show(won) == "RxRxRx/--Wx--/--W+W+ turn white"


def test_observation_is_the_papers_vector():
    game = ChungToi()
    seen = game.observe(game.read("--Rx--/--W+--/Wx---- turn red"))
    colours, orientations = seen[:9].tolist(), seen[9:18].tolist()
    assert dict(zip(SQUARES, colours, strict=True)) == dict.fromkeys(SQUARES, 0) | {
        "a1": 1,
        "b2": 1,
        "b3": -1,
    }
    assert dict(zip(SQUARES, orientations, strict=True)) == dict.fromkeys(SQUARES, 0) | {
        "a1": -1,
        "b2": 1,
        "b3": -1,
    }
    assert seen[18:].tolist() == [0, 1]
    assert game.observe(game.init(jax.random.key(0))).tolist() == [0] * 18 + [1, 0]


@pytest.mark.parametrize("game", slow_but(VARIANTS), ids=str)
def test_text_round_trips(game):
    states = to_engine(random_positions(25, seed=5))
    for i in range(25):
        s = State(*(x[i] for x in states))
        again = game.read(game.show(s))
        assert [(int(x), x.dtype) for x in again] == [(int(x), x.dtype) for x in s]
        for a in legal_actions(game, s):
            assert game.parse(game.name(a, s), s) == a


def test_typing_is_forgiving():
    game = ChungToi()
    s = game.read("  w+ -- rx / -- -- -- / -- -- --  TURN  White ")
    assert game.show(s) == "W+--Rx/------/------ turn white"
    assert game.name(game.parse(" B2X ", s), s) == "b2x"
    assert game.name(PASS, s) == "--"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "does not say who moves"),
        ("------/------/------", "does not say who moves"),
        ("------/------/------ turn blue", "does not say who moves"),
        ("------/------ turn white", "three ranks of three squares"),
        ("------/------/------/------ turn white", "three ranks of three squares"),
        ("------/----/------ turn white", "three ranks of three squares"),
        ("--W*--/------/------ turn red", r"'w\*' cannot stand on b3"),
        ("----B+/------/------ turn red", r"'b\+' cannot stand on c3"),
        ("W+W+--/W+--W+/R+R+R+ turn white", "at most three a side"),
        ("W+----/------/------ turn white", "1 white and 0 red pieces cannot stand with white to move"),
        ("------/------/------ turn red", "0 white and 0 red pieces cannot stand with red to move"),
        ("R+----/------/------ turn white", "0 white and 1 red pieces cannot stand with white to move"),
        ("W+W+W+/R+R+R+/------ turn red", "both sides have three in a row"),
        ("W+W+W+/R+R+--/R+---- turn white", "expected the loser to be to move"),
        ("R+R+R+/W+W+--/W+---- turn red", "expected the loser to be to move"),
    ],
)
def test_impossible_positions_are_refused(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        ChungToi().read(text)


def test_illegal_moves_and_variants_are_refused():
    game = ChungToi()
    s = game.init(jax.random.key(0))
    for text in ("a1", "a1-a2x", "--", "pass", "d4x", ""):
        with pytest.raises(ValueError, match=f"'{text}' is not a legal move in chung-toi: expected a placement"):
            game.parse(text, s)
    with pytest.raises(ValueError, match="hop is 1 in chung-toi: expected true or false"):
        ChungToi(hop=1)
    with pytest.raises(ValueError, match="allow_pass is 'no' in chung-toi"):
        ChungToi(allow_pass="no")
