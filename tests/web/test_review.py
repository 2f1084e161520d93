"""Reviews tell the truth: random play looks like random play, and perfect play has no mistakes."""

from collections import Counter
from typing import Any

import jax
import numpy as np
import pytest

from ludens.arena.live_game import LiveGame, Resident
from ludens.core.game import Game
from ludens.games import make
from ludens.players import player
from ludens.web.opponents import JUDGES, PERFECT
from ludens.web.worker.review import EMPTY, GRADES, EndGameJudge, Judge

KEY = jax.random.key(0)
WRONG = ("mistake", "blunder")
ENDING = "--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOOX--XXXOO- O"
"""Othello with 12 empty squares."""


def judge_of(game: Game[Any]) -> str:
    """Who reviews games of this variant."""
    for spec in JUDGES[game.id]:
        try:
            player(spec, game, on_host=True)
        except ValueError:
            continue
        return spec
    raise AssertionError(f"nobody judges {game}")


def grades(game: Game[Any], who: str, *, games: int, seed: int = 3) -> Counter[str]:
    """How often `who` gets each grade when it plays itself; moves without a choice are left out."""
    decides, found = Resident(player(who, game)), Counter[str]()
    judge: Judge | None = None
    for number in range(games):
        live = LiveGame(game, seed=seed + number, seating=range(game.num_players))
        while not live.over:
            turn = live.turn()
            judge = judge or Judge(player(judge_of(game), game, on_host=True), KEY, turn.view, solve_ends=True)
            asked = judge.end if judge.end is not None and judge.end.has_begun(turn.view) else judge
            scores, action = asked.scores(KEY, turn.view), decides.decide(turn)
            if len(scores) > 1:
                found[asked._loss(scores[action], max(scores.values()))[0]] += 1
            live.act(action)
    return found


def share(found: Counter[str], *which: str) -> float:
    return sum(found[grade] for grade in which) / sum(found.values())


@pytest.mark.parametrize(
    ("name", "fields", "games"),
    [
        ("ur", {"pieces": 2}, 4),
        pytest.param("othello", {"size": 4}, 40, marks=pytest.mark.slow),
        pytest.param("chung-toi", {}, 4, marks=pytest.mark.slow),
        pytest.param("ur", {}, 3, marks=pytest.mark.slow),
    ],
)
def test_where_a_game_is_solved(name: str, fields: dict[str, Any], games: int) -> None:
    game = make(name, **fields)
    assert judge_of(game) == PERFECT
    assert set(grades(game, PERFECT, games=games)) == {"best"}
    found = grades(game, "random", games=games)
    assert share(found, *WRONG) > 0.1, found
    assert share(found, "best") < 0.7, found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fields", "strong", "games"),
    [
        ("othello", {}, "alphabeta:8:discs", 2),
        ("othello", {"size": 6}, "alphabeta:8:discs", 2),
        ("ur", {"rules": "finkel"}, "expectimax:3", 4),
        ("ur", {"rules": "paper", "pieces": 7}, "expectimax:3", 4),
        ("onitama", {}, "alphabeta:6", 3),
        ("okey", {}, "okey-greedy", 1),
        ("okey", {"players": 4}, "okey-greedy", 1),
    ],
)
def test_where_nobody_has_solved_it(name: str, fields: dict[str, Any], strong: str, games: int) -> None:
    game = make(name, **fields)
    found = grades(game, "random", games=games)
    assert share(found, *WRONG) > 0.15, found
    assert share(found, "best", "good") < 0.65, found
    assert share(grades(game, strong, games=games), *WRONG) < share(found, *WRONG) / 2


@pytest.mark.slow
def test_the_end_of_othello_is_solved() -> None:
    game = make("othello")
    s, judge = game.read(ENDING), EndGameJudge(game)
    assert judge.has_begun(s)
    assert not judge.has_begun(game.init(KEY))
    lead = max(judge.scores(KEY, s).values())
    found = []
    while not bool(game.done(s)):  # whoever plays the best move keeps the lead and is never told otherwise
        scores = judge.scores(KEY, s)
        action, best = max(scores, key=lambda a: scores[a]), max(scores.values())
        assert best == lead
        assert judge._loss(scores[action], best)[0] == "best"
        found += [judge._loss(score, best)[0] for score in scores.values()]
        t = game.apply(s, action)
        lead, s = (lead if int(t.turn) == int(s.turn) else -lead), t
    own, other = (int(board.total()) for board in (s.own, s.opponent))
    assert lead == (own - other) + np.sign(own - other) * (64 - own - other)
    assert set(found) == set(GRADES)


def test_half_a_point_given_away_is_a_mistake_however_few_discs() -> None:
    judge = EndGameJudge(make("othello"))
    assert EMPTY >= 10
    told = {(8, 8): "best", (8, 6): "good", (30, 24): "mistake", (30, 26): "inaccuracy", (40, 10): "blunder"}
    told |= {(2, 0): "mistake", (0, -2): "mistake", (2, -2): "blunder", (-2, -4): "good"}
    assert {pair: judge._loss(pair[1], pair[0])[0] for pair in told} == told


@pytest.mark.parametrize(("best", "score", "grade"), [(0.99, 0.9, "blunder"), (0.5, 0.48, "best"), (0.9, 0.87, "good")])
def test_in_othello_a_decided_game_still_tells_moves_apart(best: float, score: float, grade: str) -> None:
    judge = Judge.__new__(Judge)
    judge.game, judge.oracle = make("othello"), None
    judge.player = player("alphabeta:1:discs", judge.game)
    judge.plain = lambda value: value  # type: ignore[method-assign]
    assert judge._loss(score, best)[0] == grade
