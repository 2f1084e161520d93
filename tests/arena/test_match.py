"""Batches and single games: the same records, fair seats, nothing seen that is hidden, nothing compiled twice."""

from collections import Counter

import jax
import numpy as np
import pytest

from adapters.toy import WAIT, WALK, Race
from arena.guests import TRACES, Cheat, Fussy, Lazy, Rattle, Spy, Visitor
from ludens.arena import batch
from ludens.arena.live_game import LiveGame
from ludens.arena.match import Contestant, Job, balanced_jobs, contestant, play, play_batch, play_one, seatings
from ludens.arena.ply import checked_plies, usual_plies
from ludens.arena.record import replay
from ludens.games import make
from ludens.players.simple import Random
from variants import PAPER_CARDS, label, slow_but

GAMES = [
    make("othello", size=4),
    Rattle(players=3),
    make("okey", players=2),
    make("chung-toi", allow_pass=True),
    make("onitama", cards=PAPER_CARDS),
    make("ur", rules="finkel", pieces=3),
]


def random_and_fussy(game, names=("random", "fussy")):
    return [Contestant(names[0], Random(game)), Contestant(names[1], Fussy(game))]


@pytest.mark.parametrize("game", slow_but(GAMES), ids=label)
def test_a_batch_and_single_games_give_the_same_records(game):
    both, jobs = random_and_fussy(game), balanced_jobs(game, 2, 10, seed=3)
    records = dict(play_batch(game, both, jobs, size=4))
    assert sorted(records) == list(range(10))
    for number in (0, 1, 9):
        assert play_one(game, both, jobs[number]) == records[number]
        states = replay(game, records[number])
        assert len(states) == records[number].turns + 1
    assert len({(record.start, record.actions) for record in records.values()}) == 10
    assert {record.seats for record in records.values()} == {
        tuple(("random", "fussy")[who] for who in seats) for seats in seatings(2, game.num_players)
    }


@pytest.mark.parametrize("game", slow_but([make("othello", size=4), Rattle(players=3)]), ids=label)
def test_records_do_not_depend_on_how_many_games_are_played_together(game, monkeypatch):
    trio = [*random_and_fussy(game), Contestant("choosy", Fussy(game, taste=5))]
    seats = [tuple((first + seat) % 3 for seat in range(game.num_players)) for first in range(3)]
    jobs = [Job(seed, seats[seed % 3]) for seed in range(40)]
    together = dict(play_batch(game, trio, jobs, size=16))
    assert len(together) == 40
    assert dict(play_batch(game, trio, jobs, size=4)) == together
    monkeypatch.setattr(batch, "AT_ONCE", 1)
    assert dict(play_batch(game, trio, jobs[::-1], size=4)) == {39 - n: record for n, record in together.items()}


def test_the_turn_limit_makes_a_draw():
    game = Race(players=3)
    lazy = [Contestant("lazy", Lazy(game))] * 2
    jobs = balanced_jobs(game, 2, 2, seed=0)
    records = dict(play_batch(game, lazy, jobs, size=4))
    for record in (*records.values(), play_one(game, lazy, jobs[0])):
        assert record.actions == (WAIT,) * game.turn_limit
        assert record.returns == (0.0, 0.0, 0.0)
        replay(game, record)


def test_an_opening_counts_towards_the_turn_limit():
    game = Race(players=2)
    lazy = [Contestant("lazy", Lazy(game))] * 2
    for _, record in play_batch(game, lazy, balanced_jobs(game, 2, 4, seed=1), opening=3, size=4):
        assert record.opening == 3
        assert record.turns == game.turn_limit


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_seats_are_shared_fairly(seats):
    assert [len(set(turn)) for turn in seatings(2, seats)] == [2, 2]
    for players in {2, seats}:
        sat = Counter((who, seat) for turn in seatings(players, seats) for seat, who in enumerate(turn))
        assert set(sat.values()) == {1}
        assert len(sat) == players * seats
    assert seatings(2, 4) == [(0, 1, 0, 1), (1, 0, 1, 0)]
    if seats > 2:
        assert seatings(seats, seats)[1] == (*range(1, seats), 0)
    with pytest.raises(ValueError, match="cannot share"):
        seatings(5, seats)


