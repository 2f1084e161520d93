"""Training speed in Othello: `python benchmarks/train_othello.py` gives games per second of neural Q-learning.

Fully online (`num_envs=1`, the paper's way) on one core, and many games side by side on all cores, a seed on each.
Othello takes some 60 moves a game. The best of three runs, compiling left out. Beside the rate by the clock stands the
rate by the time that processors worked: where others keep them busy, it is what one undisturbed core would do.
"""

import argparse
import json
import time

from ludens.core.compiling import CORES, cores_as_devices, loops_in_one_kernel

SECONDS = 2.0
"""About as long as one run takes."""


def games_per_second(seeds: int, **settings: object) -> dict[str, float]:
    """Games per second of all seeds together, by the clock and by the time that processors worked."""
    import jax
    import numpy as np

    from ludens.games.othello import Othello
    from ludens.learning.loop import compiled_begin, compiled_chunk
    from ludens.learning.neural_q import NeuralQ

    learner = NeuralQ(Othello(), NeuralQ.config_type(**settings))
    chunk = compiled_chunk(learner, seeds)
    training, _ = chunk(compiled_begin(learner)(np.arange(seeds, dtype=np.uint32)), np.int32(100))

    def run(more: int) -> tuple[int, float, float]:
        nonlocal training
        before = int(jax.block_until_ready(training.clock.games).sum())
        clock, worked = time.perf_counter(), time.process_time()
        training, _ = chunk(training, np.int32(before // seeds + more))
        after = int(jax.block_until_ready(training.clock.games).sum())
        return after - before, time.perf_counter() - clock, time.process_time() - worked

    games, seconds, _ = run(200)
    runs = [run(int(games / seconds / seeds * SECONDS)) for _ in range(3)]
    return {
        "games/s": max(games / clock for games, clock, _ in runs),
        "games for each second of one core": max(games / worked for games, _, worked in runs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=128, help="games side by side")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    cores_as_devices()
    loops_in_one_kernel()
    found = {}
    for nets in ("single", "multi"):
        found[f"{nets}, online"] = games_per_second(1, nets=nets)
        many = games_per_second(CORES, nets=nets, num_envs=asked.num_envs)
        found[f"{nets}, {asked.num_envs} side by side, {CORES} seeds"] = many
    if asked.json:
        print(json.dumps(found, indent=2))
        return
    for name, rates in found.items():
        print(f"{name:36}", ", ".join(f"{rate:,.0f} {what}" for what, rate in rates.items()))


if __name__ == "__main__":
    main()
