"""What `ludens.core.batching.once` is worth: `python benchmarks/once.py` measures every game with and without it."""

import subprocess
import sys

MEASURE = """
import sys
from ludens.core.compiling import cores_as_devices
cores_as_devices()
import ludens.core.batching as batching
if sys.argv[1] == "without":
    batching.once = lambda function: function
from ludens.cli.bench import of_game, steps_per_second
from ludens.games import GAMES
print(*(steps_per_second(of_game(GAMES[name]()), 4096) for name in GAMES))
"""


def rates(how: str) -> list[float]:
    """Steps per second of each game, 4,096 at once, in a process of its own."""
    said = subprocess.run([sys.executable, "-c", MEASURE, how], capture_output=True, text=True, check=True).stdout
    return [float(rate) for rate in said.split()]


def main() -> None:
    from ludens.games import GAMES

    for name, fast, slow in zip(GAMES, rates("with"), rates("without"), strict=True):
        print(f"{name:10} with {fast / 1e6:6.2f} M steps/s, without {slow / 1e6:6.2f} M: {fast / slow:.2f} x")


if __name__ == "__main__":
    main()
