"""The figures: whole, labelled, and the same each time."""

import struct
from itertools import combinations
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from ludens.arena import figures, style
from ludens.arena.figures import FIGURES
from ludens.arena.ledger import Result
from ludens.arena.standings import Standings, standings

NAMES = ["random", "alphabeta:3:material", "mcts:400", "gtp:program $HOME & <more> of them, quite long"]
SHOWN = ["random", "alphabeta:3:material", "mcts:400", "gtp:program $HOME & <more> of…"]


def field(names: list[str]) -> Standings:
    """The lower number wins, mostly; everybody draws once."""
    pairs = list(combinations(range(len(names)), 2))
    results = [
        Result(number, i, pair, [(1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (0.0, 0.0)][(number + i) % 4], 10 + i)
        for number in range(5)
        for i, pair in enumerate(pairs)
    ]
    return standings(names, results)


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return figures.figures(field(NAMES))


def test_each_figure_is_there_as_png_and_svg(files: dict[str, bytes]) -> None:
    kinds = ("png", "svg")
    assert sorted(files) == sorted(f"{name}.{kind}" for name in FIGURES for kind in kinds)
    for name in FIGURES:
        image = files[f"{name}.png"]
        assert image.startswith(b"\x89PNG")
        width, height = struct.unpack(">II", image[16:24])
        assert 700 <= width <= 3000
        assert 400 <= height <= 3000


@pytest.mark.parametrize("name", FIGURES)
def test_every_player_is_named_in_the_text_of_the_svg(files: dict[str, bytes], name: str) -> None:
    texts = list(ElementTree.fromstring(files[f"{name}.svg"]).itertext())
    for shown in SHOWN:
        assert any(shown in text for text in texts), shown


def test_numbers_of_the_matrices_are_in_the_svg(files: dict[str, bytes]) -> None:
    outcome = field(NAMES)
    texts = [text.strip() for text in ElementTree.fromstring(files["net_wins.svg"]).itertext()]
    for net in outcome.net_wins[~np.eye(len(NAMES), dtype=bool)]:
        assert (f"{net:+d}".replace("-", "−") if net else "0") in texts


def test_the_same_standings_give_the_same_bytes_whatever_the_user_has_configured(files: dict[str, bytes]) -> None:
    with mpl.rc_context({"font.size": 20, "savefig.dpi": 30, "axes.facecolor": "black"}):
        assert figures.figures(field(NAMES)) == files


def test_fewest_and_many_players_and_names_that_only_differ_late() -> None:
    assert figures.figures(field(["a", "b"]))
    names = [f"a program with a command line that is long, number {i}" for i in range(12)]
    outcome = field(names)
    assert figures._labels(outcome) == list(outcome.players)
    assert style.colour(0) == style.colour(9)
    assert style.marks(0) != style.marks(9)
    assert figures.elo_curve(outcome).legends[0].get_texts()[11].get_text() == outcome.players[11]
