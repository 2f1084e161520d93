"""Othello (Reversi) on a board of 4, 6 or 8 squares a side.

Rules: a disc must be placed so that it closes at least one straight line of the opponent's discs between itself and
another own disc; all discs so closed in are turned over. Who cannot place must pass; the game ends at once when
neither side can place, and the side with more discs wins. Black (seat 0) starts.

Start, as in van Eck and van Wezel 2008 and in tournament play: black on d5 and e4, white on d4 and e5 (shifted to the
middle of smaller boards). Sizes 4 and 6 are the same game with fewer squares.

Actions (n = size): 0 .. n*n-1 place on that square, row by row from a1 (a1, b1, ..., h8); n*n passes, which is legal
only when no disc can be placed.

Observation: `bool[2, n, n]`, the discs of the seat that looks and those of its opponent.

Text: moves `f5` and `pass`; a position is n*n characters `X` (black), `O` (white), `-` row by row from a1, then the
side to move, `X` or `O`. Whole games are in `othello_text.py`.
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.batching import once
from ludens.core.bits import Bits, bits, one_bit, pack, planes, square_symmetries, to_int, unpack
from ludens.core.game import Game, where
from ludens.core.settings import setting
from ludens.core.types import Action, Array, Key

SIZES = (4, 6, 8)
SYMBOLS = "XO"


class State(NamedTuple):
    """A position, seen by the side to move."""

    own: Bits
    """Discs of the side to move, `uint32[]` twice; square i is bit i."""
    opponent: Bits
    """Discs of the other side."""
    moves: Bits
    """Squares where the side to move can place. Derived, but kept: every `apply` needs it to tell whether the game
    goes on, and recomputing it to check the next action would cost a quarter of the speed."""
    turn: Array
    """Seat to move, `uint8[]`: 0 black, 1 white."""
    over: Array
    """Whether neither side can place, `bool[]`."""


@dataclass(frozen=True)
class Othello(Game[State]):
    """Othello; `size` squares a side."""

    id: ClassVar[str] = "othello"
    notation: ClassVar[str] = "a square such as f5, or pass"
    turn_limit: ClassVar[int] = 128

    size: int = setting(8, "Squares a side; 4 is solved.", choices=SIZES)

    @property
    def num_players(self) -> int:
        return 2

    @property
    def num_actions(self) -> int:
        return self.size**2 + 1

    def init(self, key: Key) -> State:
        low, high = self.size // 2 - 1, self.size // 2
        white = bits(1 << (low * self.size + low) | 1 << (high * self.size + high))
        black = bits(1 << (low * self.size + high) | 1 << (high * self.size + low))
        return _position(black, white, jnp.uint8(0), size=self.size)

    def player(self, s: State) -> Array:
        return s.turn.astype(jnp.int32)

    def legal(self, s: State) -> Array:
        """Squares that turn something over; pass if there are none and the game is on."""
        must_pass = ~s.moves.any() & ~s.over
        words = [s.moves.lo, s.moves.hi, jnp.uint32(0)]
        words[self.size**2 // 32] |= must_pass.astype(jnp.uint32) << (self.size**2 % 32)
        return unpack(tuple(words), self.size**2 + 1)

    def _allows(self, s: State, a: Array) -> Array:
        """One bit instead of the whole mask."""
        passes = (a == self.size**2) & ~s.moves.any() & ~s.over
        return passes | (s.moves & one_bit(jnp.where(a < self.size**2, a, 64))).any()

    def _apply(self, s: State, a: Array) -> State:
        """Place and turn over, or pass; then look who can go on."""
        placed = one_bit(jnp.where(a < self.size**2, a, 64))
        flipped = once(partial(flips, size=self.size))(placed, s.own, s.opponent)
        return _position(s.opponent & ~flipped, s.own | placed | flipped, jnp.uint8(1) - s.turn, size=self.size)

    def done(self, s: State) -> Array:
        return s.over

    def returns(self, s: State) -> Array:
        """+1 for the side with more discs, -1 for the other, 0 for as many."""
        lead = jnp.sign(s.own.total() - s.opponent.total()).astype(jnp.float32)
        black = jnp.where(s.turn == 0, lead, -lead)
        return jnp.where(s.over, jnp.stack([black, -black]), 0.0)

    def observe(self, s: State, seat: Array | int | None = None) -> Array:
        """Own discs and the opponent's, `bool[2, size, size]`."""
        mine = True if seat is None else jnp.asarray(seat) == s.turn
        first, second = where(mine, (s.own, s.opponent), (s.opponent, s.own))
        return planes((first, second), self.size**2).reshape(2, self.size, self.size)

    @property
    def symmetries(self) -> int:
        """The board can be turned and mirrored in eight ways."""
        return 8

    def transform(self, s: State, k: Array | int) -> State:
        comes_from = jnp.asarray(square_symmetries(self.size).argsort(axis=1))[k]
        boards = planes((s.own, s.opponent, s.moves), self.size**2)[:, comes_from]
        own, opponent, moves = (Bits(*pack(jnp.pad(board, (0, 64 - self.size**2)))) for board in boards)
        return State(own, opponent, moves, s.turn, s.over)

    def transform_action(self, s: State, a: Action, k: Array | int) -> Array:
        goes_to = jnp.pad(jnp.asarray(square_symmetries(self.size)), ((0, 0), (0, 1)), constant_values=self.size**2)
        return goes_to[k, jnp.asarray(a)].astype(jnp.int32)

    # ------------------------------------------------------------------ text

    def name(self, a: Action, s: State) -> str:
        """`f5` or `pass`."""
        row, column = divmod(int(a), self.size)
        return "pass" if int(a) == self.size**2 else f"{'abcdefgh'[column]}{row + 1}"

    def show(self, s: State) -> str:
        """`---------------------------OX------XO--------------------------- X`."""
        own, opponent, turn = to_int(s.own), to_int(s.opponent), int(s.turn)
        mine, theirs = SYMBOLS[turn], SYMBOLS[1 - turn]
        cells = (mine if own >> i & 1 else theirs if opponent >> i & 1 else "-" for i in range(self.size**2))
        return f"{''.join(cells)} {mine}"

    def read(self, text: str) -> State:
        """A position as `show` writes it; blanks between the squares and lower case are fine too."""
        squares = self.size**2
        letters = "".join(text.split()).upper().replace(".", "-")
        if len(letters) != squares + 1 or set(letters) - set("XO-"):
            raise ValueError(
                f"'{text}' is not a position of othello: expected {squares} characters X, O or - row by row from a1, "
                "then the side to move, X or O"
            )
        if letters[-1] not in SYMBOLS:
            raise ValueError(f"'{text}' does not say who moves: expected X or O after the {squares} squares")
        boards = [sum(1 << i for i, cell in enumerate(letters[:-1]) if cell == symbol) for symbol in SYMBOLS]
        turn = SYMBOLS.index(letters[-1])
        own, opponent = bits(boards[turn]), bits(boards[1 - turn])
        return State(*_compiled_position(own, opponent, jnp.uint8(turn), size=self.size))


