"""`ludens bench`: steps per second of random play; beside peers' and for searches with what is in `benchmarks/`.

Like for like means the same loop for everyone: draw random bits, choose a legal action from the mask, step, start a
finished game again, and then use the new legal mask and the new observation (each is reduced over the batch, so the
compiler cannot leave them out). A finished game starts again from its lane's own start, dealt before the clock runs.
On a CPU the batch is split over as many JAX devices as there are cores.
"""

import importlib
import json as json_text
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from cyclopts import Parameter
from jax.sharding import Mesh, PartitionSpec
from rich.console import Console
from rich.table import Table

from ludens.cli.app import BadInputError, bad_input
from ludens.cli.inputs import Json, on_all_cores
from ludens.core.compiling import CORES
from ludens.core.game import Game, pick, settle
from ludens.core.types import Array, Key
from ludens.games import GAMES, make

BATCHES = [1, 32, 1024, *(4**power for power in range(6, 12))]
SECONDS = 0.25
"""Least time one measurement runs; the best of three counts."""
LONGEST = 4096
"""Most steps of one compiled loop."""
PATIENCE = 2
"""Larger batches are tried until this many in a row were no faster."""


class Subject(NamedTuple):
    """Something that plays random games: one of ours or a peer's."""

    init: Callable[[Key], Any]
    """Key to start state, unbatched."""
    legal: Callable[[Any], Array]
    """State to `bool[A]`."""
    step: Callable[[Any, Array, Key], Any]
    """State, action and key to the next state."""
    done: Callable[[Any], Array]
    """State to `bool[]`."""
    observe: Callable[[Any], Array]
    """State to its features."""


def of_game(game: Game[Any]) -> Subject:
    return Subject(
        init=game.init,
        legal=game.legal,
        step=lambda s, a, key: settle(game, game.apply(s, a), key),
        done=game.done,
        observe=game.observe,
    )


@on_all_cores(whole_loops=False)  # as the published figures were measured
def bench(
    *games: Annotated[
        str,
        Parameter(help="Which games; all if none is named. `search` instead: alpha-beta beside a plain one in Python."),
    ],
    peers: Annotated[
        bool, Parameter(help="Also run Pgx and OpenSpiel on Othello, like for like, and print the ratios.")
    ] = False,
    json: Json = False,
) -> None:
    if games == ("search",):
        from_clone("search").run(json=json)
        return
    with bad_input():
        chosen = [make(name) for name in games or GAMES]
    measure_peers = from_clone("peers").measure_peers if peers else None
    console = Console(stderr=json)
    report: dict[str, Any] = {
        "device": device(),
        "versions": {"jax": jax.__version__, "python": platform.python_version()},
    }
    for game in chosen:
        with console.status(f"{game.id} ..."):
            report[game.id] = facts = measure(of_game(game))
        if measure_peers is not None and game.id == "othello":
            facts["peers"] = measure_peers(console)
            facts["ratio"] = {name: facts["best"] / peer["best"] for name, peer in facts["peers"].items()}
    if json:
        print(json_text.dumps(report, indent=2))
    else:
        console.print(_table(report))


def from_clone(name: str) -> Any:
    """A file of `benchmarks/`, which stands beside `src` in a clone of the repository."""
    clone = Path(__file__).parents[3]
    if not (clone / "benchmarks" / f"{name}.py").exists():
        raise BadInputError(f"benchmarks/{name}.py is not there: expected a clone of Ludens, not only its package")
    if str(clone) not in sys.path:
        sys.path.insert(0, str(clone))
    return importlib.import_module(f"benchmarks.{name}")


def device() -> str:
    """What the games run on, in words."""
    first = jax.devices()[0]
    if first.platform == "cpu":
        return f"cpu, {CORES} cores"
    return f"{len(jax.devices())} x {first.device_kind}"


def measure(subject: Subject) -> dict[str, Any]:
    """Steps per second by batch size, growing as long as it pays."""
    rates: dict[str, float] = {}
    for batch in BATCHES:
        try:
            rates[str(batch)] = steps_per_second(subject, batch)
        except jax.errors.JaxRuntimeError as error:
            if "RESOURCE_EXHAUSTED" not in str(error) or not rates:
                raise
            break  # the device has no room for more
        if max(list(rates.values())[-PATIENCE:]) < max(rates.values()):
            break
    state = jax.eval_shape(subject.init, jax.random.key(0))
    size = sum(int(np.prod(x.shape)) * x.dtype.itemsize for x in jax.tree.leaves(state))
    return {"steps_per_s": rates, "best": max(rates.values()), "bytes_per_state": size}


