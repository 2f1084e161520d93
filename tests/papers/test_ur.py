"""The paper on Ur: its positions can be played, and what is said follows from the figures."""

from dataclasses import replace

import jax.numpy as jnp
import pytest

from ludens.arena.statistics import Tally, wilson
from ludens.games.ur import Ur
from ludens.papers import ur
from ludens.papers.experiment import Run
from ludens.papers.ur import GAME, POSITIONS, TABLE_1, WATCHED, deviations, plans, results, seeds_of
from ludens.papers.ur_report import UrReport
from ludens.players import player
from papers.fake import Answered
from papers.test_study import Notes, study


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
        here = Answered(str, seeds=5, scale=scale)
        for plan in of_scale:
            assert Run.together(here, plan).episodes == plan.settings["episodes"]
        assert any(plan.settings["episodes"] == 1_000_000 for plan in of_scale) == (scale == "full")
        assert [seeds_of(plan, here) for plan in of_scale] == [5] * 5 + [3] * (len(of_scale) - 5)
    assert len(deviations("quick")) == len(deviations("full")) + 1


class Stopped(Notes):
    """Somebody who presses Ctrl-C half-way."""

    def progress(self, what: str, share: float) -> None:
        super().progress(what, share)
        if share > 0.5:
            raise KeyboardInterrupt


def test_training_gives_the_curves_and_goes_on_where_it_was_stopped(tmp_path) -> None:
    plan = replace(
        plans("quick")[0],
        game=Ur(pieces=1),
        settings={"episodes": 60},
        points=6,
        evaluation={"watched": "first: waiting 0 on a3; second: waiting 0 on c3; turn first; throw 1"},
    )
    with pytest.raises(KeyboardInterrupt):
        Run.apart(study(tmp_path, notes=Stopped()), plan)[1].training()
    assert not (tmp_path / "parts").exists()
    notes = Notes()
    found = Run.apart(study(tmp_path, notes=notes), plan)[1].training()
    shares = [share for _, share in notes.seen if isinstance(share, float)]
    assert shares[0] == 0.0
    assert shares[1] > 0.5  # not from the beginning
    assert found["games"] == [10, 20, 30, 40, 50, 60]
    assert [each["after"] for each in found["evaluations"]] == [0, *found["games"]]
    assert len(found["curves"]["length"]) == 6
    assert all(length > 5 for (length,) in found["curves"]["length"])
    other = Run.apart(study(tmp_path / "unstopped"), plan)[1].training()
    for name in ("games", "curves", "evaluations"):
        assert other[name] == found[name]


@pytest.mark.slow
def test_what_is_measured_after_training(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(ur, "DECISIONS", 20)
    plan = replace(plans("quick")[0], settings={"episodes": 20}, points=2, matches={"match": 10})
    found = Run.apart(study(tmp_path), plan, 1)[0].measured()["matches"]
    assert not any((tmp_path / "runs" / "quick").iterdir())  # a table is large, and everything about it was measured
    assert {spec: sum(counts["all"]) for spec, counts in found["against"].items()} == dict.fromkeys(ur.OPPONENTS, 10)
    assert 0 < found["regret"] < 1
    assert 0 <= found["known"] < 1
    assert 0 < found["filled"] < 1
    for position, answer in zip(POSITIONS, found["moves"], strict=True):
        assert set(answer["scores"]) == set(ur.exact_values(position))
        assert answer["move"] in answer["scores"]


def test_a_match_counts_all_games_and_the_papers_hundred(monkeypatch) -> None:
    monkeypatch.setattr(ur, "match", lambda who, spec, games, seed: [1.0] * 90 + [-1.0] * (games - 90))
    assert results(player("greedy", GAME), "random", 130, seed=1) == {"all": [90, 0, 40], "first 100": [90, 0, 10]}


def run(wins: int, regret: float, move: int) -> dict:
    counts = {"all": [wins, 0, 1000 - wins], "first 100": [wins // 10, 0, 100 - wins // 10]}
    moves = [{"move": list(values)[move], "scores": {}} for values in EXACT]
    return {
        "games": [50, 100],
        "curves": {"length": [[100.0], [120.0]]},
        "evaluations": [{"after": after, "value": after / 50} for after in (0, 50, 100)],
        "seconds": 3.0,
        "matches": {
            "against": dict.fromkeys(("random", "greedy", "optimal"), counts),
            "regret": regret,
            "best": 0.5,
            "known": 0.25,
            "filled": 0.125,
            "moves": moves,
        },
    }


EXACT = [{"one": 0.75, "two": 0.5} for _ in POSITIONS]
LEVELS = {spec: Tally(wins, 0, 1000 - wins) for spec, wins in (("optimal", 1000), ("greedy", 990), ("random", 500))}


def test_what_is_said_follows_from_the_figures() -> None:
    wins = {"Q-learning": (800, 810, 820), "Monte Carlo": (548, 550, 552), "Expected Sarsa": (400, 500, 600)}
    runs = {plan.label: [run(600, 0.03, 1)] * 3 for plan in plans("quick")}
    runs |= {
        label: [run(each, 0.01 if label == "Q-learning" else 0.02, 0) for each in of] for label, of in wins.items()
    }
    found = UrReport(runs, LEVELS, EXACT)
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
    said = " ".join(found.findings())
    assert "Q-learning from 100 to 120 moves" in said
    assert "is 20.0 % of the way" in said  # 60 % between 50 % and 100 %
    assert "62.0 % of it" in said  # 81 %
    assert "Monte Carlo and Expected Sarsa hold 50 %" in said
    assert "Closest to perfect play is Q-learning" in said
    assert "a best move 45 times of 45" in said
    tables = {table.name: table for table in found.tables()}
    assert all(len(row) == len(table.heads) for table in tables.values() for row in table.rows)
    assert tables["table-1"].rows[0][3] == "80, 81, 82"
    figures = found.figures()
    assert [len(figure.panels) for figure in figures] == [1, 3, 1]
    assert figures[0].panels[0].series[0].y == [100.0, 120.0]


def test_two_seeds_have_the_interval_of_their_games() -> None:
    runs = {plan.label: [run(600, 0.03, 1), run(900, 0.03, 1)] for plan in plans("quick")}
    assert UrReport(runs, LEVELS, EXACT).score("Q-learning", "random") == (0.75, wilson(1500, 2000))
