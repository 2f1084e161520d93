"""The player of docs/add-a-player.md is really added, and really plays."""

import re
from pathlib import Path
from typing import Any

import pytest

from ludens.arena.match import balanced_jobs, contestant, play
from ludens.arena.statistics import result, tally
from ludens.games import make
from ludens.players import PLAYERS, player

PAGE = Path(__file__).parents[2] / "docs" / "add-a-player.md"


@pytest.fixture
def cramping(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's file carried out, and then the page's line."""
    file, line = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {"__name__": "cramping"}
    exec(compile(file, "cramping.py", "exec"), names)
    assert line.strip() == 'PLAYERS["cramping"] = Cramping'
    monkeypatch.setitem(PLAYERS, "cramping", names["Cramping"])


@pytest.mark.usefixtures("cramping")
def test_the_player_on_the_page_plays_well() -> None:
    game = make("othello", size=4)
    players = [contestant("cramping", game), contestant("random", game)]
    jobs = balanced_jobs(game, players=2, games=200, seed=0)
    played = tally(result(record, jobs[number].seats, 0) for number, record in play(game, players, jobs))
    assert played.games == 200
    assert played.wins > 1.5 * played.losses


@pytest.mark.usefixtures("cramping")
def test_the_player_on_the_page_says_what_it_expects() -> None:
    assert player("cramping:0.1", make("chung-toi")).epsilon == 0.1
    for options in ("2", "often", "0:1"):
        with pytest.raises(ValueError, match="expected a number from 0 to 1"):
            player(f"cramping:{options}", make("chung-toi"))
    for game in ("ur", "okey"):
        with pytest.raises(ValueError, match="cramping"):
            player("cramping", make(game))
