"""What agents think of moves, in numbers that mean the same whoever is asked, and in words.

Scores of players are in units of their own. On the page a *value* is between -1 (lost) and +1 (won): scores of
searches and formulas are put on that scale by their evaluator, and an end in sight counts exactly. An oracle says
what is true: a result and how far away it is, or in Ur a chance.

Grades say what a move lost against the best there was, in units that still tell moves apart when a game is all but
decided:

    units                    best     good         inaccuracy    mistake          blunder
    result (oracle)          0        slower win   much slower   half a point     a whole point
    chance of winning (Ur)   0.05 %   under 2 %    under 5 %     under 10 %       more
    discs (Othello)          0.5      under 2      under 5       under 10         more
    value, -1 to 1           0.01     under 0.1    under 0.25    under 0.5        more
    tiles missing (Okey)     0        under 0.1    under 0.5     under 1          a tile, or a finish
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.evaluator import Evaluator
from ludens.core.player import Decision, Player
from ludens.core.types import Key
from ludens.games.othello import Othello
from ludens.games.ur import Ur
from ludens.oracles import solvable
from ludens.oracles.oracle import Oracle
from ludens.oracles.retrograde import FAR
from ludens.players.mcts import MCTS
from ludens.players.okey import SHOWN, OkeyGreedy
from ludens.players.optimal import Optimal
from ludens.players.othello import final_scores
from ludens.web.protocol import Question
from ludens.web.worker.render import JSON, Scene, presenter

GRADES = ("best", "good", "inaccuracy", "mistake", "blunder")
LOST_CHANCE = (0.0005, 0.02, 0.05, 0.10)
LOST_DISCS = (0.5, 2.0, 5.0, 10.0)
LOST_VALUE = (0.01, 0.1, 0.25, 0.5)
LOST_TILES = (1e-6, 0.1, 0.5, 0.999)
"""The most that a grade may have lost; whoever lost more than the last has blundered."""
DISCS = 10.0
"""In Othello, a lead that decides most games: a value is the hyperbolic tangent of a lead in such units."""
SUREST = 0.995
"""A value beyond which a lead in Othello is not told more exactly: 30 discs."""
EMPTY = 12
"""Empty squares of an end game in Othello that is solved on the spot, in a fraction of a second."""
SLOWER = 4
"""Plies by which a win may come later and the move still be good."""
LEVEL = 0.1
"""A value up to which neither side is ahead."""
FARTHEST = 14.0
"""Tiles that can be missing in Okey."""


class Judge:
    """A player who is asked for what it thinks of every legal move."""

    end: "EndGameJudge | None" = None
    """Who takes over as soon as the rest of the game can be solved."""

    def __init__(self, player: Player[Any], key: Key, view: Any, *, solve_ends: bool = False) -> None:
        """Compiled for keys and views like these. With `solve_ends`, the end of a game is judged exactly if it can be;
        without, by what the player itself thinks of it.
        """
        self.player, self.game = player, player.game
        if solve_ends and isinstance(self.game, Othello) and not isinstance(player, Optimal):
            self.end = EndGameJudge(self.game)
        self.params = player.init(jax.random.key(0))
        self.oracle: Oracle[Any] | None = solvable(self.game) if isinstance(player, Optimal) else None
        self._legal = jax.jit(self.game.legal).lower(view).compile()
        self._look = player.asked(self.params, key, view, analyse=True) if self.oracle is None else self._exactly(view)

    def _exactly(self, view: Any) -> Callable[[Key, Any], Decision]:
        """The oracle's preference for each action, asked like a player's scores."""
        assert self.oracle is not None
        prefer = jax.jit(self.oracle.preference).lower(self.params, view).compile()
        return lambda key, view: Decision(jnp.int32(0), prefer(self.params, view))

    def scores(self, key: Key, view: Any) -> dict[int, float]:
        """The player's own number for each legal action; an oracle's preference."""
        scores, legal = np.asarray(self._look(key, view).scores), np.asarray(self._legal(view))
        return {action: float(np.nan_to_num(scores[action], nan=0.0)) for action in np.flatnonzero(legal).tolist()}

    def judgement(self, key: Key, view: Any, question: Question) -> dict[str, JSON]:
        """What is told of a position: every legal move with its score, the position's value, and a grade if asked."""
        if self.end is not None and self.end.has_begun(view):
            return self.end.judgement(key, view, question)
        scores = self.scores(key, view)
        best = max(scores.values(), default=0.0)
        tolerance = 0.0 if self.oracle is None else self.oracle.tolerance
        told, shows = [], presenter(self.game.id)
        course = question.course
        scene = Scene(
            self.game, view, question.mover, question.mover, False, course.seed, course.movers, course.actions
        )
        for action, score in scores.items():
            told.append(
                {
                    **shows.move(scene, action),
                    "action": action,
                    "name": self.game.name(action, view),
                    "score": round(self.plain(score), 6),
                    "text": self.text(score),
                    "best": score >= best - tolerance,
                }
            )
        value = self.value(best) if scores else None
        judged: dict[str, JSON] = {
            "kind": self.kind,
            "moves": told,
            "value": None if value is None else round(self._for_looker(value, question), 6),
            "text": self.sentence(best, question) if scores else "",
            "exact": self.exact,
        }
        if question.played is not None:
            judged["played"] = self._graded(question.played, scores, told, best)
        return judged

    @property
    def exact(self) -> bool:
        """Whether it says what is true."""
        return self.oracle is not None

    @property
    def kind(self) -> str:
        """What scores on the page mean: `result`, `chance`, `probability` or `value`."""
        if self.oracle is not None:
            return "chance" if self.oracle.values_are == "probability" else "result"
        return self.player.scores_are

    def plain(self, score: float) -> float:
        """A score in the page's units: -1 to 1, a chance or a probability 0 to 1."""
        if self.kind == "result":
            return float(np.sign(score))
        if self.kind in ("chance", "probability"):
            return score
        if isinstance(self.player, OkeyGreedy):
            return 1.0 if score > 0 else max(-1.0, 1 + 2 * score / FARTHEST)
        if isinstance(self.player, MCTS):
            return score
        evaluator = getattr(self.player, "evaluator", None)
        if isinstance(evaluator, Evaluator):
            return float(evaluator.result(score))
        return max(-1.0, min(1.0, score))  # what was learned: results, or nearly so

    def value(self, best: float) -> float | None:
        """What the position is worth to the mover, -1 to 1; None where scores do not say so."""
        if self.kind == "probability" or isinstance(self.player, OkeyGreedy):
            return None
        return 2 * best - 1 if self.kind == "chance" else self.plain(best)

    def text(self, score: float) -> str:
        """A score as it stands on a square."""
        if self.kind == "result":
            return _result(score)
        if self.kind == "chance":
            return f"{100 * score:.1f} %"
        if self.kind == "probability":
            return f"{100 * score:.0f} %"
        if isinstance(self.player, OkeyGreedy):
            return "show" if score == SHOWN else "finishes" if score > 0 else f"{-score:.1f} missing"
        return f"{self.plain(score):+.2f}"

    def sentence(self, best: float, question: Question) -> str:
        """The position in words, for the mover."""
        who = presenter(self.game.id).seats(self.game)[question.mover]
        if self.kind == "result":
            return f"{who}: {_result(best)} with perfect play"
        if self.kind == "chance":
            return f"{who} wins {100 * best:.1f} % with perfect play"
        if self.kind == "probability":
            return f"{who} to move: how likely each move is"
        if isinstance(self.player, OkeyGreedy):
            return f"{who} can finish" if best > 0 else f"{who} misses about {-best:.1f} tiles"
        value = self.plain(best)
        stands = "stands well" if value > LEVEL else "stands badly" if value < -LEVEL else "is level"
        return f"{who} {stands} ({value:+.2f})"

    def _for_looker(self, value: float, question: Question) -> float:
        """A value for the mover as it counts for whoever looks."""
        looker = question.looker if self.game.hidden and question.looker is not None else 0
        ours, theirs = (int(self.game.side(jnp.int32(seat))) for seat in (looker, question.mover))
        return value if ours == theirs else -value

    def _graded(self, played: int, scores: dict[int, float], told: Sequence[JSON], best: float) -> dict[str, JSON]:
        """What the act that was played lost, in words."""
        score = scores.get(played, best)
        grade, loss, text = self._loss(score, best)
        better = [move for move in told if move["best"]]
        return {
            "grade": grade if len(scores) > 1 else GRADES[0],
            "loss": round(loss, 6),
            "best": [move["name"] for move in better],
            "best_moves": better,
            "text": "The only move." if len(scores) == 1 else text,
        }

    def _loss(self, score: float, best: float) -> tuple[str, float, str]:
        """The grade of a move, what it lost, and a sentence."""
        if self.kind == "result":
            lost = float(np.sign(best) - np.sign(score))
            later = abs(best - score) if lost == 0 else 0.0
            grade = _grade(lost, (0.0, 0.0, 0.0, 1.0)) if lost else _grade(later, (0.0, SLOWER, math.inf, math.inf))
            text = (
                f"Leads to a {_result(score)}; best was a {_result(best)}."
                if best != score
                else f"{_result(score).capitalize()}."
            )
            return grade, lost / 2, text
        if self.kind == "chance":
            lost = max(0.0, best - score)
            return _grade(lost, LOST_CHANCE), lost, f"Wins {100 * score:.1f} %; the best move {100 * best:.1f} %."
        if isinstance(self.player, OkeyGreedy):
            lost = max(0.0, best - score)
            grade = GRADES[-1] if best > 0 > score and best != SHOWN else _grade(lost, LOST_TILES)
            return grade, lost, f"Leaves {self.text(score)}; best was {self.text(best)}."
        text = f"Worth {self.plain(score):+.2f}; the best move {self.plain(best):+.2f}."
        if self.kind == "value" and isinstance(self.game, Othello):
            lost = max(0.0, _lead(self.plain(best)) - _lead(self.plain(score)))
            return _grade(lost, LOST_DISCS), lost, text
        lost = max(0.0, self.plain(best) - self.plain(score))
        in_ur = tuple(2 * chance for chance in LOST_CHANCE)  # a value of -1 to 1 is a chance of 0 to 1
        return _grade(lost, in_ur if isinstance(self.game, Ur) else LOST_VALUE), lost, text


