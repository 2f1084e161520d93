"""How fast the page answers: many games at once against `random`, each driven over its socket as fast as it can.

    .venv/bin/python benchmarks/page.py                      # 100 games for a minute, all five games
    .venv/bin/python benchmarks/page.py --games 20 --seconds 10 --only othello

Prints, for each game and for all, the moves made and how long a player waited from sending a move to the position
after the opponent's reply: the median and the slowest twentieth. Games that end begin anew. The script and the server
share the machine, and any error ends it with a traceback.
"""

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable

import httpx
from websockets.asyncio.client import connect

GAMES = ("othello", "chung-toi", "ur", "onitama", "okey")
LAUNCH = """
import sys
from pathlib import Path
from ludens.web.server.app import ServerSettings, serve

home = Path(sys.argv[1])
settings = ServerSettings(runs=home, tournaments=home, results=(home,), games=home / "games.sqlite")
serve(settings, "127.0.0.1", 0, open_browser=False, ready=lambda url: print(url, flush=True))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100, help="played at the same time")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--only", choices=GAMES, help="this game instead of all in turn")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        server = subprocess.Popen([sys.executable, "-c", LAUNCH, home], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip().rstrip("/")
            kinds = [told.only] if told.only else list(GAMES)
            report(asyncio.run(drive(url, kinds, told.games, told.seconds)), told.seconds)
        finally:
            server.terminate()
            server.wait()


async def drive(url: str, kinds: list[str], games: int, seconds: float) -> dict[str, list[float]]:
    """Play; seconds waited for each move, by game."""
    waited: dict[str, list[float]] = defaultdict(list)
    async with httpx.AsyncClient(base_url=url, timeout=300) as http:
        for kind in kinds:  # compiled before anything is measured
            await lay(http, kind, 0)
        until = time.perf_counter() + seconds
        async with asyncio.TaskGroup() as players:
            for number in range(games):
                kind = kinds[number % len(kinds)]
                players.create_task(person(http, url, kind, number, waited[kind].append, until))
    return waited


async def person(
    http: httpx.AsyncClient, url: str, kind: str, number: int, waits: Callable[[float], None], until: float
) -> None:
    """One who plays game after game at random, without ever thinking."""
    chooser = random.Random(number)
    while time.perf_counter() < until:
        table = await lay(http, kind, chooser.randrange(10**6))
        async with connect(f"ws{url.removeprefix('http')}/api/tables/{table}/socket", compression=None) as socket:
            state = json.loads(await socket.recv())
            while not state["over"] and time.perf_counter() < until:
                if not state["moves"]:
                    state = await next_state(socket)
                    continue
                action = chooser.choice(state["moves"])["action"]
                sent = time.perf_counter()
                await socket.send(json.dumps({"type": "move", "action": action, "version": state["version"]}))
                state = await next_state(socket)
                while not state["over"] and not state["moves"]:
                    state = await next_state(socket)
                waits(time.perf_counter() - sent)


async def lay(http: httpx.AsyncClient, kind: str, seed: int) -> str:
    """A table of one person against `random`: its id."""
    seats = [{"kind": "person"}, {"kind": "agent", "spec": "random"}]
    answer = await http.post("/api/tables", json={"game": kind, "seats": seats, "seed": seed})
    answer.raise_for_status()
    table: str = answer.json()["table"]
    return table


async def next_state(socket) -> dict:
    """The next state that comes; anything else is an error."""
    told = json.loads(await socket.recv())
    if told["type"] != "state":
        raise RuntimeError(f"the server says: {told}")
    return told


def report(waited: dict[str, list[float]], seconds: float) -> None:
    """A table in Markdown."""
    print("| game | moves | moves/s | median ms | 95 % below ms |\n|---|---|---|---|---|")
    rows = [*waited.items(), ("all", [wait for waits in waited.values() for wait in waits])]
    for kind, waits in rows:
        twentieths = statistics.quantiles(waits, n=20) if len(waits) > 1 else [0.0] * 19
        middle = 1000 * statistics.median(waits)
        print(f"| {kind} | {len(waits):,} | {len(waits) / seconds:,.0f} | {middle:.1f} | {1000 * twentieths[-1]:.1f} |")


if __name__ == "__main__":
    main()
