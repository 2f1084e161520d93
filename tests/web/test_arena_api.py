"""Matches and tournaments over HTTP: ordered, refused, followed, found again."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from ludens.web.server.processes import commands
from web.shelves import PLAYERS, make_tournament

WAIT = 90.0


def until(wanted: Callable[[], Any]) -> Any:
    end = time.monotonic() + WAIT
    while not (found := wanted()):
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.2)
    return found


def followed(http: httpx.Client, job: str) -> list[dict[str, Any]]:
    """All states of a job until it has ended."""
    with http.stream("GET", f"/api/jobs/{job}/events") as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        return [json.loads(line.removeprefix("data: ")) for line in events.iter_lines() if line.startswith("data: ")]


def test_a_match_is_played_and_followed(http: httpx.Client) -> None:
    order = {"game": "othello", "variant": {"size": 4}, "players": ["random", "positional"], "games": 20, "seed": 3}
    accepted = http.post("/api/matches", json=order)
    assert accepted.status_code == 202
    states = followed(http, accepted.json()["id"])
    assert states[-1]["state"] == "done", states[-1]
    result = states[-1]["result"]
    assert (result["games"], result["players"], result["variant"]) == (20, ["random", "positional"], {"size": 4})
    assert result["wins"] + result["draws"] + result["losses"] == 20
    assert [each["games"] for each in result["by_seat"]] == [10, 10]
    low, high = result["ci95"]
    assert low <= result["score"] <= high
    assert result["mean_length"] > 4
    assert result["games_per_s"] > 0
    assert [each["moves"] > 0 for each in result["regret"]] == [True, True]
    assert states[-1]["command"].startswith("ludens match othello random positional --size=4 --games=20 --seed=3")


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        ({"game": "chess", "players": ["random", "random"]}, "unknown game 'chess': expected one of"),
        ({"game": "ur", "players": ["random", "nobody"]}, "unknown player 'nobody': expected one of"),
        ({"game": "ur", "players": ["random", "positional"]}, "'positional' cannot play ur: expected one of"),
        ({"game": "ur", "players": ["random", "run:none"]}, "'none' holds no run"),
        ({"game": "ur", "players": ["random", "run:../../etc"]}, "names no run: expected run:NAME"),
        ({"game": "ur", "players": ["random", "gtp:touch x"]}, "'gtp' starts a program"),
        ({"game": "ur", "players": ["--out=x", "random"]}, "is no spec"),
        ({"game": "ur", "variant": {"pieces": 9}, "players": ["random", "random"]}, "pieces is 9 in ur"),
        ({"game": "ur", "variant": {"pieces": "4"}, "players": ["random", "random"]}, "pieces is '4'"),
        ({"game": "ur", "variant": {"wings": 2}, "players": ["random", "random"]}, "ur has no option 'wings'"),
        ({"game": "ur", "players": ["random"]}, "'players' is not right"),
        ({"game": "ur", "players": ["random", "random"], "games": 0}, "'games' is not right"),
        ({"game": "ur", "players": ["random", "random"], "seed": -1}, "'seed' is not right"),
        ({"game": "ur", "players": ["random", "random"], "bets": 3}, "'bets' is not right"),
    ],
)
def test_matches_that_cannot_be(http: httpx.Client, order: dict[str, Any], sentence: str) -> None:
    before = http.get("/api/jobs").json()
    refused = http.post("/api/matches", json=order)
    assert refused.status_code == 422
    assert sentence in refused.json()["detail"]
    assert [each["id"] for each in http.get("/api/jobs").json()] == [each["id"] for each in before]


@pytest.mark.slow
def test_a_tournament_gives_what_its_book_gives(http: httpx.Client, server: Any) -> None:
    from ludens.arena.ledger import Ledger
    from ludens.arena.standings import standings
    from ludens.arena.tournament import usual_folder

    order = {"game": "chung-toi", "players": list(PLAYERS), "rounds": 4, "seed": 5}
    accepted = http.post("/api/tournaments", json=order)
    assert accepted.status_code == 202
    name = accepted.json()["name"]
    twice = http.post("/api/tournaments", json=order)
    assert twice.status_code == 409
    assert "is being played" in twice.json()["detail"]
    last = followed(http, accepted.json()["job"]["id"])[-1]
    assert (last["state"], last["done"], last["total"]) == ("done", 12, 12), last

    found = http.get(f"/api/tournaments/{name}").json()
    with Ledger.read(server.tournaments / name / "tournament.sqlite") as ledger:
        expected = standings(ledger.terms.players, ledger.results())
        assert usual_folder(ledger.terms).name == name  # so a terminal finds it again
    assert (found["state"], found["games"], found["total"]) == ("finished", 12, 12)
    assert found["ranked"] == list(expected.players)
    assert [each["elo"] for each in found["standings"]] == pytest.approx([each.elo for each in expected.lines])
    assert found["net_wins"] == expected.net_wins.tolist()
    assert found["curve"]["rounds"] == [0, 1, 2, 3, 4]
    assert (server.tournaments / name / "standings.md").exists()  # the terminal's command did it

    over = http.post(f"/api/tournaments/{name}/resume", json={})
    assert over.status_code == 409
    assert "played to its end" in over.json()["detail"]
    fewer = http.post(f"/api/tournaments/{name}/resume", json={"rounds": 1})
    assert fewer.status_code == 422
    assert "has come to round 4" in fewer.json()["detail"]


def test_tournaments_of_a_terminal_are_seen(http: httpx.Client, server: Any) -> None:
    make_tournament(server.tournaments / "by-hand", rounds=6)
    listed = next(each for each in http.get("/api/tournaments").json() if each["name"] == "by-hand")
    assert (listed["state"], listed["games"], listed["total"], listed["job"]) == ("stopped", 12, 18, None)
    found = http.get("/api/tournaments/by-hand").json()
    assert found["ranked"] == ["smart-random", "alphabeta:1", "random"]
    assert [(each["wins"], each["losses"]) for each in found["standings"]] == [(8, 0), (4, 4), (0, 8)]
    assert [each["win_rate"] for each in found["standings"]] == [1.0, 0.5, 0.0]
    assert found["net_wins"] == [[0, -4, -4], [4, 0, -4], [4, 4, 0]]
    assert found["turns"][2] == [8.0, 9.0, None]
    assert all(low <= each["rating"] <= high for each in found["standings"] for low, high in [each["rating_ci95"]])
    assert len(found["curve"]["elo"]) == 3
    assert found["curve"]["elo"][0][0] == 1000.0


def test_a_tournament_with_more_rounds_is_another_book_for_nobody(http: httpx.Client, server: Any) -> None:
    """What is not on the same terms is refused, and the book stays as it was."""
    folder = server.tournaments / "taken"
    make_tournament(folder)
    before = (folder / "tournament.sqlite").read_bytes()
    other = {"game": "chung-toi", "players": ["random", "smart-random"], "rounds": 4, "name": "taken"}
    refused = http.post("/api/tournaments", json=other)
    assert refused.status_code == 422
    assert "'taken' holds chung-toi" in refused.json()["detail"]
    assert (folder / "tournament.sqlite").read_bytes() == before


@pytest.mark.parametrize(
    ("method", "path", "status", "sentence"),
    [
        ("GET", "/api/tournaments/none", 404, "there is no tournament 'none'"),
        ("GET", "/api/tournaments/.hidden", 422, "is no name for a tournament"),
        ("GET", "/api/tournaments/..%2F..%2Fetc", 404, "expected"),
        ("POST", "/api/tournaments/none/resume", 404, "there is no tournament 'none'"),
        ("GET", "/api/jobs/none", 404, "there is no job 'none'"),
        ("GET", "/api/jobs/none/events", 404, "there is no job 'none'"),
        ("DELETE", "/api/jobs/none", 404, "there is no job 'none'"),
    ],
)
def test_what_is_not_there(http: httpx.Client, method: str, path: str, status: int, sentence: str) -> None:
    answer = http.request(method, path, json={} if method == "POST" else None)
    assert answer.status_code == status
    assert sentence in answer.json()["detail"]


@pytest.mark.parametrize("name", ["../x", "/etc", ".x", "a/b", "x" * 82, ""])
def test_no_name_leads_out_of_the_folder(http: httpx.Client, server: Any, name: str) -> None:
    before = sorted(server.home.rglob("*"))
    order = {"game": "chung-toi", "players": list(PLAYERS), "name": name}
    refused = http.post("/api/tournaments", json=order)
    assert refused.status_code == 422
    assert "is no name for a tournament" in refused.json()["detail"]
    assert [each for each in sorted(server.home.rglob("*")) if each not in before] == []


@pytest.mark.slow
def test_a_job_can_be_stopped(http: httpx.Client) -> None:
    order = {"game": "othello", "players": ["alphabeta:5", "alphabeta:6"], "games": 4000, "seed": 77}
    job = http.post("/api/matches", json=order).json()
    until(lambda: any("--seed=77" in each.words for each in commands("match")))
    stopped = http.delete(f"/api/jobs/{job['id']}")
    assert (stopped.status_code, stopped.json()["state"]) == (200, "stopped")
    assert not any("--seed=77" in each.words for each in commands("match"))
    assert http.delete(f"/api/jobs/{job['id']}").json()["state"] == "stopped"


def test_a_book_of_something_else_is_left_out(http: httpx.Client, server: Any) -> None:
    odd: Path = server.tournaments / "odd"
    odd.mkdir()
    (odd / "tournament.sqlite").write_text("this is no database")
    assert "odd" not in [each["name"] for each in http.get("/api/tournaments").json()]
    refused = http.get("/api/tournaments/odd")
    assert refused.status_code == 422
    assert "is no SQLite database" in refused.json()["detail"]
