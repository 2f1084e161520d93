"""What learners can be paid with, by name: the result, or the points that a paper gives on the way."""

from collections.abc import Callable
from typing import Any, TypeAlias

from ludens.core.game import Game
from ludens.core.types import Action, Array
from ludens.games.ur_reward import paper_reward as ur_paper

Reward: TypeAlias = Callable[[Any, Action, Any], Array]
"""From a position, a move in it and the next position in which somebody decides, or the end: `float32[P]`, what each
seat earns by that."""

NAMES = ("paper", "result")

_PAPERS: dict[str, Callable[..., Array]] = {"ur": ur_paper}
"""By the game's id, where a paper pays for more than the result."""


def reward(name: str, game: Game[Any]) -> Reward:
    """The reward called `name` in `game`; ValueError says what was expected.

    `result` is the result at the end and nothing before, `paper` what the paper on this game gave, which is the result
    too where it gave nothing else.
    """
    if name not in NAMES:
        raise ValueError(f"there is no reward '{name}': expected one of {', '.join(NAMES)}")
    if name == "paper" and game.id in _PAPERS:
        points = _PAPERS[game.id]
        return lambda s, a, t: points(game, s, a, t)
    return lambda s, a, t: game.returns(t)
