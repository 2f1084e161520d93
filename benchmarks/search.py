"""How fast alpha-beta is: positions per second beside a plain one in Python, on Othello with the positional formula.

Both search the same positions to the same depth, find the same values (checked), and count as a node every position
that they make. The plain one has one process per core, ours one JAX device per core; both rates are whole machines'.
"""

import json as json_text
import multiprocessing
import platform
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec
from rich.console import Console
from rich.table import Table

from benchmarks.plain_othello import Plain, plain_search
from ludens.cli.bench import device
from ludens.core.compiling import CORES
from ludens.core.game import random_action, where
from ludens.core.types import Key
from ludens.games.othello import Othello, State
from ludens.players.othello import Positional
from ludens.search.alpha_beta import alpha_beta

DEPTH = 4
BATCHES = {"cpu": (1, 16, 256, 2048), "other": (1, 256, 4096, 32768)}
"""Positions searched at once, by device."""
PLIES = (8, 16, 24, 32, 40)
"""The positions come from random games after so many plies."""
SECONDS = 0.5
PLAIN_SECONDS = 3.0
AGREE = 8
"""Positions on which both must find the same value before anything is measured."""


def run(*, json: bool) -> None:
    """Measure, and print a table or JSON."""
    console = Console(stderr=json)
    batches = BATCHES.get(jax.default_backend(), BATCHES["other"])
    with console.status("a plain alpha-beta in Python ..."):
        positions = _positions(max(batches))
        _check(positions)
        plain = _plain(positions)
    ours = {}
    for batch in batches:
        with console.status(f"{batch} positions at once ..."):
            ours[str(batch)] = _ours(jax.tree.map(lambda x, batch=batch: x[:batch], positions))
    best = max(rate["nodes_per_s"] for rate in ours.values())
    report = {
        "device": device(),
        "versions": {"jax": jax.__version__, "python": platform.python_version()},
        "game": "othello",
        "evaluator": "positional",
        "depth": DEPTH,
        "plain_python": plain,
        "ludens": ours,
        "best_nodes_per_s": best,
        "ratio_nodes": best / plain["nodes_per_s"],
        "ratio_searches": max(rate["searches_per_s"] for rate in ours.values()) / plain["searches_per_s"],
    }
    if json:
        print(json_text.dumps(report, indent=2))
    else:
        console.print(_table(report))


def _positions(count: int) -> State:
    """Positions `[count]` of random games, from every phase."""
    game = Othello()

    def walk(key: Key, plies: Any) -> State:
        def move(i: Any, s: State) -> State:
            return where(i < plies, game.apply(s, random_action(game, s, jax.random.fold_in(key, i))), s)

        end: State = jax.lax.fori_loop(0, max(PLIES), move, game.init(key))
        return end

    plies = np.resize(PLIES, count)
    positions: State = jax.jit(jax.vmap(walk))(jax.random.split(jax.random.key(0), count), plies)
    return positions


def _check(positions: State) -> None:
    """Stop if the two searches do not agree: then there is nothing to compare."""
    some = jax.tree.map(lambda x: x[:AGREE], positions)
    ours = np.asarray(_compiled()(some).scores).max(axis=1)
    theirs = [plain_search(_plain_position(some, i), DEPTH)[0] for i in range(AGREE)]
    if not np.array_equal(ours, theirs):
        raise AssertionError(f"the searches disagree: {ours.tolist()} and {theirs}")


def _ours(positions: State) -> dict[str, float]:
    """The best of three runs of at least `SECONDS`, the batch split over all devices."""
    batch = positions.turn.shape[0]
    shards = len(jax.devices()) if batch % len(jax.devices()) == 0 else 1
    search = _compiled(shards)
    nodes = int(np.asarray(search(positions).nodes).sum())
    best, rounds = 0.0, 1
    for attempt in range(4):  # the first finds out how many rounds fill the time
        begin = time.perf_counter()
        for _ in range(rounds):
            np.asarray(search(positions).nodes)
        elapsed = time.perf_counter() - begin
        if attempt == 0:
            rounds = max(1, round(SECONDS / elapsed))
        else:
            best = max(best, rounds / elapsed)
    return {"nodes_per_s": nodes * best, "searches_per_s": batch * best, "nodes_per_search": nodes / batch}


def _compiled(shards: int = 1) -> Callable[[State], Any]:
    game = Othello()
    formula = Positional(game)

    def search(positions: State) -> Any:
        found = alpha_beta(game, formula, None, positions, depth=DEPTH)
        return found._replace(nodes=found.nodes[None])

    split: Any = PartitionSpec("positions")  # type: ignore[no-untyped-call]  # jax 0.10 leaves it untyped
    mesh = Mesh(np.array(jax.devices()[:shards]), ("positions",))
    spread = jax.shard_map(search, mesh=mesh, in_specs=(split,), out_specs=split, check_vma=False)
    return jax.jit(spread)


def _plain(positions: State) -> dict[str, float]:
    """The plain search in one process per core, their rates added."""
    work = [_plain_position(positions, i) for i in range(64)]
    with multiprocessing.get_context("spawn").Pool(CORES) as pool:
        rates = pool.map(_plain_rate, [work[core:] + work[:core] for core in range(CORES)], chunksize=1)
    nodes, searches = (sum(column) for column in zip(*rates, strict=True))
    return {"nodes_per_s": nodes, "searches_per_s": searches, "nodes_per_search": nodes / searches}


def _plain_rate(work: list[Plain]) -> tuple[float, float]:
    """Nodes and searches per second in this process."""
    nodes = searches = 0
    begin = time.perf_counter()
    while (elapsed := time.perf_counter() - begin) < PLAIN_SECONDS:
        nodes += plain_search(work[searches % len(work)], DEPTH)[1]
        searches += 1
    return nodes / elapsed, searches / elapsed


def _plain_position(positions: State, i: int) -> Plain:
    own, opponent = (int(board.lo[i]) | int(board.hi[i]) << 32 for board in (positions.own, positions.opponent))
    return own, opponent


def _table(report: dict[str, Any]) -> Table:
    """Who searches, how many positions and searches a second, how many times the plain one."""
    title = f"Alpha-beta, Othello, positional formula, depth {DEPTH}; {report['device']}"
    table = Table(title=title, title_justify="left")
    for column in ("", "nodes/s", "searches/s", "nodes a search", "times plain (nodes)", "(searches)"):
        table.add_column(column, justify="right" if column else "left")
    plain = report["plain_python"]
    rows = {"plain Python": plain} | {f"{batch} at once": rate for batch, rate in report["ludens"].items()}
    for name, rate in rows.items():
        times = [rate[what] / plain[what] for what in ("nodes_per_s", "searches_per_s")]
        speeds = [f"{rate[what]:,.0f}" for what in ("nodes_per_s", "searches_per_s", "nodes_per_search")]
        table.add_row(name, *speeds, *(f"{each:,.0f} x" for each in times))
    return table
