"""What policy-gradient learners share: they play some moves in many games, then learn from all of them at once.

A net gives each legal move a probability and each position a value (`players/policy_net.py`). The learner plays all
seats itself, or some games against opponents (`opponents.py`). Every `steps` moves it looks back: the module
`returns/advantages.py` says how much better each decision turned out than its position was valued, and the algorithm
makes such decisions more likely.

Shapes: `B = num_envs`, `T = steps`, `A` actions, `P` seats.
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
from ludens.learning.opponents import SELF, UNSEATED, Curriculum, Opponents, seated
from ludens.learning.policy_lessons import Lesson, Moves, standardized, weighted
from ludens.nets.policy import PolicyNet
from ludens.players.policy_net import PolicyPlayer, among_legal, net, sees
from ludens.players.rewards import NAMES, reward
from ludens.returns.advantages import advantages
from ludens.returns.exploration import sample
from ludens.returns.schedules import linear


@dataclass(frozen=True)
class PolicyConfig(Config):
    """What all of them can be told."""

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
    insight: bool = setting(
        False,
        "Whether the net also sees what the rules say about its choices; in Okey, how close they keep it to a finish.",
    )
    reward: str = setting(
        "result",
        "What is paid: `result`, `paper` (as in the paper), or in Okey `sparse` or `closer` (for coming closer, too).",
        choices=NAMES,
    )
    opponents: str = setting(
        SELF, "Who plays the other seats, the easiest first: specs with blanks between them, or `self`."
    )
    opponent_fraction: float = setting(
        1.0,
        "The fraction of games against `opponents`, if any; in the others the learner plays all seats.",
        least=0,
        most=1,
    )
    promote_at: float = setting(0.6, "Win rate at which the learner meets the next opponent.", least=0, most=1)
    window: int = setting(100, "Games over which that win rate is taken.", least=1)


class PolicyState(NamedTuple):
    """What is carried along."""

    net: PolicyNet
    optimizer: Any
    moves: Moves | None
    """None only while the net learns from them."""
    curriculum: Curriculum


@dataclass(frozen=True)
class PolicyLearner(Learner[S]):
    """Plays, looks back, and learns."""

    config_type: ClassVar[type[Config]] = PolicyConfig
    one_seed_at_a_time: ClassVar[bool] = True  # opponents: a choice among them under a `vmap` would run them all

    config: PolicyConfig

    def __post_init__(self) -> None:
        reward(self.config.reward, self.game)
        jax.eval_shape(self._sees, jax.eval_shape(self.game.init, jax.random.key(0)))
        Opponents.named(self.config.opponents, self.game)

    @abstractmethod
    def learn(self, state: PolicyState, lessons: Lesson, key: Key, rate: Array) -> tuple[PolicyState, Array]:
        """Make what turned out well more likely, with a learning rate of `rate`.

        And the parts of the loss in each of the updates, `float32[U, 3]`.
        """

    def init(self, key: Key) -> PolicyState:
        """A net drawn at random, and nothing played."""
        weights = net(key, self.game, self._hidden, insightful=self.config.insight)
        room = self.config.num_steps, self.config.num_envs
        return PolicyState(
            weights,
            self.optimizer.init(weights),
            jax.tree.map(lambda x: jnp.zeros((*room, *x.shape), x.dtype), jax.eval_shape(self._move)),
            Curriculum.begin(self.config.window, self.config.num_envs),
        )

    def begin(self) -> Array:
        """The learner has no seat yet."""
        return jnp.asarray(UNSEATED, jnp.int32)

    def act(self, state: PolicyState, memory: Array, views: S, keys: Key, clock: Clock) -> tuple[Array, Any]:
        """Draw moves as the net has it, or as the opponent decides."""
        legal = jax.vmap(self.game.legal)(views)
        x = jax.vmap(self._sees)(views)
        logits, values = jax.vmap(state.net)(x)
        chances = among_legal(logits, legal)
        seats = seated(memory, keys, self.game.num_players)
        own = (seats == jax.vmap(self.game.player)(views)) | (jnp.arange(len(seats)) >= self._against)
        drawn = sample(jnp.where(legal, jnp.exp(chances), 0), keys)
        answers = self._answers(state, views, keys, ~own)
        action = jnp.where(own, drawn, answers)
        likelihood = jnp.take_along_axis(chances, action[:, None], axis=1)[:, 0]
        lawful = jnp.where(legal, jax.nn.softmax(logits), 0).sum(axis=1)
        return action, (seats, own, x, likelihood, values, lawful)

    def update(
        self, state: PolicyState, memory: Array, turn: Turn[S], key: Key, clock: Clock
    ) -> tuple[PolicyState, Array, Means]:
        """Record the moves, and look back when there are enough of them."""
        seats, own, x, likelihood, values, lawful = turn.extra
        played = Moves(turn.s, x, turn.action, likelihood, values, turn.t, turn.done, own)
        at = clock.steps % self.config.num_steps
        moves: Moves = jax.tree.map(
            lambda all_of_them, new: lax.dynamic_update_index_in_dim(
                all_of_them, jnp.asarray(new, all_of_them.dtype), at, 0
            ),
            state.moves,
            played,
        )
        mine = jnp.take_along_axis(turn.returns, seats[:, None], axis=1)[:, 0]
        against = jnp.arange(len(seats)) < self._against
        finished = turn.done & against
        curriculum, met = state.curriculum, state.curriculum.level + 1.0
        if self._opponents.levels:
            curriculum = curriculum.after(
                mine > 0, finished, enough=self.config.promote_at, levels=len(self._opponents.levels)
            )
        state = state._replace(moves=moves, curriculum=curriculum)
        learned, figures = lax.cond(
            at == self.config.num_steps - 1,
            lambda: self._look_back(state, key, clock),
            lambda: self._nothing(state, key),
        )
        figures |= {"valid": Mean.of(lawful, own)}
        if self._opponents.levels:
            figures |= {
                "won": Mean.of(mine > 0, finished),
                "drawn": Mean.of(mine == 0, finished),
                "level": Mean.of(jnp.broadcast_to(met, finished.shape), finished),
            }
        return state._replace(net=learned[0], optimizer=learned[1]), seats, figures

    def params(self, state: PolicyState) -> PolicyNet:
        """The net."""
        return state.net

    def agent(self) -> dict[str, Any]:
        """Plays the likeliest move."""
        facts = {"hidden": list(self._hidden), "sample": False, "insight": self.config.insight}
        return {"kind": PolicyPlayer.kind} | facts

    @abstractmethod
    def policy_loss(self, likelihood: Array, advantage: Array, lessons: Lesson) -> Array:
        """What makes good decisions likelier when it falls, `float32[]`: the algorithm's own part of the loss.

        Log-probabilities of what was done, as the net is now, and standardized advantages, `float32[N]` each.
        """

    def loss(self, net: PolicyNet, lessons: Lesson) -> tuple[Array, tuple[Array, Array, Array]]:
        """The whole loss, and its parts: of the policy, of the value, and the entropy."""
        likelihood, value, undecided = self.look(net, lessons)
        policy = self.policy_loss(likelihood, standardized(lessons.advantage, lessons.counts), lessons)
        error = weighted((value - lessons.value - lessons.advantage) ** 2, lessons.counts) / 2
        entropy = weighted(undecided, lessons.counts)
        return policy + self.config.value_coef * error - self.config.entropy_coef * entropy, (policy, error, entropy)

    def improved_by(self, state: PolicyState, lessons: Lesson, rate: Array) -> tuple[PolicyState, Array]:
        """One step of Adam down the slopes of the loss; and the loss's parts, `float32[3]`."""
        (_, parts), slopes = jax.value_and_grad(self.loss, has_aux=True)(state.net, lessons)
        steps, optimizer = self.optimizer.update(slopes, state.optimizer)
        weights = jax.tree.map(lambda w, step: w - rate * step, state.net, steps)
        return state._replace(net=weights, optimizer=optimizer), jnp.stack(parts)

    def look(self, net: PolicyNet, lessons: Lesson) -> tuple[Array, Array, Array]:
        """As the net is now: log-probabilities of what was done `[N]`, values `[N]` and entropies `[N]`."""
        logits, values = jax.vmap(net)(lessons.x)
        chances = among_legal(logits, lessons.legal)
        entropy = -jnp.where(lessons.legal, jnp.exp(chances) * chances, 0).sum(axis=1)
        return jnp.take_along_axis(chances, lessons.action[:, None], axis=1)[:, 0], values, entropy

    @property
    def optimizer(self) -> optax.GradientTransformation:
        """Adam's direction for a gradient of bounded length; the learning rate is the caller's."""
        return optax.chain(optax.clip_by_global_norm(self.config.max_grad_norm), optax.scale_by_adam(eps=1e-5))

    # ------------------------------------------------------------------ looking back

    def _look_back(self, state: PolicyState, key: Key, clock: Clock) -> tuple[tuple[PolicyNet, Any], Means]:
        moves = state.moves
        assert moves is not None
        rate = linear(self.config.learning_rate, 0.0, clock.games / self.config.episodes)
        state, parts = self.learn(state, self._lessons(moves), key, rate)
        figures = dict(zip(("policy_loss", "value_loss", "entropy"), map(Mean.of, parts.T), strict=True))
        return (state.net, state.optimizer), figures

    def _nothing(self, state: PolicyState, key: Key) -> tuple[tuple[PolicyNet, Any], Means]:
        """As `_look_back`, but nothing is learned."""
        figures = jax.eval_shape(lambda: self._look_back(state, key, Clock(jnp.int32(0), jnp.int32(0))))[1]
        none: Means = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), figures)
        return (state.net, state.optimizer), none

    def _lessons(self, moves: Moves) -> Lesson:
        """All that was played, in a row: `[T B]`."""

        def one_game(value: Array, earned: Array, mover: Array, done: Array) -> tuple[Array, Array]:
            return advantages(value, earned, mover, done, gamma=self.config.gamma, decay=self.config.gae_lambda)

        mover = jax.vmap(jax.vmap(self.game.player))(moves.s)
        # Paid for all at once: what an act earns in Okey takes a search, which is as fast for many hands as for a few.
        earned = jax.vmap(jax.vmap(reward(self.config.reward, self.game).earned))(moves.s, moves.action, moves.t)
        found, known = jax.vmap(one_game, in_axes=1, out_axes=1)(moves.value, earned, mover, moves.done)
        counts = (known & moves.own).astype(jnp.float32)
        legal = jax.vmap(jax.vmap(self.game.legal))(moves.s)
        lessons = Lesson(moves.x, legal, moves.action, moves.likelihood, moves.value, found, counts)
        flat: Lesson = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), lessons)
        return flat

    # ------------------------------------------------------------------ helpers

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

    def _sees(self, view: S) -> Array:
        """What the net is fed, `float32[inputs]`."""
        return sees(self.game, view, insightful=self.config.insight)

    def _move(self) -> Moves:
        """One move, for its shapes."""
        s, none = self.game.init(jax.random.key(0)), jnp.float32(0)
        return Moves(s, self._sees(s), jnp.int32(0), none, none, s, jnp.bool_(False), jnp.bool_(False))
