"""Simple players that differ, and a tournament among them as a program of its own, which a test can kill."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax.numpy as jnp

from ludens.arena.ledger import Ledger
from ludens.cli import tournament
from ludens.core.player import Decision, Player
from ludens.games import make
from ludens.players import PLAYERS

FIELD = ("random", "lowest", "middle", "highest")
OPENING = 2


@dataclass(frozen=True)
class _Fixed(Player[Any]):
    """Takes the legal action whose number is nearest to a favourite."""

    share: float = 0.0

    def act(self, params: Any, key: Any, view: Any) -> Decision:
        far = jnp.abs(jnp.arange(self.game.num_actions) - self.share * self.game.num_actions)
        scores = jnp.where(self.game.legal(view), -far, -jnp.inf)
        return Decision(jnp.argmax(scores).astype(jnp.int32), scores)


@dataclass(frozen=True)
class Lowest(_Fixed):
    share: float = 0.0


@dataclass(frozen=True)
class Middle(_Fixed):
    share: float = 0.4


@dataclass(frozen=True)
class Highest(_Fixed):
    share: float = 1.0


AMATEURS = {"lowest": Lowest, "middle": Middle, "highest": Highest}


class SlowLedger(Ledger):
    """Takes its time after each game, so that there is a moment to pull the plug."""

    def enter(self, *args: Any) -> None:
        super().enter(*args)
        time.sleep(0.004)


if __name__ == "__main__":
    PLAYERS.update(AMATEURS)
    if "--slowly" in sys.argv:
        tournament.Ledger = SlowLedger
    folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
    tournament.run(make("chung-toi"), FIELD, rounds=rounds, seed=3, opening=OPENING, out=folder, json=False)
