"""Onitama: a board of 5x5, five pieces a side, and five cards that say how pieces move and change hands.

Rules: the Onitama rule book, quoted in the appendix of the report that `ludens.papers` reproduces. Each side
has a master, who starts on his temple (the middle of the home row), and four students. Each side holds two
cards and one lies aside; the stamp on the card aside says who starts. A turn: choose a card and a piece, move
the piece by one of the card's offsets to a square of the board without an own piece, capturing what stands
there, then swap the card with the one aside. Capturing the master, or bringing the own master to the other
temple, wins at once (the card that won is not swapped). Who cannot move any piece still swaps a card: a pass.

Variants: `Onitama()` deals five of all sixteen cards; `Onitama(cards=(five names))` deals those five to the
five places. The report plays with `dragon, elephant, goose, rooster, monkey`.

Seats: 0 is blue, 1 is red. The state is the mover's view: square `row * 5 + col`, row 0 is the mover's home
row, col 0 its left; the board is turned by 180 degrees between turns.

Actions, `A = 202`, squares as the mover sees them, cards in the order of `State.own_cards`:

    from * 8 + slot * 4 + k    the piece on `from` moves by offset `k` of the card in `slot` (0 or 1)
    200 + slot                 pass, giving away the card in `slot`; only if no piece can move

Observation, `bool[9, 5, 5]`, `[plane, row, col]` as the seat sees the board:

    0 own students   1 own master   2 opponent's students   3 opponent's master
    4, 5 own cards   6, 7 opponent's cards   8 card aside

A card's plane shows where it leads from the middle square, the opponent's turned as they act upon this board.
No two cards look alike, so the planes name the cards.

Text: files a-e from blue's left, ranks 1-5 from blue's home row. Moves are `boar a1a2` and `boar pass`. A
position is the ranks from 5 to 1 (students `b r`, masters `B R`, digits for empty squares), the cards and the
side to move, as in `EXAMPLE`. Once a game is over, the loser is to move.
"""

import re
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.bits import spread
from ludens.core.game import Game, where
from ludens.core.settings import setting
from ludens.core.types import Action, Array, Key
from ludens.games.onitama_text import dealt, read_board, square

CARDS: dict[str, tuple[str, tuple[tuple[int, int], ...]]] = {
    "tiger": ("blue", ((0, 2), (0, -1))),
    "dragon": ("red", ((-2, 1), (2, 1), (-1, -1), (1, -1))),
    "frog": ("red", ((-2, 0), (-1, 1), (1, -1))),
    "rabbit": ("blue", ((2, 0), (1, 1), (-1, -1))),
    "crab": ("blue", ((0, 1), (-2, 0), (2, 0))),
    "elephant": ("red", ((-1, 0), (1, 0), (-1, 1), (1, 1))),
    "goose": ("blue", ((-1, 0), (-1, 1), (1, 0), (1, -1))),
    "rooster": ("red", ((-1, 0), (-1, -1), (1, 0), (1, 1))),
    "monkey": ("blue", ((-1, 1), (1, 1), (-1, -1), (1, -1))),
    "mantis": ("red", ((-1, 1), (1, 1), (0, -1))),
    "horse": ("red", ((0, 1), (-1, 0), (0, -1))),
    "ox": ("blue", ((0, 1), (1, 0), (0, -1))),
    "crane": ("blue", ((0, 1), (-1, -1), (1, -1))),
    "boar": ("red", ((0, 1), (-1, 0), (1, 0))),
    "eel": ("blue", ((-1, 1), (-1, -1), (1, 0))),
    "cobra": ("red", ((1, 1), (1, -1), (-1, 0))),
}
"""Each card's stamp and its offsets (right, forward) as the mover sees them; its index is its place here."""

NAMES = tuple(CARDS)
SIDES = ("blue", "red")
EXAMPLE = "rrRrr/5/5/5/bbBbb blue ox,boar red elephant,horse side crab turn blue"

