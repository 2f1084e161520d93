"""For tests of the page: a server in a process of its own, and a browser to look at it with."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
START = 60.0
"""Seconds in which a server must say where it is. It does not wait for JAX, but a machine may be busy."""
LAUNCH = """
import json, sys
from pathlib import Path
from ludens.web.server.app import ServerSettings, serve

told = json.loads(sys.argv[1])
folders = {name: Path(told.pop(name)) for name in ("runs", "tournaments", "games")}
results = tuple(Path(each) for each in told.pop("results"))
settings = ServerSettings(**folders, results=results, **told)
serve(settings, "127.0.0.1", 0, open_browser=False, ready=lambda url: print(url, flush=True))
"""


@dataclass
class Server:
    """A server on a port of its own, with all its folders under `home`."""

    home: Path
    told: dict[str, Any] = field(default_factory=dict)
    """Settings other than folders, such as `patience`."""
    url: str = ""
    process: "subprocess.Popen[str] | None" = None

    @property
    def runs(self) -> Path:
        """Where it looks for training runs."""
        return self.home / "runs"

    @property
    def tournaments(self) -> Path:
        """Where it keeps tournaments."""
        return self.home / "tournaments"

    @property
    def results(self) -> Path:
        """Where it looks for results of papers."""
        return self.home / "results"

    @property
    def log(self) -> str:
        """What it has written so far to its standard error."""
        return (self.home / "server.log").read_text(encoding="utf-8")

    def start(self) -> None:
        """Start it, again if it was stopped, and wait until it says where it is."""
        for folder in (self.runs, self.tournaments, self.results):
            folder.mkdir(parents=True, exist_ok=True)
        told = self.told | {
            "runs": str(self.runs),
            "tournaments": str(self.tournaments),
            "results": [str(self.results)],
            "games": str(self.home / "games.sqlite"),
        }
        with (self.home / "server.log").open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", LAUNCH, json.dumps(told)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ | {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.2"},
            )
        assert self.process.stdout is not None
        too_long = threading.Timer(START, self.process.kill)
        too_long.start()
        self.url = self.process.stdout.readline().strip().rstrip("/")
        too_long.cancel()
        if not self.url:
            self.stop()
            raise RuntimeError(f"the server did not start: {self.log}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it as told, and wait for that."""
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.process = None


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that all tests share; `.url` says where, `.runs` and others where its folders are."""
    shared = Server(tmp_path_factory.mktemp("server"), {"thinkers": 1})
    shared.start()
    yield shared
    shared.stop()


@pytest.fixture
def make_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts a server for one test alone, with settings of its own."""
    made: list[Server] = []

    def make(**told: Any) -> Server:
        home = tmp_path / f"server{len(made)}"
        home.mkdir()
        made.append(Server(home, told))
        made[-1].start()
        return made[-1]

    yield make
    for each in made:
        each.stop()


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    """Asks the shared server, as a page would."""
    with httpx.Client(base_url=server.url, timeout=120) as client:
        yield client


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium under Playwright's hand; skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: no browser to drive")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser on this machine: expected one of {', '.join(BROWSERS)}")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=found, args=list(BROWSER_OPTIONS))
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Any, server: Server) -> Iterator[Any]:
    """A fresh desktop-sized page; `page.goto("/#/")` is the shared server.

    A test with it fails if the page throws, breaks its own security policy or asks another host for anything.
    """
    context = browser.new_context(base_url=server.url, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(30_000)
    wrong: list[str] = []
    opened = context.new_page()
    opened.on("pageerror", lambda error: wrong.append(f"uncaught: {error}"))
    opened.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
    opened.on("request", lambda asked: None if _own(asked.url, server.url) else wrong.append(f"foreign: {asked.url}"))
    yield opened
    context.close()
    assert not wrong, wrong


def _own(asked: str, url: str) -> bool:
    """Whether a request stays on the server that the page came from."""
    return asked.startswith((url, "data:", "blob:", "about:"))
