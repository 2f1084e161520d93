"""`ludens serve` as a person types it: what it says, where it listens, and how it ends."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ludens.cli import serve
from ludens.cli.app import BadInputError
from ludens.web.server.app import ServerSettings


@contextmanager
def served(folder: Path, *words: str) -> Iterator[tuple[str, str, "subprocess.Popen[str]"]]:
    """The address a server announces, all that it says before, and the server, which is ended afterwards."""
    command = [sys.executable, "-u", "-m", "ludens", "serve", "--no-open", "--folder", str(folder), *words]
    environment = os.environ | {"COLUMNS": "300"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            said = ""
            while "passwords" not in said:
                line = process.stdout.readline()
                assert line, said
                said += line
            found = re.search(r"http://\S+?/(?=\.)", said)
            assert found, said
            yield found[0], said, process
        finally:
            process.kill()


def test_it_serves_this_machine_alone_and_ends_by_ctrl_c(tmp_path: Path) -> None:
    with served(tmp_path, "--port", "0") as (url, said, process):
        assert url.startswith("http://127.0.0.1:")
        assert "Only this machine can reach it" in said
        assert "--host 0.0.0.0" in said
        with urllib.request.urlopen(f"{url}api/health", timeout=20) as answer:
            assert json.load(answer)["ludens"]
        with urllib.request.urlopen(url, timeout=20) as answer:
            assert b"<title>" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) in (0, 130)
    assert (tmp_path / "runs" / "games.sqlite").exists()


def test_it_says_what_opening_it_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[ServerSettings] = []

    def listen(settings: ServerSettings, host: str, port: int, *, open_browser: bool, ready: Any) -> None:
        asked.append(settings)
        ready(f"http://{host}:{port}/")

    monkeypatch.setattr(serve, "serve_page", listen)
    monkeypatch.setenv("COLUMNS", "300")
    serve.serve(host="0.0.0.0", port=0, name=("games.example",), open_browser=False, folder=tmp_path)
    said = capsys.readouterr().out
    for words in ("whoever reaches this machine", "no passwords", "games.example"):
        assert words in said
    assert {"localhost", "games.example"} <= set(asked[0].hosts)
    assert asked[0].runs == tmp_path / "runs"


@pytest.mark.parametrize(
    ("host", "port", "sentence"),
    [
        ("127.0.0.1", 70000, "--port is 70000: expected 0 to 65535"),
        ("", None, "--host is empty: expected an address"),
        ("203.0.113.7", None, "203.0.113.7 port 8000 cannot be used"),
    ],
)
def test_bad_input(tmp_path: Path, host: str, port: int | None, sentence: str) -> None:
    with pytest.raises(BadInputError, match=re.escape(sentence)):
        serve.serve(host=host, port=port, open_browser=False, folder=tmp_path)


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"port {port} cannot be used"):
            serve._free("127.0.0.1", port)
        assert serve._free("127.0.0.1", None) != port


def test_a_book_that_is_not_one(tmp_path: Path) -> None:
    book = tmp_path / "runs" / "games.sqlite"
    book.parent.mkdir()
    book.write_text("a shopping list")
    with pytest.raises(BadInputError, match=r"games\.sqlite"):
        serve.serve(port=0, open_browser=False, folder=tmp_path)
    assert book.read_text() == "a shopping list"
