"""Chung Toi on the page: pieces and where their arrows point."""

from collections.abc import Sequence

from ludens.core.game import Game
from ludens.games.chung_toi import LINES, PASS, SQUARES, State
from ludens.web.worker.render import JSON, Presenter, Scene, squares_of

PIECES = 3
"""Each side's."""
LAST_MOVES = 10
"""How many moves before the limit the page begins to say that it is near."""


class ChungToiPresenter(Presenter):
    title = "Chung Toi"
    blurb = "Three in a row, but the pieces move: along the arrows they carry, and turning as they go."

    def seats(self, game: Game[State]) -> list[str]:
        return ["White", "Red"]

    def board(self, scene: Scene) -> dict[str, JSON]:
        """Pieces and their arrows, how many are still to be placed, and three in a row if there are."""
        sides, diagonal = _sides(scene.view), int(scene.view.diagonal)
        squares: list[JSON] = [None] * len(SQUARES)
        for seat, pieces in enumerate(sides):
            for square in squares_of(pieces):
                squares[square] = {"seat": seat, "diagonal": bool(diagonal >> square & 1)}
        left = [PIECES - pieces.bit_count() for pieces in sides]
        return {
            "squares": squares,
            "phase": "placing" if left[scene.mover] else "moving",
            "left": left,
            "line": _line(sides),
        }

    def move(self, scene: Scene, action: int) -> dict[str, JSON]:
        """Where a piece comes from and goes to, and where its arrows point then."""
        if action == PASS:
            return {"kind": "pass", "from": None, "to": None, "diagonal": False}
        pair, diagonal = divmod(action, 2)
        origin, target = divmod(pair, len(SQUARES))
        stands = bool(int(scene.view.own) >> origin & 1)
        kind = "place" if not stands else "turn" if origin == target else "move"
        return {
            "kind": kind,
            "from": None if kind == "place" else origin,
            "to": target,
            "diagonal": bool(diagonal),
        }

    def change(self, before: Scene, action: int, after: Scene) -> dict[str, JSON]:
        """The three in a row that ended the game."""
        line = _line(_sides(after.view))
        return {"line": line} if line else {}

    def said(self, before: Scene, action: int, after: Scene) -> str:
        mover, move = self.seats(before.game)[before.mover], self.move(before, action)
        if move["kind"] == "pass":
            return f"{mover} passes"
        way, target = _way(move["diagonal"]), SQUARES[move["to"]]
        if move["kind"] == "place":
            return f"{mover} places on {target}, {way}"
        if move["kind"] == "turn":
            return f"{mover} turns {target} {way}"
        turned = bool(int(before.view.diagonal) >> move["from"] & 1) != move["diagonal"]
        return f"{mover} moves {SQUARES[move['from']]} to {target}" + (f" and turns it {way}" if turned else "")

    def notice(self, scene: Scene) -> str | None:
        """That the limit is near, at which nobody has won."""
        left = scene.game.turn_limit - len(scene.actions)
        if scene.over or left > LAST_MOVES:
            return None
        return f"{'1 more move' if left == 1 else f'{left} more moves'} without three in a row, and it is a draw"

    def result(self, scene: Scene, returns: Sequence[float]) -> str:
        if returns[0] == returns[1]:
            return f"A draw: nobody has three in a row after {len(scene.actions)} moves"
        winner = self.seats(scene.game)[0 if returns[0] > returns[1] else 1]
        return f"{winner} wins with three in a row"


def _sides(view: State) -> tuple[int, int]:
    """The white pieces and the red ones, square i as bit i."""
    own, other = int(view.own), int(view.other)
    return (own, other) if int(view.turn) == 0 else (other, own)


def _line(sides: Sequence[int]) -> list[int] | None:
    """The three squares in a row that one side holds, None if neither does."""
    found = [line for line in LINES for pieces in sides if pieces & line == line]
    return squares_of(found[0]) if found else None


def _way(diagonal: bool) -> str:
    """How a piece's arrows point: along rank and file, or diagonally."""
    return "diagonal" if diagonal else "straight"
