"""Players who think until their time is up: `alphabeta:1s`, `alphabeta:0.5s:mobility`.

What decides by the clock is no pure function, so these are no players to be compiled into a batch or a learner: they
are asked on the host (`Player.asked`), where compiled pieces of a search are called until the time is over. Everything
is compiled before the clock starts.
"""

import math
import re
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S
from ludens.core.player import Decision, Player
from ludens.core.types import Key
from ludens.players.alpha_beta import AlphaBeta
from ludens.players.evaluators import END_GAMES, evaluator
from ludens.search.deep import LEVELS, TO_THE_END, DeepSearch
from ludens.search.transpositions import SLOTS

SECONDS = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)s")
LONGEST = 3600.0
STEP = 0.02
"""Seconds between two looks at the clock, if a search has that many left."""
DEEPEST = LEVELS - 16
"""Plies that are looked ahead, exchanges apart."""
MOST_LEFT = 24
"""Empty squares with which an end game is tried; in a second some 18 are solved."""
DOUBT = 1.3
"""Standard deviations by which a shallow search must convince, where an evaluator says how wrong it can be."""
SPARE = 0.005
"""Seconds kept back for the last look and for what comes after it."""


class Found(NamedTuple):
    """What a search found out."""

    finished: bool
    choice: int
    best: float
    scores: Any
    """Of root moves, NumPy `float32[A]`: values or bounds, -inf if they were not looked at."""


def until(end: float) -> Callable[[], float]:
    """Tells how many seconds are left until then, by the monotonic clock."""
    return lambda: end - time.monotonic()


def is_time(word: str) -> bool:
    """Whether a word of a spec is a time, such as `1s` or `0.5s`."""
    return re.fullmatch(r"[0-9.]+s", word) is not None


def seconds(word: str) -> float:
    """The time that a word of a spec stands for; ValueError says what was expected."""
    found = SECONDS.fullmatch(word)
    if not found or not 0 < float(found[1]) <= LONGEST:
        raise ValueError(f"the time is '{word}': expected seconds such as 1s or 0.5s, at most {LONGEST:.0f}s")
    return float(found[1])


@dataclass(frozen=True)
class Timed(Player[S]):
    """One who decides by the clock."""

    compiled: ClassVar[bool] = False

    def act(self, params: Any, key: Key, view: S) -> Decision:
        raise ValueError("who decides by the clock is asked on the host: expected a player that can be compiled")

    def act_batch(self, params: Any, keys: Key, views: S) -> Decision:
        return self.act(params, keys, views)


@dataclass(frozen=True)
class TimedAlphaBeta(Timed[S]):
    """Looks one ply further ahead as long as there is time, and plays the best move found.

    Scores are values in the evaluator's own units, an end that is in sight counting `evaluator.win`; those of moves
    that were refuted are bounds below the best. When it analyses, they are all true values.
    """

    evaluator: Evaluator[S]
    seconds: float = 1.0

    @classmethod
    def plays(cls, game: Game[Any]) -> bool:
        return AlphaBeta.plays(game)

    @classmethod
    def from_options(cls, game: Game[S], options: tuple[str, ...]) -> Self:
        """`1s` or `0.5s:positional`."""
        return cls(game, evaluator(options[1:], game), seconds(options[0]))

    def init(self, key: Key) -> Any:
        return self.evaluator.init(key)

    def asked(self, params: Any, key: Key, view: S, *, analyse: bool = False) -> Callable[[Key, S], Decision]:
        home = jax.devices("cpu")[0]  # one loop of small steps: an accelerator would only be slower
        thinker = _Deepening(self, jax.device_put(params, home), jax.device_get(view), home, analyse=analyse)
        return lambda key, view: thinker.decide(jax.device_get(view))


class Pieces:
    """A search made ready: compiled, with its table of positions, which serves the moves to come as well."""

    def __init__(
        self,
        game: Game[Any],
        evaluator: Evaluator[Any],
        params: Any,
        view: Any,
        home: jax.Device,
        *,
        slots: int = SLOTS,
    ) -> None:
        search = DeepSearch(game, evaluator, quiescence=True)
        order = np.zeros(game.num_actions, np.float32)
        with jax.default_device(home):  # which holds for this thread only
            self.params, self.table = params, search.empty_table(slots)
            self.one_ply = jax.jit(search.one_ply).lower(params, view).compile()
            start = (view, self.table, order, np.int32(2), np.bool_(False), np.zeros(2, np.float32), np.float32(0))
            self.begin = jax.jit(search.begin, donate_argnums=1).lower(*start).compile()
            shapes = jax.eval_shape(search.begin, *start)
            self.proceed = jax.jit(search.proceed, donate_argnums=1).lower(params, shapes, np.int32(0)).compile()
        self.speed = 100_000.0  # turns a second, until it is known

    def beside(self) -> "Pieces":
        """Another one, with a table of its own, for another core."""
        other = copy(self)
        other.table = jnp.zeros_like(self.table)
        return other

    def look(self, view: Any) -> tuple[Any, Any]:
        """Values one move on and where the game ends, as NumPy arrays `[A]`."""
        order, over = self.one_ply(self.params, view)
        return np.array(order), np.array(over)

    def search(
        self,
        view: Any,
        order: Any,
        left: Callable[[], float],
        *,
        depth: int,
        exact: bool,
        window: tuple[float, float],
        doubt: float = 0.0,
    ) -> Found:
        """What is found until the search is over, or until no seconds are `left`."""
        bounds = np.array(window, np.float32)
        asked = (np.int32(depth), np.bool_(exact), bounds, np.float32(doubt))
        dive = self.begin(view, self.table, order, *asked)
        while int(dive.level) >= 0 and (seconds := left()) > 0:
            start, turns = time.monotonic(), max(64, int(self.speed * min(STEP, seconds)))
            dive = self.proceed(self.params, dive, np.int32(turns))
            if int(dive.level) >= 0:
                self.speed = turns / (time.monotonic() - start)
        self.table = dive.table
        scores = np.array(dive.scores)[:-1]
        return Found(int(dive.level) < 0, int(dive.nodes.choice[1]), float(dive.nodes.best[1]), scores)


