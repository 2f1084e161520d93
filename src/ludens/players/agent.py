"""Players who learned: the contract between what a learner leaves behind and whoever plays or searches with it.

An agent is a player whose `init` brings weights from somewhere: the file of a run, or memory while it still learns.
Where they come from is no part of who it is: agents of one shape are equal and share what is compiled for them.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Self, TypeAlias

import jax
import jax.numpy as jnp

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S, sign
from ludens.core.player import Player
from ludens.core.types import Array, Key

Source: TypeAlias = Callable[[Any], Any]
"""From the shapes of the weights (a pytree of `ShapeDtypeStruct`) to the weights."""


@dataclass(frozen=True)
class Agent(Player[S]):
    """Plays with learned weights, the best move it knows and no exploration."""

    kind: ClassVar[str]
    """Its name in the `agent` facts of a run."""
    judges_chance: ClassVar[bool] = False
    """Whether it learned what positions are worth before a throw, too."""

    source: Source = field(compare=False, repr=False)

    @classmethod
    def from_facts(cls, game: Game[S], facts: Mapping[str, Any], source: Source) -> Self:
        """The agent that a learner's `agent()` describes: the facts are its fields, `{"hidden": [128, 32]}`."""
        if not cls.plays(game):
            raise ValueError(f"an agent of the kind '{cls.kind}' cannot play {game.id}: expected a game it can play")
        own = [each for each in fields(cls) if each.name not in ("game", "source")]
        told = {each.name: facts[each.name] for each in own if each.name in facts or each.default is MISSING}
        return cls(game, source, **{name: tuple(x) if isinstance(x, list) else x for name, x in told.items()})

    @abstractmethod
    def create(self, key: Key) -> Any:
        """Weights such as `act` takes, drawn at random or blank: a pytree."""

    def shapes(self) -> Any:
        """The weights that `act` takes, as a pytree of `ShapeDtypeStruct`."""
        return jax.eval_shape(self.create, jax.random.key(0))

    def init(self, key: Key) -> Any:
        return self.source(self.shapes())

    def value(self, params: Any, s: S) -> Array:
        """What an open position is worth to the side that decides there, `float32[]`, about -1 to 1.

        Agents who learned nothing of the kind leave it out.
        """
        raise NotImplementedError

    def logits(self, params: Any, s: S) -> Array:
        """How likely it would play each action in an open position, `float32[A]`: all the same if it does not say."""
        if self.scores_are != "probability":
            return jnp.zeros(self.game.num_actions, jnp.float32)
        return jnp.log(jnp.clip(self.act(params, jax.random.key(0), s).scores, 1e-6, 1.0))

    @property
    def judges(self) -> bool:
        """Whether it says what positions are worth."""
        return type(self).value is not Agent.value

    def evaluator(self) -> "LearnedEvaluator[S]":
        """What it thinks of positions, for a search; ValueError if it thinks nothing."""
        if not self.judges:
            raise ValueError(f"an agent of the kind '{self.kind}' judges no positions: expected one that does")
        return LearnedEvaluator(self.game, self)


@dataclass(frozen=True)
class LearnedEvaluator(Evaluator[S]):
    """An agent's judgement: the worth of positions, and how likely it would play each action if it says so."""

    win: ClassVar[float] = 1.001  # an open position can seem won

    agent: Agent[S]

    def init(self, key: Key) -> Any:
        return self.agent.init(key)

    def value(self, params: Any, s: S) -> Array:
        """Most agents only know positions in which somebody decides: before a throw, the expectation over all."""
        game = self.game
        if game.hidden or not game.rolls or self.agent.judges_chance:
            return self._decided(params, s)

        def after(c: Array) -> Array:
            t = game.roll(s, c)
            return sign(game, s, t) * self._decided(params, t)

        chance = game.chance(s)
        expected = jnp.where(chance > 0, chance * jax.vmap(after)(jnp.arange(game.num_chance)), 0.0).sum()
        return jnp.where(chance.sum() > 0, expected, self._decided(params, s))

    def _decided(self, params: Any, s: S) -> Array:
        view = self.game.view(s, self.game.player(s))
        return jnp.clip(self.agent.value(params, view), -1.0, 1.0).astype(jnp.float32)

    def logits(self, params: Any, s: S) -> Array:
        return self.agent.logits(params, self.game.view(s, self.game.player(s)))
