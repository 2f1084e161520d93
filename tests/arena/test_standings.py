"""Counting, checked by hand."""

import json

import numpy as np
import pytest

from ludens.arena.ledger import Result
from ludens.arena.standings import standings
from ludens.arena.statistics import wilson

NAMES = ["ann", "bob", "cid"]
RESULTS = [  # ann beats bob twice and loses to him once; bob and cid draw; cid beats ann
    Result(0, 0, (0, 1), (1.0, -1.0), 10),
    Result(0, 1, (2, 0), (1.0, -1.0), 7),
    Result(0, 2, (1, 2), (0.0, 0.0), 200),
    Result(1, 0, (1, 0), (-1.0, 1.0), 20),
    Result(2, 0, (0, 1), (-1.0, 1.0), 40),
]


def test_everything_by_hand() -> None:
    outcome = standings(NAMES, RESULTS)
    assert outcome.games == 5
    assert outcome.model == "Bradley-Terry"
    by_name = {line.player: line for line in outcome.lines}
    counts = {name: (line.games, line.wins, line.draws, line.losses) for name, line in by_name.items()}
    assert counts == {"ann": (4, 2, 0, 2), "bob": (4, 1, 1, 2), "cid": (2, 1, 1, 0)}
    assert by_name["bob"].win_rate == 0.25
    assert by_name["bob"].win_rate_ci95 == wilson(1, 4)
    order = [NAMES.index(name) for name in outcome.players]
    net = np.array([[0, -1, 1], [1, 0, 0], [-1, 0, 0]])  # row ann: bob's and cid's net wins against her
    turns = np.array([[np.nan, 70 / 3, 7], [70 / 3, np.nan, 200], [7, 200, np.nan]])
    np.testing.assert_array_equal(outcome.net_wins, net[np.ix_(order, order)])
    np.testing.assert_allclose(outcome.turns, turns[np.ix_(order, order)])


def test_players_stand_by_final_elo_and_the_curve_ends_there() -> None:
    outcome = standings(NAMES, RESULTS)
    elos = [line.elo for line in outcome.lines]
    assert elos == sorted(elos, reverse=True)
    assert outcome.curve.shape == (4, 3)  # the start and three rounds
    np.testing.assert_allclose(outcome.curve[0], 1000)
    np.testing.assert_allclose(outcome.curve[-1], elos)
    np.testing.assert_allclose(outcome.curve.sum(axis=1), 3000)
    # Round 0 by hand: ann 1016, then 1000 - 32 E' with E' = 1 / (1 + 10^(16/400)); bob and cid meet at 984 and 1016.7.
    after = dict(zip(outcome.players, outcome.curve[1], strict=True))
    assert after["ann"] == pytest.approx(1016 - 32 * 0.523010, abs=1e-4)
    assert after["bob"] == pytest.approx(984 + 32 * (0.5 - 0.453028), abs=1e-3)


def test_matrices_are_antisymmetric_and_symmetric() -> None:
    outcome = standings(NAMES, RESULTS)
    np.testing.assert_array_equal(outcome.net_wins, -outcome.net_wins.T)
    np.testing.assert_array_equal(outcome.turns, outcome.turns.T)


def test_four_seats() -> None:
    third = -1 / 3
    results = [
        Result(0, 0, (3, 2, 1, 0), (third, 1.0, third, third), 30),  # the player in seat 1 is number 2
        Result(1, 0, (2, 1, 0, 3), (0.0, 0.0, 0.0, 0.0), 50),
    ]
    outcome = standings(["a", "b", "c", "d"], results)
    assert outcome.model == "Plackett-Luce"
    assert outcome.players == ("c", "a", "b", "d")
    assert [(line.wins, line.draws, line.losses) for line in outcome.lines] == [(1, 1, 0), *[(0, 1, 1)] * 3]
    assert outcome.net_wins[:, 0].tolist() == [0, 1, 1, 1]
    assert outcome.net_wins[1:, 1:].tolist() == [[0] * 3] * 3
    assert outcome.turns[0, 1] == 40


def test_partners_win_together() -> None:
    outcome = standings(["a", "b", "c", "d"], [Result(0, 0, (0, 1, 2, 3), (1.0, -1.0, 1.0, -1.0), 9)])
    assert {line.player: line.wins for line in outcome.lines} == {"a": 1, "b": 0, "c": 1, "d": 0}
    assert {line.player: line.elo for line in outcome.lines} == {"a": 1008, "c": 1008, "b": 992, "d": 992}


def test_json_has_no_nan() -> None:
    text = json.dumps(standings(NAMES, RESULTS).to_dict(), allow_nan=False)
    found = json.loads(text)
    assert [line["rank"] for line in found["standings"]] == [1, 2, 3]
    assert found["turns"][0][0] is None
