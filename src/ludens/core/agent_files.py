"""Agents on disk, apart from the run that made them: those that ship with Ludens, and what a spec that names one means.

    agents/NAME/agent.json            what it is: game, variants, kind of agent, how it plays, and its card
    agents/NAME/weights.safetensors   what it learned, and nothing that only its learner needs
    agents/strength.json              how strong they were measured to be (`ludens strength`)

Specs take them as they take runs: `agent:NAME` is what was learned alone, `mcts:100:agent:NAME` a search that asks it.
`NAME` is the agent as it usually plays, `NAME:2s` or `NAME:400` the same with another budget for its search, `NAME:net`
without any; and `champion` is the name of whichever agent is the champion of the game and variant at hand.

Without JAX, as `run_files`: the web server reads the same cards.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ludens.core.run_files import content

HOME = Path(__file__).parents[1] / "agents"
"""Where those are that ship."""
AGENT = "agent.json"
WEIGHTS = "weights.safetensors"
STRENGTH = "strength.json"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""Of an agent, as it stands in specs."""
FORMAT = 1
"""Goes up whenever an agent would be read differently."""
CHAMPION, ALONE, BY_NAME = "champion", "net", "agent"
"""Words of specs: the champion at hand, without its search, and what goes before a name in a search."""
_TYPES: dict[str, type] = {
    "game": str,
    "variants": list,  # of objects: the values that fields must have; a field that is not named may have any
    "agent": dict,  # its kind and its fields, as a learner's `agent()` tells them
    "plays": str,  # the search that it plays with, as a spec says it: `mcts:100`; empty for none
    "champion": bool,
    "about": str,  # in one sentence
    "training": dict,  # command, games, seconds, device, seed
    "weaknesses": str,
}
"""What `agent.json` holds besides its format."""


def is_agent(folder: Path) -> bool:
    """Whether a folder holds an agent, and not a run."""
    return (folder / AGENT).exists()


def read_agent(folder: Path) -> dict[str, Any]:
    """What `agent.json` says; ValueError unless it is an agent that this version understands."""
    try:
        facts = json.loads(content(folder / AGENT))
        if not isinstance(facts, dict) or facts.get("format") != FORMAT:
            raise ValueError
        if not all(isinstance(facts.get(name), kind) for name, kind in _TYPES.items()):
            raise ValueError
    except (OSError, ValueError, RecursionError):
        raise ValueError(f"'{called(folder)}' holds no agent: expected a folder that `ludens ship` made") from None
    return facts


def called(folder: Path) -> str:
    """What messages call a folder: those that ship go by their name, wherever they were installed."""
    return folder.name if folder.parent == HOME else str(folder)


def names() -> list[str]:
    """Of all agents that ship."""
    return sorted(path.parent.name for path in HOME.glob(f"*/{AGENT}"))


def shipped(game: str | None = None) -> dict[str, dict[str, Any]]:
    """All agents that ship, or those of one game, by name: champions first, then in the order of their names."""
    found = {name: read_agent(HOME / name) for name in names()}
    mine = {name: facts for name, facts in found.items() if game in (None, facts["game"])}
    return dict(sorted(mine.items(), key=lambda item: (not item[1]["champion"], item[0])))


def fits(facts: Mapping[str, Any], game: str, variant: Mapping[str, Any]) -> bool:
    """Whether an agent plays a game in this variant (all of its fields)."""
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in variant.items()}
    return facts["game"] == game and any(
        all(plain.get(name) == value for name, value in fields.items()) for fields in facts["variants"]
    )


def variants_in_words(facts: Mapping[str, Any]) -> str:
    """Which variants of its game an agent plays: `size 8 or size 6`."""
    return " or ".join(in_words(fields) for fields in facts["variants"])


def in_words(fields: Mapping[str, Any]) -> str:
    """`size 8, hop yes`; `any variant` if nothing is asked of it."""
    plain = {True: "yes", False: "no", None: "none"}
    told = [f"{name} {plain[x] if isinstance(x, bool | None) else _listed(x)}" for name, x in fields.items()]
    return ", ".join(told) or "any variant"


def _listed(value: Any) -> str:
    return ",".join(map(str, value)) or "any" if isinstance(value, list | tuple) else str(value)


def read_strength() -> list[dict[str, Any]]:
    """What `ludens strength` measured, tournament by tournament."""
    path = HOME / STRENGTH
    stages: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return stages


