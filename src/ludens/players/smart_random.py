"""The opponent of chung-toi.txt, section 3.3: takes a win, else blocks one, else plays at random."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp

from ludens.core.game import Game, S, pick
from ludens.core.player import Decision, Player
from ludens.core.types import Key
from ludens.players.tactics import wins_and_blocks, wins_first


@dataclass(frozen=True)
class SmartRandom(Player[S]):
    """Random, but 'smart such that it was allowed to take greedy wins or blocks', in any game of two players.

    A win ends the game at once in one's favour. A block keeps the opponent from winning at once, whatever it throws.
    Among several wins, several blocks, or all moves where neither exists or every move blocks, each is equally likely.
    In Okey, where the other hand is hidden, it only looks for wins.
    """

    blocks: bool = True
    """Whether it blocks; `smart-random:wins` only takes wins."""

    scores_are: ClassVar[str] = "probability"

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        """Any game of two players: with more of them, who would block whom?"""
        return game.num_players == 2

    @classmethod
    def from_options(cls, game: Game[S], options: tuple[str, ...]) -> Self:
        """`smart-random` or `smart-random:wins`."""
        if options not in ((), ("wins",)):
            raise ValueError(f"it has options it cannot take ('{':'.join(options)}'): expected none, or wins")
        return cls(game, not options)

    def act(self, params: Any, key: Key, view: S) -> Decision:
        """One of the wins, else of the blocks, else of all moves; its scores are the probabilities."""
        chosen = wins_and_blocks(self.game, view) if self.blocks else wins_first(self.game, view)
        share = chosen / jnp.maximum(chosen.sum(), 1).astype(jnp.float32)
        action = pick(chosen, jax.random.bits(key, dtype=jnp.uint32))
        return Decision(action=action, scores=jnp.where(self.game.legal(view), share, -jnp.inf))
