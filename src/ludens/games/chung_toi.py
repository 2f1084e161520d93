"""Chung Toi: three in a row with three pieces each that can only move along their arrows.

Rules. 3x3 board, white (seat 0) begins against red (seat 1). Each side has three octagonal pieces marked with
four arrows. First the sides take turns placing a piece on an empty square, cardinal (`+`, arrows along rank
and file) or diagonal (`x`). Once its three pieces are placed, a side moves one of them to an empty square in
line with its arrows, one or two steps away, and may turn it as it arrives; or it turns a piece where it
stands. A move follows the arrows as they point before the turn. Three own pieces in a row win at once, in
either phase. Turning a piece is always possible, so there is always a legal move.

Source. C. J. Gatti, J. D. Linton, M. J. Embrechts, "A brief tutorial on reinforcement learning: The game of
Chung Toi", ESANN 2011; its games of more than 100 moves are draws.

Variants. `hop=False`: two steps only over an empty square. `allow_pass=True`: some rule sheets let a piece be
turned and turned back, which is a pass; only once a side's pieces are all placed.

Squares are numbered a1 b1 c1 a2 b2 c2 a3 b3 c3 = 0..8; a1 is the bottom left.

Actions (163):
    (from * 9 + to) * 2 + o    from != to: move and end cardinal (o = 0) or diagonal (o = 1)
                               from == to: place a piece there, or turn the one that stands there, likewise
    162                        pass
In text `b2+` places (or turns) cardinal, `b2x` diagonal, `a1-c3x` moves and ends diagonal, `--` passes.

Observation, `float32[20]`, the paper's state vector, the same for both seats:
    0-8     +1 white piece, -1 red piece, 0 empty, for squares 0..8
    9-17    +1 cardinal piece, -1 diagonal piece, 0 empty
    18-19   1 0 if white is to move, 0 1 if red is
"""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.bits import square_symmetries
from ludens.core.game import Game
from ludens.core.settings import setting
from ludens.core.types import Action, Array, Key

PASS = 162
SEATS = ("white", "red")
SQUARES = tuple(file + rank for rank in "123" for file in "abc")
LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
"""The eight rows of three, one octal digit per rank."""

# A position is one word of facts, so that an action is legal if, under its mask, the word has its value.
_OWN, _TAKEN, _DIAGONAL = 0, 9, 18  # lowest bits of the mover's pieces, of all pieces, of the diagonal ones
_PLACING, _OVER = 1 << 27, 1 << 28
_NEVER = (0, 1)  # no word has this value under this mask


class State(NamedTuple):
    """A position as the side to move sees it. Bit `i` of a board is square `i`."""

    own: Array
    """Pieces of the side to move, `uint32[]`."""
    other: Array
    """Pieces of the other side, `uint32[]`; three in a row here mean that the game is over."""
    diagonal: Array
    """Those pieces of either side that point diagonally, `uint32[]`."""
    turn: Array
    """Seat to move, `int32[]`: 0 white, 1 red."""


