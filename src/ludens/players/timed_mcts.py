"""Monte Carlo tree search until the time is up: `mcts:1s`, `mcts:0.5s:mobility`, `mcts:2s:run:DIR`."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.game import Game, S
from ludens.core.player import Decision
from ludens.core.types import Array, Key
from ludens.players.mcts import LANES, MCTS, WORLDS, decide, for_mover
from ludens.players.timed import SPARE, STEP, Timed, seconds
from ludens.search.mcts import EXPLORATION, MCTSResult, luck, puct, search, summary
from ludens.search.tree import Grower, Tree

NODES_A_SECOND = 8192
"""Room in a tree: more than are looked at in a second where anything is thought about them."""
MOST_NODES = 1 << 16
ROUND = 16 * WORLDS
"""Simulations between two looks at the clock where facts are hidden: 16 in each of so many worlds."""


@dataclass(frozen=True)
class TimedMCTS(Timed[S], MCTS[S]):
    """As `MCTS`, with as many simulations as there is time for; where facts are hidden, in as many worlds."""

    seconds: float = 1.0

    @classmethod
    def from_options(cls, game: Game[S], options: tuple[str, ...]) -> Self:
        """`1s`; an evaluator's name, or `run` and a folder, if somebody else is to judge the leaves."""
        judge = MCTS.from_options(game, ("1", *options[1:])).evaluator
        return cls(game, evaluator=judge, seconds=seconds(options[0]))

    def asked(self, params: Any, key: Key, view: S, *, analyse: bool = False) -> Callable[[Key, S], Decision]:
        view = jax.device_get(view)
        if self.game.hidden:
            return _Rounds(self, params, key, view).decide
        each = analyse and self.evaluator is not None and not self.game.rolls
        return _Growing(self, params, key, view, each=each).decide

    @property
    def capacity(self) -> int:
        """Nodes that a tree has room for."""
        return min(MOST_NODES, 1 << int(np.ceil(np.log2(max(1.0, self.seconds) * NODES_A_SECOND))))


