"""Puzzles: positions with exactly one best move, and how deep a search must look to find it.

Positions are met in random play and judged exactly, by the game's oracle or, where the game has exact end games, by a
search to the end. A puzzle's grade is the depth from which on `alphabeta` (`expectimax` where fate acts), with the
game's usual evaluator, prefers the best move to all others; what it sees at depth 1 is no puzzle.

Shapes: `N` positions, `A` actions.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.game import Game, S, legal_actions, random_action, step
from ludens.core.types import Array, Key
from ludens.oracles import oracle_for, solvable
from ludens.oracles.oracle import Lookup, Oracle
from ludens.oracles.regret import positions
from ludens.oracles.store import load
from ludens.players.evaluators import END_GAMES, evaluator
from ludens.search.alpha_beta import alpha_beta
from ludens.search.expectimax import expectimax

DRAWN = 64
"""N: positions drawn and graded together."""
ROUNDS = 60
"""Times that this is done before it is said that there are too few puzzles."""
DEEPEST, DEEPEST_WITH_FATE = 6, 3
"""How deep the graders look; what they never find is graded one deeper."""
CLEAR = 0.02
"""What the best move must be better by where values are chances of winning."""
LEFT = (6, 10)
"""Moves that are left, from and to, in the end games of which puzzles are made."""


class Puzzle(NamedTuple):
    position: str
    mover: int  # the seat
    best: str
    grade: int
    values: dict[str, float]  # of every legal move, best first
    refutations: dict[str, str]  # the best reply to each wrong move; none where fate comes between


@dataclass(frozen=True)
class Judge(ABC, Generic[S]):
    """Who knows what every move is worth."""

    game: Game[S]

    @property
    @abstractmethod
    def clear(self) -> float:
        """What a best move must be better by than any other."""

    @abstractmethod
    def draw(self, key: Key) -> Any:
        """States `[N]` in which somebody decides, on the host."""

    @abstractmethod
    def values(self, states: Any) -> tuple[np.ndarray, np.ndarray]:
        """Values `float32[N, A]` of the moves in states `[N]`, -inf where illegal, and an order that refines them."""


@dataclass(frozen=True, eq=False)
class Solved(Judge[S]):
    """By the oracle's table."""

    oracle: Oracle[S]
    table: Lookup

    @property
    def clear(self) -> float:
        return CLEAR if self.oracle.values_are == "probability" else 0.5

    def draw(self, key: Key) -> Any:
        return jax.tree.map(np.asarray, positions(self.oracle, self.table, DRAWN, key))

    def values(self, states: Any) -> tuple[np.ndarray, np.ndarray]:
        found = _looked_up(self.oracle, self.table, states)
        return np.asarray(found[0]), np.asarray(found[1])


@dataclass(frozen=True, eq=False)
class Searched(Judge[S]):
    """By a search to the end: values are final scores."""

    clear = 1.0  # a disc

    def draw(self, key: Key) -> Any:
        return jax.tree.map(np.asarray, _late(self.game, key))

    def values(self, states: Any) -> tuple[np.ndarray, np.ndarray]:
        scores = np.asarray(_to_the_end(self.game, states))
        return scores, scores


def judge_of(game: Game[S]) -> Judge[S]:
    """Who judges `game` exactly; ValueError if nobody can."""
    if oracle_for(game) is None and game.id in END_GAMES:
        return Searched(game)
    solvable(game)
    oracle, solution = load(game)
    return Solved(game, oracle, {name: jnp.asarray(array) for name, array in solution.table.items()})


def puzzles(game: Game[S], number: int, seed: int) -> Iterator[Puzzle]:
    """So many different puzzles, as they are found; ValueError if there are not enough."""
    judge = judge_of(game)
    seen: set[str] = set()
    for key in jax.random.split(jax.random.key(seed), ROUNDS):
        states = judge.draw(key)
        values = judge.values(states)[0]
        grades = _grades(game, states, values.argmax(axis=1))
        ordered = np.sort(values, axis=1)
        wanted = (ordered[:, -1] - ordered[:, -2] >= judge.clear) & (ordered[:, -2] > -np.inf) & (grades > 1)
        for row in np.flatnonzero(wanted):
            s = jax.tree.map(lambda x, row=row: jnp.asarray(x[row]), states)
            if (text := game.show(s)) not in seen:
                seen.add(text)
                yield _puzzle(judge, s, text, values[row], int(grades[row]))
            if len(seen) == number:
                return
    raise ValueError(f"random play in {game.id} met {len(seen)} puzzles: expected {number}, ask for fewer")


