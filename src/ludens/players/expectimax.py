"""The player who weighs every throw: expectiminimax with any evaluator, `expectimax:2:race`."""

from dataclasses import dataclass
from typing import Any, Self

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S
from ludens.core.player import Decision, Player, best
from ludens.core.types import Key
from ludens.players.evaluators import evaluator_and_depth
from ludens.search.expectimax import expectimax

DEEPEST = 6


@dataclass(frozen=True)
class Expectimax(Player[S]):
    """Looks `depth` moves ahead through all that fate can do, and chooses at random among equally good moves.

    Scores are expected values in the evaluator's own units.
    """

    evaluator: Evaluator[S]
    depth: int = 2

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        """Two sides, nothing hidden, and fate between the moves."""
        return game.num_players == 2 and not game.hidden and game.rolls == 1

    @classmethod
    def from_options(cls, game: Game[S], options: tuple[str, ...]) -> Self:
        """`expectimax`, `expectimax:2` or `expectimax:2:race`."""
        return cls(game, *evaluator_and_depth(game, options, usual=cls.depth, deepest=DEEPEST))

    def init(self, key: Key) -> Any:
        return self.evaluator.init(key)

    def act(self, params: Any, key: Key, view: S) -> Decision:
        return best(expectimax(self.game, self.evaluator, params, view, depth=self.depth), key)