_SQUARES = 25
_BOARD = (1 << _SQUARES) - 1
_TEMPLE, _OTHER_TEMPLE = 1 << 2, 1 << 22
_FIRST_PASS = 8 * _SQUARES
_EVERY_ROW = 0x108421  # times a row of five bits: that row on every row of the board
_BIAS = 6  # offsets lead 6 squares down to 10 up: a square of the board + offset + bias is within 0..30


def _codes(offsets: tuple[tuple[int, int], ...]) -> int:
    """Up to four offsets in one word, 8 bits each: 5 for the step between squares + bias, 3 for `right + 2`.

    What fills the word up has a `right` for which no column has room.
    """
    codes = [(right + 2) << 5 | 5 * forward + right + _BIAS for right, forward in offsets] + 4 * [7 << 5]
    return sum(code << 8 * k for k, code in enumerate(codes[:4]))


def _pattern(offsets: tuple[tuple[int, int], ...]) -> int:
    """The squares that a card leads to from the middle of the board."""
    return sum(1 << 5 * (2 + forward) + 2 + right for right, forward in offsets)


_CODES = np.array([_codes(offsets) for _, offsets in CARDS.values()], np.uint32)
_PATTERNS = np.array([_pattern(offsets) for _, offsets in CARDS.values()], np.uint32)
_RED_STAMPS = sum(1 << card for card, (stamp, _) in enumerate(CARDS.values()) if stamp == "red")


def _mirror_images() -> tuple[np.ndarray, np.ndarray]:
    """Each card's mirror image, `int32[16]`, and which of its offsets mirrors each offset, `int32[16, 4]`."""
    offsets = [tuple(offsets) for _, offsets in CARDS.values()]
    flipped = [tuple((-right, forward) for right, forward in each) for each in offsets]
    images = [next(i for i, other in enumerate(offsets) if set(other) == set(each)) for each in flipped]
    places = [[offsets[i].index(each) for each in card] for i, card in zip(images, flipped, strict=True)]
    padded = [place + list(range(len(place), 4)) for place in places]
    return np.array(images, np.int32), np.array(padded, np.int32)


_MIRRORED, _MIRRORED_OFFSETS = _mirror_images()


class State(NamedTuple):
    """A position as the mover sees it. Boards have bit `row * 5 + col` set where a piece stands."""

    own_students: Array
    """The mover's students, `uint32[]`."""
    own_master: Array
    """The mover's master, `uint32[]`; 0 once captured."""
    opp_students: Array
    """The opponent's students, `uint32[]`."""
    opp_master: Array
    """The opponent's master, `uint32[]`."""
    own_cards: Array
    """The mover's cards, indices into `NAMES` in ascending order, `int32[2]`."""
    opp_cards: Array
    """The opponent's cards in ascending order, `int32[2]`."""
    side_card: Array
    """The card aside, `int32[]`."""
    turn: Array
    """The mover: 0 blue, 1 red, `int32[]`. Once the game is over, the loser."""


