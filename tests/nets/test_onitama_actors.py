"""The eight actors and the critic: shapes, sums, products, gradients; batch normalisation and pooling by hand."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.nets.onitama_actors import (
    ACTORS,
    EPSILON,
    MOMENTUM,
    BatchNorm,
    Block,
    BlockAverages,
    Moments,
    Net,
    _convolve,
    _convolve_four,
    _pool,
    _preprocess,
    act,
    create_actor,
    create_critic,
    judge,
    masked,
    normalise,
)

KEY = jax.random.key(7)
MULTIPLY = tuple(kind for kind in ACTORS if kind == "dual" or kind.endswith("_multiply"))
N = 256
ACT = jax.jit(act, static_argnames=("kind", "learning"))
ACTOR = jax.jit(create_actor, static_argnums=(1, 2, 3))
CRITIC = jax.jit(create_critic, static_argnums=(1, 2))
JUDGE = jax.jit(judge, static_argnames="learning")
BLOCK = jax.jit(_preprocess, static_argnums=5)


def inputs(planes: int, actions: int) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Boards, cards, valid masks and actions that look like the game's."""
    keys = jax.random.split(KEY, 4)
    squares = jax.random.randint(keys[0], (N, planes), 0, 25)
    board = (squares[..., None] == jnp.arange(25)).astype(jnp.float32).reshape(N, planes, 5, 5)
    cards = (jax.random.uniform(keys[1], (N, 10)) < 0.4).astype(jnp.float32)
    valid = (jax.random.uniform(keys[2], (N, actions)) < 0.4).at[:, 0].set(True)
    taken = jax.nn.one_hot(jax.random.randint(keys[3], (N,), 0, actions), actions)
    return board, cards, valid, taken


BOARD, CARDS, VALID, TAKEN = inputs(10, 40)


def lively(net: Net) -> Net:
    """The net with an output layer as large as others, so that what it says differs."""
    last = "value" if hasattr(net.weights, "value") else "actions"
    larger = jax.tree.map(lambda x: 50 * x, getattr(net.weights, last))
    return Net(net.weights._replace(**{last: larger}), net.averages)


def awake(net: Net) -> Net:
    """The net with all rectified units at work."""

    def block(block: Block | None) -> Block | None:
        if block is None:
            return None
        first, second = (x._replace(norm=x.norm._replace(shift=x.norm.shift + 1)) for x in (block.first, block.second))
        third, fourth = (x._replace(bias=x.bias + rise) for x, rise in ((block.third, 4), (block.fourth, 16)))
        return block._replace(first=first, second=second, third=third, fourth=fourth)

    blocks = {name: block(getattr(net.weights, name)) for name in net.weights._fields if name.endswith("block")}
    return Net(net.weights._replace(**blocks), net.averages)


def some(kinds: Sequence[str]) -> list[Any]:
    """All of them, most only where there is time: each is compiled anew."""
    return [pytest.param(kind, marks=[pytest.mark.slow] * (kind != "dual")) for kind in kinds]


@pytest.mark.parametrize("kind", some(ACTORS))
def test_outputs_have_shapes_and_sum_to_one(kind: str) -> None:
    net = lively(ACTOR(KEY, kind, 10, 40))
    for learning in (False, True):
        output, averages = ACT(kind, net, BOARD, CARDS, learning=learning)
        assert output.logits.shape == (N, 40)
        shares = np.asarray(jax.nn.softmax(output.logits))
        np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)
        assert (shares > 0).all()
        assert shares.std(axis=0).max() > 0  # it looks at the board
        if kind == "actions_only":
            assert output.validity is None
        else:
            assert output.validity.shape == (N, 40)
        moved = jax.tree.map(lambda a, b: bool((a != b).any()), averages, net.averages)
        assert all(jax.tree.leaves(moved)) if learning else not any(jax.tree.leaves(moved))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ACTORS)
def test_two_hundred_actions_and_four_planes(kind: str) -> None:
    board, cards, _, taken = inputs(4, 200)
    output, _ = ACT(kind, ACTOR(KEY, kind, 4, 200), board, cards)
    assert output.logits.shape == (N, 200)
    value, _ = JUDGE(CRITIC(KEY, 4, 200), board, cards, taken)
    assert value.shape == (N,)


