"""Every game in every variant that changes its rules: what the conformance tests walk through."""

from collections.abc import Iterable
from typing import Any

import pytest

from ludens.core.game import Game, variant
from ludens.games import make

PAPER_CARDS = ("dragon", "elephant", "goose", "rooster", "monkey")

VARIANTS: list[Game[Any]] = [
    *(make("othello", size=size) for size in (4, 6, 8)),
    *(make("chung-toi", hop=hop, allow_pass=allow) for hop in (True, False) for allow in (False, True)),
    *(make("ur", rules="paper", pieces=pieces) for pieces in (1, 4, 7)),
    *(make("ur", rules="finkel", pieces=pieces) for pieces in (1, 3, 7)),
    make("ur", rules="finkel", dice=3),
    make("onitama"),
    make("onitama", cards=PAPER_CARDS),
    make("okey", players=2),
    make("okey", players=2, longest_run=5, pairs=True, joker_finish=True),
    make("okey", players=3),
    make("okey", players=4),
    make("okey", players=4, teams=True, match=20, losers_drop=True),
    make("okey", players=2, match=20, show_indicator=True),
]


STANDARD = {
    make("othello", size=4),
    make("chung-toi"),
    make("ur", pieces=1),
    make("onitama", cards=PAPER_CARDS),
    make("okey", players=2),
}
"""The small variant of each game that quick tests are made with."""


def slow_but(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """Values for `pytest.mark.parametrize`, all but the first `quick` of them left to `make test-rest`."""
    return [
        pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=[pytest.mark.slow] * (number >= quick))
        for number, each in enumerate(values)
    ]


def label(game: Game[Any]) -> str:
    """`othello size=6`, for test names."""
    return " ".join([game.id, *(f"{name}={value}" for name, value in variant(game).items())])
