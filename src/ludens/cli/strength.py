"""`ludens strength`: how strong everybody is, by one tournament for each game and main variant, and the pages about it.

Who takes part: the rungs of the page's ladder, the champion with and without its search, the other agents that ship,
and GRhino where it is installed. What is measured goes to `agents/strength.json` in the package, from where cards, the
page and the docs take it. A tournament is resumed like any other; one with other players or weights is another.
"""

import hashlib
import json as json_text
import shutil
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import jax
from cyclopts import Parameter

from ludens.arena import tournament
from ludens.arena.ledger import Ledger
from ludens.arena.live_game import LiveGame
from ludens.arena.match import contestant, decider
from ludens.arena.ply import checked_plies
from ludens.arena.standings import Standing, standings
from ludens.cli.app import bad_input
from ludens.cli.inputs import LARGEST_SEED, Seed, at_least, bar, on_all_cores
from ludens.core import agent_files
from ludens.core.agent_files import CHAMPION, WEIGHTS, card, fits, in_words, read_agent, read_strength, shipped
from ludens.core.game import Game, variant
from ludens.core.storage import replace
from ludens.core.tables import markdown_table
from ludens.games import GAMES, make
from ludens.players.external import Outsider
from ludens.web.opponents import LADDERS, ladder

GRHINO = "gtp:gtp-rhino -l 3 -b 0"
TIMED = 12
"""Decisions that are timed; the first, which may compile something, is not."""


class Stage(NamedTuple):
    """A game and variant in which strength is measured."""

    game: str
    fields: Mapping[str, Any] = {}


STAGES = {
    "othello": Stage("othello"),
    "othello-6": Stage("othello", {"size": 6}),
    "chung-toi": Stage("chung-toi"),
    "ur": Stage("ur"),
    "ur-2": Stage("ur", {"pieces": 2}),
    "ur-finkel": Stage("ur", {"rules": "finkel"}),
    "onitama": Stage("onitama"),
    "onitama-2021": Stage("onitama", {"cards": ("dragon", "elephant", "goose", "rooster", "monkey")}),
    "okey": Stage("okey"),
    "okey-4": Stage("okey", {"players": 4}),
}


@on_all_cores()
@bad_input()
def strength(
    *stages: Annotated[str, Parameter(help=f"Where to measure: {', '.join(STAGES)}; none: only write the pages.")],
    rounds: Annotated[int, Parameter(help="How many round robins.")] = 20,
    seed: Seed = 0,
    kept: Annotated[
        Path | None,
        Parameter(help="Folder of a run with what it kept on the way (`ludens train --keep`): the champion's curve."),
    ] = None,
    out: Annotated[Path, Parameter(help="Folder for the tournaments.")] = Path("tournaments/strength"),
    docs: Annotated[Path, Parameter(help="Folder of the pages.")] = Path("docs"),
) -> None:
    at_least(1, rounds=rounds)
    at_least(0, LARGEST_SEED, seed=seed)
    if unknown := [name for name in stages if name not in STAGES]:
        raise ValueError(f"'{unknown[0]}' is no stage: expected some of {', '.join(STAGES)}")
    if kept is not None and len(stages) != 1:
        raise ValueError("--kept is given for no stage or several: expected one, in which the run's game is played")
    for name in stages:
        game = make(STAGES[name].game, **STAGES[name].fields)
        measured = measure(name, game, entrants(game), rounds=rounds, seed=seed, out=out)
        before = next((each for each in read_strength() if each["stage"] == name), {})
        curve = before.get("curve", [])
        if kept is not None:
            curve = _curve(name, game, kept, measured, rounds=rounds, seed=seed, out=out)
        _enter(measured | {"curve": curve})
    if not docs.is_dir():
        raise ValueError(f"'{docs}' is no folder: expected that of the pages")
    for page, text in pages().items():
        replace(docs / page, text.encode())
        print(docs / page)


def entrants(game: Game[Any]) -> list[str]:
    """Everybody who can play the variant."""
    specs = [rung.spec for rung in ladder(game.id)]
    if CHAMPION in specs:
        specs.insert(specs.index(CHAMPION), f"{CHAMPION}:{agent_files.ALONE}")
    if shutil.which("gtp-rhino"):
        specs.append(GRHINO)
    return [spec for spec in specs if _plays(spec, game)]