def _puzzle(judge: Judge[S], s: S, text: str, values: np.ndarray, grade: int) -> Puzzle:
    game = judge.game
    moves = sorted(legal_actions(game, s), key=lambda a: -values[a])
    # Adding 0 makes a plain 0 of a draw that came as -0.
    worth = {game.name(a, s): round(float(values[a]), 6) + 0.0 for a in moves}
    return Puzzle(text, int(game.player(s)), next(iter(worth)), grade, worth, _refutations(judge, s, moves[1:]))


def _refutations(judge: Judge[S], s: S, wrong: list[int]) -> dict[str, str]:
    """The best reply to each wrong move, by names."""
    game = judge.game
    if game.rolls:
        return {}
    after = [game.apply(s, a) for a in wrong]
    filled = [after[min(i, len(after) - 1)] for i in range(DRAWN)]  # one size, so that one program serves all
    order = judge.values(jax.tree.map(lambda *leaves: np.stack(leaves), *filled))[1]
    replies = zip(wrong, after, order, strict=False)
    return {game.name(a, s): game.name(int(row.argmax()), t) for a, t, row in replies if legal_actions(game, t)}


def _grades(game: Game[S], states: Any, best: np.ndarray) -> np.ndarray:
    """The depth from which on a search prefers `best` `int[N]`, `int[N]`; one more than the deepest if none does."""
    deepest = DEEPEST_WITH_FATE if game.rolls else DEEPEST
    grades = np.full(len(best), deepest + 1)
    for depth in range(deepest, 0, -1):
        scores = np.asarray(_scores(game, states, depth))
        rows = np.arange(len(best))
        mine = scores[rows, best]
        others = np.where(np.arange(scores.shape[1]) == best[:, None], -np.inf, scores).max(axis=1)
        grades = np.where((mine > others) & (grades == depth + 1), depth, grades)
    return grades


def _scores(game: Game[S], states: Any, depth: int) -> Array:
    """What a search of `depth` thinks of each move, `float32[N, A]`."""
    scores: Array = _with_fate(game, depth, states) if game.rolls else _without(game, states, jnp.int32(depth))
    return scores


@partial(jax.jit, static_argnums=(0, 1))
def _with_fate(game: Game[S], depth: int, states: Any) -> Array:
    judge = evaluator((), game)
    scores: Array = jax.vmap(lambda s: expectimax(game, judge, None, s, depth=depth))(states)
    return scores


@partial(jax.jit, static_argnums=0)
def _without(game: Game[S], states: Any, depth: Array) -> Array:
    return alpha_beta(game, evaluator((), game), None, states, depth=DEEPEST, limit=depth, exact=True).scores


@partial(jax.jit, static_argnums=0)
def _looked_up(oracle: Oracle[S], table: Lookup, states: Any) -> tuple[Array, Array]:
    return jax.vmap(lambda s: (oracle.values(table, s), oracle.preference(table, s)))(states)


@partial(jax.jit, static_argnums=0)
def _to_the_end(game: Game[S], states: Any) -> Array:
    # Between two moves there can be a pass, so the end is at most twice as many plies away as moves are left.
    return alpha_beta(game, END_GAMES[game.id](game), None, states, depth=2 * LEFT[1], exact=True, width=8).scores


@partial(jax.jit, static_argnums=0)
def _late(game: Game[S], key: Key) -> Any:
    """One position of each of N random games, with as many moves left as drawn for it."""
    left: Callable[[S], Array] = END_GAMES[game.id](game).left  # type: ignore[assignment]

    def one(key: Key) -> S:
        start, many, moves = jax.random.split(key, 3)
        wanted = jax.random.randint(many, (), LEFT[0], LEFT[1] + 1)

        def turn(carry: tuple[S, Key]) -> tuple[S, Key]:
            s, key = carry
            key, choose = jax.random.split(key)
            return step(game, s, random_action(game, s, choose), key), key

        def early(carry: tuple[S, Key]) -> Array:
            return (left(carry[0]) > wanted) & ~game.done(carry[0])

        return jax.lax.while_loop(early, turn, (game.init(start), moves))[0]

    return jax.vmap(one)(jax.random.split(key, DRAWN))
