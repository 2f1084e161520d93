"""Onitama on the page: pieces as blue sees the board, whose cards are whose, and what each card can do.

Squares are numbered from a1 along the ranks, whoever moves; what an action does is read off the name that the game
gives it.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import jax

from ludens.core.game import Game
from ludens.games.onitama import CARDS, NAMES
from ludens.web.worker.render import JSON, Presenter, Scene, squares_of

SEATS = ("Blue", "Red")
SQUARES = tuple(f"{file}{rank}" for rank in "12345" for file in "abcde")
PASSES = (200, 201)
"""The actions that give a card away and move nothing."""

_TEMPLES = (SQUARES.index("c1"), SQUARES.index("c5"))
_NUMBERS = {square: number for number, square in enumerate(SQUARES)}


class OnitamaPresenter(Presenter):
    title: ClassVar[str] = "Onitama"
    blurb: ClassVar[str] = "Two masters, eight students and five cards that say how to move and change hands each turn."

    def seats(self, game: Game[Any]) -> list[str]:
        return list(SEATS)

    def board(self, scene: Scene) -> dict[str, JSON]:
        """Pieces from a1 on, both hands, the card aside, and what the five cards look like."""
        hands, side = _hands(scene), _side(scene)
        cards = [*hands[0], *hands[1], side]
        return {
            "squares": _squares(scene),
            "hands": hands,
            "side": side,
            "cards": {name: {"stamp": CARDS[name][0], "offsets": _offsets(name)} for name in cards},
        }

    def move(self, scene: Scene, action: int) -> dict[str, JSON]:
        """The card, and the squares a piece leaves and reaches; or the card given away in a pass."""
        card, squares = scene.game.name(action, scene.view).split()
        if action in PASSES:
            return {"card": card, "pass": True}
        return {"card": card, "from": _NUMBERS[squares[:2]], "to": _NUMBERS[squares[2:]]}

    def change(self, before: Scene, action: int, after: Scene) -> dict[str, JSON]:
        """What was captured, and the cards that changed places; none do once the game is won."""
        move = self.move(before, action)
        given, taken = move["card"], _side(before)
        return {
            "captured": None if "pass" in move else _squares(before)[move["to"]],
            "swapped": {"given": given, "taken": taken} if _side(after) == given else None,
        }

    def said(self, before: Scene, action: int, after: Scene) -> str:
        """`Blue moves a student c1 to c2 by boar, takes a student and gets crab`."""
        who, move, change = SEATS[before.mover], self.move(before, action), self.change(before, action, after)
        gets = f"gets {change['swapped']['taken']}" if change["swapped"] else "wins"
        if "pass" in move:
            return f"{who} cannot move, gives {move['card']} away and {gets}"
        piece, captured = _squares(before)[move["from"]], change["captured"]
        moves = f"{who} moves {_word(piece)} {SQUARES[move['from']]} to {SQUARES[move['to']]} by {move['card']}"
        return f"{moves}, captures {_word(captured)} and {gets}" if captured else f"{moves} and {gets}"

    def notice(self, scene: Scene) -> str | None:
        """Why the mover must pass, and what is still to be chosen."""
        if scene.over or not _must_pass(scene.game)(scene.view):
            return None
        return f"{SEATS[scene.mover]} cannot move any piece and passes: a card must still be swapped, so choose one."

    def result(self, scene: Scene, returns: Sequence[float]) -> str:
        if returns[0] == returns[1]:
            return f"A draw: nobody has won after {len(scene.actions)} moves"
        winner = 0 if returns[0] > returns[1] else 1
        loser = SEATS[1 - winner]
        stands = {"seat": winner, "master": True}
        if _squares(scene)[_TEMPLES[1 - winner]] == stands:
            return f"{SEATS[winner]} wins: the master has reached {loser}'s temple"
        return f"{SEATS[winner]} wins: {loser}'s master is captured"


def _squares(scene: Scene) -> list[JSON]:
    """What stands on each square as blue sees them; the state is the mover's view, turned for red."""
    s = scene.view
    turn = int(s.turn)
    squares: list[JSON] = [None] * len(SQUARES)
    kinds = ((s.own_students, turn, False), (s.own_master, turn, True))
    others = ((s.opp_students, 1 - turn, False), (s.opp_master, 1 - turn, True))
    for board, seat, master in (*kinds, *others):
        for square in squares_of(int(board)):
            squares[square if turn == 0 else 24 - square] = {"seat": seat, "master": master}
    return squares


def _hands(scene: Scene) -> list[list[str]]:
    """The two cards of each seat."""
    s = scene.view
    hands = [[NAMES[int(card)] for card in cards] for cards in (s.own_cards, s.opp_cards)]
    return hands if int(s.turn) == 0 else hands[::-1]


def _side(scene: Scene) -> str:
    return NAMES[int(scene.view.side_card)]


def _offsets(card: str) -> list[list[int]]:
    """Where a card leads: steps to the right and forward."""
    return [list(offset) for offset in CARDS[card][1]]


def _word(piece: dict[str, JSON]) -> str:
    """`the master` or `a student`."""
    return "the master" if piece["master"] else "a student"


@lru_cache(maxsize=32)
def _must_pass(game: Game[Any]) -> Callable[[Any], bool]:
    """Whether the mover has nothing but passes, by the game's own word, compiled."""
    legal = jax.jit(lambda s: game.legal(s)[PASSES[0]])
    return lambda view: bool(legal(view))
