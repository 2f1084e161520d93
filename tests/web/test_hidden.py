"""Hidden tiles never reach a page: every message of whole games of Okey is read and held against the truth."""

import json
import random
import re
from collections import Counter
from typing import Any

import httpx
import jax
import numpy as np
import pytest

from ludens.arena.live_game import LiveGame
from ludens.games.okey import KINDS, Okey
from ludens.games.okey.text import TILES
from ludens.web.protocol import Course
from ludens.web.worker import catalogue, rules
from ludens.web.worker.render import packing
from web.table_client import Client, lay

ME = 0
STATE = {
    *("type", "table", "version", "game", "variant", "title", "seats", "you", "ply", "mover", "over", "result"),
    *("board", "moves", "last", "history", "notice", "can_undo", "undo_label", "practice", "thinking", "running"),
    *("delay", "position"),
}
"""What a state of Okey may have, so that nothing new goes unread."""
BOARD = {
    *("players", "teams", "indicator", "joker", "left", "phase", "hand", "sizes", "hands", "known", "discards"),
    *("offer", "scores", "starter", "winner", "worth", "arrangement", "pairs"),
}
TILE = re.compile(r"\b(?:[rbgy]\d+|okey|joker|(?:red|black|green|yellow) \d+)\b")


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_no_message_of_a_whole_game_has_a_hidden_tile(server: Any, http: httpx.Client, players: int) -> None:
    opponents = ["random", "thesis", "random"][: players - 1]
    told = lay(http, "okey", None, *opponents, variant={"players": players}, seed=20 + players)
    path = f"/api/tables/{told['table']}"
    chooser = random.Random(players)
    with Client(server.url, told["table"]) as client:
        client.heard.insert(0, told)
        client.send(type="analyse", on=True, by="okey-greedy")
        for _ in range(6):
            now = client.state["version"]
            client.until(lambda told, now=now: told["type"] == "analysis" and told["version"] == now)
            client.play(chooser.choice(client.legal()))
        while not client.state["over"]:
            if client.state["ply"] % 20 == 0:
                client.heard.append(http.get(path).json())
                past = http.get(f"{path}/history").json()["states"]
                assert all(hands is None for each in past for hands in each["board"]["hands"])
                assert all(hand is not None for hand in (each["board"]["hand"] for each in past))
                assert http.get(f"{path}/record").status_code == 409
                assert http.post(f"{path}/branch", json={"ply": 0}).status_code == 409
                assert http.post(f"{path}/review").status_code == 409
            client.play(chooser.choice(client.legal()))
        heard = client.heard
    states = [message for message in heard if message["type"] == "state"]
    truths = _truths(Okey(players=players), http.get(f"{path}/record").json())
    assert {state["ply"] for state in states} == set(range(len(truths)))
    for message in heard:
        if message["type"] == "state" and not message["over"]:
            _is_only_what_seat_0_knows(message, truths[message["ply"]])
        elif message["type"] == "analysis":
            mine = next(state for state in states if state["version"] == message["version"])
            assert {move["action"] for move in message["moves"]} <= {move["action"] for move in mine["moves"]}
        else:
            assert message["type"] in ("state", "thinking"), message
    assert sum(message["type"] == "analysis" for message in heard) > 5
    last = states[-1]["board"]
    assert [_count(hand) for hand in last["hands"]] == [_named(hand) for hand in np.asarray(truths[-1].hands)]


@pytest.mark.parametrize(
    "game",
    [Okey(), pytest.param(Okey(players=4, teams=True, show_indicator=True, match=20), marks=pytest.mark.slow)],
    ids=["two seats", "two teams"],
)
def test_what_is_shown_depends_on_nothing_hidden(game: Okey) -> None:
    variant, _ = catalogue.whole_variant("okey", {"players": game.players} | _told(game))
    pack, view, deal = packing(game), jax.jit(game.view), jax.jit(game.determinize)
    table, chooser = LiveGame(game, seed=9, seating=range(game.players)), random.Random(1)
    differing = 0
    for ply in range(24):
        imagined = deal(view(table.state, ME), jax.random.key(ply))
        differing += bool((np.asarray(imagined.hands) != np.asarray(table.state.hands)).any())
        course = Course(9, int(table.stream), list(table.actions), list(table.movers), (ME,))
        shown = [rules.show(variant, course, [pack.pack(s)]).shown for s in (table.state, imagined)]
        assert shown[0] == shown[1]
        table.act(chooser.choice(np.flatnonzero(np.asarray(game.legal(table.state))).tolist()))
    assert differing > 20


def _told(game: Okey) -> dict[str, Any]:
    return {"teams": game.teams, "show_indicator": game.show_indicator, "match": game.match}


def _truths(game: Okey, record: dict[str, Any]) -> list[Any]:
    """The true states of a game, computed here from its seed and acts."""
    table = LiveGame(game, seed=record["seed"], seating=range(game.players))
    states = [table.state]
    for action in record["actions"]:
        table.act(action)
        states.append(table.state)
    assert list(record["chance"]) == table.outcomes
    return states


def _is_only_what_seat_0_knows(message: dict[str, Any], truth: Any) -> None:
    assert set(message) == STATE
    board, last = message["board"], message["last"]
    assert set(board) == BOARD
    hands, known, discards = (np.asarray(part) for part in (truth.hands, truth.known, truth.discards))
    assert _count(board["hand"]) == _named(hands[ME])
    assert board["hands"] == [None] * len(hands)
    assert [_count(tiles) for tiles in board["known"]] == [_named(row) for row in known]
    assert [_count(tiles) for tiles in board["discards"]] == [_named(row) for row in discards]
    assert message["position"] is None
    assert board["arrangement"] is None
    mine = set(_count(board["hand"]))
    for move in message["moves"]:
        assert move["tile"] is None or move["tile"]["tile"] in mine or move["kind"] == "take"
    if last is not None:
        assert last["drawn"] is None or last["seat"] == ME
        if last["kind"] == "draw":
            assert last["tile"] is None
            assert last["drawn"] is None or last["drawn"]["tile"] in mine
            assert not TILE.search(last["said"])
    for act in message["history"]:
        assert act["name"].startswith("discard") or not TILE.search(act["name"])
    rest = {name: value for name, value in message.items() if name not in ("board", "moves", "last", "history")}
    assert not TILE.search(json.dumps(rest | {"variant": None, "game": None, "title": None, "seats": None}))


def _count(tiles: list[dict[str, Any]]) -> Counter[str]:
    return Counter(tile["tile"] for tile in tiles)


def _named(row: np.ndarray) -> Counter[str]:
    return Counter({TILES[kind]: int(row[kind]) for kind in range(KINDS) if row[kind]})
