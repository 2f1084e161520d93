"""The report's encodings, against slow plain Python: pieces by name and by coordinates of the board."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens.games.onitama import NAMES, Onitama, State
from ludens.games.othello import Othello
from ludens.players.onitama_encoding import (
    DEAD,
    ENCODINGS,
    PAPER_CARDS,
    ByPawn,
    BySquare,
    action,
    board,
    cards,
    encodes,
    follow,
    numbered,
    start,
    valid,
)
from reference import onitama as slow
from variants import slow_but

GAME = Onitama(PAPER_CARDS)
SHORT = Onitama(("tiger", "horse", "frog", "crab", "ox"))  # cards of two and three moves, and passes


def facts(game: Onitama) -> Any:
    """All that is tested, of one position, compiled once for each game."""
    encodings = [kind(game) for kind in ENCODINGS.values()]

    def of(s: State, pieces: Any) -> dict[str, Any]:
        found: dict[str, Any] = {
            "board": board(pieces),
            "cards": cards(game, s),
            "numbered": numbered(s),
            "valid": valid(game, s, pieces),
            "actions": jax.vmap(lambda n: action(pieces, n))(jnp.arange(40)),
        }
        for encoding in encodings:
            actions = jax.vmap(lambda n, e=encoding: e.action(s, n))(jnp.arange(encoding.actions))
            numbers = jax.vmap(lambda a, e=encoding: e.number(s, a))(actions)
            found[encoding.name] = encoding.encode(s), encoding.valid(s), actions, numbers
        return found

    return jax.jit(of)


FACTS = {game: facts(game) for game in (GAME, SHORT)}
APPLY = jax.jit(lambda game, s, a: game.apply(s, a), static_argnums=0)
FOLLOW = jax.jit(follow)


def host(tree: Any) -> Any:
    return jax.tree.map(np.asarray, tree)


def seen(square: tuple[int, int] | None, side: str) -> int:
    """The number of a square (file, rank) as `side` sees the board."""
    if square is None:
        return DEAD
    number = square[1] * 5 + square[0]
    return number if side == "blue" else 24 - number


class Names:
    """Everybody's place by name, as the report keeps it: pawns 1 to 4 from their owner's left, then the master."""

    def __init__(self) -> None:
        files = (0, 1, 3, 4, 2)
        self.at: dict[str, list[tuple[int, int] | None]] = {
            "blue": [(file, 0) for file in files],
            "red": [(4 - file, 4) for file in files],
        }

    def play(self, mover: str, square: tuple[int, int] | None, target: tuple[int, int] | None) -> None:
        if square is None:
            return
        other = self.at[slow.OTHER[mover]]
        self.at[slow.OTHER[mover]] = [None if place == target else place for place in other]
        self.at[mover] = [target if place == square else place for place in self.at[mover]]

    def seen_by(self, side: str) -> tuple[list[int], list[int]]:
        own, opp = ([seen(place, side) for place in self.at[who]] for who in (side, slow.OTHER[side]))
        return own, opp


def by_place(position: slow.Position, side: str, viewer: str) -> list[int]:
    """The pieces of `side` as `viewer` sees the board, pawns numbered from their owner's home row on."""
    students, masters = (
        sorted(seen(square, side) for square, (who, kind) in position.pieces.items() if who == side and kind == wanted)
        for wanted in ("student", "master")
    )
    own_view = students + [DEAD] * (4 - len(students)) + (masters or [DEAD])
    return own_view if side == viewer else [DEAD if square == DEAD else 24 - square for square in own_view]


