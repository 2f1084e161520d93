"""Neural Q-learning: N. J. van Eck, M. van Wezel, "Application of reinforcement learning to the game of Othello",
Computers & Operations Research 35, 2008; sections 2.1.1, 2.1.2 and 4.3.

Two learners, black and white, play each other, each with weights of its own. For a decision a in s, after which the
learner next decides in s',

    Q_target(s, a) = (1 - alpha) Q(s, a) + alpha (r + gamma max_a' Q(s', a'))                (equation 11)

and the error Q_target - Q is backpropagated. The order is that of the paper's figure 4: the target is made with the
weights as they are, the error is backpropagated, and the move is chosen with the new weights, by exp(Q / T). The result
of a game is learned from when its learner next decides, in the game after it: the first time it can make a difference.
Who must pass decides nothing and learns nothing. (The paper's equations 12 and 13 have biases, its count of weights has
not; we have them.)

With several games side by side (1 is the paper's) all learn at once, from the weights as they were before the step, and
their steps are added up. The same decision in several games counts once (`_once`). And moves are chosen with the values
that are made for the targets, one step old, which saves a third of the work.

Shapes: `B = num_envs`, `N` squares, `K` learners (2 in Q-learning, 1 in minimax-Q).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.game import S
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.learning.pending import Pending, of_seat
from ludens.nets.q_nets import QBatch, QNets, Weights
from ludens.players.q_net import QNetAgent, board, nets_of, placements
from ludens.returns.exploration import boltzmann, sample, temperature
from ludens.returns.td import minimax_q_target

PAPER_GAMES, PAPER_B = 15_000_000, 0.9999995
PAPER_HIDDEN = {"single": 44, "multi": 36}


@dataclass(frozen=True)
class QNetConfig(Config):
    episodes: int = setting(PAPER_GAMES, "Games to train; the temperature falls over them.", least=1)
    nets: str = setting("single", "One net for all squares, or a net for each.", choices=tuple(PAPER_HIDDEN))
    hidden: int | None = setting(None, "Hidden units of a net; the paper's 44 (single) or 36 if not given.", least=1)
    alpha: float = setting(0.1, "How far the target lies from Q towards what was seen (equation 11).", least=0, most=1)
    gamma: float = setting(1.0, "What the value of the next decision counts.", least=0, most=1)
    learning_rate: float = setting(0.1, "The step of backpropagation.", least=0)
    init_scale: float = setting(0.1, "Weights start between minus this and this.", least=0)
    temperature: float = setting(1.0, "Boltzmann temperature at first (a of equation 20).", least=0)
    temperature_decay: float | None = setting(
        None, "Factor for each game; the paper's 0.9999995, stretched to `episodes`, if not given.", least=1e-9, most=1
    )
    temperature_end: float = setting(0.002, "Below this temperature the best move is played.", least=0)

    @property
    def cooling(self) -> float:
        """The b of equation 20."""
        return PAPER_B ** (PAPER_GAMES / self.episodes) if self.temperature_decay is None else self.temperature_decay

    @property
    def units(self) -> int:
        return self.hidden or PAPER_HIDDEN[self.nets]


class Placed(NamedTuple):
    """The last decision of each learner in each game, everything `[B, K]`; it outlives the game."""

    x: Array  # the board as it lay before the mover, `float32[B, K, N]`
    action: Array  # the square, `int32[B, K]`; -1 if there was no decision yet
    seat: Array  # who decided, `int32[B, K]`
    over: Array  # whether the game has ended since, `bool[B, K]`


class QNetState(NamedTuple):
    weights: Weights
    pending: Pending  # `Placed`


@dataclass(frozen=True)
class NeuralQ(Learner[S]):
    name: ClassVar[str] = "neural-q"
    config_type: ClassVar[type[Config]] = QNetConfig
    games: ClassVar[tuple[str, ...]] = QNetAgent.games
    learners: ClassVar[int] = 2
    """K: 2 if each seat learns for itself, 1 if one learner plays both."""

    config: QNetConfig

    @cached_property
    def nets(self) -> QNets:
        return nets_of(self.game, self.agent())

    def init(self, key: Key) -> QNetState:
        """Small random weights, and nothing to learn from yet."""
        lanes = (self.config.num_envs, self.learners)
        nothing = jnp.full(lanes, -1, jnp.int32)
        placed = Placed(jnp.zeros((*lanes, self.nets.squares)), nothing, nothing, jnp.zeros(lanes, bool))
        return QNetState(self.nets.init(key, self.config.init_scale), Pending(placed, jnp.zeros(lanes)))

    def act(self, state: QNetState, memory: None, views: S, keys: Key, clock: Clock) -> tuple[Array, Array]:
        """Boltzmann exploration; and Q of every square with the weights before the update, `float32[B, N]`."""
        x, legal = self._sees(views)
        who = self._learner(views)
        before = q_values = self.nets.legal_values(state.weights, x, who, legal)
        # The net of a square is never asked again once a disc lies there: in `multi` nothing new can be said.
        if self.config.num_envs == 1 and self.config.nets == "single":
            weights = self._learn(state, views, before)[0]  # what `update` will learn; compiled, it is one computation
            q_values = self.nets.legal_values(weights, x, who, legal)
        chosen = sample(boltzmann(q_values, legal, self._temperature(clock)), keys)
        return jnp.where(legal.any(axis=1), chosen, self.nets.squares), before

    def update(
        self, state: QNetState, memory: None, turn: Turn[S], key: Key, clock: Clock
    ) -> tuple[QNetState, None, Means]:
        """Learn from the last decision, whose outcome this position is; then keep the decision made in it."""
        weights, loss = self._learn(state, turn.s, turn.extra)
        before: Placed = state.pending.decision
        decided = self._mask(turn.s) & (turn.action < self.nets.squares)[:, None]  # [B, K]
        now = Placed(self._sees(turn.s)[0], turn.action, jax.vmap(self.game.player)(turn.s), jnp.zeros_like(turn.done))
        pending = state.pending.follow(decided, now, jnp.zeros(decided.shape))
        # A learner without a decision in the whole game still waits to learn from an earlier one.
        earlier = before.over & ~decided
        result = jnp.where(pending.decision.seat == 0, turn.returns[:, :1], turn.returns[:, 1:])
        placed = pending.decision._replace(over=earlier | turn.done[:, None])
        pending = Pending(placed, jnp.where(earlier, pending.reward, result))
        metrics = {
            "loss": loss,
            "temperature": Mean.of(self._temperature(clock)),
            "black": Mean.of(turn.returns[:, 0], turn.done),
        }
        return QNetState(weights, pending), None, metrics

    def params(self, state: QNetState) -> Weights:
        return state.weights

    def agent(self) -> dict[str, Any]:
        config = self.config
        return {"kind": QNetAgent.kind, "nets": config.nets, "hidden": config.units, "players": self.learners}

    def _learn(self, state: QNetState, views: S, q_values: Array) -> tuple[Weights, Mean]:
        """Weights after what `views` (`[B]`) and their Q say about the decisions before, and half the squared error."""
        config, who, legal = self.config, self._learner(views), self._sees(views)[1]
        last: Pending = of_seat(self._mask(views), state.pending)
        placed: Placed = last.decision
        same_side = placed.seat == jax.vmap(self.game.player)(views)
        target = jax.vmap(minimax_q_target, in_axes=(0, None, 0, 0, 0))
        following = target(jnp.zeros_like(last.reward), config.gamma, q_values, legal, same_side)
        targets = jnp.where(placed.over, last.reward, following)
        known = (placed.action >= 0) & (placed.over | legal.any(axis=1))
        batch = _once(QBatch(who, placed.x, placed.action, targets, known))
        # The target of equation 11 lies alpha of the way from the output to this one, and so does its error.
        weights, output = self.nets.descend(state.weights, batch, config.learning_rate * config.alpha)
        return weights, Mean.of((targets - output) ** 2 / 2, batch.mask)

    def _temperature(self, clock: Clock) -> Array:
        config = self.config
        return temperature(clock.games, a=config.temperature, b=config.cooling, c=config.temperature_end)

    def _sees(self, views: S) -> tuple[Array, Array]:
        """Boards `float32[B, N]`, and where a disc can be placed, `bool[B, N]`."""
        return jax.vmap(lambda s: (board(self.game, s), placements(self.game, s)))(views)

    def _learner(self, views: S) -> Array:
        """Who learns for the mover, `int32[B]`."""
        seat = jax.vmap(self.game.player)(views)
        return seat if self.learners > 1 else jnp.zeros_like(seat)

    def _mask(self, views: S) -> Array:
        """The same, `bool[B, K]`."""
        return self._learner(views)[:, None] == jnp.arange(self.learners)


def _once(batch: QBatch) -> QBatch:
    """`batch` without what is the same as another in it: the same board, move and player."""
    count, squares = batch.x.shape
    if count == 1:
        return batch
    # Boards are told apart by a sum of odd numbers, with wrap-around; two in four billion would be taken for one.
    odd = jnp.arange(1, squares + 1, dtype=jnp.uint32) * jnp.uint32(0x9E3779B1) | 1
    mark = (batch.x.astype(jnp.int32).astype(jnp.uint32) * odd).sum(axis=1, dtype=jnp.uint32)
    mark = mark * jnp.uint32(2 * squares) + (2 * batch.action + batch.who).astype(jnp.uint32)
    lanes = jnp.arange(count)
    again = (mark[:, None] == mark) & batch.mask & (lanes < lanes[:, None])  # [B, B]
    return batch._replace(mask=batch.mask & ~again.any(axis=1))
