"""What learners can be paid with, by name: the result, or the points that a paper gives on the way."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from ludens.core.game import Game
from ludens.core.types import Action, Array
from ludens.games import ur
from ludens.games.okey import reward as okey_reward

Earned: TypeAlias = Callable[[Any, Action, Any], Array]
"""From a position, a move in it and the next position in which somebody decides, or the end: what each seat earns by
that, `float32[P]`."""

NAMES = ("paper", "result", "closer", "sparse")


@dataclass(frozen=True)
class Reward:
    """What is paid, and on which scale."""

    earned: Earned
    most: float
    """The most that one move can earn: nets learn in units of it."""


def reward(name: str, game: Game[Any]) -> Reward:
    """The reward called `name` in `game`; ValueError says what was expected.

    `result` is the result at the end and nothing before. `paper` is what the paper on this game gave, which is the
    result too unless it is listed here. `closer` is the result, and on the way what comes closer to winning. `sparse`
    is the result in the points that a paper counts in.
    """
    if name not in NAMES:
        raise ValueError(f"there is no reward '{name}': expected one of {', '.join(NAMES)}")
    if name == "paper" and game.id in _PAPERS:
        return _PAPERS[game.id](game)
    if name == "closer":
        if game.id not in _CLOSER:
            raise ValueError(f"nothing says what is closer to winning {game.id}: expected reward paper or result")
        return _CLOSER[game.id](game)
    if name == "sparse":
        if game.id not in _SPARSE:
            raise ValueError(f"no paper says what {game.id} pays in the end alone: expected reward paper or result")
        return _SPARSE[game.id](game)
    return Reward(lambda s, a, t: game.returns(t), 1.0)


_PAPERS: dict[str, Callable[[Any], Reward]] = {
    "ur": lambda game: Reward(lambda s, a, t: ur.paper_reward(game, s, a, t), ur.WIN),
    "okey": lambda game: Reward(lambda s, a, t: okey_reward.paper_reward(game, s, a, t), okey_reward.MOST),
}
"""By the game's id, where a paper pays for more than the result."""
_CLOSER: dict[str, Callable[[Any], Reward]] = {
    "okey": lambda game: Reward(lambda s, a, t: okey_reward.closer_reward(game, s, a, t), 1.0),
}
"""By the game's id, where there is a measure of how far a position is from being won."""
_SPARSE: dict[str, Callable[[Any], Reward]] = {
    "okey": lambda game: Reward(lambda s, a, t: okey_reward.sparse_reward(game, t), okey_reward.SPARSE),
}
"""By the game's id, where a paper has such points."""
