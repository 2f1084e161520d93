"""`ludens solve` for people and for programs."""

import json

import numpy as np
import pytest

from ludens.cli.app import BadInputError
from ludens.cli.solve import solve
from ludens.core import storage


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDENS_CACHE", str(folder))
        yield folder


def said(capsys, *words, **options) -> str:
    solve(*words, **options)
    return capsys.readouterr().out


def test_a_game_for_programs_and_for_people(capsys, cache) -> None:
    game = ("ur", "--rules", "finkel", "--pieces", "1")
    facts = json.loads(said(capsys, *game, json=True))
    names = ["game", "variant", "start_value", "error", "states", "wins", "draws", "losses", "longest", "seconds"]
    assert list(facts) == [*names, "figures"]
    assert facts["game"] == "ur"
    assert facts["variant"] == {"rules": "finkel", "pieces": 1, "dice": 4}
    assert facts["states"] == facts["wins"] + facts["draws"] + facts["losses"] == 217
    assert facts["longest"] is None
    text = said(capsys, *game)
    assert f"wins with probability {facts['start_value']:.9f}" in text
    assert f"{facts['figures']['turns']:.2f} expected" in text
    assert f"4: {facts['figures']['wins_by_throw']['4']:.6f}" in text
    assert f"in {100 * facts['figures']['captures']:.2f} % of games" in text
    assert str(cache) in text
    assert json.loads(said(capsys, *game, json=True)) == facts  # from the table, seconds included
    file = cache / "elsewhere"
    assert str(file) in said(capsys, *game, table=file)
    (facts_there, there), (facts_here, here) = (storage.load(each) for each in (file, *(cache / "oracles").iterdir()))
    assert facts_there == facts_here
    assert there.keys() == here.keys()
    assert all(np.array_equal(there[name], here[name]) for name in here)
    assert json.loads(said(capsys, *game, json=True, rebuild=True))["seconds"] != facts["seconds"]


def test_a_position_and_its_moves_best_first(capsys) -> None:
    game, position = ("chung-toi",), "RxRx--/------/W+W+-- turn white"
    facts = json.loads(said(capsys, *game, position=position, json=True))
    assert (facts["value"], facts["distance"], facts["position"]) == (1, 1, position)
    assert facts["moves"][:2] == [{"name": name, "value": 1, "distance": 1} for name in ("c1+", "c1x")]
    assert facts["moves"][-1]["value"] == -1
    assert facts["moves"][-1]["distance"] == 2
    assert [m["value"] for m in facts["moves"]] == sorted((m["value"] for m in facts["moves"]), reverse=True)
    text = said(capsys, *game, position=position)
    assert "the side to move wins (+1) in 1 ply" in text
    assert text.index("c1+") < text.index("a2+")
    start = said(capsys, *game)
    assert "a draw (0)" in start
    assert "152,019" in start


def test_what_cannot_be_answered(capsys) -> None:
    with pytest.raises(BadInputError, match="onitama is too large to be solved in this variant: expected one"):
        solve("onitama")
    with pytest.raises(BadInputError, match="does not say who moves"):
        solve("chung-toi", position="RxRx--")
    assert capsys.readouterr().out == ""
