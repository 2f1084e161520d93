"""Players who learned: the contract between what a learner leaves behind and whoever plays with it.

An agent is a player whose `init` brings weights from somewhere: the file of a run, or memory while it still learns.
Where they come from is no part of who it is: agents of one shape are equal and share what is compiled for them.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeAlias

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S
from ludens.core.player import Player
from ludens.core.types import Key

Source: TypeAlias = Callable[[Any], Any]
"""From the shapes of the weights (a pytree of `ShapeDtypeStruct`) to the weights."""


@dataclass(frozen=True)
class Agent(Player[S]):
    """Plays with learned weights, the best move it knows and no exploration."""

    kind: ClassVar[str]
    """Its name in the `agent` facts of a run."""

    source: Source = field(compare=False, repr=False)

    @classmethod
    @abstractmethod
    def from_facts(cls, game: Game[S], facts: Mapping[str, Any], source: Source) -> Self:
        """The agent that a learner's `agent()` describes."""

    @abstractmethod
    def shapes(self) -> Any:
        """The weights that `act` takes, as a pytree of `ShapeDtypeStruct`."""

    def init(self, key: Key) -> Any:
        """The learned weights."""
        return self.source(self.shapes())

    def evaluator(self) -> Evaluator[S]:
        """What it thinks of positions, for a search; its `init` brings the same weights."""
        raise ValueError(f"what a {self.kind} agent learned judges no positions: expected one that a search can ask")
