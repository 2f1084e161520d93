"""How many Okey hands a second each question takes: `python benchmarks/okey_hands.py`.

Hands are dealt at random from the 106 tiles, 14 or 15 each, so jokers come as often as at the table; the hard set has
both jokers in every hand.
"""

import time
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from ludens.games.okey import melds

BATCH = 65536


def deal(size: int, tiles: int, *, jokers: int | None, seed: int) -> jax.Array:
    """Random hands, `int8[size, 53]`; with `jokers`, all hands have that many."""
    rng = np.random.default_rng(seed)
    kinds = np.repeat(np.arange(53 if jokers is None else 52), 2)
    drawn = rng.permuted(np.tile(kinds, (size, 1)), axis=1)[:, : tiles - (jokers or 0)]
    hands = (drawn[:, :, None] == np.arange(53)).sum(1, dtype=np.int8)
    if jokers is not None:
        hands[:, 52] = jokers
    return jnp.asarray(hands)


def measure(question: Callable[[jax.Array], object], hands: jax.Array, repeats: int = 5) -> tuple[float, float]:
    """Hands per second, the best of some repeats, and the seconds to compile."""
    start = time.perf_counter()
    compiled = jax.jit(question).lower(hands).compile()
    compiling = time.perf_counter() - start
    jax.block_until_ready(compiled(hands))
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        jax.block_until_ready(compiled(hands))
        seconds.append(time.perf_counter() - start)
    return len(hands) / min(seconds), compiling


def main() -> None:
    questions: dict[str, Callable[..., object]] = {
        "finished_by_pairs": lambda hands, longest_run: jax.vmap(melds.finished_by_pairs)(hands),
        "finished_by_sets": lambda hands, longest_run: jax.vmap(
            partial(melds.finished_by_sets, longest_run=longest_run)
        )(hands),
        "values": melds.values,
        "distances": partial(melds.distances, pairs=True),
        "arrange": lambda hands, longest_run: jax.vmap(partial(melds.arrange, longest_run=longest_run))(hands),
    }
    sets = {
        "14 tiles": deal(BATCH, 14, jokers=None, seed=1),
        "15 tiles": deal(BATCH, 15, jokers=None, seed=2),
        "hard": deal(BATCH, 15, jokers=2, seed=3),
        "hard, 14": deal(BATCH, 14, jokers=2, seed=4),
        "a few": deal(256, 14, jokers=None, seed=5),
    }
    print(f"{jax.devices()[0].device_kind}; hands per second in batches of {BATCH} (a few: 256)")
    print(f"{'':24}" + "".join(f"{name:>12}" for name in sets) + "   compile")
    for name, question in questions.items():
        for longest_run in (4, 5):
            results = [measure(partial(question, longest_run=longest_run), hands) for hands in sets.values()]
            rates = "".join(f"{rate:12,.0f}" for rate, _ in results)
            print(f"{name + ', runs to ' + str(longest_run):24}{rates}  {results[0][1]:6.1f} s")


if __name__ == "__main__":
    main()
