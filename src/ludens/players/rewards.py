"""What learners can be paid with, by name: the result, or the points that a paper gives on the way."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from ludens.core.game import Game
from ludens.core.types import Action, Array
from ludens.games import ur
from ludens.games.okey import reward as okey_reward

Earned: TypeAlias = Callable[[Any, Action, Any], Array]
"""From a position, a move in it and the next position in which somebody decides, or the end: what each seat earns by
that, `float32[P]`."""

NAMES = ("paper", "result", "closer", "race", "sparse")


@dataclass(frozen=True)
class Reward:
    """What is paid, and on which scale."""

    earned: Earned
    most: float
    """The most that one move can earn: nets learn in units of it."""


def reward(name: str, game: Game[Any]) -> Reward:
    """The reward called `name` in `game`; ValueError says what was expected.

    `result` is the result at the end and nothing before. `paper` is what the paper on this game gave, which is the
    result too unless it is listed here. `closer` is the result, and on the way what comes closer to winning; `race`
    pays that at the cost of the others. `sparse` is the result in the points that a paper counts in.
    """
    if name not in NAMES:
        raise ValueError(f"there is no reward '{name}': expected one of {', '.join(NAMES)}")
    if (name, game.id) in _REWARDS:
        pays, most = _REWARDS[name, game.id]
        return Reward(partial(pays, game), most)
    if name in ("closer", "race", "sparse"):
        raise ValueError(f"there is no reward '{name}' in {game.id}: expected paper or result")
    return Reward(lambda s, a, t: game.returns(t), 1.0)


_REWARDS: dict[tuple[str, str], tuple[Callable[[Any, Any, Action, Any], Array], float]] = {
    ("paper", "ur"): (ur.paper_reward, ur.WIN),
    ("paper", "okey"): (okey_reward.paper_reward, okey_reward.MOST),
    ("closer", "okey"): (okey_reward.closer_reward, 1.0),
    ("race", "okey"): (okey_reward.race_reward, 1.0),
    ("sparse", "okey"): (lambda game, s, a, t: okey_reward.sparse_reward(game, t), okey_reward.SPARSE),
}
"""By name and game, where it is not the result: `pays(game, s, a, t)`, and the most that it pays for a move."""