def test_a_match_begins_each_pair_of_games_alike():
    game = make("othello", size=4)
    jobs = balanced_jobs(game, 2, 61, seed=0)
    assert Counter(job.seats for job in jobs) == {(0, 1): 31, (1, 0): 30}
    records = dict(play_batch(game, [contestant("random", game)] * 2, jobs, size=4))
    openings = [records[number].actions[:4] for number in range(61)]
    assert all(records[number].opening == 4 for number in records)
    assert openings[0:60:2] == openings[1:61:2]
    assert len(set(openings)) > 15
    # Beyond the opening the two games of a pair have nothing in common, even between equals.
    assert sum(records[number].actions == records[number + 1].actions for number in range(0, 60, 2)) < 10
    others = dict(play_batch(game, [contestant("random", game)] * 2, balanced_jobs(game, 2, 16, seed=1), size=4))
    assert [others[number].actions[:4] for number in range(16)] != openings[:16]


def test_a_dealt_game_is_dealt_alike_to_both():
    game = make("onitama", cards=PAPER_CARDS)
    records = dict(play_batch(game, random_and_fussy(game), balanced_jobs(game, 2, 8, seed=0), size=4))
    assert [records[n].start for n in (0, 2, 4, 6)] == [records[n].start for n in (1, 3, 5, 7)]
    assert len({record.start for record in records.values()}) > 1
    assert {record.opening for record in records.values()} == {0}


@pytest.mark.slow
def test_an_opening_stops_short_of_the_end():
    game = make("othello", size=4)
    records = dict(play_batch(game, random_and_fussy(game), balanced_jobs(game, 2, 10, seed=3), opening=100, size=4))
    for record in records.values():
        states = replay(game, record)
        assert record.turns > record.opening > 4
        assert not bool(game.done(states[record.opening]))


def test_the_usual_openings():
    plies = {name: usual_plies(make(name)) for name in ("othello", "onitama", "ur", "chung-toi", "okey")}
    assert plies == {"othello": 4, "onitama": 0, "ur": 0, "chung-toi": 0, "okey": 0}
    assert checked_plies(make("othello"), 7) == 7
    for wrong in (-1, 128):
        with pytest.raises(ValueError, match=f"an opening of {wrong} plies does not fit othello: expected 0 to 127"):
            checked_plies(make("othello"), wrong)


def test_nobody_sees_what_is_hidden():
    game = Race(players=3)
    spies, jobs = [Contestant("spy", Spy(game))] * 2, balanced_jobs(game, 2, 6, seed=0)
    records = dict(play_batch(game, spies, jobs, size=4))
    assert {a for record in records.values() for a in record.actions} == {WALK}
    assert play_one(game, spies, jobs[0]) == records[0]
    visitor = Visitor(game)
    play_one(game, [Contestant("visitor", visitor)], Job(5, (0, 0, 0)))
    for turn in visitor.turns:
        for seen in (turn.view, turn.start):
            assert np.flatnonzero(np.asarray(seen.secrets) >= 0).tolist() == [int(turn.view.seat)]


def test_a_second_match_compiles_nothing():
    game = Race(players=2)

    def once():
        fussy = [Contestant("fussy", Fussy(game, taste=2)), Contestant("random", Random(game))]
        return dict(play_batch(game, fussy, balanced_jobs(game, 2, 7, seed=0), size=4))

    first, traced = once(), len(TRACES)
    assert once() == first
    assert len(TRACES) == traced > 0


def test_a_player_that_breaks_the_rules_is_named():
    game = Race(players=2)
    cheats, jobs = [Contestant("cheat", Cheat(game))] * 2, balanced_jobs(game, 2, 4, seed=0)
    with pytest.raises(ValueError, match="'cheat' chose action 2, which is not legal"):
        list(play_batch(game, cheats, jobs, size=4))
    with pytest.raises(ValueError, match="'action 2' is not a legal move in race"):
        [play_one(game, cheats, job) for job in jobs]


