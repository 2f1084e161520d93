"""The actor-critic of the thesis on Okey: one actor draws, one discards, and a critic judges both.

Source. I. Uygun, "Playing the Turkish tile game Okey with deep reinforcement learning", 2019, chapter 3. The learner
has one seat and meets an opponent at all others. A transition goes from one of its discards to the next: x is the hand
of 15 from which it throws a tile, r what the discard and the draw after it are paid, x' the hand of 15 that follows.

    y = r + gamma V(x')                       (y = r if the game ended)         td-target, section 3.2
    delta = y - V(x)                                                            td-error
    critic     (y - V(x))^2
    discard    -delta log pi(tile | x)
    draw       -delta log pi(source | what was seen before the draw in between)

At the end of an episode there is one update from its transitions, and with a replay (section 3.4) so many `updates` of
the discard actor and the critic, from transitions of any age. docs/learners/okey-actor-critic.md says where the thesis
is silent, and how B games side by side have as many samples each as in the thesis, which is B = 1.

Shapes: `B = num_envs`, `F` and `D` inputs of the discard and the draw actor, `P` seats.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import lax

from ludens.core.game import Game
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.learning.okey_transitions import OkeyActed, OkeyMemory, OkeyTransition, WithDraw, after, no_memory
from ludens.learning.opponents import Opponents, seated
from ludens.learning.pending import Played
from ludens.nets.mlp import MLP, fan_in
from ludens.players import okey_actors as two_actors
from ludens.players.okey_actors import LAYERS, Actors, TwoActors, actors
from ludens.players.rewards import reward
from ludens.returns import replay
from ludens.returns.policy_gradient import entropy
from ludens.returns.replay import Ranked, Replay
from ludens.returns.td import td_error

LONGEST = 256
"""Own turns of an episode that are remembered. Even if the learner only ever takes what the opponent has thrown, who
draws from the centre every second time, an episode to the last tile has 152 on average with a deviation of 12."""
BLOCK = 32  # transitions of an episode that go through the nets at once, at least


@dataclass(frozen=True)
class OkeyActorCriticConfig(Config):
    """What it can be told; the thesis's values, and ours where it has none."""

    episodes: int = setting(100_000, "Episodes to train.", least=1)
    num_envs: int = setting(1, "B: games played side by side.", least=1)
    opponents: str = setting("thesis", "Who plays all other seats: one spec.")
    greedy: bool = setting(False, "Choose the likeliest act while training, instead of drawing one.")
    replay: str = setting("none", "What is replayed; `top` is the thesis's.", choices=("none", "top", "proportional"))
    buffer_size: int = setting(20_000, "Transitions that the replay holds, for each of the B games.", least=2)
    batch_size: int = setting(64, "Transitions in an update from the replay, for each of the B games.", least=1)
    updates: int = setting(100, "Updates from the replay after every B episodes.", least=1)
    alpha: float = setting(0.6, "Exponent of priorities in a proportional replay (Schaul et al.).", least=0)
    beta: float = setting(0.4, "Exponent of importance weights there (Schaul et al.).", least=0)
    update_priorities: bool = setting(False, "Renew priorities at replay; in the thesis they stay as stored.")
    reward: str = setting(
        "paper", "`paper` (section 3.1), or `sparse`: +100 or -100 at the end.", choices=("paper", "sparse")
    )
    gamma: float = setting(0.99, "Discount for each own turn.", least=0, most=1)
    draw_hidden: int = setting(512, "Hidden units of the draw actor.", least=1)
    hidden: int = setting(128, "Units of each of three hidden layers of discard actor and critic; ours.", least=1)
    actor_learning_rate: float = setting(1e-4, "Of Adam for both actors; ours.", least=0)
    critic_learning_rate: float = setting(1e-3, "Of Adam for the critic; ours.", least=0)
    discards: bool = setting(False, "Whether all nets see all discards (chapter 5).")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.buffer_size < self.batch_size:
            raise ValueError(f"buffer_size is {self.buffer_size}: expected {self.batch_size} or more, as batch_size")


class OkeyNets(NamedTuple):
    """The nets, or something for each of them."""

    draw: Any
    discard: Any
    critic: Any


class ActorCriticState(NamedTuple):
    nets: OkeyNets
    optimizers: OkeyNets
    recent: Replay  # `WithDraw` since the last update
    replay: Replay | None  # `OkeyTransition` with priorities; None if there is none
    owed: Array  # games finished since the last updates from the replay, `int32[]`


