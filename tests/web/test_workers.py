"""Workers that die or think too long, and a server that is killed: one sentence at most, and the game goes on."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from web.table_client import Client, lay


@pytest.mark.slow
def test_who_thinks_too_long_is_stopped(make_server: Callable[..., Any]) -> None:
    impatient = make_server(patience=3.0, thinkers=2)
    with httpx.Client(base_url=impatient.url, timeout=120) as http:
        table = lay(http, "chung-toi", None, "mcts:100000")["table"]
    with Client(impatient.url, table) as client:
        client.move(client.legal()[0])
        said = []
        while (told := client.hear())["type"] != "error":
            said.append(told.get("what"))
        assert "thinking" in said
        assert "longer than 3 seconds" in told["detail"]
        client.until(lambda told: told["type"] == "state")
        assert client.state["ply"] == 1
        client.send(type="undo")
        client.until(lambda told: told["type"] == "state" and told["ply"] == 0)


@pytest.mark.slow
def test_workers_that_die_are_replaced(server: Any) -> None:
    with httpx.Client(base_url=server.url, timeout=120) as http:
        table = lay(http, "chung-toi", None, "smart-random")["table"]
        with Client(server.url, table) as client:
            client.play(client.legal()[0])
            assert client.state["ply"] == 2
            before = _workers(server.process.pid)
            assert len(before) >= 2  # the rules and the agents; who checks orders comes with the first
            for worker in before:
                os.kill(worker, signal.SIGKILL)
            client.play(client.legal()[0])
            assert client.state["ply"] == 4
        assert http.get("/api/games").status_code == 200
        assert http.get("/api/learners").status_code == 200
        assert not set(before) & set(_workers(server.process.pid))


def test_games_go_on_after_the_server_is_killed(server: Any) -> None:
    with httpx.Client(base_url=server.url, timeout=120) as http:
        tables = [lay(http, "ur", None, "random", seed=n)["table"] for n in range(2)]
        tables.append(lay(http, "othello", None, "positional", seed=1, variant={"size": 4})["table"])
        states = {}
        for table in tables:
            with Client(server.url, table) as client:
                client.ready()
                for _ in range(4):
                    if not client.state["over"]:
                        client.play(client.legal()[0])
                states[table] = client.state
        with Client(server.url, tables[0]) as client:
            client.send(type="undo")
            states[tables[0]] = client.until(lambda told: told["type"] == "state")
    workers = _workers(server.process.pid)
    assert workers
    server.stop(signal.SIGKILL)
    _wait_for_the_end_of(workers)
    server.start()
    with httpx.Client(base_url=server.url, timeout=120) as http:
        for table, before in states.items():
            now = http.get(f"/api/tables/{table}").json()
            assert now == before
            with Client(server.url, table) as client:
                if not client.state["over"]:
                    client.play(client.legal()[0])
                    assert client.state["ply"] > before["ply"]
                record = http.get(f"/api/tables/{table}/record").json()
                assert [act["name"] for act in before["history"]] == [
                    act["name"] for act in client.state["history"][: before["ply"]]
                ]
                assert len(record["actions"]) == client.state["ply"]
    assert "Traceback" not in server.log


def _workers(pid: int) -> list[int]:
    """The processes that a server has started for work."""
    told = subprocess.run(["ps", "-ww", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in told.splitlines() if "spawn_main" in line]


def _runs(pid: int) -> bool:
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    return bool(told.strip()) and not told.strip().startswith("Z")


def _wait_for_the_end_of(workers: list[int]) -> None:
    """Workers end by themselves when their server is gone."""
    until = time.monotonic() + 30
    while any(_runs(worker) for worker in workers):
        assert time.monotonic() < until
        time.sleep(0.1)
