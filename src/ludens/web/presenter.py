"""What a presenter is: how a position of one game becomes what a page can draw.

Rules stay where they are. A presenter only says where things stand and which squares, cards or tiles a legal action
touches, so that the page needs no rule to mark it. It sees views, never whole states: what a seat may not know is
blanked before a presenter looks, and cannot reach anybody.

States hold NumPy arrays here, in which single numbers are read fast.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from ludens.core.game import Game

JSON: TypeAlias = Any
"""What JSON has: None, bool, int, float, str, lists and objects of them."""


@dataclass(frozen=True)
class Scene:
    """A position as somebody looks at it."""

    game: Game[Any]
    view: Any
    """The state as `seat` knows it; as everybody knows it if nobody in particular looks; all of it at the end."""
    seat: int | None
    """Who looks, None for an onlooker."""
    mover: int
    """Seat to move."""
    over: bool
    seed: int
    """Of the game: for what is drawn but decided by nobody, such as which of the dice came up."""
    movers: Sequence[int]
    """Who made each act so far."""
    actions: Sequence[int]
    """Every act so far."""


class Presenter(ABC):
    """Shows one game."""

    title: ClassVar[str]
    """`Royal Game of Ur`."""
    blurb: ClassVar[str]
    """One sentence for people who do not know the game."""

    @abstractmethod
    def seats(self, game: Game[Any]) -> list[str]:
        """What seats are called: `["Black", "White"]`."""

    @abstractmethod
    def board(self, scene: Scene) -> dict[str, JSON]:
        """Where everything stands."""

    @abstractmethod
    def move(self, scene: Scene, action: int) -> dict[str, JSON]:
        """What a legal action touches: squares, cards, tiles."""

    def change(self, before: Scene, action: int, after: Scene) -> dict[str, JSON]:
        """What an action did beyond `move`, for the page to animate: discs turned over, a piece sent home."""
        return {}

    def said(self, before: Scene, action: int, after: Scene) -> str:
        """The action in words for whoever cannot see it: `Black places on f5 and turns 1 disc`."""
        return f"{self.seats(before.game)[before.mover]}: {before.game.name(action, before.view)}"

    def notice(self, scene: Scene) -> str | None:
        """A sentence about what is special now: why the mover must pass."""
        return None

    @abstractmethod
    def result(self, scene: Scene, returns: Sequence[float]) -> str:
        """How it ended, in one sentence: `Black wins 40 to 24`."""
