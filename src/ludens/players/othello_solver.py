"""End games of Othello solved on all cores: the final score with perfect play, and every move that leads to it.

Each core searches with a table of its own, and what they share out is questions: does this move lead to at least that
score? A question is a search to the end with nothing between alpha and beta, several times as fast as one for the score
itself. First a selective search guesses the score. Two questions about the most promising move, answered yes and no,
turn a guess into a proof; and every other move is asked whether it does as well, which hardly ever it does. Bounds that
do not fit the guess move it.

Scores of moves that are not best stay bounds, which is what makes it quick.
"""

import math
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import Any, NamedTuple

import jax
import numpy as np

from ludens.core.agent_files import HOME, fits, shipped
from ludens.core.compiling import CORES
from ludens.core.game import variant
from ludens.games.othello import Othello, State
from ludens.players.learned import learned
from ludens.players.othello import EndGame
from ludens.players.patterns import PatternAgent
from ludens.players.timed import DEEPEST, DOUBT, Pieces, until
from ludens.search.deep import TO_THE_END

MOST_EMPTY = 26
"""Empty squares of an end game that is solved in time: 20 take seconds, 24 minutes."""
SLOTS = 1 << 22
"""Places in a core's table, 16 bytes each."""
GUESSING = 18
"""Empty squares from which on it pays to guess first,"""
SECONDS = 1.0
"""and for how long."""
STEP = 2
"""Final scores are all even."""


class Move(NamedTuple):
    """What is known of a move's final score to the mover."""

    least: int
    most: int


class _Question(NamedTuple):
    """Does `move` lead to at least `score`?"""

    move: int
    score: int


class EndGameSolver:
    """Compiled once; its tables serve all positions that it is asked about."""

    def __init__(self, game: Othello, *, cores: int = CORES, slots: int = SLOTS) -> None:
        self.game, self.home = game, jax.devices("cpu")[0]
        start = jax.device_get(game.init(jax.random.key(0)))
        first = Pieces(game, EndGame(game), None, start, self.home, slots=slots)
        self.workers = [first, *(first.beside() for _ in range(cores - 1))]

    def solve(self, s: State, show: Callable[[float], None] = lambda done: None) -> dict[int, Move]:
        """Bounds of each legal move's final score: those of the best moves meet, and no other reaches their score.

        `show` is told what share of the moves is settled.
        """
        view, highest = jax.device_get(s), self.game.size**2
        order, over = self.workers[0].look(view)
        known = {
            int(a): Move(int(order[a]), int(order[a])) if over[a] else Move(-highest, highest)
            for a in np.flatnonzero(order > -np.inf)
        }
        empty = highest - int((s.own | s.opponent).total())
        guess, scores = _guess(self.game, view, self.home) if empty >= GUESSING else (0, order)
        guess = min(max(guess, -highest), highest)  # beyond, nothing would be left to ask
        moves = sorted(known, key=lambda a: -scores[a])
        return _Solving(self.game, view, self.workers, known, moves, guess, show).run() if moves else {}


