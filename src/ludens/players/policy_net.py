"""Who plays by a policy net: the likeliest legal move, or one drawn as the net has it. No search of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ludens.core.game import Game, S
from ludens.core.game import sample as drawn
from ludens.core.player import Decision, best
from ludens.core.types import Array, Key
from ludens.nets.policy import ActionNet, PolicyNet
from ludens.players import okey_encoding, okey_features, q_mlp
from ludens.players.agent import Agent

INSIGHTS: dict[str, Callable[[Any, Any], Array]] = {"okey": okey_encoding.insight}
"""What the rules say about one's choices, by the game's id: see `insight`."""

FEATURES: dict[str, tuple[Callable[[Any, Any], Array], Callable[[], Any]]] = {
    "okey": (okey_features.features, okey_features.prior)
}
"""What nets that weigh each action are told about it, `float32[A, F]`, and weights of the first of these features with
which they begin, by the game's id."""
MLP, ACTIONS = "mlp", "actions"
NETS = (MLP, ACTIONS)
"""How a net comes from what it sees to preferences: a head with an output for each action, or one for all of them."""


def insight(game: Game[Any], view: Any) -> Array:
    """What the rules say about each action to who moves in `view`, `float32[A, F]`; zeros where it is not legal.

    It holds nothing that the mover does not know and no opinion about what is good: as a net for Othello may see where
    discs can be placed, one for Okey may see how many tiles a hand would miss after an act, which it would take long to
    find out by itself. ValueError for a game about which the rules say nothing more.
    """
    if game.id not in INSIGHTS:
        raise ValueError(f"nets have no insight into {game.id}: expected one of {', '.join(INSIGHTS)}, or none")
    return INSIGHTS[game.id](game, view)


def net(
    key: Key, game: Game[Any], hidden: Sequence[int], *, insightful: bool = False, kind: str = MLP
) -> PolicyNet | ActionNet:
    """From what the mover sees over `hidden` layers to a preference for each action, and a value."""
    s = jax.eval_shape(game.init, jax.random.key(0))
    inputs = jax.eval_shape(partial(sees, game, insightful=insightful, kind=kind), s).size
    if kind == ACTIONS:
        features, prior = FEATURES[game.id]
        told, first = jax.eval_shape(partial(features, game), s).shape[1], jnp.asarray(prior())
        return ActionNet.create(key, inputs, hidden, game.num_actions, jnp.pad(first, (0, told - len(first))))
    told = jax.eval_shape(partial(insight, game), s).shape[1] if insightful else 0
    return PolicyNet.create(key, inputs, hidden, game.num_actions, told)


def sees(game: Game[S], s: S, *, insightful: bool = False, kind: str = MLP) -> Array:
    """What the net is fed: the mover's observation, and with `insight` or features of actions, `float32[inputs]`.

    Features of actions make it long; `float16` then keeps rollouts, and with them checkpoints, at half the size.
    """
    seen = q_mlp.sees(game, s)
    if kind == ACTIONS:
        if game.id not in FEATURES:
            raise ValueError(f"net is '{ACTIONS}' in {game.id}: expected one of {', '.join(FEATURES)}, or net '{MLP}'")
        return jnp.concatenate([seen, FEATURES[game.id][0](game, s).reshape(-1)]).astype(jnp.float16)
    return jnp.concatenate([seen, insight(game, s).reshape(-1)]) if insightful else seen


def among_legal(logits: Array, legal: Array) -> Array:
    """Log-probabilities of actions when only legal ones count, `float32[..., A]`; far below 0 where illegal."""
    return jax.nn.log_softmax(jnp.where(legal, logits, -1e9), axis=-1)


@dataclass(frozen=True)
class PolicyPlayer(Agent[S]):
    """Plays the likeliest legal move, or draws one; scores are probabilities."""

    kind: ClassVar[str] = "policy-net"
    scores_are: ClassVar[str] = "probability"

    hidden: tuple[int, ...]
    sample: bool
    """Whether moves are drawn as the net has it, as they were while it learned."""
    insight: bool
    """Whether the net also sees what the rules say about its choices."""
    net: str = MLP
    """Which of `NETS`."""

    def create(self, key: Key) -> PolicyNet | ActionNet:
        return net(key, self.game, self.hidden, insightful=self.insight, kind=self.net)

    def sees(self, s: S) -> Array:
        """What its net is fed, `float32[inputs]`."""
        return sees(self.game, s, insightful=self.insight, kind=self.net)

    def act(self, params: PolicyNet | ActionNet, key: Key, view: S) -> Decision:
        legal = self.game.legal(view)
        probs = jnp.where(legal, jnp.exp(among_legal(params(self.sees(view))[0], legal)), 0.0)
        scores = jnp.where(legal, probs, -jnp.inf)
        return Decision(drawn(probs, key), scores) if self.sample else best(scores, key)

    def value(self, params: PolicyNet | ActionNet, s: S) -> Array:
        return params(self.sees(s))[1]