@dataclass(frozen=True)
class ChungToi(Game[State]):
    """Chung Toi; the fields choose the variant."""

    id: ClassVar[str] = "chung-toi"
    notation: ClassVar[str] = "a placement or turn such as b2+ or b2x, a move such as a1-c3x, or --"
    turn_limit: ClassVar[int] = 100

    hop: bool = setting(True, "A piece may move two squares over another piece.")
    allow_pass: bool = setting(False, "A side that has placed all its pieces may pass.")

    @property
    def num_players(self) -> int:
        return 2

    @property
    def num_actions(self) -> int:
        return PASS + 1

    def init(self, key: Key) -> State:
        empty = jnp.uint32(0)
        return State(own=empty, other=empty, diagonal=empty, turn=jnp.int32(0))

    def player(self, s: State) -> Array:
        return s.turn

    def legal(self, s: State) -> Array:
        return _holds(_facts(s), jnp.asarray(_conditions(self.hop, self.allow_pass)))

    def _allows(self, s: State, a: Array) -> Array:
        return _holds(_facts(s), jnp.asarray(_conditions(self.hop, self.allow_pass))[:, a])

    def _apply(self, s: State, a: Array) -> State:
        passes = a == PASS
        origin = jnp.where(passes, 0, jnp.uint32(1) << (a // 18).astype(jnp.uint32))
        target = jnp.where(passes, 0, jnp.uint32(1) << (a // 2 % 9).astype(jnp.uint32))
        turned = jnp.where(a % 2 == 1, target, 0)
        # Placing and turning have origin = target, so one line serves all three kinds.
        return State(
            own=s.other,
            other=(s.own & ~origin) | target,
            diagonal=(s.diagonal & ~origin) | turned,
            turn=1 - s.turn,
        )

    def done(self, s: State) -> Array:
        return _has_line(s.other)

    def returns(self, s: State) -> Array:
        """+1 for the side with three in a row, -1 for the other; `float32[2]`."""
        white = jnp.where(s.turn == 1, 1.0, -1.0)
        return jnp.where(self.done(s), jnp.stack([white, -white]), 0.0).astype(jnp.float32)

    def observe(self, s: State, seat: Array | int | None = None) -> Array:
        """The paper's state vector, `float32[20]`; absolute, so every seat sees the same."""
        white, red = jnp.where(s.turn == 0, s.own, s.other), jnp.where(s.turn == 0, s.other, s.own)
        colours = _spread(white) - _spread(red)
        orientations = _spread(white | red) - 2 * _spread(s.diagonal)
        to_move = jnp.stack([1 - s.turn, s.turn])
        return jnp.concatenate([colours, orientations, to_move]).astype(jnp.float32)

    @property
    def symmetries(self) -> int:
        """The board can be turned and mirrored in eight ways; arrows stay cardinal or diagonal."""
        return 8

    def transform(self, s: State, k: Array | int) -> State:
        goes_to = jnp.asarray(square_symmetries(3))[k].astype(jnp.uint32)
        squares = jnp.arange(9, dtype=jnp.uint32)

        def turned(board: Array) -> Array:
            return ((board >> squares & 1) << goes_to).sum(dtype=jnp.uint32)

        return State(turned(s.own), turned(s.other), turned(s.diagonal), s.turn)

    def transform_action(self, s: State, a: Action, k: Array | int) -> Array:
        goes_to, a = jnp.asarray(square_symmetries(3))[k], jnp.asarray(a, jnp.int32)
        origin, target = jnp.minimum(a // 18, 8), a // 2 % 9
        return jnp.where(a == PASS, PASS, (goes_to[origin] * 9 + goes_to[target]) * 2 + a % 2).astype(jnp.int32)

    # ------------------------------------------------------------------ text

    def name(self, a: Action, s: State) -> str:
        """`b2+`, `a1-c3x`, `a1x` or `--`."""
        if int(a) == PASS:
            return "--"
        pair, turned = divmod(int(a), 2)
        origin, target = divmod(pair, 9)
        start = "" if origin == target else SQUARES[origin] + "-"
        return start + SQUARES[target] + "+x"[turned]

    def parse(self, text: str, s: State) -> int:
        """The legal action that `text` names; `pass` is another way to write `--`."""
        if text.strip().lower() == "pass" and bool(self.legal(s)[PASS]):
            return PASS
        return super().parse(text, s)

    def show(self, s: State) -> str:
        """Ranks 3 to 1, two characters a square, and the side to move: `W+--Rx/--R+--/----Wx turn white`."""
        white, red = (s.own, s.other) if int(s.turn) == 0 else (s.other, s.own)
        boards = {"W": int(white), "R": int(red)}
        diagonal = int(s.diagonal)

        def cell(square: int) -> str:
            colours = [colour for colour, board in boards.items() if board >> square & 1]
            return colours[0] + "+x"[diagonal >> square & 1] if colours else "--"

        ranks = ["".join(cell(3 * rank + file) for file in range(3)) for rank in (2, 1, 0)]
        return f"{'/'.join(ranks)} turn {SEATS[int(s.turn)]}"

    def read(self, text: str) -> State:
        """The position `show` writes; spaces between squares and small letters are welcome."""
        board, turn, seat = text.lower().partition("turn")
        seat = seat.strip()
        if not turn or seat not in SEATS:
            raise ValueError(f"'{text}' does not say who moves: expected it to end 'turn white' or 'turn red'")
        ranks = "".join(board.split()).split("/")
        if len(ranks) != 3 or any(len(rank) != 6 for rank in ranks):
            raise ValueError(
                f"'{board.strip()}' is not a board of chung-toi: expected three ranks of three squares, "
                "two characters a square, such as W+--Rx/------/------"
            )
        cells = [rank[2 * file : 2 * file + 2] for rank in reversed(ranks) for file in range(3)]
        for square, cell in zip(SQUARES, cells, strict=True):
            if cell not in ("w+", "wx", "r+", "rx", "--"):
                raise ValueError(f"'{cell}' cannot stand on {square}: expected W+, Wx, R+, Rx or --")
        white, red = (sum(1 << i for i in range(9) if cells[i][0] == colour) for colour in "wr")
        diagonal = sum(1 << i for i in range(9) if cells[i][1] == "x")
        own, other = (white, red) if seat == "white" else (red, white)
        _check_possible(white, red, seat)
        return State(jnp.uint32(own), jnp.uint32(other), jnp.uint32(diagonal), jnp.int32(SEATS.index(seat)))


def _facts(s: State) -> Array:
    """Everything legality depends on in one word, `uint32[]`."""
    placing = jnp.where(lax.population_count(s.own) < 3, jnp.uint32(_PLACING), 0)
    over = jnp.where(_has_line(s.other), jnp.uint32(_OVER), 0)
    boards = s.own << _OWN | (s.own | s.other) << _TAKEN | s.diagonal << _DIAGONAL
    return boards | placing | over


@cache
def _conditions(hop: bool, allow_pass: bool) -> np.ndarray:
    """Mask and value of the facts for placing, then for moving, turning and passing: `uint32[4, 163]`."""
    place, move = [_NEVER] * (PASS + 1), [_NEVER] * (PASS + 1)
    for origin in range(9):
        for target in range(9):
            across, up = target % 3 - origin % 3, target // 3 - origin // 3
            cardinal, diagonal = across == 0 or up == 0, abs(across) == abs(up)
            for turned in (0, 1):
                a = (origin * 9 + target) * 2 + turned
                own, points = 1 << (_OWN + origin), 1 << (_DIAGONAL + origin)
                if origin == target:
                    place[a] = (_PLACING | _OVER | 1 << (_TAKEN + target), _PLACING)
                    move[a] = (_PLACING | _OVER | own | points, own | (0 if turned else points))
                elif cardinal or diagonal:
                    empty = 1 << (_TAKEN + target)
                    if not hop and max(abs(across), abs(up)) == 2:
                        empty |= 1 << (_TAKEN + (origin + target) // 2)
                    move[a] = (_PLACING | _OVER | own | points | empty, own | (points if diagonal else 0))
    if allow_pass:
        move[PASS] = (_PLACING | _OVER, 0)
    return np.concatenate([np.array(place, np.uint32).T, np.array(move, np.uint32).T])


def _holds(word: Array, conditions: Array) -> Array:
    """Whether the facts meet the conditions (`uint32[4, ...]`) to place or those to move, `bool[...]`."""
    places = (word & conditions[0]) == conditions[1]
    moves = (word & conditions[2]) == conditions[3]
    return places | moves


def _has_line(board: Array) -> Array:
    """Whether `board` (`uint32[]`) holds one of the eight lines, `bool[]`."""
    found = jnp.zeros_like(board, dtype=bool)
    for line in LINES:
        found = found | ((board & line) == line)
    return found


def _spread(board: Array) -> Array:
    """The nine squares of `board` (`uint32[]`) as numbers, `int32[9]`."""
    return ((board >> jnp.arange(9, dtype=jnp.uint32)) & 1).astype(jnp.int32)


def _check_possible(white: int, red: int, seat: str) -> None:
    """ValueError unless play can lead to these pieces with `seat` to move."""
    whites, reds = white.bit_count(), red.bit_count()
    if max(whites, reds) > 3:
        raise ValueError(f"{whites} white and {reds} red pieces are too many: expected at most three a side")
    if whites != (reds if seat == "white" else min(reds + 1, 3)):
        raise ValueError(
            f"{whites} white and {reds} red pieces cannot stand with {seat} to move: "
            "expected as many white as red, or one more when red is still to place"
        )
    sides = zip(SEATS, (white, red), strict=True)
    lined = [name for name, board in sides if any(board & line == line for line in LINES)]
    if len(lined) == 2:
        raise ValueError("both sides have three in a row: expected one at most, since the first wins at once")
    if lined == [seat]:
        raise ValueError(f"{seat} has three in a row and is to move: expected the loser to be to move")
