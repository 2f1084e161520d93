"""What policy-gradient learners share: they play some moves in many games, then learn from all of them at once.

A net gives each legal move a probability and each position a value (`players/policy_net.py`). The learner plays all
seats itself, or some games against opponents (`opponents.py`). After every rollout of `num_steps` moves in each game,
generalized advantage estimation says how much better each decision turned out than its position was valued, and the
algorithm makes such decisions more likely.

Shapes: `B = num_envs`, `T = num_steps`, `N` decisions of a batch, `A` actions, `P` seats.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import lax

from ludens.core.game import S
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.learning.opponents import SELF, UNSEATED, Curriculum, Opponents, after_games, seated
from ludens.nets.policy import ActionNet, PolicyNet
from ludens.players.policy_net import MLP, NETS, PolicyPlayer, among_legal, net, sees
from ludens.players.rewards import NAMES, reward
from ludens.returns.exploration import linear, sample
from ludens.returns.policy_gradient import entropy, gae, standardize, weighted_mean


@dataclass(frozen=True)
class PolicyConfig(Config):
    episodes: int = setting(100_000, "Games to train; the learning rate falls over them.", least=1)
    num_envs: int = setting(256, "B: games played side by side.", least=1)
    num_steps: int = setting(64, "T: moves in each game between two updates.", least=1)
    hidden: int = setting(256, "Units of each hidden layer.", least=1)
    layers: int = setting(2, "Hidden layers.", least=1)
    learning_rate: float = setting(5e-4, "Of Adam at first; annealed linearly to 0.", least=0)
    gamma: float = setting(1.0, "Discount for each own turn.", least=0, most=1)
    gae_lambda: float = setting(0.95, "Lambda of generalized advantage estimation.", least=0, most=1)
    entropy_coef: float = setting(0.01, "Weight of the entropy bonus, which keeps exploration alive.", least=0)
    value_coef: float = setting(0.5, "Weight of the value loss.", least=0)
    max_grad_norm: float = setting(0.5, "Gradients longer than this are scaled down to it.", least=0)
    insight: bool = setting(False, "Show the net how close each choice keeps it to a finish (Okey).")
    net: str = setting(MLP, "`actions`: one that weighs each action by its own features (Okey).", choices=NETS)
    reward: str = setting("result", "What is paid; in Okey also `closer` and `race`, for coming closer.", choices=NAMES)
    opponents: str = setting(SELF, "Specs of who plays the other seats, the easiest first, or `self`.")
    opponent_fraction: float = setting(1.0, "Fraction of games against `opponents`, if any.", least=0, most=1)
    promote_at: float = setting(0.6, "Win rate at which the learner meets the next opponent.", least=0, most=1)
    window: int = setting(100, "Games over which that win rate is taken.", least=1)
    past_fraction: float = setting(0.0, "Fraction of games against past selves.", least=0, most=1)
    past_selves: int = setting(4, "How many: how the net began, and the latest of the others.", least=1)
    past_every: int = setting(10, "Rollouts after which the net becomes one of them.", least=1)


class Rollout(NamedTuple):
    """What was played, everything `[T, B]`."""

    s: Any  # where, as the mover saw it
    x: Array  # what the net saw of that, `float32[T, B, inputs]`
    action: Array
    log_prob: Array  # of the action, by the policy that chose it
    value: Array  # of the position, by the net that played
    t: Any  # the next decision, as who makes it sees it, or the end
    done: Array  # whether that ended the game
    own: Array  # whether the learner chose it


class PolicyBatch(NamedTuple):
    """Decisions to learn from, everything `[N]`."""

    x: Array  # what the net saw, `float32[N, inputs]`
    legal: Array  # `bool[N, A]`
    action: Array
    log_prob: Array  # when it was chosen
    value: Array  # then, too
    advantage: Array
    weight: Array  # 1, or 0 if the decision is somebody else's or nothing is known about what came of it


class Behaviour(NamedTuple):
    """What `act` tells `update` about the policy that chose, everything `[B]`."""

    seat: Array  # the learner's, `int32[B]`
    own: Array  # whether the learner chose, `bool[B]`
    x: Array  # what the net saw, `float32[B, inputs]`
    log_prob: Array
    value: Array
    legal_prob: Array  # the probability that an action drawn without the mask would have been legal


class PolicyState(NamedTuple):
    net: PolicyNet | ActionNet
    optimizer: Any
    rollout: Rollout | None  # None only while the net learns from it
    curriculum: Curriculum
    past: PolicyNet | ActionNet | None  # past selves, everything `[K, ...]`, the first as it began; None without them


@dataclass(frozen=True)
class PolicyLearner(Learner[S]):
    config_type: ClassVar[type[Config]] = PolicyConfig
    one_seed_at_a_time: ClassVar[bool] = True  # opponents: a choice among them under a `vmap` would run them all

    config: PolicyConfig

    def __post_init__(self) -> None:
        reward(self.config.reward, self.game)
        jax.eval_shape(self._sees, jax.eval_shape(self.game.init, jax.random.key(0)))
        Opponents.named(self.config.opponents, self.game)

    @abstractmethod
    def learn(self, state: PolicyState, batch: PolicyBatch, key: Key, rate: Array) -> tuple[PolicyState, Array]:
        """Learn from a rollout with a learning rate of `rate`; and the losses of each update, `float32[U, 3]`."""

    @abstractmethod
    def policy_loss(self, log_probs: Array, advantages: Array, batch: PolicyBatch) -> Array:
        """The algorithm's own part of the loss, `float32[]`.

        Log-probabilities of what was done, as the net is now, and standardized advantages, `float32[N]` each.
        """

    def init(self, key: Key) -> PolicyState:
        weights = net(key, self.game, self._hidden, insightful=self.config.insight, kind=self.config.net)
        copies = self.config.past_selves
        room = self.config.num_steps, self.config.num_envs
        return PolicyState(
            weights,
            self.optimizer.init(weights),
            jax.tree.map(lambda x: jnp.zeros((*room, *x.shape), x.dtype), jax.eval_shape(self._one_move)),
            Curriculum.init(self.config.window, self.config.num_envs),
            jax.tree.map(lambda w: jnp.tile(w[None], (copies, *(1,) * w.ndim)), weights)
            if self._against_past
            else None,
        )

    def init_memory(self) -> Array:
        """The learner's seat, which is yet to be drawn."""
        return jnp.asarray(UNSEATED, jnp.int32)

    def act(self, state: PolicyState, memory: Array, views: S, keys: Key, clock: Clock) -> tuple[Array, Behaviour]:
        """Draw moves as the net has it, or as the opponent decides."""
        legal = jax.vmap(self.game.legal)(views)
        x = jax.vmap(self._sees)(views)
        logits, values = jax.vmap(state.net)(x)
        log_probs = among_legal(logits, legal)
        seats = seated(memory, keys, self.game.num_players)
        own = (seats == jax.vmap(self.game.player)(views)) | (
            jnp.arange(len(seats)) >= self._against + self._against_past
        )
        drawn = sample(jnp.where(legal, jnp.exp(log_probs), 0), keys)
        theirs = self._remembered(state, self._answers(state, views, keys, ~own), x, legal)
        action = jnp.where(own, drawn, theirs)
        log_prob = jnp.take_along_axis(log_probs, action[:, None], axis=1)[:, 0]
        legal_prob = jnp.where(legal, jax.nn.softmax(logits), 0).sum(axis=1)
        return action, Behaviour(seats, own, x, log_prob, values, legal_prob)

    def update(
        self, state: PolicyState, memory: Array, turn: Turn[S], key: Key, clock: Clock
    ) -> tuple[PolicyState, Array, Means]:
        """Record the moves, and learn when the rollout is full."""
        by: Behaviour = turn.extra
        played = Rollout(turn.s, by.x, turn.action, by.log_prob, by.value, turn.t, turn.done, by.own)
        at = clock.steps % self.config.num_steps
        rollout: Rollout = jax.tree.map(
            lambda whole, new: lax.dynamic_update_index_in_dim(whole, jnp.asarray(new, whole.dtype), at, 0),
            state.rollout,
            played,
        )
        mine = jnp.take_along_axis(turn.returns, by.seat[:, None], axis=1)[:, 0]
        finished = turn.done & (jnp.arange(len(by.seat)) < self._against)
        levels = len(self._opponents.levels)
        curriculum, met = after_games(
            state.curriculum, mine, finished, promote_at=self.config.promote_at, levels=levels
        )
        state = state._replace(rollout=rollout, curriculum=curriculum)
        learned, metrics = lax.cond(
            at == self.config.num_steps - 1,
            lambda: self._look_back(state, key, clock),
            lambda: self._nothing(state, key),
        )
        metrics |= {"valid": Mean.of(by.legal_prob, by.own)} | (met if levels else {})
        state = state._replace(net=learned[0], optimizer=learned[1])
        if self._against_past:
            rollouts = (clock.steps + 1) // self.config.num_steps
            metrics |= self._met_past(mine, turn.done)
            state = state._replace(past=self._with_latest(state, rollouts, at == self.config.num_steps - 1))
        return state, by.seat, metrics

    def params(self, state: PolicyState) -> PolicyNet | ActionNet:
        return state.net

    def agent(self) -> dict[str, Any]:
        facts = {"hidden": list(self._hidden), "sample": False, "insight": self.config.insight, "net": self.config.net}
        return {"kind": PolicyPlayer.kind} | facts

    def loss(self, net: PolicyNet | ActionNet, batch: PolicyBatch) -> tuple[Array, tuple[Array, Array, Array]]:
        """policy_loss + value_coef (V - return)^2 / 2 - entropy_coef entropy; and these three."""
        log_probs, values, entropies = self.evaluate_actions(net, batch)
        policy = self.policy_loss(log_probs, standardize(batch.advantage, batch.weight), batch)
        value = weighted_mean((values - batch.value - batch.advantage) ** 2, batch.weight) / 2
        undecided = weighted_mean(entropies, batch.weight)
        whole = policy + self.config.value_coef * value - self.config.entropy_coef * undecided
        return whole, (policy, value, undecided)

    def evaluate_actions(self, net: PolicyNet | ActionNet, batch: PolicyBatch) -> tuple[Array, Array, Array]:
        """As the net is now: log-probabilities of what was done `[N]`, values `[N]` and entropies `[N]`."""
        logits, values = jax.vmap(net)(batch.x)
        log_probs = among_legal(logits, batch.legal)
        chosen = jnp.take_along_axis(log_probs, batch.action[:, None], axis=1)[:, 0]
        return chosen, values, entropy(log_probs, batch.legal)

    def descend(self, state: PolicyState, batch: PolicyBatch, rate: Array) -> tuple[PolicyState, Array]:
        """One step of Adam; and the losses, `float32[3]`."""
        (_, losses), grads = jax.value_and_grad(self.loss, has_aux=True)(state.net, batch)
        updates, optimizer = self.optimizer.update(grads, state.optimizer)
        weights = jax.tree.map(lambda w, update: w - rate * update, state.net, updates)
        return state._replace(net=weights, optimizer=optimizer), jnp.stack(losses)

    @property
    def optimizer(self) -> optax.GradientTransformation:
        """Adam's direction for a gradient of bounded norm; the learning rate is the caller's."""
        return optax.chain(optax.clip_by_global_norm(self.config.max_grad_norm), optax.scale_by_adam(eps=1e-5))

    def _look_back(self, state: PolicyState, key: Key, clock: Clock) -> tuple[tuple[PolicyNet | ActionNet, Any], Means]:
        rollout = state.rollout
        assert rollout is not None
        rate = linear(self.config.learning_rate, 0.0, clock.games / self.config.episodes)
        state, losses = self.learn(state, self._batch(rollout), key, rate)
        metrics = dict(zip(("policy_loss", "value_loss", "entropy"), map(Mean.of, losses.T), strict=True))
        return (state.net, state.optimizer), metrics

    def _nothing(self, state: PolicyState, key: Key) -> tuple[tuple[PolicyNet | ActionNet, Any], Means]:
        """As `_look_back`, but nothing is learned."""
        metrics = jax.eval_shape(lambda: self._look_back(state, key, Clock(jnp.int32(0), jnp.int32(0))))[1]
        none: Means = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), metrics)
        return (state.net, state.optimizer), none

    def _batch(self, rollout: Rollout) -> PolicyBatch:
        """All that was played, in a row: `[T B]`."""

        def one_game(value: Array, rewards: Array, mover: Array, done: Array) -> tuple[Array, Array]:
            return gae(value, rewards, mover, done, gamma=self.config.gamma, gae_lambda=self.config.gae_lambda)

        mover = jax.vmap(jax.vmap(self.game.player))(rollout.s)
        # Paid for all at once: what an act earns in Okey takes a search, which is as fast for many hands as for a few.
        earned = jax.vmap(jax.vmap(reward(self.config.reward, self.game).earned))
        rewards = earned(rollout.s, rollout.action, rollout.t)
        advantages, known = jax.vmap(one_game, in_axes=1, out_axes=1)(rollout.value, rewards, mover, rollout.done)
        legal = jax.vmap(jax.vmap(self.game.legal))(rollout.s)
        weights = (known & rollout.own).astype(jnp.float32)
        batch = PolicyBatch(rollout.x, legal, rollout.action, rollout.log_prob, rollout.value, advantages, weights)
        flat: PolicyBatch = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), batch)
        return flat

    @property
    def _hidden(self) -> tuple[int, ...]:
        return (self.config.hidden,) * self.config.layers

    @property
    def _opponents(self) -> Opponents[S]:
        return Opponents.named(self.config.opponents, self.game)

    @property
    def _against(self) -> int:
        """Games in which somebody else plays: the first so many of the B."""
        if not self._opponents.levels:
            return 0
        return round(self.config.opponent_fraction * self.config.num_envs)

    def _answers(self, state: PolicyState, views: S, keys: Key, theirs: Array) -> Array:
        """Moves of the opponents, `int32[B]`; any numbers in games that have none."""
        few = self._against
        if not few:
            return jnp.zeros(theirs.shape, jnp.int32)
        first = jax.tree.map(lambda x: x[:few], (views, keys, theirs))
        answers = self._opponents.act(state.curriculum.level, *first)
        return jnp.pad(answers, (0, len(theirs) - few))

    @property
    def _against_past(self) -> int:
        """Games in which past selves play, equally many against each: those after the `_against`."""
        room = self.config.num_envs - self._against
        wanted = round(self.config.past_fraction * self.config.num_envs)
        return min(wanted, room) // self.config.past_selves * self.config.past_selves

    def _remembered(self, state: PolicyState, moves: Array, x: Array, legal: Array) -> Array:
        """`moves` (`int32[B]`) with what past selves find likeliest in their games."""
        first, count = self._against, self._against_past
        if state.past is None:
            return moves

        def likeliest(past: PolicyNet | ActionNet, x: Array, legal: Array) -> Array:
            return jnp.argmax(among_legal(jax.vmap(past)(x)[0], legal), axis=1).astype(jnp.int32)

        shares = (self.config.past_selves, count // self.config.past_selves)
        x, legal = (y[first : first + count].reshape(*shares, -1) for y in (x, legal))
        found = jax.vmap(likeliest)(state.past, x, legal).reshape(-1)
        return lax.dynamic_update_slice(moves, found, (first,))

    def _with_latest(self, state: PolicyState, rollouts: Array, learned: Array) -> PolicyNet | ActionNet | None:
        """The past selves after so many rollouts: the oldest but the first makes way for the net as it is."""
        config = self.config
        due = learned & (rollouts % config.past_every == 0) & (config.past_selves > 1)
        place = 1 + (rollouts // config.past_every - 1) % max(config.past_selves - 1, 1)
        here = (jnp.arange(config.past_selves) == place) & due
        past: PolicyNet | ActionNet | None = jax.tree.map(
            lambda old, new: jnp.where(here.reshape(-1, *(1,) * new.ndim), new, old), state.past, state.net
        )
        return past

    def _met_past(self, results: Array, done: Array) -> Means:
        """How many of the decided games against past selves were won, and of those against the first of them."""
        lane = jnp.arange(len(done)) - self._against
        decided = done & (results != 0) & (lane >= 0)
        share = self._against_past // self.config.past_selves
        return {
            "won_past": Mean.of(results > 0, decided & (lane < self._against_past)),
            "won_first": Mean.of(results > 0, decided & (lane < share)),
        }

    def _sees(self, view: S) -> Array:
        return sees(self.game, view, insightful=self.config.insight, kind=self.config.net)

    def _one_move(self) -> Rollout:
        s, none = self.game.init(jax.random.key(0)), jnp.float32(0)
        return Rollout(s, self._sees(s), jnp.int32(0), none, none, s, jnp.bool_(False), jnp.bool_(False))