def measure(name: str, game: Game[Any], specs: Sequence[str], *, rounds: int, seed: int, out: Path) -> dict[str, Any]:
    """What a tournament of `specs` comes to, as `strength.json` has it; it is played, or the rest of it, first."""
    lines = _rated(name, game, specs, rounds=rounds, seed=seed, out=out)
    command = f"ludens strength {name} --rounds {rounds}" + (f" --seed {seed}" if seed else "")
    players = [
        {
            "spec": line.player,
            "agent": _agent(line.player, game),
            "rating": round(line.rating, 1),
            "low": round(line.rating_ci95[0], 1),
            "high": round(line.rating_ci95[1], 1),
            "games": line.games,
            "wins": line.wins,
            "draws": line.draws,
            "ms": float(f"{1000 * seconds_a_move(line.player, game):.3g}"),
        }
        for line in sorted(lines, key=lambda line: -line.rating)
    ]
    told = {name: list(x) if isinstance(x, tuple) else x for name, x in variant(game).items()}
    device = jax.devices()[0].device_kind
    return {"stage": name, "game": game.id, "variant": told, "command": command, "device": device, "players": players}


def seconds_a_move(spec: str, game: Game[Any]) -> float:
    """The median time of a decision, asked one by one, from the first moves after a usual opening on."""
    who = decider(contestant(spec, game))
    taken: list[float] = []
    try:
        for number in range(TIMED):
            live = LiveGame(game, seed=number, seating=[0] * game.num_players, opening=checked_plies(game, None))
            while not live.over and len(taken) <= TIMED:
                begun = time.perf_counter()
                action = who.decide(live.turn())
                taken.append(time.perf_counter() - begun)
                live.act(action)
    finally:
        if isinstance(who, Outsider):
            who.close()
    return statistics.median(taken[1:])


def pages() -> dict[str, str]:
    """The pages of the docs that are made from what ships and was measured, by name."""
    return {"strength.md": _strength_page(read_strength()), "agents.md": _agents_page(shipped(), read_strength())}


def _rated(
    name: str, game: Game[Any], specs: Sequence[str], *, rounds: int, seed: int, out: Path
) -> tuple[Standing, ...]:
    """The standings of a tournament, which is played to its end first."""
    terms = tournament.terms_of(game, specs, seed=seed)
    learned = [
        [hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest(), read_agent(folder)["plays"]]
        for folder in _folders(game, specs)
    ]
    mark = hashlib.sha256(json_text.dumps([terms.to_dict(), learned]).encode()).hexdigest()[:8]
    with Ledger.open(out / f"{name}-{mark}" / tournament.BOOK, terms, rounds) as ledger:
        with bar(name, tournament.count(game, terms, rounds)) as show:
            for entered in tournament.play(game, ledger):
                show(entered)
        return standings(terms.players, ledger.results()).lines


def _folders(game: Game[Any], specs: Iterable[str]) -> list[Path]:
    """Of agents who may take part: other weights make another tournament."""
    own = [Path(spec.partition("run:")[2]) for spec in specs if "run:" in spec]
    mine = [agent_files.HOME / name for name, facts in shipped(game.id).items() if fits(facts, game.id, variant(game))]
    return own + mine


def _curve(
    name: str, game: Game[Any], run: Path, measured: Mapping[str, Any], *, rounds: int, seed: int, out: Path
) -> list[dict[str, Any]]:
    """The states that a run kept, without a search, rated among the rungs of the ladder and on their scale."""
    states = sorted((run / "kept").glob("*"), key=lambda path: int(path.name))
    if not states:
        raise ValueError(f"'{run}' has kept nothing: expected a run of `ludens train --keep`")
    rungs = [line["spec"] for line in measured["players"] if line["spec"] in {each.spec for each in LADDERS[game.id]}]
    specs = [f"run:{path}" for path in states]
    found = {
        line.player: line for line in _rated(f"{name}-curve", game, [*rungs, *specs], rounds=rounds, seed=seed, out=out)
    }
    common = [line for line in measured["players"] if line["spec"] in rungs]
    shift = statistics.mean(line["rating"] - found[line["spec"]].rating for line in common)
    return [
        {
            "games": (training := read_agent(path)["training"])["games"],
            "seconds": training["seconds"],
            "rating": round(found[spec].rating + shift, 1),
            "low": round(found[spec].rating_ci95[0] + shift, 1),
            "high": round(found[spec].rating_ci95[1] + shift, 1),
        }
        for path, spec in zip(states, specs, strict=True)
    ]


