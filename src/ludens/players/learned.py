"""Runs as players: `run:DIR` plays what was learned there, `run:DIR@2` the third of several seeds.

A run's folder says in `run.json` for which game and variant it was trained and which kind of agent plays with its
weights; those lie in `checkpoint.safetensors`, also while the run still goes on.
"""

import json
from pathlib import Path
from typing import Any

from ludens.core import storage
from ludens.core.game import Game, S, variant
from ludens.players.actor import ActorPlayer
from ludens.players.agent import Agent
from ludens.players.policy_net import PolicyPlayer
from ludens.players.q_mlp import QMLP
from ludens.players.q_net import QNetAgent
from ludens.players.q_table import QTable
from ludens.players.two_actors import TwoActors
from ludens.players.v_net import VNet
from ludens.players.value_net import ValueNet
from ludens.players.value_table import ValueTable

RUN = "run.json"
CHECKPOINT = "checkpoint.safetensors"
PARAMS = "params"
"""Where in a checkpoint the weights lie that play."""
FORMAT = 1
"""Goes up whenever a run would be read differently."""

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
)
AGENTS: dict[str, type[Agent[Any]]] = {kind.kind: kind for kind in _KINDS}
_TYPES = {"game": str, "variant": dict, "learner": str, "config": dict, "agent": dict, "seed": int, "seeds": int}
"""What `run.json` holds besides its format."""


def learned(where: str, game: Game[S]) -> Agent[S]:
    """The agent of the run in the folder `where`, with `@N` of its seed N; ValueError says what was expected."""
    name, at, number = where.rpartition("@")
    name, row = (name, number) if at and number.isdecimal() else (where, "0")
    folder = Path(name)
    facts = read_run(folder)
    if facts["game"] != game.id or facts["variant"] != json.loads(json.dumps(variant(game))):
        trained = " ".join([facts["game"], *(f"--{field} {value}" for field, value in facts["variant"].items())])
        raise ValueError(f"'{folder}' was trained for {trained}: expected a run of the game that is played")
    if int(row) >= facts["seeds"]:
        raise ValueError(f"'{folder}' has {facts['seeds']} seeds: expected @0 to @{facts['seeds'] - 1}")
    kind = AGENTS.get(facts["agent"].get("kind"))
    if kind is None:
        raise ValueError(f"'{folder}' needs an agent of another version of ludens: expected one of {', '.join(AGENTS)}")
    path = folder / CHECKPOINT
    if not path.exists():
        raise ValueError(f"'{folder}' has no checkpoint yet: expected a run that has trained for a while")
    arrays = storage.load(path)[1]
    try:
        agent = kind.from_facts(
            game, facts["agent"], lambda shapes: storage.unpack(arrays, shapes, part=PARAMS, row=int(row))
        )
        shapes = agent.shapes()
    except (KeyError, TypeError, ValueError):
        said = json.dumps(facts["agent"])
        raise ValueError(f"'{folder}' describes no agent ({said}): expected what `ludens train` wrote") from None
    try:
        storage.unpack(arrays, shapes, part=PARAMS, row=int(row))
    except ValueError as error:
        raise ValueError(f"the checkpoint in '{folder}' does not fit its run: {error}") from None
    return agent


def read_run(folder: Path) -> dict[str, Any]:
    """What `run.json` says; ValueError unless it is a run that this version understands."""
    path = folder / RUN
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(facts, dict) or "format" not in facts:
            raise ValueError
        if not all(isinstance(facts.get(name), kind) for name, kind in _TYPES.items()):
            raise ValueError
    except (OSError, ValueError):
        raise ValueError(f"'{folder}' holds no run: expected a folder that `ludens train` made") from None
    if facts["format"] != FORMAT:
        raise ValueError(f"'{folder}' is a run of format {facts['format']}: expected {FORMAT}, as this version writes")
    return facts
