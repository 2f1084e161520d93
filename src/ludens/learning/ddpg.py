"""DDPG (Lillicrap et al. 2015) for Onitama, as in the report on it, chapters 3 to 5.

An actor gives each of the 40 actions a probability; a critic says what a state and an action are worth; both have slow
copies, their targets. Every transition of a seat (`pending.py`) goes into a replay, and batches drawn from it move
critic, actor and targets (`ddpg_update.py`). The reward is +1 for a won game, -1 for a lost one, and 0 on the way. What
the last turns of a game led to that was cut short is not known: they are not learned from.

Moves are drawn from the actor's output, masked by what is valid: that is all the exploring there is. Opponents are met
in a curriculum (section 5.6). docs/learners/ddpg.md says where the report is silent, and what we chose.

Shapes: `B = num_envs`, `P` seats, `A` actions as the encoding numbers them, `N = batch_size`, `W` words.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ludens.core.game import Game, where
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.ddpg_update import CROSS_ENTROPY, MSE, Batch, DDPGNets, Losses, Update
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.learning.opponents import UNSEATED, Curriculum, Opponents, after_games, seated
from ludens.learning.pending import Pending, Played, closed, of_seat
from ludens.nets.onitama_actors import ACTORS, Net, masked
from ludens.players.onitama_actor import ActorPlayer, asked, encoding_of
from ludens.players.onitama_encoding import ENCODINGS, Encoding
from ludens.returns import replay
from ludens.returns.exploration import sample
from ludens.returns.replay import Replay

DEPTHS = " ".join(f"alphabeta:{depth}:result" for depth in (1, 2, 3, 4))
"""The report's minimax, as we read it: it sees a win or a loss within its depth, and nothing else."""
LATEST = 1000  # turns over which the valid rate that freezes half of dual is averaged


@dataclass(frozen=True)
class DDPGConfig(Config):
    """What DDPG can be told. The report gives the games, the opponents, the replay, the batch and tau."""

    episodes: int = setting(10_000, "Games to train.", least=1)
    num_envs: int = setting(1, "B: games played side by side.", least=1)
    actor: str = setting("val_branch_actions", "Which of the eight actors.", choices=tuple(ACTORS))
    opponents: str = setting(
        DEPTHS, "Specs of who plays the other seat, the easiest first; `self`: the actor plays both."
    )
    promote_at: float = setting(0.6, "Win rate at which the learner meets the next opponent.", least=0, most=1)
    window: int = setting(100, "Games over which that win rate is taken.", least=1)
    buffer_size: int = setting(1_000_000, "Transitions that the replay holds.", least=1)
    batch_size: int = setting(512, "N: transitions in an update.", least=1)
    learning_starts: int = setting(1000, "Transitions before the first update.", least=1)
    updates: int = setting(1, "Updates after each step of the loop.", least=1)
    tau: float = setting(0.005, "How far target nets follow with each update.", least=0, most=1)
    gamma: float = setting(0.95, "Discount for each own turn.", least=0, most=1)
    actor_learning_rate: float = setting(3e-4, "Of the actor's Adam.", least=0)
    critic_learning_rate: float = setting(1e-3, "Of the critic's Adam.", least=0)
    validity_loss: str = setting(MSE, "How the validity layer is taught.", choices=(MSE, CROSS_ENTROPY))
    validity_weight: float = setting(1.0, "Weight of the validity loss beside the actor's.", least=0)
    freeze_at: float = setting(0.95, "The valid rate at which dual's half for validity is frozen.", least=0, most=1)
    actions: str = setting("pawn", "Actions are by pawn, 40, or by square, 200.", choices=tuple(ENCODINGS))
    imitation: bool = setting(False, "Whether the opponent's transitions go into the replay too.")

    def __post_init__(self) -> None:
        super().__post_init__()
        least = max(self.learning_starts, 3 * self.num_envs)
        if self.buffer_size < least:
            raise ValueError(f"buffer_size is {self.buffer_size}: expected {least} or more")


class DDPGTransition(NamedTuple):
    """From a turn of a seat to its next one; every number has 32 bits, see `in_words`."""

    s: Any
    action: Array  # as the encoding numbers it, `int32[]`
    reward: Array  # `float32[]`
    next_s: Any  # the next turn; anything if the game is over
    over: Array  # 1 if the game ended before, else 0, `int32[]`


class DDPGMemory(NamedTuple):
    seat: Array  # the learner's, `int32[]`
    pending: Pending  # each seat's last turn: the position, and the action as the encoding numbers it


class DDPGState(NamedTuple):
    nets: DDPGNets
    replay: Replay  # of transitions in words, `uint32[W]`
    curriculum: Curriculum
    valid_rate: Array  # of the latest turns, `float32[]`
    frozen: Array  # whether dual's half for validity is, `bool[]`