class _Growing:
    """A tree that grows, or one behind `each` move, as `MCTS.analyse` has it."""

    def __init__(self, player: TimedMCTS[Any], params: Any, key: Key, view: Any, *, each: bool) -> None:
        game = self.game = player.game
        self.seconds, self.params, self.each, self.room = player.seconds, params, each, player.capacity - 1
        grower = Grower(game, player.judge(game), game.num_chance > 0)
        self.lanes = LANES if each else 1

        def plant(params: Any, key: Key, states: Any) -> Tree:
            keys = jax.random.split(key, self.lanes)
            return grower.plant(params, keys, states, jax.vmap(game.player)(states), player.capacity)

        def grow(params: Any, tree: Tree, simulations: Any) -> Tree:
            return grower.grow(params, tree, partial(puct, EXPLORATION), luck(tree), simulations)

        def read(tree: Tree, key: Key, states: Any) -> Decision:
            noise = jax.random.bits(key, (self.lanes,), jnp.uint32)
            return jax.vmap(decide)(summary(grower, tree), jax.vmap(game.legal)(states), noise)

        def behind(view: Any, actions: Array) -> Any:
            return jax.vmap(game.apply, (None, 0))(view, actions)

        def worth(view: Any, states: Any, values: Array) -> Array:
            """What values of positions behind moves say of the moves."""
            return jax.vmap(partial(for_mover, game, view))(states, values)

        states = jax.tree.map(lambda x: np.repeat(np.asarray(x)[None], self.lanes, axis=0), view)
        self.plant = jax.jit(plant).lower(params, key, states).compile()
        tree = jax.eval_shape(plant, params, key, states)
        self.grow = jax.jit(grow, donate_argnums=1).lower(params, tree, np.int32(1)).compile()
        self.read = jax.jit(read).lower(tree, key, states).compile()
        self.behind, self.worth = jax.jit(behind), jax.jit(worth)
        self.legal = jax.jit(game.legal).lower(view).compile()
        self.split = jax.jit(jax.random.split).lower(key).compile()
        self.speed = 200.0  # simulations a second, until it is known
        if each:  # before the clock starts
            self.worth(view, self.behind(view, np.zeros(self.lanes, np.int32)), np.zeros(self.lanes, np.float32))

    def decide(self, key: Key, view: Any) -> Decision:
        """The move most looked into; or each one judged by a search behind it."""
        start, view = time.monotonic(), jax.device_get(view)
        legal = np.flatnonzero(self.legal(view))
        if not self.each:
            until = start if len(legal) == 1 else start + self.seconds - SPARE
            found = self._search(key, jax.tree.map(lambda x: np.asarray(x)[None], view), until)
            return Decision(found.action[0], found.scores[0])
        scores = np.full(self.game.num_actions, -np.inf, np.float32)
        parts = np.array_split(legal, -(-len(legal) // self.lanes))
        for number, actions in enumerate(parts, start=1):
            states = self.behind(view, np.resize(actions, self.lanes).astype(np.int32))
            until = start + self.seconds * number / len(parts) - SPARE
            found = self._search(key, jax.device_get(states), until)
            values = np.asarray(found.scores)[np.arange(self.lanes), np.asarray(found.action)]
            scores[actions] = np.asarray(self.worth(view, states, values))[: len(actions)]
        return Decision(jnp.int32(scores.argmax()), jnp.asarray(scores))

    def _search(self, key: Key, states: Any, until: float) -> Decision:
        """Grow trees for `states` `[lanes]` until then, or until their room is used up."""
        think, draw = self.split(key)
        tree, grown = self.plant(self.params, think, states), 0
        while grown < self.room and ((left := until - time.monotonic()) > 0 or not grown):
            start, number = time.monotonic(), max(1, min(self.room - grown, int(self.speed * min(STEP, left))))
            tree = self.grow(self.params, tree, np.int32(number))
            tree.size.block_until_ready()
            grown += number
            self.speed = number / (time.monotonic() - start)
        decision: Decision = self.read(tree, draw, states)
        return decision


class _Rounds:
    """Where facts are hidden: round after round in other worlds, all of them added up."""

    def __init__(self, player: TimedMCTS[Any], params: Any, key: Key, view: Any) -> None:
        game = player.game.one_deal
        self.seconds, self.params = player.seconds, params

        def look(params: Any, key: Key, view: Any) -> MCTSResult:
            views = jax.tree.map(lambda x: jnp.asarray(x)[None], view)
            judge = player.judge(game)
            return search(game, judge, params, key[None], views, simulations=ROUND, worlds=WORLDS)

        def read(visits: Array, values: Array, view: Any, key: Key) -> Decision:
            found = MCTSResult(visits[0], values[0], values[0])
            return decide(found, game.legal(view), jax.random.bits(key, dtype=jnp.uint32))

        self.look = jax.jit(look).lower(params, key, view).compile()
        numbers = jnp.zeros((1, game.num_actions), jnp.float32)
        self.read = jax.jit(read).lower(numbers, numbers, view, key).compile()
        self.fold = jax.jit(jax.random.fold_in).lower(key, np.uint32(0)).compile()

    def decide(self, key: Key, view: Any) -> Decision:
        start, view, count, longest = time.monotonic(), jax.device_get(view), 0, 0.0
        visits = total = np.zeros((), np.float32)
        while not count or time.monotonic() - start + longest < self.seconds - SPARE:
            begun = time.monotonic()
            found = self.look(self.params, self.fold(key, np.uint32(count)), view)
            seen = np.asarray(found.visits)
            visits, total, count = visits + seen, total + seen * np.asarray(found.values), count + 1
            longest = max(longest, time.monotonic() - begun)
        values = np.asarray(total / np.maximum(visits, 1), np.float32)
        decision: Decision = self.read(np.asarray(visits, np.float32), values, view, self.fold(key, np.uint32(count)))
        return decision
