"""Plain minimax and expectiminimax: every move, every outcome, no pruning, no order. Slow and easy to believe.

Trees are walked depth first in padded batches, so that hundreds of positions take seconds.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game

BATCH = 8192


def scores(game: Game[Any], evaluator: Evaluator[Any], params: Any, states: Any, depth: int) -> np.ndarray:
    """Value of each action to the mover, `float[B, A]`; -inf where illegal. `states` is a batch `[B]`."""
    tools = _tools(game, evaluator, params)
    count = len(jax.tree.leaves(states)[0])
    legal = tools["legal"](states)[:count]
    result = np.full(legal.shape, -np.inf)
    rows, actions = np.nonzero(legal)
    result[rows, actions] = _after_actions(game, tools, states, rows, actions, depth - 1)
    return result


def _values(game: Game[Any], tools: dict[str, Callable[..., Any]], states: Any, depth: int) -> np.ndarray:
    """Value of each position to its mover, `float[N]`, somebody's turn or the end."""
    over, outcome, judged, legal = (tools[name](states) for name in ("done", "outcome", "value", "legal"))
    if depth == 0:
        return np.where(over, outcome, judged).astype(float)
    best = np.where(over, outcome, -np.inf).astype(float)
    rows, actions = np.nonzero(legal)
    if len(rows):
        np.maximum.at(best, rows, _after_actions(game, tools, states, rows, actions, depth - 1))
    return best


def _after_actions(game: Game[Any], tools: Any, states: Any, rows: Any, actions: Any, depth: int) -> np.ndarray:
    """Value to the mover of `states[rows]` of playing `actions`, with `depth` plies to come and fate averaged over."""
    found = []
    for start in range(0, len(rows), BATCH):
        some = slice(start, start + BATCH)
        parents = jax.tree.map(lambda x, some=some: x[rows[some]], states)
        children = tools["apply"](parents, actions[some].astype(np.int32))
        same = tools["side"](parents) == tools["side"](children)
        found.append(np.where(same, 1, -1) * _expected(game, tools, children, depth))
    return np.concatenate(found)


def _expected(game: Game[Any], tools: Any, states: Any, depth: int) -> np.ndarray:
    """Value of positions in which fate may be due; an evaluator judges before fate acts, as at every leaf."""
    if not game.rolls or depth == 0:
        return _values(game, tools, states, depth)
    chance, over = tools["chance"](states), tools["done"](states)
    values = np.where(over, tools["outcome"](states), 0).astype(float)
    for c in range(game.num_chance):
        if not chance[:, c].any():
            continue
        rolled = tools["roll"](states, np.full(len(chance), c, np.int32))
        values += np.where(chance[:, c] > 0, chance[:, c].astype(float) * _values(game, tools, rolled, depth), 0)
    return values


def _tools(game: Game[Any], evaluator: Evaluator[Any], params: Any) -> dict[str, Callable[..., Any]]:
    """The rules on padded batches of one size each, as numpy in and numpy out."""
    functions: dict[str, Callable[..., Any]] = {
        "legal": game.legal,
        "done": game.done,
        "outcome": evaluator.outcome,
        "value": partial(evaluator.value, params),
        "side": lambda s: game.side(game.player(s)),
        "apply": game.apply,
        "chance": game.chance,
        "roll": game.roll,
    }

    def on_batches(function: Callable[..., Any]) -> Callable[..., Any]:
        compiled = jax.jit(jax.vmap(function))

        def run(*args: Any) -> Any:
            count = len(jax.tree.leaves(args[0])[0])
            size = 512 if count <= 512 else BATCH
            padded = jax.tree.map(lambda x: jnp.asarray(np.resize(np.asarray(x), (size, *x.shape[1:]))), args)
            return jax.tree.map(lambda x: np.asarray(x)[:count], compiled(*padded))

        return run

    return {name: on_batches(function) for name, function in functions.items()}