@dataclass(frozen=True)
class OkeyActorCritic(Learner[Any]):
    name: ClassVar[str] = "okey-actor-critic"
    config_type: ClassVar[type[Config]] = OkeyActorCriticConfig
    games: ClassVar[tuple[str, ...]] = TwoActors.games
    one_seed_at_a_time: ClassVar[bool] = True  # under a `vmap` it would train after every move

    game: Any  # Okey, which this room does not name
    config: OkeyActorCriticConfig

    def __post_init__(self) -> None:
        if len(self._opponents.levels) != 1:
            raise ValueError(f"opponents is '{self.config.opponents}': expected one spec, such as thesis")

    @classmethod
    def learns(cls, game: Game[Any]) -> bool:
        """Single deals of Okey: an episode is a deal."""
        return super().learns(game) and not getattr(game, "match", 0)

    def init(self, key: Key) -> ActorCriticState:
        first, second = jax.random.split(key)
        sizes = [two_actors.inputs(self.game, discards=self.config.discards)[1], *(self.config.hidden,) * LAYERS, 1]
        nets = OkeyNets(
            *actors(first, self.game, **self._shape), MLP.create(second, sizes, draw=fan_in, hidden=jax.nn.relu)
        )
        memory, lanes = self.init_memory(), self.config.num_envs
        x, action = memory.pending.decision
        item = OkeyTransition(x, action, jnp.float32(0), x, jnp.bool_(False))
        return ActorCriticState(
            nets=nets,
            optimizers=OkeyNets(*(adam.init(net) for adam, net in zip(self._adams, nets, strict=True))),
            recent=replay.empty(WithDraw(item, memory.draw), LONGEST * lanes),
            replay=None
            if self.config.replay == "none"
            else replay.empty(Ranked(item, jnp.float32(0)), self.config.buffer_size * lanes),
            owed=jnp.int32(0),
        )

    def init_memory(self) -> OkeyMemory:
        return no_memory(*two_actors.inputs(self.game, discards=self.config.discards))

    def act(
        self, state: ActorCriticState, memory: OkeyMemory, views: Any, keys: Key, clock: Clock
    ) -> tuple[Array, OkeyActed]:
        """What the actor whose turn it is chooses, or the opponent."""
        game, greedy, table = self.game, self.config.greedy, self.config.discards
        seats = seated(memory.seat, keys, game.num_players)
        own = seats == jax.vmap(game.player)(views)
        draws, throws = own & jax.vmap(two_actors.draws)(views), own & jax.vmap(two_actors.throws)(views)
        drawing = jax.vmap(lambda s: two_actors.drawing(game, s, discards=table))(views)
        throwing = jax.vmap(lambda s: two_actors.discarding(game, s, discards=table))(views)

        def ask(net: MLP, x: Array) -> tuple[Array, Array]:
            """Outputs chosen, `int32[B]`, and the entropy, `float32[B]`."""
            logits = jax.vmap(net)(x)
            chosen = jax.vmap(lambda each, key: two_actors.choose(each, key, greedy=greedy))(logits, keys)
            return chosen, entropy(jax.nn.log_softmax(logits))

        def rest(net: MLP, x: Array) -> tuple[Array, Array]:
            return jnp.zeros(len(x), jnp.int32), jnp.zeros(len(x))

        output, _ = lax.cond(draws.any(), ask, rest, state.nets.draw, drawing)
        place, undecided = lax.cond(throws.any(), ask, rest, state.nets.discard, throwing)
        answers = self._opponents.act(jnp.int32(0), views, keys, ~own)
        thrown = jax.vmap(two_actors.thrown)(views, place)
        action = jnp.where(draws, two_actors.source(output), jnp.where(throws, thrown, answers))
        discard, draw = (
            Played(x.astype(jnp.int8), chosen.astype(jnp.int8)) for x, chosen in ((throwing, place), (drawing, output))
        )
        return action, OkeyActed(seats, draws, throws, discard, draw, undecided)

    def update(
        self, state: ActorCriticState, memory: OkeyMemory, turn: Turn[Any], key: Key, clock: Clock
    ) -> tuple[ActorCriticState, OkeyMemory, Means]:
        """Remember the transitions that this turn completed; learn if it ended a game."""
        did: OkeyActed = turn.extra
        points = lax.cond((did.draws | did.throws).any(), self._points, lambda _: jnp.zeros(len(turn.done)), turn)
        won = jnp.sign(jnp.take_along_axis(turn.returns, did.seat[:, None], axis=1)[:, 0])
        on_the_way = self.config.reward == "paper"
        # In units of the largest reward, which for the sparse one is the result itself.
        reward, result = (points / self._unit, 0 * won) if on_the_way else (0 * points, won)
        memory, lived, complete = after(memory, did, turn.done, points, reward, result)
        state = state._replace(recent=replay.add(state.recent, lived, complete))
        if state.replay is not None:
            priority = lax.cond(
                complete.any(),
                lambda: jnp.abs(target_and_error(state.nets.critic, lived.transition, self.config.gamma)[1]),
                lambda: jnp.zeros(len(complete)),
            )
            state = state._replace(replay=replay.add(state.replay, Ranked(lived.transition, priority), complete))
        state, metrics = self._look_back(state, turn.done.any())
        if state.replay is not None:
            state, replayed = self._replay(state, turn.done.sum(dtype=jnp.int32), key)
            metrics |= replayed
        metrics |= {
            "won": Mean.of(won > 0, turn.done),
            "drawn": Mean.of(won == 0, turn.done),
            "lost": Mean.of(won < 0, turn.done),
            "draw_reward": Mean.of(memory.paid[:, 0], turn.done),
            "discard_reward": Mean.of(memory.paid[:, 1], turn.done),
            "turns": Mean.of(memory.turns, turn.done),
            "free": Mean.of(points > 0, did.throws),
            "place": Mean.of(did.discard.action, did.throws),
            "entropy": Mean.of(did.entropy, did.throws),
        }
        return state, memory, metrics

    def params(self, state: ActorCriticState) -> Actors:
        return Actors(state.nets.draw, state.nets.discard)

    def agent(self) -> dict[str, Any]:
        return {"kind": TwoActors.kind, **self._shape, "sample": False}

    @property
    def _shape(self) -> dict[str, Any]:
        config = self.config
        return {"draw_hidden": config.draw_hidden, "hidden": config.hidden, "discards": config.discards}

    @property
    def _opponents(self) -> Opponents[Any]:
        return Opponents.named(self.config.opponents, self.game)

    @property
    def _adams(self) -> OkeyNets:
        actor, critic = optax.adam(self.config.actor_learning_rate), optax.adam(self.config.critic_learning_rate)
        return OkeyNets(actor, actor, critic)

    @property
    def _unit(self) -> float:
        """The largest reward, in points: what the nets count in."""
        return reward(self.config.reward, self.game).most

    def _points(self, turn: Turn[Any]) -> Array:
        """What section 3.1 pays the movers, `float32[B]`."""
        return jax.vmap(reward("paper", self.game).earned)(turn.s, turn.action, turn.t).sum(axis=1)

    def _look_back(self, state: ActorCriticState, ended: Array) -> tuple[ActorCriticState, Means]:
        """If a game has `ended` (`bool[]`), one update of all nets from what was lived through since the last one."""
        recent, config, block = state.recent, self.config, max(BLOCK, self.config.num_envs)
        blocks = -(-recent.size // block)

        def grads_of(nets: OkeyNets, number: Array) -> tuple[OkeyNets, Array]:
            """Gradients and metrics `float32[3]` of a block."""
            rows = number * block + jnp.arange(block)
            lived: WithDraw = replay.take(recent, jnp.minimum(rows, LONGEST * config.num_envs - 1))
            weights = (rows < recent.size) / recent.size
            y, error = target_and_error(nets.critic, lived.transition, config.gamma)

            def loss(nets: OkeyNets) -> tuple[Array, Array]:
                discard, critic = losses(nets, lived.transition, y, error, weights)
                draw = actor_loss(nets.draw, *lived.draw, weights * error)
                return discard + critic + draw, jnp.stack(
                    [discard, critic, self._unit * (weights * jnp.abs(error)).sum()]
                )

            grads, metrics = jax.grad(loss, has_aux=True)(nets)
            return grads, metrics

        def learn(_: Array, carry: tuple[OkeyNets, OkeyNets, Array]) -> tuple[OkeyNets, OkeyNets, Array]:
            nets, optimizers, _ = carry
            none = (jax.tree.map(jnp.zeros_like, nets), jnp.zeros(3))
            total, metrics = lax.fori_loop(
                0, blocks, lambda number, sums: jax.tree.map(jnp.add, sums, grads_of(nets, number)), none
            )
            return *self._descend(nets, optimizers, total), metrics

        # A loop of at most one round, not a conditional: what a loop carries is changed in place and never copied.
        due = (ended & (recent.size > 0)).astype(jnp.int32)
        nets, optimizers, metrics = lax.fori_loop(0, due, learn, (state.nets, state.optimizers, jnp.zeros(3)))
        fresh = Replay(recent.items, jnp.where(ended, 0, recent.head), jnp.where(ended, 0, recent.size))
        state = state._replace(nets=nets, optimizers=optimizers, recent=fresh)
        return state, _means(("actor_loss", "critic_loss", "td_error"), metrics, due)

    def _replay(self, state: ActorCriticState, ended: Array, key: Key) -> tuple[ActorCriticState, Means]:
        """After every B finished games, of which `ended` (`int32[]`) are new, the updates from the replay."""
        ring, config, lanes = state.replay, self.config, self.config.num_envs
        assert ring is not None
        n, capacity = config.batch_size * lanes, config.buffer_size * lanes
        due = (state.owed + ended >= lanes) & (ring.size > 0)

        def prepared(ring: Replay) -> Any:
            """What choosing needs, as far as it depends on priorities only."""
            return replay.top(ring, n) if config.replay == "top" else replay.lots(ring, config.alpha)

        def chosen(ready: Array, number: Array) -> tuple[Array, Array]:
            """Slots `int32[n]` and weights `float32[n]` for an update."""
            if config.replay == "top":
                return ready, jnp.ones(n)
            return replay.draw(ready, ring.size, jax.random.fold_in(key, number), n, beta=config.beta)

        def update(
            number: Array, carry: tuple[OkeyNets, OkeyNets, Array, Array]
        ) -> tuple[OkeyNets, OkeyNets, Array, Array]:
            nets, optimizers, priorities, metrics = carry
            now = ring._replace(items=ring.items._replace(priority=priorities))
            slots, weights = chosen(prepared(now) if config.update_priorities else ready, number)
            rows: OkeyTransition = replay.take(ring, slots).item
            y, error = target_and_error(nets.critic, rows, config.gamma)
            weights = weights / n

            def loss(nets: OkeyNets) -> Array:
                return sum(losses(nets, rows, y, error, weights), start=jnp.float32(0))

            nets, optimizers = self._descend(nets, optimizers, jax.grad(loss)(nets), drawing=False)
            if config.update_priorities:
                priorities = replay.renew(now, slots, jnp.abs(error)).items.priority
            age = ((ring.head - 1 - slots) % capacity) / capacity
            return nets, optimizers, priorities, metrics + jnp.stack([self._unit * jnp.abs(error).mean(), age.mean()])

        nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(prepared, ring))
        ready = nothing if config.update_priorities else lax.cond(due, prepared, lambda _: nothing, ring)
        rounds = jnp.where(due, config.updates, 0)
        first = (state.nets, state.optimizers, ring.items.priority, jnp.zeros(2))
        nets, optimizers, priorities, metrics = lax.fori_loop(0, rounds, update, first)
        state = state._replace(
            nets=nets,
            optimizers=optimizers,
            replay=ring._replace(items=ring.items._replace(priority=priorities)),
            owed=state.owed + ended - jnp.where(due, lanes, 0),
        )
        return state, _means(("replay_error", "replay_age"), metrics, rounds)

    def _descend(
        self, nets: OkeyNets, optimizers: OkeyNets, grads: OkeyNets, *, drawing: bool = True
    ) -> tuple[OkeyNets, OkeyNets]:
        """One step of Adam; the draw actor only takes part where `drawing` was learned, too."""
        part = OkeyNets._fields if drawing else OkeyNets._fields[1:]
        for name in part:
            net, optimizer = getattr(nets, name), getattr(optimizers, name)
            updates, optimizer = getattr(self._adams, name).update(getattr(grads, name), optimizer)
            nets = nets._replace(**{name: optax.apply_updates(net, updates)})
            optimizers = optimizers._replace(**{name: optimizer})
        return nets, optimizers


