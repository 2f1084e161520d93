"""The learners by name. Adding one is one file and one line here."""

from typing import Any

from ludens.core.game import Game
from ludens.learning.learner import Learner
from ludens.learning.td_lambda import TDLambda
from ludens.learning.td_table import TDTable

LEARNERS: dict[str, type[Learner[Any]]] = {kind.name: kind for kind in (TDLambda, TDTable)}


def learner(name: str, game: Game[Any], settings: dict[str, Any]) -> Learner[Any]:
    """The learner called `name` for `game`, with `settings` in place of defaults; ValueError says what was expected."""
    if name not in LEARNERS or not LEARNERS[name].learns(game):
        known = [each for each, kind in LEARNERS.items() if kind.learns(game)]
        raise ValueError(f"'{name}' cannot learn {game.id}: expected one of {', '.join(known)}")
    kind = LEARNERS[name]
    return kind(game, kind.config_type(**settings))
