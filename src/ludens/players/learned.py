"""Runs as players: `run:DIR` plays what was learned there, `run:DIR@2` the third of several seeds.

A run's folder says in `run.json` for which game and variant it was trained and which kind of agent plays with its
weights; those lie in `checkpoint.safetensors`, also while the run still goes on.
"""

import json
from collections.abc import Mapping
from typing import Any

from ludens.core import storage
from ludens.core.game import Game, S, variant
from ludens.core.run_files import CHECKPOINT, PARAMS, folder_and_seed, read_run
from ludens.players.agent import Agent, Source
from ludens.players.okey_actors import TwoActors
from ludens.players.onitama_actor import ActorPlayer
from ludens.players.policy_net import PolicyPlayer, ResidualPlayer
from ludens.players.q_mlp import QMLP
from ludens.players.q_net import QNetAgent
from ludens.players.q_table import QTable
from ludens.players.v_net import VNet
from ludens.players.value_net import ValueNet
from ludens.players.value_table import ValueTable

_KINDS: tuple[type[Agent[Any]], ...] = (
    ValueNet,
    ValueTable,
    QTable,
    QMLP,
    QNetAgent,
    VNet,
    ActorPlayer,
    TwoActors,
    PolicyPlayer,
    ResidualPlayer,
)
AGENTS: dict[str, type[Agent[Any]]] = {kind.kind: kind for kind in _KINDS}


def agent_of(game: Game[S], facts: Mapping[str, Any], source: Source = lambda shapes: None) -> Agent[S]:
    """The agent that a learner's `agent()` describes, with weights from `source`; none if its caller has them."""
    return AGENTS[facts["kind"]].from_facts(game, facts, source)


def learned(where: str, game: Game[S]) -> Agent[S]:
    """The agent of the run in the folder `where`, with `@N` of its seed N; ValueError says what was expected."""
    folder, row = folder_and_seed(where)
    facts = read_run(folder)
    if facts["game"] != game.id or facts["variant"] != json.loads(json.dumps(variant(game))):
        trained = " ".join([facts["game"], *(f"--{field} {value}" for field, value in facts["variant"].items())])
        raise ValueError(f"'{folder}' was trained for {trained}: expected a run of the game that is played")
    if row >= facts["seeds"]:
        raise ValueError(f"'{folder}' has {facts['seeds']} seeds: expected @0 to @{facts['seeds'] - 1}")
    if facts["agent"].get("kind") not in AGENTS:
        raise ValueError(f"'{folder}' needs an agent of another version of ludens: expected one of {', '.join(AGENTS)}")
    path = folder / CHECKPOINT
    if not path.exists():
        raise ValueError(f"'{folder}' has no checkpoint yet: expected a run that has trained for a while")
    arrays = storage.load(path)[1]
    try:
        agent = agent_of(game, facts["agent"], lambda shapes: storage.unpack(arrays, shapes, part=PARAMS, row=row))
        shapes = agent.shapes()
    except (KeyError, TypeError, ValueError):
        said = json.dumps(facts["agent"])
        raise ValueError(f"'{folder}' describes no agent ({said}): expected what `ludens train` wrote") from None
    try:
        storage.unpack(arrays, shapes, part=PARAMS, row=row)
    except ValueError as error:
        raise ValueError(f"the checkpoint in '{folder}' does not fit its run: {error}") from None
    return agent
