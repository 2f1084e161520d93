"""The Royal Game of Ur: a race for all pieces over a board of twenty squares, eight of them shared.

Rules. Each side (first = seat 0, second = seat 1) brings its pieces from the start along its path of 14
squares and off the board. The first side's path is a4 a3 a2 a1, b1 to b8, a8 a7; the second side's is the
same with row c for row a. Path squares 1-4 and 13-14 are private, 5-12 (row b) are shared. A throw moves one
piece that many squares; leaving the board needs the exact throw. A square holds one piece: landing on an own
piece is not allowed, landing on an opponent's sends it back to its start. Whoever has no legal move passes;
nobody else may. The side with all its pieces home wins at once. Rosettes are path squares 4, 8 (the shared
b4) and 14. A capture gives no second turn.

Variants.
    rules="paper"   4 pieces, a throw is 1 or 2 with equal chance, rosettes give no second turn; a piece on b4
                    is safe: whoever would land on it goes on to b5, capturing an opponent there, and may not
                    if an own piece stands there.
    rules="finkel"  7 pieces, 4 binary dice (a throw of 0 passes), a rosette gives another turn, an opponent's
                    piece on b4 cannot be landed on.
    pieces          1 to 7 a side.
    dice            1 to 4 binary dice under finkel rules; under paper rules only 2, as its text has it.

Sources. S. Malhotra, G. Malik, "Solving Royal Game of Ur Using Reinforcement Learning", 2022; I. L. Finkel,
"On the rules for the Royal Game of Ur", in Ancient Board Games in Perspective, British Museum Press, 2007.

Actions (16): 0 enters a waiting piece, 1-14 moves the piece on that square of the mover's path, 15 passes.
In text `start-a3`, `b3-b5`, `a7-off`, `pass`; where a piece comes from is enough (`start` or `enter`, `b3`).

Chance (5): outcome `c` is a throw of `c`.

Observation, `float32[38]`, as `seat` sees it (the mover if not given):
    0-13    own pieces on path squares 1-14             28, 29   own pieces waiting and home, as shares
    14-27   the opponent's on its path squares 1-14     30, 31   the opponent's
    32-36   the throw, one-hot over 0-4; zeros while it is still to come
    37      1 if it is this seat's turn
"""

import re
from dataclasses import dataclass
from math import comb
from typing import ClassVar, NamedTuple, cast

import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.game import Game, choices, legal_actions, settle, where
from ludens.core.settings import setting
from ludens.core.types import Action, Array, Key

PASS = 15
NO_THROW = -1
SEATS = ("first", "second")
PATHS = tuple(
    ("start", *(row + n for n in "4321"), *("b" + n for n in "12345678"), row + "8", row + "7", "off") for row in "ac"
)
"""Names of path squares 0 (start) to 15 (off) for each seat."""

# Boards are words in which bit i is path square i; a move is a shift, bit 0 the start and bit 15 the way off.
_SQUARES = 0x7FFE  # 1-14
_SHARED = 0x1FE0  # 5-12
_REFUGE = 1 << 8  # b4
_ROSETTES = 1 << 4 | 1 << 8 | 1 << 14
_UP_TO_OFF = 0xFFFF  # 0-15


class State(NamedTuple):
    """A position as the side to move or throw sees it. Pieces neither on the board nor home are waiting."""

    own: Array
    """Path squares the mover's pieces stand on, bit `i` for square `i` in 1..14, `uint32[]`."""
    other: Array
    """The same for the opponent along its own path, `uint32[]`; bits 5-12 are the shared squares."""
    own_home: Array
    """The mover's pieces that are off the board, `int32[]`."""
    other_home: Array
    """The opponent's, `int32[]`; all of them once the game is over."""
    throw: Array
    """The throw to be played, 0..4, or -1 while it is still to come and once the game is over, `int32[]`."""
    turn: Array
    """Seat to move, `int32[]`; the loser once the game is over."""


