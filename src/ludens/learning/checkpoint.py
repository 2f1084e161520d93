"""A run on disk: what it is, where it stands, and what it tells about itself (`core/run_files.py` names the files).

The checkpoint holds everything the loop carries, and the part of it that plays under the name `params`, where
players find it. It is replaced in one step: whoever kills the process finds the last one whole. A line of metrics is
written before the checkpoint that goes with it, and a checkpoint knows how many lines it has seen, so a run that was
killed in between begins by cutting off what it will write again.
"""

import json
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import jax
import numpy as np

from ludens.core import storage
from ludens.core.game import variant
from ludens.core.run_files import (
    CHECKPOINT,
    FORMAT,
    METRICS,
    PARAMS,
    RUN,
    device,
    leaf_today,
    read_metrics,
    read_run,
)
from ludens.core.settings import as_options
from ludens.learning.learner import Learner
from ludens.learning.loop import Training, compiled_begin
from ludens.players.learned import write_agent

TRAINING = "training"
KEPT = "kept"
"""The folder in a run's with what it played like on the way."""


@dataclass(frozen=True)
class RunTerms:
    """What a run is: nothing here changes while it lasts."""

    game: str
    variant: dict[str, Any]
    learner: str
    config: dict[str, Any]
    agent: dict[str, Any]
    seed: int  # the first of its seeds
    seeds: int  # how many independent learners it trains side by side, with seeds `seed`, `seed + 1` and so on

    @classmethod
    def of(cls, learner: Learner[Any], seed: int, seeds: int) -> Self:
        facts = variant(learner.game), learner.config.to_dict(), learner.agent()
        fields, config, agent = json.loads(json.dumps(facts))  # as they will be read back
        return cls(learner.game.id, fields, learner.name, config, agent, seed, seeds)

    def write(self, folder: Path) -> None:
        text = json.dumps({"format": FORMAT, "ludens": version("ludens"), **vars(self)}, indent=2) + "\n"
        storage.replace(folder / RUN, text.encode())

    @classmethod
    def read(cls, folder: Path, learner: Learner[Any]) -> Self:
        """The terms in `folder`; ValueError if it holds no run that this version understands.

        A setting of `learner` that did not exist when the run began had the default of today.
        """
        facts = read_run(folder)
        if facts["learner"] == learner.name:
            facts["config"] = type(learner.config)().to_dict() | facts["config"]
        return cls(**{name: facts[name] for name in cls.__dataclass_fields__})

    def differences(self, other: Self) -> str:
        """In which terms `other` differs, for a message; empty if in none. The agent follows from the others."""
        mine, theirs = (_flat(vars(terms) | {"agent": {}}) for terms in (self, other))
        names = [name for name in mine | theirs if mine.get(name) != theirs.get(name)]
        return ", ".join(f"{name} {theirs.get(name)} instead of {mine.get(name)}" for name in names)


def save(folder: Path, learner: Learner[Any], training: Training, *, lines: int) -> None:
    """Replace the checkpoint; `lines` of the metrics belong to it."""
    tree = {TRAINING: training, PARAMS: params_of(learner, training)}
    storage.write(folder / CHECKPOINT, tree, {"format": FORMAT, "lines": lines})


def snapshot(folder: Path, learner: Learner[Any], training: Training, terms: RunTerms, games: int) -> None:
    """Keep what plays now beside the run, as an agent of its own (`run:DIR/kept/GAMES`); of several seeds the first."""
    params = jax.tree.map(lambda x: np.asarray(x[0]), params_of(learner, training))
    write_agent(folder / KEPT / str(games), agent_facts(learner, terms, read_metrics(folder)), params)


def agent_facts(learner: Learner[Any], terms: RunTerms, lines: list[dict[str, Any]], seed: int = 0) -> dict[str, Any]:
    """What `agent.json` says of a run's agent, as far as the run knows; `lines` are its metrics so far."""
    return {
        "game": terms.game,
        "variants": [terms.variant],
        "agent": terms.agent,
        "plays": "",
        "champion": False,
        "about": "",
        "training": {
            "command": command(learner, terms),
            "games": lines[-1]["games"] if lines else 0,
            "seconds": round(sum(line["seconds"] for line in lines), 1),
            "device": device(lines),
            "seed": terms.seed + seed,
        },
        "weaknesses": "",
    }


def command(learner: Learner[Any], terms: RunTerms) -> str:
    """What trains it again: settings that are as usual are not said."""
    words = ["ludens train", terms.game, terms.learner]
    for kind, chosen in ((type(learner.game), variant(learner.game)), (type(learner.config), terms.config)):
        usual = kind()
        words += as_options(kind, {name: x for name, x in chosen.items() if x != getattr(usual, name)})
    seeds = {"--seed": (terms.seed, 0), "--seeds": (terms.seeds, 1)}
    return " ".join(words + [f"{option}={number}" for option, (number, usual) in seeds.items() if number != usual])


def params_of(learner: Learner[Any], training: Training) -> Any:
    """What plays, `[R]`."""
    return jax.vmap(learner.params)(training.learner)


def load(folder: Path, learner: Learner[Any], seeds: int) -> tuple[Training, int] | None:
    """Where the run stands, and how many lines of metrics belong to that; None before its first checkpoint.

    ValueError if the file is cut short or does not fit the learner.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        return None
    facts, arrays = storage.load(path)
    if facts["format"] == 1:
        arrays = _today(arrays, learner)
    shapes = jax.eval_shape(compiled_begin(learner), np.zeros(seeds, np.uint32))
    try:
        return storage.unpack(arrays, shapes, part=TRAINING), int(facts["lines"])
    except ValueError as error:
        raise ValueError(f"'{path}' does not fit this run: {error}") from None


def lines(folder: Path) -> int | None:
    """How many lines of metrics belong to the checkpoint; None before the first. ValueError if it is cut short."""
    path = folder / CHECKPOINT
    return int(storage.load(path)[0]["lines"]) if path.exists() else None


def append(folder: Path, line: dict[str, Any]) -> None:
    with (folder / METRICS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def keep(folder: Path, lines: int) -> None:
    """Keep the first `lines` lines of metrics and cut off the rest."""
    path = folder / METRICS
    kept = path.read_bytes().splitlines(keepends=True)[:lines] if path.exists() else []
    storage.replace(path, b"".join(kept))


def _today(arrays: dict[str, np.ndarray], learner: Learner[Any]) -> dict[str, np.ndarray]:
    """A checkpoint of format 1 as it would be written now."""
    found = {leaf_today(name): array for name, array in arrays.items()}
    if learner.name == "ddpg":  # which had no rewards to keep until the end of a game
        memory = f"{TRAINING}.memory."
        found = {name.replace(f"{memory}decision.", f"{memory}pending.decision."): x for name, x in found.items()}
        found[f"{memory}pending.reward"] = np.zeros(found[f"{memory}pending.decision.action"].shape, np.float32)
    return found


def _flat(facts: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Facts within facts by their full names."""
    flat: dict[str, Any] = {}
    for name, value in facts.items():
        flat |= _flat(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: value}
    return flat
