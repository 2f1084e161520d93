"""Games over their sockets: many at once without a failure, and one alone without a pause."""

import asyncio
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import util
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "benchmarks" / "page.py"
GAMES, SECONDS = 40, 2.0
PATIENT = 2.0
"""Seconds that the median answer may take, where other tests run at the same time; `benchmarks/page.py` measures."""
QUICK = 0.03
"""Seconds within which one answer of four comes. A line that holds short messages back takes 0.04 for most."""


@pytest.mark.slow
def test_many_games_at_once(server: Any) -> None:
    waited = _driven(server, GAMES)
    every = [wait for waits in waited.values() for wait in waits]
    assert len(every) > GAMES
    assert statistics.median(every) < PATIENT
    assert "Traceback" not in server.log


def test_an_answer_does_not_wait_for_the_message_before_it(server: Any) -> None:
    (waits,) = _driven(server, 1, "othello").values()
    assert len(waits) > 10
    assert statistics.quantiles(waits, n=4)[0] < QUICK, statistics.quantiles(waits, n=4)


def _driven(server: Any, games: int, *only: str) -> dict[str, list[float]]:
    """Seconds that every answer took, by game."""
    told = util.spec_from_file_location("page_benchmark", PAGE)
    assert told is not None
    assert told.loader is not None
    page = util.module_from_spec(told)
    sys.modules[told.name] = page
    told.loader.exec_module(page)
    chosen = list(only or page.GAMES)
    with ThreadPoolExecutor(1) as thread:  # a browser that other tests drive may have a loop in this one
        waited: dict[str, list[float]] = thread.submit(
            asyncio.run, page.drive(server.url, chosen, games, SECONDS)
        ).result()
    assert set(waited) == set(chosen)
    return waited
