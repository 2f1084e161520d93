"""The game of docs/add-a-game.md is really added, and really works everywhere."""

import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import pytest

from ludens.cli.app import BadInputError, app
from ludens.core.game import legal_actions
from ludens.core.playout import perft
from ludens.games import GAMES, make

PAGE = Path(__file__).parents[2] / "docs" / "add-a-game.md"


@pytest.fixture
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The page's file written to disk and imported, and the page's line carried out."""
    file, line = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (tmp_path / "nim.py").write_text(file)
    spec = importlib.util.spec_from_file_location("nim", tmp_path / "nim.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "nim", module)
    spec.loader.exec_module(module)
    assert line.strip() == 'GAMES["nim"] = Nim'
    monkeypatch.setitem(GAMES, "nim", module.Nim)
    return module


def test_the_page_adds_a_game(nim: Any, capsys: pytest.CaptureFixture[str]) -> None:
    game = make("nim", heap=3)
    s = game.read("3 left, 0 to move, throw 2")
    assert [game.name(a, s) for a in legal_actions(game, s)] == ["take 1", "take 2"]
    # Take 1 or 2; the die; then from two left 1, 2, 2 ways, from one left 1, 1, 1.
    assert perft(game, s, 3) == [2, 6, 5 + 3]
    with pytest.raises(ValueError, match=r"heap is 2\.5 in nim: expected a whole number"):
        make("nim", heap=2.5)
    with pytest.raises(ValueError, match="heap is 0 in nim: expected a whole number, 1 or more"):
        make("nim", heap=0)
    with pytest.raises(BadInputError, match="nim cannot take '--size'"):
        app(["perft", "nim", "--size", "3"], exit_on_error=False, print_error=False, result_action="return_value")
    app(["perft", "nim", "--heap", "3", "--depth", "1", "--json"], result_action="return_value")
    assert len(json.loads(capsys.readouterr().out)["perft"]) == 1
    app(["watch", "nim", "--seed", "1", "--json"], result_action="return_value")
    record = json.loads(capsys.readouterr().out)
    assert sorted(record["returns"]) == [-1.0, 1.0]
    app(["list", "--json"], result_action="return_value")
    assert json.loads(capsys.readouterr().out)["nim"]["options"] == {"--heap": "12"}


def test_the_new_game_conforms(nim: Any) -> None:
    import numpy as np

    game = make("nim")
    keys = jax.random.split(jax.random.key(0), 16)
    states = jax.vmap(game.init)(keys)
    legal = np.asarray(jax.vmap(game.legal)(states))
    np.testing.assert_array_equal(legal.sum(axis=1), np.asarray(states.throw))


def test_the_new_game_has_an_environment(nim: Any) -> None:
    from ludens.adapters.pettingzoo_env import raw_env

    env = raw_env("nim", heap=5)
    env.reset(seed=1)
    assert env.observe(env.agent_selection)["action_mask"].shape == (3,)


def test_the_new_game_is_solved_and_then_played_perfectly(
    nim: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path / "cache"))

    def said(*words: str) -> Any:
        app([*words, "--heap", "4", "--json"], exit_on_error=False, print_error=False, result_action="return_value")
        return json.loads(capsys.readouterr().out)

    with pytest.raises(BadInputError, match="'optimal' cannot play nim: expected one of random, "):
        said("match", "nim", "optimal", "random")
    # 4 left: three throws; 3 left: seat 1's die and three throws; 2 and 1 left: the same for both seats; two ends.
    assert said("solve", "nim")["states"] == 3 + 4 + 8 + 8 + 2
    two = (0 + 1 + 1) / 3  # a throw of 1 leaves the last match to the other, who has no choice either
    three = ((1 - two) + (1 - two) + 1) / 3  # with 1 or 2 the best is to leave two
    moves = said("solve", "nim", "--position", "4 left, 0 to move, throw 2")["moves"]
    assert [move["name"] for move in moves] == ["take 1", "take 2"]
    assert [move["value"] for move in moves] == pytest.approx([1 - three, 1 - two], abs=1e-7)
    facts = said("match", "nim", "optimal", "expectimax:1", "--games", "20")
    assert facts["regret"][0]["best_share"] == 1.0