def _means(names: tuple[str, ...], totals: Array, number: Array) -> Means:
    return {name: Mean(total, number.astype(jnp.float32)) for name, total in zip(names, totals, strict=True)}


# ---------------------------------------------------------------------- the equations of section 3.2, everything `[N]`


def target_and_error(critic: MLP, rows: OkeyTransition, gamma: float) -> tuple[Array, Array]:
    """y = r + gamma V(x'), y = r if the game ended, and delta = y - V(x), `float32[N]` each."""
    value, next_value = (jax.vmap(critic)(x.astype(jnp.float32))[:, 0] for x in (rows.x, rows.next_x))
    next_value = jnp.where(rows.done, 0, next_value)
    y = td_error(rows.reward, gamma, next_value, jnp.zeros_like(value))
    return y, y - value


def losses(nets: OkeyNets, rows: OkeyTransition, y: Array, error: Array, weights: Array) -> tuple[Array, Array]:
    """Of the discard actor and of the critic, (y - V(x))^2: sums by `weights` `float32[N]`; padding costs nothing."""
    value = jax.vmap(nets.critic)(rows.x.astype(jnp.float32))[:, 0]
    return actor_loss(nets.discard, rows.x, rows.action, weights * error), (weights * (y - value) ** 2).sum()


def actor_loss(actor: MLP, x: Array, action: Array, error: Array) -> Array:
    """- sum delta log pi(a | x), `float32[]`; x `int8[N, in]`, a `int8[N]` (below 0: nothing), delta `float32[N]`."""
    log_probs = jax.nn.log_softmax(jax.vmap(actor)(x.astype(jnp.float32)))
    log_prob = jnp.where(jnp.arange(log_probs.shape[1]) == action[:, None], log_probs, 0).sum(axis=1)
    return -(error * log_prob).sum()
