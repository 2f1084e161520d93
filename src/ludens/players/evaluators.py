"""Who judges positions for a search, by the words of a spec: the `4:positional` of `alphabeta:4:positional`."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S
from ludens.core.player import whole_number
from ludens.core.types import Array
from ludens.players.learned import learned
from ludens.players.onitama import Material
from ludens.players.othello import Discs, EndGame, Mobility, Positional
from ludens.players.ur import Race


class ResultEvaluator(Evaluator[S]):
    """Knows a finished game only; every open position counts 0."""

    def value(self, params: Any, s: S) -> Array:
        return jnp.zeros((), jnp.float32)


EVALUATORS: dict[str, type[Evaluator[Any]]] = {
    "positional": Positional,
    "mobility": Mobility,
    "discs": Discs,
    "material": Material,
    "race": Race,
    "result": ResultEvaluator,
}
"""The first that is made for a game is the one its searches use unless told otherwise."""


END_GAMES: dict[str, Callable[[Any], EndGame]] = {"othello": EndGame}
"""Who knows final scores, for exact end games, by the game's id."""


def evaluator(words: tuple[str, ...], game: Game[S]) -> Evaluator[S]:
    """Who judges `game` by these words of a spec: the usual one by none, a formula's name, or `run` and a folder.

    ValueError says what was expected.
    """
    if words[:1] == ("run",):
        return learned(":".join(words[1:]), game).evaluator()
    if len(words) > 1:
        raise ValueError(f"'{':'.join(words)}' is too much: expected one evaluator")
    judging = {name: kind for name, kind in EVALUATORS.items() if not kind.games or game.id in kind.games}
    name = words[0] if words else next(iter(judging))
    if name not in judging:
        raise ValueError(f"'{name}' cannot judge positions of {game.id}: expected one of {', '.join(judging)}")
    return judging[name](game)


def evaluator_and_depth(
    game: Game[S], options: tuple[str, ...], *, usual: int, deepest: int
) -> tuple[Evaluator[S], int]:
    """What a search is told: nothing, a depth (`4`), or a depth and an evaluator (`4:positional`, `4:run:DIR`)."""
    depth = whole_number("the depth", options[0], deepest) if options else usual
    return evaluator(options[1:], game), depth
