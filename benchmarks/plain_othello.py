"""Othello and alpha-beta in plain Python, as one would write them without a framework: what `bench search` beats.

Boards are Python integers, bit `i` for square `i` from a1; a position is the mover's discs and the opponent's.
"""

from collections.abc import Iterator

Plain = tuple[int, int]

_FULL = (1 << 64) - 1
_NOT_A, _NOT_H = 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F
_DIRECTIONS = ((1, _NOT_A), (-1, _NOT_H), (8, _FULL), (-8, _FULL), (9, _NOT_A), (-9, _NOT_H), (7, _NOT_H), (-7, _NOT_A))
_CORNERS = 0x8100000000000081
_QUARTER = ((100, -20, 10, 5), (-20, -50, -2, -2), (10, -2, -1, -1), (5, -2, -1, -1))
_WIN = 1000


def _classes() -> list[tuple[int, int]]:
    """The squares of each worth, as boards."""
    boards: dict[int, int] = {}
    for square in range(64):
        row, column = divmod(square, 8)
        worth = _QUARTER[min(row, 7 - row)][min(column, 7 - column)]
        boards[worth] = boards.get(worth, 0) | 1 << square
    return list(boards.items())


_WORTHS = _classes()


def plain_search(position: Plain, depth: int) -> tuple[int, int]:
    """The value of a position to its mover, and how many positions were made to find it."""
    return _search(position, depth, -2 * _WIN, 2 * _WIN)


def _search(position: Plain, depth: int, alpha: int, beta: int) -> tuple[int, int]:
    own, opponent = position
    moves = _moves(own, opponent)
    if not moves and not _moves(opponent, own):
        lead = own.bit_count() - opponent.bit_count()
        return _WIN * ((lead > 0) - (lead < 0)), 0
    if depth == 0:
        return _worth(own, opponent), 0
    best, nodes = -2 * _WIN, 0
    for child in _children(own, opponent, moves):
        value, made = _search(child, depth - 1, -beta, -max(alpha, best))
        best, nodes = max(best, -value), nodes + made + 1
        if best >= beta:
            break
    return best, nodes


def _children(own: int, opponent: int, moves: int) -> Iterator[Plain]:
    if not moves:
        yield opponent, own
    while moves:
        placed = moves & -moves
        moves ^= placed
        flipped = _flips(placed, own, opponent)
        yield opponent ^ flipped, own | placed | flipped


def _moves(own: int, opponent: int) -> int:
    found = 0
    for step, inside in _DIRECTIONS:
        line = _shift(own, step) & inside & opponent
        for _ in range(5):
            line |= _shift(line, step) & inside & opponent
        found |= _shift(line, step) & inside
    return found & ~(own | opponent) & _FULL


def _flips(placed: int, own: int, opponent: int) -> int:
    flipped = 0
    for step, inside in _DIRECTIONS:
        line, square = 0, _shift(placed, step) & inside
        while square & opponent:
            line |= square
            square = _shift(square, step) & inside
        if square & own:
            flipped |= line
    return flipped


def _shift(board: int, step: int) -> int:
    return board << step & _FULL if step > 0 else board >> -step


def _worth(own: int, opponent: int) -> int:
    """The positional formula of van Eck and van Wezel (2008), equations 17 and 18."""
    discs = own | opponent
    if discs.bit_count() >= 52 or discs & _CORNERS == _CORNERS:
        return own.bit_count() - opponent.bit_count()
    return sum(worth * ((own & squares).bit_count() - (opponent & squares).bit_count()) for worth, squares in _WORTHS)