def _plays(spec: str, game: Game[Any]) -> bool:
    try:
        contestant(spec, game)
    except ValueError:
        return False
    return True


def _agent(spec: str, game: Game[Any]) -> str | None:
    """The agent that ships and plays by this spec as it usually does."""
    mine = {name: facts for name, facts in shipped(game.id).items() if fits(facts, game.id, variant(game))}
    return next((name for name, facts in mine.items() if spec in (name, CHAMPION if facts["champion"] else name)), None)


def _enter(measured: Mapping[str, Any]) -> None:
    """Into the package, in place of what was measured there before."""
    known = {each["stage"]: each for each in read_strength()} | {measured["stage"]: measured}
    ordered = [known[name] for name in STAGES if name in known]
    replace(agent_files.HOME / agent_files.STRENGTH, (json_text.dumps(ordered, indent=1) + "\n").encode())


def _strength_page(stages: Sequence[Mapping[str, Any]]) -> str:
    parts = [
        "# Strength",
        "How strong everybody is, measured by tournaments in which every pair meets equally often, seats swapped, with "
        "random openings. Ratings are Bradley-Terry's (Plackett-Luce's with four seats) on the scale of Elo with mean "
        "1000 in each tournament, so numbers of different tournaments do not compare; intervals are 95 % "
        "([how](tournament.md#ratings)). The time of a move is the median on the device named. This page is written by "
        "`ludens strength`, from `src/ludens/agents/strength.json`.",
    ]
    for stage in stages:
        labels = {rung.spec: rung.label for rung in LADDERS[stage["game"]]}
        rows = [
            [
                f"`{line['spec']}`",
                labels.get(line["spec"], "Champion" if line["spec"] == CHAMPION else ""),
                f"{line['rating']:.0f}",
                _interval(line),
                f"{line['games']:,}",
                f"{line['wins'] / line['games']:.0%}",
                f"{line['ms']:g} ms",
            ]
            for line in stage["players"]
        ]
        heads = ["player", "on the page", "rating", "95 % interval", "games", "won", "a move"]
        title = GAMES[stage["game"]].__name__ if stage["game"] != "chung-toi" else "Chung Toi"
        parts += [
            f"## {title}, {in_words(stage['variant'])}",
            f"```\n{stage['command']}\n```",
            markdown_table(heads, rows, [False, False, True, True, True, True, True]),
            f"Measured on {stage['device']}.",
        ]
        if stage["curve"]:
            points = [
                [f"{at['games']:,}", f"{at['seconds'] / 60:.1f}", f"{at['rating']:.0f}", _interval(at)]
                for at in stage["curve"]
            ]
            heads = ["games of training", "minutes", "rating", "95 % interval"]
            parts += [
                "The champion while it learned, without a search, on the same scale:",
                markdown_table(heads, points, [True] * 4),
            ]
    return "\n\n".join(parts) + "\n"


def _interval(line: Mapping[str, Any]) -> str:
    return f"{line['low']:.0f} to {line['high']:.0f}"


def _agents_page(agents: Mapping[str, Mapping[str, Any]], stages: Sequence[Mapping[str, Any]]) -> str:
    parts = [
        "# Agents that ship",
        "What was learned and comes with Ludens, as weights and nothing else. Specs take agents by name everywhere: "
        "`NAME` as it usually plays, `NAME:net` without its search, `NAME:2s` or `NAME:400` with another budget, "
        "`mcts:100:agent:NAME` in a search of your choice. `champion` is the champion of the game and variant at hand. "
        "`ludens list NAME` shows the same card; `ludens ship` makes one out of a run. This page is written by "
        "`ludens strength`; ratings are those of the [tournaments](strength.md).",
    ]
    for name in (name for game in GAMES for name in agents if agents[name]["game"] == game):
        told = card(name, agents[name], stages)
        told["trained by"] = f"`{told['trained by']}`"
        parts += [f"## {name}", markdown_table(["", ""], [list(row) for row in told.items()], [False, False])]
    return "\n\n".join(parts) + "\n"