class _Solving:
    """Questions that are asked until nothing is open."""

    def __init__(
        self,
        game: Othello,
        view: Any,
        workers: list[Pieces],
        known: dict[int, Move],
        order: list[int],
        guess: int,
        show: Callable[[float], None],
    ) -> None:
        self.workers, self.known, self.order, self.show = workers, known, order, show
        apply = jax.jit(game.apply)
        self.after = {a: jax.device_get(apply(view, np.int32(a))) for a in order}
        self.turned = {a: int(t.turn) != int(view.turn) for a, t in self.after.items()}
        self.guess, self.leader, self.shown = guess, order[0], 0.0

    def run(self) -> dict[int, Move]:
        idle, asked = list(self.workers), dict[Future[int | None], tuple[_Question, Pieces, Event]]()
        with ThreadPoolExecutor(len(self.workers)) as threads:
            try:
                while True:
                    for question in self._open():
                        if idle and all(question != other for other, _, _ in asked.values()):
                            stop, worker = Event(), idle.pop()
                            future = threads.submit(self._ask, worker, question, stop)
                            asked[future] = question, worker, stop
                    if not asked:
                        assert any(least == most == self.guess for least, most in self.known.values())
                        return self.known
                    for future in wait(asked, timeout=0.1, return_when=FIRST_COMPLETED).done:
                        question, worker, _ = asked.pop(future)
                        idle.append(worker)
                        if (bound := future.result()) is not None:
                            self._learn(question, bound)
                    for question, _, stop in asked.values():
                        if question not in self._open():
                            stop.set()
            finally:  # also when a person has enough
                for _, _, stop in asked.values():
                    stop.set()

    def _open(self) -> list[_Question]:
        """What must be known to be sure of the guess, most important first."""
        questions = []
        for a in [self.leader, *(a for a in self.order if a != self.leader)]:
            least, most = self.known[a]
            if least < self.guess <= most:
                questions.append(_Question(a, self.guess))
            if (a == self.leader or least >= self.guess) and least < self.guess + STEP <= most:
                questions.append(_Question(a, self.guess + STEP))
        return questions

    def _learn(self, question: _Question, bound: int) -> None:
        """Take in what a search found: at least `bound` if the answer is yes, else at most."""
        a, (least, most) = question.move, self.known[question.move]
        yes = bound >= question.score
        self.known[a] = Move(max(least, bound), most) if yes else Move(least, min(most, bound))
        best = max(self.known, key=lambda a: self.known[a].least)
        if self.known[best].least > self.known[self.leader].most:
            self.leader = best
        # The leader's score is the guess; if it is worse than was thought, that of all, unless another does better.
        self.guess = max(self.known[best].least, min(self.guess, self.known[self.leader].most))
        settled = sum(least == most or most < self.guess for least, most in self.known.values())
        self.shown = max(self.shown, settled / len(self.known))
        self.show(self.shown)

    def _ask(self, worker: Pieces, question: _Question, stop: Event) -> int | None:
        """A bound of the move's score to the mover that answers the question; None if it was stopped."""
        t, turned = self.after[question.move], self.turned[question.move]
        window = (question.score - STEP, question.score)
        found = worker.search(
            t,
            worker.look(t)[0],
            lambda: 0.0 if stop.is_set() else math.inf,
            depth=TO_THE_END,
            exact=False,
            window=(-window[1], -window[0]) if turned else window,
        )
        return int(-found.best if turned else found.best) if found.finished else None


def _guess(game: Othello, view: Any, home: jax.Device) -> tuple[int, Any]:
    """The score that tables that ship expect, and what they think of moves, `float32[A]`; nothing if there are none."""
    for name, facts in shipped(game.id).items():
        if facts["agent"].get("kind") == PatternAgent.kind and fits(facts, game.id, variant(game)):
            agent = learned(str(HOME / name), game)
            tables, evaluator = agent.init(jax.random.key(0)), agent.evaluator()
            return _deepened(Pieces(game, evaluator, tables, view, home), view, game.size**2)
    return 0, np.zeros(game.num_actions)


def _deepened(searching: Pieces, view: Any, highest: int) -> tuple[int, Any]:
    """As deep as `SECONDS` allow, until the end is in sight: a win counts `win`, which does not say by how much."""
    scores, _ = searching.look(view)
    best, left, window = float(scores.max()), until(time.monotonic() + SECONDS), (-math.inf, math.inf)
    for depth in range(2, DEEPEST):
        found = searching.search(view, scores, left, depth=depth, exact=False, window=window, doubt=DOUBT)
        if not found.finished or abs(found.best) > highest:
            break
        best, scores = found.best, np.where(found.scores > -np.inf, found.scores, scores)
        scores[found.choice] = np.inf  # the others have bounds that may be as high
    return STEP * round(best / STEP), scores
