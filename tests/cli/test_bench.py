"""The benchmark measures what it says, in the form that programs read, beside peers and searches that are fair."""

import json
from collections.abc import Callable
from pathlib import Path

import jax
import pytest

from ludens.cli import bench
from ludens.games import make

search, plain_othello, peers = (bench.from_clone(name) for name in ("search", "plain_othello", "peers"))


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "BATCHES", [1, 8])
    monkeypatch.setattr(bench, "SECONDS", 0.01)
    monkeypatch.setattr(peers, "SECONDS", 0.05)
    monkeypatch.setattr(bench, "LONGEST", 256)


def test_json_has_games_and_batches_and_the_table_is_readable(ludens: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = ludens("bench", "ur", "--json")
    report = json.loads(out)
    assert code == 0
    assert set(report) == {"device", "versions", "ur"}
    assert list(report["ur"]["steps_per_s"]) == ["1", "8"]
    assert report["ur"]["best"] == max(report["ur"]["steps_per_s"].values())
    assert report["ur"]["bytes_per_state"] == 24
    table = bench._table(report)
    assert [column.header for column in table.columns] == ["games at once", "ur"]
    assert list(table.columns[0].cells) == ["1", "8", "best", "bytes per state"]


@pytest.mark.slow
def test_peers_are_measured_beside_othello(ludens: Callable[..., tuple[int, str, str]]) -> None:
    othello = json.loads(ludens("bench", "othello", "--peers", "--json")[1])["othello"]
    assert othello["bytes_per_state"] == 26
    assert set(othello["ratio"]) == {"pgx", "open_spiel"}
    for peer, ratio in othello["ratio"].items():
        assert ratio == pytest.approx(othello["best"] / othello["peers"][peer]["best"])


def test_a_package_without_a_clone_says_what_is_missing(
    ludens: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "lib" / "site-packages" / "ludens" / "cli" / "bench.py"))
    for words, missing in ((("search",), "search"), (("othello", "--peers"), "peers")):
        code, out, err = ludens("bench", *words)
        assert (code, out) == (2, "")
        assert f"benchmarks/{missing}.py is not there: expected a clone" in err


def test_the_loop_really_plays() -> None:
    """Every step of the loop changes the game: nothing is optimised away, nobody plays an illegal action."""
    game = make("othello", size=4)
    legal = []

    def watched(s: object, a: jax.Array, key: jax.Array) -> object:
        jax.debug.callback(lambda ok: legal.append(bool(ok)), game.legal(s)[a])
        return game.apply(s, a)

    assert bench.steps_per_second(bench.of_game(game)._replace(step=watched), 1) > 0
    jax.effects_barrier()
    assert len(legal) > 1000
    assert all(legal)


@pytest.mark.slow
def test_both_searches_find_the_same_values() -> None:
    search._check(search._positions(search.AGREE))


def test_the_plain_search_counts_what_it_makes() -> None:
    s = make("othello").init(jax.random.key(0))
    black, white = (int(board.lo) | int(board.hi) << 32 for board in (s.own, s.opponent))
    assert plain_othello.plain_search((black, white), 1)[1] == 4
    value, nodes = plain_othello.plain_search((black, white), 2)
    assert 4 + 3 <= nodes <= 4 + 12
    assert -1000 < value < 1000
