"""Where solved games are kept: one safetensors file for each variant in the user's cache.

A file says in its metadata which game, variant and format it belongs to, and carries a digest of everything in it. A
file that is missing, cut short, altered or not ours is not trusted: the game is solved again and the file replaced.
What takes longer than a minute or so is only solved by whoever asks for it (`ludens solve`); beside its file is then
a folder with what is done so far.
"""

import os
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import Any

from ludens.core import storage
from ludens.core.game import Game, S, variant
from ludens.oracles import oracle_for, solvable
from ludens.oracles.oracle import Oracle, Progress, Solution

FORMAT = 2
"""Goes up whenever a table would be read differently, or rules it was made from change."""


def load(
    game: Game[S],
    progress: Progress | None = None,
    *,
    rebuild: bool = False,
    at_length: bool = False,
    file: Path | None = None,
    oracle: Oracle[S] | None = None,
) -> tuple[Oracle[S], Solution]:
    """The oracle of `game` and its solution: as stored, or solved now and stored (`rebuild`: in any case solved now).

    ValueError if the variant cannot be solved, or if that takes long and is not asked for (`at_length`); an `oracle`
    that is given solves what nobody has asked for yet. Where the cache cannot be written the solution is not kept.
    `file` is a table elsewhere: read if it is there, else written.
    """
    oracle = oracle or solvable(game)
    path = path_of(game)
    solution = None
    if not rebuild:
        solution = _read(game, path) if file is None or not file.exists() else _given(game, file)
    if solution is None:
        if not (oracle.small or at_length):
            raise ValueError(untold(game))
        if progress:
            progress(0.0)
        unfinished = path.with_suffix(".unfinished")
        if rebuild:
            rmtree(unfinished, ignore_errors=True)
        solution = oracle.solve(progress, None if oracle.small else unfinished)
        with suppress(OSError):
            _write(game, solution, path)
            rmtree(unfinished, ignore_errors=True)
    elif not path.exists():
        with suppress(OSError):
            _write(game, solution, path)
    if file is not None and (rebuild or not file.exists()):
        try:
            _write(game, solution, file)
        except OSError:
            raise ValueError(f"'{file}' cannot be written: expected a file in a folder that can be") from None
    return oracle, solution


def at_hand(game: Game[Any]) -> bool:
    """Whether `load` answers within a minute or so."""
    oracle = oracle_for(game)
    return oracle is not None and (oracle.small or path_of(game).is_file())


def untold(game: Game[Any]) -> str:
    """Why `load` does not answer, and what to do about it."""
    options = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in variant(game).items())
    return f"{game.id} in this variant has no table yet: expected one made by 'ludens solve {game.id} {options}'"


def path_of(game: Game[Any]) -> Path:
    """The file for `game`: under `$LUDENS_CACHE`, or else `ludens` in the user's cache."""
    usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ludens"
    folder = Path(os.environ.get("LUDENS_CACHE") or usual) / "oracles"
    fields = [f"{field}={value}" for field, value in variant(game).items()]
    return folder / f"{'-'.join([game.id, *fields])}.v{FORMAT}.safetensors"


def _given(game: Game[Any], file: Path) -> Solution:
    """The solution in a file that somebody named; ValueError if it holds none of `game`: it is not overwritten."""
    solution = _read(game, file)
    if solution is None:
        raise ValueError(f"'{file}' is no whole table of this variant of {game.id}: expected one, or a free name")
    return solution


def _read(game: Game[Any], path: Path) -> Solution | None:
    """The solution in the file at `path`, None unless every bit of it is what was written."""
    try:
        facts, table = storage.load(path, mapped=True)
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
