"""All tables: laying one, finding it again, and letting go of those that nobody uses."""

import asyncio
import json
import secrets
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ludens.web.opponents import GAMES, JUDGES, RANDOM, label, resolve
from ludens.web.protocol import AgentId, Begun, Course, Variant
from ludens.web.server.agents import AgentPool
from ludens.web.server.rules import Rules
from ludens.web.server.schemas import AgentSeat, NewTable, UnknownError
from ludens.web.server.store import Chair, GameLog, Store, StoredTable, TableFacts
from ludens.web.server.table import Table

LISTED = 100
AT_HAND = 400
"""Tables that are kept in memory; of more, those go that nobody has used for longest."""
MOST_SEEDS = 10**6
"""Seeds that are drawn: short enough to type again."""


class Tables:
    """Every table that is played at, and through the book every table there ever was."""

    def __init__(self, rules: Rules, agents: AgentPool, store: Store, runs: Path) -> None:
        self.rules, self.agents = rules, agents
        self._store, self._runs = store, runs
        self._tables: dict[str, Table] = {}
        self._loading: dict[str, asyncio.Future[Table]] = {}
        self._preparing: set[asyncio.Task[None]] = set()
        self._judges: dict[Variant, AgentId] = {}

    # ------------------------------------------------------------------ laying

    async def create(self, asked: NewTable) -> Table:
        """A new table; ValueError if it cannot be, `UnknownError` if there is no such game."""
        variant, seats = await self.variant(asked.game, asked.variant)
        if len(asked.seats) != seats:
            raise ValueError(f"{len(asked.seats)} seats were taken: expected {seats} in this variant of {asked.game}")
        specs = [seat.spec if isinstance(seat, AgentSeat) else None for seat in asked.seats]
        return await self._lay(variant, specs, asked.seed, asked.position, asked.transcript, asked.label)

    async def rematch(self, old: Table, *, swap: bool) -> Table:
        """The same players at a new table, seats exchanged if so asked (each moves up one)."""
        variant, specs = old.facts.variant, [chair.spec for chair in old.facts.chairs]
        specs = [*specs[1:], *specs[:1]] if swap else specs
        start = old.facts.start if old.facts.given else None
        title = old.facts.title if old.facts.labelled else None
        return await self._lay(variant, specs, None, start, None, title)

    async def branch(self, old: Table, ply: int) -> Table:
        """The same game up to `ply` acts, at a table of its own."""
        facts, log = old.facts, old.log
        if ply > len(log.actions):
            raise ValueError(f"the game has {len(log.actions)} acts, not {ply}: expected 0 to {len(log.actions)}")
        course = Course(facts.seed, facts.stream, log.actions[:ply], log.movers[:ply], old.persons)
        outcomes = [list(rolled) for rolled in log.outcomes[: ply + 1]]
        resumed = await self.rules.call("rules.resume", facts.variant, course, facts.start, outcomes)
        begun = {"actions": list(course.actions), "outcomes": outcomes, "taken_back": [], "version": 0}
        return await self._open(replace(facts, id=_fresh_id()), GameLog.resumed(resumed, begun))

    async def _lay(
        self,
        variant: Variant,
        specs: list[str | None],
        seed: int | None,
        position: str | None,
        transcript: str | None,
        title: str | None,
    ) -> Table:
        agents = [await self.agent(variant, spec) for spec in specs]
        persons = [seat for seat, spec in enumerate(specs) if spec is None]
        seed = secrets.randbelow(MOST_SEEDS) if seed is None else seed
        await self.rules.prepare(variant)
        begun: Begun = await self.rules.call("rules.begin", variant, seed, position, transcript or None, persons)
        chairs = [
            Chair(name, spec, "You" if spec is None else label(variant.game, spec), agent)
            for name, spec, agent in zip(begun.names, specs, agents, strict=True)
        ]
        facts = TableFacts(
            id=_fresh_id(),
            variant=variant,
            title=title or begun.title,
            chairs=chairs,
            seed=seed,
            stream=begun.stream,
            start=begun.start,
            can_undo=begun.can_undo,
            hidden=begun.hidden,
            labelled=title is not None,
            given=position is not None,
        )
        return await self._open(facts, GameLog.begun(begun))

    async def _open(self, facts: TableFacts, log: GameLog) -> Table:
        """A table that was just laid, written down and ready to be played at."""
        table = Table(facts, log, self.rules, self.agents, self._store)
        await self._store.save(table.row())
        self._take_in(table)
        return table

    # ------------------------------------------------------------------ finding

    async def find(self, name: str) -> Table:
        """The table with this id, from the book if need be; `UnknownError` if there is none."""
        if name not in self._tables:
            if name not in self._loading:
                self._loading[name] = asyncio.ensure_future(self._load(name))
                self._loading[name].add_done_callback(lambda _: self._loading.pop(name, None))
            return await asyncio.shield(self._loading[name])
        return self._tables[name]

    async def newest(self) -> list[dict[str, Any]]:
        """What is told of the tables used last."""
        rows = await self._store.newest(LISTED)
        return [_summary(row) for row in rows]

    async def delete(self, name: str) -> None:
        """Forget a table; `UnknownError` if there is none."""
        table = await self.find(name)
        table.close()
        table.tell({"type": "error", "detail": "this table was deleted: expected another"})
        del self._tables[name]
        await self._store.delete(name)
        for leave in list(table.leaving):
            leave()

    def close(self) -> None:
        for table in self._tables.values():
            table.close()
        for task in self._preparing:
            task.cancel()

    async def _load(self, name: str) -> Table:
        row = await self._store.find(name)
        if row is None:
            raise UnknownError(f"there is no table {name[:40]!r}: expected one that was laid here")
        told, course = json.loads(row.facts), json.loads(row.course)
        variant, _ = await self.variant(told["game"], told["variant"])
        await self.rules.prepare(variant)
        chairs = [
            Chair(seat["name"], seat["spec"], seat["label"], await self.agent(variant, seat["spec"], check=False))
            for seat in told["seats"]
        ]
        persons = [seat for seat, chair in enumerate(chairs) if chair.is_person]
        past = Course(told["seed"], told["stream"], course["actions"], [], persons)
        resumed = await self.rules.call("rules.resume", variant, past, told["start"], course["outcomes"])
        facts = TableFacts.read(name, variant, chairs, told)
        table = Table(facts, GameLog.resumed(resumed, course), self.rules, self.agents, self._store)
        self._take_in(table)
        return table

    def _take_in(self, table: Table) -> None:
        """Keep a table at hand, let its agents get ready, and let go of others if there are many."""
        self._tables[table.facts.id] = table
        if not table.log.now.over:
            for chair in table.facts.chairs:
                task = asyncio.create_task(table.prepare(chair))
                self._preparing.add(task)
                task.add_done_callback(self._preparing.discard)
        table.wake()
        idle = sorted((each for each in self._tables.values() if not each.busy), key=lambda each: each.used)
        for each in idle[: max(0, len(self._tables) - AT_HAND)]:
            del self._tables[each.facts.id]

    # ------------------------------------------------------------------ who plays

    async def variant(self, game: str, fields: dict[str, Any]) -> tuple[Variant, int]:
        """A variant in full, and its seats; ValueError if there is none such, `UnknownError` if no such game."""
        if game not in GAMES:
            raise UnknownError(f"there is no game {game[:40]!r}: expected one of {', '.join(GAMES)}")
        variant, seats = await self.rules.call("catalogue.whole_variant", game, fields)
        return variant, seats

    async def agent(self, variant: Variant, spec: str | None, *, check: bool = True) -> AgentId | None:
        """Who a spec names, with its newest weights; None for people and who plays at random. ValueError if nobody."""
        if spec is None:
            return None
        path, stamp = resolve(spec, self._runs)
        if check:  # a table in the book is shown even if its agent cannot play any more
            await self.rules.call("catalogue.check", variant, path)
        return None if spec == RANDOM else AgentId(variant, spec, path, stamp)

    async def judge(self, variant: Variant) -> AgentId:
        """The strongest there is for a variant: who gives hints and reviews."""
        for spec in JUDGES[variant.game]:
            if variant not in self._judges:
                with suppress(ValueError):  # this one cannot play the variant
                    await self.rules.call("catalogue.check", variant, spec)
                    self._judges[variant] = AgentId(variant, spec, spec, 0)
        return self._judges[variant]


def _fresh_id() -> str:
    return secrets.token_urlsafe(12)


def _summary(row: StoredTable) -> dict[str, Any]:
    told = json.loads(row.facts)
    return {
        "id": row.id,
        **{name: told[name] for name in ("game", "variant", "title", "seats")},
        "ply": row.ply,
        "over": row.over,
        "result": row.result,
        "updated": row.updated,
    }
