"""The player who cannot do better: it looks up the solution of the game."""

from dataclasses import dataclass
from typing import Any, Self

import jax
import jax.numpy as jnp

from ludens.core.game import Game, S, pick
from ludens.core.player import Decision, Player
from ludens.core.types import Key
from ludens.oracles import solvable
from ludens.oracles.store import at_hand, load, untold


@dataclass(frozen=True)
class Optimal(Player[S]):
    """Plays a best move, at random among equals; wins as soon and loses as late as it can where distances are known.

    Its scores are exact: the result that each move leads to, in Ur the chance of winning.
    """

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        """Where a solution is stored, or quickly made."""
        return at_hand(game)

    @classmethod
    def from_options(cls, game: Game[S], options: tuple[str, ...]) -> Self:
        """No options; ValueError if this variant of `game` cannot be solved, or has not been."""
        solvable(game)
        if not at_hand(game):
            raise ValueError(untold(game))
        return super().from_options(game, options)

    def init(self, key: Key) -> Any:
        """The table of the solution, solved now if it was not stored and is quickly made."""
        return jax.tree.map(jnp.asarray, load(self.game)[1].table)

    def act(self, params: Any, key: Key, view: S) -> Decision:
        oracle = solvable(self.game)
        # A position that play cannot reach is in no table; there every legal move is as good as another.
        preference = jnp.where(self.game.legal(view), jnp.nan_to_num(oracle.preference(params, view)), -jnp.inf)
        best = preference >= preference.max() - oracle.tolerance
        action = pick(best, jax.random.bits(key, dtype=jnp.uint32))
        return Decision(action=action, scores=oracle.values(params, view))
