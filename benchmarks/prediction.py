"""How well a shallow search predicts a deep one with the Othello tables that ship: the numbers selective searches use.

`python benchmarks/prediction.py [SECONDS]` plays to positions of all phases, a move in seven at random, searches each
one ply deeper at a time, and fits the standard deviation of the difference as `LeadEvaluator.error` has it, by maximum
likelihood.
"""

import random
import sys
import time
from itertools import product

import numpy as np

from ludens.core.compiling import loops_in_one_kernel

loops_in_one_kernel()  # before anything is compiled

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

from ludens.core.agent_files import HOME  # noqa: E402
from ludens.games.othello import Othello, State  # noqa: E402
from ludens.players.learned import learned  # noqa: E402
from ludens.search.deep import DeepSearch, shallow_plies  # noqa: E402

DEEPEST, LONGEST = 10, 49
"""Plies that are looked ahead; plies after which the last positions are taken."""
LEFT_OUT = 45.0
"""Leads in discs beyond which positions say little: they are decided."""


def main() -> None:
    seconds, rng = float(sys.argv[1]) if len(sys.argv) > 1 else 200.0, random.Random(5)
    game = Othello()
    agent = learned(str(HOME / "othello-patterns"), game)
    evaluator, params = agent.evaluator(), agent.init(jax.random.key(0))
    search = DeepSearch(game, evaluator)
    apply, legal, act = jax.jit(game.apply), jax.jit(game.legal), jax.jit(agent.act)
    one_ply, begin, proceed = jax.jit(search.one_ply), jax.jit(search.begin), jax.jit(search.proceed)
    asked = (jnp.bool_(False), jnp.array([-jnp.inf, evaluator.win]), jnp.float32(0))

    def position() -> State:
        s, plies = game.init(jax.random.key(0)), rng.randrange(8, LONGEST)
        for ply in range(plies):
            moves = np.flatnonzero(legal(s)).tolist()
            anything = ply < 8 or ply == plies - 1 or rng.random() < 1 / 7
            chosen = rng.choice(moves) if anything and moves else act(params, jax.random.key(ply), s).action
            s = s if bool(s.over) else apply(s, jnp.int32(chosen))
        return s

    rows, until = [], time.monotonic() + seconds  # discs, shallow, deep, difference
    while time.monotonic() < until:
        s, table = position(), search.empty_table()
        if bool(s.over):
            continue
        order, discs = one_ply(params, s)[0], int((s.own | s.opponent).total())
        values = {1: float(order.max())}
        for depth in range(2, min(DEEPEST, 63 - discs)):
            dive = proceed(params, begin(s, table, order, jnp.int32(depth), *asked), jnp.int32(2**30))
            values[depth], table = float(dive.nodes.best[1]), dive.table
            shallow = int(shallow_plies(jnp.int32(depth)))
            if shallow and max(abs(values[depth]), abs(values[shallow])) < LEFT_OUT:
                rows.append((discs, shallow, depth, values[depth] - values[shallow]))
    discs, shallow, deep, difference = np.array(rows, np.float64).T

    def surprise(fit: tuple[float, float, float]) -> float:
        start, disc, ply = fit
        error = (start + disc * discs) * (1 + ply * (deep - 2 * shallow))
        return float((np.log(error) + (difference / error) ** 2 / 2).mean())

    grid = product(np.arange(0.3, 2.5, 0.1), np.arange(0, 0.1, 0.005), np.arange(0, 0.08, 0.01))
    best = min(((float(a), float(b), float(c)) for a, b, c in grid), key=surprise)
    print(f"{len(rows):,} pairs of searches: ({', '.join(f'{x:.3g}' for x in best)})")


if __name__ == "__main__":
    main()
