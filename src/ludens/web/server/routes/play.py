"""The routes of tables: laying one, looking at it, and everything that can be had from its game."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, WebSocket
from fastapi import Path as InPath
from fastapi.responses import JSONResponse, PlainTextResponse

from ludens.web.opponents import label, resolve
from ludens.web.server import schemas
from ludens.web.server.middleware import refuse
from ludens.web.server.review import Reviews
from ludens.web.server.runs import playable_runs
from ludens.web.server.schemas import REFUSALS, RefusedError, UnknownError
from ludens.web.server.sockets import TableSocket
from ludens.web.server.table import Table
from ludens.web.server.tables import Tables

PERSON = "person"
TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


def tables_of(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


def reviews_of(request: Request) -> Reviews:
    reviews: Reviews = request.app.state.reviews
    return reviews


async def table_of(
    request: Request, table: Annotated[str, InPath(max_length=40, examples=["abcdefghijklmnop"])]
) -> Table:
    """The table that a path names."""
    return await tables_of(request).find(table)


AllTables = Annotated[Tables, Depends(tables_of)]
AllReviews = Annotated[Reviews, Depends(reviews_of)]
ThisTable = Annotated[Table, Depends(table_of)]


def routes(runs: Path) -> APIRouter:
    """Games, tables and their sockets; `runs` is the folder of training runs."""
    router = APIRouter(prefix="/api", responses=REFUSALS)

    @router.get("/games", tags=["games"])
    async def games(tables: AllTables) -> list[schemas.GameInfo]:
        """The games on offer, with their options and opponents; own runs that can play are among these."""
        described = await tables.rules.call("catalogue.describe")
        own = await asyncio.to_thread(playable_runs, runs)
        return [schemas.GameInfo(**told | {"ladder": told["ladder"] + own.get(told["id"], [])}) for told in described]

    @router.post("/games/{game}/check", tags=["games"])
    async def check(game: str, asked: schemas.Check, tables: AllTables) -> schemas.Checked:
        """Whether a spec names somebody who can play a variant."""
        variant, _ = await tables.variant(game, asked.variant)
        path, _ = resolve(asked.spec, runs)
        await tables.rules.call("catalogue.check", variant, path)
        return schemas.Checked(spec=asked.spec, label=label(game, asked.spec))

    @router.post("/tables", tags=["tables"], status_code=201, response_model=schemas.TableState)
    async def create(asked: schemas.NewTable, tables: AllTables) -> JSONResponse:
        """Lay a table."""
        return await _state(await tables.create(asked), 201)

    @router.get("/tables", tags=["tables"])
    async def newest(tables: AllTables) -> schemas.TableList:
        """The tables that were used last."""
        return schemas.TableList.model_validate({"tables": await tables.newest()})

    @router.get("/tables/{table}", tags=["tables"], response_model=schemas.TableState)
    async def state(table: ThisTable) -> JSONResponse:
        """A table as its person sees it."""
        return await _state(table, 200)

    @router.delete("/tables/{table}", tags=["tables"], status_code=204)
    async def delete(table: ThisTable, tables: AllTables) -> None:
        """Forget a table."""
        await tables.delete(table.facts.id)

    @router.post("/tables/{table}/rematch", tags=["tables"], status_code=201, response_model=schemas.TableState)
    async def rematch(table: ThisTable, tables: AllTables, asked: schemas.Rematch | None = None) -> JSONResponse:
        """The same players at a new table, learned ones with what they know by now."""
        return await _state(await tables.rematch(table, swap=asked is not None and asked.swap), 201)

    @router.post("/tables/{table}/branch", tags=["tables"], status_code=201, response_model=schemas.TableState)
    async def branch(table: ThisTable, asked: schemas.Branch, tables: AllTables) -> JSONResponse:
        """The same game up to some act, to try something else from there."""
        _only_open(table, "gone back in")
        return await _state(await tables.branch(table, asked.ply), 201)

    @router.get("/tables/{table}/history", tags=["tables"], response_model=schemas.History)
    async def history(table: ThisTable, tables: AllTables) -> JSONResponse:
        """Every position so far, as the person at the table may see it."""
        persons = [] if table.you is None else [table.you]
        course, over = table.course._replace(persons=persons), table.log.now.over
        told = await tables.rules.call("rules.history", table.facts.variant, course, list(table.log.states), over)
        return JSONResponse({"states": told})

    @router.post("/tables/{table}/review", tags=["tables"], response_model=schemas.Review)
    async def start_review(table: ThisTable, reviews: AllReviews) -> JSONResponse:
        """Begin to review the game, or hear how far that is."""
        return JSONResponse(await reviews.start(table))

    @router.get("/tables/{table}/review", tags=["tables"], response_model=schemas.Review)
    async def review(table: ThisTable, reviews: AllReviews) -> JSONResponse:
        """How far the review is."""
        found = reviews.find(table)
        if found is None:
            raise UnknownError("no review of this game was begun: expected one to be")
        return JSONResponse(found)

    @router.get("/tables/{table}/record", tags=["tables"], response_model=schemas.RecordOut)
    async def record(table: ThisTable, tables: AllTables) -> dict[str, Any]:
        """The game as the arena writes games down."""
        _only_open(table, "written down")
        facts, log = table.facts, table.log
        specs = [chair.spec or PERSON for chair in facts.chairs]
        outcomes = [list(rolled) for rolled in log.outcomes]
        asked = (facts.variant, specs, facts.start, outcomes, table.course, log.now.returns)
        told: dict[str, Any] = await tables.rules.call("catalogue.record", *asked)
        return told

    @router.get("/tables/{table}/ggf", tags=["othello"], response_model=None, responses=TEXT)
    async def ggf(table: ThisTable, tables: AllTables) -> PlainTextResponse:
        """A game of Othello in GGF."""
        names = [chair.spec or PERSON for chair in table.facts.chairs][:2]
        date = datetime.now(UTC).strftime("%Y.%m.%d")
        facts, actions = table.facts, list(table.log.actions)
        text = await tables.rules.call("catalogue.ggf", facts.variant, facts.start, actions, *names, date)
        attached = {"Content-Disposition": f'attachment; filename="{facts.id}.ggf"'}
        return PlainTextResponse(f"{text}\n", headers=attached)

    @router.get("/tables/{table}/transcript", tags=["othello"], response_model=None, responses=TEXT)
    async def transcript(table: ThisTable, tables: AllTables) -> PlainTextResponse:
        """A game of Othello as its squares, one after the other."""
        facts, actions = table.facts, list(table.log.actions)
        return PlainTextResponse(await tables.rules.call("catalogue.transcript", facts.variant, facts.start, actions))

    @router.websocket("/tables/{table}/socket")
    async def socket(websocket: WebSocket, table: str) -> None:
        """Everything that happens at a table, and everything a person does there."""
        tables: Tables = websocket.app.state.tables
        try:
            found = await tables.find(table)
        except UnknownError as error:
            await refuse(websocket.scope, websocket.send, 404, str(error))
            return
        await TableSocket(websocket, found, tables).serve()

    return router


async def _state(table: Table, status: int) -> JSONResponse:
    return JSONResponse(await table.state(), status)


def _only_open(table: Table, what: str) -> None:
    """`RefusedError` while something is hidden that this would show."""
    if table.facts.hidden and not table.log.now.over:
        raise RefusedError(f"the game is not over and cannot be {what} before: hidden tiles would be seen")
