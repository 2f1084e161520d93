"""Who plays Onitama by one of the actors of `nets/onitama_actors.py`: the likeliest valid move, or one drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp

from ludens.core.game import Game, sample
from ludens.core.player import Decision, alone, best
from ludens.core.types import Array, Key
from ludens.games.onitama import Onitama, State
from ludens.nets.onitama_actors import ACTORS, Net, Output, act, create_actor, masked
from ludens.players.agent import Agent, Source
from ludens.players.onitama_encoding import ENCODINGS, Encoding, encodes


def encoding_of(game: Game[Any], name: str) -> Encoding:
    """The encoding called `name` for `game`; ValueError unless that is Onitama with five cards."""
    if not isinstance(game, Onitama):
        raise ValueError(f"the report's encoding cannot show {game.id}: expected onitama with five cards")
    return ENCODINGS[name](game)


def asked(encoding: Encoding, kind: str, net: Net, views: State) -> tuple[Output, Array]:
    """What an actor says in positions `[B]`, and what can be played there, `bool[B, actions]`."""
    output, _ = act(kind, net, *jax.vmap(encoding.encode)(views))
    return output, jax.vmap(encoding.valid)(views)


@dataclass(frozen=True)
class ActorPlayer(Agent[State]):
    """Plays by an actor's output where it is valid; scores are probabilities."""

    kind: ClassVar[str] = "actor"
    games: ClassVar[tuple[str, ...]] = ("onitama",)
    scores_are: ClassVar[str] = "probability"

    actor: str
    """Which of `nets.onitama_actors.ACTORS`."""
    encoding: Encoding
    sample: bool
    """Whether moves are drawn, as they were while it learned."""

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        return encodes(game)

    @classmethod
    def from_facts(cls, game: Game[State], facts: Mapping[str, Any], source: Source) -> Self:
        """`{"actor": "dual", "actions": "pawn", "sample": false}`."""
        if facts["actor"] not in ACTORS:
            raise ValueError(f"the actor is '{facts['actor']}': expected one of {', '.join(ACTORS)}")
        return cls(game, source, facts["actor"], encoding_of(game, facts["actions"]), bool(facts["sample"]))

    def create(self, key: Key) -> Net:
        return create_actor(key, kind=self.actor, planes=self.encoding.planes, actions=self.encoding.actions)

    def act(self, params: Net, key: Key, view: State) -> Decision:
        return alone(partial(self.act_batch, params), key, view)

    def act_batch(self, params: Net, keys: Key, views: State) -> Decision:
        output, valid = asked(self.encoding, self.actor, params, views)
        return jax.vmap(self._decide)(masked(output.logits, valid), keys, views)

    def _decide(self, probs: Array, key: Key, view: State) -> Decision:
        """By the probabilities of the encoding's actions, `float32[actions]`."""
        legal = self.game.legal(view)
        every = jnp.arange(self.game.num_actions, dtype=jnp.int32)
        numbers = jax.vmap(lambda a: self.encoding.number(view, a))(every)
        # Who can only pass gives away the first card.
        passes = every == self.encoding.action(view, jnp.int32(0))
        probs = jnp.where(probs.sum() > 0, probs[numbers], passes)
        scores = jnp.where(legal, probs, -jnp.inf)
        return Decision(sample(jnp.where(legal, probs, 0), key), scores) if self.sample else best(scores, key)
