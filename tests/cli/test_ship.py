"""`ludens ship`, and the cards of what it ships."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import pytest

from ludens.core import agent_files, storage
from ludens.core.agent_files import read_agent
from ludens.core.run_files import CHECKPOINT, FORMAT, METRICS, PARAMS, RUN
from ludens.games import make
from ludens.players.learned import agent_of

Ludens = Callable[..., tuple[int, str, str]]
AGENT = {"kind": "value-net", "hidden": 4, "known_ends": True}


@pytest.fixture
def run(tmp_path: Path) -> str:
    """A run of `td-lambda` with two seeds, as it is found in its folder, with weights drawn at random."""
    folder = tmp_path / "run"
    folder.mkdir()
    terms: dict[str, Any] = {"game": "chung-toi", "variant": {"hop": True, "allow_pass": False}, "learner": "td-lambda"}
    terms |= {"config": {"episodes": 30, "hidden": 4}, "agent": AGENT, "seed": 5, "seeds": 2}
    (folder / RUN).write_text(json.dumps({"format": FORMAT, **terms}))
    lines = [{"games": games, "seconds": 1.5, "device": "cpu"} for games in (10, 30)]
    (folder / METRICS).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    agent = agent_of(make("chung-toi"), AGENT)
    params = jax.vmap(agent.create)(jax.random.split(jax.random.key(0), 2))
    storage.write(folder / CHECKPOINT, {PARAMS: params}, {})
    return str(folder)


def test_a_run_becomes_an_agent_with_a_card(
    ludens: Ludens, run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_files, "HOME", tmp_path / "agents")
    monkeypatch.setenv("COLUMNS", "200")
    words = ("--about", "A net.", "--champion", "--search", "mcts:8", "--variant", "hop=true", "--half")
    code, out, err = ludens("ship", f"{run}@1", "tiny", *words)
    assert (code, err) == (0, "")
    assert "`ludens list tiny` shows its card" in out
    facts = read_agent(tmp_path / "agents" / "tiny")
    assert facts["variants"] == [{"hop": True}]
    assert (facts["champion"], facts["plays"], facts["agent"]) == (True, "mcts:8", AGENT)
    command = "ludens train chung-toi td-lambda --episodes=30 --hidden=4 --seed=5 --seeds=2"
    assert facts["training"] == {"command": command, "games": 30, "seconds": 3.0, "device": "cpu", "seed": 6}

    assert ludens("ship", f"{run}@1", "tiny", "--weaknesses", "Many.")[0] == 0  # what is not given stays
    code, out, _ = ludens("list", "tiny")
    assert code == 0
    assert all(text in out for text in ("A net.", command, "Many.", "cpu, 3 s, 30 games, seed 6", "hop yes", "mcts:8"))
    code, out, _ = ludens("list", "chung-toi", "tiny", "--json")
    game, agent = json.loads(out).values()
    assert game["agents"] == ["tiny"]
    assert agent["card"]["what it is"] == "A net."
    code, out, _ = ludens("list", "chung-toi")
    assert "tiny (champion)" in out
    code, out, _ = ludens("eval", "tiny:net", "--vs", "random", "--games", "2", "--json")
    assert code == 0
    assert json.loads(out)["players"] == ["tiny:net", "random"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("Tiny",), "'Tiny' cannot name an agent: expected a new name in small letters"),
        (("champion",), "'champion' cannot name an agent"),
        (("greedy",), "'greedy' cannot name an agent"),
        (("tiny", "--search", "mcts:none"), "simulations is 'none': expected"),
        (("tiny", "--variant", "size=8"), "'size=8' is no field of chung-toi: expected some of hop, allow_pass"),
        (("tiny", "--variant", "hop=8"), "--hop is '8': expected true or false"),
    ],
)
def test_what_cannot_be_shipped_gets_a_sentence(
    ludens: Ludens, run: str, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    code, _, err = ludens("ship", run, *words, "--out", str(tmp_path / "agents"))
    assert code == 2
    assert sentence in err
    assert not (tmp_path / "agents").exists()


def test_only_runs_are_shipped(ludens: Ludens, tmp_path: Path) -> None:
    code, _, err = ludens("ship", str(tmp_path), "tiny", "--out", str(tmp_path))
    assert (code, err) == (2, f"ludens: '{tmp_path}' holds no run: expected a folder that `ludens train` made\n")
