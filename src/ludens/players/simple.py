"""The players who look one move ahead at most: at random, for wins and blocks, or by what an evaluator says."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S, pick, random_action, sign
from ludens.core.player import Decision, Player, best
from ludens.core.types import Array, Key
from ludens.players.evaluators import evaluator
from ludens.players.lookahead import after_each
from ludens.players.tactics import wins_and_blocks, wins_first


@dataclass(frozen=True)
class Random(Player[S]):
    """Every legal action is equally likely."""

    scores_are: ClassVar[str] = "probability"

    def act(self, params: Any, key: Key, view: S) -> Decision:
        legal = self.game.legal(view)
        share = 1.0 / jnp.maximum(legal.sum(), 1).astype(jnp.float32)
        action = random_action(self.game, view, key)
        return Decision(action=action, scores=jnp.where(legal, share, -jnp.inf))


@dataclass(frozen=True)
class SmartRandom(Player[S]):
    """The opponent of Gatti et al. 2011, section 3.3: takes a win, else blocks one, else plays at random.

    It is 'smart such that it was allowed to take greedy wins or blocks', here in any game of two players. A win ends
    the game at once in one's favour. A block keeps the opponent from winning at once, whatever it throws. Among several
    wins, several blocks, or all moves where neither exists or every move blocks, each is equally likely. In Okey, where
    the other hand is hidden, it only looks for wins.
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
        chosen = wins_and_blocks(self.game, view) if self.blocks else wins_first(self.game, view)
        share = chosen / jnp.maximum(chosen.sum(), 1).astype(jnp.float32)
        action = pick(chosen, jax.random.bits(key, dtype=jnp.uint32))
        return Decision(action=action, scores=jnp.where(self.game.legal(view), share, -jnp.inf))


@dataclass(frozen=True)
class Greedy(Player[S]):
    """Plays to the best position, as `evaluator` sees it before fate or the opponent answers; ties at random.

    Scores are the values, for the mover, of the positions that moves lead to.
    """

    evaluator: Evaluator[S]

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        """Where nothing is hidden: an evaluator judges what the opponent will see."""
        return not game.hidden

    @classmethod
    def from_options(cls, game: Game[S], options: tuple[str, ...]) -> Self:
        """`greedy` by the game's usual evaluator, `greedy:mobility` or `greedy:run:DIR` by another."""
        return cls(game, evaluator(options, game))

    def init(self, key: Key) -> Any:
        return self.evaluator.init(key)

    def act(self, params: Any, key: Key, view: S) -> Decision:
        scores = after_each(self.game, self._worth, params, view)
        return best(jnp.where(self.game.legal(view), scores, -jnp.inf), key)

    def _worth(self, params: Any, s: S, t: S) -> Array:
        """What `t` is worth to the mover of `s`, `float32[]`."""
        value = jnp.where(self.game.done(t), self.evaluator.outcome(t), self.evaluator.value(params, t))
        return sign(self.game, s, t) * value
