"""What a tournament leaves beside its book: the tables as JSON, CSV and a page of Markdown, and the figures.

    standings.json, .csv, .md    final Elo, fitted rating, win rate, with intervals
    elo_curve.csv                Elo after every round
    net_wins.csv                 wins less losses of the player of the column against the player of the row
    turns.csv                    mean number of turns of their games
    *.png, *.svg                 the figures of `figures.py`

The same book gives the same bytes.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from ludens.arena.figures import FIGURES, figures
from ludens.arena.ledger import Terms
from ludens.arena.standings import Standings
from ludens.core.tables import csv_table, markdown_table


def write(folder: Path, terms: Terms, rounds: int, standings: Standings) -> None:
    """All tables and figures. A file is replaced whole; ValueError if the folder cannot be written to."""
    texts = {
        "standings.json": json.dumps(summary(terms, rounds, standings), indent=2) + "\n",
        "standings.csv": _standings_csv(standings),
        "standings.md": _page(terms, rounds, standings),
        "elo_curve.csv": _curve_csv(standings),
        "net_wins.csv": _matrix_csv("column against row", standings, standings.net_wins.tolist()),
        "turns.csv": _matrix_csv("mean turns", standings, _rounded(standings.turns)),
    }
    contents = {name: text.encode() for name, text in texts.items()} | figures(standings)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            new = folder / f".{name}.new"
            new.write_bytes(content)
            new.replace(folder / name)
    except OSError as error:
        raise ValueError(f"{folder} cannot be written to ({error.strerror}): expected a folder for results") from None


def summary(terms: Terms, rounds: int, standings: Standings) -> dict[str, Any]:
    """The tournament and its outcome for programs: what `standings.json` holds."""
    return {**terms.to_dict(), "rounds": rounds, **standings.to_dict()}


def _page(terms: Terms, rounds: int, standings: Standings) -> str:
    names = standings.players
    lines = [
        [
            line.player,
            f"{line.elo:.0f}",
            f"{line.rating:.0f} ({line.rating_ci95[0]:.0f} to {line.rating_ci95[1]:.0f})",
            f"{line.win_rate:.1%} ({line.win_rate_ci95[0]:.1%} to {line.win_rate_ci95[1]:.1%})",
            *(f"{count:,}" for count in (line.games, line.wins, line.draws, line.losses)),
        ]
        for line in standings.lines
    ]
    net = [[name, *(f"{x:+d}" for x in row)] for name, row in zip(names, standings.net_wins, strict=True)]
    turns = [[name, *(f"{x:.1f}" for x in row)] for name, row in zip(names, standings.turns, strict=True)]
    parts = [
        f"# {terms.game}: {len(names)} players, {rounds:,} rounds, {standings.games:,} games",
        f"{terms}.",
        _table(["", "Elo", f"{standings.model} (95 %)", "win rate (95 %)", "games", "wins", "draws", "losses"], lines),
        "Elo is counted game by game in the order of the schedule, from 1000 with K = 32. "
        f"{standings.model} fits all games at once, with mean 1000.",
        "## Net wins of the column against the row",
        _table(["", *names], _without_diagonal(net)),
        "## Average number of turns",
        _table(["", *names], _without_diagonal(turns)),
        "## Figures",
        *(f"![{name.replace('_', ' ')}]({name}.svg)" for name in FIGURES),
    ]
    return "\n\n".join(parts) + "\n"


def _table(heads: list[str], rows: list[list[str]]) -> str:
    """A table whose first column names and whose others count."""
    return markdown_table(heads, rows, [False] + [True] * (len(heads) - 1))


def _without_diagonal(rows: list[list[str]]) -> list[list[str]]:
    return [["" if column == place + 1 else text for column, text in enumerate(row)] for place, row in enumerate(rows)]


def _standings_csv(standings: Standings) -> str:
    heads = "rank player elo rating rating_low rating_high win_rate win_rate_low win_rate_high games wins draws losses"
    rows = [
        [
            rank,
            line.player,
            *(round(x, 2) for x in (line.elo, line.rating, *line.rating_ci95)),
            *(round(x, 5) for x in (line.win_rate, *line.win_rate_ci95)),
            *(line.games, line.wins, line.draws, line.losses),
        ]
        for rank, line in enumerate(standings.lines, start=1)
    ]
    return csv_table(heads.split(), rows)


def _curve_csv(standings: Standings) -> str:
    rows = [[number, *row] for number, row in enumerate(_rounded(standings.curve))]
    return csv_table(["round", *standings.players], rows)


def _matrix_csv(corner: str, standings: Standings, rows: list[list[Any]]) -> str:
    return csv_table(
        [corner, *standings.players], [[name, *row] for name, row in zip(standings.players, rows, strict=True)]
    )


def _rounded(values: Any) -> list[list[Any]]:
    """Numbers with two digits after the point; nothing for nan."""
    return [["" if np.isnan(x) else round(float(x), 2) for x in row] for row in values]
