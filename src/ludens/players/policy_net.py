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
from ludens.nets.residual import ResidualNet
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
    """What the net is fed: the mover's observation, and with `insight` or features of actions, `float32[inputs]`."""
    seen = q_mlp.sees(game, s)
    if kind == ACTIONS:
        if game.id not in FEATURES:
            raise ValueError(f"net is '{ACTIONS}' in {game.id}: expected one of {', '.join(FEATURES)}, or net '{MLP}'")
        return jnp.concatenate([seen, FEATURES[game.id][0](game, s).reshape(-1)])
    return jnp.concatenate([seen, insight(game, s).reshape(-1)]) if insightful else seen


def among_legal(logits: Array, legal: Array) -> Array:
    """Log-probabilities of actions when only legal ones count, `float32[..., A]`; far below 0 where illegal."""
    return jax.nn.log_softmax(jnp.where(legal, logits, -1e9), axis=-1)


@dataclass(frozen=True)
class _PolicyAgent(Agent[S]):
    """Plays the likeliest legal move; scores are probabilities. Its net gives logits and a value."""

    scores_are: ClassVar[str] = "probability"

    def sees(self, s: S) -> Array:
        """What its net is fed."""
        return self.game.observe(s)

    def act(self, params: Any, key: Key, view: S) -> Decision:
        legal = self.game.legal(view)
        probs = jnp.where(legal, self.probs(params, view, legal), 0.0)
        return self.choose(jnp.where(legal, probs, -jnp.inf), probs, key)

    def probs(self, params: Any, view: S, legal: Array) -> Array:
        """How likely each action is, given which are legal, `float32[A]`."""
        return jnp.exp(among_legal(self.logits(params, view), legal))

    def choose(self, scores: Array, probs: Array, key: Key) -> Decision:
        return best(scores, key)

    def logits(self, params: Any, s: S) -> Array:
        logits: Array = params(self.sees(s))[0]
        return logits

    def value(self, params: Any, s: S) -> Array:
        value: Array = params(self.sees(s))[1]
        return value


@dataclass(frozen=True)
class PolicyPlayer(_PolicyAgent[S]):
    """Plays the likeliest legal move, or draws one."""

    kind: ClassVar[str] = "policy-net"

    hidden: tuple[int, ...]
    sample: bool
    """Whether moves are drawn as the net has it, as they were while it learned."""
    insight: bool
    """Whether the net also sees what the rules say about its choices."""
    net: str = MLP
    """Which of `NETS`."""

    def create(self, key: Key) -> PolicyNet | ActionNet:
        return net(key, self.game, self.hidden, insightful=self.insight, kind=self.net)

    def choose(self, scores: Array, probs: Array, key: Key) -> Decision:
        return Decision(drawn(probs, key), scores) if self.sample else best(scores, key)

    def sees(self, s: S) -> Array:
        """What its net is fed, `float32[inputs]`."""
        return sees(self.game, s, insightful=self.insight, kind=self.net)


@dataclass(frozen=True)
class ResidualPlayer(_PolicyAgent[S]):
    """Plays by a residual net; searches led by it are stronger: `mcts:100:run:DIR`.

    Without a search it asks the net about the position under every symmetry of the game and plays what is likeliest
    on average.
    """

    kind: ClassVar[str] = "residual-net"
    judges_chance: ClassVar[bool] = True

    blocks: int
    channels: int

    def create(self, key: Key) -> ResidualNet:
        shape = jax.eval_shape(self.game.observe, jax.eval_shape(self.game.init, jax.random.key(0))).shape
        return ResidualNet.create(key, shape, self.game.num_actions, blocks=self.blocks, channels=self.channels)

    def probs(self, params: ResidualNet, view: S, legal: Array) -> Array:
        game = self.game

        def turned(k: Array) -> Array:
            goes_to = jax.vmap(lambda a: game.transform_action(view, a, k))(jnp.arange(game.num_actions))
            return among_legal(self.logits(params, game.transform(view, k))[goes_to], legal)

        if game.symmetries == 1:
            return super().probs(params, view, legal)
        return jax.nn.softmax(jax.vmap(turned)(jnp.arange(game.symmetries)).mean(axis=0))
