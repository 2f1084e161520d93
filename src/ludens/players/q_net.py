"""Who plays with nets that value moves (`nets/q_nets.py`): the best square at once, or as the evaluator of a search."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import jax.numpy as jnp

from ludens.core.game import Game, S, where
from ludens.core.player import Decision, best
from ludens.core.types import Array, Key
from ludens.nets.q_nets import NetPerSquare, QNets, SingleNet, Weights
from ludens.players.agent import Agent, Source

KINDS: dict[str, type[QNets]] = {"single": SingleNet, "multi": NetPerSquare}
"""The nets by the name they have in the facts."""


def nets_of(game: Game[Any], facts: Mapping[str, Any]) -> QNets:
    """The nets that `facts` describe, for a game whose actions are the squares and a pass."""
    kind = KINDS[facts["nets"]]
    return kind(squares=game.num_actions - 1, hidden=facts["hidden"], players=facts["players"])


def board(game: Game[S], s: S) -> Array:
    """The board as it lies before the mover: +1 own, -1 other, 0 empty, `float32[N]`."""
    discs = game.observe(s).reshape(2, -1).astype(jnp.float32)
    return discs[0] - discs[1]


def placements(game: Game[S], s: S) -> Array:
    """Where the mover can place, `bool[N]`: all that is legal but the pass."""
    return game.legal(s)[:-1]


@dataclass(frozen=True)
class QNetAgent(Agent[S]):
    """Plays the square with the highest Q."""

    kind: ClassVar[str] = "q-net"
    games: ClassVar[tuple[str, ...]] = ("othello",)

    nets: QNets

    @classmethod
    def from_facts(cls, game: Game[S], facts: Mapping[str, Any], source: Source) -> Self:
        """`{"nets": "single", "hidden": 44, "players": 2}`."""
        return cls(game, source, nets_of(game, facts))

    def create(self, key: Key) -> Weights:
        return self.nets.init(key, 1.0)

    def act(self, params: Weights, key: Key, view: S) -> Decision:
        legal = self.game.legal(view)
        values = _values(self.game, self.nets, params, view)
        scores = jnp.append(values, 0.0)  # a pass has no Q
        return best(jnp.where(legal, scores, -jnp.inf), key)

    def value(self, params: Weights, s: S) -> Array:
        """The best Q by the mover's net (equation 21); who must pass is worth what the opponent's best leaves it."""
        game = self.game
        must_pass = game.legal(s)[-1]
        s = where(must_pass, game.apply(s, game.num_actions - 1), s)
        values = _values(game, self.nets, params, s)
        most = jnp.where(placements(game, s), values, -jnp.inf).max()
        return jnp.where(must_pass, -most, most)


def _values(game: Game[S], nets: QNets, weights: Weights, s: S) -> Array:
    """Q of every square, `float32[N]`."""
    who = game.player(s) if nets.players > 1 else jnp.int32(0)
    return nets.values(weights, board(game, s)[None], who[None])[0]
