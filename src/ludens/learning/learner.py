"""The learner contract: what an algorithm adds to the loop that all of them share.

The loop (`loop.py`) plays `num_envs` games side by side. In each it asks the learner for a move, makes it, and shows
the learner what came of it; finished games begin anew. `act` chooses, `update` learns. Everything a learner carries
along is a pytree: its **state** (weights, optimizer, replay: one for all games) and a **memory** of each game under way
(traces, each seat's last decision), which is cleared when the game ends.

Shapes: `B = num_envs`, `A` actions, `P` seats. All methods are pure.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import jax.numpy as jnp
from jax import lax

from ludens.core.game import Game, S
from ludens.core.settings import check, setting
from ludens.core.types import Array, Key

T = TypeVar("T")
LANES = "lanes"
"""The mesh axis over which devices share the games of one run."""


@dataclass(frozen=True)
class Config:
    """What every learner can be told; each adds its own. Checked when made: ValueError says what was expected."""

    episodes: int = setting(2000, "Games to train; whatever is annealed is annealed over them.", least=1)
    num_envs: int = setting(1, "Games played side by side; 1 is the fully online update of the papers.", least=1)

    def __post_init__(self) -> None:
        check(self)

    def to_dict(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


class Clock(NamedTuple):
    games: Array
    """Games finished so far, in all lanes, `int32[]`."""
    steps: Array
    """Steps of the loop so far, each `num_envs` moves and one update, `int32[]`."""


class Turn(NamedTuple, Generic[S]):
    """A move in each of the games, and what came of it; everything `[B]`."""

    s: S
    """Where it was made, as the mover saw it (`game.view`)."""
    action: Array
    extra: Any
    """What `act` tells `update`, such as the behaviour policy's `log_prob`."""
    t: S
    """The next position in which somebody decides, as they see it, or the end of the game."""
    done: Array
    """Whether the game is over, by its rules or because it has lasted `game.turn_limit` moves, `bool[B]`."""
    returns: Array
    """Results for the seats, `float32[B, P]`; zeros while the game goes on, and if it was cut short."""
    ply: Array
    """Moves made in the game before this one, `int32[B]`."""


class Mean(NamedTuple):
    """A metric, to be averaged over many steps."""

    total: Array
    """The sum of what was measured in this step, `float32[]`."""
    number: Array
    """How many measurements that were, `float32[]`."""

    @classmethod
    def of(cls, values: Array, where: Array | None = None) -> "Mean":
        """The mean of `values`, of those only at which `where` (the same shape, `bool`) holds."""
        if where is None:
            return cls(values.sum().astype(jnp.float32), jnp.float32(values.size))
        return cls(jnp.where(where, values, 0).sum().astype(jnp.float32), where.sum().astype(jnp.float32))


Means = dict[str, Mean]


@dataclass(frozen=True)
class Learner(ABC, Generic[S]):
    name: ClassVar[str]
    """What a person types: `td-lambda`."""
    config_type: ClassVar[type[Config]] = Config
    games: ClassVar[tuple[str, ...]] = ()
    """Ids of the games it can learn; empty: all that `learns` accepts."""
    one_seed_at_a_time: ClassVar[bool] = False
    """Whether seeds are trained one after the other: where a state is too large to be carried through a `vmap`."""

    game: Game[S]
    config: Config
    devices: int = 1
    """How many devices play a share of the games each, in one run; `config.num_envs` is then the share."""

    @property
    def lane_axes(self) -> Any:
        """For learners that several devices can train together: which axis of the state belongs to the games.

        A prefix of the state, -1 where no axis does and all devices have the same. None: one device has all games.
        """
        return None

    def mean_over_devices(self, tree: T) -> T:
        """The mean of what each device found: gradients, for one."""
        mean: T = lax.pmean(tree, LANES) if self.devices > 1 else tree  # type: ignore[no-untyped-call]  # as jax has it
        return mean

    @classmethod
    def learns(cls, game: Game[Any]) -> bool:
        return not cls.games or game.id in cls.games

    @abstractmethod
    def init(self, key: Key) -> Any:
        """The state before the first game: a pytree of arrays."""

    def init_memory(self) -> Any:
        """The memory of one game that has just begun: a pytree of arrays without a batch axis; None if none is kept."""
        return None

    @abstractmethod
    def act(self, state: Any, memory: Any, views: S, keys: Key, clock: Clock) -> tuple[Array, Any]:
        """Moves `int32[B]` for `views` `[B]`, with memories and keys `[B]`; and anything that `update` needs."""

    @abstractmethod
    def update(self, state: Any, memory: Any, turn: Turn[S], key: Key, clock: Clock) -> tuple[Any, Any, Means]:
        """Learn from a move in each game: the new state, the new memories `[B]`, and metrics such as `loss`.

        The loop clears the memories of games that are done; whatever they still teach is learned here.
        """

    @abstractmethod
    def params(self, state: Any) -> Any:
        """The part of the state that plays, of one seed: a pytree in the shape that `agent`'s player reads."""

    @abstractmethod
    def agent(self) -> dict[str, Any]:
        """Who plays with `params`: `{"kind": NAME, ...}`, a kind of `players.learned.AGENTS` and its fields in JSON."""