def card(name: str, facts: Mapping[str, Any], strength: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """All about an agent that ships, in words: what is asked and what is known, in order."""
    training = facts["training"]
    minutes = f"{training['seconds'] / 60:.1f} minutes" if training["seconds"] >= 60 else f"{training['seconds']:g} s"
    rows = {
        "what it is": facts["about"],
        "plays": f"{facts['game']}, {variants_in_words(facts)}",
        "specs": f"{name}{', champion' if facts['champion'] else ''}: {facts['plays'] or 'what it learned, no search'}",
        "trained by": training["command"],
        "on": f"{training['device']}, {minutes}, {training['games']:,} games, seed {training['seed']}",
        "strength": "; ".join(measured for stage in strength if (measured := _measured(name, stage))),
        "weaknesses": facts["weaknesses"],
    }
    return {asked: known or "not yet known" for asked, known in rows.items()}


def _measured(name: str, stage: Mapping[str, Any]) -> str:
    """What an agent came to in one tournament, beside who is next to it."""
    lines = sorted(stage["players"], key=lambda line: line["rating"])
    at = next((place for place, line in enumerate(lines) if line["agent"] == name), None)
    if at is None:
        return ""
    mine = lines[at]
    around = [f"{other['spec']} has {other['rating']:.0f}" for other in (lines[at + 1 : at + 2] + lines[:at][-1:])]
    within = f"{mine['low']:.0f} to {mine['high']:.0f}"
    where = f"in {stage['game']}, {in_words(stage['variant'])}"
    rating = f"rating {mine['rating']:.0f} (95 %: {within})"
    return f"{rating} {where}, where {' and '.join(around)}; {mine['ms']:.3g} ms a move"


def resolve(spec: str, game: str, variant: Mapping[str, Any]) -> str:
    """A spec as searches and players take it, agents by their folders: `champion` becomes `mcts:100:run:FOLDER`.

    A spec that names no agent stays as it is. ValueError if it names one that does not play this variant.
    """
    name, *words = spec.split(":")
    if name == CHAMPION or name in names():
        return _usual(spec, name, words, game, variant)
    if name == BY_NAME:
        search, asked = "", words
    elif BY_NAME in words:
        at = words.index(BY_NAME)
        search, asked = ":".join([name, *words[:at], ""]), words[at + 1 :]
    else:
        return spec
    if len(asked) != 1:
        raise ValueError(f"'{spec}' names no agent: expected one of {', '.join([CHAMPION, *names()])} after {BY_NAME}:")
    return f"{search}run:{_folder(asked[0], game, variant)}"


def _usual(spec: str, name: str, words: list[str], game: str, variant: Mapping[str, Any]) -> str:
    """An agent as it usually plays, or with another budget (`2s`, `400`), or without its search."""
    folder = _folder(name, game, variant)
    if words == [ALONE]:
        return f"run:{folder}"
    plays = read_agent(folder)["plays"]
    if len(words) > 1:
        raise ValueError(f"'{spec}' says too much: expected {name}, {name}:{ALONE}, or {name}:2s")
    if not words:
        return f"{plays}:run:{folder}" if plays else f"run:{folder}"
    if not plays:
        raise ValueError(f"'{name}' plays without a search: expected {name}, or mcts:{words[0]}:{BY_NAME}:{name}")
    return f"{plays.split(':')[0]}:{words[0]}:run:{folder}"


def _folder(name: str, game: str, variant: Mapping[str, Any]) -> Path:
    """Where the agent called `name` lies; ValueError if there is none that plays this variant."""
    if name == CHAMPION:
        champions = {each: facts for each, facts in shipped(game).items() if facts["champion"]}
        fitting = [each for each, facts in champions.items() if fits(facts, game, variant)]
        if not fitting:
            there_are = " or ".join(variants_in_words(facts) for facts in champions.values())
            expected = f"expected {there_are}" if there_are else "expected another player"
            raise ValueError(f"{game} has no champion for {in_words(variant)}: {expected}")
        return HOME / fitting[0]
    if name not in names():
        known = ", ".join([CHAMPION, *shipped(game)])
        raise ValueError(f"no agent called '{name}' ships with ludens: expected one of {known}")
    facts = read_agent(HOME / name)
    if not fits(facts, game, variant):
        plays = f"plays {facts['game']} ({variants_in_words(facts)})"
        raise ValueError(f"'{name}' {plays}, not {game} ({in_words(variant)}): expected an agent that plays it")
    return HOME / name
