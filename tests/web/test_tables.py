"""Tables over HTTP and their sockets: playing, taking back, coming back, and what is refused."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import httpx
import jax
import numpy as np
import pytest

from ludens.arena.live_game import LiveGame, Resident
from ludens.arena.record import Record, replay
from ludens.core import storage
from ludens.games import make
from ludens.games.othello_text import read_ggf, read_transcript
from ludens.players import player
from ludens.players.value_net import ValueNet
from ludens.web.server.schemas import TableState
from web.table_client import Client, lay

VARIANTS: list[tuple[str, dict[str, Any], int]] = [
    ("othello", {"size": 4}, 2),
    ("chung-toi", {}, 2),
    ("ur", {}, 2),
    ("onitama", {}, 2),
    ("okey", {}, 2),
]
SLOW: list[tuple[str, dict[str, Any], int]] = [("ur", {"rules": "finkel", "pieces": 2}, 2), ("okey", {"players": 3}, 3)]


@pytest.mark.parametrize(
    ("name", "variant", "seats"),
    [
        *(each for each in VARIANTS if each[0] in ("othello", "ur", "okey")),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in VARIANTS if each[0] in ("chung-toi", "onitama")),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in SLOW),
    ],
)
def test_a_game_on_the_page_is_the_arenas_game(
    server: Any, http: httpx.Client, name: str, variant: dict[str, Any], seats: int
) -> None:
    specs = [None] + ["random"] * (seats - 1)
    told = lay(http, name, *specs, variant=variant, seed=7)
    chooser = random.Random(3)
    with Client(server.url, told["table"]) as client:
        client.ready()
        moves = 0
        while not client.state["over"] and (moves < 25 or make(name).hidden):  # of what is hidden, records come last
            client.play(chooser.choice(client.legal()))
            moves += 1
        state = client.state
    record = http.get(f"/api/tables/{told['table']}/record").json()
    game = make(name, **{field: tuple(v) if isinstance(v, list) else v for field, v in told["variant"].items()})
    table, agent = LiveGame(game, seed=7, seating=range(seats)), Resident(player("random", game))
    for action in record["actions"]:
        if table.mover > 0:
            assert agent.decide(table.turn()) == action
        table.act(action)
    assert record == table.record(["person", *["random"] * (seats - 1)]).to_dict()
    assert table.names == [act["name"] for act in state["history"]]


def test_a_thinking_agent_plays_as_it_does_in_the_arena(server: Any, http: httpx.Client) -> None:
    told = lay(http, "othello", "positional", None, variant={"size": 4}, seed=11)
    with Client(server.url, told["table"]) as client:
        client.ready()
        for _ in range(2):
            client.play(client.legal()[-1])
        state = client.state
    game = make("othello", size=4)
    table, agent = LiveGame(game, seed=11, seating=range(2)), Resident(player("positional", game))
    for act in state["history"]:
        action = agent.decide(table.turn()) if table.mover == 0 else game.parse(act["name"], table.state)
        assert table.act(action) == act["name"]
    assert game.show(table.state) == state["position"]


def test_states_are_what_the_description_says(server: Any, http: httpx.Client) -> None:
    for name, variant, seats in VARIANTS:
        told = lay(http, name, *([None] * seats), variant=variant)
        with Client(server.url, told["table"]) as client:
            for _ in range(4):
                client.play(client.legal()[0])
            for state in client.heard:
                TableState.model_validate(state, strict=True)
            assert client.state["ply"] == 4
            assert client.state["you"] == client.state["mover"]
        assert http.get(f"/api/tables/{told['table']}").json() == client.state


def test_undo_goes_back_to_the_persons_last_decision(server: Any, http: httpx.Client) -> None:
    told = lay(http, "othello", None, "random", seed=1)
    with Client(server.url, told["table"]) as client:
        first = client.state
        assert not first["can_undo"]
        client.play(client.legal()[0])
        second = client.state
        client.play(client.legal()[0])
        client.send(type="undo")
        client.until(lambda told: told["type"] == "state")
        for part in ("board", "moves", "history", "mover", "last", "position", "transcript"):
            assert client.state[part] == second[part]
        assert client.state["version"] > second["version"]
        client.send(type="undo")
        client.until(lambda told: told["type"] == "state")
        assert client.state["board"] == first["board"]
        client.send(type="undo")
        assert "nothing to take back" in client.until(lambda told: told["type"] == "refused")["detail"]
        assert not client.state["practice"]


def test_taking_back_where_dice_are_thrown_is_noted(server: Any, http: httpx.Client) -> None:
    told = lay(http, "ur", None, "random", seed=5)
    assert told["undo_label"] == "Take back"
    with Client(server.url, told["table"]) as client:
        before = client.state["board"]
        client.play(client.legal()[0])
        client.send(type="undo")
        client.until(lambda told: told["type"] == "state")
        assert client.state["practice"]
        assert client.state["board"] == before
        client.play(client.legal()[0])
        assert client.state["history"][0]["taken_back"]


def test_what_cannot_be_played_changes_nothing(server: Any, http: httpx.Client) -> None:
    told = lay(http, "othello", None, "random", seed=2)
    path = f"/api/tables/{told['table']}"
    with Client(server.url, told["table"]) as client:
        before = http.get(path).json()
        wrong: list[dict[str, Any]] = [
            {"type": "move", "action": 0, "version": before["version"]},  # not legal
            {"type": "move", "action": 10_000, "version": before["version"]},  # no such action
            {"type": "move", "action": client.legal()[0], "version": before["version"] + 1},
            {"type": "move", "action": -1, "version": before["version"]},
            {"type": "move", "action": 2**40, "version": before["version"]},
            {"type": "move", "action": True, "version": before["version"]},
            {"type": "move", "action": "d3", "version": before["version"]},
            {"type": "move"},
            {"type": "run", "delay": 1},  # a person plays here
            {"type": "run", "delay": "fast"},
            {"type": "step"},
            {"type": "analyse", "on": "yes"},
            {"type": "dance"},
            {"no": "type"},
        ]
        for message in wrong:
            client.send(**message)
            detail = client.until(lambda told: told["type"] == "refused")["detail"]
            assert "expected" in detail, detail
            assert "\n" not in detail
        for text in ("", "{", "[]", "null", '"move"', "NaN", "[" * 5000):
            client.connection.send(text)
            assert "expected" in client.until(lambda told: told["type"] == "refused")["detail"]
        client.connection.send(b"\x00\x01")  # not text: the line ends, the table does not
    assert http.get(path).json() == before
    with Client(server.url, told["table"]) as client:
        late = client.state["version"]
        client.play(client.legal()[0])
        client.send(type="move", action=client.legal()[0], version=late)
        assert "too late" in client.until(lambda told: told["type"] == "refused")["detail"]


def test_two_clients_see_the_same_and_a_dropped_one_comes_back(server: Any, http: httpx.Client) -> None:
    told = lay(http, "chung-toi", None, None)
    with Client(server.url, told["table"]) as one:
        with Client(server.url, told["table"]) as two:
            one.play(one.legal()[0])
            two.until(lambda told: told["type"] == "state" and told["ply"] == 1)
            assert one.state == two.state
            two.connection.socket.close()  # the line breaks without a word
        one.play(one.legal()[0])
        with Client(server.url, told["table"]) as two:
            assert two.state == one.state
            two.send(type="ping")
            two.until(lambda told: told["type"] == "pong")


def test_rematch_branch_history_and_deletion(server: Any, http: httpx.Client) -> None:
    told = lay(http, "onitama", None, "random", seed=3, label="Friday")
    path = f"/api/tables/{told['table']}"
    assert told["title"] == "Friday"
    with Client(server.url, told["table"]) as client:
        client.ready()
        for _ in range(3):
            client.play(client.legal()[0])
        state = client.state
        past = http.get(f"{path}/history").json()["states"]
        assert [each["ply"] for each in past] == list(range(state["ply"] + 1))
        assert past[-1]["board"] == state["board"]
        assert past[-1]["last"] == state["last"]
        branch = http.post(f"{path}/branch", json={"ply": 2}).json()
        assert branch["board"] == past[2]["board"]
        assert branch["history"] == state["history"][:2]
        assert http.post(f"{path}/branch", json={"ply": 99}).status_code == 422
        again = http.post(f"{path}/rematch", json={"swap": True}).json()
        assert [seat["kind"] for seat in again["seats"]] == ["agent", "person"]
        assert again["title"] == "Friday"
        assert [seat["kind"] for seat in http.post(f"{path}/rematch").json()["seats"]] == ["person", "agent"]
        assert http.get(path).json() == state  # all these are other tables
    listed = http.get("/api/tables").json()["tables"]
    assert told["table"] in [each["id"] for each in listed]
    assert http.delete(path).status_code == 204
    for method, rest in (("GET", ""), ("GET", "/history"), ("POST", "/rematch"), ("DELETE", ""), ("GET", "/record")):
        answer = http.request(method, path + rest)
        assert answer.status_code == 404
        assert "there is no table" in answer.json()["detail"]


def test_othello_from_a_transcript_and_a_position(server: Any, http: httpx.Client) -> None:
    told = lay(http, "othello", None, "random", transcript="f5d6c3d3c4")
    assert told["transcript"] == "f5d6c3d3c4"
    assert told["ply"] == 5
    with Client(server.url, told["table"]) as client:
        client.ready()
        assert client.state["transcript"].startswith("f5d6c3d3c4")
        path = f"/api/tables/{told['table']}"
        ggf = http.get(f"{path}/ggf")
        assert "attachment" in ggf.headers["content-disposition"]
        assert read_ggf(ggf.text).actions == read_transcript(make("othello"), client.state["transcript"])
        assert http.get(f"{path}/transcript").text == client.state["transcript"]
    position = client.state["position"]
    assert lay(http, "othello", None, None, position=position)["position"] == position
    seats = [{"kind": "person"}, {"kind": "person"}]
    for wrong in (
        {"game": "othello", "seats": seats, "transcript": "f5f5"},
        {"game": "othello", "seats": seats, "position": "nonsense"},
        {"game": "ur", "seats": seats, "transcript": "f5"},
        {"game": "okey", "seats": seats, "position": "x"},
        {"game": "othello", "seats": seats[:1]},
        {"game": "othello", "seats": seats, "variant": {"size": 8.0}},
        {"game": "othello", "seats": seats, "variant": {"size": 5}},
        {"game": "othello", "seats": seats, "variant": {"colour": "red"}},
        {"game": "okey", "seats": seats, "variant": {"match": True}},
        {"game": "onitama", "seats": seats, "variant": {"cards": ["ox"]}},
        {"game": "othello", "seats": [{"kind": "person"}, {"kind": "agent", "spec": "optimal"}]},
        {"game": "othello", "seats": seats, "seed": -1},
    ):
        answer = http.post("/api/tables", json=wrong)
        assert answer.status_code == 422, (wrong, answer.text)
        assert "\n" not in answer.json()["detail"]
    assert http.post("/api/tables", json={"game": "chess", "seats": seats}).status_code == 404


def test_agents_are_watched_step_by_step_and_at_speed(server: Any, http: httpx.Client) -> None:
    told = lay(http, "othello", "random", "positional", variant={"size": 4}, seed=4)
    assert told["you"] is None
    with Client(server.url, told["table"]) as client:
        assert client.state["moves"] == []
        client.send(type="step")
        client.until(lambda told: told["type"] == "state" and told["ply"] == 1)
        client.send(type="move", action=0, version=client.state["version"])
        assert "not your turn" in client.until(lambda told: told["type"] == "refused")["detail"]
        client.send(type="run", delay=0)
        client.until(lambda told: told["type"] == "state" and (told["ply"] >= 3 or told["over"]))
        client.send(type="pause")
        client.until(lambda told: told["type"] == "state" and (not told["running"] or told["over"]))
        client.send(type="run", delay=0)
        client.until(lambda told: told["type"] == "state" and told["over"])
        assert client.state["result"]["text"]
        client.send(type="step")
        assert "over" in client.until(lambda told: told["type"] == "refused")["detail"]
    game = make("othello", size=4)
    record = Record.from_dict(http.get(f"/api/tables/{told['table']}/record").json())
    states = replay(game, record)
    assert np.asarray(game.returns(states[-1])).tolist() == list(record.returns)


def test_own_runs_play_with_their_newest_weights(server: Any, http: httpx.Client) -> None:
    game, folder = make("chung-toi"), server.runs / "mine"
    told = None
    for weights in range(2):
        _write_run(folder, weights)
        if told is None:
            told = lay(http, "chung-toi", None, "run:mine", seed=8)
            assert told["seats"][1]["label"] == "Run mine"
        else:
            told = http.post(f"/api/tables/{told['table']}/rematch").json()
        agent = Resident(player(f"run:{folder}", game))
        with Client(server.url, told["table"]) as client:
            client.play(client.legal()[weights])
            client.play(client.legal()[-1])
            record = http.get(f"/api/tables/{told['table']}/record").json()
        assert record["seats"] == ["person", "run:mine"]
        table = LiveGame(game, seed=record["seed"], seating=range(2))
        for action in record["actions"]:
            assert table.mover == 0 or agent.decide(table.turn()) == action
            table.act(action)
    assert http.post("/api/games/othello/check", json={"spec": "run:mine"}).status_code == 422
    offered = next(each for each in http.get("/api/games").json() if each["id"] == "chung-toi")["ladder"]
    assert "run:mine" in [rung["spec"] for rung in offered]
    shutil.rmtree(folder)  # the server is not ours alone


def _write_run(folder: Path, seed: int) -> None:
    """A run whose net is drawn by `seed`, as training would leave it."""
    shapes = ValueNet(make("chung-toi"), lambda _: None).shapes()
    draw = np.random.default_rng(seed)
    net = jax.tree.map(lambda like: draw.normal(size=(1, *like.shape)).astype(like.dtype), shapes)
    folder.mkdir(exist_ok=True)
    facts = {"format": 1, "game": "chung-toi", "variant": {"hop": True, "allow_pass": False}, "learner": "td-lambda"}
    facts |= {"config": {}, "agent": {"kind": "value-net", "hidden": 30, "known_ends": False}, "seed": 0, "seeds": 1}
    (folder / "run.json").write_text(json.dumps(facts))
    storage.write(folder / "checkpoint.safetensors", {"params": net}, {})
