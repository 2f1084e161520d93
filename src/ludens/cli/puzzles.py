"""`ludens puzzles`: positions with exactly one best move, as lines of JSON."""

import json as json_text
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ludens.cli.app import bad_input
from ludens.cli.inputs import GameName, Seed, Words, at_least, bar, game_from, on_all_cores
from ludens.core.game import variant as variant_of
from ludens.core.storage import replace
from ludens.players.puzzles import puzzles as find


@on_all_cores()
@bad_input()
def puzzles(
    game: GameName,
    *words: Words,
    number: Annotated[int, Parameter(help="How many.")] = 100,
    seed: Seed = 0,
    out: Annotated[
        Path | None, Parameter(help="Write them to this file, one a line, instead of printing them.")
    ] = None,
) -> None:
    """Easy ones first."""
    variant = game_from(game, words)
    at_least(1, number=number)
    if out is not None and not out.parent.is_dir():
        raise ValueError(f"--out is '{out}': expected a file in a folder that exists")
    found = []
    with bar(f"looking for puzzles of {variant.id}", number) as show:
        show(0)
        for puzzle in find(variant, number, seed):
            found.append(puzzle)
            show(len(found))
    facts = {"game": variant.id, "variant": variant_of(variant)}
    lines = [json_text.dumps(facts | puzzle._asdict()) for puzzle in sorted(found, key=lambda each: each.grade)]
    if out is None:
        print("\n".join(lines))
        return
    replace(out, "".join(f"{line}\n" for line in lines).encode())
    print(f"{out}: {len(lines)} puzzles")
