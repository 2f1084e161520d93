"""From the bytes of a state to what the page is told of it: what the person at the table may know, and nothing else.

Rules stay where they are. A presenter only says where things stand and which squares, cards or tiles a legal action
touches, so that the page needs no rule to mark it. It sees views, never whole states: what a seat may not know is
blanked before a presenter looks, and cannot reach anybody. Views hold NumPy arrays, in which single numbers are read
fast.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, ClassVar, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.game import Game
from ludens.core.types import Array
from ludens.games.othello import Othello
from ludens.web.protocol import Course, TablePosition

JSON: TypeAlias = Any
"""What JSON has: None, bool, int, float, str, lists and objects of them."""
PRESENTERS = {
    "othello": "othello:OthelloPresenter",
    "chung-toi": "chung_toi:ChungToiPresenter",
    "ur": "ur:UrPresenter",
    "onitama": "onitama:OnitamaPresenter",
    "okey": "okey:OkeyPresenter",
}
"""By the game's id; a game without one cannot be shown on the page."""


class Packing:
    """How the states of one game become bytes: those of its arrays, one after the other.

    Compiled rules take and give batches of such bytes, which spares the host dozens of small arrays for every call.
    """

    def __init__(self, game: Game[Any]) -> None:
        self._leaves, self._tree = jax.tree.flatten(jax.eval_shape(game.init, jax.random.key(0)))
        self._columns = [f"leaf {number}" for number in range(len(self._leaves))]
        self._row = np.dtype([(name, x.dtype, x.shape) for name, x in zip(self._columns, self._leaves, strict=True)])

    def batch(self, packed: Sequence[bytes], size: int) -> np.ndarray:
        """The bytes of states, `uint8[size, N]`; the first fills them up."""
        joined = b"".join([*packed, *[packed[0]] * (size - len(packed))])
        return np.frombuffer(joined, np.uint8).reshape(size, self._row.itemsize)

    def one(self, packed: bytes) -> Any:
        """A state of NumPy arrays."""
        row = np.frombuffer(packed, self._row)[0]
        return jax.tree.unflatten(self._tree, [row[name] for name in self._columns])

    def pack(self, state: Any) -> bytes:
        """The bytes of one state, whatever its arrays are."""
        return b"".join(
            np.asarray(leaf, like.dtype).tobytes()
            for leaf, like in zip(jax.tree.leaves(state), self._leaves, strict=True)
        )

    def to_bytes(self, state: Any) -> Array:
        """The same in compiled code, `uint8[N]`."""
        return jnp.concatenate([_to_bytes(leaf) for leaf in jax.tree.leaves(state)])

    def from_bytes(self, packed: Array) -> Any:
        """And back, in compiled code."""
        leaves, at = [], 0
        for like in self._leaves:
            size = like.size * like.dtype.itemsize
            leaves.append(_from_bytes(packed[at : at + size], like))
            at += size
        return jax.tree.unflatten(self._tree, leaves)


packing = lru_cache(maxsize=64)(Packing)
"""The packing of a game, made once."""


def _to_bytes(leaf: Array) -> Array:
    if leaf.dtype == jnp.bool_:
        return leaf.astype(jnp.uint8).reshape(-1)
    return lax.bitcast_convert_type(leaf, jnp.uint8).reshape(-1)


def _from_bytes(packed: Array, like: Any) -> Array:
    if like.dtype == jnp.bool_:
        return (packed != 0).reshape(like.shape)
    wide = (like.dtype.itemsize,) if like.dtype.itemsize > 1 else ()
    return lax.bitcast_convert_type(packed.reshape(*like.shape, *wide), like.dtype)


# ---------------------------------------------------------------------- who shows a game


@dataclass(frozen=True)
class Scene:
    """A position as somebody looks at it."""

    game: Game[Any]
    view: Any
    """The state as `seat` knows it; as everybody knows it if nobody in particular looks; all of it at the end."""
    seat: int | None  # who looks, None for an onlooker
    mover: int  # seat to move
    over: bool
    seed: int  # of the game: for what is drawn but decided by nobody, such as which of the dice came up
    movers: Sequence[int]  # who made each act so far
    actions: Sequence[int]  # every act so far


class Presenter(ABC):
    """Shows one game."""

    title: ClassVar[str]  # `Royal Game of Ur`
    blurb: ClassVar[str]  # one sentence for people who do not know the game

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


def squares_of(board: int) -> list[int]:
    """The squares of a board of bits, square i being bit i."""
    return [square for square in range(board.bit_length()) if board >> square & 1]


@cache
def presenter(game: str) -> Presenter:
    """Who shows `game`, imported when first asked for."""
    module, _, name = PRESENTERS[game].partition(":")
    kind: type[Presenter] = getattr(import_module(f"ludens.web.worker.presenters.{module}"), name)
    return kind()


# ---------------------------------------------------------------------- positions


@dataclass(frozen=True)
class Look:
    """A position and what the rules say of it."""

    game: Game[Any]
    packed: bytes  # all of it
    mover: int
    over: bool  # whether the game has ended, by its rules or by its limit
    returns: list[float]
    legal: list[int]
    views: np.ndarray | None
    """What an onlooker and each seat know of it, `uint8[1 + P, N]`; None where nothing is hidden."""

    def known(self, seat: int | None) -> bytes:
        """What a seat knows of it; what all know if nobody in particular looks."""
        return known(self.packed, self.views, seat)


def known(packed: bytes, views: np.ndarray | None, seat: int | None) -> bytes:
    """A state as a seat knows it, given all views of it."""
    return packed if views is None else views[0 if seat is None else 1 + seat].tobytes()


def position(look: Look, course: Course, before: Scene | None) -> TablePosition:
    """Where a game stands, for whoever holds the table, and how it looks to whoever sits there.

    `course` is the game up to here, `before` the position before its last act as the same person sees it.
    """
    game, seat = look.game, course.looker(look.mover)
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
    return TablePosition(look.packed, look.known(look.mover), look.mover, look.over, look.returns, shown)


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
