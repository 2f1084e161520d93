"""Nets that value the moves on a board: one net with an output for each square, or one small net for each square.

They are those of van Eck and van Wezel (2008), section 4.3. The board goes in as it lies before the mover (+1 own, -1
other, 0 empty), there is one hidden layer, tanh everywhere, and Q comes out for every square a disc could be placed on.
The paper's biases, extra weights into which a constant 1 is fed, are arrays of their own here.

Several players' weights lie in one array with the player in front, so that boards before different players are valued
together. Backpropagation is written out: it is short, it follows nothing but the square that was played, and the tests
hold it against automatic differentiation.

Shapes: `B` boards, `P` players, `N` squares (inputs, and as many outputs), `H` hidden units of a net. What is not
the asked player's is computed and thrown away: to a CPU one product for all is cheaper than copying weights together.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.bits import nth_set_bit, pack
from ludens.core.types import Array, Key

T = TypeVar("T")

Weights: TypeAlias = dict[str, Array]
"""`hidden`, `hidden_bias`, `output`, `output_bias`, as `QNets.layout` says."""


class QBatch(NamedTuple):
    """What is to be learned: Q(x, a) should be `target`. Everything `[B]`."""

    who: Array  # the player who learns, `int32[B]`
    x: Array  # the board, `float32[B, N]`
    action: Array  # the square, `int32[B]`
    target: Array  # `float32[B]`
    mask: Array  # false where there is nothing to learn, `bool[B]`


@dataclass(frozen=True)
class QNets(ABC):
    squares: int  # N
    hidden: int  # H
    players: int = 2

    @property
    @abstractmethod
    def layout(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights."""

    def init(self, key: Key, scale: float) -> Weights:
        """Weights and biases drawn evenly between `-scale` and `scale`."""
        keys = jax.random.split(key, len(self.layout))
        return {
            name: jax.random.uniform(key, shape, jnp.float32, -scale, scale)
            for key, (name, shape) in zip(keys, self.layout.items(), strict=True)
        }

    @abstractmethod
    def values(self, weights: Weights, x: Array, who: Array) -> Array:
        """Q of every square, `float32[B, N]`, as players `who` (`int32[B]`) see boards `x` (`float32[B, N]`)."""

    def legal_values(self, weights: Weights, x: Array, who: Array, legal: Array) -> Array:
        """As `values`, but only where `legal` (`bool[B, N]`) holds; elsewhere anything between -1 and 1."""
        return self.values(weights, x, who)

    @abstractmethod
    def backward(self, weights: Weights, batch: QBatch) -> tuple[Weights, Array]:
        """Backpropagate `target - Q(x, a)`.

        First the sum over the batch of this error times the gradient of Q: half the squared error falls that way. Then
        Q(x, a) as it is, `float32[B]`.
        """

    def descend(self, weights: Weights, batch: QBatch, rate: float) -> tuple[Weights, Array]:
        """The weights after a step of gradient descent, and Q(x, a) before it."""
        grads, values = self.backward(weights, batch)
        return {name: weights[name] + rate * grads[name] for name in weights}, values


