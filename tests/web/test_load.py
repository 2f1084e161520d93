"""Many games at once over their sockets: none fails, and acts of many tables are made together."""

import asyncio
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import util
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "benchmarks" / "page.py"
GAMES, SECONDS = 40, 4.0
PATIENT = 2.0
"""Seconds that the median answer may take, where other tests run at the same time; `benchmarks/page.py` measures."""


def test_many_games_at_once(server: Any) -> None:
    told = util.spec_from_file_location("page_benchmark", PAGE)
    assert told is not None
    assert told.loader is not None
    page = util.module_from_spec(told)
    sys.modules[told.name] = page
    told.loader.exec_module(page)
    with ThreadPoolExecutor(1) as thread:  # a browser that other tests drive may have a loop in this one
        playing = page.drive(server.url, list(page.GAMES), GAMES, SECONDS)
        waited = thread.submit(asyncio.run, playing).result()
    assert set(waited) == set(page.GAMES)
    every = [wait for waits in waited.values() for wait in waits]
    assert len(every) > GAMES
    assert statistics.median(every) < PATIENT
    assert "Traceback" not in server.log
