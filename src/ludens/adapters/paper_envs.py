"""Onitama and Okey in Gymnasium exactly as their papers cast them, so that any library can run the papers again.

`ludens/OnitamaPaper-v0` (report on Onitama, chapter 4; encodings in `players/onitama_encoding.py`):

    observation   {"board": float32[10, 5, 5], "cards": float32[10]}, from the learner's side of the board
    actions       40: piece * 8 + card * 4 + move; pawns 1 to 4, from the learner's left, keep their numbers all game
    mask          the report's valid mask
    a step        the learner's move and the opponent's reply; 1 for winning, -1 for losing, 0 otherwise
    opponent      minimax of depth 1, which sees who has won and nothing else: `alphabeta:1:result`; any spec will do

With these five cards some piece can always move, so no action passes. After 200 turns of both sides the game is a
draw: truncated, and nothing is paid.

`ludens/OkeyPaper-v0` (thesis on Okey, chapter 3; encodings in `players/okey_encoding.py`):

    observation   {"draw": float32[107], "discard": float32[53], "phase": 0 or 1}: what the draw actor is fed, what the
                  discard actor is fed, and which of the two decides now: 0 draws, 1 discards (0 once the game is over)
    actions       17: 0 takes the tile that lies there, 1 draws from the centre (the draw actor's two outputs),
                  2 + i discards tile i of 15 (the discard actor's outputs), tiles in the order of the counts
    a step        one of the two decisions, and before the next draw the opponents' turns
    reward        "paper": what section 3.1 pays for the decision; "sparse": 100 for winning, -100 for losing
    opponent      `thesis`; any spec will do

The tile that lies there is shown to the draw actor only while it can be taken. Everything is as two play in the thesis
unless a field of the game says otherwise: `longest_run=5`, `players=4`. Showing the indicator's twin has no action.
An illegal action costs 1 in Onitama and 100 in Okey, and ends the episode.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from gymnasium import spaces

from ludens.adapters.casting import Cast
from ludens.adapters.gymnasium_env import GameEnv
from ludens.core.game import where
from ludens.core.types import Array
from ludens.games import onitama
from ludens.games.okey import DISCARD, DRAW, TAKE, Okey, State
from ludens.games.okey import TILES as ALL_TILES
from ludens.games.okey.reward import SPARSE, paper_reward, sparse_reward
from ludens.games.onitama import Onitama
from ludens.players import okey_encoding, onitama_encoding
from ludens.players.okey_encoding import DISCARDING, DRAWING, TILES
from ludens.players.onitama_encoding import PAPER_CARDS, Pieces

PIECES, CARDS = 10, 5
FIRST_TILE = 2
"""The action that discards the first tile: 0 and 1 draw."""
CENTRE = 0
"""The game's action that draws from the centre."""


class OnitamaPaperEnv(GameEnv):
    """The report's environment: a learner against minimax, five cards, 40 actions."""

    def __init__(
        self,
        opponent: str = "alphabeta:1:result",
        seat: int | str = 0,
        illegal: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(Onitama(cards=PAPER_CARDS), opponent, seat, illegal, render_mode)

    def _cast(self) -> Cast[Any]:
        assert isinstance(self.game, Onitama)
        return ByPiece(self.game)


class OkeyPaperEnv(GameEnv):
    """The thesis's environment: two decisions a turn, paid for each."""

    def __init__(
        self,
        opponent: str = "thesis",
        seat: int | str = 0,
        illegal: str = "lose",
        render_mode: str | None = None,
        reward: str = "paper",
        **variant: Any,
    ) -> None:
        if reward not in ("paper", "sparse"):
            raise ValueError(f"unknown reward {reward!r}: expected 'paper' or 'sparse'")
        self.reward = reward
        super().__init__("okey", opponent, seat, illegal, render_mode, **variant)

    def _cast(self) -> Cast[Any]:
        assert isinstance(self.game, Okey)
        return TwoDecisions(self.game, self.reward)


class ByPiece(Cast[onitama.State]):
    """Sections 4.1 to 4.3 of the report. What is remembered is where each piece stands, as the mover sees it."""

    game: Onitama

    @property
    def actions(self) -> int:
        return 40

    def space(self) -> spaces.Space[Any]:
        board = spaces.Box(0.0, 1.0, (PIECES, 5, 5), np.float32)
        return spaces.Dict({"board": board, "cards": spaces.Box(0.0, 1.0, (2 * CARDS,), np.float32)})

    def begin(self) -> Pieces:
        return onitama_encoding.start()

    def follow(self, memory: Pieces, s: onitama.State, a: Array, t: onitama.State) -> Pieces:
        """Whoever moved stands elsewhere, and whoever was captured is gone."""
        return onitama_encoding.follow(memory, s, t, a)

    def observe(self, memory: Pieces, view: onitama.State, seat: Array) -> dict[str, Array]:
        """The learner's pieces and cards first, also where the opponent would be to move."""
        movers = view.turn == seat
        cards = onitama_encoding.cards(self.game, view).reshape(2, CARDS)
        board = onitama_encoding.board(where(movers, memory, onitama_encoding.other_side(memory)))
        return {"board": board, "cards": jnp.where(movers, cards, cards[::-1]).reshape(-1)}

    def mask(self, memory: Pieces, view: onitama.State) -> Array:
        """The valid mask, `bool[40]`."""
        return onitama_encoding.valid(self.game, view, memory)

    def action(self, memory: Pieces, view: onitama.State, n: Array) -> Array:
        """By the square on which the piece stands."""
        return onitama_encoding.action(memory, n)


@dataclass(frozen=True)
class TwoDecisions(Cast[State]):
    """Chapter 3 of the thesis."""

    forfeit: ClassVar[float] = -SPARSE

    game: Okey
    reward: str

    @property
    def actions(self) -> int:
        return FIRST_TILE + TILES

    def space(self) -> spaces.Space[Any]:
        most = np.array([2.0] * DISCARDING + [1.0] * DISCARDING + [ALL_TILES], np.float32)
        return spaces.Dict(
            {
                "draw": spaces.Box(np.zeros(DRAWING, np.float32), most),
                "discard": spaces.Box(0.0, 2.0, (DISCARDING,), np.float32),
                "phase": spaces.Discrete(2),
            }
        )

    def observe(self, memory: Any, view: State, seat: Array) -> dict[str, Array]:
        """What both actors would be fed, always with the learner's own hand."""
        own = view._replace(turn=seat)
        return {
            "draw": okey_encoding.drawing(own),
            "discard": okey_encoding.discarding(own),
            "phase": ((view.phase == DISCARD) & (view.turn == seat)).astype(jnp.int32),
        }

    def mask(self, memory: Any, view: State) -> Array:
        """Both draws, or the tiles in the hand, `bool[17]`."""
        draws = jnp.full(FIRST_TILE, view.phase == DRAW)
        discards = (okey_encoding.tiles(view) >= 0) & (view.phase == DISCARD)
        return jnp.concatenate([draws, discards])

    def action(self, memory: Any, view: State, n: Array) -> Array:
        """The thesis's first output takes the tile that lies there; the game's first action draws."""
        throws = okey_encoding.discard(view, jnp.maximum(n - FIRST_TILE, 0))
        return jnp.where(n == 0, TAKE, jnp.where(n == 1, CENTRE, throws))

    def earned(self, s: State, a: Array, t: State, seat: Array) -> Array:
        """Points for the learner's own decisions, or for how the game ends."""
        paid = paper_reward(self.game, s, a, t) if self.reward == "paper" else sparse_reward(self.game, t)
        return paid[seat]
