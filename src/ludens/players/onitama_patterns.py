"""Onitama by patterns: what a position is worth is a sum of table entries, as its mover sees it.

Every square is in one of twenty states: empty or with a student or a master of either side, and whether each side
attacks it with the cards in its hand. Three squares in a line make an entry, two rows of three (pieces alone) another;
the rest are what each card means to the two masters, what a pair of cards means to a master, which cards are held
against which, how many students are left and attacked, and how many squares each side attacks.

A value is the result to be expected: tanh of the sum. Left and right are exchanged by the game's one symmetry, cards
becoming their mirror images, and learning keeps the entries of both equal.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.types import Array
from ludens.games.onitama import State, reached
from ludens.players.pattern_tables import PatternTables

CARDS, SQUARES, PIECES = 16, 25, 5
"""Of which there are so many; a square without a piece counts as one kind of them."""
STATES = 4 * PIECES
"""Of a square, attacks counted in."""
PAIRS = CARDS * CARDS
MASTERS = SQUARES**2
MOST_SQUARES = 20  # attacked by one side that make a difference


class Board(NamedTuple):
    """What tables are read by, everything `uint32`: a `State` in single words."""

    own_students: Array
    own_master: Array
    opp_students: Array
    opp_master: Array
    own_cards: tuple[Array, Array]
    opp_cards: tuple[Array, Array]
    side_card: Array


@dataclass(frozen=True)
class OnitamaTables(PatternTables[State]):
    unit: ClassVar[int] = 4096
    largest_error: ClassVar[int] = 2
    meetings: ClassVar[int] = 4

    @property
    def entries_of_a_phase(self) -> int:
        return int(_SIZES.sum())

    def board(self, s: State) -> Board:
        cards = [x.astype(jnp.uint32) for x in (*s.own_cards, *s.opp_cards, s.side_card)]
        boards = (s.own_students, s.own_master, s.opp_students, s.opp_master)
        return Board(*boards, (cards[0], cards[1]), (cards[2], cards[3]), cards[4])

    def entries(self, phases: int, boards: Board, *, mirrored: bool = False) -> Array:
        boards = self._mirror_images(boards) if mirrored else boards
        students = _count(boards.own_students) + _count(boards.opp_students)
        phase = students * phases // 9
        index: Array = jnp.concatenate(_parts(boards)).astype(jnp.int32)
        return index + jnp.asarray(_OFFSETS)[:, None] + phase.astype(jnp.int32) * self.entries_of_a_phase

    def _mirror_images(self, boards: Board) -> Board:
        own, opponent = (jnp.stack(cards, axis=1).astype(jnp.int32) for cards in (boards.own_cards, boards.opp_cards))
        side = boards.side_card.astype(jnp.int32)
        images = jax.vmap(lambda s: self.game.transform(s, 1))(State(*boards[:4], own, opponent, side, side * 0))
        mirrored: Board = jax.vmap(self.board)(images)
        return mirrored

    def plies(self, s: State) -> Array:
        """Pieces that are not at home any more: at least as many plies were played."""
        own, opponent = s.own_students | s.own_master, s.opp_students | s.opp_master
        return 10 - _count((own & 0b11111) | (opponent & 0b11111 << 20)).astype(jnp.int32)

    def value(self, total: Array) -> Array:
        return jnp.tanh(total)

    def outcome(self, s: State) -> Array:
        return self.game.returns(s)[self.game.player(s)]

    def result(self, value: Array) -> Array:
        return value


def _parts(boards: Board) -> list[Array]:
    """The entries of boards `[N]`, each counted from where its table begins, `uint32[I', N]` each; see `_SIZES`."""
    own, opponent = boards.own_students | boards.own_master, boards.opp_students | boards.opp_master
    by_own = reached(boards.own_cards[0], own) | reached(boards.own_cards[1], own)
    by_opponent = _by_opponent(boards.opp_cards[0], opponent) | _by_opponent(boards.opp_cards[1], opponent)

    def squares(board: Array) -> Array:
        return board >> np.arange(SQUARES, dtype=np.uint32)[:, None] & 1  # [25, N]

    pieces = squares(boards.own_students) + 2 * squares(boards.own_master)
    pieces = pieces + 3 * squares(boards.opp_students) + 4 * squares(boards.opp_master)
    states = pieces + PIECES * squares(by_own) + 2 * PIECES * squares(by_opponent)
    across, ahead = _groups(states, STATES, 1, 3), _groups(states, STATES, 3, 1)
    blocks = _groups(pieces, PIECES, 2, 3)

    own_at, opp_at = _square(boards.own_master), _square(boards.opp_master)
    masters = own_at * SQUARES + opp_at
    own_pair, opp_pair = (_number(cards, CARDS) for cards in (boards.own_cards, boards.opp_cards))
    cards = [*boards.own_cards, *boards.opp_cards, boards.side_card]
    attacked, attacks = by_opponent & boards.own_students, by_own & boards.opp_students
    hit = [attacked & ~by_own, attacked & by_own, attacks & ~by_opponent, attacks & by_opponent]
    counts = [_count(boards.own_students), _count(boards.opp_students)]
    in_check = (by_opponent & boards.own_master != 0).astype(jnp.uint32)
    balance = _number([*counts, *(jnp.minimum(_count(each), 2) for each in hit)], (5, 5, 3, 3, 3, 3)) * 2 + in_check
    reach = [jnp.minimum(_count(each), MOST_SQUARES) for each in (by_own & ~own, by_opponent & ~opponent)]
    return [
        across,
        ahead,
        blocks,
        jnp.stack([card * MASTERS + masters for card in cards]),
        jnp.stack([pair * SQUARES + at for pair in (own_pair, opp_pair) for at in (own_at, opp_at)]),
        (own_pair * PAIRS + opp_pair)[None],
        jnp.stack([pair * CARDS + boards.side_card for pair in (own_pair, opp_pair)]),
        balance[None],
        _number(reach, MOST_SQUARES + 1)[None],
    ]


_LINE, _BLOCK, _CARD, _PAIR = STATES**3, PIECES**6, CARDS * MASTERS, PAIRS * SQUARES
_SIZES = np.array(
    [_LINE] * 30  # three squares side by side in 15 places, and one behind the other
    + [_BLOCK] * 12  # two rows of three squares
    + [_CARD, 0, _CARD, 0, _CARD]  # two cards in one hand share a table
    + [_PAIR] * 4
    + [PAIRS**2, PAIRS * CARDS, PAIRS * CARDS]
    + [5 * 5 * 3**4 * 2, (MOST_SQUARES + 1) ** 2]
)
"""Entries of the tables of a phase, in the order of `_parts`; 0: the same table as the one before it."""
_OFFSETS: Any = np.where(_SIZES > 0, np.cumsum(_SIZES) - _SIZES, np.cumsum(_SIZES) - np.roll(_SIZES, 1)).astype(
    np.int32
)


def _by_opponent(card: Array, pieces: Array) -> Array:
    return reached(card, pieces, by_opponent=True)


def _groups(squares: Array, base: int, rows: int, columns: int) -> Array:
    """Squares `[25, N]` in groups of `rows` by `columns`, wherever one has room, each as a number, `[I', N]`."""
    board = squares.reshape(5, 5, -1)
    down, right = 6 - rows, 6 - columns  # places
    digits = [board[i : i + down, j : j + right] for i in range(rows) for j in range(columns)]
    return _number(digits, base).reshape(down * right, -1)


def _number(digits: Any, base: int | tuple[int, ...]) -> Array:
    """Digits `[N]` each, the most significant first, as one number."""
    bases = (base,) * len(digits) if isinstance(base, int) else base
    found: Array = digits[0]
    for digit, of in zip(digits[1:], bases[1:], strict=True):
        found = found * of + digit
    return found


def _square(board: Array) -> Array:
    """The square of the only piece on `board`; some square if there is none."""
    return jnp.minimum(lax.clz(jnp.uint32(1)) - lax.clz(board), SQUARES - 1)


def _count(board: Array) -> Array:
    return lax.population_count(board)