def planes(squares: list[int]) -> np.ndarray:
    found = np.zeros((len(squares), 5, 5), np.float32)
    for plane, square in enumerate(squares):
        if square != DEAD:
            found[plane][square // 5][square % 5] = 1
    return found


def check(game: Onitama, position: slow.Position, s: State, pieces: Any, own: list[int], opp: list[int]) -> None:
    side, other = position.mover, slow.OTHER[position.mover]
    found = host(FACTS[game](s, pieces))
    assert found["numbered"].own.tolist() == by_place(position, side, side)
    assert found["numbered"].opp.tolist() == by_place(position, other, side)
    np.testing.assert_array_equal(found["board"], planes(own + opp))
    order = [name for name in NAMES if name in game.cards]
    held = [[name in position.hands[who] for name in order] for who in (side, other)]
    assert found["cards"].tolist() == np.array(held, float).reshape(-1).tolist()

    moves = slow.moves(position)
    passes = all(square is None for _, square, _ in moves.values())
    hand = [name for name in order if name in position.hands[side]]
    at_home = host(s)
    told = {"pawns that are followed": (own, found["valid"], found["actions"])}
    told["pawns"] = by_place(position, side, side), *found["pawn"][1:3]
    for places, mask, actions in told.values():
        assert (not mask.any()) if passes else mask.any()
        names = {game.name(int(actions[n]), at_home) for n in np.flatnonzero(mask)}
        assert names == (set() if passes else set(moves))
        assert mask.sum() == len(names)  # no move has two numbers
        for n in np.flatnonzero(mask):
            card, square, _ = moves[game.name(int(actions[n]), at_home)]
            assert (places[n // 8], hand[n // 4 % 2]) == (seen(square, side), card)
    for name in ("pawn", "square"):
        encoded, mask, actions, numbers = found[name]
        np.testing.assert_array_equal(encoded.cards, found["cards"])
        np.testing.assert_array_equal(numbers[mask], np.flatnonzero(mask))
        if passes:
            assert set(actions.tolist()) == {200}
            assert set(numbers.tolist()) == {0}
    np.testing.assert_array_equal(
        found["pawn"][0].board, planes(by_place(position, side, side) + by_place(position, other, side))
    )
    alike = planes(by_place(position, side, side) + by_place(position, other, side)).reshape(2, 5, 5, 5)
    expected = [alike[0, :4].sum(axis=0), alike[0, 4], alike[1, :4].sum(axis=0), alike[1, 4]]
    np.testing.assert_array_equal(found["square"][0].board, expected)
    by_square = {game.name(int(n), at_home) for n in np.flatnonzero(found["square"][1])}
    assert by_square == (set() if passes else set(moves))


@pytest.mark.parametrize("game", slow_but([GAME, SHORT]), ids=["paper", "short"])
@settings(max_examples=5, deadline=None, derandomize=True)
@given(data=st.data())
@pytest.mark.slow
def test_pawns_are_followed_through_whole_games(game: Onitama, data: st.DataObject) -> None:
    deal = data.draw(st.permutations(game.cards))
    position = slow.start(deal[:2], deal[2:4], deal[4])
    s, pieces, names = game.read(position.text), start(), Names()
    for move_number in data.draw(st.lists(st.integers(0, 2**16), min_size=30, max_size=60)):
        own, opp = names.seen_by(position.mover)
        assert (host(pieces).own.tolist(), host(pieces).opp.tolist()) == (own, opp)
        if position.winner:
            return
        check(game, position, s, pieces, own, opp)
        moves = sorted(slow.moves(position).items())
        name, move = moves[move_number % len(moves)]
        a = jnp.int32(game.parse(name, s))
        t = APPLY(game, s, a)
        pieces = FOLLOW(pieces, s, t, a)
        names.play(position.mover, *move[1:])
        position, s = slow.play(position, move), t


# All of blue stands on the leftmost file, and tiger and horse lead along it or off the board.
def test_who_can_only_pass_has_no_valid_action() -> None:
    places: dict[tuple[int, int], tuple[str, str]] = {(0, rank): ("blue", "student") for rank in range(5)}
    places |= {(0, 0): ("blue", "master"), (4, 4): ("red", "master")}
    position = slow.Position(places, {"blue": {"tiger", "horse"}, "red": {"frog", "crab"}}, "ox", "blue")
    assert set(slow.moves(position)) == {"tiger pass", "horse pass"}
    s = SHORT.read(position.text)
    pieces = numbered(s)
    own, opp = ([int(square) for square in side] for side in pieces)
    check(SHORT, position, s, pieces, own, opp)
    t = APPLY(SHORT, s, jnp.int32(201))
    assert [side.tolist() for side in FOLLOW(pieces, s, t, jnp.int32(201))] == [
        [DEAD if square == DEAD else 24 - square for square in side] for side in (opp, own)
    ]


def test_what_can_be_encoded() -> None:
    assert encodes(GAME)
    assert encodes(SHORT)
    assert not encodes(Onitama())
    assert not encodes(Othello())
    for kind in (ByPawn, BySquare):
        with pytest.raises(ValueError, match=r"^the report's encoding needs five cards: expected --cards dragon"):
            kind(Onitama())
    assert (ByPawn.planes, ByPawn.actions, BySquare.planes, BySquare.actions) == (10, 40, 4, 200)
