"""A net learns from perfect play: what a table of all positions knows, in a fraction of its size.

Wherever a game is solved (`ludens.oracles`), every position is a lesson with the right answer. Games are played by the
oracle's best moves, now and then by any, and where positions can be drawn from the table, as many are drawn from
there. With `Q(s, a)` what a move is worth to the mover, -1 to 1, the net learns

    policy   softmax(Q(s, .) / temperature), by cross-entropy: all best moves alike, others by how little they lose
    value    max_a Q(s, a), and where fate acts also what the position between the move and the throw is worth

`regret` and `best` are measured before learning from them, so on positions not yet seen: what the net's moves lose
against perfect play, in the oracle's units, and what share of them is best, over decisions that play meets.

Shapes: `B = num_envs` games, `N` positions of a batch, `A` actions.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import optax

from ludens.core.game import Game, S
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.nets.residual import ResidualNet
from ludens.oracles import solvable
from ludens.oracles.oracle import Oracle
from ludens.oracles.store import at_hand, load
from ludens.players.policy_net import ResidualPlayer, among_legal
from ludens.returns.exploration import epsilon_greedy, linear


@dataclass(frozen=True)
class DistillConfig(Config):
    episodes: int = setting(100_000, "Games to train; the learning rate falls over them.", least=1)
    num_envs: int = setting(512, "B: games played side by side; each move of theirs is a position to learn.", least=1)
    blocks: int = setting(2, "Residual blocks of the net.", least=0)
    channels: int | None = setting(None, "Channels of each block: 64 on a board, 256 units elsewhere.", least=1)
    temperature: float = setting(0.01, "Loss at which a move's weight in the policy falls by e.", least=1e-6)
    epsilon: float = setting(0.1, "Probability of a random move.", least=0, most=1)
    value_coef: float = setting(1.0, "Weight of the value's squared error in the loss.", least=0)
    learning_rate: float = setting(2e-3, "Of Adam at first; annealed linearly to a hundredth.", least=0)
    max_grad_norm: float = setting(1.0, "Gradients longer than this are scaled down to it.", least=0)


class DistillState(NamedTuple):
    net: ResidualNet
    optimizer: Any
    table: Any  # of the oracle


class Lessons(NamedTuple):
    """Positions and the right answers, everything `[N]`."""

    s: Any
    q_values: Array  # -1 to 1, `float32[N, A]`; -inf where illegal
    between: Any  # after a move, before fate acts
    worth: Array  # of that, to whoever decides there, -1 to 1
    counts: Array  # whether there is anything to decide, `bool[N]`


@dataclass(frozen=True)
class Distill(Learner[S]):
    name: ClassVar[str] = "distill"
    config_type: ClassVar[type[Config]] = DistillConfig
    one_seed_at_a_time: ClassVar[bool] = True

    config: DistillConfig

    @classmethod
    def learns(cls, game: Game[Any]) -> bool:
        """Every game whose solution is stored or quickly made."""
        return at_hand(game)

    def init(self, key: Key) -> DistillState:
        net = self._agent.create(key)
        return DistillState(net, self.optimizer.init(net), jax.tree.map(jnp.asarray, _table(self.game)))

    def act(self, state: DistillState, memory: None, views: S, keys: Key, clock: Clock) -> tuple[Array, Array]:
        """A best move, or now and then any; and what all of them are worth."""
        q_values = jax.vmap(lambda s: self._q_values(state.table, s))(views)
        legal = jax.vmap(self.game.legal)(views)
        action = jax.vmap(lambda q, mask, key: epsilon_greedy(q, mask, self.config.epsilon, key))(q_values, legal, keys)
        return action, q_values

    def update(
        self, state: DistillState, memory: None, turn: Turn[S], key: Key, clock: Clock
    ) -> tuple[DistillState, None, Means]:
        played = self._lessons(state.table, turn.s, turn.extra, turn.action)
        drawn = self._drawn(state.table, key)
        lessons = played if drawn is None else jax.tree.map(lambda *each: jnp.concatenate(each), played, drawn)
        (loss, logits), grads = jax.value_and_grad(self.loss, has_aux=True)(state.net, lessons)
        updates, optimizer = self.optimizer.update(grads, state.optimizer, state.net)
        rate = linear(self.config.learning_rate, 0.01 * self.config.learning_rate, clock.games / self.config.episodes)
        net = jax.tree.map(lambda w, update: w - rate * update, state.net, updates)
        lost = self._regret(played.q_values, logits[: len(played.counts)])
        scale = 2.0 if self._oracle.values_are == "probability" else 1.0
        metrics = {
            "loss": Mean.of(loss),
            "regret": Mean.of(lost / scale),
            "best": Mean.of((lost <= scale * self._oracle.tolerance).astype(jnp.float32)),
        }
        return DistillState(net, optimizer, state.table), None, metrics

    def params(self, state: DistillState) -> ResidualNet:
        return state.net

    def agent(self) -> dict[str, Any]:
        return {"kind": ResidualPlayer.kind, "blocks": self.config.blocks, "channels": self._channels}

    def loss(self, net: ResidualNet, lessons: Lessons) -> tuple[Array, Array]:
        """Cross-entropy of the policy + squared errors of the values; and the logits, `float32[N, A]`."""
        observe = self.game.observe
        logits, values = jax.vmap(lambda s: net(observe(s)))(lessons.s)
        legal = jnp.isfinite(lessons.q_values)
        target = jax.nn.softmax(jnp.where(legal, lessons.q_values / self.config.temperature, -jnp.inf), axis=1)
        loss = -jnp.where(legal, target * among_legal(logits, legal), 0.0).sum(axis=1)
        errors = (values - jnp.where(legal, lessons.q_values, -1.0).max(axis=1)) ** 2
        if self.game.num_chance:
            between = jax.vmap(lambda s: net(observe(s))[1])(lessons.between)
            errors = (errors + (between - lessons.worth) ** 2) / 2
        loss = jnp.where(lessons.counts, loss + self.config.value_coef * errors, 0.0)
        return loss.sum() / jnp.maximum(lessons.counts.sum(), 1), logits

    def _lessons(self, table: Any, s: S, q_values: Array, action: Array) -> Lessons:
        """For positions `[N]` and a move in each."""

        def after(s: S, a: Array) -> tuple[S, Array]:
            t = self.game.apply(s, a)
            return t, self._plain(self._oracle.value(table, t))

        between, worth = jax.vmap(after)(s, action)
        counts = jnp.isfinite(q_values).any(axis=1) & ~jnp.isnan(q_values).any(axis=1)
        return Lessons(s, jnp.where(counts[:, None], q_values, 0.0), between, worth, counts)

    def _drawn(self, table: Any, key: Key) -> Lessons | None:
        """As many positions from the table as there are games, with any move in each; None if it gives none."""
        place, choice = jax.random.split(key)
        s = jax.vmap(self._oracle.drawn)(jax.random.split(place, self.config.num_envs))
        if s is None:
            return None
        q_values = jax.vmap(lambda s: self._q_values(table, s))(s)
        action = jax.random.categorical(choice, jnp.where(jnp.isfinite(q_values), 0.0, -1e9))
        return self._lessons(table, s, q_values, action)

    def _q_values(self, table: Any, s: S) -> Array:
        """What each move is worth, -1 to 1, `float32[A]`; -inf where illegal."""
        return self._plain(self._oracle.values(table, s))

    def _plain(self, value: Array) -> Array:
        """A value of the oracle, -1 to 1."""
        return 2 * value - 1 if self._oracle.values_are == "probability" else value

    def _regret(self, q_values: Array, logits: Array) -> Array:
        """What the likeliest moves lose, `float32[N]`."""
        chosen = jnp.where(jnp.isfinite(q_values), logits, -jnp.inf).argmax(axis=1)
        return q_values.max(axis=1) - jnp.take_along_axis(q_values, chosen[:, None], axis=1)[:, 0]

    @property
    def optimizer(self) -> optax.GradientTransformation:
        """Adam for a gradient of bounded norm; the learning rate is the caller's."""
        return optax.chain(optax.clip_by_global_norm(self.config.max_grad_norm), optax.scale_by_adam())

    @property
    def _oracle(self) -> Oracle[S]:
        return solvable(self.game)

    @property
    def _channels(self) -> int:
        shape = jax.eval_shape(self.game.observe, jax.eval_shape(self.game.init, jax.random.key(0))).shape
        return self.config.channels or (64 if len(shape) == 3 else 256)

    @property
    def _agent(self) -> ResidualPlayer[S]:
        return ResidualPlayer(self.game, lambda shapes: None, self.config.blocks, self._channels)


@lru_cache(maxsize=1)
def _table(game: Game[Any]) -> dict[str, Any]:
    with jax.ensure_compile_time_eval():  # asked for while something else is compiled, it is solved all the same
        return load(game)[1].table
