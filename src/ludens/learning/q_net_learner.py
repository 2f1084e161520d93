"""What neural Q-learning and minimax-Q have in common: nets that value moves, and decisions learned from later.

A decision waits until its outcome is known: the next position in which its learner decides, or the end of the game.
Then the order is that of figure 4 in othello.txt: Q of the new position and the target are made with the weights as
they are, the error is backpropagated, and the move is chosen with the new weights. The result of a game is learned from
when its learner next decides, in the game after it: that is the first time it can make a difference. Who must pass
decides nothing and learns nothing.

With several games side by side (`num_envs` above 1) three things differ. All games learn at once, from the weights as
they were before the step, and their steps are added up. The same lesson in several games counts once (`_once`): when
exploration ends, games become copies of each other, and their steps, all in one direction, would throw the nets off.
And moves are chosen with the values that were made for the targets, one step old, which saves a third of the work.

Shapes: `B = num_envs`, `N` squares, `K` learners (2 in Q-learning, 1 in minimax-Q).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.game import S, where
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.nets.q_nets import Lessons, QNets, Weights
from ludens.players.q_net import QNetAgent, board, nets_of, placements
from ludens.returns.exploration import boltzmann, sample
from ludens.returns.schedules import temperature

PAPER_GAMES, PAPER_B = 15_000_000, 0.9999995
PAPER_HIDDEN = {"single": 44, "multi": 36}


@dataclass(frozen=True)
class QNetConfig(Config):
    """The settings of othello.txt, section 4.3."""

    episodes: int = setting(
        PAPER_GAMES, "Games to train; the temperature falls over them as in the paper over its 15,000,000.", least=1
    )
    nets: str = setting(
        "single",
        "`single`: one net with an output for each square; `multi`: a net for each square.",
        choices=tuple(PAPER_HIDDEN),
    )
    hidden: int | None = setting(
        None, "Hidden units of a net; not given: the paper's 44 of a single net, 36 of each of many.", least=1
    )
    alpha: float = setting(
        0.1, "How far towards what was seen the target lies from the output (equation 11).", least=0, most=1
    )
    gamma: float = setting(1.0, "What the value of the next decision counts.", least=0, most=1)
    learning_rate: float = setting(0.1, "The step of backpropagation.", least=0)
    init_scale: float = setting(0.1, "Weights start between minus this and this.", least=0)
    temperature: float = setting(1.0, "Boltzmann temperature at first (a of equation 20).", least=0)
    temperature_decay: float | None = setting(
        None,
        "What it is multiplied by after every game; not given: the paper's 0.9999995, stretched to `episodes`.",
        least=1e-9,
        most=1,
    )
    temperature_end: float = setting(0.002, "Below this temperature the best move is played.", least=0)

    @property
    def cooling(self) -> float:
        """The b of equation 20."""
        return PAPER_B ** (PAPER_GAMES / self.episodes) if self.temperature_decay is None else self.temperature_decay

    @property
    def units(self) -> int:
        """Hidden units of a net."""
        return self.hidden or PAPER_HIDDEN[self.nets]


class Waiting(NamedTuple):
    """The last decision of each learner in each game, everything `[B, K]`."""

    x: Array
    """The board as it lay before the mover, `float32[B, K, N]`."""
    action: Array
    """The square, `int32[B, K]`; -1 if there was no decision yet."""
    seat: Array
    """Who decided, `int32[B, K]`."""
    over: Array
    """Whether the game has ended since, `bool[B, K]`."""
    reward: Array
    """What that brought, `float32[B, K]`."""


class QNetState(NamedTuple):
    """What a learner carries along."""

    weights: Weights
    waiting: Waiting


class Thought(NamedTuple):
    """What `act` hands over to `update`."""

    state: QNetState
    """With the new weights."""
    x: Array
    """The boards on which was decided, `float32[B, N]`."""
    means: Means


@dataclass(frozen=True)
class QNetLearner(Learner[S]):
    """Learns Q with nets. Subclasses say how many learners share the seats."""

    config_type: ClassVar[type[Config]] = QNetConfig
    games: ClassVar[tuple[str, ...]] = QNetAgent.games
    learners: ClassVar[int]
    """K: 2 if each seat learns for itself, 1 if one learner plays both."""

    config: QNetConfig

    @cached_property
    def nets(self) -> QNets:
        """The shape of the nets."""
        return nets_of(self.game, self.agent())

    def init(self, key: Key) -> QNetState:
        """Small random weights, and nothing to learn from yet."""
        weights = self.nets.init(key, self.config.init_scale)
        lanes = (self.config.num_envs, self.learners)
        nothing = jnp.full(lanes, -1, jnp.int32)
        boards = jnp.zeros((*lanes, self.nets.squares))
        waiting = Waiting(boards, nothing, nothing, jnp.zeros(lanes, bool), jnp.zeros(lanes))
        return QNetState(weights, waiting)

    def act(self, state: QNetState, memory: None, views: S, keys: Key, clock: Clock) -> tuple[Array, Thought]:
        """Learn from the last decision, whose outcome this position is; then decide."""
        game, nets = self.game, self.nets
        seat = jax.vmap(game.player)(views)
        x, legal = jax.vmap(lambda s: (board(game, s), placements(game, s)))(views)
        who, decides = self._learner(seat), legal.any(axis=1)
        values = nets.legal_values(state.weights, x, who, legal)

        last = _of_learner(state.waiting, who)
        best = jnp.where(legal, values, -jnp.inf).max(axis=1)
        seen = jnp.where(last.over, last.reward, self.config.gamma * jnp.where(last.seat == seat, best, -best))
        known = (last.action >= 0) & (last.over | decides)
        lessons = _once(Lessons(who, last.x, last.action, seen, known))
        # The target of equation 11 lies alpha of the way from the output to what was seen, and so does its error.
        weights, output = nets.descend(state.weights, lessons, self.config.learning_rate * self.config.alpha)

        # The net of a square is never asked again once a disc lies there: in `multi` nothing new can be said.
        if self.config.num_envs == 1 and self.config.nets == "single":
            values = nets.legal_values(weights, x, who, legal)
        warmth = temperature(
            clock.games, a=self.config.temperature, b=self.config.cooling, c=self.config.temperature_end
        )
        chosen = sample(boltzmann(values, legal, warmth), keys)
        loss = Mean.of((seen - output) ** 2 / 2, lessons.real)
        means = {"loss": loss, "temperature": Mean.of(warmth)}
        return jnp.where(decides, chosen, nets.squares), Thought(QNetState(weights, state.waiting), x, means)

    def update(
        self, state: QNetState, memory: None, turn: Turn[S], key: Key, clock: Clock
    ) -> tuple[QNetState, None, Means]:
        """Keep the decisions that were made, and what became of those whose game is over."""
        thought: Thought = turn.extra
        before = thought.state.waiting
        seat = jax.vmap(self.game.player)(turn.s)
        placed = turn.action < self.nets.squares
        decided = (self._learner(seat)[:, None] == jnp.arange(self.learners)) & placed[:, None]  # [B, K]
        seats = jnp.where(decided, seat[:, None], before.seat)
        # A learner without a decision in the whole game still waits to learn from an earlier one.
        earlier = before.over & ~decided
        result = jnp.where(seats == 0, turn.returns[:, :1], turn.returns[:, 1:])
        waiting = Waiting(
            x=jnp.where(decided[..., None], thought.x[:, None], before.x),
            action=jnp.where(decided, turn.action[:, None], before.action),
            seat=seats,
            over=earlier | turn.done[:, None],
            reward=jnp.where(earlier, before.reward, result),
        )
        means = thought.means | {"black": Mean.of(turn.returns[:, 0], turn.done)}
        return thought.state._replace(waiting=waiting), None, means

    def params(self, state: QNetState) -> Weights:
        """The weights."""
        return state.weights

    def agent(self) -> dict[str, Any]:
        """A player with nets of this shape."""
        config = self.config
        return {"kind": QNetAgent.kind, "nets": config.nets, "hidden": config.units, "players": self.learners}

    def _learner(self, seat: Array) -> Array:
        """Who learns for a seat, `int32[B]`."""
        return seat if self.learners > 1 else jnp.zeros_like(seat)


def _of_learner(waiting: Waiting, who: Array) -> Waiting:
    """What waits for the learners `who` (`int32[B]`), everything `[B]`."""
    each: list[Waiting] = [jax.tree.map(lambda x, k=k: x[:, k], waiting) for k in range(waiting.action.shape[1])]
    return each[0] if len(each) == 1 else jax.vmap(where)(who == 0, *each)


def _once(lessons: Lessons) -> Lessons:
    """The lessons, those left out that are the same as another: the same board, move and player."""
    count, squares = lessons.x.shape
    if count == 1:
        return lessons
    # Boards are told apart by a sum of odd numbers, with wrap-around; two in four billion would be taken for one.
    odd = jnp.arange(1, squares + 1, dtype=jnp.uint32) * jnp.uint32(0x9E3779B1) | 1
    mark = (lessons.x.astype(jnp.int32).astype(jnp.uint32) * odd).sum(axis=1, dtype=jnp.uint32)
    mark = mark * jnp.uint32(2 * squares) + (2 * lessons.action + lessons.who).astype(jnp.uint32)
    lanes = jnp.arange(count)
    again = (mark[:, None] == mark) & lessons.real & (lanes < lanes[:, None])  # [B, B]
    return lessons._replace(real=lessons.real & ~again.any(axis=1))