@dataclass(frozen=True)
class Ur(Game[State]):
    """The Royal Game of Ur; the fields choose the variant."""

    id: ClassVar[str] = "ur"
    notation: ClassVar[str] = "a move such as start-a4, b3-b5 or a7-off, the square a piece stands on, or pass"
    turn_limit: ClassVar[int] = 2000
    can_undo: ClassVar[bool] = False
    num_chance: ClassVar[int] = 5

    rules: str = setting(
        "paper", "The paper's rules, or Finkel's with rosettes that give another turn.", choices=("paper", "finkel")
    )
    pieces: int | None = setting(None, "Pieces of each side: 4 in the paper's rules, 7 in Finkel's.", least=1, most=7)
    dice: int | None = setting(
        None, "Binary dice under Finkel's rules, as a rule 4; the paper's throw is 1 or 2.", least=1, most=4
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        # Filled in, so that equal games are equal however they were asked for.
        if self.pieces is None:
            object.__setattr__(self, "pieces", 4 if self.rules == "paper" else 7)
        if self.dice is None:
            object.__setattr__(self, "dice", 2 if self.rules == "paper" else 4)
        if self.rules == "paper" and self.dice != 2:
            raise ValueError(f"dice is {self.dice} in ur under paper rules: expected 2, its throw is 1 or 2")

    @property
    def num_players(self) -> int:
        return 2

    @property
    def num_actions(self) -> int:
        return PASS + 1

    @property
    def throws(self) -> tuple[float, ...]:
        """Probability of a throw of 0, 1, 2, 3, 4."""
        if self.rules == "paper":
            return (0.0, 0.5, 0.5, 0.0, 0.0)
        dice = cast(int, self.dice)
        return tuple(comb(dice, c) / 2**dice for c in range(self.num_chance))

    def init(self, key: Key) -> State:
        """All pieces waiting, the first side to play the throw just made."""
        none, zero = jnp.uint32(0), jnp.int32(0)
        return settle(self, State(none, none, zero, zero, jnp.int32(NO_THROW), zero), key)

    def player(self, s: State) -> Array:
        return s.turn

    def legal(self, s: State) -> Array:
        return ((self.options(s) >> jnp.arange(16, dtype=jnp.uint32)) & 1) != 0

    def _allows(self, s: State, a: Array) -> Array:
        return ((self.options(s) >> a.astype(jnp.uint32)) & 1) != 0

    def _apply(self, s: State, a: Array) -> State:
        landing = (a + s.throw).astype(jnp.uint32)
        if self.rules == "paper":
            landing = landing + ((landing == 8) & ((s.other & _REFUGE) != 0)).astype(jnp.uint32)
        passes = a == PASS
        origin = jnp.where(passes, 0, jnp.uint32(1) << a.astype(jnp.uint32))
        target = jnp.where(passes, 0, jnp.uint32(1) << landing)
        own = ((s.own & ~origin) | target) & _SQUARES
        other = s.other & ~(target & _SHARED)
        home = s.own_home + (target >> 15).astype(jnp.int32)
        due = jnp.int32(NO_THROW)
        passed_on = State(other, own, s.other_home, home, due, 1 - s.turn)
        if self.rules == "paper":
            return passed_on
        return where((target & _ROSETTES) != 0, State(own, other, home, s.other_home, due, s.turn), passed_on)

    def chance(self, s: State) -> Array:
        """Probabilities of the throws while one is still to come, `float32[5]`."""
        due = (s.throw == NO_THROW) & ~self.done(s)
        return jnp.where(due, np.array(self.throws, np.float32), 0.0).astype(jnp.float32)

    def roll(self, s: State, c: Action) -> State:
        return s._replace(throw=jnp.asarray(c, jnp.int32))

    def done(self, s: State) -> Array:
        """Whether the side that moved last has brought all its pieces home."""
        return s.other_home == cast(int, self.pieces)

    def returns(self, s: State) -> Array:
        """+1 for the side that is home, -1 for the other; `float32[2]`."""
        first = jnp.where(s.turn == 1, 1.0, -1.0)
        return jnp.where(self.done(s), jnp.stack([first, -first]), 0.0).astype(jnp.float32)

    def observe(self, s: State, seat: Array | int | None = None) -> Array:
        mine = jnp.bool_(True) if seat is None else s.turn == seat
        own, other = jnp.where(mine, s.own, s.other), jnp.where(mine, s.other, s.own)
        home = jnp.where(mine, s.own_home, s.other_home)
        other_home = jnp.where(mine, s.other_home, s.own_home)
        squares = jnp.arange(1, 15, dtype=jnp.uint32)
        counts = jnp.stack([self._waiting(own, home), home, self._waiting(other, other_home), other_home])
        features = (
            (own >> squares) & 1,
            (other >> squares) & 1,
            counts / jnp.float32(cast(int, self.pieces)),
            s.throw == jnp.arange(self.num_chance),
            mine[None],
        )
        return jnp.concatenate([feature.astype(jnp.float32) for feature in features])

    def options(self, s: State) -> Array:
        """Legal actions as bits, `uint32[]`: where pieces may move from, or else the pass."""
        throw = jnp.maximum(s.throw, 0).astype(jnp.uint32)
        refuge = s.other & _REFUGE
        # Under paper rules whoever would land on the refuge goes one further, where an own piece may stand.
        closed = s.own | (refuge & (s.own >> 1) if self.rules == "paper" else refuge)
        sources = s.own | (self._waiting(s.own, s.own_home) > 0).astype(jnp.uint32)
        moves = sources & ~(closed >> throw) & (jnp.uint32(_UP_TO_OFF) >> throw)
        moves = jnp.where(s.throw > 0, moves, 0)
        return jnp.where(s.throw == NO_THROW, 0, jnp.where(moves == 0, 1 << PASS, moves)).astype(jnp.uint32)

    def _waiting(self, board: Array, home: Array) -> Array:
        """Pieces that have not started: neither on `board` (`uint32[]`) nor `home`, `int32[]`."""
        return cast(int, self.pieces) - home - lax.population_count(board).astype(jnp.int32)

    # ------------------------------------------------------------------ text

    def name(self, a: Action, s: State) -> str:
        """`start-a4`, `b3-b5`, `a7-off` or `pass`; the target is `?` while the throw is still to come."""
        square, throw, path = int(a), int(s.throw), PATHS[int(s.turn)]
        if square == PASS:
            return "pass"
        landing = square + throw
        if self.rules == "paper" and landing == 8 and int(s.other) & _REFUGE:
            landing = 9
        return f"{path[square]}-{'?' if throw == NO_THROW else path[min(landing, PASS)]}"

    def parse(self, text: str, s: State) -> int:
        """The legal action that `text` names, in full or by where the piece comes from."""
        word = "".join(text.lower().split()).replace("enter", "start")
        for a in legal_actions(self, s):
            full = self.name(a, s)
            if word in (full, full.partition("-")[0]):
                return a
        raise ValueError(self.rejection(text, s))

    def show(self, s: State) -> str:
        """`first: waiting 2 on a3 b4 home 0; second: waiting 4 home 0; turn first; throw 2` (`?`, `none`)."""
        turn, throw = int(s.turn), int(s.throw)
        sides = [(int(s.own), int(s.own_home)), (int(s.other), int(s.other_home))]
        parts = []
        for seat in (0, 1):
            board, home = sides[seat != turn]
            squares = [PATHS[seat][i] for i in range(1, 15) if board >> i & 1]
            waiting = cast(int, self.pieces) - home - len(squares)
            standing = " ".join(["", "on", *squares]) if squares else ""
            parts.append(f"{SEATS[seat]}: waiting {waiting}{standing} home {home}")
        thrown = str(throw) if throw != NO_THROW else "none" if bool(self.done(s)) else "?"
        return "; ".join([*parts, f"turn {SEATS[turn]}", f"throw {thrown}"])

    def read(self, text: str) -> State:
        """The position `show` writes; `waiting` may be left out, and so may `home` if it is 0."""
        parts = [" ".join(part.split()) for part in re.sub("[:,]", " ", text.lower()).split(";")]
        if len(parts) != 4:
            raise ValueError(
                f"'{text}' is not a position of ur: expected four parts such as "
                "'first: on a3 b4; second: on b2 home 1; turn first; throw 2'"
            )
        sides = [self._read_side(part, seat) for seat, part in enumerate(parts[:2])]
        boards, homes = zip(*sides, strict=True)
        if both := [PATHS[0][i] for i in range(5, 13) if (boards[0] & boards[1]) >> i & 1]:
            raise ValueError(f"both sides stand on {both[0]}: expected one piece at most on a square")
        if parts[2] not in ("turn first", "turn second"):
            raise ValueError(f"'{parts[2]}' does not say who moves: expected 'turn first' or 'turn second'")
        turn = SEATS.index(parts[2].removeprefix("turn "))
        throw = self._read_throw(parts[3], homes, turn)
        own, other = jnp.uint32(boards[turn]), jnp.uint32(boards[1 - turn])
        own_home, other_home = jnp.int32(homes[turn]), jnp.int32(homes[1 - turn])
        return State(own, other, own_home, other_home, jnp.int32(throw), jnp.int32(turn))

    def _read_side(self, part: str, seat: int) -> tuple[int, int]:
        """One side's squares as bits and its pieces home."""
        count = "([0-9]{1,3})"
        form = f"{SEATS[seat]}(?: waiting {count})?(?: on((?: [^ ]+)*?))?(?: home {count})?"
        found = re.fullmatch(form, part)
        if found is None:
            raise ValueError(
                f"'{part}' does not describe the {SEATS[seat]} side: expected its name and squares, such as "
                f"'{SEATS[seat]}: waiting 2 on {PATHS[seat][2]} b4 home 0'"
            )
        board, path = 0, PATHS[seat][1:15]
        for square in (found[2] or "").split():
            if square not in path:
                raise ValueError(f"'{square}' is not on the {SEATS[seat]} side's path: expected {choices(list(path))}")
            bit = 2 << path.index(square)
            if board & bit:
                raise ValueError(f"the {SEATS[seat]} side has {square} twice: expected one piece on a square")
            board |= bit
        pieces, home, standing = cast(int, self.pieces), int(found[3] or 0), board.bit_count()
        waiting = max(0, pieces - standing - home) if found[1] is None else int(found[1])
        if waiting + standing + home != pieces:
            raise ValueError(
                f"the {SEATS[seat]} side has {waiting} waiting, {standing} on the board and {home} home: "
                f"expected {pieces} in all"
            )
        return board, home

    def _read_throw(self, part: str, homes: tuple[int, ...], turn: int) -> int:
        """The throw in `part`, checked against who has already won."""
        over = [SEATS[seat] for seat in (0, 1) if homes[seat] == self.pieces]
        if len(over) == 2:
            raise ValueError("both sides have all their pieces home: expected one side at most")
        if over == [SEATS[turn]]:
            raise ValueError(f"the {over[0]} side has won and is to move: expected the loser to be to move")
        possible = [str(c) for c, share in enumerate(self.throws) if share > 0]
        allowed = ["none"] if over else [*possible, "?"]
        thrown = part.removeprefix("throw ")
        if thrown == part or thrown not in allowed:
            raise ValueError(f"'{part}' is not possible here: expected throw and then {choices(allowed)}")
        return int(thrown) if thrown in possible else NO_THROW


# ---------------------------------------------------------------------- the paper's rewards, beside the rules

WIN = 100.0
CAPTURE = 10.0
REFUGE = 20.0
"""For landing on b4, where a piece on the shared row is safe."""
WAR = -1.0
"""For landing anywhere else on the shared row, captures included: the piece may be sent back."""


def paper_reward(game: Ur, s: State, a: Action, t: State) -> Array:
    """What the move from `s` to `t` earns each seat (Malhotra and Malik 2022, section 3.4), `float32[2]`.

    The mover collects, the other side gets nothing. Points add up, so a capture counts 10 - 1. Losing costs nothing.
    """
    same = t.turn == s.turn
    own, other = jnp.where(same, t.own, t.other), jnp.where(same, t.other, t.own)
    landed = own & ~s.own
    earned = (
        WIN * game.done(t)
        + CAPTURE * (other != s.other)
        + REFUGE * (landed & _REFUGE != 0)
        + WAR * (landed & (_SHARED & ~_REFUGE) != 0)
    )
    return jnp.where(jnp.arange(2) == s.turn, earned, 0.0).astype(jnp.float32)
