"""Chung Toi in plain Python, slow and obvious: the referee for the engine.

A position is `(board, turn)`: a dict from a square's name to `(colour, orientation)`, and the colour to move.
"""

Board = dict[str, tuple[str, str]]
Position = tuple[Board, str]

FILES, RANKS = "abc", "123"
SQUARES = [file + rank for file in FILES for rank in RANKS]
ROWS = (
    [[file + rank for file in FILES] for rank in RANKS]
    + [[file + rank for rank in RANKS] for file in FILES]
    + [["a1", "b2", "c3"], ["a3", "b2", "c1"]]
)
OTHER = {"white": "red", "red": "white"}
ARROWS = {
    "+": [(1, 0), (-1, 0), (0, 1), (0, -1)],
    "x": [(1, 1), (1, -1), (-1, 1), (-1, -1)],
}


def start() -> Position:
    return {}, "white"


def winner(position: Position) -> str | None:
    board, _ = position
    for row in ROWS:
        colours = {board[square][0] if square in board else None for square in row}
        if len(colours) == 1 and None not in colours:
            return colours.pop()
    return None


def moves(position: Position, *, hop: bool, allow_pass: bool) -> dict[str, Position]:
    """Every legal move by name, with the position it leads to."""
    board, turn = position
    if winner(position):
        return {}
    own = [square for square, (colour, _) in board.items() if colour == turn]
    after: dict[str, Board] = {}
    if len(own) < 3:
        for square in SQUARES:
            if square not in board:
                for orientation in "+x":
                    after[square + orientation] = {**board, square: (turn, orientation)}
        return {name: (new, OTHER[turn]) for name, new in after.items()}
    for square in own:
        orientation = board[square][1]
        rest = {place: piece for place, piece in board.items() if place != square}
        flipped = {"+": "x", "x": "+"}[orientation]
        after[square + flipped] = {**rest, square: (turn, flipped)}
        for target in reachable(board, square, orientation, hop):
            for final in "+x":
                after[f"{square}-{target}{final}"] = {**rest, target: (turn, final)}
    if allow_pass:
        after["--"] = dict(board)
    return {name: (new, OTHER[turn]) for name, new in after.items()}


def reachable(board: Board, square: str, orientation: str, hop: bool) -> list[str]:
    """Empty squares in line with the arrows, walking each arrow outwards to the edge of the board."""
    found = []
    for right, up in ARROWS[orientation]:
        file, rank = FILES.index(square[0]) + right, RANKS.index(square[1]) + up
        while 0 <= file <= 2 and 0 <= rank <= 2:
            target = FILES[file] + RANKS[rank]
            if target not in board:
                found.append(target)
            elif not hop:
                break
            file, rank = file + right, rank + up
    return found
