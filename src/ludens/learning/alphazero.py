"""AlphaZero: a net learns to say at once what a search led by it finds out (Silver et al. 2018).

In every position a search with the net as judge (`search/mcts.py: gumbel_search`) gives an improved policy and a value.
A move is played by it; the net learns the policy, as the position's worth a mixture of the game's result and the
search's value, and to foresee the final position. Every `num_steps` moves of all games are a window. Where a game is
not over at the end of a window, the last search's value stands for its result. The net learns from the latest
`replay_windows` windows.

Positions are learned as they are or under one of the game's symmetries, drawn anew each time. Where fate acts, the net
also learns what the position between an act and the throw after it is worth, so that a search can ask about it.

Some games begin with random moves, so that the net knows more of the game than what it would play itself. Positions
before a random move did not lead to the result: they are worth what the search says.

Shapes: `B = num_envs` games, `T = num_steps`, `W` windows, `N` positions of a batch, `A` actions, `P` seats.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import lax

from ludens.core.game import S, random_action, where
from ludens.core.settings import setting
from ludens.core.types import Array, Key
from ludens.learning.learner import Clock, Config, Learner, Mean, Means, Turn
from ludens.nets.residual import ResidualNet
from ludens.players.policy_net import ResidualPlayer, among_legal
from ludens.returns.exploration import linear
from ludens.returns.policy_gradient import entropy
from ludens.search.mcts import gumbel_search, movers_view

UNDRAWN = -1
METRICS = ("policy_loss", "value_loss", "final_loss", "entropy")


@dataclass(frozen=True)
class AlphaZeroConfig(Config):
    episodes: int = setting(100_000, "Games to train; the learning rate falls over them.", least=1)
    num_envs: int = setting(256, "B: games played side by side.", least=1)
    num_steps: int = setting(32, "T: moves in each game between two rounds of learning, a window.", least=1)
    simulations: int = setting(32, "Positions looked at for one move.", least=2)
    considered: int = setting(16, "Actions looked into at the root of a search, at most.", least=2)
    blocks: int = setting(4, "Residual blocks of the net.", least=0)
    channels: int = setting(64, "Channels of each block; units where there is no board.", least=1)
    batch_size: int = setting(1024, "Positions in one step of gradient descent.", least=1)
    passes: float = setting(2.0, "Times that each position is learned from, on average.", least=0)
    replay_windows: int = setting(4, "W: latest windows that are learned from.", least=1)
    learning_rate: float = setting(2e-3, "Of Adam at first; annealed linearly to a hundredth.", least=0)
    weight_decay: float = setting(1e-4, "Share of each weight taken away by a step, times the learning rate.", least=0)
    max_grad_norm: float = setting(1.0, "Gradients longer than this are scaled down to it.", least=0)
    result_weight: float = setting(
        0.85, "Weight of the result in the value target; the rest is the search's.", least=0, most=1
    )
    final_coef: float = setting(1.0, "Weight of foreseeing the final position in the loss.", least=0)
    random_plies: int = setting(0, "A game begins with up to so many random moves.", least=0)


class Window(NamedTuple):
    """What was played, everything `[T, B]`."""

    s: Any  # where, as the mover saw it
    action: Array
    policy: Array  # the search's, `float16[T, B, A]`
    value: Array  # the search's
    done: Array  # whether the move ended the game
    returns: Array  # its results then, `float32[T, B, P]`
    random_move: Array  # whether the move was drawn at random
    t: Any  # where the move led to


class Samples(NamedTuple):
    """Positions to learn from, everything `[..., N]`."""

    s: Any
    action: Array
    policy: Array
    target: Array  # what the position turned out to be worth to its mover
    final: Any  # where the game ended, as far as that is known
    ended: Array  # whether it is


class AlphaZeroState(NamedTuple):
    net: ResidualNet
    optimizer: Any
    window: Window
    replay: Samples  # `[W, T B]`


@dataclass(frozen=True)
class AlphaZero(Learner[S]):
    name: ClassVar[str] = "alphazero"
    config_type: ClassVar[type[Config]] = AlphaZeroConfig
    one_seed_at_a_time: ClassVar[bool] = True

    config: AlphaZeroConfig

    def __post_init__(self) -> None:
        if self.config.batch_size % self.devices:
            said = f"batch_size is {self.config.batch_size} on {self.devices} devices"
            raise ValueError(f"{said}: expected a multiple of their number")

    def init(self, key: Key) -> AlphaZeroState:
        config = self.config
        net = self._agent.create(key)
        window = jax.tree.map(
            lambda x: jnp.zeros((config.num_steps, config.num_envs, *x.shape), x.dtype), jax.eval_shape(self._one_move)
        )
        samples = jax.eval_shape(lambda: self._samples(window))
        replay = jax.tree.map(lambda x: jnp.zeros((config.replay_windows, *x.shape), x.dtype), samples)
        return AlphaZeroState(net, self.optimizer.init(net), window, replay)

    @property
    def lane_axes(self) -> AlphaZeroState:
        return AlphaZeroState(net=-1, optimizer=-1, window=1, replay=1)  # type: ignore[arg-type]  # a prefix

    def init_memory(self) -> Array:
        """How many random moves are left, which is yet to be drawn."""
        return jnp.asarray(UNDRAWN, jnp.int32)

    def act(self, state: AlphaZeroState, memory: Array, views: S, keys: Key, clock: Clock) -> tuple[Array, Any]:
        think, chance, pick = jax.vmap(lambda key: jax.random.split(key, 3), out_axes=1)(keys)
        found = gumbel_search(
            self.game.one_deal,
            movers_view(self.game, lambda net, s: net(self.game.observe(s))),
            state.net,
            think,
            views,
            simulations=self.config.simulations,
            considered=self.config.considered,
        )
        most = self.config.random_plies + 1
        drawn = jax.vmap(lambda key: jax.random.randint(key, (), 0, most))(chance)
        left = jnp.where(memory == UNDRAWN, drawn, memory)
        random_move = jax.vmap(lambda s, key: random_action(self.game, s, key))(views, pick)
        action = jnp.where(left > 0, random_move, found.action)
        return action, (found.policy.astype(jnp.float16), found.value, left)

    def update(
        self, state: AlphaZeroState, memory: Array, turn: Turn[S], key: Key, clock: Clock
    ) -> tuple[AlphaZeroState, Array, Means]:
        """Record the moves, and learn when the window is full."""
        policy, value, left = turn.extra
        played = Window(turn.s, turn.action, policy, value, turn.done, turn.returns, left > 0, turn.t)
        at = clock.steps % self.config.num_steps
        window: Window = jax.tree.map(
            lambda whole, new: lax.dynamic_update_index_in_dim(whole, new.astype(whole.dtype), at, 0),
            state.window,
            played,
        )
        state = state._replace(window=window)
        full = at == self.config.num_steps - 1
        state, metrics = lax.cond(full, self._learn, self._wait, state, key, clock)
        decisive = Mean.of((turn.returns != 0).any(axis=1).astype(jnp.float32), turn.done)
        return state, jnp.maximum(left - 1, 0), metrics | {"decisive": decisive}

    def params(self, state: AlphaZeroState) -> ResidualNet:
        return state.net

    def agent(self) -> dict[str, Any]:
        return {"kind": ResidualPlayer.kind, "blocks": self.config.blocks, "channels": self.config.channels}

    @property
    def optimizer(self) -> optax.GradientTransformation:
        """Adam with weight decay for a gradient of bounded norm; the learning rate is the caller's."""
        return optax.chain(
            optax.clip_by_global_norm(self.config.max_grad_norm),
            optax.scale_by_adam(),
            optax.add_decayed_weights(self.config.weight_decay),
        )

    def loss(self, net: ResidualNet, batch: Samples) -> tuple[Array, tuple[Array, ...]]:
        """Cross-entropy of the policy + squared errors of the value and the final position; and what is measured."""
        logits, values, finals = jax.vmap(lambda s: net.and_final(self.game.observe(s)))(batch.s)
        legal = jax.vmap(self.game.legal)(batch.s)
        log_probs = among_legal(logits, legal)
        policy_loss = -jnp.where(legal, batch.policy.astype(jnp.float32) * log_probs, 0.0).sum(axis=1).mean()
        errors = (values - batch.target) ** 2
        if self._waits_for_fate:
            errors = (errors + self._error_after(net, batch)) / 2
        value_loss = errors.mean()
        seen = jax.vmap(lambda s, t: self.game.observe(t, self.game.player(s)))(batch.s, batch.final)
        surprise = ((finals - seen) ** 2).reshape(len(values), -1).mean(axis=1)
        final_loss = jnp.where(batch.ended, surprise, 0.0).mean()
        whole = policy_loss + value_loss + self.config.final_coef * final_loss
        return whole, (policy_loss, value_loss, final_loss, entropy(log_probs, legal).mean())

    def _error_after(self, net: ResidualNet, batch: Samples) -> Array:
        """Squared error for the positions between the acts and what fate does next, `float32[N]`."""

        def one(s: S, action: Array, target: Array) -> Array:
            t = self.game.apply(s, action)
            same = self.game.side(self.game.player(s)) == self.game.side(self.game.player(t))
            value = net(self.game.observe(t))[1]
            return jnp.where(self.game.done(t), 0.0, (value - jnp.where(same, target, -target)) ** 2)

        errors: Array = jax.vmap(one)(batch.s, batch.action, batch.target)
        return errors

    def _learn(self, state: AlphaZeroState, key: Key, clock: Clock) -> tuple[AlphaZeroState, Means]:
        """Put the window among the latest, and learn from positions drawn from these."""
        config = self.config
        number = clock.steps // config.num_steps
        replay: Samples = jax.tree.map(
            lambda whole, new: lax.dynamic_update_index_in_dim(whole, new, number % config.replay_windows, 0),
            state.replay,
            self._samples(state.window),
        )
        size = config.num_steps * config.num_envs
        known = jnp.minimum(number + 1, config.replay_windows) * size
        rate = linear(config.learning_rate, 0.01 * config.learning_rate, clock.games / config.episodes)
        rows: Samples = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), replay)

        def descend(carry: tuple[ResidualNet, Any], key: Key) -> tuple[tuple[ResidualNet, Any], Array]:
            net, optimizer = carry
            draw, turn = jax.random.split(key)
            chosen = jax.random.randint(draw, (config.batch_size // self.devices,), 0, known)
            batch = self._turned(jax.tree.map(lambda x: x[chosen], rows), turn)
            (_, losses), grads = jax.value_and_grad(self.loss, has_aux=True)(net, batch)
            grads = self.mean_over_devices(grads)
            updates, optimizer = self.optimizer.update(grads, optimizer, net)
            return (jax.tree.map(lambda w, update: w - rate * update, net, updates), optimizer), jnp.stack(losses)

        steps = max(1, round(config.passes * size * self.devices / config.batch_size))
        carry, losses = lax.scan(descend, (state.net, state.optimizer), jax.random.split(key, steps))
        metrics = dict(zip(METRICS, map(Mean.of, losses.T), strict=True))
        return AlphaZeroState(*carry, state.window, replay), metrics

    def _wait(self, state: AlphaZeroState, key: Key, clock: Clock) -> tuple[AlphaZeroState, Means]:
        """As `_learn`, but nothing is learned."""
        none = Mean(jnp.float32(0), jnp.float32(0))
        return state, dict.fromkeys(METRICS, none)

    def _samples(self, window: Window) -> Samples:
        """What a full window teaches, in a row: `[T B]`."""
        movers = jax.vmap(jax.vmap(self.game.player))(window.s)

        def back(later: Any, step: tuple[Window, Array]) -> tuple[Any, tuple[Array, Any, Array]]:
            """From move to move towards the first: the game's results for the seats `float32[P]`, whether play led
            there, how it ended and whether that is known."""
            (results, straight, final, ended), (move, mover) = later, step
            results = jnp.where(move.done, move.returns, results)
            straight = (straight | move.done) & ~move.random_move
            final, ended = where(move.done, (move.t, move.done), (final, ended))
            weight = jnp.where(straight, self.config.result_weight, 0.0)
            target = weight * results[mover] + (1 - weight) * move.value
            return (results, straight, final, ended), (target, final, ended & straight)

        def one_game(window: Window, movers: Array) -> tuple[Array, Any, Array]:
            seats = jnp.arange(self.game.num_players)
            mine = jax.vmap(self.game.side)(seats) == self.game.side(movers[-1])
            last = jax.tree.map(lambda x: x[-1], window.t)
            start = jnp.where(mine, window.value[-1], -window.value[-1]), jnp.bool_(True), last, jnp.bool_(False)
            found: tuple[Array, Any, Array] = lax.scan(back, start, (window, movers), reverse=True)[1]
            return found

        target, final, ended = jax.vmap(one_game, in_axes=1, out_axes=1)(window, movers)
        samples = Samples(window.s, window.action, window.policy, target, final, ended)
        flat: Samples = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), samples)
        return flat

    def _turned(self, batch: Samples, key: Key) -> Samples:
        """Each position under a symmetry of its own."""
        game = self.game
        if game.symmetries == 1:
            return batch

        def one(samples: Samples, k: Array) -> Samples:
            s = samples.s
            goes_to = jax.vmap(lambda a: game.transform_action(s, a, k))(jnp.arange(game.num_actions))
            return samples._replace(
                s=game.transform(s, k),
                action=goes_to[samples.action],
                policy=jnp.zeros_like(samples.policy).at[goes_to].add(samples.policy),
                final=game.transform(samples.final, k),
            )

        turned: Samples = jax.vmap(one)(batch, jax.random.randint(key, batch.action.shape, 0, game.symmetries))
        return turned

    @property
    def _agent(self) -> ResidualPlayer[S]:
        return ResidualPlayer(self.game, lambda shapes: None, self.config.blocks, self.config.channels)

    @property
    def _waits_for_fate(self) -> bool:
        return self.game.num_chance > 0 and not self.game.hidden

    def _one_move(self) -> Window:
        s, none = self.game.init(jax.random.key(0)), jnp.float32(0)
        policy = jnp.zeros(self.game.num_actions, jnp.float16)
        returns = jnp.zeros(self.game.num_players, jnp.float32)
        return Window(s, jnp.int32(0), policy, none, jnp.bool_(False), returns, jnp.bool_(False), s)
