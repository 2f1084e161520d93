"""Who plays whom in a tournament: round robins, and the seed of every game.

One round is every table once: every pair in a game for two (36 games for nine players), every four of them in a game
for four. A table plays in **blocks** of as many rounds as there are seats. All games of a block have the same seed,
that is the same deal and opening, and the players move up one seat from round to round: after a whole block everybody
has had every seat with the same luck. Each block seats the table anew at random, so neighbours and partners change.

A game is named by its round and its pairing, the number of its table. Everything about it follows from this name and
the tournament's seed, so a game that was cut short is played again just as it would have been.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np


@dataclass(frozen=True)
class Fixture:
    """One game that is to be played."""

    round: int
    pairing: int
    """Which table, in the order in which `tables` lists them."""
    seats: tuple[int, ...]
    """The player at each seat, by number."""
    seed: int
    """Decides deal, opening, and all other chances of the game; below 2^32."""


def tables(players: int, seats: int) -> list[tuple[int, ...]]:
    """Everyone who meets in one round: all choices of `seats` out of `players`."""
    return list(combinations(range(players), seats))


def fixtures(players: int, seats: int, rounds: int, seed: int) -> Iterator[Fixture]:
    """All games of a tournament, round by round, pairing by pairing."""
    pairings = tables(players, seats)
    for number in range(rounds):
        block, turn = divmod(number, seats)
        for pairing, table in enumerate(pairings):
            # NumPy promises that these words never change, which it does not of its generators' draws.
            words = np.random.SeedSequence([seed, block, pairing]).generate_state(1 + seats)
            seated = np.argsort(words[1:], kind="stable")
            order = tuple(table[seated[(seat + turn) % seats]] for seat in range(seats))
            yield Fixture(round=number, pairing=pairing, seats=order, seed=int(words[0]))
