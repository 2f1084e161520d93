"""Folders as training and tournaments leave them, made by hand: fast, and with known numbers."""

import json
import os
import time
from pathlib import Path
from typing import Any

TERMS: dict[str, Any] = {
    "format": 1,
    "ludens": "0.1.0",
    "game": "chung-toi",
    "variant": {"hop": True, "allow_pass": False},
    "learner": "td-lambda",
    "config": {"games": 1000, "num_envs": 1, "hidden": 30, "lambda_": 0.7},
    "agent": {"kind": "value-net"},
    "seed": 0,
    "seeds": 1,
}
PLAYERS = ("random", "smart-random", "alphabeta:1")
RESULTS = ((0, 1, -1.0), (0, 2, -1.0), (1, 2, 1.0)) * 4
"""Who met whom, and the result of the first: in every round the second of the players wins all its games."""


def line(games: int, **more: Any) -> dict[str, Any]:
    """A line of metrics."""
    common = {"games": games, "steps": 10 * games, "seconds": 0.5, "device": "cpu", "games_per_second": 200.0}
    return common | {"loss": [1 / (1 + games)], "length": [12.0]} | more


def trial(wins: int) -> dict[str, Any]:
    """An evaluation."""
    return {"evaluation": {"vs": "smart-random", "games": 100, "wins": [wins], "draws": [2], "losses": [98 - wins]}}


def make_run(folder: Path, lines: list[dict[str, Any]], *, age: float = 1000.0, **terms: Any) -> None:
    """A run in `folder` that was written to `age` seconds ago."""
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(TERMS | terms))
    (folder / "metrics.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    (folder / "checkpoint.safetensors").write_bytes(b"")
    then = time.time() - age
    for name in ("run.json", "metrics.jsonl", "checkpoint.safetensors"):
        os.utime(folder / name, (then, then))


def append(folder: Path, text: str) -> None:
    """Write more metrics."""
    with (folder / "metrics.jsonl").open("a") as file:
        file.write(text)


def make_tournament(folder: Path, *, rounds: int = 4, seed: int = 0) -> None:
    """A tournament of chung-toi with the book of `RESULTS`; with more than four rounds it is not finished."""
    from ludens.arena.ledger import Fixture, Ledger, Terms
    from ludens.arena.record import Record

    terms = Terms("chung-toi", {"hop": True, "allow_pass": False}, PLAYERS, seed, 0)
    with Ledger.open(folder / "tournament.sqlite", terms, rounds) as ledger:
        for number, (first, second, result) in enumerate(RESULTS):
            seats = tuple(PLAYERS[i] for i in (first, second))
            moves = tuple(range(8 + number % 3))
            record = Record("chung-toi", dict(terms.variant), 1, seats, "", 0, moves, (), (result, -result))
            ledger.enter(Fixture(number // 3, number % 3, (first, second), 1), record)