@dataclass(frozen=True)
class SingleNet(QNets):
    """One net with an output for each square: what it learns about a square changes what it thinks of others."""

    @property
    def layout(self) -> dict[str, tuple[int, ...]]:
        """`hidden[P, H, N]`, `output[P, N, H]`."""
        p, n, h = self.players, self.squares, self.hidden
        return {"hidden": (p, h, n), "hidden_bias": (p, h), "output": (p, n, h), "output_bias": (p, n)}

    def values(self, weights: Weights, x: Array, who: Array) -> Array:
        inside = self._inside(weights, x, who)
        sums = jnp.einsum("bh,pah->pba", inside, weights["output"]) + weights["output_bias"][:, None]
        return jnp.tanh(_asked(sums, who))

    def backward(self, weights: Weights, batch: QBatch) -> tuple[Weights, Array]:
        """Only the chosen square's output has an error, so only its row of the output weights is followed."""
        inside = self._inside(weights, batch.x, batch.who)
        row, bias = (_chosen(weights[name], batch) for name in ("output", "output_bias"))
        value = jnp.tanh((inside * row).sum(axis=-1) + bias)
        delta = _output_grad(batch, value)
        within = delta[:, None] * row * (1 - inside**2)  # [B, H]
        square = jnp.where(batch.action[:, None] == jnp.arange(self.squares), delta[:, None], 0)  # [B, N]
        within, square = (_of_each(each, batch.who, self.players) for each in (within, square))
        grads = {
            "hidden": jnp.einsum("pbh,bn->phn", within, batch.x),
            "hidden_bias": within.sum(axis=1),
            "output": jnp.einsum("pba,bh->pah", square, inside),
            "output_bias": square.sum(axis=1),
        }
        return grads, value

    def _inside(self, weights: Weights, x: Array, who: Array) -> Array:
        """The hidden units, `float32[B, H]`."""
        sums = jnp.einsum("bn,phn->pbh", x, weights["hidden"]) + weights["hidden_bias"][:, None]
        return jnp.tanh(_asked(sums, who))


@dataclass(frozen=True)
class NetPerSquare(QNets):
    """A net of its own for each square, with one output: what it learns about a square stays there."""

    @property
    def layout(self) -> dict[str, tuple[int, ...]]:
        """`hidden[P, N, N, H]` (player, the net's square, input, unit), `output[P, N, H]`."""
        p, n, h = self.players, self.squares, self.hidden
        return {"hidden": (p, n, n, h), "hidden_bias": (p, n, h), "output": (p, n, h), "output_bias": (p, n)}

    def values(self, weights: Weights, x: Array, who: Array) -> Array:
        """All nets in one product, into which the board goes in the place of the player who is asked."""
        boards = _of_each(x, who, self.players)  # [P, B, N]
        bias, output, last = (_asked(weights[name][:, None], who) for name in ("hidden_bias", "output", "output_bias"))
        inside = jnp.tanh(jnp.einsum("pbn,panh->bah", boards, weights["hidden"]) + bias)
        return jnp.tanh((inside * output).sum(axis=-1) + last)

    def legal_values(self, weights: Weights, x: Array, who: Array, legal: Array) -> Array:
        """On a CPU the nets of legal squares one after the other, a few of 64; elsewhere all at once."""
        return _by_platform(self._one_by_one, lambda *args: self.values(*args[:3]), weights, x, who, legal)

    def backward(self, weights: Weights, batch: QBatch) -> tuple[Weights, Array]:
        """Only the chosen square's net has an error."""
        hidden, hidden_bias, row, bias = (_chosen(weights[name], batch) for name in self.layout)  # [B, ...]
        inside = jnp.tanh(jnp.einsum("bn,bnh->bh", batch.x, hidden) + hidden_bias)
        value = jnp.tanh((inside * row).sum(axis=-1) + bias)
        delta = _output_grad(batch, value)
        within = delta[:, None] * row * (1 - inside**2)  # [B, H]
        here = (batch.action[:, None] == jnp.arange(self.squares)) & batch.mask[:, None]  # [B, N]
        here = _of_each(here, batch.who, self.players)  # [P, B, N]
        nets = jnp.where(here[..., None], within[:, None], 0)  # [P, B, N, H]
        square = jnp.where(here, delta[:, None], 0)
        grads = {
            "hidden": jnp.einsum("bn,pbah->panh", batch.x, nets),
            "hidden_bias": nets.sum(axis=1),
            "output": jnp.einsum("pba,bh->pah", square, inside),
            "output_bias": square.sum(axis=1),
        }
        return grads, value

    def descend(self, weights: Weights, batch: QBatch, rate: float) -> tuple[Weights, Array]:
        """On a CPU only the nets that learn are touched, where they lie; elsewhere all at once."""
        return _by_platform(self._in_place, super().descend, weights, batch, jnp.float32(rate))

    def _one_by_one(self, weights: Weights, x: Array, who: Array, legal: Array) -> Array:
        """`legal_values`, 0 where not legal."""

        def of_board(args: tuple[Array, Array, Array]) -> Array:
            x, who, legal = args
            words = pack(legal)
            count = sum((lax.population_count(word) for word in words), start=jnp.uint32(0))

            def ask(n: Array, values: Array) -> Array:
                square = nth_set_bit(words, n)
                return values.at[square].set(self._ask(_net(weights, who, square), x)[1])

            found: Array = lax.fori_loop(jnp.uint32(0), count, ask, jnp.zeros(self.squares))
            return found

        values: Array = _each_in_turn(of_board, (x, who, legal))
        return values

    def _in_place(self, weights: Weights, batch: QBatch, rate: Array) -> tuple[Weights, Array]:
        """`descend`; everything is learned with the weights as they were."""

        def of_one(one: QBatch) -> tuple[Array, Array, Array]:
            net = _net(weights, one.who, one.action)
            inside, value = self._ask(net, one.x)
            return value, inside, net["output"] * (1 - inside**2)

        values, inside, bend = _each_in_turn(of_one, batch)
        delta = rate * _output_grad(batch, values)

        def add(n: Array, weights: Weights) -> Weights:
            within = delta[n] * bend[n]
            changes = {
                "hidden": batch.x[n][:, None] * within,
                "hidden_bias": within,
                "output": delta[n] * inside[n],
                "output_bias": delta[n],
            }
            return {name: weights[name].at[batch.who[n], batch.action[n]].add(changes[name]) for name in weights}

        if len(delta) == 1:
            return add(jnp.int32(0), weights), values
        return lax.fori_loop(0, len(delta), add, weights), values

    def _ask(self, net: Weights, x: Array) -> tuple[Array, Array]:
        """The hidden units `float32[H]` and Q `float32[]` of one net."""
        # A sum of products, not a product of matrices: that would copy the net's weights before it reads them.
        inside = jnp.tanh((x[:, None] * net["hidden"]).sum(axis=0) + net["hidden_bias"])
        return inside, jnp.tanh((inside * net["output"]).sum() + net["output_bias"])