# What the figures draw, from the weights: each layer on what comes before it, then the product.
@pytest.mark.slow
@pytest.mark.parametrize("kind", some(ACTORS))
def test_each_actor_is_wired_as_its_figure(kind: str) -> None:
    net = lively(ACTOR(KEY, kind, 10, 40))
    w = jax.tree.map(np.asarray, net.weights)
    x = np.asarray(BLOCK(net.weights.block, net.averages[0], BOARD, CARDS, None, False)[0])

    def softmax(z: np.ndarray) -> np.ndarray:
        return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)

    def sigmoid(z: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-z))

    def layer(dense: Any, z: np.ndarray) -> np.ndarray:
        return z @ dense.weights + dense.bias

    if kind == "actions_only":
        actions, validity = softmax(layer(w.actions, x)), None
    elif kind.startswith("val_after_actions"):
        actions = softmax(layer(w.actions, x))
        validity = sigmoid(layer(w.validity, actions))
    elif kind.startswith("actions_after_val"):
        validity = sigmoid(layer(w.validity, x))
        actions = softmax(layer(w.actions, validity))
    else:
        y = x
        if kind == "dual":
            y = np.asarray(BLOCK(net.weights.validity_block, net.averages[1], BOARD, CARDS, None, False)[0])
            assert (x != y).any()
        actions, validity = softmax(layer(w.actions, x)), sigmoid(layer(w.validity, y))
    product = actions * validity if kind in MULTIPLY else actions
    expected = product / product.sum(axis=1, keepdims=True)
    output, _ = ACT(kind, net, BOARD, CARDS)
    np.testing.assert_allclose(jax.nn.softmax(output.logits), expected, rtol=2e-4, atol=1e-7)
    if validity is not None:
        np.testing.assert_allclose(jax.nn.sigmoid(output.validity), validity, rtol=1e-4)


@pytest.mark.parametrize("kind", some(MULTIPLY))
def test_a_product_sums_to_one_even_if_nothing_seems_valid(kind: str) -> None:
    net = ACTOR(KEY, kind, 10, 40)
    nothing = net.weights.validity._replace(bias=jnp.full(40, -300.0))  # a sigmoid of 1e-130: 0 in 32 bits
    net = Net(net.weights._replace(validity=nothing), net.averages)

    @jax.jit
    def shares(weights: Any) -> jax.Array:
        return jax.nn.softmax(act(kind, Net(weights, net.averages), BOARD, CARDS)[0].logits)

    np.testing.assert_allclose(shares(net.weights).sum(axis=1), 1, rtol=1e-5)
    slopes = jax.jit(jax.grad(lambda weights: shares(weights)[:, 0].sum()))(net.weights)
    assert all(bool(jnp.isfinite(x).all()) for x in jax.tree.leaves(slopes))
    assert bool((slopes.actions.bias != 0).any())


@pytest.mark.slow
@pytest.mark.parametrize("kind", some(ACTORS))
def test_gradients_reach_every_weight(kind: str) -> None:
    critic = CRITIC(jax.random.key(1), 10, 40)
    net = awake(ACTOR(KEY, kind, 10, 40))

    def loss(weights: Any) -> jax.Array:
        output, _ = ACT(kind, Net(weights, net.averages), BOARD, CARDS, learning=True)
        value, _ = judge(critic, BOARD, CARDS, masked(output.logits, VALID), learning=True)
        validity = 0.0
        if output.validity is not None:
            validity = jnp.square(jax.nn.sigmoid(output.validity) - VALID).mean()
        return validity - value.mean()

    slopes = jax.jit(jax.grad(loss))(net.weights)
    check_alive(slopes, net.weights)


def test_gradients_reach_every_weight_of_the_critic() -> None:
    net = awake(CRITIC(KEY, 10, 40))

    def loss(weights: Any) -> jax.Array:
        return jnp.square(judge(Net(weights, net.averages), BOARD, CARDS, TAKEN, learning=True)[0] - 1).mean()

    check_alive(jax.jit(jax.grad(loss))(net.weights), net.weights)


def check_alive(slopes: Any, weights: Any) -> None:
    """Every number of every array has a gradient."""
    for (way, slope), weight in zip(jax.tree_util.tree_leaves_with_path(slopes), jax.tree.leaves(weights), strict=True):
        assert slope.shape == weight.shape
        assert np.isfinite(slope).all(), way
        reached = float((np.asarray(slope) != 0).mean())
        assert reached > 0.999, (way, reached)


