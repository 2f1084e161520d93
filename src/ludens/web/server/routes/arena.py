"""Arena on the page: matches and tournaments between agents, the same as `ludens match` and `ludens tournament`.

A match is a job whose result is what the command prints. A tournament lives in a folder, with its book, wherever it was
begun: what is shown comes from the book, also while a terminal plays it.
"""

import asyncio
import sqlite3
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ludens.web.server.jobs import Accepted, JobOrder, JobState
from ludens.web.server.orders import AllOrders, Orders
from ludens.web.server.processes import Command, commands
from ludens.web.server.schemas import (
    REFUSALS,
    Asked,
    Fields,
    GameId,
    RefusedError,
    Seed,
    Spec,
    UnknownError,
    checked_name,
)

BOOK = "tournament.sqlite"
MOST_GAMES = 1_000_000
MOST_ROUNDS = 100_000
MOST_PLAYERS = 64
RECORDS = "records.jsonl"
BOOKS = "books"
"""The worker's lane for reading them: ratings of a large tournament take a while."""


class MatchOrder(Asked):
    game: GameId
    variant: Fields = Field(default_factory=dict)
    players: Annotated[list[Spec], Field(min_length=2, max_length=2)]
    games: Annotated[int, Field(ge=1, le=MOST_GAMES)] = 100
    seed: Seed = 0


class TournamentOrder(Asked):
    game: GameId
    variant: Fields = Field(default_factory=dict)
    players: Annotated[list[Spec], Field(min_length=2, max_length=MOST_PLAYERS)]
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 10
    seed: Seed = 0
    name: str | None = None
    """Of its folder; made from what it is if not given, so that the same tournament is found again."""


class Continuation(Asked):
    """More of a tournament."""

    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] | None = None  # in all; as many as it has if not given


class Tournament(BaseModel):
    """A tournament and how far it has come."""

    name: str
    game: str
    variant: dict[str, Any]
    players: list[str]
    seed: int
    opening: int
    rounds: int
    games: int
    total: int
    state: Literal["waiting", "running", "stopped", "finished"]
    job: str | None  # the job that plays it, if it is one of this server


class Outcome(Tournament):
    """A tournament with its tables; players stand in the order of their Elo, best first."""

    ranked: list[str] = []
    model: str | None = None
    standings: list[dict[str, Any]] = []
    net_wins: list[list[int]] = []  # in row y and column x the wins of x over y less those of y over x
    turns: list[list[float | None]] = []
    curve: dict[str, Any] | None = None  # `rounds`, and `elo`: a list for each player


def routes(tournaments: Path, runs: Path) -> APIRouter:
    """Matches and tournaments; the folders are those of tournaments and of training runs."""
    router = APIRouter(tags=["arena"], responses=REFUSALS)

    @router.post("/api/matches", status_code=202)
    async def order_match(order: MatchOrder, orders: AllOrders) -> JobState:
        """Play a match; its job has the result."""
        words = await orders.ask("match_words", order.game, order.variant, order.players, runs)
        title = f"{order.game}: {order.players[0]} against {order.players[1]}"
        lines = _Lines()
        return orders.jobs.submit(
            JobOrder(
                kind="match",
                title=title,
                words=("match", *words, f"--games={order.games}", f"--seed={order.seed}", "--json"),
                total=order.games,
                played=lambda folder: lines(folder / f"{RECORDS}.partial"),
                unseen=lambda folder: ("--out", str(folder / RECORDS)),
                answers=True,
            )
        )

    @router.post("/api/tournaments", status_code=202)
    async def order_tournament(order: TournamentOrder, orders: AllOrders) -> Accepted:
        """Play a tournament; one on the same terms goes on where it was."""
        if order.name is not None:
            checked_name(order.name, "tournament")
        asked = (order.game, order.variant, order.players, order.seed, order.rounds, order.name)
        words, name, total = await orders.ask("tournament_words", *asked, tournaments, runs)
        return await asyncio.to_thread(_begin, orders, tournaments / name, words, total, order.seed)

    @router.get("/api/tournaments")
    async def list_tournaments(orders: AllOrders) -> list[Tournament]:
        """Every tournament, by name."""
        found = await orders.ask("tournaments", tournaments, lane=BOOKS)
        elsewhere = await asyncio.to_thread(commands, "tournament")
        return [Tournament(**each, **_standing(orders, tournaments, each, elsewhere)) for each in found]

    @router.get("/api/tournaments/{name}")
    async def get_tournament(name: str, orders: AllOrders) -> Outcome:
        """Standings with intervals, who beat whom, how long their games were, and Elo by round."""
        found = await orders.ask("tournament", tournaments, checked_name(name, "tournament"), lane=BOOKS)
        if found is None:
            raise _unknown(name)
        elsewhere = await asyncio.to_thread(commands, "tournament")
        return Outcome(**found, **_standing(orders, tournaments, found, elsewhere))

    @router.post("/api/tournaments/{name}/resume", status_code=202)
    async def resume_tournament(name: str, order: Continuation, orders: AllOrders) -> Accepted:
        """Play what a tournament lacks, or more rounds of it."""
        folder = tournaments / checked_name(name, "tournament")
        if not (folder / BOOK).exists():
            raise _unknown(name)
        words, total, seed = await orders.ask("more_tournament_words", folder / BOOK, order.rounds)
        if await asyncio.to_thread(_games_in, folder / BOOK) >= total:
            raise RefusedError(f"the tournament '{name}' has been played to its end: expected more rounds")
        return await asyncio.to_thread(_begin, orders, folder, words, total, seed)

    return router


