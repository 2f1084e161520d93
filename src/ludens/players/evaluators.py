"""The evaluators by name, for searching players: the `positional` of `alphabeta:4:positional`."""

from typing import Any

import jax.numpy as jnp

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S
from ludens.core.types import Array
from ludens.players.onitama import Material
from ludens.players.othello import Discs, Mobility, Positional
from ludens.players.ur import Race


class Result(Evaluator[S]):
    """Knows a finished game only; every open position counts 0."""

    def value(self, params: Any, s: S) -> Array:
        """0."""
        return jnp.zeros((), jnp.float32)


EVALUATORS: dict[str, type[Evaluator[Any]]] = {
    "positional": Positional,
    "mobility": Mobility,
    "discs": Discs,
    "material": Material,
    "race": Race,
    "result": Result,
}
"""The first that is made for a game is the one its searches use unless told otherwise."""


def evaluator(name: str, game: Game[S]) -> Evaluator[S]:
    """The evaluator called `name` for `game`; ValueError says what was expected."""
    if name not in EVALUATORS or not _judges(EVALUATORS[name], game):
        names = [each for each, kind in EVALUATORS.items() if _judges(kind, game)]
        raise ValueError(f"'{name}' cannot judge positions of {game.id}: expected one of {', '.join(names)}")
    return EVALUATORS[name](game)


def usual_evaluator(game: Game[S]) -> Evaluator[S]:
    """The evaluator that searches in `game` use unless told otherwise."""
    made_for_it = [kind for kind in EVALUATORS.values() if game.id in kind.games]
    return (made_for_it or [Result])[0](game)


def _judges(kind: type[Evaluator[Any]], game: Game[Any]) -> bool:
    return not kind.games or game.id in kind.games
