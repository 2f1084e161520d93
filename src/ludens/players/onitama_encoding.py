"""How the report on Onitama shows a position to its nets, and how it numbers moves (sections 4.1 and 4.2).

    board      `float32[10, 5, 5]`: a plane for each of the mover's four pawns and its master, then the opponent's
    cards      `float32[10]`: which of the five cards the mover holds, then the opponent; the card aside is implied
    actions    40: piece * 8 + card * 4 + move, pawns before the master, cards and moves in the order of the game

The report numbers pawns by where they start and follows them through the game (`start`, `follow`). A position alone
does not tell which is which, and a player only sees the position: `ByPawn` numbers those alive from the home row on,
left to right, as their owner sees them. `BySquare` is what the report wishes for: one plane for the pawns of a side,
and moves by the square they begin on.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax.numpy as jnp
from jax import lax

from ludens.core.game import Game
from ludens.core.types import Array
from ludens.games.onitama import NAMES, Onitama, State, turned

PAPER_CARDS = ("dragon", "elephant", "goose", "rooster", "monkey")
"""The five that the report plays with."""
SQUARES, DEAD = 25, -1
MOVES = 8
"""Of a piece: two cards of four moves."""


class Pieces(NamedTuple):
    """Where everybody stands, as the mover sees the board: four pawns, then the master; `DEAD` once captured."""

    own: Array
    """`int32[5]`."""
    opp: Array
    """`int32[5]`."""


class Encoded(NamedTuple):
    """What a net is fed."""

    board: Array
    """`float32[planes, 5, 5]`, `[plane, row, col]`, row 0 the mover's home row."""
    cards: Array
    """`float32[10]`."""


def start() -> Pieces:
    """Before the first move: pawns 1 to 4 from their owner's left to right."""
    own = jnp.array([0, 1, 3, 4, 2], jnp.int32)
    return Pieces(own, SQUARES - 1 - own)


