"""A setting is described once; typing it, sending it and refusing it all follow from that."""

from dataclasses import dataclass

import pytest

from ludens.core.settings import as_options, check, setting, settings


@dataclass(frozen=True)
class Chosen:
    size: int = setting(8, "Squares a side.", choices=(4, 6, 8))
    pieces: int | None = setting(None, "Pieces of each side.", least=1, most=7)
    gae_lambda: float = setting(0.95, "How far ahead.", least=0, most=1)
    lambda_: float = setting(0.5, "Decay of traces.", least=0)
    teams: bool = setting(False, "Two against two.")
    rules: str = setting("paper", "Whose rules.", choices=("paper", "finkel"))
    cards: tuple[str, ...] = setting((), "In play.", choices=("tiger", "crab"))
    plain: int = 3


KNOWN = settings(Chosen)


def test_a_description_holds_what_the_field_says():
    pieces = KNOWN["pieces"]
    assert (pieces.kind, pieces.optional, pieces.least, pieces.most) == (int, True, 1, 7)
    assert pieces.help == "Pieces of each side."
    assert [each.option for each in KNOWN.values()] == [
        *("--size", "--pieces", "--gae-lambda", "--lambda", "--teams", "--rules", "--cards", "--plain"),
    ]
    assert KNOWN["plain"].to_json() == {
        "name": "plain",
        "option": "--plain",
        "kind": "int",
        "optional": False,
        "default": 3,
        "help": "",
        "least": None,
        "most": None,
        "choices": [],
    }


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("size", "6", 6),
        ("gae_lambda", "1", 1.0),
        ("teams", "True", True),
        ("cards", "crab, tiger", ("crab", "tiger")),
        ("cards", "", ()),
        ("rules", "finkel", "finkel"),
    ],
)
def test_what_is_typed(name, text, value):
    assert KNOWN[name].parse(text) == value


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("size", "5", "--size is 5: expected one of 4, 6, 8"),
        ("size", "big", "--size is 'big': expected one of 4, 6, 8"),
        ("pieces", "9", "--pieces is 9: expected a whole number from 1 to 7"),
        ("gae_lambda", "nan", "--gae-lambda is nan: expected a number from 0 to 1"),
        ("lambda_", "-1", "--lambda is -1.0: expected a number, 0 or more"),
        ("lambda_", "1e39", "--lambda is 1e+39: expected at most 1e+38"),
        ("teams", "yes", "--teams is 'yes': expected true or false"),
        ("cards", "crab,cat", "--cards is 'crab,cat': expected a list of names out of tiger, crab"),
        ("plain", "99999999999", "--plain is 99999999999: expected at most 2,147,483,647"),
    ],
)
def test_what_is_typed_wrongly(name, text, sentence):
    with pytest.raises(ValueError, match="expected") as refused:
        KNOWN[name].parse(text)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(("name", "value"), [("size", True), ("size", 8.0), ("teams", 1), ("rules", None)])
def test_other_kinds_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} is {value!r}: expected"):
        KNOWN[name].from_json(value)


def test_json_is_read_as_the_field_has_it():
    assert KNOWN["cards"].from_json(["crab"]) == ("crab",)
    assert type(KNOWN["gae_lambda"].from_json(1)) is float
    assert KNOWN["pieces"].from_json(None) is None


def test_the_whole_is_checked():
    check(Chosen())
    with pytest.raises(ValueError, match="pieces is 0 in ur: expected a whole number from 1 to 7"):
        check(Chosen(pieces=0), of="ur")


def test_settings_as_words_of_a_command():
    assert as_options(Chosen, {"lambda_": 0.5, "teams": True, "pieces": None, "cards": ["crab"]}) == [
        *("--lambda=0.5", "--teams=true", "--cards=crab"),
    ]
