"""The nets of the report on Onitama (sections 5.2 to 5.5): a critic, and eight actors, which differ in validity.

All begin with a preprocess block (figures 5.2 and 5.3): the board through two convolutions of 3x3 with batch
normalisation, rectified units and pooling (64, then 128 channels), the cards and for the critic the actions through a
linear layer of their own size, everything together through two layers of 256.

An actor has an *actions* layer (softmax) and a *validity* layer (sigmoid), which learns the valid mask:

    val_after_actions      block -> actions -> validity
    actions_after_val      block -> validity -> actions
    val_branch_actions     block -> actions, block -> validity
    ..._multiply           the same, and the output is actions * validity, made to sum to one again
    dual                   multiplied too, but validity has a block of its own, which can be frozen
    actions_only           block -> actions

Products of probabilities are sums of their logarithms: an actor gives logits, its output is their softmax, so it sums
to one whatever validity says, and nothing is ever divided by zero.

Batch normalisation (Ioffe and Szegedy 2015) uses the batch while a net learns, and running averages follow it; whoever
plays uses the averages, so that what it thinks of a position does not depend on the others in the batch. What is
learned by gradient (`weights`) lies apart from these (`averages`). Boards come in
as `float32[N, planes, 5, 5]`, cards as `float32[N, 10]`, actions as `float32[N, A]`.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.types import Array, Key

ACTORS = (
    "val_after_actions",
    "actions_after_val",
    "val_branch_actions",
    "val_after_actions_multiply",
    "actions_after_val_multiply",
    "val_branch_actions_multiply",
    "dual",
    "actions_only",
)
CHANNELS = 64, 128
CARDS = 10
UNITS = 256
LAST = 3e-3
"""The reach of an output layer's first weights (Lillicrap et al. 2015): at first all actions are about as likely, and
all values about 0."""

MOMENTUM = 0.1  # how far a running average follows each batch
EPSILON = 1e-5  # what is added to a variance, so that a channel that never changes divides by something


class BatchNorm(NamedTuple):
    """What is learned by gradient, everything `float32[C]`."""

    scale: Array
    shift: Array


class Moments(NamedTuple):
    """Mean and variance of each channel, of one batch or on the average, everything `float32[C]`."""

    mean: Array
    variance: Array


class Dense(NamedTuple):
    weights: Array  # `float32[in, out]`
    bias: Array  # `float32[out]`

    def __call__(self, x: Array) -> Array:
        """`float32[N, out]` for `float32[N, in]`."""
        return x @ self.weights + self.bias


class Convolution(NamedTuple):
    """A convolution of 3x3 whose output is normalised: it has no bias, which that would take away again."""

    kernel: Array  # `float32[9 in, out]`, the nine squares row by row, the inputs of each together
    norm: BatchNorm


class Block(NamedTuple):
    first: Convolution
    second: Convolution
    cards: Dense
    actions: Dense | None  # of the critic
    third: Dense
    fourth: Dense


class BlockAverages(NamedTuple):
    """What the batch normalisation of a block has seen."""

    first: Moments
    second: Moments


class Net(NamedTuple):
    weights: Any  # `Actor` or `Critic`
    averages: Any  # A `BlockAverages` for each block, in the order of the weights


class Actor(NamedTuple):
    """The weights of an actor; None for what its kind does not have."""

    block: Block
    actions: Dense
    validity: Dense | None
    validity_block: Block | None


class Critic(NamedTuple):
    block: Block
    value: Dense


class Output(NamedTuple):
    """What an actor says, everything `float32[N, A]`."""

    logits: Array  # its output is their softmax
    validity: Array | None  # the validity layer before its sigmoid; None without one


def create_actor(key: Key, kind: str, planes: int, actions: int) -> Net:
    """An actor of one of `ACTORS`, drawn at random."""
    blocks, heads = jax.random.split(key)
    of_actions, of_validity = jax.random.split(heads)
    shared, apart = (_block(key, planes, None) for key in jax.random.split(blocks))
    after_actions, after_validity = kind.startswith("val_after_actions"), kind.startswith("actions_after_val")
    weights = Actor(
        block=shared[0],
        actions=_dense(of_actions, actions if after_validity else UNITS, actions, LAST),
        validity=None if kind == "actions_only" else _dense(of_validity, actions if after_actions else UNITS, actions),
        validity_block=apart[0] if kind == "dual" else None,
    )
    return Net(weights, (shared[1], apart[1]) if kind == "dual" else (shared[1],))


def create_critic(key: Key, planes: int, actions: int) -> Net:
    below, above = jax.random.split(key)
    block, seen = _block(below, planes, actions)
    return Net(Critic(block, _dense(above, UNITS, 1, LAST)), (seen,))


def act(
    kind: str, net: Net, board: Array, cards: Array, *, learning: bool = False, frozen: Array | bool = False
) -> tuple[Output, Any]:
    """What the actor `net` of this kind says, and its averages afterwards.

    `learning`: normalised by the batch; but not what is `frozen` (`bool[]`), the block that dual has for validity.
    """
    weights: Actor = net.weights
    x, seen = _preprocess(weights.block, net.averages[0], board, cards, None, learning)
    averages: tuple[BlockAverages, ...] = (seen,)
    if weights.validity is None:
        return Output(weights.actions(x), None), averages
    if weights.validity_block is not None:
        by_batch = jnp.logical_not(frozen) if learning else False
        y, seen = _preprocess(weights.validity_block, net.averages[1], board, cards, None, by_batch)
        averages += (seen,)
        actions, validity = weights.actions(x), weights.validity(y)
    elif kind.startswith("val_after_actions"):
        actions = weights.actions(x)
        validity = weights.validity(jax.nn.softmax(actions))
    elif kind.startswith("actions_after_val"):
        validity = weights.validity(x)
        actions = weights.actions(jax.nn.sigmoid(validity))
    else:
        actions, validity = weights.actions(x), weights.validity(x)
    if kind == "dual" or kind.endswith("_multiply"):
        actions = jax.nn.log_softmax(actions) + jax.nn.log_sigmoid(validity)
    return Output(actions, validity), averages


def judge(net: Net, board: Array, cards: Array, actions: Array, *, learning: bool = False) -> tuple[Array, Any]:
    """Q of `actions`, `float32[N]`, and the critic's averages afterwards."""
    weights: Critic = net.weights
    x, seen = _preprocess(weights.block, net.averages[0], board, cards, actions, learning)
    return weights.value(x)[:, 0], (seen,)