def follow(pieces: Pieces, s: State, t: State, a: Array) -> Pieces:
    """Where the pieces stand in `t`, as its mover sees them, after action `a` in `s`, of which `pieces` is the view."""
    origin = jnp.where(a < MOVES * SQUARES, a // MOVES, SQUARES)  # a pass begins nowhere
    before = s.own_students | s.own_master
    after = turned(t.opp_students | t.opp_master)
    target = jnp.int32(31) - lax.clz(jnp.maximum(after & ~before, 1)).astype(jnp.int32)
    moved = jnp.where(pieces.own == origin, target, pieces.own)
    captured = (pieces.opp == target) & (origin < SQUARES)
    return other_side(Pieces(moved, jnp.where(captured, DEAD, pieces.opp)))


def other_side(pieces: Pieces) -> Pieces:
    """The same pieces as the other side sees them."""
    return Pieces(_seen_from_there(pieces.opp), _seen_from_there(pieces.own))


def numbered(s: State) -> Pieces:
    """The pieces of a position, pawns numbered by where they stand: from their owner's home row on, left to right."""
    own = _squares(s.own_students, s.own_master)
    opp = _squares(turned(s.opp_students), turned(s.opp_master))
    return Pieces(own, _seen_from_there(opp))


def board(pieces: Pieces) -> Array:
    """`float32[10, 5, 5]`."""
    squares = jnp.concatenate(pieces)
    return (squares[:, None] == jnp.arange(SQUARES)).astype(jnp.float32).reshape(10, 5, 5)


def cards(game: Onitama, s: State) -> Array:
    """`float32[10]`, cards in the order of the game's list of all sixteen, which is the report's order too."""
    in_play = jnp.array(sorted(NAMES.index(card) for card in game.cards), jnp.int32)
    held = jnp.stack([s.own_cards, s.opp_cards])  # [2, 2]
    return (held[:, :, None] == in_play).any(axis=1).astype(jnp.float32).reshape(-1)


def valid(game: Onitama, s: State, pieces: Pieces) -> Array:
    """Which of the 40 actions can be played, `bool[40]`; none if only a pass can."""
    by_square = game.legal(s)[: MOVES * SQUARES].reshape(SQUARES, MOVES)
    return (by_square[pieces.own] & (pieces.own != DEAD)[:, None]).reshape(-1)


def action(pieces: Pieces, n: Array) -> Array:
    """The game's action for number `n` (`int32[]`) of the 40, `int32[]`; of a dead piece, -8 to -1."""
    return pieces.own[n // MOVES] * MOVES + n % MOVES


# ---------------------------------------------------------------------- what a learner can choose from


@dataclass(frozen=True)
class Encoding(ABC):
    """From positions to what a net is fed, and from what it chooses to moves; a function of the position alone."""

    name: ClassVar[str]
    planes: ClassVar[int]
    actions: ClassVar[int]

    game: Onitama

    def __post_init__(self) -> None:
        if len(self.game.cards) != 5:
            raise ValueError(f"the report's encoding needs five cards: expected --cards {','.join(PAPER_CARDS)}")

    @abstractmethod
    def encode(self, s: State) -> Encoded:
        """What a net is fed."""

    @abstractmethod
    def valid(self, s: State) -> Array:
        """The valid mask, `bool[actions]`: what can be played; nothing if only a pass can."""

    @abstractmethod
    def action(self, s: State, n: Array) -> Array:
        """The game's action for number `n` (`int32[]`); the first pass where nothing else can be played."""

    @abstractmethod
    def number(self, s: State, a: Array) -> Array:
        """The number of the game's action `a`, `int32[]`; 0 for a pass. The reverse of `action`."""


class ByPawn(Encoding):
    """The report's 10 planes and 40 actions."""

    name: ClassVar[str] = "pawn"
    planes: ClassVar[int] = 10
    actions: ClassVar[int] = 40

    def encode(self, s: State) -> Encoded:
        return Encoded(board(numbered(s)), cards(self.game, s))

    def valid(self, s: State) -> Array:
        return valid(self.game, s, numbered(s))

    def action(self, s: State, n: Array) -> Array:
        return _or_pass(self.game, s, action(numbered(s), n))

    def number(self, s: State, a: Array) -> Array:
        piece = jnp.argmax(numbered(s).own == a // MOVES)
        return jnp.where(a < MOVES * SQUARES, piece * MOVES + a % MOVES, 0).astype(jnp.int32)


class BySquare(Encoding):
    """Four planes (pawns, master, the opponent's) and 200 actions, by the square that a move begins on."""

    name: ClassVar[str] = "square"
    planes: ClassVar[int] = 4
    actions: ClassVar[int] = MOVES * SQUARES

    def encode(self, s: State) -> Encoded:
        return Encoded(self.game.observe(s)[:4].astype(jnp.float32), cards(self.game, s))

    def valid(self, s: State) -> Array:
        return self.game.legal(s)[: self.actions]

    def action(self, s: State, n: Array) -> Array:
        return _or_pass(self.game, s, n)

    def number(self, s: State, a: Array) -> Array:
        return jnp.where(a < self.actions, a, 0).astype(jnp.int32)


ENCODINGS: dict[str, type[Encoding]] = {kind.name: kind for kind in (ByPawn, BySquare)}


def encodes(game: Game[object]) -> bool:
    """Whether `game` is Onitama with five cards, the only one that the report's encodings can show."""
    return isinstance(game, Onitama) and len(game.cards) == 5


def _or_pass(game: Onitama, s: State, a: Array) -> Array:
    only_passes = game.legal(s)[MOVES * SQUARES]
    return jnp.where(only_passes, MOVES * SQUARES, a).astype(jnp.int32)


def _squares(students: Array, master: Array) -> Array:
    """The squares of up to four students in ascending order, then the master's, `int32[5]`."""
    squares, rest = [], students
    for _ in range(4):
        squares.append(_lowest(rest))
        rest = rest & (rest - 1)
    return jnp.stack([*squares, _lowest(master)])


def _lowest(board: Array) -> Array:
    """The lowest square of a board (`uint32[]`), `int32[]`; `DEAD` if it is empty."""
    alone = board & (~board + 1)
    return jnp.where(board == 0, DEAD, 31 - lax.clz(jnp.maximum(alone, 1)).astype(jnp.int32))


def _seen_from_there(squares: Array) -> Array:
    """Squares as the other side sees them, `int32[...]`."""
    return jnp.where(squares == DEAD, DEAD, SQUARES - 1 - squares)
