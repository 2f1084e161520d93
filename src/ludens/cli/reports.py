"""Commands that print an answer and are done: `list` and `perft`."""

import json as json_text
import sys
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ludens.cli.app import bad_input
from ludens.cli.inputs import GameName, Json, Position, Words, at_least, chosen, position_or_start
from ludens.core import agent_files
from ludens.core.playout import perft as count
from ludens.core.settings import Setting, settings
from ludens.games import GAMES
from ludens.learning import LEARNERS
from ludens.learning.presets import presets
from ludens.players import names_for

MOST_PLIES = 200
"""Of perft: more than any count can be waited for."""


@bad_input()
def list_games(
    *names: Annotated[
        str, Parameter(help="Games, learners or agents to tell all about; every game and agent in short if not given.")
    ],
    json: Json = False,
) -> None:
    agents = agent_files.shipped()
    for name in names:
        if name not in GAMES and name not in LEARNERS and name not in agents:
            known = ", ".join((*GAMES, *LEARNERS, *agents))
            raise ValueError(f"'{name}' is no game, no learner and no agent: expected some of {known}")
    if json:
        print(json_text.dumps({name: facts_of(name) for name in names or GAMES}, indent=2))
        return
    console = Console(highlight=False)
    for name in names:
        if name in agents:
            _print_card(console, name)
        else:
            _print_settings(console, name)
    for name in names:
        if name in LEARNERS:
            _print_presets(console, name, [game for game in names if game in GAMES] or list(GAMES))
    if names:
        return
    table = Table(title="Games", title_justify="left", show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name in GAMES:
        facts = facts_of(name)
        options = [f"{option} {value}" for option, value in facts["options"].items()]
        lists = {"options": options, "players": facts["specs"], "learners": facts["learners"]}
        table.add_row(f"[bold]{name}[/bold]", "", facts["about"])
        for what, words in lists.items():
            # A pair of words such as `--size 8` stays on one line.
            told = ", ".join(word.replace(" ", "\N{NO-BREAK SPACE}") for word in words)
            table.add_row("", what, told, end_section=what == "learners")
    console.print(table)
    _print_agents(console, agents)
    console.print("`ludens list NAME` tells what options or settings may be, and all about an agent.")


def facts_of(name: str) -> dict[str, Any]:
    """All about a game, a learner or an agent, for programs."""
    if name in agent_files.names():
        facts = agent_files.read_agent(agent_files.HOME / name)
        return facts | {"card": agent_files.card(name, facts, agent_files.read_strength())}
    described = [setting.to_json() for setting in _settings_of(name).values()]
    if name in LEARNERS:
        learned = [game for game, kind in GAMES.items() if LEARNERS[name].learns(kind())]
        facts = {"about": _headline(LEARNERS[name]), "games": learned, "options": describe(name), "settings": described}
        return facts | {"presets": {game: found for game in learned if (found := _presets_of(name, game))}}
    game = GAMES[name]()
    return {
        "about": _headline(GAMES[name]),
        "players": game.num_players,
        "actions": game.num_actions,
        "options": describe(name),
        "settings": described,
        "specs": names_for(game),
        "agents": list(agent_files.shipped(name)),
        "learners": [name for name, kind in LEARNERS.items() if kind.learns(game)],
    }


def describe(name: str) -> dict[str, str]:
    """The options of a game or a learner and their defaults, as a person types them: `{"--size": "8"}`.

    A game may fill in what is not given, so the defaults are those of the game itself and not those of its fields.
    """
    standard = GAMES[name]() if name in GAMES else LEARNERS[name].config_type()
    return {each.option: _shown(each, getattr(standard, each.name)) for each in _settings_of(name).values()}


def perft(
    game: GameName,
    *words: Words,
    depth: Annotated[int, Parameter(help="How many acts deep.")] = 5,
    position: Position = None,
    seed: Annotated[int, Parameter(help="Draws the start where it is dealt or thrown.")] = 0,
    json: Annotated[Json, Parameter(help='Print `{"perft": [...]}`.')] = False,
) -> None:
    with bad_input():
        at_least(1, MOST_PLIES, depth=depth)
    variant = chosen(game, words)
    s = position_or_start(variant, position, seed)
    counts = count(variant, s, depth)
    if json:
        print(json_text.dumps({"perft": counts}))
        return
    print(f"{variant.id}  {variant.show(s)}")
    for i, leaves in enumerate(counts, start=1):
        print(f"{i:>5}  {leaves:>15,}")


def _settings_of(name: str) -> dict[str, Setting]:
    return dict(settings(GAMES[name] if name in GAMES else LEARNERS[name].config_type))


def _presets_of(learner: str, game: str) -> dict[str, dict[str, str]]:
    """What each preset is for and what it stands for, by name."""
    found = presets(learner, GAMES[game]())
    return {name: {"about": each.about, "options": " ".join(each.options)} for name, each in found.items()}


def _print_presets(console: Console, learner: str, games: list[str]) -> None:
    """Settings under a name, a line each."""
    table = Table("game", "preset", "what it is for", "options", title=f"Presets of {learner}", title_justify="left")
    for game in games:
        for name, facts in _presets_of(learner, game).items():
            table.add_row(game, f"[bold]{name}[/bold]", facts["about"], Text(facts["options"]))
    if table.row_count:
        console.print(table)


def _headline(kind: type[Any]) -> str:
    """The first line of the file that holds a game's rules or an algorithm: what it is."""
    return (sys.modules[kind.__module__].__doc__ or kind.__name__).strip().splitlines()[0]


def _shown(setting: Setting, value: Any) -> str:
    if setting.kind is bool:
        return "yes" if value else "no"
    return setting.written(value) or "any"


def _print_settings(console: Console, name: str) -> None:
    """Every setting with its default, what it may be, and what it is for."""
    facts, defaults = facts_of(name), describe(name)
    table = Table(
        "option", "default", "may be", "what it is for", title=f"{name}: {facts['about']}", title_justify="left"
    )
    for setting in _settings_of(name).values():
        may_be = "yes or no (--no-... for no)" if setting.kind is bool else setting.expected
        table.add_row(setting.option, defaults[setting.option], may_be, setting.help)
    console.print(table)
    if name in LEARNERS:
        console.print(f"learns {', '.join(facts['games'])}")
    else:
        console.print(f"played by {', '.join(facts['specs'])}; learned by {', '.join(facts['learners'])}")
        _print_agents(console, agent_files.shipped(name))


def _print_agents(console: Console, agents: dict[str, dict[str, Any]]) -> None:
    """Who ships, a line each."""
    if not agents:
        return
    table = Table(title="Agents", title_justify="left")
    table.add_column("agent", overflow="fold")
    table.add_column("plays", overflow="fold")
    table.add_column("what it is")
    for name, facts in agents.items():
        called = f"[bold]{name}[/bold]" + (" (champion)" if facts["champion"] else "")
        table.add_row(called, f"{facts['game']}, {agent_files.variants_in_words(facts)}", Text(facts["about"]))
    console.print(table)


def _print_card(console: Console, name: str) -> None:
    table = Table(title=name, title_justify="left", show_header=False)
    for asked, known in facts_of(name)["card"].items():
        table.add_row(f"[bold]{asked}[/bold]", Text(known))
    console.print(table)
