"""How a game is cast as a task for one learner: what it is shown, what its actions mean, what it is paid.

`ByTheGame` is the usual way, the game's own observation and actions. A paper may have another (`paper_envs.py`). Casts
are hashable and their methods pure, so environments with equal casts share what is compiled.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

import jax
import numpy as np
from gymnasium import spaces

from ludens.core.game import Game, S
from ludens.core.types import Array


@dataclass(frozen=True)
class Cast(ABC, Generic[S]):
    """A game as the learner in one seat meets it. `N` is the number of its actions, legal or not."""

    forfeit: ClassVar[float] = -1.0
    """What a learner is paid whose action was illegal, which ends the episode."""

    game: Game[S]

    @property
    @abstractmethod
    def actions(self) -> int:
        """N."""

    @abstractmethod
    def space(self) -> spaces.Space[Any]:
        """Of what `observe` gives."""

    def begin(self) -> Any:
        """What is remembered beside the state when a game begins: a pytree of arrays."""
        return ()

    def follow(self, memory: Any, s: S, a: Array, t: S) -> Any:
        """The memory after somebody's action `a` has led from `s` to `t`."""
        return memory

    @abstractmethod
    def observe(self, memory: Any, view: S, seat: Array) -> Any:
        """What the learner is shown, given what its `seat` may know: a pytree of arrays that `space` describes."""

    @abstractmethod
    def mask(self, memory: Any, view: S) -> Array:
        """Which actions the learner may choose when it is to move, `bool[N]`; there is always one."""

    @abstractmethod
    def action(self, memory: Any, view: S, n: Array) -> Array:
        """The game's action that the learner's action `n` stands for, `int32[]`."""

    def earned(self, s: S, a: Array, t: S, seat: Array) -> Array:
        """What `seat` is paid for an action from `s` to `t`, whoever made it, `float32[]`."""
        return self.game.returns(t)[seat]

    def explain(self, view: S, n: int) -> str:
        """The sentence for an action that the learner may not choose."""
        if not 0 <= n < self.actions:
            return f"action {n} does not exist in {self.game.id}: expected 0 to {self.actions - 1}"
        return f"action {n} cannot be played in {self.game.id} now: expected one that info['action_mask'] allows"


class ByTheGame(Cast[S]):
    """The game's own observation and actions; the result is paid at the end."""

    @property
    def actions(self) -> int:
        return self.game.num_actions

    def space(self) -> spaces.Space[Any]:
        shapes = jax.eval_shape(self.game.init, jax.random.key(0))
        return spaces.Box(-1.0, 1.0, jax.eval_shape(lambda s: self.game.observe(s, 0), shapes).shape, np.float32)

    def observe(self, memory: Any, view: S, seat: Array) -> Any:
        return self.game.observe(view, seat).astype(np.float32)

    def mask(self, memory: Any, view: S) -> Array:
        return self.game.legal(view)

    def action(self, memory: Any, view: S, n: Array) -> Array:
        return n

    def explain(self, view: S, n: int) -> str:
        """The game's own words, with the moves that can be played."""
        if not 0 <= n < self.actions:
            return super().explain(view, n)
        return self.game.rejection(f"action {n}", view)
