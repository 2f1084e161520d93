"""Players who think until their time is up: `alphabeta:1s`, `alphabeta:0.5s:mobility`.

What decides by the clock is no pure function, so these are no players to be compiled into a batch or a learner: they
are asked on the host (`Player.asked`), where compiled pieces of a search are called until the time is over. Everything
is compiled before the clock starts.
"""

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S
from ludens.core.player import Decision, Player
from ludens.core.types import Key
from ludens.players.alpha_beta import AlphaBeta
from ludens.players.evaluators import evaluator
from ludens.search.deep import LEVELS, DeepSearch, Dive

SECONDS = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)s")
LONGEST = 3600.0
STEP = 0.02
"""Seconds between two looks at the clock, if a search has that many left."""
SPARE = 0.005
"""Seconds kept back for the last look and for what comes after it."""


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
        thinker = _Deepening(self, params, view, analyse=analyse)
        return lambda key, view: thinker.decide(view)


class _Deepening:
    """A search that goes one ply deeper at a time; what it met stays in its table for the moves to come."""

    def __init__(self, player: TimedAlphaBeta[Any], params: Any, view: Any, *, analyse: bool) -> None:
        self.game, self.seconds, self.win = player.game, player.seconds, player.evaluator.win
        self.params, self.analyse = params, jnp.bool_(analyse)
        search = DeepSearch(player.game, player.evaluator)
        self.table = search.empty_table()
        self.one_ply = jax.jit(search.one_ply).lower(params, view).compile()
        order, _ = self.one_ply(params, view)
        start = (view, self.table, order, jnp.int32(2), self.analyse)
        self.begin = jax.jit(search.begin, donate_argnums=1).lower(*start).compile()
        shapes = jax.eval_shape(search.begin, *start)
        self.proceed = jax.jit(search.proceed, donate_argnums=1).lower(params, shapes, jnp.int32(0)).compile()
        self.speed = 100_000.0  # turns a second, until it is known

    def decide(self, view: Any) -> Decision:
        """The best move, and what is known of the others, when the time is over or nothing is left to find out."""
        until = time.monotonic() + self.seconds - SPARE
        order, over = (np.asarray(x) for x in self.one_ply(self.params, view))
        scores, choice = order, int(order.argmax())
        legal = order > -np.inf
        wins = not self.analyse and order[over].max(initial=-math.inf) >= self.win
        if legal.sum() <= 1 or (over == legal).all() or wins:
            return _decision(choice, scores)
        for depth in range(2, LEVELS):
            dive = self.begin(view, self.table, jnp.asarray(scores), jnp.int32(depth), self.analyse)
            dive = self._until(dive, until)
            self.table, finished = dive.table, int(dive.level) < 0
            found = np.where(over, order, np.asarray(dive.scores)[:-1])
            if not finished and (self.analyse or not found[choice] > -np.inf):
                break  # what is known of this depth says nothing yet
            choice, best = int(dive.nodes.choice[1]), float(dive.nodes.best[1])
            known = found > -np.inf
            scores = np.where(known, found, scores)
            if not self.analyse:  # bounds may be as good as the best
                scores = np.where(
                    np.arange(len(scores)) == choice, best, np.minimum(scores, math.nextafter(best, -math.inf))
                )
            decided = best >= self.win or scores.max() <= -self.win
            if not finished or decided or time.monotonic() >= until:
                break
        return _decision(choice, scores)

    def _until(self, dive: Dive, until: float) -> Dive:
        """Proceed to the end of a search or of the time."""
        while (left := until - time.monotonic()) > 0:
            start, turns = time.monotonic(), max(64, int(self.speed * min(STEP, left)))
            dive = self.proceed(self.params, dive, jnp.int32(turns))
            if int(dive.level) < 0:
                break
            self.speed = turns / (time.monotonic() - start)
        return dive


def _decision(choice: int, scores: Any) -> Decision:
    return Decision(jnp.int32(choice), jnp.asarray(scores, jnp.float32))