def masked(logits: Array, valid: Array) -> Array:
    """An actor's output where only what is `valid` (`bool[..., A]`) counts, made to sum to one again.

    Zero everywhere if nothing is valid.
    """
    logits = jnp.where(valid, logits, -jnp.inf)
    # With nothing valid any finite number will do in place of the largest logit: all its powers are zero.
    most = jnp.where(valid.any(axis=-1, keepdims=True), logits.max(axis=-1, keepdims=True), 0)
    powers = jnp.where(valid, jnp.exp(jnp.where(valid, logits, 0) - jax.lax.stop_gradient(most)), 0)
    return powers / jnp.maximum(powers.sum(axis=-1, keepdims=True), 1e-30)


def _block(key: Key, planes: int, actions: int | None) -> tuple[Block, BlockAverages]:
    keys = jax.random.split(key, 6)
    first, seen_first = _convolution(keys[0], planes, CHANNELS[0])
    second, seen_second = _convolution(keys[1], *CHANNELS)
    inputs = CHANNELS[1] + CARDS + (actions or 0)
    block = Block(
        first=first,
        second=second,
        cards=_dense(keys[2], CARDS, CARDS),
        actions=_dense(keys[3], actions, actions) if actions else None,
        third=_dense(keys[4], inputs, UNITS),
        fourth=_dense(keys[5], UNITS, UNITS),
    )
    return block, BlockAverages(seen_first, seen_second)


def _preprocess(
    block: Block, seen: BlockAverages, board: Array, cards: Array, actions: Array | None, by_batch: Array | bool
) -> tuple[Array, BlockAverages]:
    """`float32[N, 256]`, and what batch normalisation has seen afterwards."""
    x = jnp.moveaxis(board, 1, -1)  # [N, 5, 5, planes]
    x, first = normalise(block.first.norm, seen.first, _convolve(x, block.first.kernel), by_batch)
    x = jax.nn.relu(_pool(x))  # [N, 2, 2, 64]
    x, second = normalise(block.second.norm, seen.second, _convolve_four(x, block.second.kernel), by_batch)
    x = jax.nn.relu(x.max(axis=(1, 2)))  # [N, 128]
    parts = [x, block.cards(cards)]
    if block.actions is not None and actions is not None:
        parts.append(block.actions(actions))
    x = jax.nn.relu(block.third(jnp.concatenate(parts, axis=1)))
    return jax.nn.relu(block.fourth(x)), BlockAverages(first, second)


