"""What it is worth to compile a loop of small steps into one kernel (`core/compiling.py`).

    python benchmarks/loops.py

The training loop with a learner that plays at random and adds to 5,632 numbers, as many as the single net of the
Othello paper has: microseconds a step, in two fresh processes, one of which tells XLA to compile loops whole.
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any, ClassVar

LANES = (1, 64)
GAMES = {1: 3000, 64: 60_000}


def measure() -> None:
    import jax
    import jax.numpy as jnp

    from ludens.core.game import random_action
    from ludens.games import make
    from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
    from ludens.learning.loop import compiled_begin, compiled_chunk

    @dataclass(frozen=True)
    class Adding(Learner[Any]):
        name: ClassVar[str] = "adding"

        def init(self, key: Any) -> Any:
            return jnp.zeros(5632)

        def act(self, state: Any, memory: Any, views: Any, keys: Any, clock: Clock) -> tuple[Any, None]:
            return jax.vmap(lambda s, key: random_action(self.game, s, key))(views, keys), None

        def update(self, state: Any, memory: Any, turn: Turn[Any], key: Any, clock: Clock) -> tuple[Any, Any, Means]:
            return state + turn.returns.sum(), memory, {"loss": Mean.of(turn.done)}

        def params(self, state: Any) -> Any:
            return state

        def agent(self) -> dict[str, Any]:
            return {"kind": "none"}

    for game in ("othello", "ur", "chung-toi"):
        for lanes in LANES:
            learner = Adding(make(game), Config(num_envs=lanes))
            run, times = compiled_chunk(learner, 1), []
            training, _ = run(compiled_begin(learner)(jnp.zeros(1, jnp.uint32)), 100)
            for number in range(1, 4):
                before, begun = int(training.clock.steps[0]), time.perf_counter()
                training, _ = jax.block_until_ready(run(training, 100 + number * GAMES[lanes]))
                times.append((time.perf_counter() - begun) / (int(training.clock.steps[0]) - before))
            print(f"{game} {lanes} {min(times) * 1e6:.2f}", flush=True)


def main() -> None:
    figures = []
    for whole in (False, True):
        environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
        words = [sys.executable, __file__, "whole" if whole else "plain"]
        told = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
        figures.append([line.split() for line in told.splitlines()])
    print(f"{'game':<10} {'games side by side':>18} {'plain, us':>10} {'one kernel, us':>15} {'ratio':>6}")
    for (game, lanes, plain), (_, _, kernel) in zip(*figures, strict=True):
        print(f"{game:<10} {lanes:>18} {plain:>10} {kernel:>15} {float(plain) / float(kernel):>6.1f}")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        if sys.argv[1] == "whole":
            from ludens.core.compiling import loops_in_one_kernel

            loops_in_one_kernel()
        measure()
