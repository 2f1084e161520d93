"""The player who knows nothing but the rules."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp

from ludens.core.game import S, random_action
from ludens.core.player import Decision, Player
from ludens.core.types import Key


@dataclass(frozen=True)
class Random(Player[S]):
    """Every legal action is equally likely."""

    scores_are: ClassVar[str] = "probability"

    def act(self, params: Any, key: Key, view: S) -> Decision:
        """A uniformly random legal action; its scores are the probabilities."""
        legal = self.game.legal(view)
        share = 1.0 / jnp.maximum(legal.sum(), 1).astype(jnp.float32)
        action = random_action(self.game, view, key)
        return Decision(action=action, scores=jnp.where(legal, share, -jnp.inf))
