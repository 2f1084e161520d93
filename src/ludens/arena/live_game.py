"""One game on the host, act by act: for people, for programs from outside, and for looking on."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import jax
import numpy as np

from ludens.arena import ply
from ludens.arena.ply import Place, acts
from ludens.arena.record import Record, plain_variant
from ludens.core.game import Game
from ludens.core.player import Decision, Player
from ludens.core.types import Array, Key
from ludens.players.external import MoveRequest, Outsider


class LiveGame:
    """A game that is being played, with everything that happened written down.

    `seed` and `seating` (who sits where, by number) decide all that is random, as they do in a batch.
    """

    def __init__(
        self, game: Game[Any], *, seed: int, seating: Sequence[int], start: Any = None, opening: int = 0
    ) -> None:
        self.game, self.seed = game, seed
        self.stream = np.uint32(ply.play_stream(seed, seating))
        self.actions: list[int] = []
        self.names: list[str] = []
        self.movers: list[int] = []
        self.outcomes: list[int] = []
        self.past: list[tuple[Any, int]] = []
        self.compiled = _compiled(game)
        if start is None:
            begun = jax.tree.map(
                lambda x: x[0], ply.compiled_openings(game, opening)(np.array([ply.opening_stream(seed)], np.uint32))
            )
            self.start, self.state = begun.start, begun.state
            self.actions += acts(begun.actions)
            self.outcomes += acts(begun.outcomes)
        else:
            self.start = start
            self.state, outcomes = self.compiled["settle"](start, np.uint32(ply.opening_stream(seed)))
            self.outcomes += acts(outcomes)
        self.opening = len(self.actions)
        self.mover, self.over = self._look()

    def turn(self) -> MoveRequest:
        view = self.compiled["view"]
        return MoveRequest(
            key=self.compiled["choice"](self._place()),
            view=view(self.state, self.mover),
            start=view(self.start, self.mover),
            actions=tuple(self.actions),
        )

    def act(self, action: int) -> str:
        """Play an action and let fate answer; the move's name. ValueError if it is not legal."""
        after = ply.compiled_act(self.game)(self._place(), self.state, np.int32(action))
        if not bool(after.allowed):
            raise ValueError(self.game.rejection(f"action {action}", self.state))
        name = self.game.name(action, self.state)
        self.past.append((self.state, len(self.outcomes)))
        self.state = after.state
        self.actions.append(action)
        self.names.append(name)
        self.movers.append(self.mover)
        self.outcomes += acts(after.outcomes)
        self.mover, self.over = self._look()
        return name

    def undo(self, seat: int) -> bool:
        """Back to the last decision of `seat`; False if it has made none."""
        while self.past:
            self.state, rolled = self.past.pop()
            for written in (self.actions, self.names, self.movers):
                written.pop()
            del self.outcomes[rolled:]
            self.mover, self.over = self._look()
            if self.mover == seat:
                return True
        return False

    def record(self, specs: Sequence[str]) -> Record:
        """The game as it stands, for the players named by seat."""
        return Record(
            game=self.game.id,
            variant=plain_variant(self.game),
            seed=self.seed,
            seats=tuple(specs),
            start=self.game.show(self.start),
            opening=self.opening,
            actions=tuple(self.actions),
            chance=tuple(self.outcomes),
            returns=tuple(float(x) for x in self.game.returns(self.state)),
        )

    def _place(self) -> Place:
        return Place(self.stream, np.int32(len(self.actions)))

    def _look(self) -> tuple[int, bool]:
        """Who is to move, and whether the game has ended, by its rules or by its limit."""
        mover, done = self.compiled["look"](self.state)
        return int(mover), bool(done) or len(self.actions) >= self.game.turn_limit


class Resident(Outsider[Any]):
    """A player of ours, asked on the host like an outsider."""

    def __init__(self, player: Player[Any]) -> None:
        self.game, self.player = player.game, player
        self.params = player.init(jax.random.key(0))
        self.thinks: Callable[[Key, Any], Decision] | None = None  # made ready when it is first asked

    def decide(self, turn: MoveRequest) -> int:
        if self.player.compiled:
            return int(_compiled_choice(self.player)(self.params, turn.key, turn.view))
        if self.thinks is None:
            self.thinks = self.player.asked(self.params, turn.key, turn.view)
        return int(self.thinks(turn.key, turn.view).action)


@lru_cache(maxsize=32)
def _compiled(game: Game[Any]) -> dict[str, Callable[..., Any]]:
    return {
        "settle": jax.jit(lambda s, stream: ply.settle(game, s, ply.keys(Place(stream, ply.START))[1])),
        "view": jax.jit(game.view),
        "choice": jax.jit(lambda place: ply.keys(place)[0]),
        "look": jax.jit(lambda s: (game.player(s), game.done(s))),
    }


@lru_cache(maxsize=32)
def _compiled_choice(player: Player[Any]) -> Callable[[Any, Key, Any], Array]:
    return jax.jit(lambda params, key, view: player.act(params, key, view).action)