class Acted(NamedTuple):
    """What `act` tells `update`, everything `[B]`."""

    seat: Array  # the learner's, `int32[B]`
    action: Array  # what was played, as the encoding numbers it, `int32[B]`
    valid: Array  # the probability that an action drawn without the mask would have been valid, `float32[B]`
    own: Array  # whether the actor decided, and there was something to decide, `bool[B]`


@dataclass(frozen=True)
class DDPG(Learner[Any]):
    name: ClassVar[str] = "ddpg"
    config_type: ClassVar[type[Config]] = DDPGConfig
    games: ClassVar[tuple[str, ...]] = ActorPlayer.games
    one_seed_at_a_time: ClassVar[bool] = True  # opponents: a choice among them under a `vmap` would run them all

    config: DDPGConfig

    def __post_init__(self) -> None:
        encoding_of(self.game, self.config.actions)  # says so where there are more than five cards
        Opponents.named(self.config.opponents, self.game)

    def init(self, key: Key) -> DDPGState:
        words = sum(leaf.size for leaf in jax.tree.leaves(blank(self.game)))
        return DDPGState(
            nets=self._update.init(key, self._encoding.planes, self._encoding.actions),
            replay=replay.empty(jnp.zeros(words, jnp.uint32), self.config.buffer_size),
            curriculum=Curriculum.init(self.config.window, self.config.num_envs),
            valid_rate=jnp.float32(0),
            frozen=jnp.bool_(False),
        )

    def init_memory(self) -> DDPGMemory:
        seats = self.game.num_players
        nowhere = jax.tree.map(lambda x: jnp.zeros((seats, *x.shape), x.dtype), blank(self.game).s)
        pending = Pending(Played(nowhere, jnp.full(seats, -1, jnp.int32)), jnp.zeros(seats))
        return DDPGMemory(jnp.int32(UNSEATED), pending)

    def act(self, state: DDPGState, memory: DDPGMemory, views: Any, keys: Key, clock: Clock) -> tuple[Array, Acted]:
        """Draw moves as the actor has it, or as the opponent decides."""
        encoding = self._encoding
        seats = seated(memory.seat, keys, self.game.num_players)
        own = (seats == jax.vmap(self.game.player)(views)) | (not self._opponents.levels)
        output, valid = asked(encoding, self.config.actor, state.nets.actor, views)
        numbers = sample(masked(output.logits, valid), keys)
        drawn = jax.vmap(encoding.action)(views, numbers)
        answers = self._opponents.act(state.curriculum.level, views, keys, ~own)
        numbers = jnp.where(own, numbers, jax.vmap(encoding.number)(views, answers))
        likely = jnp.where(valid, jax.nn.softmax(output.logits), 0).sum(axis=1)
        return jnp.where(own, drawn, answers), Acted(seats, numbers, likely, own & valid.any(axis=1))

    def update(
        self, state: DDPGState, memory: DDPGMemory, turn: Turn[Any], key: Key, clock: Clock
    ) -> tuple[DDPGState, DDPGMemory, Means]:
        """Put what this turn completed into the replay, and learn from what is there."""
        acted: Acted = turn.extra
        memory, transitions, complete = self._complete(memory, turn)
        valid_rate = _averaged(state.valid_rate, acted.valid, acted.own)
        mine = jnp.take_along_axis(turn.returns, acted.seat[:, None], axis=1)[:, 0]
        curriculum, metrics = after_games(
            state.curriculum,
            mine,
            turn.done,
            promote_at=self.config.promote_at,
            levels=len(self._opponents.levels),
        )
        state = state._replace(
            replay=replay.add(state.replay, in_words(transitions), complete),
            valid_rate=valid_rate,
            frozen=state.frozen | (valid_rate >= self.config.freeze_at),
            curriculum=curriculum,
        )
        state, losses = self._learn(state, key)
        return state, memory, losses | {"valid": Mean.of(acted.valid, acted.own)} | metrics

    def params(self, state: DDPGState) -> Net:
        return state.nets.actor

    def agent(self) -> dict[str, Any]:
        facts = {"actor": self.config.actor, "actions": self.config.actions, "sample": False}
        return {"kind": ActorPlayer.kind} | facts

    def _complete(self, memory: DDPGMemory, turn: Turn[Any]) -> tuple[DDPGMemory, DDPGTransition, Array]:
        """Memories `[B]` after a turn, transitions `[B (1 + P)]`, and which of them are complete and wanted.

        Those of the learner's seat are, and of the other's with `imitation`.
        """
        acted: Acted = turn.extra
        seats = jnp.arange(self.game.num_players)
        mover = seats == jax.vmap(self.game.player)(turn.s)[:, None]  # [B, P]
        wanted = (seats == acted.seat[:, None]) | (self.config.imitation or not self._opponents.levels)
        mine = of_seat(mover, memory.pending)
        before = DDPGTransition(
            mine.decision.x, mine.decision.action, mine.reward, turn.s, jnp.zeros_like(acted.action)
        )
        begun = (mover & wanted & (memory.pending.decision.action >= 0)).any(axis=1)
        pending = memory.pending.follow(mover, Played(turn.s, acted.action), turn.returns)
        s, action = pending.decision
        last = DDPGTransition(s, action, pending.reward, s, jnp.ones_like(action))
        ended = jax.vmap(self.game.done)(turn.t)[:, None] & wanted & (action >= 0)  # [B, P]
        return DDPGMemory(acted.seat, pending), closed(before, last), closed(begun, ended)

    def _learn(self, state: DDPGState, key: Key) -> tuple[DDPGState, Means]:
        """The updates of a step, once there is enough to learn from."""
        ready = state.replay.size >= self.config.learning_starts
        keys = jax.random.split(key, self.config.updates)

        def once(nets: DDPGNets, key: Key) -> tuple[DDPGNets, Losses]:
            words = replay.sample(state.replay, key, self.config.batch_size)
            return self._update(nets, self._batch(from_words(words, blank(self.game))), state.frozen)

        if self.config.updates == 1:
            nets, losses = once(state.nets, keys[0])
            losses = jax.tree.map(lambda x: x[None], losses)
        else:
            nets, losses = lax.scan(once, state.nets, keys)
        nets = where(ready, nets, state.nets)
        counted = jnp.broadcast_to(ready, (self.config.updates,))
        metrics = {f"{name}_loss": Mean.of(loss, counted) for name, loss in losses._asdict().items()}
        return state._replace(nets=nets), metrics

    def _batch(self, drawn: DDPGTransition) -> Batch:
        """Transitions `[N]` as the nets see them."""
        encoding = self._encoding
        both = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), drawn.s, drawn.next_s)
        seen, valid = jax.vmap(encoding.encode)(both), jax.vmap(encoding.valid)(both)
        half = len(drawn.action)
        now, valid_now = jax.tree.map(lambda x: x[:half], (seen, valid))
        then, valid_then = jax.tree.map(lambda x: x[half:], (seen, valid))
        taken = (jnp.arange(encoding.actions) == drawn.action[:, None]) & valid_now  # nothing for a pass
        return Batch(now, valid_now, taken.astype(jnp.float32), drawn.reward, then, valid_then, drawn.over != 0)

    @property
    def _encoding(self) -> Encoding:
        return encoding_of(self.game, self.config.actions)

    @property
    def _opponents(self) -> Opponents[Any]:
        return Opponents.named(self.config.opponents, self.game)

    @property
    def _update(self) -> Update:
        c = self.config
        rates = c.actor_learning_rate, c.critic_learning_rate
        return Update(c.actor, c.gamma, c.tau, *rates, c.validity_loss, c.validity_weight)


