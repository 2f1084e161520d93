"""Every game in every variant that changes its rules: what the conformance tests walk through."""

from typing import Any

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


def label(game: Game[Any]) -> str:
    """`othello size=6`, for test names."""
    return " ".join([game.id, *(f"{name}={value}" for name, value in variant(game).items())])
