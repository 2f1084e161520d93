"""The server as a whole: what it offers, what it describes, and that it never waits for JAX."""

import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import httpx
import pytest

from ludens.core.agent_files import shipped
from ludens.games import GAMES as RULES
from ludens.games import make
from ludens.oracles.store import at_hand
from ludens.players import player
from ludens.web.opponents import GAMES as OFFERED
from ludens.web.opponents import JUDGES, LADDERS, label
from ludens.web.server.runs import playable_runs
from ludens.web.worker.catalogue import whole_variant
from ludens.web.worker.render import PRESENTERS
from web.shelves import line, make_run

ASKS_NOTHING_OF_JAX = """
import asyncio, sys
from pathlib import Path
from ludens.web.server.app import ServerSettings, create_app

app = create_app(ServerSettings(games=Path(sys.argv[1]) / "games.sqlite"))
app.openapi()
print([name for name in ("jax", "jaxlib", "numpy", "ludens.core.game") if name in sys.modules])
"""


def test_the_web_process_never_imports_jax(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", ASKS_NOTHING_OF_JAX, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert ran.stdout.strip() == "[]", ran.stdout + ran.stderr


def test_a_serving_process_has_no_jax(server: Any, http: httpx.Client) -> None:
    http.get("/api/games")
    mapped = Path(f"/proc/{server.process.pid}/maps")
    if not mapped.exists():
        pytest.skip("this system does not show what a process has loaded")
    assert "jaxlib" not in mapped.read_text()


def test_games_are_offered_with_their_options_and_opponents(http: httpx.Client) -> None:
    assert http.get("/api/health").json()["ludens"]
    games = {told["id"]: told for told in http.get("/api/games").json()}
    assert list(games) == list(RULES) == list(PRESENTERS) == list(OFFERED)
    for name, told in games.items():
        game = make(name)
        assert told["num_players"] == len(told["seats"]) == game.num_players
        assert (told["hidden"], told["can_undo"]) == (game.hidden, game.can_undo)
        known = {field.name: field.default for field in fields(RULES[name])}
        assert {option["name"]: option["default"] for option in told["options"]} == {
            field: list(default) if isinstance(default, tuple) else default for field, default in known.items()
        }
        for option in told["options"]:
            for choice in [] if option["kind"] == "list" else option["choices"]:
                rules = {"rules": "finkel"} if option["name"] == "dice" else {}
                assert whole_variant(name, rules | {option["name"]: choice})[0].fields
        assert told["ladder"][0]["spec"] == "random"
        offered = {rung["spec"]: rung["card"] for rung in told["ladder"]}
        agents = shipped(name)
        for agent, facts in agents.items():
            known = offered["champion" if facts["champion"] else agent]
            assert facts["training"]["command"] in known["trained by"]
        assert ("champion" in offered) == any(facts["champion"] for facts in agents.values())
    assert http.get("/api/health").json()["rules"] == "ready"


def test_every_rung_plays_and_every_variant_has_a_judge() -> None:
    variants = [
        *(("othello", {"size": size}) for size in (4, 6, 8)),
        *(("ur", {"rules": rules, "pieces": pieces}) for rules in ("paper", "finkel") for pieces in (4, 7)),
        *(("okey", {"players": players}) for players in (2, 3, 4)),
        ("chung-toi", {}),
        ("onitama", {}),
    ]
    played: set[tuple[str, str]] = set()
    for name, fields_told in variants:
        game = make(name, **fields_told)  # type: ignore[arg-type] # each fits its game
        for rung in LADDERS[name]:
            try:
                player(rung.spec, game)
            except ValueError:
                assert rung.spec == "optimal"
                assert not at_hand(game)
            else:
                played.add((name, rung.spec))
        assert any(_can(spec, game) for spec in JUDGES[name])
    assert played == {(name, rung.spec) for name, rungs in LADDERS.items() for rung in rungs}


def test_specs_are_checked(server: Any, http: httpx.Client) -> None:
    good = http.post("/api/games/othello/check", json={"variant": {"size": 4}, "spec": "optimal"})
    assert good.json() == {"spec": "optimal", "label": "Perfect"}
    for body, word in (
        ({"spec": "optimal"}, "expected"),
        ({"spec": "nobody"}, "expected"),
        ({"variant": {"size": 4}, "spec": "champion:2s"}, "othello has no champion for size 4: expected"),
        ({"spec": "chung-toi-2011"}, "'chung-toi-2011' plays chung-toi (hop yes"),
        ({"spec": "alphabeta:99"}, "expected"),
        ({"spec": "run:never-trained"}, "'never-trained' holds no run"),
    ):
        answer = http.post("/api/games/othello/check", json=body)
        assert answer.status_code == 422
        assert word in answer.json()["detail"]
        assert str(server.home) not in answer.json()["detail"]
    assert http.post("/api/games/chess/check", json={"spec": "random"}).status_code == 404


def test_own_runs_are_offered_with_what_they_have_learned(tmp_path: Path) -> None:
    for name, game, games in (("mine", "othello", 1234), ("other", "ur", 1), (".hidden", "othello", 9)):
        make_run(tmp_path / name, [line(1), line(games)], game=game)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "run.json").write_text("{}")
    (offered,) = playable_runs(tmp_path)["othello"]
    assert offered["spec"] == "run:mine"
    assert offered["label"] == "Your run mine, 1,234 games"
    assert label("othello", "run:mine") == "Run mine"
    assert label("othello", "alphabeta:2:run:mine") == "Alphabeta:2 with run mine"
    assert playable_runs(tmp_path / "nowhere") == {}


def test_the_description_is_served_and_nothing_from_elsewhere(http: httpx.Client) -> None:
    paths = http.get("/api/openapi.json").json()["paths"]
    for path in ("/api/tables", "/api/tables/{table}/review", "/api/games/{game}/check", "/api/health"):
        assert path in paths
    assert http.get("/docs").status_code == http.get("/redoc").status_code == 404
    page = http.get("/").text
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page


def _can(spec: str, game: Any) -> bool:
    try:
        player(spec, game, on_host=True)
    except ValueError:
        return False
    return True