def _begin(orders: Orders, folder: Path, words: list[str], total: int, seed: int) -> Accepted:
    """Let the words be played into the folder; `RefusedError` if somebody does so already."""
    name, game, players = folder.name, words[0], _players(words)
    if orders.jobs.working_on("tournament", name) or _is_played(folder, game, players, seed, commands("tournament")):
        raise RefusedError(f"the tournament '{name}' is being played: expected it to end or be stopped first")
    order = JobOrder(
        kind="tournament",
        title=f"{game}: tournament of {len(players)}",
        words=("tournament", *words, "--out", str(folder)),
        total=total,
        played=lambda _: _games_in(folder / BOOK),
        name=name,
    )
    return Accepted(name=name, job=orders.jobs.submit(order))


def _standing(orders: Orders, folder: Path, facts: dict[str, Any], elsewhere: list[Command]) -> dict[str, Any]:
    """Whether anybody plays it: a job of ours, or a command in a terminal."""
    job = orders.jobs.working_on("tournament", facts["name"])
    if job is not None:
        return {"state": job.state, "job": job.id}
    if facts["games"] >= facts["total"]:
        return {"state": "finished", "job": None}
    played = _is_played(folder / facts["name"], facts["game"], facts["players"], facts["seed"], elsewhere)
    return {"state": "running" if played else "stopped", "job": None}


def _is_played(folder: Path, game: str, players: list[str], seed: int, elsewhere: list[Command]) -> bool:
    """Whether a command on this machine plays into the folder, named or as the terms have it."""
    for each in elsewhere:
        if (out := each.option("out")) is not None:
            same = each.path(out) == folder.resolve()
        else:
            terms = [*each.words[:1], *_players(list(each.words))], each.option("seed") or "0"
            same = terms == ([game, *players], str(seed)) and each.path("tournaments") == folder.parent.resolve()
        if same:
            return True
    return False


def _players(words: list[str]) -> list[str]:
    """Of `ludens tournament GAME PLAYER ... --option ...`, the players."""
    first = next((i for i, word in enumerate(words) if word.startswith("--")), len(words))
    return words[1:first]


def _games_in(book: Path) -> int:
    """Games that a book has; SQLite alone can tell, so no worker is asked."""
    if not book.exists():
        return 0
    try:
        connection = sqlite3.connect(f"{book.resolve().as_uri()}?mode=ro", uri=True)
        try:
            return int(connection.execute("SELECT count(*) FROM games").fetchone()[0])
        finally:
            connection.close()
    except sqlite3.Error:
        return 0


class _Lines:
    """Counts the whole lines of a file that grows, reading nothing twice."""

    def __init__(self) -> None:
        self._offset = self._count = 0

    def __call__(self, path: Path) -> int:
        with path.open("rb") as file:
            file.seek(self._offset)
            while part := file.read(1 << 20):
                self._offset += len(part)
                self._count += part.count(b"\n")
        return self._count


def _unknown(name: str) -> UnknownError:
    return UnknownError(f"there is no tournament '{name}': expected one of those listed")