@dataclass(frozen=True)
class Onitama(Game[State]):
    """Onitama with five cards dealt from all sixteen, or with the five that `cards` names."""

    id: ClassVar[str] = "onitama"
    notation: ClassVar[str] = "a card and two squares such as 'boar a1a2', or 'boar pass'"
    turn_limit: ClassVar[int] = 200

    cards: tuple[str, ...] = setting((), "The five cards in play; none chosen: five are dealt anew.", choices=NAMES)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "cards", tuple(self.cards))
        for card in self.cards:
            if self.cards.count(card) > 1:
                raise ValueError(f"the card '{card}' is named twice: expected five different cards")
        if len(self.cards) not in (0, 5):
            raise ValueError(f"onitama needs five cards, not {len(self.cards)}: expected five names or none")

    @property
    def num_players(self) -> int:
        return 2

    @property
    def num_actions(self) -> int:
        return _FIRST_PASS + 2

    def init(self, key: Key) -> State:
        """Deal five cards; whoever has the colour of the one aside starts."""
        deck = np.array([NAMES.index(card) for card in self.cards or NAMES], np.int32)
        noise = jax.random.bits(key, (5,), jnp.uint32) >> 4
        # A shuffle cut short after five swaps, place i with one of the places i, i + 1, ... A card is found
        # by following its place back through the swaps, so the shuffled deck itself is never made.
        swaps: list[Array] = []
        places: list[Array] = []
        for i in range(5):
            swaps.append(i + (noise[i] * (len(deck) - i) >> 28).astype(jnp.int32))
            place = swaps[i]
            for j in reversed(range(i)):
                place = jnp.where(place == swaps[j], j, place)
            places.append(place)
        own, own_too, opp, opp_too, aside = jnp.asarray(deck)[jnp.stack(places)]
        students, master = jnp.uint32(0b11011), jnp.uint32(_TEMPLE)
        boards = students, master, turned(students), turned(master)
        turn = jnp.int32(_RED_STAMPS) >> aside & 1
        return State(*boards, _pair(own, own_too), _pair(opp, opp_too), aside, turn)

    def player(self, s: State) -> Array:
        return s.turn

    def legal(self, s: State) -> Array:
        actions = jnp.arange(self.num_actions, dtype=jnp.uint32)
        return spread(tuple(_origins(s)), actions % 8, actions // 8)

    def noisy(self, s: State) -> Array:
        """Captures, and the master's step into the other temple."""
        actions = jnp.arange(self.num_actions, dtype=jnp.uint32)
        return spread(tuple(_noisy_origins(s)), actions % 8, actions // 8)

    def is_noisy(self, s: State) -> Array:
        return (_noisy_origins(s) != 0).any()

    def _allows(self, s: State, a: Array) -> Array:
        here = _origins(s) >> (a >> 3).astype(jnp.uint32) & 1 != 0
        return (here & (jnp.arange(8) == a & 7)).any()

    def _apply(self, s: State, a: Array) -> State:
        first = jnp.where(a < _FIRST_PASS, a & 4, a & 1) == 0
        used = jnp.where(first, s.own_cards[0], s.own_cards[1])
        kept = jnp.where(first, s.own_cards[1], s.own_cards[0])
        step = jnp.asarray(_CODES)[used] >> (8 * (a & 3)).astype(jnp.uint32) & 31
        start = jnp.uint32(1) << (a >> 3).astype(jnp.uint32) & _BOARD  # empty if this is a pass
        target = start << step >> _BIAS

        by_master = start == s.own_master
        students = jnp.where(by_master, s.own_students, s.own_students ^ start | target)
        master = jnp.where(by_master, target, s.own_master)
        opp_students, opp_master = s.opp_students & ~target, s.opp_master & ~target
        won = (opp_master == 0) | (master == _OTHER_TEMPLE)
        cards = jnp.where(won, s.own_cards, _pair(kept, s.side_card))
        aside = jnp.where(won, s.side_card, used)
        pieces = students, master, opp_students, opp_master
        return _other_side(State(*pieces, cards, s.opp_cards, aside, s.turn))

    def done(self, s: State) -> Array:
        return _lost(s)

    def returns(self, s: State) -> Array:
        """+1 for the winner, who made the last act, -1 for the loser, `float32[2]`."""
        result = jnp.where(jnp.arange(2) == s.turn, -1.0, 1.0)
        return jnp.where(self.done(s), result, 0.0).astype(jnp.float32)

    def observe(self, s: State, seat: Array | int | None = None) -> Array:
        """Pieces and cards as planes, `bool[9, 5, 5]`; see the top of this file."""
        if seat is not None:
            s = where(s.turn == seat, s, _other_side(s))
        patterns = jnp.asarray(_PATTERNS)
        boards = jnp.stack([s.own_students, s.own_master, s.opp_students, s.opp_master])
        cards = patterns[s.own_cards], turned(patterns[s.opp_cards]), patterns[s.side_card][None]
        squares = jnp.arange(_SQUARES, dtype=jnp.uint32)
        return (jnp.concatenate([boards, *cards])[:, None] >> squares & 1 != 0).reshape(9, 5, 5)

    @property
    def symmetries(self) -> int:
        """Left and right can be exchanged: every card is symmetric or has its mirror image among the sixteen."""
        return 2

    def transform(self, s: State, k: Array | int) -> State:
        mirror = jnp.asarray(_MIRRORED)
        mirrored = State(
            _mirrored(s.own_students),
            _mirrored(s.own_master),
            _mirrored(s.opp_students),
            _mirrored(s.opp_master),
            _pair(*mirror[s.own_cards]),
            _pair(*mirror[s.opp_cards]),
            mirror[s.side_card],
            s.turn,
        )
        return where(jnp.asarray(k) == 1, mirrored, s)

    def transform_action(self, s: State, a: Action, k: Array | int) -> Array:
        a = jnp.asarray(a, jnp.int32)
        passes = a >= _FIRST_PASS
        slot = jnp.where(passes, a - _FIRST_PASS, a >> 2 & 1)
        first, second = jnp.asarray(_MIRRORED)[s.own_cards]
        other_slot = jnp.where(first < second, slot, 1 - slot)
        square = a >> 3
        square = square - square % 5 + 4 - square % 5
        moved = square * 8 + other_slot * 4 + jnp.asarray(_MIRRORED_OFFSETS)[s.own_cards[slot], a & 3]
        return jnp.where(jnp.asarray(k) == 1, jnp.where(passes, _FIRST_PASS + other_slot, moved), a).astype(jnp.int32)

    # ------------------------------------------------------------------ text

    def name(self, a: Action, s: State) -> str:
        """`boar a1a2` (card, from, to) or `boar pass`."""
        a, turn = int(a), int(s.turn)
        if a >= _FIRST_PASS:
            return f"{NAMES[int(s.own_cards[a - _FIRST_PASS])]} pass"
        card, k = NAMES[int(s.own_cards[a >> 2 & 1])], a & 3
        row, col = divmod(a >> 3, 5)
        right, forward = dict(enumerate(CARDS[card][1])).get(k, (5, 5))
        if not (0 <= col + right < 5 and 0 <= row + forward < 5):
            raise ValueError(f"action {a} has no name: expected a move of {card} that stays on the board")
        return f"{card} {square(row, col, turn)}{square(row + forward, col + right, turn)}"

    def show(self, s: State) -> str:
        """One line such as `EXAMPLE`."""
        turn = int(s.turn)
        squares = ["1"] * _SQUARES
        for piece, pieces in zip(("bBrR", "rRbB")[turn], s[:4], strict=True):
            squares = [piece if int(pieces) >> i & 1 else other for i, other in enumerate(squares)]
        if turn == 1:
            squares.reverse()
        ranks = "/".join("".join(squares[5 * row : 5 * row + 5]) for row in (4, 3, 2, 1, 0))
        board = re.sub("1+", lambda empty: str(len(empty[0])), ranks)
        hands = [",".join(NAMES[int(card)] for card in pair) for pair in (s.own_cards, s.opp_cards)]
        aside = NAMES[int(s.side_card)]
        return f"{board} blue {hands[turn]} red {hands[1 - turn]} side {aside} turn {SIDES[turn]}"

    def read(self, text: str) -> State:
        """The position that `show` wrote or a person typed; only the letters on the board heed upper case."""
        tidy = re.sub(r"\s*/\s*", "/", " ".join(text.replace(",", " ").split()))
        form = r"(\S+) blue (\w+) (\w+) red (\w+) (\w+) side (\w+) turn (\w+)"
        match = re.fullmatch(form, tidy, re.IGNORECASE)
        if not match:
            raise ValueError(f"'{text}' is not a position of onitama: expected one such as '{EXAMPLE}'")
        *names, side = (word.lower() for word in match.groups()[1:])
        boards = read_board(match[1])
        cards = [NAMES.index(name) for name in dealt(names, self.cards or NAMES)]
        if side not in SIDES:
            raise ValueError(f"'{side}' cannot be to move: expected blue or red")
        if _winner(boards[1], boards[3]) == side:
            raise ValueError(f"{side} has won and cannot be to move: expected turn {SIDES[side == 'blue']}")
        hands = [sorted(cards[:2]), sorted(cards[2:4])]
        if side == "red":
            boards = [int(f"{board:025b}"[::-1], 2) for board in boards[2:] + boards[:2]]
            hands.reverse()
        numbers = *hands, cards[4], SIDES.index(side)
        arrays = [jnp.asarray(board, jnp.uint32) for board in boards]
        return State._make(arrays + [jnp.asarray(number, jnp.int32) for number in numbers])


def turned(board: Array) -> Array:
    """The board turned by 180 degrees: its 25 bits in reverse order. `uint32[...]`."""
    for width, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF)):
        board = board >> width & mask | (board & mask) << width
    return board >> (32 - _SQUARES)


