"""The web process's side of the rules: asks the rules worker, many tables at a time.

While a call is under way, what other tables ask for waits, and all that plays the same variant goes together in one of
the next. So the more is asked, the larger the batches. What compiles or takes long goes beside these calls.
"""

import asyncio
from typing import Any

from ludens.web.protocol import Act, Ask, Variant, Worker, WorkerLostError

MOST = 32
"""Acts in a call. While the worker makes some, those who asked for others hear of them and ask for the next."""
COMPILING, ASIDE = "compiling", "aside"
"""Lanes: what compiles, and what is not an act."""


class Rules:
    """Holds the rules worker; starts another if it is lost."""

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._prepared: dict[Variant, asyncio.Future[None]] = {}
        self._waiting: dict[Variant, list[tuple[Ask, asyncio.Future[list[Act] | str]]]] = {}
        self._calling: asyncio.Task[None] | None = None
        self.ready = False
        """Whether the worker has answered anything yet."""

    async def call(self, function: str, *args: Any, lane: str = ASIDE) -> Any:
        """What a function of the workers, such as `rules.show`, answers; asked again if the worker is lost."""
        try:
            answer = await self._at_work().call(function, *args, lane=lane)
        except WorkerLostError:
            answer = await self._at_work().call(function, *args, lane=lane)
        self.ready = True
        return answer

    async def prepare(self, variant: Variant) -> None:
        """Wait until the variant is compiled; nothing else waits for that."""
        self._at_work()
        if variant not in self._prepared:
            self._prepared[variant] = asyncio.ensure_future(self.call("rules.prepare", variant, lane=COMPILING))
        try:
            await asyncio.shield(self._prepared[variant])
        except BaseException:
            if variant in self._prepared and self._prepared[variant].done():
                del self._prepared[variant]
            raise

    async def act(self, variant: Variant, ask: Ask) -> list[Act]:
        """Make an act: it and the answers to it; ValueError if it is refused."""
        try:
            made = await self._together(variant, ask)
        except WorkerLostError:
            made = await self._together(variant, ask)
        if isinstance(made, str):
            raise ValueError(made)
        return made

    def close(self) -> None:
        if self._worker:
            self._worker.kill()

    def _at_work(self) -> Worker:
        """The worker, a new one if it was lost, which has nothing compiled yet."""
        if self._worker is None or not self._worker.alive:
            self._prepared.clear()
            self._worker = Worker("rules")
        return self._worker

    async def _together(self, variant: Variant, ask: Ask) -> list[Act] | str:
        """Make an act with those that others ask for."""
        await self.prepare(variant)
        answer: asyncio.Future[list[Act] | str] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(variant, []).append((ask, answer))
        if self._calling is None or self._calling.done():
            self._calling = asyncio.create_task(self._call())
        return await answer

    async def _call(self) -> None:
        """Make all acts that wait and those that come meanwhile, one variant at a time, the longest waiting first."""
        while self._waiting:
            variant, asked = next(iter(self._waiting.items()))
            del self._waiting[variant]
            if asked[MOST:]:
                self._waiting[variant] = asked[MOST:]
            now = asked[:MOST]
            try:
                made = await self._at_work().call("rules.advance", variant, [ask for ask, _ in now])
            except Exception as error:  # whatever it is, those who wait must hear of it, and the others go on
                for _, answer in now:
                    if not answer.done():
                        answer.set_exception(error)
                continue
            for (_, answer), told in zip(now, made, strict=True):
                if not answer.done():
                    answer.set_result(told)
