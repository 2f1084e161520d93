"""Many games at once, for compiled players.

There are more tables than a player is asked about at once. Whoever has the most tables waiting decides at up to `size`
of them in one compiled call, and the tables move on to whoever is next; a finished game makes room for the next job.
So costly players are asked with full batches, no game waits for a longer one, and each player is compiled once.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ludens.arena.ply import (
    Opening,
    Place,
    Ply,
    acts,
    checked_plies,
    compiled_acts,
    compiled_openings,
    keys,
    opening_stream,
    play_stream,
)
from ludens.arena.record import Record, plain_variant
from ludens.core.game import Game
from ludens.core.player import Player
from ludens.core.types import Array
from ludens.players.external import Outsider

AT_ONCE = 2
"""Batches under way at a time: while one is written down, the next is being decided."""
LARGEST = {"cpu": 128, "other": 1024}
"""Positions a player is asked about at once in a long match, by device."""


class Contestant(NamedTuple):
    """Somebody who takes part, and the spec that names them."""

    spec: str
    player: Player[Any] | Outsider[Any]


class Job(NamedTuple):
    """One game to be played."""

    seed: int
    """Decides the start and the opening; with the seating, everything random that follows. Below 2^32."""
    seats: tuple[int, ...]
    """Which contestant sits in each seat, by number."""


def play_batch(
    game: Game[Any],
    contestants: Sequence[Contestant],
    jobs: Sequence[Job],
    *,
    opening: int | None = None,
    size: int | None = None,
) -> Iterator[tuple[int, Record]]:
    """Play all jobs; each job's number and record as its game ends.

    `opening` is the number of random plies before the players take over (the game's usual number if not given), `size`
    how many positions a player is asked about at once, on which nothing depends but speed.
    """
    check(game, contestants, jobs)
    plies = checked_plies(game, opening)
    if not jobs:
        return
    hall = _Hall(game, contestants, jobs, plies, size or _usual_size(jobs))
    under_way: deque[_Asked] = deque()
    while True:
        while len(under_way) < AT_ONCE and (asked := hall.ask()):
            under_way.append(asked)
        if not under_way:
            return
        yield from hall.write_down(under_way.popleft())


class _Game(NamedTuple):
    """What is written down of a game under way."""

    job: int
    start: str
    opening: int
    actions: list[int]
    chance: list[int]


class _Asked(NamedTuple):
    """A batch that is being decided."""

    tables: list[int]  # `N`, at most `size`
    actions: Array  # `int32[size]`, of which the first `N` count
    after: Ply  # `[size]`


class _Hall:
    """The tables: states as a pytree of NumPy arrays `[tables]`, the rest in arrays and lists as long."""

    def __init__(
        self, game: Game[Any], contestants: Sequence[Contestant], jobs: Sequence[Job], plies: int, size: int
    ) -> None:
        self.game, self.jobs, self.plies, self.size = game, jobs, plies, size
        self.players = {number: _compiled(contestants[number], size) for number in _taking_part(jobs)}
        self.specs = [each.spec for each in contestants]
        self.waiting: dict[int, deque[int]] = {number: deque() for number in self.players}
        # With so many tables a full batch is nearly always waiting for somebody.
        tables = min(len(jobs), (len(self.players) + AT_ONCE) * size)
        self.games = [_Game(-1, "", 0, [], []) for _ in range(tables)]
        self.movers = np.zeros(tables, np.int32)
        self.streams = np.zeros(tables, np.uint32)
        self.seating = np.zeros((tables, game.num_players), np.int32)
        self.states: Any = None
        self.finished: Any = None  # a position in which a game is over, to fill batches with: it may cost nothing
        self.next_job, self.dealt = 0, deque[tuple[_Game, Any, int]]()
        for table in range(tables):
            self._sit_down(table)

    def ask(self) -> _Asked | None:
        """Let whoever has the most tables waiting decide at some of them; None if nobody waits."""
        who = max(self.waiting, key=lambda number: len(self.waiting[number]))
        queue = self.waiting[who]
        tables = [queue.popleft() for _ in range(min(self.size, len(queue)))]
        if not tables:
            return None
        rows = np.array(tables + tables[:1] * (self.size - len(tables)))
        plies = np.array([len(self.games[row].actions) for row in rows], np.int32)
        place, states = Place(self.streams[rows], plies), jax.tree.map(lambda x: x[rows], self.states)
        if self.finished is not None:
            _put(states, slice(len(tables), None), self.finished)
        choose, params = self.players[who]
        actions = choose(params, place, states)
        return _Asked(tables, actions, compiled_acts(self.game)(place, states, actions))

    def write_down(self, asked: _Asked) -> Iterator[tuple[int, Record]]:
        """Carry the decisions of a batch over to its tables; the games that ended by them."""
        count = len(asked.tables)
        actions, after = jax.tree.map(lambda x: np.asarray(x)[:count], (asked.actions, asked.after))
        _put(self.states, np.array(asked.tables), after.state)
        for row, table in enumerate(asked.tables):
            game, a = self.games[table], int(actions[row])
            if not after.allowed[row]:
                spec = self.specs[self.seating[table, self.movers[table]]]
                raise ValueError(
                    f"'{spec}' chose action {a}, which is not legal: expected a player that keeps the rules"
                )
            game.actions.append(a)
            game.chance.extend(acts(after.outcomes[row]))
            self.movers[table] = after.mover[row]
            over = bool(after.over[row])
            if over:
                self.finished = jax.tree.map(lambda x, row=row: x[row], after.state)
            if over or len(game.actions) >= self.game.turn_limit:
                yield game.job, self._record(game, after.returns[row])
                self._sit_down(table)
            else:
                self._wait(table)

    def _sit_down(self, table: int) -> None:
        """Begin the next game at a free table, which stays free if there is none."""
        if not self.dealt and self.next_job < len(self.jobs):
            self._deal()
        if not self.dealt:
            return
        game, state, mover = self.dealt.popleft()
        job = self.jobs[game.job]
        self.games[table], self.movers[table] = game, mover
        self.streams[table], self.seating[table] = play_stream(job.seed, job.seats), job.seats
        if self.states is None:
            self.states = jax.tree.map(lambda x: np.repeat(x[None], len(self.games), axis=0), state)
        _put(self.states, table, state)
        self._wait(table)

    def _wait(self, table: int) -> None:
        """Put a table in the queue of whoever is to move there."""
        self.waiting[int(self.seating[table, self.movers[table]])].append(table)

    def _deal(self) -> None:
        """Begin the next `size` games, or those that are left."""
        numbers = range(self.next_job, min(self.next_job + self.size, len(self.jobs)))
        self.next_job = numbers.stop
        streams = np.array([opening_stream(self.jobs[number].seed) for number in numbers], np.uint32)
        begun: Opening = jax.tree.map(
            np.asarray, compiled_openings(self.game, self.plies)(np.resize(streams, self.size))
        )
        for row, number in enumerate(numbers):
            one: Opening = jax.tree.map(lambda x, row=row: x[row], begun)
            actions, chance = acts(one.actions), acts(one.outcomes)
            game = _Game(number, self.game.show(one.start), len(actions), actions, chance)
            self.dealt.append((game, one.state, int(one.mover)))

    def _record(self, game: _Game, returns: Any) -> Record:
        job = self.jobs[game.job]
        return Record(
            game=self.game.id,
            variant=plain_variant(self.game),
            seed=job.seed,
            seats=tuple(self.specs[number] for number in job.seats),
            start=game.start,
            opening=game.opening,
            actions=tuple(game.actions),
            chance=tuple(game.chance),
            returns=tuple(float(x) for x in returns),
        )


def check(game: Game[Any], contestants: Sequence[Contestant], jobs: Sequence[Job]) -> None:
    """ValueError if a job cannot be played."""
    for job in jobs:
        if len(job.seats) != game.num_players:
            raise ValueError(f"{job} has {len(job.seats)} seats: expected {game.num_players}, as {game.id} has")
        if not all(0 <= number < len(contestants) for number in job.seats):
            raise ValueError(f"{job} seats somebody unknown: expected contestants 0 to {len(contestants) - 1}")
        if not 0 <= job.seed < 2**32:
            raise ValueError(f"{job} has a seed that does not fit: expected 0 to 2^32 - 1")


def _taking_part(jobs: Sequence[Job]) -> list[int]:
    return sorted({number for job in jobs for number in job.seats})


def _usual_size(jobs: Sequence[Job]) -> int:
    """A power of two, so that matches of similar length share what is compiled; small where there are few games."""
    each = -(-len(jobs) // len(_taking_part(jobs)))
    return min(LARGEST.get(jax.default_backend(), LARGEST["other"]), 1 << (each - 1).bit_length())


def _compiled(who: Contestant, size: int) -> tuple[Callable[..., Array], Any]:
    """How a player chooses in a batch of `size`, and what it needs for it."""
    if not isinstance(who.player, Player) or not who.player.compiled:
        raise ValueError(f"'{who.spec}' cannot play in a batch: expected a compiled player")
    devices = jax.local_device_count()
    devices = devices if size % devices == 0 else 1
    # On all devices once and for all: what a player needs may be large, and would else travel with every batch.
    everywhere = NamedSharding(_mesh(devices), PartitionSpec())  # type: ignore[no-untyped-call]  # jax 0.10 leaves it untyped
    return _choices(who.player, devices), jax.device_put(who.player.init(jax.random.key(0)), everywhere)


@lru_cache(maxsize=64)
def _choices(player: Player[Any], devices: int) -> Callable[[Any, Place, Any], Array]:
    """Compiled: the player's actions `int32[B]` in a batch of states, of which it sees only the mover's view.

    The batch is shared out among `devices`: on a CPU whoever starts JAX may give it one for each core.
    """
    game = player.game

    def choose(params: Any, place: Place, states: Any) -> Array:
        lots = jax.vmap(lambda each: keys(each)[0])(place)
        views = jax.vmap(lambda s: game.view(s, game.player(s)))(states)
        return player.act_batch(params, lots, views).action

    if devices == 1:
        return jax.jit(choose)
    whole, shared = PartitionSpec(), PartitionSpec("games")  # type: ignore[no-untyped-call]  # jax 0.10 leaves it untyped
    inputs = (whole, shared, shared)
    return jax.jit(jax.shard_map(choose, mesh=_mesh(devices), in_specs=inputs, out_specs=shared, check_vma=False))


def _mesh(devices: int) -> Mesh:
    return Mesh(np.array(jax.local_devices()[:devices]), ("games",))


def _put(tree: Any, where: Any, values: Any) -> None:
    """Write rows into every array of a pytree."""
    for array, rows in zip(jax.tree.leaves(tree), jax.tree.leaves(values), strict=True):
        array[where] = rows
