"""The learner in docs/add-a-learner.md really learns, and the script in docs/training.md really runs."""

import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from ludens.games import make
from ludens.learning.evaluation import evaluate
from ludens.learning.loop import compiled_begin, compiled_chunk
from ludens.players import player

DOCS = Path(__file__).parents[2] / "docs"


def _blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_learner_on_the_page_learns() -> None:
    names: dict[str, Any] = {"__name__": "averages"}
    exec(compile(_blocks("add-a-learner.md")[0], "add-a-learner.md", "exec"), names)
    game = make("othello", size=6)
    learner = names["Averages"](game, names["AveragesConfig"](episodes=3000, num_envs=32))
    training, _ = compiled_chunk(learner, 1)(compiled_begin(learner)(jnp.zeros(1, jnp.uint32)), 3000)
    agent = names["AveragesAgent"].from_facts(game, learner.agent(), lambda shapes: None)
    params = learner.params(training.learner[0])
    wins, draws, losses = evaluate(agent, player("random", game), params, None, jax.random.key(0), games=400)
    assert int(wins) > 240 > int(losses)
    assert int(wins + draws + losses) == 400
    with pytest.raises(ValueError, match="epsilon is 2: expected a number from 0 to 1"):
        names["AveragesConfig"](epsilon=2)


@pytest.mark.slow
def test_the_script_on_the_training_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(_blocks("training.md")[1], "training.md", "exec"), {})
    assert capsys.readouterr().out.count("'evaluation'") == 5
    assert (tmp_path / "runs" / "mine" / "checkpoint.safetensors").exists()