class _Deepening:
    """One who looks a ply further at a time; and, where final scores are known, at the end game on another core."""

    def __init__(self, player: TimedAlphaBeta[Any], params: Any, view: Any, home: jax.Device, *, analyse: bool) -> None:
        self.seconds, self.win, self.analyse = player.seconds, player.evaluator.win, analyse
        self.doubt = 0.0 if analyse else DOUBT
        self.end: Future[Pieces] | None = None
        self.middle = Pieces(player.game, player.evaluator, params, view, home)
        if make_end_game := END_GAMES.get(player.game.id):
            end_game = make_end_game(player.game)
            with jax.default_device(home):
                self.left = jax.jit(end_game.left).lower(view).compile()
            self.beside = ThreadPoolExecutor(1)
            # Compiled while the first moves are thought about: whoever asks in the opening need not wait for it.
            self.end = self.beside.submit(Pieces, player.game, end_game, None, view, home)
            if int(self.left(view)) <= MOST_LEFT:
                self.end.result()

    def decide(self, view: Any) -> Decision:
        """The best move, and what is known of the others, when the time is over or nothing is left to find out."""
        left = until(time.monotonic() + self.seconds - SPARE)
        order, over = self.middle.look(view)
        legal = order > -np.inf
        wins = not self.analyse and order[over].max(initial=-math.inf) >= self.win
        if legal.sum() <= 1 or (over == legal).all() or wins:
            return _decision(int(order.argmax()), order)
        solving = None
        if self.end is not None and int(self.left(view)) <= MOST_LEFT:
            solving = self.beside.submit(self._solve, self.end.result(), view, left)
        choice, scores = self._deepen(view, order, over, left, solving)
        if solving is not None and (solved := solving.result()) is not None:
            choice, scores = solved[0], np.where(np.isnan(solved[1]), scores, solved[1])
        return _decision(choice, scores)

    def _deepen(
        self, view: Any, order: Any, over: Any, left: Callable[[], float], solving: Future[Any] | None
    ) -> tuple[int, Any]:
        """Ply by ply."""
        scores, choice = order, int(order.argmax())
        window = (-math.inf, math.inf if self.analyse else self.win)
        for depth in range(2, DEEPEST):
            found = self.middle.search(
                view, scores, left, depth=depth, exact=self.analyse, window=window, doubt=self.doubt
            )
            values = np.where(over, order, found.scores)
            if not found.finished and (self.analyse or not values[choice] > -np.inf):
                break  # what is known of this depth says nothing yet
            choice, best = found.choice, found.best
            scores = np.where(values > -np.inf, values, scores)
            if not self.analyse:
                scores = _below_the_best(scores, choice, best)
            decided = best >= self.win or scores.max() <= -self.win
            if not found.finished or decided or (solving and solving.done()):
                break
        return choice, scores

    def _solve(self, end: Pieces, view: Any, left: Callable[[], float]) -> tuple[int, Any] | None:
        """The best move by final scores, and values for what they say of moves (NaN: nothing); None if too far away."""
        order, over = end.look(view)
        if self.analyse:
            found = end.search(view, order, left, depth=TO_THE_END, exact=True, window=(-math.inf, math.inf))
            scores = np.where(over, order, found.scores)
            return (int(scores.argmax()), self._values(scores)) if found.finished else None
        result = end.search(view, order, left, depth=TO_THE_END, exact=False, window=(-0.5, 0.5))
        if not result.finished:
            return None
        window = (0.0, math.inf) if result.best > 0 else (-math.inf, 0.0)
        found = end.search(view, order, left, depth=TO_THE_END, exact=False, window=window) if result.best else result
        if not found.finished and result.best < 0:
            return None  # lost, but nobody knows by how much: the deepest search has the best chances
        found = found if found.finished else result
        return found.choice, self._values(
            _below_the_best(np.where(order > -np.inf, -64.0, order), found.choice, found.best)
        )

    def _values(self, scores: Any) -> Any:
        """Final scores as values: won or lost for certain, by more the better."""
        return np.where(np.isfinite(scores), np.sign(scores) * self.win + scores / 64, scores)


def _below_the_best(scores: Any, choice: int, best: float) -> Any:
    """Scores in which nothing is as good as the choice: bounds may be."""
    return np.where(np.arange(len(scores)) == choice, best, np.minimum(scores, np.nextafter(np.float32(best), -np.inf)))


def _decision(choice: int, scores: Any) -> Decision:
    return Decision(jnp.int32(choice), jnp.asarray(scores, jnp.float32))
