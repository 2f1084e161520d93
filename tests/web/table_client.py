"""A person at a table, for tests: what their page would send and hear."""

import json
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import httpx
from websockets.sync.client import ClientConnection, connect

PATIENCE = 120.0
"""Seconds for anything to come: agents may have to be compiled on a busy machine."""


def lay(http: httpx.Client, game: str, *specs: str | None, **more: Any) -> dict[str, Any]:
    """A new table; None is a person."""
    seats = [{"kind": "person"} if spec is None else {"kind": "agent", "spec": spec} for spec in specs]
    answer = http.post("/api/tables", json={"game": game, "seats": seats, **more})
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told


class Client:
    """A socket to a table; `state` is the newest, `heard` is everything."""

    def __init__(self, url: str, table: str, **headers: str) -> None:
        self.address = f"ws{url.removeprefix('http')}/api/tables/{table}/socket"
        self.headers = headers
        self.heard: list[dict[str, Any]] = []
        self.state: dict[str, Any] = {}

    def __enter__(self) -> Self:
        self.connection: ClientConnection = connect(self.address, compression=None).__enter__()
        self.until(lambda told: told["type"] == "state")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()

    def send(self, **message: Any) -> None:
        self.connection.send(json.dumps(message))

    def hear(self) -> dict[str, Any]:
        """The next message."""
        told: dict[str, Any] = json.loads(self.connection.recv(timeout=PATIENCE))
        self.heard.append(told)
        if told["type"] == "state":
            self.state = told
        return told

    def until(self, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The first message that is wanted."""
        while not wanted(told := self.hear()):
            assert told["type"] != "error", told
        return told

    def move(self, action: int) -> None:
        """Send a move for the state seen last."""
        self.send(type="move", action=action, version=self.state["version"])

    def play(self, action: int) -> None:
        """Make a move and wait until it is a person's turn again, or over."""
        version = self.state["version"]
        self.move(action)
        self.until(
            lambda told: told["type"] == "state" and told["version"] > version and (told["over"] or told["moves"])
        )

    def legal(self) -> list[int]:
        """What can be played now."""
        return [move["action"] for move in self.state["moves"]]

    def ready(self) -> None:
        """Wait until a person is to move, or the game is over."""
        if not self.state["moves"] and not self.state["over"]:
            self.until(lambda told: told["type"] == "state" and (told["moves"] or told["over"]))
