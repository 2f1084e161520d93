"""From positions to what the page is told of them: what the person at the table may know, and nothing else."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import numpy as np

from ludens.core.game import Game
from ludens.games.othello import Othello
from ludens.web.exchange import Course, Position
from ludens.web.packing import packing
from ludens.web.presenter import JSON, Scene
from ludens.web.presenters import presenter as presenter_of
from ludens.web.rulebook import TOGETHER, Seen, see

presenter = cache(presenter_of)
"""Who shows a game; one for all its positions."""


@dataclass(frozen=True)
class Look:
    """A position and what the rules say of it."""

    game: Game[Any]
    packed: bytes
    """All of it."""
    mover: int
    over: bool
    """Whether the game has ended, by its rules or by its limit."""
    returns: list[float]
    legal: list[int]
    views: np.ndarray | None
    """What an onlooker and each seat know of it, `uint8[1 + P, N]`; None where nothing is hidden."""

    @classmethod
    def at(cls, game: Game[Any], packed: bytes, seen: Seen, row: int, ply: int) -> "Look":
        """The position in a row of a batch."""
        return cls(
            game=game,
            packed=packed,
            mover=int(seen.mover[row]),
            over=bool(seen.done[row]) or ply >= game.turn_limit,
            returns=seen.returns[row].tolist(),
            legal=seen.legal[row].nonzero()[0].tolist(),
            views=seen.views[row] if game.hidden else None,
        )

    def known(self, seat: int | None) -> bytes:
        """What a seat knows of it; what all know if nobody in particular looks."""
        return known(self.packed, self.views, seat)


def known(packed: bytes, views: np.ndarray | None, seat: int | None) -> bytes:
    """A state as a seat knows it, given all views of it."""
    return packed if views is None else views[0 if seat is None else 1 + seat].tobytes()


def looker(persons: Sequence[int], mover: int) -> int | None:
    """Whose eyes a table is shown to: the person to move, or else the first; None if only agents play."""
    return mover if mover in persons else persons[0] if persons else None


def looks(game: Game[Any], packed: Sequence[bytes], first_ply: int) -> list[Look]:
    """States of one game, ply by ply, as the rules see them."""
    pack, found = packing(game), []
    for start in range(0, len(packed), TOGETHER):
        some = packed[start : start + TOGETHER]
        seen: Seen = jax.tree.map(np.asarray, see(game)(pack.batch(some, TOGETHER)))
        found += [Look.at(game, each, seen, row, first_ply + start + row) for row, each in enumerate(some)]
    return found


def position(look: Look, course: Course, before: Scene | None) -> Position:
    """Where a game stands, for whoever holds the table, and how it looks to whoever sits there.

    `course` is the game up to here, `before` the position before its last act as the same person sees it.
    """
    game, seat = look.game, looker(course.persons, look.mover)
    scene = scene_of(look, course, seat, open_hands=look.over)
    shown = tell(scene, before, course) | {"over": look.over, "result": None, "moves": []}
    if look.over:
        best = max(look.returns)
        shown["result"] = {
            "returns": look.returns,
            "winners": [each for each, result in enumerate(look.returns) if result == best > 0],
            "text": presenter(game.id).result(scene, look.returns),
        }
    elif look.mover in course.persons:
        move = presenter(game.id).move
        shown["moves"] = [
            {"action": action, "name": game.name(action, scene.view), **move(scene, action)} for action in look.legal
        ]
    if isinstance(game, Othello):
        shown["transcript"] = _transcript(game, course.actions)
    # What one seat sees is no position to begin from, and writing it takes longer than everything else here.
    shown["position"] = None if game.hidden and not look.over else game.show(scene.view)
    members = json.dumps(shown, separators=(",", ":"))[1:-1]
    return Position(look.packed, look.known(look.mover), look.mover, look.over, look.returns, members)


def tell(scene: Scene, before: Scene | None, course: Course) -> dict[str, JSON]:
    """What is told of any position, past ones too."""
    shows = presenter(scene.game.id)
    last = None
    if before is not None:
        action = course.actions[-1]
        last = {
            "seat": before.mover,
            "action": action,
            "name": scene.game.name(action, before.view),
            "said": shows.said(before, action, scene),
            "ply": len(course.actions),
            **shows.move(before, action),
            **shows.change(before, action, scene),
        }
    return {
        "ply": len(course.actions),
        "mover": scene.mover,
        "board": shows.board(scene),
        "last": last,
        "notice": shows.notice(scene),
    }


def scene_of(look: Look, course: Course, seat: int | None, *, open_hands: bool) -> Scene:
    """A position as a seat sees it, or with all hands open."""
    return Scene(
        game=look.game,
        view=packing(look.game).one(look.packed if open_hands else look.known(seat)),
        seat=seat,
        mover=look.mover,
        over=look.over,
        seed=course.seed,
        movers=course.movers,
        actions=course.actions,
    )


def _transcript(game: Othello, actions: Sequence[int]) -> str:
    """`f5d6c3`: passes are left out but for one at the end, as `othello_text` writes it."""
    passes = game.size**2
    ends = "pa" if actions and actions[-1] == passes else ""
    return "".join(f"{'abcdefgh'[a % game.size]}{a // game.size + 1}" for a in actions if a != passes) + ends
