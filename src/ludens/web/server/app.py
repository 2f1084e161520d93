"""The server of the page: `create_app` puts everything together, `serve` runs it.

What needs JAX is done by workers, which start while the page is already there.
"""

import asyncio
import logging
import os
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from ludens.web.opponents import GAMES
from ludens.web.protocol import WorkerLostError
from ludens.web.server.agents import AgentError, AgentPool
from ludens.web.server.middleware import LOGGER, Guard, note, one_line
from ludens.web.server.orders import Orders
from ludens.web.server.orders import routes as job_routes
from ludens.web.server.review import Reviews
from ludens.web.server.routes import arena, learning, papers, play
from ludens.web.server.rules import Rules
from ludens.web.server.schemas import Health, Problem, RefusedError, UnknownError
from ludens.web.server.sockets import LARGEST_MESSAGE
from ludens.web.server.store import Store
from ludens.web.server.tables import Tables

STATIC = Path(__file__).parents[1] / "static"
TYPES = {".js": "text/javascript", ".svg": "image/svg+xml"}
STATUS = {UnknownError: 404, RefusedError: 409, ValueError: 422, AgentError: 503, WorkerLostError: 503}
"""What is raised with a sentence is answered with it, and with this status."""


@dataclass(frozen=True)
class ServerSettings:
    """Where things are kept and how much the server may take; the folders are those that commands in a terminal use."""

    runs: Path = Path("runs")  # training runs, one folder each
    tournaments: Path = Path("tournaments")  # tournaments, one folder each, with their books
    results: tuple[Path, ...] = (Path("results"), Path("docs/papers"))
    """Where results of papers are looked for, `NAME/results.json` or `NAME.json`; the first that has one counts."""
    games: Path = Path("runs/games.sqlite")  # the book of games played on the page
    thinkers: int = field(default_factory=lambda: max(2, min(4, (os.cpu_count() or 2))))
    """Processes in which agents think."""
    patience: float = 60.0  # seconds that an agent may think about one move, compiling not counted
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    """Names under which the server answers; a request for another name is refused."""


def create_app(settings: ServerSettings) -> FastAPI:
    """The whole server; ValueError if its book of games is not one."""
    store = Store(settings.games)

    @asynccontextmanager
    async def at_work(app: FastAPI) -> AsyncIterator[None]:
        rules, agents = Rules(), AgentPool(settings.thinkers, settings.patience)
        tables = Tables(rules, agents, store, settings.runs)
        app.state.tables, app.state.reviews, app.state.orders = tables, Reviews(tables), Orders()
        warming = asyncio.create_task(_warm(tables))
        yield
        warming.cancel()
        await asyncio.to_thread(app.state.orders.close)
        app.state.reviews.close()
        tables.close()
        agents.close()
        rules.close()
        store.close()

    app = FastAPI(
        title="Ludens",
        version=version("ludens"),
        description="Play, watch and understand classic games. Moves go over the socket of a table.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=at_work,
        responses={400: {"model": Problem}, 403: {"model": Problem}, 413: {"model": Problem}},
    )
    _explain_errors(app)

    @app.get("/api/health", tags=["server"])
    async def health(request: Request) -> Health:
        """How the server is; it answers before the rules are there."""
        return Health(ludens=version("ludens"), rules="ready" if request.app.state.tables.rules.ready else "starting")

    app.include_router(play.routes(settings.runs))
    app.include_router(job_routes())
    app.include_router(arena.routes(settings.tournaments, settings.runs))
    app.include_router(learning.routes(settings.runs))
    app.include_router(papers.routes(settings.results))
    _serve_files(app)
    app.add_middleware(Guard, hosts=settings.hosts)
    return app


def serve(
    settings: ServerSettings,
    host: str,
    port: int,
    *,
    open_browser: bool = False,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve until interrupted. `ready` is told the address; port 0 is any free one. OSError if it cannot be had."""
    app = create_app(settings)
    listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    # Handed down to every connection: two short messages in a row must not wait for each other (40 ms, on Linux).
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    port = listening.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    url = f"http://{shown}:{port}/"
    config = uvicorn.Config(
        app,
        access_log=False,
        log_level="warning",
        server_header=False,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=3,
    )

    def announce() -> None:
        if ready:
            ready(url)
        if open_browser:
            asyncio.get_running_loop().run_in_executor(None, webbrowser.open, url)

    server = _Server(config)
    server.listens = announce
    LOGGER.setLevel(logging.INFO)
    with listening:
        server.run([listening])


class _Server(uvicorn.Server):
    listens: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listens()


async def _warm(tables: Tables) -> None:
    """Let the workers get ready, the rules first: import JAX, then compile the usual variant of each game."""
    variants = [(await tables.variant(game, {}))[0] for game in GAMES]
    tables.agents.warm()
    for variant in variants:
        await tables.rules.prepare(variant)


def _serve_files(app: FastAPI) -> None:
    """The page itself; files are checked anew each time, so that a changed one is seen."""

    @app.get("/", include_in_schema=False)
    async def home() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})

    app.mount("/static", _Files(directory=STATIC), name="static")


class _Files(StaticFiles):
    """Files with types that do not depend on this machine."""

    def file_response(self, full_path: Any, *args: Any, **options: Any) -> Any:
        response = super().file_response(full_path, *args, **options)
        response.headers["Cache-Control"] = "no-cache"
        if (kind := TYPES.get(Path(full_path).suffix)) and "content-type" in response.headers:
            response.headers["Content-Type"] = f"{kind}; charset=utf-8"
        return response


def _explain_errors(app: FastAPI) -> None:
    """Every refusal is one sentence."""

    def answer(request: Request, status: int, sentence: str) -> JSONResponse:
        note(request.scope, status, sentence)
        return JSONResponse({"detail": one_line(sentence)}, status)

    async def refused(request: Request, error: Exception) -> JSONResponse:
        status = next(status for kind, status in STATUS.items() if isinstance(error, kind))
        return answer(request, status, str(error))

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return answer(request, 422, _sentence(error.errors()))

    async def plain(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        sentence = error.detail
        if sentence == "Not Found":
            sentence = f"there is nothing at {request.url.path[:80]!r}: expected a path of the page or of its API"
        elif sentence == "Method Not Allowed":
            sentence = f"{request.url.path[:80]!r} cannot be asked with {request.method}: expected another method"
        response = answer(request, error.status_code, sentence)
        response.headers.update(error.headers or {})
        return response

    async def ours(request: Request, error: Exception) -> JSONResponse:
        return answer(request, 500, "something went wrong that should not have: the server's log says what")

    app.add_exception_handler(Exception, ours)
    for kind in STATUS:
        app.add_exception_handler(kind, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, plain)


def _sentence(errors: Sequence[Any]) -> str:
    """The first thing that is wrong with a request, in words."""
    first = errors[0]
    if first["type"] == "json_invalid":
        return "the body is not JSON: expected an object"
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    what = str(first["msg"]).replace("Input should be", "expected").replace("Field required", "expected, and not there")
    return f"{f'{place[:80]!r}' if place else 'the body'} is not right: {what[:1].lower()}{what[1:]}"
