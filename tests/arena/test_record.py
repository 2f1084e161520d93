"""Records: to JSON and back, played again, and refused where something in them is wrong."""

import json
from dataclasses import replace

import numpy as np
import pytest

from adapters.toy import Race
from arena.guests import Fussy, Rattle
from ludens.arena.match import Contestant, balanced_jobs, play_batch
from ludens.arena.record import Record, decisions, plain_variant, replay
from ludens.games import make
from ludens.players.simple import Random
from variants import PAPER_CARDS

GAME = Rattle(players=3)


@pytest.fixture(scope="module")
def records():
    field = [Contestant("random", Random(GAME)), Contestant("fussy", Fussy(GAME))]
    played = dict(play_batch(GAME, field, balanced_jobs(GAME, 2, 12, seed=3), opening=2, size=4))
    return [played[number] for number in range(12)]


def test_a_record_goes_through_json_unchanged(records):
    for record in records:
        written = record.to_dict()
        assert written["turns"] == record.turns == len(record.actions)
        assert Record.from_dict(json.loads(json.dumps(written))) == record


def test_a_variant_is_written_as_json_has_it():
    game = make("onitama", cards=PAPER_CARDS)
    assert plain_variant(game) == json.loads(json.dumps(plain_variant(game))) == {"cards": list(PAPER_CARDS)}


def test_replay_gives_every_position(records):
    for record in records:
        states = replay(GAME, record)
        assert len(states) == record.turns + 1
        assert GAME.show(states[0]) == record.start
        assert all(int(s.throw) > 0 for s in states[:-1])
        assert bool(GAME.done(states[-1])) or record.turns == GAME.turn_limit


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "ur"}, "the record is of ur"),
        ({"variant": {"players": 2, "goal": 12}}, "the record is of race"),
        ({"seats": ("a", "b")}, "the record has 2 seats: expected 3"),
        ({"opening": 99}, "the record's opening has 99 plies: expected 0 to"),
        ({"returns": (0.5, 0.5, -1.0)}, r"the record claims returns \[0.5, 0.5, -1.0\]: expected"),
        ({"returns": (1.0,)}, r"the record claims returns \[1.0\]: expected"),
        ({"start": "1 1 0,0,0 1,2,3"}, "the record"),
    ],
)
def test_replay_refuses_what_was_tampered_with(records, change, sentence):
    with pytest.raises(ValueError, match=sentence):
        replay(GAME, replace(records[0], **change))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda r: {"actions": (7, *r.actions[1:])}, "action 1 of the record is wrong: 'action 7'"),
        (lambda r: {"actions": (-1, *r.actions[1:])}, "action 1 of the record is wrong: 'action -1'"),
        (lambda r: {"actions": r.actions[:-1]}, "the record breaks off after .* actions: expected a finished game"),
        (lambda r: {"actions": (*r.actions, 0)}, "the record goes on after the game ended"),
        (lambda r: {"chance": r.chance[:-1]}, "the record has no outcome of fate after action"),
        (lambda r: {"chance": (*r.chance, 0)}, "the record has 1 outcomes of fate too many"),
        (lambda r: {"chance": (3, *r.chance[1:])}, r"fate cannot do 3 after action 1: expected one of \[0, 1, 2\]"),
    ],
)
def test_replay_refuses_other_moves_and_other_fate(records, change, sentence):
    record = next(each for each in records if each.turns < GAME.turn_limit)
    replay(GAME, record)
    with pytest.raises(ValueError, match=sentence):
        replay(GAME, replace(record, **change(record)))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"actions": None}, "the record has no 'actions'"),
        ({"actions": "1 2"}, "the record's 'actions' is '1 2': expected a list of int"),
        ({"actions": [1, True]}, "the record's 'actions' is"),
        ({"chance": [1.5]}, "expected a list of int"),
        ({"seed": "7"}, "the record's 'seed' is '7': expected int"),
        ({"seats": [1, 2]}, "expected a list of str"),
        ({"turns": 3}, "the record claims 3 turns: expected"),
    ],
)
def test_what_is_not_a_record_is_refused(records, change, sentence):
    written = {name: value for name, value in (records[0].to_dict() | change).items() if value is not None}
    with pytest.raises(ValueError, match=sentence):
        Record.from_dict(written)


def test_decisions_are_those_of_the_replayed_games(records):
    made = decisions(GAME, records)
    assert len(made.actions) == sum(record.turns - record.opening for record in records)
    for number, record in enumerate(records):
        mine = made.records == number
        assert made.actions[mine].tolist() == list(record.actions[record.opening :])
        states = replay(GAME, record)[record.opening : -1]
        assert made.movers[mine].tolist() == [int(s.seat) for s in states]
        for field in ("throw", "places", "secrets"):
            expected = np.stack([np.asarray(getattr(s, field)) for s in states])
            assert np.array_equal(getattr(made.states, field)[mine], expected)


def test_no_records_no_decisions():
    with pytest.raises(ValueError, match="there is no decision to look at"):
        decisions(Race(players=2), [])
