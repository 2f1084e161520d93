"""Chung Toi solved in plain Python on the reference's rules, one position for each set of mirror images.

Positions are seen by the side to move, which is always called white. They are settled one at a time from a queue:
whoever can move to a lost position wins, and who has seen all its moves win for the other side loses.
"""

from collections import deque
from functools import cache

from reference import chung_toi

Key = tuple[tuple[str, str, str], ...]
"""The pieces in order: square, colour, orientation."""


def mirrored(key: Key) -> list[Key]:
    """The position in all eight ways to hold the board; arrows stay cardinal or diagonal."""
    images = []
    for swap in (False, True):
        for flip_file in (False, True):
            for flip_rank in (False, True):
                pieces = []
                for square, colour, orientation in key:
                    file, rank = "abc".index(square[0]), "123".index(square[1])
                    file, rank = 2 - file if flip_file else file, 2 - rank if flip_rank else rank
                    file, rank = (rank, file) if swap else (file, rank)
                    pieces.append(("abc"[file] + "123"[rank], colour, orientation))
                images.append(tuple(sorted(pieces)))
    return images


@cache
def standard(key: Key) -> Key:
    return min(mirrored(key))


def seen_by_the_next(board: chung_toi.Board) -> Key:
    return standard(tuple(sorted((square, chung_toi.OTHER[colour], o) for square, (colour, o) in board.items())))


def solve(*, hop: bool, allow_pass: bool) -> dict[Key, tuple[int, int | None]]:
    """Value to the side to move and plies to the end (None in a draw) of all positions that play can reach."""
    after: dict[Key, list[Key]] = {}
    waiting: list[Key] = [()]
    while waiting:
        key = waiting.pop()
        if key in after:
            continue
        board = {square: (colour, o) for square, colour, o in key}
        moves = chung_toi.moves((board, "white"), hop=hop, allow_pass=allow_pass)
        after[key] = [seen_by_the_next(new) for new, _ in moves.values()]
        waiting += after[key]
    before: dict[Key, list[Key]] = {key: [] for key in after}
    for key, successors in after.items():
        for successor in successors:
            before[successor].append(key)
    open_moves = {key: len(successors) for key, successors in after.items()}
    settled: dict[Key, tuple[int, int | None]] = {key: (-1, 0) for key, count in open_moves.items() if count == 0}
    queue = deque(settled)
    while queue:
        key = queue.popleft()
        value, plies = settled[key]
        for previous in before[key]:
            open_moves[previous] -= 1
            if previous not in settled and (value < 0 or open_moves[previous] == 0):
                settled[previous] = (-value, plies + 1)
                queue.append(previous)
    return {key: settled.get(key, (0, None)) for key in after}