def reached(card: Array, pieces: Array, *, by_opponent: bool = False) -> Array:
    """The squares to which `card` leads from those of `pieces`, whoever stands there; `uint32[...]` of one shape."""
    codes, found = jnp.asarray(_CODES)[card], jnp.zeros_like(pieces)
    for k in range(4):
        step, right = codes >> 8 * k & 31, codes >> 8 * k + 5 & 7
        if by_opponent:  # turned: back by what is forward to the mover; fillers wrap and have no room either
            found = found | (pieces & _room(4 - right)) << _BIAS >> step
        else:
            found = found | (pieces & _room(right)) << step >> _BIAS
    return found & _BOARD


def _room(right: Array) -> Array:
    """Squares from whose column a step to the right, coded as in `_codes`, leads to a column, `uint32[...]`."""
    squares: Array = (jnp.uint32(0b1111100) >> right & 31) * _EVERY_ROW
    return squares


def _mirrored(board: Array) -> Array:
    """The board with its columns in reverse order, `uint32[...]`."""
    columns = [(board >> col & _EVERY_ROW) << 4 - col for col in range(5)]
    return reduce(or_, columns).astype(jnp.uint32)


def _pair(x: Array, y: Array) -> Array:
    """Two cards in ascending order, `int32[2]`."""
    return jnp.stack([jnp.minimum(x, y), jnp.maximum(x, y)])