def test_guests_play_one_by_one_after_the_batch_and_are_seen_off():
    game = Race(players=2)
    visitor = Visitor(game)
    field = [Contestant("random", Random(game)), Contestant("visitor", visitor), Contestant("fussy", Fussy(game))]
    jobs = [Job(seed, seats) for seed, seats in enumerate([(0, 1), (0, 2), (1, 2), (2, 0), (1, 1)])]
    numbers = []
    for number, record in play(game, field, jobs, size=4):
        numbers.append(number)
        assert record.seed == number
        assert record.seats == tuple(field[who].spec for who in jobs[number].seats)
        replay(game, record)
    assert sorted(numbers[:2]) == [1, 3]
    assert numbers[2:] == [0, 2, 4]
    assert visitor.closed == 1
    assert play_one(game, [Contestant("random", Random(game))] * 2, Job(9, (0, 0))).actions == (
        play_one(game, [Contestant("visitor", visitor)] * 2, Job(9, (0, 0))).actions
    )


def test_a_guest_that_fails_is_seen_off_and_what_was_played_is_kept():
    game = Race(players=2)
    visitor = Visitor(game, fails_after=20)
    games, finished = play(game, [Contestant("visitor", visitor)], [Job(seed, (0, 0)) for seed in range(9)]), []
    with pytest.raises(RuntimeError, match="the visitor left"):
        finished.extend(number for number, _ in games)
    assert finished == list(range(len(finished)))
    assert 0 < len(finished) < 9
    assert visitor.closed == 1
    with pytest.raises(ValueError, match="'visitor' cannot play in a batch: expected a compiled player"):
        list(play_batch(game, [Contestant("visitor", visitor)], [Job(0, (0, 0))]))


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        (Job(0, (0,)), "has 1 seats: expected 2, as race has"),
        (Job(0, (0, 2)), "seats somebody unknown: expected contestants 0 to 1"),
        (Job(0, (-1, 0)), "seats somebody unknown"),
        (Job(2**32, (0, 1)), "has a seed that does not fit"),
    ],
)
def test_jobs_that_cannot_be_played(job, sentence):
    game = Race(players=2)
    for attempt in (lambda field: play_one(game, field, job), lambda field: list(play_batch(game, field, [job]))):
        with pytest.raises(ValueError, match=sentence):
            attempt(random_and_fussy(game))


def test_no_jobs_no_records():
    game = Race(players=2)
    assert list(play(game, random_and_fussy(game), [])) == []


def test_a_table_from_a_position_with_moves_taken_back():
    game = make("othello", size=4)
    start = game.read("-X-- -XO- -OX- ---- O")
    table = LiveGame(game, seed=4, seating=(0, 1), start=start)
    assert (table.mover, table.over, table.opening) == (1, False, 0)
    first = game.name(int(np.argmax(game.legal(start))), start)
    assert table.act(int(np.argmax(game.legal(start)))) == first
    assert table.act(int(np.argmax(game.legal(table.state)))) == table.names[1]
    assert table.movers == [1, 0]
    assert table.undo(1)
    assert (table.actions, table.names, table.mover) == ([], [], 1)
    assert game.show(table.state) == game.show(start)
    assert not table.undo(0)
    with pytest.raises(ValueError, match="'action 1' is not a legal move in othello"):
        table.act(1)
    while not table.over:
        table.act(int(np.argmax(game.legal(table.state))))
    record = table.record(["me", "you"])
    assert record.start == game.show(start)
    assert jax.tree.all(jax.tree.map(np.array_equal, replay(game, record)[-1], table.state))


def test_a_table_lets_fate_act_before_the_first_move():
    game = Rattle(players=2)
    table = LiveGame(game, seed=1, seating=(0, 1), start=game.read("0 0 0,0 1,2"))
    assert 1 <= len(table.outcomes) <= 2
    assert int(table.state.throw) > 0
    before = list(table.outcomes)
    table.act(WALK)
    assert table.undo(0)
    assert table.outcomes == before
