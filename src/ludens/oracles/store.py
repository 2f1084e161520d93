"""Where solved games are kept: one safetensors file for each variant in the user's cache.

A file says in its metadata which game, variant and format it belongs to, and carries a digest of everything in it. A
file that is missing, cut short, altered or not ours is not trusted: the game is solved again and the file replaced.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludens.core import storage
from ludens.core.game import Game, S, variant
from ludens.oracles import solvable
from ludens.oracles.oracle import Oracle, Progress, Solution

FORMAT = 1
"""Goes up whenever a table would be read differently, or rules it was made from change."""


def load(
    game: Game[S], progress: Progress | None = None, *, rebuild: bool = False, oracle: Oracle[S] | None = None
) -> tuple[Oracle[S], Solution]:
    """The oracle of `game` and its solution: as stored, or solved now and stored (`rebuild`: in any case solved now).

    ValueError if the variant cannot be solved; an `oracle` that is given solves what nobody has asked for yet. Where
    the cache cannot be written the solution is not kept.
    """
    oracle = oracle or solvable(game)
    path = path_of(game)
    solution = None if rebuild else _read(game, path)
    if solution is None:
        if progress:
            progress(0.0)
        solution = oracle.solve(progress)
        with suppress(OSError):
            _write(game, solution, path)
    return oracle, solution


def path_of(game: Game[Any]) -> Path:
    """The file for `game`: under `$LUDENS_CACHE`, or else `ludens` in the user's cache."""
    usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ludens"
    folder = Path(os.environ.get("LUDENS_CACHE") or usual) / "oracles"
    fields = [f"{field}={value}" for field, value in variant(game).items()]
    return folder / f"{'-'.join([game.id, *fields])}.v{FORMAT}.safetensors"


def _read(game: Game[Any], path: Path) -> Solution | None:
    """The solution in the file at `path`, None unless every bit of it is what was written."""
    try:
        facts, table = storage.load(path)
    except ValueError:
        return None
    if facts.pop("about", None) != _about(game):
        return None
    return Solution(table=table, **facts)


def _write(game: Game[Any], solution: Solution, path: Path) -> None:
    counts = {name: value for name, value in vars(solution).items() if name != "table"}
    path.parent.mkdir(parents=True, exist_ok=True)
    storage.write(path, solution.table, {"about": _about(game), **counts})


def _about(game: Game[Any]) -> dict[str, Any]:
    """What a file must be about to be ours."""
    return {"ludens oracle": game.id, "variant": variant(game), "format": FORMAT}
