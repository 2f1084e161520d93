"""The games that every adapter is tried with: all of them, and variants with extra turns and more seats."""

from typing import Any

from ludens.games import GAMES

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "ur": [{"rules": "finkel"}],
    "okey": [{"players": 4}],
}
CASES = [(name, options) for name in GAMES for options in [{}, *VARIANTS.get(name, [])]]
IDS = [" ".join([name, *(f"{field}={value}" for field, value in options.items())]) for name, options in CASES]
