"""What a server is told when it starts."""

import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """Where things are kept and how much the server may take; the folders are those that commands in a terminal use."""

    runs: Path = Path("runs")
    """Training runs, one folder each."""
    tournaments: Path = Path("tournaments")
    """Tournaments, one folder each, with their books."""
    results: tuple[Path, ...] = (Path("results"), Path("docs/papers"))
    """Where results of papers are looked for, `NAME/results.json` or `NAME.json`; the first that has one counts."""
    games: Path = Path("runs/games.sqlite")
    """The book of games played on the page."""
    thinkers: int = field(default_factory=lambda: max(2, min(4, (os.cpu_count() or 2))))
    """Processes in which agents think."""
    patience: float = 60.0
    """Seconds that an agent may think about one move, compiling not counted."""
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    """Names under which the server answers; a request for another name is refused."""
