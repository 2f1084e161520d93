"""Othello on the page: discs, where one may be placed, and which discs that turns over."""

from collections.abc import Sequence
from functools import cache

from ludens.core.bits import to_int
from ludens.core.game import Game
from ludens.games.othello import SYMBOLS, Othello, State
from ludens.web.worker.render import JSON, Presenter, Scene, squares_of


class OthelloPresenter(Presenter):
    title = "Othello"
    blurb = "Close in lines of the other side's discs to turn them over; whoever has more discs at the end wins."

    def seats(self, game: Game[State]) -> list[str]:
        return ["Black", "White"]

    def board(self, scene: Scene) -> dict[str, JSON]:
        """Every square row by row from a1 (`X` black, `O` white, `-` empty), and how many discs each side has."""
        squares = _othello(scene).show(scene.view)[:-2]  # without the side to move
        return {
            "size": _othello(scene).size,
            "squares": squares,
            "counts": [squares.count(symbol) for symbol in SYMBOLS],
        }

    def move(self, scene: Scene, action: int) -> dict[str, JSON]:
        """The square, and the discs that would turn over; or that it is a pass."""
        size = _othello(scene).size
        if action == size**2:
            return {"pass": True}
        own, opponent = to_int(scene.view.own), to_int(scene.view.opponent)
        return {"square": action, "turns": _turned(size, action, own, opponent)}

    def change(self, before: Scene, action: int, after: Scene) -> dict[str, JSON]:
        """The discs that were turned over."""
        (black, white), (black_now, white_now) = _discs(before.view), _discs(after.view)
        return {"flipped": squares_of(black & white_now | white & black_now)}

    def said(self, before: Scene, action: int, after: Scene) -> str:
        mover = self.seats(before.game)[before.mover]
        if action == _othello(before).size ** 2:
            return f"{mover} passes"
        turned = len(self.change(before, action, after)["flipped"])
        discs = "1 disc" if turned == 1 else f"{turned} discs"
        return f"{mover} places on {before.game.name(action, before.view)} and turns {discs}"

    def notice(self, scene: Scene) -> str | None:
        if scene.over or to_int(scene.view.moves):
            return None
        return f"{self.seats(scene.game)[scene.mover]} has no square to place on and must pass"

    def result(self, scene: Scene, returns: Sequence[float]) -> str:
        counts = [board.bit_count() for board in _discs(scene.view)]
        if returns[0] == returns[1]:
            return f"A draw, {counts[0]} to {counts[1]}"
        winner = 0 if returns[0] > returns[1] else 1
        return f"{self.seats(scene.game)[winner]} wins {counts[winner]} to {counts[1 - winner]}"


def _othello(scene: Scene) -> Othello:
    assert isinstance(scene.game, Othello)
    return scene.game


def _discs(view: State) -> tuple[int, int]:
    """The black discs and the white ones, square i as bit i."""
    own, opponent = to_int(view.own), to_int(view.opponent)
    return (own, opponent) if int(view.turn) == 0 else (opponent, own)


def _turned(size: int, square: int, own: int, opponent: int) -> list[int]:
    """The discs that placing on `square` turns over, nearest first in each direction.

    The rules count on whole boards at once, compiled; asking them for every legal move of every position would take
    longer than everything else on the way to the page. Tests hold the two against each other.
    """
    turned: list[int] = []
    for ray in _rays(size)[square]:
        for steps, passed in enumerate(ray):
            if own >> passed & 1:
                turned += ray[:steps]
                break
            if not opponent >> passed & 1:
                break
    return turned


@cache
def _rays(size: int) -> list[list[list[int]]]:
    """For each square the squares one meets on the way to the edge, in each of the eight directions."""
    directions = [(across, down) for across in (-1, 0, 1) for down in (-1, 0, 1) if across or down]
    return [
        [
            [
                (row + steps * down) * size + column + steps * across
                for steps in range(1, size)
                if 0 <= row + steps * down < size and 0 <= column + steps * across < size
            ]
            for across, down in directions
        ]
        for row in range(size)
        for column in range(size)
    ]
