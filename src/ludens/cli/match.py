"""`ludens match` and `ludens eval`: two players, many games, and what can be said afterwards."""

import errno
import json as json_text
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from cyclopts import Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ludens.arena.match import Contestant, Job, balanced_jobs, contestant, play
from ludens.arena.ply import checked_plies
from ludens.arena.record import Record, decisions, plain_variant
from ludens.arena.statistics import result, seat_tallies, tally
from ludens.cli.app import bad_input
from ludens.cli.inputs import (
    LARGEST_SEED,
    MOST_GAMES,
    GameName,
    Json,
    Opening,
    Records,
    Seed,
    Words,
    at_least,
    bar,
    chosen,
    on_all_cores,
    usual_opponent,
)
from ludens.core import agent_files
from ludens.core.game import Game
from ludens.core.run_files import folder_and_seed, read_run
from ludens.core.storage import can_write
from ludens.games import make
from ludens.oracles.regret import regrets as judged
from ludens.oracles.regret import summary as judgement
from ludens.oracles.store import at_hand, load
from ludens.players.external import ExternalError

JUDGED_TOGETHER = 1024  # decisions
Played = list[tuple[tuple[int, ...], Record]]
"""Who sat where, by number, and what happened."""


class Match(NamedTuple):
    game: Game[Any]
    contestants: list[Contestant]
    jobs: list[Job]
    opening: int
    out: Path | None


@on_all_cores()
def match(
    game: Annotated[GameName, Parameter(help="Which game; its variant's options may follow the players.")],
    first: Annotated[str, Parameter(help="Whose wins are counted.")],
    second: Annotated[
        str, Parameter(help="The opponent. Programs from outside are `gtp:COMMAND` and `nboard:COMMAND`.")
    ],
    *words: Words,
    games: Annotated[int, Parameter(help="How many games.")] = 100,
    seed: Seed = 0,
    opening: Opening = None,
    json: Json = False,
    out: Records = None,
) -> None:
    variant = chosen(game, words)
    with bad_input():
        arranged = arrange(variant, [first, second], games=games, seed=seed, opening=opening, out=out)
    with bad_input(ExternalError):
        play_and_report(arranged, json=json)


@on_all_cores()
def evaluate(
    run: Annotated[str, Parameter(help="Folder of the run, FOLDER@2 the third of its seeds; or an agent that ships.")],
    *,
    vs: Annotated[
        str | None, Parameter(help="The opponent; smart-random if not given, or random where nobody can be smart.")
    ] = None,
    games: Annotated[int, Parameter(help="How many games, half of them in each seat.")] = 1000,
    seed: Seed = 0,
    opening: Opening = None,
    json: Json = False,
    out: Records = None,
) -> None:
    with bad_input():
        by_name = run.split(":")[0] in agent_files.names()
        facts = agent_files.read_agent(agent_files.HOME / run.split(":")[0]) if by_name else _run_facts(run)
        variant = make(facts["game"], **facts["variants"][0])
        players = [run if by_name else f"run:{run}", vs or usual_opponent(variant)]
        arranged = arrange(variant, players, games=games, seed=seed, opening=opening, out=out)
    with bad_input(ExternalError):
        play_and_report(arranged, json=json)


def _run_facts(run: str) -> dict[str, Any]:
    """Of a run's folder, or of the folder of an agent that was taken out of one."""
    folder = folder_and_seed(run)[0]
    if agent_files.is_agent(folder):
        return agent_files.read_agent(folder)
    facts = read_run(folder)
    return facts | {"variants": [facts["variant"]]}


def arrange(
    game: Game[Any], specs: list[str], *, games: int, seed: int, opening: int | None, out: Path | None
) -> Match:
    """Everything ready to play; ValueError says what cannot be."""
    at_least(1, MOST_GAMES, games=games)
    at_least(0, LARGEST_SEED, seed=seed)
    plies = checked_plies(game, opening)
    contestants = [contestant(spec, game) for spec in specs]
    if out is not None and ((out.exists() and not out.is_file()) or not can_write(out.parent)):
        raise ValueError(f"'{out}' cannot be written: expected the name of a file in a folder that can be written to")
    return Match(game, contestants, balanced_jobs(game, len(specs), games, seed), plies, out)


def play_and_report(match: Match, *, json: bool) -> None:
    """Play and report. If play is cut short (Ctrl-C, a program that fails), report what was played, then say so."""
    finished: dict[int, Record] = {}
    patient, begin = True, time.perf_counter()
    try:
        with _written(match.out) as write, bar("playing", len(match.jobs)) as show:
            for number, record in play(match.game, match.contestants, match.jobs, opening=match.opening):
                finished[number] = record
                write(record)
                show(len(finished))
    except KeyboardInterrupt:
        patient = False
        raise
    finally:
        seconds = time.perf_counter() - begin
        if finished:
            played = [(match.jobs[number].seats, finished[number]) for number in sorted(finished)]
            facts = summary(match, played, seconds) | {"regret": regrets(match, played) if patient else None}
            if json:
                print(json_text.dumps(facts))
            else:
                _print(match, facts)


