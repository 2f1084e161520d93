"""Whom one can play against, in plain words from beginner to perfect, with the spec beneath; and who judges.

Server and workers read this, so nothing here knows JAX. A rung that cannot play a variant is offered all the same; who
chooses it is told why. Every rung answers within two seconds on two cores.
"""

import re
from pathlib import Path
from typing import NamedTuple

from ludens.core.agent_files import CHAMPION, card, read_strength, shipped
from ludens.core.run_files import CHECKPOINT, NAME

LONGEST_SPEC = 100
RANDOM, PERFECT = "random", "optimal"
FROM_OUTSIDE = ("gtp", "nboard")
RUN = re.compile(rf"(?P<search>(?:[a-z0-9.-]+:)*)run:(?P<name>{NAME.pattern})(?P<seed>@[0-9]{{1,4}})?")
PLAIN = re.compile(r"[a-z0-9-]+(:[a-z0-9.-]+)*")


class Rung(NamedTuple):
    """One of the strengths that a game offers."""

    label: str
    spec: str
    note: str
    card: dict[str, str] | None = None
    """All about an agent that ships: what is asked and what is known."""


LADDERS: dict[str, tuple[Rung, ...]] = {
    "othello": (
        Rung("Beginner", RANDOM, "Knows the rules and nothing else: any legal move."),
        Rung("Casual", "positional", "Likes corners and edges, looks at its own move only."),
        Rung("Club player", "alphabeta:2", "Looks two moves ahead."),
        Rung("Strong", "alphabeta:4", "Looks four moves ahead."),
        Rung("Expert", "alphabeta:6:mobility", "Looks six moves ahead and keeps its choices wide."),
        Rung("Master", "alphabeta:8:mobility", "The same, eight moves ahead; may take a second."),
        Rung("Perfect", PERFECT, "Never makes a mistake. Only the 4×4 board is solved."),
    ),
    "chung-toi": (
        Rung("Beginner", RANDOM, "Knows the rules and nothing else: any legal move."),
        Rung("Casual", "smart-random", "Takes a win and blocks yours, else any move."),
        Rung("Club player", "alphabeta:3", "Looks three moves ahead."),
        Rung("Strong", "mcts:400", "Tries out 400 continuations."),
        Rung("Expert", "alphabeta:7", "Looks seven moves ahead."),
        Rung("Perfect", PERFECT, "Has solved the game: never throws a win or a draw away."),
    ),
    "ur": (
        Rung("Beginner", RANDOM, "Knows the rules and nothing else: any legal move."),
        Rung("Casual", "smart-random", "Takes a win when it sees one, else any move."),
        Rung("Club player", "greedy", "Races, captures and likes the middle rosette."),
        Rung("Strong", "expectimax:2", "Weighs every throw, two moves ahead."),
        Rung("Expert", "expectimax:3", "Weighs every throw, three moves ahead."),
        Rung(
            "Perfect", PERFECT, "Knows the exact chance of every move; with five pieces or more once they are solved."
        ),
    ),
    "onitama": (
        Rung("Beginner", RANDOM, "Knows the rules and nothing else: any legal move."),
        Rung("Casual", "smart-random", "Takes a win and blocks yours, else any move."),
        Rung("Club player", "material", "Counts pieces, looks at its own move only."),
        Rung("Strong", "alphabeta:3", "Looks three moves ahead."),
        Rung("Expert", "alphabeta:5", "Looks five moves ahead."),
        Rung("Master", "alphabeta:6", "Looks six moves ahead."),
    ),
    "okey": (
        Rung("Beginner", RANDOM, "Knows the rules and nothing else: any legal move."),
        Rung("Casual", "thesis", "Keeps its sets, draws or takes by the toss of a coin."),
        Rung("Club player", "mcts:100", "Imagines the hidden tiles and tries out 100 continuations."),
        Rung("Strong", "mcts:1000", "The same with 1,000; may take a moment."),
        Rung("Expert", "okey-greedy", "Counts how many tiles are missing and never goes astray."),
    ),
}
"""Rungs by game."""
GAMES = tuple(LADDERS)
"""The games that can be shown, by id."""
JUDGES = {
    "othello": (PERFECT, "alphabeta:1s:agent:champion", "alphabeta:8:discs"),
    "chung-toi": (PERFECT,),
    "ur": (PERFECT, "expectimax:2:agent:champion", "expectimax:3"),
    "onitama": ("alphabeta:0.5s:agent:champion", "alphabeta:6"),
    "okey": ("okey-greedy",),
}
"""Who gives hints and reviews: the first that can play the variant. All see what the mover sees and no more.

They say of every legal move what it is worth, which a search for the best one does not: where the champion searches a
tree, each move gets a search of its own (`MCTS.analyse`). Othello is solved in the end (`worker/review.py`).
"""


def ladder(game: str) -> list[Rung]:
    """Everybody on offer: the rungs, the champion before whoever is perfect, and then the other agents that ship."""
    strength, agents = read_strength(), shipped(game)
    champions = [name for name, facts in agents.items() if facts["champion"]]
    rungs = list(LADDERS[game])
    if champions:
        cards = [card(name, agents[name], strength) for name in champions]
        note = " ".join(dict.fromkeys(agents[name]["about"] for name in champions))
        at = next((place for place, rung in enumerate(rungs) if rung.spec == PERFECT), len(rungs))
        told = {asked: " / ".join(dict.fromkeys(each[asked] for each in cards)) for asked in cards[0]}
        rungs.insert(at, Rung("Champion", CHAMPION, note, told))
    others = {name: facts for name, facts in agents.items() if not facts["champion"]}
    return rungs + [
        Rung(f"Agent {name}", name, facts["about"], card(name, facts, strength)) for name, facts in others.items()
    ]


def resolve(spec: str, runs: Path) -> tuple[str, int]:
    """The spec as players are made from it, and which state of learned weights it means now; ValueError if refused.

    `run:NAME` is the folder NAME among the runs, and no other folder.
    """
    name = re.split("[@:]", spec, maxsplit=1)[0]
    if name in FROM_OUTSIDE:
        raise ValueError(f"'{name}' starts a program, which the page does not do: expected a player of ludens")
    if len(spec) > LONGEST_SPEC:
        raise ValueError(f"the spec has {len(spec)} letters: expected {LONGEST_SPEC} at most")
    if found := RUN.fullmatch(spec):
        folder = runs / found["name"]
        try:
            stamp = (folder / CHECKPOINT).stat().st_mtime_ns
        except OSError:
            stamp = 0  # nothing was learned yet
        return f"{found['search']}run:{folder}{found['seed'] or ''}", stamp
    if "run" in spec.split(":"):
        raise ValueError(f"'{spec}' names no run: expected run:NAME, the name of a folder among the runs")
    if not PLAIN.fullmatch(spec):
        raise ValueError(f"'{spec}' is no spec: expected one such as random, alphabeta:4 or run:NAME")
    return spec, 0


def label(game: str, spec: str) -> str:
    """What an agent is called on the page."""
    if found := RUN.fullmatch(spec):
        return f"{found['search'].rstrip(':')} with run {found['name']}".removeprefix(" with ").capitalize()
    return next((rung.label for rung in ladder(game) if rung.spec == spec), spec)
