"""One update of DDPG: the equations of the report on Onitama, section 3.2, and the valid mask's loss of section 5.3.

    critic     (y - Q(s, a))^2,  y = r + gamma Q'(s', mu'(s')), and y = r where the game ended
    actor      -Q(s, mu(s)) + w (validity - valid mask)^2
    targets    theta' <- tau theta + (1 - tau) theta'

mu(s) is the actor's output. The critic is shown what can be played of it: masked by the valid mask and made to sum to
one again, as it is when a move is drawn from it. An action that was taken is shown as one 1 among zeros.

Shapes: `N` transitions, `A` actions as the encoding numbers them.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from ludens.core.game import where
from ludens.core.types import Array, Key
from ludens.nets.onitama_actors import Actor, Net, act, create_actor, create_critic, judge, masked
from ludens.players.onitama_encoding import Encoded
from ludens.returns.td import soft_update

MSE, CROSS_ENTROPY = "mse", "cross-entropy"


class Batch(NamedTuple):
    """Transitions as the nets see them, everything `[N]`."""

    s: Encoded
    valid: Array  # the valid mask of `s`, `bool[N, A]`
    taken: Array  # the action taken, `float32[N, A]`: one 1, or none for a pass
    reward: Array  # what came of it before the next own turn, `float32[N]`
    next_s: Encoded  # the next own turn
    next_valid: Array  # `bool[N, A]`
    over: Array  # whether there is none, `bool[N]`


class DDPGNets(NamedTuple):
    actor: Net
    critic: Net
    actor_target: Net
    critic_target: Net
    actor_adam: Any
    critic_adam: Any


class Losses(NamedTuple):
    """Of one update, everything `float32[]`."""

    actor: Array  # -Q(s, mu(s))
    critic: Array
    validity: Array  # not weighted; 0 for an actor without a validity layer


@dataclass(frozen=True)
class Update:
    kind: str  # the actor's, one of `nets.onitama_actors.ACTORS`
    gamma: float
    tau: float
    actor_learning_rate: float
    critic_learning_rate: float
    validity_loss: str  # `mse` or `cross-entropy`
    validity_weight: float

    def init(self, key: Key, planes: int, actions: int) -> DDPGNets:
        """Drawn at random; targets are copies."""
        for_actor, for_critic = jax.random.split(key)
        actor = create_actor(for_actor, self.kind, planes, actions)
        critic = create_critic(for_critic, planes, actions)
        return DDPGNets(
            actor=actor,
            critic=critic,
            actor_target=jax.tree.map(jnp.copy, actor),
            critic_target=jax.tree.map(jnp.copy, critic),
            actor_adam=self._actor_adam.init(actor.weights),
            critic_adam=self._critic_adam.init(critic.weights),
        )

    def __call__(self, nets: DDPGNets, batch: Batch, frozen: Array) -> tuple[DDPGNets, Losses]:
        """Critic, actor, then targets. `frozen` (`bool[]`): whether dual's half for validity stays as it is."""
        y = self.target(nets, batch)
        (critic_loss, averages), grads = jax.value_and_grad(self.critic_loss, has_aux=True)(
            nets.critic.weights, nets.critic.averages, batch, y
        )
        updates, critic_adam = self._critic_adam.update(grads, nets.critic_adam)
        critic = Net(optax.apply_updates(nets.critic.weights, updates), averages)

        (_, (actor_loss, validity_loss, averages)), grads = jax.value_and_grad(self.actor_loss, has_aux=True)(
            nets.actor.weights, nets.actor.averages, critic, batch, frozen
        )
        updates, actor_adam = self._actor_adam.update(grads, nets.actor_adam)
        weights = _kept(frozen, nets.actor.weights, optax.apply_updates(nets.actor.weights, updates))
        actor = Net(weights, averages)
        nets = DDPGNets(
            actor=actor,
            critic=critic,
            actor_target=soft_update(actor, nets.actor_target, self.tau),
            critic_target=soft_update(critic, nets.critic_target, self.tau),
            actor_adam=actor_adam,
            critic_adam=critic_adam,
        )
        return nets, Losses(actor_loss, critic_loss, validity_loss)

    def target(self, nets: DDPGNets, batch: Batch) -> Array:
        output, _ = act(self.kind, nets.actor_target, *batch.next_s)
        value, _ = judge(nets.critic_target, *batch.next_s, masked(output.logits, batch.next_valid))
        return batch.reward + self.gamma * jnp.where(batch.over, 0, value)

    def critic_loss(self, weights: Any, averages: Any, batch: Batch, y: Array) -> tuple[Array, Any]:
        """The mean squared error, and the critic's averages afterwards."""
        value, averages = judge(Net(weights, averages), *batch.s, batch.taken, learning=True)
        return jnp.square(y - value).mean(), averages

    def actor_loss(
        self, weights: Any, averages: Any, critic: Net, batch: Batch, frozen: Array
    ) -> tuple[Array, tuple[Array, Array, Any]]:
        """The sum that is made smaller; and -Q, the loss of validity, and the actor's averages afterwards."""
        output, averages = act(self.kind, Net(weights, averages), *batch.s, learning=True, frozen=frozen)
        value, _ = judge(critic, *batch.s, masked(output.logits, batch.valid), learning=True)
        policy, validity = -value.mean(), jnp.float32(0)
        if output.validity is not None:
            validity = self._validity_loss(output.validity, batch.valid)
        return policy + self.validity_weight * validity, (policy, validity, averages)

    def _validity_loss(self, logits: Array, valid: Array) -> Array:
        truth = valid.astype(jnp.float32)
        if self.validity_loss == MSE:
            return jnp.square(jax.nn.sigmoid(logits) - truth).mean()
        return jnp.asarray(optax.losses.sigmoid_binary_cross_entropy(logits, truth)).mean()

    @property
    def _actor_adam(self) -> optax.GradientTransformation:
        return optax.adam(self.actor_learning_rate)

    @property
    def _critic_adam(self) -> optax.GradientTransformation:
        return optax.adam(self.critic_learning_rate)


def _kept(frozen: Array, old: Actor, new: Actor) -> Actor:
    """`new`, but with `old`'s half for validity if that is `frozen`: an actor with two blocks only."""
    if old.validity_block is None:
        return new
    half = where(frozen, (old.validity, old.validity_block), (new.validity, new.validity_block))
    return new._replace(validity=half[0], validity_block=half[1])