def summary(match: Match, played: Played, seconds: float) -> dict[str, Any]:
    """What a match says but for the regret, for programs; wins, draws and losses are the first player's."""
    total = tally(result(record, seats, 0) for seats, record in played)
    by_seat = [{"seat": seat} | each.to_dict() for seat, each in enumerate(seat_tallies(played, 0))]
    return {
        "game": match.game.id,
        "variant": plain_variant(match.game),
        "players": [each.spec for each in match.contestants],
        **total.to_dict(),
        "by_seat": by_seat,
        "mean_length": sum(record.turns for _, record in played) / len(played),
        "seconds": seconds,
        "games_per_s": len(played) / seconds,
    }


def regrets(match: Match, played: Played) -> list[dict[str, Any]] | None:
    """For each player, what its decisions lost against perfect play; None where perfect play is not known, or not yet.

    The oracle's table is built where there is none yet, which takes up to a minute or two the first time.
    """
    if not at_hand(match.game):
        return None
    with bar("perfect play", 1.0) as show:
        oracle, solution = load(match.game, show)
    made = decisions(match.game, [record for _, record in played])
    who = np.array([seats for seats, _ in played])[made.records, made.movers]
    table = jax.tree.map(jnp.asarray, solution.table)
    judge = jax.jit(lambda table, states, actions: judged(oracle, table, states, actions))
    parts = []
    for first in range(0, len(who), JUDGED_TOGETHER):
        rows = np.arange(first, first + JUDGED_TOGETHER) % len(who)  # the last part is filled up from the front
        parts.append(judge(table, jax.tree.map(lambda x, rows=rows: x[rows], made.states), made.actions[rows]))
    lost, best = (np.concatenate(each)[: len(who)] for each in zip(*parts, strict=True))
    found = [judgement(lost[who == number], best[who == number]) for number in range(len(match.contestants))]
    return [{"mean": each.mean_regret, "best_share": each.best, "moves": each.moves} for each in found]


def _print(match: Match, facts: dict[str, Any]) -> None:
    first, second = facts["players"]
    title = Text(f"{facts['game']}: {first} against {second}")
    table = Table(title=title)
    table.add_column(Text(f"{first} as"))
    for heading in ("games", "wins", "draws", "losses", "score", "95 % interval"):
        table.add_column(heading, justify="right")
    rows = [(f"seat {each['seat']}", each) for each in facts["by_seat"]] + [("all", facts)]
    for number, (name, each) in enumerate(rows, start=1):
        counts = [f"{each[count]:,}" for count in ("games", "wins", "draws", "losses")]
        score = "-" if each["score"] is None else f"{each['score']:.1%}"
        interval = "{:.1%} to {:.1%}".format(*each["ci95"])
        table.add_row(name, *counts, score, interval, end_section=number == len(rows) - 1)
    console = Console(highlight=False, markup=False)
    console.print(table)
    if facts["games"] < len(match.jobs):
        console.print(f"cut short: {facts['games']} of {len(match.jobs)} games were played")
    opening = f", the first {match.opening} at random" if match.opening else ""
    console.print(f"average length {facts['mean_length']:.1f} actions{opening}")
    console.print(f"{facts['seconds']:.1f} s, {facts['games_per_s']:.3g} games/s, compiling included")
    if facts["regret"]:
        for spec, regret in zip(facts["players"], facts["regret"], strict=True):
            lost = f"loses {regret['mean']:.4f} a move against perfect play"
            console.print(f"{spec}: {lost}, {regret['best_share']:.1%} of {regret['moves']:,} moves are best")


@contextmanager
def _written(out: Path | None) -> Iterator[Callable[[Record], None]]:
    """Records go line by line to a file beside `out`, which takes its place in the end, however play ended."""
    if out is None:
        yield lambda record: None
        return
    growing = out.with_name(f"{out.name}.partial")
    whole = 0  # bytes of the lines that are written to their end
    with growing.open("wb", buffering=0) as file:

        def write(record: Record) -> None:
            nonlocal whole
            line = f"{json_text.dumps(record.to_dict())}\n".encode()
            if file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(out))
            whole += len(line)

        try:
            yield write
        finally:
            file.truncate(whole)  # where the disk is full, a line may have been cut short
            os.replace(growing, out)
