"""Runs as players: `run:DIR` plays what was learned there, `run:DIR@2` the third of several seeds.

A run's folder says in `run.json` for which game and variant it was trained and which kind of agent plays with its
weights; those lie in `checkpoint.safetensors`, also while the run still goes on. An agent that was taken out of its
run, such as those that ship, has an `agent.json` and its weights alone.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

from ludens.core import storage
from ludens.core.agent_files import AGENT, WEIGHTS, called, fits, is_agent, read_agent, variants_in_words
from ludens.core.agent_files import FORMAT as AGENT_FORMAT
from ludens.core.game import Game, S, variant
from ludens.core.run_files import CHECKPOINT, PARAMS, folder_and_seed, read_run
from ludens.players.agent import Agent, Source
from ludens.players.okey_actors import TwoActors
from ludens.players.onitama_actor import ActorPlayer
from ludens.players.patterns import PatternAgent
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
    PatternAgent,
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
    """The agent of the run in the folder `where`, with `@N` of its seed N; ValueError says what was expected.

    The folder may also hold an agent that was taken out of its run (`core/agent_files.py`).
    """
    folder, seed = folder_and_seed(where)
    alone = is_agent(folder)
    facts = read_agent(folder) if alone else read_run(folder)
    name, row = called(folder), None if alone else seed
    if facts["agent"].get("kind") not in AGENTS:
        raise ValueError(f"'{name}' needs an agent of another version of ludens: expected one of {', '.join(AGENTS)}")
    arrays = _weights(folder, facts, game) if alone else _checkpoint(folder, facts, game, seed)
    try:
        agent = agent_of(game, facts["agent"], lambda shapes: storage.unpack(arrays, shapes, part=PARAMS, row=row))
        shapes = agent.shapes()
    except (KeyError, TypeError, ValueError):
        said = json.dumps(facts["agent"])
        raise ValueError(f"'{name}' describes no agent ({said}): expected what `ludens train` wrote") from None
    try:
        storage.unpack(arrays, shapes, part=PARAMS, row=row)
    except ValueError as error:
        what = f"the weights of '{name}' do not fit it" if alone else f"the checkpoint in '{name}' does not fit its run"
        raise ValueError(f"{what}: {error}") from None
    return agent


def _checkpoint(folder: Path, facts: Mapping[str, Any], game: Game[Any], seed: int) -> dict[str, np.ndarray]:
    """The arrays of a run; ValueError if it was trained for something else or has learned nothing yet."""
    if facts["game"] != game.id or facts["variant"] != json.loads(json.dumps(variant(game))):
        trained = " ".join([facts["game"], *(f"--{field} {value}" for field, value in facts["variant"].items())])
        raise ValueError(f"'{folder}' was trained for {trained}: expected a run of the game that is played")
    if seed >= facts["seeds"]:
        raise ValueError(f"'{folder}' has {facts['seeds']} seeds: expected @0 to @{facts['seeds'] - 1}")
    path = folder / CHECKPOINT
    if not path.exists():
        raise ValueError(f"'{folder}' has no checkpoint yet: expected a run that has trained for a while")
    return storage.load(path)[1]


def _weights(folder: Path, facts: Mapping[str, Any], game: Game[Any]) -> dict[str, np.ndarray]:
    """The arrays of an agent, `float32` however they are stored; ValueError if they are not those of this agent."""
    name = called(folder)
    if not fits(facts, game.id, variant(game)):
        plays = f"{facts['game']} ({variants_in_words(facts)})"
        raise ValueError(f"'{name}' plays {plays}: expected an agent of the game that is played")
    try:
        stored, arrays = storage.load(folder / WEIGHTS)
    except ValueError:
        raise ValueError(f"the weights of '{name}' are cut short or altered: expected them as they were made") from None
    if (stored.get("game"), stored.get("agent")) != (facts["game"], facts["agent"]):
        made_for = f"{stored.get('game')} ({json.dumps(stored.get('agent'))})"
        raise ValueError(f"the weights of '{name}' are of {made_for}: expected those of {facts['game']}")
    return {leaf: x.astype(np.float32) if x.dtype == np.float16 else x for leaf, x in arrays.items()}


def write_agent(folder: Path, facts: Mapping[str, Any], params: Any, *, half: bool = False) -> None:
    """An agent in a folder of its own: `facts` as `agent.json` has them, `params` without an axis for seeds.

    With `half`, numbers are stored with 16 bits; ValueError if some are too large for that.
    """
    if half:
        params = jax.tree.map(_halved, params)
    folder.mkdir(parents=True, exist_ok=True)
    storage.write(folder / WEIGHTS, {PARAMS: params}, {name: facts[name] for name in ("game", "agent")})
    text = json.dumps({"format": AGENT_FORMAT, **facts}, indent=2, ensure_ascii=False) + "\n"
    storage.replace(folder / AGENT, text.encode())


def _halved(x: Any) -> np.ndarray:
    array = np.asarray(x)
    if array.dtype != np.float32:
        return array
    with np.errstate(over="ignore"):
        short = array.astype(np.float16)
    if not np.isfinite(short).all():
        raise ValueError(f"a weight of {np.abs(array).max():g} is too large for 16 bits: expected to store 32")
    return short
