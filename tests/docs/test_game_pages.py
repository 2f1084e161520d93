"""Every position printed on a game's page is one that the game reads, and every game has a page."""

import re
import shlex
from pathlib import Path

import pytest

from ludens.cli.inputs import game_from
from ludens.cli.reports import describe
from ludens.core.game import legal_actions
from ludens.games import GAMES

PAGES = Path(__file__).parents[2] / "docs" / "games"


def test_every_game_has_a_page() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(GAMES)


@pytest.mark.parametrize("name", list(GAMES))
def test_positions_and_options_are_real(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text()
    blocks = re.findall(r"```position ?([^\n]*)\n(.*?)```", text, re.DOTALL)
    assert blocks
    for options, positions in blocks:
        game = game_from(name, tuple(shlex.split(options)))
        for position in positions.strip().splitlines():
            s = game.read(position)
            assert game.show(game.read(game.show(s))) == game.show(s)
            assert legal_actions(game, s) or float(game.chance(s).sum()) > 0
    for option in describe(name):
        assert option.removeprefix("--").replace("-", "_") in text, f"{option} is not on the page"
