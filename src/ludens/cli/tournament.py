"""`ludens tournament`: plays it, or the rest of it, and shows how it ended."""

import json as json_text
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ludens.arena import report, tournament
from ludens.arena.ledger import Ledger
from ludens.arena.standings import Standings, standings
from ludens.cli.app import bad_input
from ludens.cli.inputs import MOST_GAMES, Json, Opening, Seed, Words, at_least, game_from, on_all_cores
from ludens.core.game import Game


@on_all_cores()
@bad_input()
def hold(
    game: Annotated[str, Parameter(help="Which game.")],
    *players: Annotated[
        Words, Parameter(show=True, help="Who takes part, each once; the options of the variant may follow.")
    ],
    rounds: Annotated[int, Parameter(help="How many round robins.")] = 10,
    seed: Seed = 0,
    opening: Opening = None,
    out: Annotated[
        Path | None,
        Parameter(
            help="Folder for games, tables and figures; `tournaments/GAME-...` if not given, the same for the same "
            "tournament."
        ),
    ] = None,
    json: Annotated[Json, Parameter(help="Print the standings for programs.")] = False,
) -> None:
    specs, words = players_and_variant(players)
    run(game_from(game, words), specs, rounds=rounds, seed=seed, opening=opening, out=out, json=json)


def players_and_variant(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words after the game's name: players up to the first option, then the options of the variant."""
    first = next((i for i, word in enumerate(words) if word.startswith("--")), len(words))
    return words[:first], words[first:]


def run(
    game: Game[Any],
    specs: Sequence[str],
    *,
    rounds: int,
    seed: int,
    opening: int | None,
    out: Path | None,
    json: bool,
) -> None:
    """Play what is missing, write tables and figures, print the outcome; ValueError about what was typed."""
    at_least(1, rounds=rounds)
    terms = tournament.terms_of(game, specs, seed=seed, opening=opening)
    folder = tournament.usual_folder(terms) if out is None else out
    total, console = tournament.count(game, terms, rounds), Console(stderr=True)
    if total > MOST_GAMES:
        raise ValueError(f"--rounds {rounds} are {total:,} games: expected {MOST_GAMES:,} games at most")
    with Ledger.open(folder / tournament.BOOK, terms, rounds) as ledger:
        try:
            _play(game, ledger, total, console)
        except (KeyboardInterrupt, ValueError):
            safe = len(ledger.played())
            console.print(Text(f"{safe:,} of {total:,} games are safe in {folder}; the same command plays the rest."))
            raise
        outcome = standings(terms.players, ledger.results())
    report.write(folder, terms, rounds, outcome)
    if json:
        print(json_text.dumps(report.summary(terms, rounds, outcome), indent=2))
        return
    screen = Console()
    screen.print(Text(f"{game.id}: {rounds:,} rounds, {outcome.games:,} games", "bold"))
    screen.print(_standings_table(outcome))
    screen.print(Text("Net wins of the column against the row", "bold"))
    screen.print(_net_wins_table(outcome))
    screen.print(Text(f"Games, tables and figures are in {folder}"))


def _play(game: Game[Any], ledger: Ledger, total: int, console: Console) -> None:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Speed(),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task(game.id, total=total, completed=len(ledger.played()))
        for entered in tournament.play(game, ledger):
            progress.update(bar, completed=entered)


class _Speed(ProgressColumn):
    """Games per second of this run."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.1f} games/s" if task.speed else "")


def _standings_table(outcome: Standings) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("", justify="right")
    table.add_column("player", overflow="fold")
    for head in ("Elo", f"{outcome.model}\n95 %", "win rate\n95 %", "draws"):
        table.add_column(head, justify="right", no_wrap=True)
    for rank, line in enumerate(outcome.lines, start=1):
        table.add_row(
            f"{rank}",
            Text(line.player),
            f"{line.elo:.0f}",
            f"{line.rating:.0f} ({line.rating_ci95[0]:.0f}, {line.rating_ci95[1]:.0f})",
            f"{line.win_rate:.1%} ({100 * line.win_rate_ci95[0]:.1f}, {100 * line.win_rate_ci95[1]:.1f})",
            f"{line.draws:,}",
        )
    return table


def _net_wins_table(outcome: Standings) -> Table:
    """Players across are numbered as in the first table, to fit a terminal."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("", justify="right")
    table.add_column("player", overflow="fold")
    for rank in range(1, len(outcome.lines) + 1):
        table.add_column(f"{rank}", justify="right", no_wrap=True)
    for y, line in enumerate(outcome.lines):
        net = [_net(int(outcome.net_wins[y, x])) if x != y else Text("·", "dim") for x in range(len(outcome.lines))]
        table.add_row(f"{y + 1}", Text(line.player), *net)
    return table


def _net(wins: int) -> Text:
    return Text(f"{wins:+d}" if wins else "0", "green" if wins > 0 else "red" if wins < 0 else "")
