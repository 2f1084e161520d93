"""The paper on Ur: its positions can be played, and what is said follows from the figures."""

import jax.numpy as jnp
import pytest

from ludens.arena.match import Contestant
from ludens.arena.statistics import Tally, wilson
from ludens.papers.ur import POSITIONS, deviations, plans
from ludens.papers.ur_report import TABLE_1, Findings
from ludens.papers.ur_runs import GAME, WATCHED, Plan, _train, learner_of, match
from ludens.players import player


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.figure)
def test_the_papers_moves_are_legal(position) -> None:
    s = GAME.read(position.text)
    for move in position.paper.split(" or "):
        assert GAME.name(GAME.parse(move, s), s) == move
    assert jnp.sum(GAME.legal(s)) > 1  # there is something to decide


def test_the_watched_state_is_the_papers() -> None:
    assert (
        GAME.show(GAME.read(WATCHED))
        == "first: waiting 3 on a3 home 0; second: waiting 3 on c3 home 0; turn first; throw 1"
    )


def test_every_plan_can_be_trained() -> None:
    for scale in ("quick", "full"):
        of_scale = plans(scale)
        assert [plan.label for plan in of_scale[:3]] == list(TABLE_1)
        assert len({plan.label for plan in of_scale}) == len(of_scale)
        assert {plan.learner for plan in of_scale} >= {"sarsa", "sarsa-lambda", "dqn", "double-dqn"}
        for plan in of_scale:
            assert learner_of(plan).config.games == plan.games
        assert any(plan.games == 1_000_000 for plan in of_scale) == (scale == "full")
    assert len(deviations("quick")) == len(deviations("full")) + 1


def test_training_gives_the_curves() -> None:
    watched = []
    one = learner_of(Plan("Q-learning", "q-learning", 150, {}))
    params, curves = _train(one, 0, watched.append)
    assert curves["games"][-1] == 150
    assert len(curves["games"]) == len(curves["length"]) == len(curves["value"]) == len(watched) == 100
    assert all(length > 40 for length in curves["length"])
    assert params["q"].shape[0] == 2


def test_a_match_counts_all_games_and_the_papers_hundred() -> None:
    found = match(Contestant("greedy", player("greedy", GAME)), "random", 130, seed=1)
    assert sum(found["all"]) == 130
    assert sum(found["first 100"]) == 100
    assert found["all"][0] > 110


def run(wins: int, regret: float, move: int) -> dict:
    counts = {"all": [wins, 0, 1000 - wins], "first 100": [wins // 10, 0, 100 - wins // 10]}
    moves = [{"move": list(values)[move], "scores": {}} for values in EXACT]
    return {
        "games": [50, 100],
        "length": [100.0, 120.0],
        "value": [1.0, 2.0],
        "seconds": 3.0,
        "matches": dict.fromkeys(("random", "greedy", "optimal"), counts),
        "regret": regret,
        "best": 0.5,
        "known": 0.25,
        "filled": 0.125,
        "moves": moves,
    }


EXACT = [{"one": 0.75, "two": 0.5} for _ in POSITIONS]
LEVELS = {spec: Tally(wins, 0, 1000 - wins) for spec, wins in (("optimal", 1000), ("greedy", 990), ("random", 500))}


def test_what_is_said_follows_from_the_figures() -> None:
    wins = {"Q-learning": (800, 810, 820), "Monte Carlo": (548, 550, 552), "Expected Sarsa": (400, 500, 600)}
    runs = {plan.label: [run(600, 0.03, 1)] * 3 for plan in plans("quick")}
    runs |= {
        label: [run(each, 0.01 if label == "Q-learning" else 0.02, 0) for each in of] for label, of in wins.items()
    }
    found = Findings(runs, LEVELS, POSITIONS, EXACT)
    rows = {row.measure: row for row in found.rows()}
    q = rows["Q-learning: won against random"]
    assert (q.paper, q.ours, q.seeds, q.verdict) == (0.6, 0.81, 3, "better")
    # Three seeds 0.01 apart: 4.303 * 0.01 / sqrt(3) = 0.0248, which is wider than what 3,000 games leave open.
    assert q.ci95 == pytest.approx((0.81 - 0.02484, 0.81 + 0.02484), abs=1e-4)
    carlo = rows["Monte Carlo: won against random"]
    assert carlo.ci95 == wilson(1650, 3000)  # here the seeds are closer together than the games allow
    assert carlo.verdict == "agrees"
    assert rows["Expected Sarsa: won against random"].verdict == "agrees"  # the seeds are far apart
    assert rows["`optimal`: won against random"].ours == 1.0
    assert rows["Q-learning: chance of winning lost by a decision"].ours == 0.01
    said = " ".join(found.in_words())
    assert "Q-learning from 100 to 120 moves" in said
    assert "is 20.0 % of the way" in said  # 60 % between 50 % and 100 %
    assert "62.0 % of it" in said  # 81 %
    assert "Monte Carlo and Expected Sarsa hold 50 %" in said
    assert "Closest to perfect play is Q-learning" in said
    assert "a best move 45 times of 45" in said
    tables = {table.name: table for table in (found.table_1(), found.table_of_all(), found.table_of_positions())}
    assert all(len(row) == len(table.heads) for table in tables.values() for row in table.rows)
    assert tables["table-1"].rows[0][3] == "80, 81, 82"
    figures = found.figures()
    assert [len(figure.panels) for figure in figures] == [1, 3, 1]
    assert figures[0].panels[0].series[0].y == [100.0, 120.0]


def test_two_seeds_have_the_interval_of_their_games() -> None:
    runs = {plan.label: [run(600, 0.03, 1), run(900, 0.03, 1)] for plan in plans("quick")}
    assert Findings(runs, LEVELS, POSITIONS, EXACT).score("Q-learning", "random") == (0.75, wilson(1500, 2000))
