"""Pgx and OpenSpiel on Othello, in the loop of `ludens/cli/bench.py`."""

import multiprocessing
import time
from typing import Any

import jax
from rich.console import Console

from ludens.cli.bench import SECONDS, Subject, measure
from ludens.core.compiling import CORES


def measure_peers(console: Console) -> dict[str, Any]:
    """Steps per second of the peers that are installed: Pgx by batch size, OpenSpiel in one process per core."""
    results = {}
    for name, measure_peer in (("pgx", _pgx), ("open_spiel", _open_spiel)):
        try:
            with console.status(f"{name} ..."):
                results[name] = measure_peer()
        except ModuleNotFoundError as error:
            console.print(f"{name} is not measured: {error.name} is not installed")
    return results


def _pgx() -> dict[str, Any]:
    """Pgx's Othello; its state carries the legal mask and the observation."""
    import pgx

    env = pgx.make("othello")
    return measure(
        Subject(
            init=jax.jit(env.init),
            legal=lambda s: s.legal_action_mask,
            step=lambda s, a, key: env.step(s, a),
            done=lambda s: s.terminated,
            observe=lambda s: s.observation,
        )
    )


def _open_spiel() -> dict[str, Any]:
    """OpenSpiel driven from Python, one process per core, their rates added."""
    import pyspiel  # noqa: F401 - only to find out here, and not in a worker, that it is missing

    context = multiprocessing.get_context("spawn")
    with context.Pool(CORES) as pool:
        rates = pool.map(_open_spiel_rate, range(CORES), chunksize=1)
    return {"steps_per_s": {"1": sum(rates)}, "best": sum(rates)}


def _open_spiel_rate(seed: int) -> float:
    """Steps per second in this process: after each the mask and the observation are made and summed."""
    import random

    import pyspiel

    game, rng = pyspiel.load_game("othello"), random.Random(seed)
    best = 0.0
    for _ in range(3):
        steps, used, state = 0, 0.0, game.new_initial_state()
        begin = time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < SECONDS:
            state.apply_action(rng.choice(state.legal_actions()))
            steps += 1
            if state.is_terminal():
                state = game.new_initial_state()
            used += sum(state.legal_actions_mask()) + sum(state.observation_tensor())
        best = max(best, steps / elapsed)
    return best
