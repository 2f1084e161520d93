"""The Royal Game of Ur on the page: who stands where, what the dice show, where each move leads, and why one does not.

Where a piece lands is read off the name that the game gives its move, so the page, the terminal and the rules cannot
disagree; a piece is blocked exactly where the game does not allow its action.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, ClassVar, cast

import jax
import numpy as np

from ludens.core.game import Game
from ludens.games.ur import NO_THROW, PASS, PATHS, Ur
from ludens.web.worker.render import JSON, Presenter, Scene

SEATS = ("First", "Second")
ROSETTES = tuple(dict.fromkeys(path[square] for square in (4, 8, 14) for path in PATHS))


class UrPresenter(Presenter):
    title: ClassVar[str] = "Royal Game of Ur"
    blurb: ClassVar[str] = "A race of 4,600 years ago: throw the dice, bring all your pieces home, send others back."

    def seats(self, game: Game[Any]) -> list[str]:
        return list(SEATS)

    def board(self, scene: Scene) -> dict[str, JSON]:
        """Squares taken, pieces waiting and home by seat, the dice, and why pieces that cannot move cannot."""
        game, standing, home, throw = cast(Ur, scene.game), _standing(scene), _home(scene), _throw(scene)
        pieces, dice = cast(int, game.pieces), cast(int, game.dice)  # filled in, whatever was asked for
        waiting = [pieces - home[seat] - len(standing[seat]) for seat in (0, 1)]
        return {
            "squares": {square: seat for seat in (0, 1) for square in standing[seat]},
            "waiting": waiting,
            "home": home,
            "pieces": pieces,
            "rules": game.rules,
            "throw": throw,
            "dice": [] if throw is None else _dice(dice, throw, f"{scene.seed} {len(scene.actions)}"),
            "rosettes": list(ROSETTES),
            "paths": [list(path[1:15]) for path in PATHS],
            "blocked": [] if throw is None else _blocked(scene, standing, waiting[scene.mover], throw),
        }

    def move(self, scene: Scene, action: int) -> dict[str, JSON]:
        """Where a piece comes from, the squares it passes, where it lands and whom it sends back."""
        if action == PASS:
            return {"pass": True}
        origin, target = scene.game.name(action, scene.view).split("-")
        path = PATHS[scene.mover]
        return {
            "from": origin,
            "to": target,
            "path": list(path[action + 1 : path.index(target) + 1]),
            "captures": target if target in _standing(scene)[1 - scene.mover] else None,
            "rosette": target in ROSETTES,
        }

    def change(self, before: Scene, action: int, after: Scene) -> dict[str, JSON]:
        """The square on which a piece was captured, and whether the mover throws again."""
        captured = self.move(before, action).get("captures")
        return {"captured": captured, "again": not after.over and after.mover == before.mover}

    def said(self, before: Scene, action: int, after: Scene) -> str:
        who, move = SEATS[before.mover], self.move(before, action)
        if action == PASS:
            return f"{who} throws {_throw(before)} and passes"
        if move["to"] == "off":
            return f"{who} brings a piece home from {move['from']}"
        words = f"enters on {move['to']}" if move["from"] == "start" else f"moves {move['from']} to {move['to']}"
        words += " and sends a piece back" if move["captures"] else ""
        again = not after.over and after.mover == before.mover
        return f"{who} {words}" + (", a rosette: another throw" if again else "")

    def notice(self, scene: Scene) -> str | None:
        """That a rosette gave another throw, or why the mover must pass."""
        throw, who = _throw(scene), SEATS[scene.mover]
        if throw is None:
            return None
        # The other side always acts in between, if only to pass, unless a rosette gave another throw.
        again = bool(scene.movers) and scene.movers[-1] == scene.mover
        notices = [f"A rosette: {who} throws again."] if again else []
        if _legal(scene.game)(scene.view)[PASS]:
            notices.append(f"{who} throws 0 and must pass." if throw == 0 else f"{who} cannot move {throw}: a pass.")
        return " ".join(notices) or None

    def result(self, scene: Scene, returns: Sequence[float]) -> str:
        if returns[0] == returns[1]:
            return f"A draw: nobody was home after {len(scene.actions):,} turns"
        winner = 0 if returns[0] > returns[1] else 1
        home, pieces = _home(scene), cast(Ur, scene.game).pieces
        all_home = "its piece is" if pieces == 1 else f"all {pieces} pieces are"
        return f"{SEATS[winner]} wins: {all_home} home, {home[1 - winner]} of {SEATS[1 - winner]}'s"


def _throw(scene: Scene) -> int | None:
    """The throw to be played, if one is."""
    throw = int(scene.view.throw)
    return None if scene.over or throw == NO_THROW else throw


def _standing(scene: Scene) -> list[list[str]]:
    """The squares on which each seat's pieces stand, along its path."""
    s = scene.view
    turn, boards = int(s.turn), (int(s.own), int(s.other))
    return [[PATHS[seat][i] for i in range(1, 15) if boards[seat != turn] >> i & 1] for seat in (0, 1)]


def _home(scene: Scene) -> list[int]:
    """Pieces off the board, by seat."""
    s = scene.view
    home = [int(s.own_home), int(s.other_home)]
    return home if int(s.turn) == 0 else home[::-1]


def _dice(count: int, throw: int, draw: str) -> list[bool]:
    """Which of the dice came up. Only their number matters, so the draw may decide the rest."""
    noise = blake2b(draw.encode(), digest_size=4).digest()
    up = sorted(range(count), key=lambda die: noise[die])[:throw]
    return [die in up for die in range(count)]


def _blocked(scene: Scene, standing: list[list[str]], waiting: int, throw: int) -> list[dict[str, str]]:
    """Every place from which the mover has a piece but no move, with the reason."""
    legal, path = _legal(scene.game)(scene.view), PATHS[scene.mover]
    places = (["start"] if waiting else []) + standing[scene.mover]
    numbers = [(place, path.index(place)) for place in places]
    return [
        {"from": place, "why": _reason(scene, standing[scene.mover], number, throw)}
        for place, number in numbers
        if not legal[number]
    ]


def _reason(scene: Scene, own: list[str], number: int, throw: int) -> str:
    """Why the piece on path square `number` cannot move, given that it cannot."""
    path = PATHS[scene.mover]
    target = scene.game.name(number, scene.view).partition("-")[2]
    if throw == 0:
        return "A throw of 0 moves nothing."
    if target == "off":
        return f"Leaving the board takes a throw of exactly {len(path) - 1 - number}, and this is {throw}."
    if target not in own:
        return f"The other side holds {target}, where a piece is safe: nobody may land there."
    if target != path[number + throw]:
        return f"The other side is safe on {path[number + throw]}, and {target} behind it is taken by an own piece."
    return f"An own piece already stands on {target}."


@lru_cache(maxsize=32)
def _legal(game: Game[Any]) -> Callable[[Any], np.ndarray]:
    """The game's own word on what may be played, compiled: some microseconds."""
    legal = jax.jit(game.legal)
    return lambda view: np.asarray(legal(view))