def steps_per_second(subject: Subject, batch: int) -> float:
    """The best of three runs of at least `SECONDS` each with `batch` games at once."""
    devices = jax.devices()
    shards = len(devices) if batch % len(devices) == 0 and batch > len(devices) else 1
    share, length = batch // shards, max(16, min(LONGEST, 2**22 // batch))
    mesh = Mesh(np.array(devices[:shards]), ("games",))
    split: Any = PartitionSpec("games")  # type: ignore[no-untyped-call]  # jax 0.10 leaves it untyped

    def each(function: Callable[..., Any]) -> Callable[..., Any]:
        """`function` for all games of a share; a single game is called as it is, with no batch at all."""
        if share > 1:
            return jax.vmap(function)
        return lambda *rows: jax.tree.map(lambda x: x[None], function(*jax.tree.map(lambda x: x[0], rows)))

    def start(keys: Key) -> Any:
        states = each(subject.init)(keys)
        return states, each(subject.legal)(states)

    def play(starts: Any, states: Any, masks: Array, keys: Key) -> Any:
        def turn(carry: Any, key: Key) -> Any:
            states, masks, used = carry
            choose, fate = jax.random.split(key)
            actions = each(pick)(masks, jax.random.bits(choose, (share,), jnp.uint32))
            states = each(subject.step)(states, actions, jax.random.split(fate, share))
            done = each(subject.done)(states)
            states = jax.tree.map(lambda x, y: jnp.where(_like(done, x), x, y), starts, states)
            masks, features = each(subject.legal)(states), each(subject.observe)(states)
            used = used ^ _use(masks) ^ _use(features != 0)
            return (states, masks, used), None

        (states, masks, used), _ = jax.lax.scan(turn, (states, masks, jnp.int32(0)), jax.random.split(keys[0], length))
        return states, masks, used[None]

    def spread(function: Callable[..., Any], count: int) -> Callable[..., Any]:
        return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=(split,) * count, out_specs=split, check_vma=False))

    starts, masks = spread(start, 1)(jax.random.split(jax.random.key(0), batch))
    compiled, states = spread(play, 4), starts
    best, rounds = 0.0, 1
    keys = [jax.random.split(jax.random.key(1 + i), shards) for i in range(4)]
    _wait(compiled(starts, states, masks, keys[0]))
    for attempt in range(4):  # the first finds out how many rounds fill the time
        begin = time.perf_counter()
        for _ in range(rounds):
            states, masks, used = compiled(starts, states, masks, keys[attempt])
        _wait(used)
        elapsed = time.perf_counter() - begin
        if attempt == 0:
            rounds = max(1, round(SECONDS / elapsed))
        else:
            best = max(best, batch * length * rounds / elapsed)
    return best


def _use(flags: Array) -> Array:
    """A number that depends on every flag (`bool[B, ...]`), made in the way that costs each device least: `int32[]`."""

    def by_column(flags: Array) -> Array:
        return jnp.any(flags, axis=0).sum(dtype=jnp.int32)

    number: Array = jax.lax.platform_dependent(flags, cpu=by_column, default=lambda x: x.sum(dtype=jnp.int32))
    return number


def _wait(results: Any) -> None:
    """Until the device has finished: its last result is here."""
    np.asarray(jax.tree.leaves(results)[-1])


def _like(flags: Array, x: Array) -> Array:
    """Flags `bool[B]` with as many axes as `x`, to choose whole rows of it."""
    return flags.reshape(flags.shape + (1,) * (x.ndim - 1))


def _table(report: dict[str, Any]) -> Table:
    """Batch sizes as rows; games, and peers beside the game they play, as columns."""
    columns: dict[str, dict[str, Any]] = {}
    for name, facts in report.items():
        if isinstance(facts, dict) and "best" in facts:
            columns[name] = facts
            for peer, theirs in facts.get("peers", {}).items():
                columns[f"{peer}\n{name}"] = theirs | {"times": facts["ratio"][peer]}
    batches = sorted({int(batch) for facts in columns.values() for batch in facts["steps_per_s"]})
    title = f"Steps per second of random play, mask and observation used; {report['device']}"
    table = Table(title=title, title_justify="left")
    table.add_column("games at once", justify="right")
    for name in columns:
        table.add_column(name, justify="right")
    for batch in batches:
        table.add_row(f"{batch:,}", *(_short(facts["steps_per_s"].get(str(batch))) for facts in columns.values()))
    table.add_section()
    table.add_row("best", *(f"[bold]{_short(facts['best'])}[/bold]" for facts in columns.values()))
    table.add_row("bytes per state", *(str(facts.get("bytes_per_state", "")) for facts in columns.values()))
    if any("times" in facts for facts in columns.values()):
        times = [f"{facts['times']:.1f} x" if "times" in facts else "" for facts in columns.values()]
        table.add_row("ludens is faster", *times)
    return table


def _short(rate: float | None) -> str:
    """`12.3 M`."""
    if rate is None:
        return ""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {unit}"
    return f"{rate:.3g}"
