"""DQN (Mnih et al. 2015) and Double DQN (van Hasselt et al. 2016): the future work of the paper on Ur.

A net gives each action a value. It learns from a replay of transitions, by Huber's loss against

    y = r + gamma max_a' Q'(s', a')                          (DQN)
    y = r + gamma Q'(s', argmax_a' Q(s', a'))                (Double DQN)

where Q' is the net as it was some updates ago, a' is legal, and y = r where the game ended. A transition goes from a
decision of a seat to its next one (`pending.py`). One net plays all seats: each sees the position as the mover.

The paper gives no settings for it. Those of Mnih et al. are for screens and millions of frames; ours are for small
boards on a small machine: many games side by side, one update of Adam with every move made in each of them, and rewards
in units of the largest, so that values stay near 1.

Shapes: `B = num_envs`, `F` features, `A` actions, `P` seats.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import optax

from ludens.core.game import Game, S, where
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.learning.pending import Pending, Played, closed, of_seat
from ludens.nets.mlp import MLP
from ludens.players.q_mlp import QMLP, net, sees
from ludens.players.rewards import NAMES, reward
from ludens.returns import replay
from ludens.returns.exploration import epsilon_greedy, linear
from ludens.returns.replay import Replay
from ludens.returns.td import double_q_target, q_learning_target


@dataclass(frozen=True)
class DQNConfig(Config):
    """What DQN can be told. The paper only gives the games, epsilon and the reward, for its tables."""

    episodes: int = setting(100_000, "Games to train.", least=1)
    num_envs: int = setting(64, "Games side by side; an update follows every move in each of them.", least=1)
    hidden: int = setting(128, "Units of each hidden layer.", least=1)
    layers: int = setting(2, "Hidden layers.", least=1)
    learning_rate: float = setting(5e-4, "Of Adam.", least=0)
    gamma: float = setting(1.0, "Discount for each own turn.", least=0, most=1)
    epsilon: float = setting(0.1, "Probability of a random move once it has come down.", least=0, most=1)
    exploration_fraction: float = setting(0.1, "Fraction of episodes over which epsilon falls from 1.", least=0, most=1)
    reward: str = setting("paper", "`paper` (Ur: points on the way; else the result) or `result`.", choices=NAMES)
    buffer_size: int = setting(100_000, "Transitions that the replay holds.", least=1)
    learning_starts: int = setting(2000, "Transitions in the replay before anything is learned.", least=1)
    batch_size: int = setting(256, "Transitions in an update.", least=1)
    target_update: int = setting(500, "Updates after which the target net becomes a copy of the other.", least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        least = max(self.learning_starts, 3 * self.num_envs)
        if self.buffer_size < least:
            raise ValueError(f"buffer_size is {self.buffer_size}: expected {least} or more")


class Transition(NamedTuple):
    """From a decision of a seat to its next one, or to the end of the game."""

    x: Array  # what it saw, `float32[F]`
    action: Array  # what it did, `int32[]`
    reward: Array  # what it was paid until its next decision, in units of the largest reward, `float32[]`
    next_x: Array  # what it saw then, `float32[F]`
    next_legal: Array  # what it might have done then, `bool[A]`; nothing if the game was over


class DQNState(NamedTuple):
    net: MLP
    target: MLP  # the net as it was some updates ago: Q'
    optimizer: Any
    replay: Replay


@dataclass(frozen=True)
class DQN(Learner[S]):
    name: ClassVar[str] = "dqn"
    config_type: ClassVar[type[Config]] = DQNConfig
    double: ClassVar[bool] = False
    """Whether the net itself chooses the action that its older copy values."""

    config: DQNConfig

    @classmethod
    def learns(cls, game: Game[Any]) -> bool:
        return game.num_players == 2

    def init(self, key: Key) -> DQNState:
        def example(key: Key) -> Transition:
            s = self.game.init(key)
            x = sees(self.game, s)
            return Transition(x, jnp.int32(0), jnp.float32(0), x, self.game.legal(s))

        weights = net(key, self.game, self._hidden)
        slots = replay.empty(jax.eval_shape(example, key), self.config.buffer_size)
        return DQNState(weights, jax.tree.map(jnp.copy, weights), self._adam.init(weights), slots)

    def init_memory(self) -> Pending:
        seats, state = self.game.num_players, jax.eval_shape(self.game.init, jax.random.key(0))
        features = jax.eval_shape(lambda s: sees(self.game, s), state).size
        return Pending(Played(jnp.zeros((seats, features)), jnp.full(seats, -1, jnp.int32)), jnp.zeros(seats))

    def act(self, state: DQNState, memory: Pending, views: S, keys: Key, clock: Clock) -> tuple[Array, None]:
        config = self.config
        share = clock.games / (config.exploration_fraction * config.episodes)
        epsilon = linear(1.0, config.epsilon, share) if config.exploration_fraction > 0 else config.epsilon
        x, legal = self._sees(views)
        return jax.vmap(epsilon_greedy, in_axes=(0, 0, None, 0))(jax.vmap(state.net)(x), legal, epsilon, keys), None

    def update(
        self, state: DQNState, memory: Pending, turn: Turn[S], key: Key, clock: Clock
    ) -> tuple[DQNState, Pending, Means]:
        """Put the transitions that this turn completed into the replay, and learn from some that are there."""
        memory, transitions, complete = self._complete(memory, turn)
        state = state._replace(replay=replay.add(state.replay, transitions, complete))
        state, loss = self._learn(state, key)
        due = clock.steps % self.config.target_update == 0
        return state._replace(target=where(due, state.net, state.target)), memory, {"loss": loss}

    def params(self, state: DQNState) -> MLP:
        return state.net

    def agent(self) -> dict[str, Any]:
        return {"kind": QMLP.kind, "hidden": list(self._hidden)}

    @property
    def _hidden(self) -> tuple[int, ...]:
        return (self.config.hidden,) * self.config.layers

    @property
    def _adam(self) -> optax.GradientTransformation:
        return optax.adam(self.config.learning_rate)

    def _sees(self, views: S) -> tuple[Array, Array]:
        """Features `float32[B, F]` and legal actions `bool[B, A]` of positions `[B]`."""
        return jax.vmap(lambda s: sees(self.game, s))(views), jax.vmap(self.game.legal)(views)

    def _complete(self, memory: Pending, turn: Turn[S]) -> tuple[Pending, Transition, Array]:
        """The new memories `[B]`, transitions `[B (1 + P)]`, and which of them are complete.

        A turn completes the transition that began with the mover's last one and, if it ends the game, one of each seat.
        """
        x, legal = self._sees(turn.s)
        mover = jnp.arange(self.game.num_players) == jax.vmap(self.game.player)(turn.s)[:, None]  # [B, P]
        mine = of_seat(mover, memory)
        before = Transition(mine.decision.x, mine.decision.action, mine.reward, x, legal)
        paid = reward(self.config.reward, self.game)
        rewards = jax.vmap(paid.earned)(turn.s, turn.action, turn.t) / paid.most  # [B, P]
        memory = memory.follow(mover, Played(x, turn.action), rewards)
        nothing = jnp.zeros((*mover.shape, self.game.num_actions), jnp.bool_)
        now = memory.decision
        last = Transition(now.x, now.action, memory.reward, jnp.zeros_like(now.x), nothing)
        complete = closed(before.action >= 0, turn.done[:, None] & (last.action >= 0))
        return memory, closed(before, last), complete

    def _learn(self, state: DQNState, key: Key) -> tuple[DQNState, Mean]:
        """One update, once there is enough to learn from."""
        batch: Transition = replay.sample(state.replay, key, self.config.batch_size)
        targets = jax.vmap(lambda *row: self.target(state, *row))(batch.reward, batch.next_x, batch.next_legal)

        def loss(weights: MLP) -> Array:
            q_values = jax.vmap(weights)(batch.x)  # [batch, A]
            chosen = jnp.where(jnp.arange(q_values.shape[1]) == batch.action[:, None], q_values, 0).sum(axis=1)
            return jnp.asarray(optax.losses.huber_loss(chosen, targets)).mean()

        error, grads = jax.value_and_grad(loss)(state.net)
        updates, optimizer = self._adam.update(grads, state.optimizer)
        ready = state.replay.size >= self.config.learning_starts
        learned = state._replace(
            net=where(ready, optax.apply_updates(state.net, updates), state.net),
            optimizer=where(ready, optimizer, state.optimizer),
        )
        return learned, Mean.of(error[None], ready[None])

    def target(self, state: DQNState, reward: Array, x: Array, legal: Array) -> Array:
        """y of one transition that led to features `x` and these legal actions, `float32[]`."""
        if self.double:
            return double_q_target(reward, self.config.gamma, state.target(x), state.net(x), legal)
        return q_learning_target(reward, self.config.gamma, state.target(x), legal)


class DoubleDQN(DQN[S]):
    """DQN that does not take the luckiest estimate for the best action's value."""

    name: ClassVar[str] = "double-dqn"
    double: ClassVar[bool] = True
