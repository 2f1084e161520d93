"""The benchmark measures what it says, in the form that programs read."""

import json

import jax
import pytest

from ludens.cli import bench, peers
from ludens.games import make


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "BATCHES", [1, 32])
    monkeypatch.setattr(bench, "SECONDS", 0.01)
    monkeypatch.setattr(peers, "SECONDS", 0.05)


def test_json_has_games_batches_and_ratios(capsys: pytest.CaptureFixture[str]) -> None:
    bench.run([make("othello"), make("ur")], peers=True, json=True)
    report = json.loads(capsys.readouterr().out)
    assert set(report) == {"device", "versions", "othello", "ur"}
    othello = report["othello"]
    assert list(othello["steps_per_s"]) == ["1", "32"]
    assert othello["best"] == max(othello["steps_per_s"].values())
    assert othello["bytes_per_state"] == 26
    assert set(othello["ratio"]) == {"pgx", "open_spiel"}
    for peer, ratio in othello["ratio"].items():
        assert ratio == pytest.approx(othello["best"] / othello["peers"][peer]["best"])
    assert "ratio" not in report["ur"]


def test_the_table_is_readable(capsys: pytest.CaptureFixture[str]) -> None:
    bench.run([make("ur")], peers=False, json=False)
    out = capsys.readouterr().out
    assert "ur" in out
    assert "best" in out


def test_the_loop_really_plays(monkeypatch: pytest.MonkeyPatch) -> None:
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
