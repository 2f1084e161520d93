"""Agents at work, as a thinking process knows them: they are made ready once, then decide and judge.

An agent gets the mover's view and nothing else. Its key is the arena's, so that an agent on the page plays what it
would play at `arena.live_game.LiveGame` with the same seed and acts.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ludens.arena.ply import Place, compiled_openings, keys
from ludens.core.game import Game
from ludens.core.player import Player
from ludens.core.types import Key
from ludens.oracles.store import load
from ludens.players.optimal import Optimal
from ludens.web.opponents import JUDGES
from ludens.web.protocol import AgentId, Question
from ludens.web.worker import catalogue
from ludens.web.worker.catalogue import game_of
from ludens.web.worker.render import packing
from ludens.web.worker.review import Judge

MOST = 48
"""Agents that are kept ready; those that were not asked for longest go."""
DECIDE, JUDGE = "decide", "judge"
FIRST = Place(np.uint32(0), np.int32(0))

_ready: "OrderedDict[tuple[AgentId, str], Decider | Judge]" = OrderedDict()
"""By agent and task, the one that was asked last at the end."""


class Decider:
    """A player that is compiled and has not yet been asked anything: a first thought may take its time."""

    def __init__(self, player: Player[Any], view: Any) -> None:
        self._choose = player.asked(player.init(jax.random.key(0)), _key(FIRST), view)

    def decide(self, key: Key, view: Any) -> int:
        return int(self._choose(key, view).action)


def prepare(agent: AgentId, task: str, tell: Callable[[str], None]) -> None:
    """Make an agent ready to `decide` or to `judge`; ValueError if it cannot play."""
    game = game_of(agent.variant)
    player = catalogue.agent(game, agent.path)
    if isinstance(player, Optimal):
        load(player.game, lambda share: tell("solving"))
    sample = _sample(game)
    _ready[agent, task] = (
        Decider(player, sample)
        if task == DECIDE
        else Judge(player, _key(FIRST), sample, solve_ends=agent.spec in JUDGES[game.id])
    )
    while len(_ready) > MOST:
        _ready.popitem(last=False)


def decide(agent: AgentId, question: Question) -> int:
    """What the agent does."""
    decider = _at_hand(agent, DECIDE)
    assert isinstance(decider, Decider)
    return decider.decide(_key_of(question), packing(game_of(agent.variant)).one(question.view))


def judge(agent: AgentId, question: Question) -> dict[str, Any]:
    """What the agent thinks of every legal act, and of the one that was played."""
    judge = _at_hand(agent, JUDGE)
    assert isinstance(judge, Judge)
    return judge.judgement(_key_of(question), packing(game_of(agent.variant)).one(question.view), question)


def _at_hand(agent: AgentId, task: str) -> "Decider | Judge":
    if (agent, task) not in _ready:
        prepare(agent, task, lambda what: None)
    _ready.move_to_end((agent, task))
    return _ready[agent, task]


def _sample(game: Game[Any]) -> Any:
    """A position to try an agent on, as its mover knows it."""
    state = jax.tree.map(lambda x: np.asarray(x)[0], compiled_openings(game, 0)(np.zeros(1, np.uint32)).state)
    return jax.tree.map(np.asarray, jax.jit(game.view)(state, game.player(state)))


def _key_of(question: Question) -> Key:
    key: Key = _key(Place(np.uint32(question.course.stream), np.int32(len(question.course.actions))))
    return key


_key = jax.jit(lambda place: keys(place)[0])