def _position(own: Bits, opponent: Bits, turn: Array, *, size: int) -> State:
    """The state for these discs with `own` to move."""
    moves, alive = once(partial(_prospects, size=size))(own, opponent)
    return State(own, opponent, moves, turn, ~alive)


_compiled_position = jax.jit(_position, static_argnames="size")  # for `read`: hundreds of small operations


def _prospects(own: Bits, opponent: Bits, *, size: int) -> tuple[Bits, Array]:
    """Where `own` can place, and whether the game goes on: whether either side can."""
    mine, theirs = placements(own, opponent, size), placements(opponent, own, size)
    return mine, (mine | theirs).any()


def placements(own: Bits, opponent: Bits, size: int) -> Bits:
    """Squares where `own` can place: one step beyond every line of opponents that starts beside an own disc."""
    empty = ~(own | opponent) & bits((1 << size**2) - 1)
    found = bits(0)
    for step, inside in _directions(size):
        found = found | _line(own, opponent & inside, step, size).shift(step)
    return found & empty


def flips(placed: Bits, own: Bits, opponent: Bits, *, size: int) -> Bits:
    """Discs turned over by placing on `placed` (none if it is empty)."""
    turned = bits(0)
    for step, inside in _directions(size):
        line = _line(placed, opponent & inside, step, size)
        closed = (line.shift(step) & own).any()
        turned = turned | where(closed, line, bits(0))
    return turned


def _directions(size: int) -> list[tuple[int, Bits]]:
    """The eight directions: how far one step shifts a board, and which squares a line may run through.

    A line that is closed in never lies on the left or right edge unless it runs along it, so leaving these edges out
    of all other directions is all that keeps a shift from wrapping round.
    """
    everywhere = sum(1 << i for i in range(size**2))
    inner = sum(1 << i for i in range(size**2) if 0 < i % size < size - 1)
    return [
        (sign * step, bits(everywhere if step == size else inner))
        for step in (1, size - 1, size, size + 1)
        for sign in (1, -1)
    ]


def _line(start: Bits, between: Bits, step: int, size: int) -> Bits:
    """Unbroken lines of `between` that begin one step from `start`, up to the `size - 2` discs that can be closed in.

    The line grows by one step twice and then by two at a time.
    """
    line = start.shift(step) & between
    line = line | (line.shift(step) & between)
    doubled = between & between.shift(step)
    for _ in range(size // 2 - 2):
        line = line | (line.shift(2 * step) & doubled)
    return line
