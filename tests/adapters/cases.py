"""The games that every adapter is tried with: all of them, and variants with extra turns and more seats."""

from typing import Any

from ludens.games import GAMES
from variants import slow_but

QUICK: list[tuple[str, dict[str, Any]]] = [("chung-toi", {}), ("ur", {"rules": "finkel"})]
_ALL = [*QUICK, *((name, {}) for name in GAMES if name != "chung-toi"), ("okey", {"players": 4})]
CASES = slow_but(_ALL, len(QUICK))
IDS = [" ".join([name, *(f"{field}={value}" for field, value in options.items())]) for name, options in _ALL]