def blank(game: Game[Any]) -> DDPGTransition:
    """The shape of a transition, as a pytree of `ShapeDtypeStruct`."""

    def example() -> DDPGTransition:
        s = game.init(jax.random.key(0))
        return DDPGTransition(s, jnp.int32(0), jnp.float32(0), s, jnp.int32(0))

    shape: DDPGTransition = jax.eval_shape(example)
    return shape


def in_words(items: Any) -> Array:
    """A pytree of arrays of 32 bits, `[M, ...]`, side by side: `uint32[M, W]`.

    One array instead of twenty: on an accelerator each would be a kernel of its own, whenever the replay is touched.
    """
    parts = [lax.bitcast_convert_type(x, jnp.uint32).reshape(len(x), -1) for x in jax.tree.leaves(items)]
    return jnp.concatenate(parts, axis=1)


def from_words(words: Array, shapes: Any) -> Any:
    """The reverse of `in_words`, for items of these `shapes`."""
    leaves, tree = jax.tree.flatten(shapes)
    parts = jnp.split(words, np.cumsum([leaf.size for leaf in leaves])[:-1], axis=1)
    found = [
        lax.bitcast_convert_type(part.reshape(len(words), *leaf.shape), leaf.dtype)
        for part, leaf in zip(parts, leaves, strict=True)
    ]
    return jax.tree.unflatten(tree, found)


def _averaged(before: Array, now: Array, counts: Array) -> Array:
    """A running mean after some more turns: `now` `float32[B]`, of which those `bool[B]` count."""
    number = counts.sum()
    mean = jnp.where(counts, now, 0).sum() / jnp.maximum(number, 1)
    return before + jnp.minimum(number / LATEST, 1) * (mean - before)