def _convolve(x: Array, kernel: Array) -> Array:
    """`float32[N, H, W, out]` for `float32[N, H, W, in]`, a border of zeros around it.

    Nine shifted copies side by side make it one product of matrices: on so small a board a CPU makes an update in a
    fifth of the time that the library's convolution takes with its gradient.
    """
    rows, columns = x.shape[1:3]
    wide = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    shifted = [wide[:, i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    return jnp.concatenate(shifted, axis=-1) @ kernel


def _convolve_four(x: Array, kernel: Array) -> Array:
    """`_convolve` for a board of 2x2, of which the kernel sees all from every square and else nothing but border.

    One product of all inputs with all outputs takes half the time: no border is multiplied.
    """
    taps = kernel.reshape(3, 3, x.shape[3], -1)
    places = [(row, column) for row in range(2) for column in range(2)]
    whole = [[taps[i - row + 1, j - column + 1] for row, column in places] for i, j in places]  # from (i, j)
    product = x.reshape(len(x), -1) @ jnp.concatenate([jnp.concatenate(row, axis=1) for row in whole])
    return product.reshape(len(x), 2, 2, -1)


def _pool(x: Array) -> Array:
    """The largest of every 2x2 squares; an odd row or column is left out. `float32[N, H // 2, W // 2, C]`."""
    rows, columns = x.shape[1] // 2, x.shape[2] // 2
    squares = x[:, : 2 * rows, : 2 * columns].reshape(len(x), rows, 2, columns, 2, -1)
    return squares.max(axis=(2, 4))


def _convolution(key: Key, inputs: int, outputs: int) -> tuple[Convolution, Moments]:
    norm, averages = _no_norm(outputs)
    return Convolution(_uniform(key, (9 * inputs, outputs), (9 * inputs) ** -0.5), norm), averages


def _dense(key: Key, inputs: int, outputs: int, reach: float | None = None) -> Dense:
    """Weights and biases up to `reach`, or to inputs^(-1/2)."""
    reach = inputs**-0.5 if reach is None else reach
    weights, bias = jax.random.split(key)
    return Dense(_uniform(weights, (inputs, outputs), reach), _uniform(bias, (outputs,), reach))


def _uniform(key: Key, shape: tuple[int, ...], reach: float) -> Array:
    return jax.random.uniform(key, shape, jnp.float32, -reach, reach)


def _no_norm(channels: int) -> tuple[BatchNorm, Moments]:
    """What leaves a normal channel as it is."""
    ones, zeros = jnp.ones(channels), jnp.zeros(channels)
    return BatchNorm(ones, zeros), Moments(zeros, ones)


def normalise(norm: BatchNorm, averages: Moments, x: Array, by_batch: Array | bool) -> tuple[Array, Moments]:
    """`x` (`float32[..., C]`) normalised, and the averages afterwards.

    `by_batch` (`bool[]`): whether by the moments of `x` itself, which the averages then follow; else by the averages,
    which stay.
    """
    if by_batch is False:
        used = follows = averages
    else:
        every = tuple(range(x.ndim - 1))
        mean = x.mean(every)
        batch = Moments(mean, jnp.square(x - mean).mean(every))
        used = Moments(*(jnp.where(by_batch, now, before) for now, before in zip(batch, averages, strict=True)))
        follows = Moments(*(_follow(now, before) for now, before in zip(used, averages, strict=True)))
    slope = norm.scale * jax.lax.rsqrt(used.variance + EPSILON)
    return x * slope + (norm.shift - used.mean * slope), follows


def _follow(now: Array, before: Array) -> Array:
    """An average after `now`; where `now` is the average itself it stays, to the last bit."""
    return before + MOMENTUM * jax.lax.stop_gradient(now - before)