def _by_platform(on_cpu: Callable[..., T], elsewhere: Callable[..., T], *args: Any) -> T:
    chosen: T = lax.platform_dependent(*args, cpu=on_cpu, default=elsewhere)
    return chosen


def _each_in_turn(function: Callable[[Any], T], args: Any) -> T:
    """`function` of every row of `args`, one after the other; a single one without a loop round it."""
    if len(jax.tree.leaves(args)[0]) == 1:
        alone: T = jax.tree.map(lambda x: x[None], function(jax.tree.map(lambda x: x[0], args)))
        return alone
    together: T = lax.map(function, args)
    return together


def _net(weights: Weights, who: Array, square: Array) -> Weights:
    return {name: each[who, square] for name, each in weights.items()}


def _asked(answers: Array, who: Array) -> Array:
    """Of every player's answers, `[P, B, ...]`, those of the players who are asked: `[B, ...]`."""
    chosen = answers[0]
    for player in range(1, answers.shape[0]):
        asked = (who == player).reshape(-1, *(1,) * (chosen.ndim - 1))
        chosen = jnp.where(asked, answers[player], chosen)
    return chosen


def _of_each(each: Array, who: Array, players: int) -> Array:
    """`each`, `[B, ...]`, shared out: `[P, B, ...]`, 0 in the place of all but the player `who`."""
    return jnp.where((jnp.arange(players)[:, None] == who)[..., None], each, jnp.zeros((), each.dtype))


def _chosen(weights: Array, batch: QBatch) -> Array:
    """The weights `[P, N, ...]` of the batch's players and squares: `[B, ...]`."""
    if batch.who.shape[0] == 1:  # a slice; a CPU gathers number by number
        return weights[batch.who[0], batch.action[0]][None]
    return weights[batch.who, batch.action]


def _output_grad(batch: QBatch, value: Array) -> Array:
    """The error times the slope of the output's tanh, `float32[B]`; 0 where there is nothing to learn."""
    return jnp.where(batch.mask, (batch.target - value) * (1 - value**2), 0)