def _origins(s: State) -> Array:
    """For each slot and offset the squares whose piece can move by it, `uint32[8]`; none if the game is over.

    Who cannot move finds square 25 set in the first two words: those are the passes.
    """
    own = s.own_students | s.own_master
    moves = _from(s, own, ~own & _BOARD)
    passes = jnp.where(jnp.arange(8) < 2, jnp.uint32(1 << _SQUARES), 0)
    return jnp.where(_lost(s), 0, jnp.where((moves != 0).any(), moves, passes)).astype(jnp.uint32)


def _noisy_origins(s: State) -> Array:
    """As `_origins`, for captures and the master's step into the other temple, `uint32[8]`."""
    captures = _from(s, s.own_students | s.own_master, s.opp_students | s.opp_master)
    words = captures | _from(s, s.own_master, jnp.uint32(_OTHER_TEMPLE))
    return jnp.where(_lost(s), 0, words).astype(jnp.uint32)


def _from(s: State, pieces: Array, targets: Array) -> Array:
    """For each slot and offset the squares of `pieces` from which it leads to one of `targets`, `uint32[8]`."""
    codes = (jnp.asarray(_CODES)[s.own_cards][:, None] >> jnp.arange(0, 32, 8, dtype=jnp.uint32)).reshape(8)
    step, right = codes & 31, codes >> 5 & 7
    origins: Array = pieces & _room(right) & targets << _BIAS >> step
    return origins


def _lost(s: State) -> Array:
    """Whether the mover's master is captured, or the opponent's on the mover's temple, `bool[]`."""
    return (s.own_master == 0) | (s.opp_master == _TEMPLE)


def _other_side(s: State) -> State:
    """The position as the other side sees it, with that side to move."""
    own_students, own_master = turned(s.opp_students), turned(s.opp_master)
    opp_students, opp_master = turned(s.own_students), turned(s.own_master)
    cards = s.opp_cards, s.own_cards, s.side_card
    return State(own_students, own_master, opp_students, opp_master, *cards, 1 - s.turn)


def _winner(blue_master: int, red_master: int) -> str | None:
    """Who has won on this board, if anybody; not both."""
    blue = red_master == 0 or blue_master == _OTHER_TEMPLE
    red = blue_master == 0 or red_master == _TEMPLE
    if blue and red:
        raise ValueError("both sides have won on this board: expected one winner or none")
    return "blue" if blue else "red" if red else None
