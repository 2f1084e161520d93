"""Hints, analyses and reviews: exact where a game is solved, and never more than a seat may know."""

import time
from typing import Any

import httpx
import numpy as np
import pytest

from ludens.games import make
from ludens.oracles import oracle_for
from ludens.oracles.store import load
from ludens.web.server.schemas import Review
from ludens.web.worker.review import GRADES, Judge
from web.table_client import PATIENCE, Client, lay


@pytest.mark.slow
@pytest.mark.parametrize(("name", "variant"), [("othello", {"size": 4}), ("chung-toi", {})])
def test_an_oracle_judges_every_move_and_reviews_the_game(
    server: Any, http: httpx.Client, name: str, variant: dict[str, Any]
) -> None:
    told = lay(http, name, None, "random", variant=variant, seed=6)
    game = make(name, **variant)
    oracle, solution = load(game)
    with Client(server.url, told["table"]) as client:
        client.send(type="analyse", on=True, by=None)
        analysis = client.until(lambda told: told["type"] == "analysis")
        assert (analysis["by"], analysis["kind"], analysis["exact"]) == ("optimal", "result", True)
        assert {move["action"] for move in analysis["moves"]} == set(client.legal())
        state = game.read(client.state["position"])
        values = np.asarray(oracle.values(solution.table, state))
        for move in analysis["moves"]:
            assert move["score"] == values[move["action"]]
            assert move["text"].startswith({1: "win in", 0: "draw", -1: "loss in"}[int(move["score"])])
        assert analysis["value"] == values.max()
        client.send(type="hint")
        hint = client.until(lambda told: told["type"] == "hint")
        assert hint["action"] in {move["action"] for move in analysis["moves"] if move["best"]}
        client.send(type="analyse", on=False, by=None)
        while not client.state["over"]:
            client.play(client.legal()[0])
        client.send(type="hint")
        assert "not your turn" in client.until(lambda told: told["type"] == "refused")["detail"]
        plies = client.state["ply"]
    review = _reviewed(http, told["table"])
    assert [move["before"] for move in review["moves"]] == list(range(plies))
    assert {move["grade"] for move in review["moves"]} <= set(GRADES)
    assert review["by"] == "Perfect play"
    assert review["values"][-1] == {"ply": plies, "value": client.state["result"]["returns"][0]}
    for move in review["moves"]:
        assert (move["grade"] in ("mistake", "blunder")) == (move["loss"] > 0)
        assert [better["name"] for better in move["best_moves"]] == move["best"]
        shown = ("square", "pass") if name == "othello" else ("kind",)
        assert all(any(part in better for part in shown) for better in move["best_moves"])  # so a board can show it
        if move["grade"] == "best":
            assert move["name"] in move["best"]
        elif move["loss"] > 0:
            assert move["name"] not in move["best"]
    assert any(move["loss"] > 0 for move in review["moves"])


@pytest.mark.slow
def test_chances_in_ur_are_exact(server: Any, http: httpx.Client) -> None:
    told = lay(http, "ur", None, "random", variant={"pieces": 1}, seed=2)
    game = make("ur", pieces=1)
    oracle, solution = load(game)
    with Client(server.url, told["table"]) as client:
        client.send(type="analyse", on=True, by=None)
        analysis = client.until(lambda told: told["type"] == "analysis")
        values = np.asarray(oracle.values(solution.table, game.read(client.state["position"])))
        assert analysis["kind"] == "chance"
        assert [move["score"] for move in analysis["moves"]] == pytest.approx(
            [values[move["action"]] for move in analysis["moves"]], abs=1e-5
        )
        assert analysis["value"] == pytest.approx(2 * values.max() - 1, abs=1e-5)
        assert analysis["moves"][0]["text"].endswith(" %")


@pytest.mark.slow
def test_an_opponents_probabilities_and_a_named_adviser(server: Any, http: httpx.Client) -> None:
    told = lay(http, "onitama", "smart-random", None)
    with Client(server.url, told["table"]) as client:
        client.ready()
        client.send(type="analyse", on=True, by=None)
        analysis = client.until(lambda told: told["type"] == "analysis")
        assert analysis["kind"] == "probability"
        assert sum(move["score"] for move in analysis["moves"]) == pytest.approx(1, abs=1e-3)
        assert analysis["value"] is None
        client.send(type="analyse", on=True, by="material")
        analysis = client.until(lambda told: told["type"] == "analysis" and told["by"] == "material")
        assert analysis["kind"] == "value"
        assert -1 <= analysis["value"] <= 1
        # The mover is seat 1, and a value counts for seat 0.
        assert analysis["value"] == pytest.approx(-max(move["score"] for move in analysis["moves"]))
        client.send(type="analyse", on=True, by="nobody")
        assert "unknown player" in client.until(lambda told: told["type"] == "refused")["detail"]


@pytest.mark.slow
def test_okey_is_reviewed_by_what_each_mover_saw(server: Any, http: httpx.Client) -> None:
    told = lay(http, "okey", None, "random", seed=1)
    with Client(server.url, told["table"]) as client:
        while not client.state["over"]:
            client.play(client.legal()[0])
    review = _reviewed(http, told["table"])
    assert len(review["moves"]) == client.state["ply"]
    grades = [move["grade"] for move in review["moves"]]
    assert {"best", "mistake"} <= set(grades) or {"best", "blunder"} <= set(grades)


def test_grades_follow_what_was_lost() -> None:
    judge = Judge.__new__(Judge)
    judge.oracle = oracle_for(make("chung-toi"))
    assert judge._loss(9997.0, 9997.0)[:2] == ("best", 0.0)
    assert judge._loss(9995.0, 9997.0)[0] == "good"
    assert judge._loss(9985.0, 9997.0)[0] == "inaccuracy"
    assert judge._loss(0.0, 9997.0)[:2] == ("mistake", 0.5)
    assert judge._loss(-9990.0, 0.0)[:2] == ("mistake", 0.5)
    assert judge._loss(-9990.0, 9997.0)[:2] == ("blunder", 1.0)


def _reviewed(http: httpx.Client, table: str) -> dict[str, Any]:
    """The review of a game, once it is done."""
    path, until = f"/api/tables/{table}/review", time.monotonic() + PATIENCE
    assert http.get(path).status_code == 404
    told: dict[str, Any] = http.post(path).json()
    while told["state"] == "running" and time.monotonic() < until:
        time.sleep(0.2)
        told = http.get(path).json()
        Review.model_validate(told)
    assert told["state"] == "done", told
    assert told["done"] == told["total"] == len(told["moves"])
    return told
