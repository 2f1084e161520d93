"""The player who looks ahead: alpha-beta with any evaluator. `alphabeta:4:positional` is a paper's opponent."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import jax

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S
from ludens.core.player import Decision, Player, alone, best
from ludens.core.types import Array, Key
from ludens.players.evaluators import evaluator_and_depth
from ludens.search.alpha_beta import alpha_beta

DEEPEST = 40


@dataclass(frozen=True)
class AlphaBeta(Player[S]):
    """Looks `depth` plies ahead, judges by `evaluator`, and chooses at random among equally good moves.

    Scores are values in the evaluator's own units, an end that is in sight counting `evaluator.win`. Those of moves
    that `act` refuted are bounds below the best; `analyse` gives true values.
    """

    evaluator: Evaluator[S]
    depth: int = 4

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        """Two sides, nothing hidden, nothing left to fate."""
        return game.num_players == 2 and not game.hidden and not game.rolls

    @classmethod
    def from_options(cls, game: Game[S], options: tuple[str, ...]) -> Self:
        """`alphabeta`, `alphabeta:4` or `alphabeta:4:positional`."""
        return cls(game, *evaluator_and_depth(game, options, usual=cls.depth, deepest=DEEPEST))

    def init(self, key: Key) -> Any:
        return self.evaluator.init(key)

    def act(self, params: Any, key: Key, view: S) -> Decision:
        return alone(partial(self._decide, params, exact=False), key, view)

    def analyse(self, params: Any, key: Key, view: S) -> Decision:
        return alone(partial(self._decide, params, exact=True), key, view)

    def act_batch(self, params: Any, keys: Key, views: S) -> Decision:
        """One of the best moves in each position; all are searched together."""
        return self._decide(params, keys, views, exact=False)

    def act_batch_to(self, depth: Array, params: Any, keys: Key, views: S) -> Decision:
        """As the player who looks only `depth` (`int32[]`) plies ahead: several depths, compiled once."""
        return self._decide(params, keys, views, exact=False, limit=depth)

    def _decide(self, params: Any, keys: Key, views: S, *, exact: bool | Array, limit: Array | None = None) -> Decision:
        found = alpha_beta(self.game, self.evaluator, params, views, depth=self.depth, limit=limit, exact=exact)
        decisions: Decision = jax.vmap(best)(found.scores, keys)
        return decisions


def one_search(players: Sequence[Player[S]]) -> tuple[AlphaBeta[S], tuple[int, ...]] | None:
    """If players differ in how deep they look and in nothing else: whoever looks deepest, and the depths of all."""
    searching = [who for who in players if isinstance(who, AlphaBeta)]
    if not searching or len(searching) < len(players):
        return None
    deepest = max(searching, key=lambda who: who.depth)
    alike = all(replace(who, depth=deepest.depth) == deepest for who in searching)
    return (deepest, tuple(who.depth for who in searching)) if alike else None