class EndGameJudge(Judge):
    """Solves the last moves of a game of Othello. Scores are final leads in discs."""

    game: Othello

    def __init__(self, game: Othello) -> None:
        self.game, self.oracle = game, None
        self._solve = jax.jit(lambda s: final_scores(game, jax.tree.map(lambda x: x[None], s))[0])  # once it is needed

    def has_begun(self, view: Any) -> bool:
        """Whether few enough squares are empty, and the board is not so small that an oracle knows more."""
        return int(self.game.size**2 - (view.own | view.opponent).total()) <= EMPTY

    def scores(self, key: Key, view: Any) -> dict[int, float]:
        scores, legal = np.asarray(self._solve(view)), np.asarray(self.game.legal(view))
        return {action: float(scores[action]) for action in np.flatnonzero(legal).tolist()}

    exact = True
    kind = "value"

    def plain(self, score: float) -> float:
        return math.tanh(score / DISCS)

    def value(self, best: float) -> float:
        return float(np.sign(best))

    def text(self, score: float) -> str:
        return f"{score:+.0f}"

    def sentence(self, best: float, question: Question) -> str:
        who = presenter(self.game.id).seats(self.game)[question.mover]
        ends = f"{'wins' if best > 0 else 'loses'} by {abs(best):.0f} discs" if best else "draws"
        return f"{who} {ends} with perfect play"

    def _loss(self, score: float, best: float) -> tuple[str, float, str]:
        """By discs; whoever gives half a point away has made a mistake at least, and a whole one a blunder."""
        lost, points = best - score, int(np.sign(best) - np.sign(score))
        grade = max(_grade(lost, LOST_DISCS), GRADES[(0, 3, 4)[points]], key=GRADES.index)
        return grade, lost, f"Ends {score:+.0f}; the best move {best:+.0f}."


def _lead(value: float) -> float:
    """The lead in discs that a value of Othello stands for."""
    return DISCS * math.atanh(max(-SUREST, min(SUREST, value)))


def _grade(lost: float, limits: Sequence[float]) -> str:
    return GRADES[next((place for place, most in enumerate(limits) if lost <= most), len(limits))]


def _result(preference: float) -> str:
    """`win in 5`, `draw` or `loss in 8`, plies counted from the move on, that included."""
    if preference == 0:
        return "draw"
    return f"{'win' if preference > 0 else 'loss'} in {int(FAR - abs(preference)) + 1}"