def test_a_block_by_hand() -> None:
    """Figures 5.2 and 5.3 in plain NumPy: loops over squares."""
    net = CRITIC(KEY, 10, 40)
    block, seen = jax.tree.map(np.asarray, (net.weights.block, net.averages[0]))
    rng = np.random.default_rng(0)
    seen = BlockAverages(*(Moments(m.mean + rng.normal(size=m.mean.shape) / 9, m.variance * 2) for m in seen))

    def convolved(x: np.ndarray, layer: Any, moments: Moments) -> np.ndarray:
        rows, columns, inputs = x.shape
        kernel = layer.kernel.reshape(3, 3, inputs, -1)
        found = np.zeros((rows, columns, kernel.shape[-1]))
        for row, column, i, j in np.ndindex(rows, columns, 3, 3):
            if 0 <= row + i - 1 < rows and 0 <= column + j - 1 < columns:
                found[row, column] += x[row + i - 1, column + j - 1] @ kernel[i, j]
        normal = (found - moments.mean) / np.sqrt(moments.variance + EPSILON)
        x = np.maximum(normal * layer.norm.scale + layer.norm.shift, 0)
        pooled = np.zeros((rows // 2, columns // 2, x.shape[2]))
        for row, column in np.ndindex(*pooled.shape[:2]):
            pooled[row, column] = x[2 * row : 2 * row + 2, 2 * column : 2 * column + 2].max(axis=(0, 1))
        return pooled

    found, _ = BLOCK(net.weights.block, jax.tree.map(jnp.asarray, seen), BOARD, CARDS, TAKEN, False)
    cards, actions = (np.asarray(x) @ layer.weights + layer.bias for x, layer in
                      ((CARDS, block.cards), (TAKEN, block.actions)))  # fmt: skip
    for n in range(3):
        x = np.moveaxis(np.asarray(BOARD[n]), 0, -1)
        x = convolved(convolved(x, block.first, seen.first), block.second, seen.second).reshape(-1)
        assert x.shape == (128,)
        x = np.concatenate([x, cards[n], actions[n]])
        assert x.shape == (178,)
        for layer in (block.third, block.fourth):
            x = np.maximum(x @ layer.weights + layer.bias, 0)
        assert x.shape == (256,)
        np.testing.assert_allclose(found[n], x, rtol=2e-3, atol=2e-4)


def test_convolutions_agree_with_the_library() -> None:
    x, kernel = jax.random.normal(KEY, (3, 5, 5, 6)), jax.random.normal(KEY, (54, 7))
    for mine, board in ((_convolve, x), (_convolve_four, x[:, :2, :2]), (_convolve, x[:, :2, :2])):
        expected = jax.lax.conv_general_dilated(
            board, kernel.reshape(3, 3, 6, 7), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        np.testing.assert_allclose(mine(board, kernel), expected, rtol=1e-3, atol=1e-4)
    assert _pool(x).shape == (3, 2, 2, 6)
    assert float(_pool(x)[1, 1, 0, 3]) == float(x[1, 2:4, 0:2, 3].max())


# A channel with values 1, 3 and another with 10, 10: means 2 and 10, variances 1 and 0.
def test_batch_normalisation_by_hand() -> None:
    x = jnp.array([[1.0, 10.0], [3.0, 10.0]])
    norm, averages = BatchNorm(jnp.array([2.0, 1.0]), jnp.array([0.5, 7.0])), Moments(jnp.zeros(2), jnp.ones(2))
    by_batch, after = normalise(norm, averages, x, True)
    np.testing.assert_allclose(by_batch, [[-1.5, 7.0], [2.5, 7.0]], rtol=1e-4)
    np.testing.assert_allclose(after.mean, [MOMENTUM * 2, MOMENTUM * 10], rtol=1e-5)
    np.testing.assert_allclose(after.variance, [1.0, 1 - MOMENTUM], rtol=1e-5)
    by_averages, same = normalise(norm, averages, x, False)
    np.testing.assert_allclose(by_averages, [[2.5, 17.0], [6.5, 17.0]], rtol=1e-4)
    assert same is averages
    told = jax.jit(normalise)
    for learning, expected, kept in ((True, by_batch, after), (False, by_averages, averages)):
        found, moments = told(norm, averages, x, jnp.bool_(learning))
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        np.testing.assert_allclose(jnp.stack(moments), jnp.stack(kept), rtol=1e-6)


def test_masked_output() -> None:
    logits = jnp.log(jnp.array([[0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.25, 0.25]]))
    valid = jnp.array([[True, False, True, False], [False] * 4, [True] * 4])
    np.testing.assert_allclose(masked(logits, valid), [[0.25, 0, 0.75, 0], [0] * 4, [0.25] * 4], rtol=1e-5)
    far = jnp.array([[900.0, -900.0, -901.0]])  # what is valid has a share of e^-1800
    shares = masked(far, jnp.array([[False, True, True]]))
    np.testing.assert_allclose(shares, [[0, 1 / (1 + np.exp(-1)), 1 / (1 + np.e)]], rtol=1e-5)
    slopes = jax.grad(lambda x: masked(x, valid)[:, 0].sum())(logits)
    np.testing.assert_allclose(slopes[0], [0.1875, 0, -0.1875, 0], atol=1e-6)
    assert bool(jnp.isfinite(slopes).all())
