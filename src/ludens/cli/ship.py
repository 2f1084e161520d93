"""`ludens ship`: an agent out of a run, among those that ship."""

from pathlib import Path
from typing import Annotated, Any

import jax
import numpy as np
from cyclopts import Parameter

from ludens.cli.app import bad_input
from ludens.core import agent_files
from ludens.core.agent_files import AGENT, WEIGHTS, is_agent, read_agent
from ludens.core.game import Game, variant
from ludens.core.run_files import folder_and_seed, read_metrics, read_run
from ludens.core.settings import settings
from ludens.games import GAMES, make
from ludens.learning import learner as make_learner
from ludens.learning.checkpoint import RunTerms, agent_facts
from ludens.players import FORMULAS, PLAYERS, player
from ludens.players.learned import learned, write_agent

MOST_BYTES = 20_000_000
"""Of all agents together."""


@bad_input()
def ship(
    run: Annotated[
        str, Parameter(help="Folder of the run, or of a state that it kept; FOLDER@2 is the third of its seeds.")
    ],
    name: Annotated[str, Parameter(help="What the agent is called in specs.")],
    *,
    about: Annotated[str | None, Parameter(help="What it is, in one sentence.")] = None,
    weaknesses: Annotated[str | None, Parameter(help="What it is bad at, in one sentence.")] = None,
    search: Annotated[
        str | None, Parameter(help="The search that it usually plays with, such as mcts:100; none: what it learned.")
    ] = None,
    champion: Annotated[bool | None, Parameter(help="Whether `champion` means this one in its variants.")] = None,
    variants: Annotated[
        list[str] | None,
        Parameter(
            name="--variant",
            help="A variant that it plays, such as `size=8` or `rules=finkel pieces=7`; what is not said may be "
            "anything. May be given several times; the run's own if not given.",
        ),
    ] = None,
    half: Annotated[bool, Parameter(help="Store weights with 16 bits.")] = False,
    out: Annotated[Path | None, Parameter(help="Folder for agents; the package's own if not given.")] = None,
) -> None:
    taken = (agent_files.CHAMPION, agent_files.BY_NAME, "run", *PLAYERS, *FORMULAS)
    if not agent_files.NAME.fullmatch(name) or name in taken:
        raise ValueError(f"'{name}' cannot name an agent: expected a new name in small letters, such as ur-2024")
    folder = (agent_files.HOME if out is None else out) / name
    game, facts, params = _taken_from(run)
    before = read_agent(folder) if is_agent(folder) else {}
    given = {"about": about, "weaknesses": weaknesses, "plays": search, "champion": champion}
    kept = {key: before[key] for key in given if key in before}
    facts |= kept | {key: value for key, value in given.items() if value is not None}
    if variants is not None:
        facts["variants"] = [_fields(game, text) for text in variants]
    elif before:
        facts["variants"] = before["variants"]
    if facts["plays"]:
        player(f"{facts['plays']}:run:{run}", game, on_host=True)  # which says what is wrong with the search
    write_agent(folder, facts, params, half=half)
    learned(str(folder), game)
    size = sum((folder / each).stat().st_size for each in (AGENT, WEIGHTS))
    everybody = sum(path.stat().st_size for path in folder.parent.rglob("*.*"))
    if everybody > MOST_BYTES:
        print(f"all agents together have {everybody:,} bytes: expected {MOST_BYTES:,} at most in the package")
    print(f"{folder}: {size:,} bytes; `ludens list {name}` shows its card")


def _taken_from(run: str) -> tuple[Game[Any], dict[str, Any], Any]:
    """The game that a run was trained for, what its agent's `agent.json` says, and its weights."""
    folder, seed = folder_and_seed(run)
    if is_agent(folder):
        facts = read_agent(folder)
        game = make(facts["game"], **facts["variants"][0])
        facts = {name: value for name, value in facts.items() if name != "format"}
    else:
        stored = read_run(folder)
        game = make(stored["game"], **stored["variant"])
        learner = make_learner(stored["learner"], game, stored["config"])
        facts = agent_facts(learner, RunTerms.read(folder, learner), read_metrics(folder), seed)
    return game, facts, jax.tree.map(np.asarray, learned(run, game).init(jax.random.key(0)))


def _fields(game: Game[Any], text: str) -> dict[str, Any]:
    """`rules=finkel pieces=7` as fields of a variant; ValueError says what was expected."""
    known, told = settings(GAMES[game.id]), {}
    for word in text.split():
        field, is_one, value = word.partition("=")
        if not is_one or field not in known:
            raise ValueError(f"'{word}' is no field of {game.id}: expected some of {', '.join(known)}, as size=8")
        told[field] = known[field].parse(value)
    whole = variant(make(game.id, **told))  # which says if they do not go together
    return {field: list(x) if isinstance(x := whole[field], tuple) else x for field in told}
