"""`results.json`: what is written is what is read, and nothing else is taken for it."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.papers.codec import decode, encode, format_json
from ludens.papers.provenance import Device
from ludens.papers.results import Figure, Panel, ReportTable, Reproduction, Results, Row, Series, Work
from papers.fake import results

CPU = Device("cpu", "cpu", 2, 2)
GPU = Device("NVIDIA H200", "gpu", 1, 16)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)


def reproduction(outcome: Results | None = None, **facts: Any) -> Reproduction:
    usual: dict[str, Any] = {
        "paper": "fake-game",
        "title": "Learning to play <Fake> & Other Games",
        "reference": "A. Author (2001)",
        "scale": "full",
        "command": "ludens reproduce fake-game --full --seeds 20",
        "date": "2026-01-31T12:00:00Z",
        "seeds": 20,
        "versions": {"ludens": "0.1.0", "jax": "0.10.2"},
        "device": CPU,
        "commit": "0123456789abcdef" * 2,
        "seconds": 75.0,
        "work": [Work(GPU, None, 3, 70.0)],
    }
    return Reproduction(
        **(usual | facts), results=results([0.5, 0.6, 0.7, 0.8], 0.9, 20) if outcome is None else outcome
    )


@st.composite
def outcomes(draw: st.DrawFn) -> Results:
    ends = st.tuples(NUMBERS, NUMBERS).map(lambda pair: (min(pair), max(pair)))
    rows = st.builds(
        Row,
        st.text(),
        st.none() | NUMBERS,
        NUMBERS,
        st.none() | ends,
        st.integers(0, 99),
        st.sampled_from(["agrees", "better", "worse", "differs", "cannot tell", "ours alone"]),
        st.text(),
        st.text(),
        st.none() | ends,
    )
    cells = st.text() | NUMBERS | st.integers(-(10**9), 10**9) | st.none()
    heads = draw(st.lists(st.text(), min_size=1, max_size=3))
    lines = st.lists(cells, min_size=len(heads), max_size=len(heads)).map(tuple)
    table = ReportTable("table-1", draw(st.text()), tuple(heads), tuple(draw(st.lists(lines, max_size=3))))
    curve = tuple(draw(st.lists(NUMBERS, max_size=5)))
    band = draw(st.none() | st.just(curve))
    series = Series(draw(st.text()), curve, curve, band, band, draw(st.booleans()))
    panel = Panel(draw(st.text()), "x", "y", (series,), draw(st.dictionaries(st.text(), NUMBERS, max_size=2)))
    texts = st.lists(st.text(), max_size=3).map(tuple)
    figure = Figure("figure-1", draw(st.text()), (panel,))
    return Results(tuple(draw(st.lists(rows, max_size=3))), (table,), (figure,), draw(texts), draw(texts))


@given(outcomes())
def test_whatever_comes_out_is_read_as_it_was_written(outcome: Results) -> None:
    made = reproduction(outcome)
    again = Reproduction.from_dict(json.loads(made.to_json()))
    assert again.results == outcome
    assert again.to_json() == made.to_json()


def test_numpy_lists_and_gaps_become_plain() -> None:
    row = Row("m", np.float32(0.5), np.float64(0.25), (np.float32(0.0), 1), np.int64(3), "worse")
    series = Series("s", np.arange(3.0), [0.0, math.nan, 1.0])
    outcome = Results([row], [], [Figure("f", "t", [Panel("p", "x", "y", [series])])], ["found"], [])
    facts = json.loads(reproduction(outcome).to_json())
    assert facts["rows"][0]["ci95"] == [0.0, 1]
    assert facts["figures"][0]["panels"][0]["series"][0]["y"] == [0.0, None, 1.0]
    again = Reproduction.from_dict(facts).results
    assert again.rows[0] == Row("m", 0.5, 0.25, (0.0, 1.0), 3, "worse")
    assert math.isnan(again.figures[0].panels[0].series[0].y[1])


def test_the_keys_that_programs_rely_on() -> None:
    facts = reproduction().to_dict()
    assert list(facts) == [
        *("format", "paper", "title", "reference", "scale", "command", "date", "seeds", "versions", "device", "commit"),
        *("seconds", "work", "rows", "tables", "figures", "findings", "deviations"),
    ]
    keys = ["measure", "paper", "ours", "ci95", "seeds", "verdict", "where", "unit"]
    assert list(facts["rows"][0]) == [*keys, "paper_ci95"]
    assert list(facts["rows"][1]) == keys  # where the paper does not say in how many games
    assert facts["device"] == {"kind": "cpu", "platform": "cpu", "count": 2, "cores": 2}


def test_it_tells_where_and_with_what_everything_was_computed() -> None:
    made = reproduction(
        work=[Work(GPU, "old", 3, 70.0), Work(CPU, "new", 1, 1.0), Work(GPU, "new", 1, 1.0)], commit="new"
    )
    assert made.devices == [GPU, CPU]
    assert made.commits == ["old", "new"]
    assert reproduction(work=[], commit=None).devices == [CPU]
    assert str(GPU) == "NVIDIA H200 (gpu), 16 CPU cores"
    assert str(CPU) == "CPU, 2 cores"


def spoiled(way: list[Any], value: Any) -> str:
    """The file with something else in one place; `...` takes it away."""
    facts = reproduction().to_dict()
    place = facts
    for step in way[:-1]:
        place = place[step]
    if value is ...:
        del place[way[-1]]
    else:
        place[way[-1]] = value
    return json.dumps(facts)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is not JSON, or not all of it"),
        (json.dumps(reproduction().to_dict())[:-20], "is not JSON, or not all of it"),
        ("\x00\ufffd", "is not JSON"),
        ("[]", "it has no 'format'"),
        ('{"game": "othello"}', "it has no 'format'"),
        (spoiled(["format"], 2), "its format is 2 where 1 should stand"),
        (spoiled(["rows"], ...), "it has no 'rows'"),
        (spoiled(["colour"], "red"), "it has 'colour', which is unknown"),
        (spoiled(["rows"], {}), r"it.rows is \{\} where a list should stand"),
        (spoiled(["rows", 1, "ours"], "many"), r'it.rows\[1\].ours is "many" where a number should stand'),
        (spoiled(["rows", 1, "ours"], True), "where a number should stand"),
        (spoiled(["rows", 1, "ours"], math.nan), "has a number that is not finite"),
        (spoiled(["rows", 1, "ours"], 10**400), "too large"),
        (spoiled(["rows", 1, "ci95"], [1.0]), "where a list or null should stand"),
        (spoiled(["rows", 1, "ci95"], [1.0, 0.0]), "an interval that ends before it begins"),
        (
            spoiled(["rows", 1, "verdict"], "nice"),
            "where one of agrees, better, worse, differs, cannot tell, ours alone should stand",
        ),
        (spoiled(["rows", 1, "seeds"], 1.5), "where a whole number should stand"),
        (spoiled(["tables", 0, "rows", 0], []), "a row that is not as long as its heads"),
        (spoiled(["tables", 0, "name"], "../up"), "'../up' has a name that no file should have"),
        (spoiled(["tables", 0, "name"], "rows"), "'rows' has a name that is taken"),
        (spoiled(["figures", 0, "name"], "figure-7"), "'figure-7' has a name that is taken"),
        (spoiled(["figures", 0, "panels"], []), "has no panel"),
        (spoiled(["figures", 0, "panels", 0, "series", 0, "low"], None), "has half a band"),
        (spoiled(["figures", 0, "panels", 0, "series", 0, "y"], [1.0]), "has more of x than of y, or less"),
        (spoiled(["figures", 0, "panels", 0, "series", 0, "paper"], 1), "where true or false should stand"),
        (spoiled(["figures", 0, "panels", 0, "lines", "perfect play"], math.inf), "a level that is not finite"),
        (spoiled(["paper"], "/etc/passwd"), "'/etc/passwd' has a name that no file should have"),
        (spoiled(["scale"], "huge"), "where one of quick, full should stand"),
        (spoiled(["versions"], [1]), "where an object should stand"),
        (spoiled(["device"], 3), "it.device is 3 where an object should stand"),
        ("[" * 100_000, "results"),
    ],
)
def test_foreign_and_broken_files_are_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=sentence) as caught:
        Reproduction.load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cannot be read .*: expected results of a reproduction"):
        Reproduction.load(tmp_path / "results.json")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | NUMBERS | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_formatted_is_json_of_the_same(value: Any) -> None:
    assert json.loads(format_json(value)) == value


def test_formatted_keeps_curves_on_one_line() -> None:
    text = format_json({"x": list(range(1000)), "words": ["a" * 60, "b" * 60]})
    assert len(text.splitlines()) == 7


def test_one_type_there_and_back() -> None:
    assert decode(Device, encode(GPU)) == GPU
    with pytest.raises(ValueError, match="it has no 'cores'"):
        decode(Device, {"kind": "", "platform": "", "count": 1})
