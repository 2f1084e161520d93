"""The player who weighs every throw: expectiminimax with any evaluator, `expectimax:2:race`."""

from dataclasses import dataclass
from typing import Any, Self

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S
from ludens.core.player import Decision, Player, best
from ludens.core.types import Key
from ludens.players.evaluators import evaluator, usual_evaluator
from ludens.players.options import whole_number
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
        if len(options) > 2:
            raise ValueError(f"'{':'.join(options)}' is too much: expected a depth and an evaluator")
        depth = whole_number("the depth", options[0], 1, DEEPEST) if options else cls.depth
        return cls(game, evaluator(options[1], game) if options[1:] else usual_evaluator(game), depth)

    def init(self, key: Key) -> Any:
        """The evaluator's weights."""
        return self.evaluator.init(key)

    def act(self, params: Any, key: Key, view: S) -> Decision:
        """One of the moves with the best expectation."""
        return best(expectimax(self.game, self.evaluator, params, view, depth=self.depth), key)
