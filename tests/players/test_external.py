"""Programs from outside: they play whole games; whatever goes wrong is one sentence and leaves nothing behind."""

import shlex
import sys
import time
from contextlib import suppress
from pathlib import Path

import jax
import numpy as np
import pytest

from ludens.arena.match import Job, balanced_jobs, contestant, play
from ludens.arena.record import replay
from ludens.games import make
from ludens.players import external
from ludens.players.external import ExternalError, Gtp, MoveRequest, NBoard, outsider
from ludens.players.process import Process
from reference import othello as reference
from variants import slow_but

ENGINE = Path(__file__).with_name("engine.py")
OTHELLO, SMALL = make("othello"), make("othello", size=6)
RHINO = "gtp-rhino -l 1 -b 0"


def command(protocol, habit="none"):
    return shlex.join([sys.executable, "-S", str(ENGINE), protocol, habit])


def first_turn(game=OTHELLO, actions=()):
    s = start = game.init(jax.random.key(0))
    for a in actions:
        s = game.apply(s, a)
    return MoveRequest(jax.random.key(0), s, start, actions)


@pytest.fixture
def started(monkeypatch):
    """Every process that a test starts; none may be left."""
    processes = []
    start = Process.start

    def remember(self, seconds):
        start(self, seconds)
        processes.append(self.process)

    monkeypatch.setattr(Process, "start", remember)
    yield processes
    for process in processes:
        assert process.returncode is not None  # ended and reaped
        assert gone(process)


def gone(process, within=5.0):
    """Whether nobody is left running in the group of a process that was ended; the kernel may need a moment."""
    end = time.monotonic() + within
    while running_in_group(process.pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not running_in_group(process.pid)


def running_in_group(group):
    """Who still runs in a process group, but for those who only wait to be reaped by whoever adopted them."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its_group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append(stat.parent.name)
    return found


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
@pytest.mark.parametrize("game", slow_but([SMALL, OTHELLO]), ids=["6x6", "8x8"])
def test_a_program_plays_whole_games(protocol, game, started):
    field = [contestant("random", game), contestant(f"{protocol}:{command(protocol)}", game)]
    jobs = balanced_jobs(game, 2, 4, seed=5)
    records = dict(play(game, field, jobs))
    assert sorted(records) == [0, 1, 2, 3]
    for number, record in records.items():
        seat = jobs[number].seats.index(1)
        assert record.seats[seat] == field[1].spec
        position = reference.start(game.size)
        states = replay(game, record)
        for ply, a in enumerate(record.actions):
            move, options = game.name(a, states[ply]), reference.moves(position)
            if ply >= record.opening and ply % 2 == seat:
                assert move == options[-1]  # which is what the program always plays
            position = reference.play(position, move)
    assert len(started) == 1  # the same program for all games


@pytest.mark.slow
def test_a_program_is_told_only_what_is_new_and_follows_moves_taken_back(started):
    program = Gtp(OTHELLO, command("gtp"))
    f5 = OTHELLO.parse("f5", OTHELLO.init(jax.random.key(0)))
    said = []
    program.say = lambda line: said.append(line) or Gtp.say(program, line)
    try:
        one = program.decide(first_turn(actions=(f5,)))
        s = OTHELLO.apply(OTHELLO.apply(OTHELLO.init(jax.random.key(0)), f5), one)
        reply = int(np.argmax(OTHELLO.legal(s)))
        program.decide(first_turn(actions=(f5, one, reply)))
        program.decide(first_turn(actions=(f5,)))
    finally:
        program.close()
    name = OTHELLO.name(reply, s)
    told = ["clear_board", "play b f5", "genmove w"]
    assert said == ["protocol_version", "boardsize 8", *told, f"play b {name}", "genmove w", *told]


def test_nboard_programs_play_from_any_position(started):
    start = OTHELLO.read("-" * 26 + "XXX" + "-" * 6 + "XOO" + "-" * 26 + " O")
    program = NBoard(OTHELLO, command("nboard"), depth=3)
    try:
        assert bool(OTHELLO.legal(start)[program.decide(MoveRequest(jax.random.key(0), start, start, ()))])
    finally:
        program.close()
    gtp = Gtp(OTHELLO, command("gtp"))
    with pytest.raises(ExternalError, match="cannot be asked over GTP about a game that begins elsewhere"):
        gtp.decide(MoveRequest(jax.random.key(0), start, start, ()))


def test_a_forced_pass_is_nobodys_decision(started):
    passing = OTHELLO.read("OX" + "-" * 62 + " X")  # white can place on c1, black nowhere
    assert Gtp(OTHELLO, command("gtp", "dies at once")).decide(MoveRequest(None, passing, passing, ())) == 64
    assert not started


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
@pytest.mark.parametrize("habit", ["starts slowly", "chatters"])
def test_odd_habits_are_borne_with(protocol, habit, started):
    program = outsider(f"{protocol}@20:{command(protocol, habit)}", OTHELLO)
    try:
        assert OTHELLO.name(program.decide(first_turn()), None) == "e6"
    finally:
        program.close()


@pytest.mark.parametrize(
    ("protocol", "habit", "happened"),
    [
        ("gtp", "silent", "did not answer 'genmove b' within 0.4 s"),
        ("nboard", "silent", "did not answer 'go' within 0.4 s"),
        ("gtp", "deaf", "did not answer 'protocol_version' within 0.5 s"),
        ("nboard", "deaf", "did not answer 'ping 1' within 0.5 s"),
        ("gtp", "crashes", "ended with code 3 instead of answering 'genmove b' (it said: engine: out of ideas)"),
        ("nboard", "crashes", "ended with code 3 instead of answering 'go' (it said: engine: out of ideas)"),
        ("gtp", "dies at once", "ended with code 7 instead of answering 'protocol_version'"),
        ("gtp", "illegal", "answered 'A1', which is not a legal move here"),
        ("nboard", "illegal", "answered 'A1', which is not a legal move here"),
        ("gtp", "garbage", "answered '??!', which is not a legal move here"),
        ("nboard", "garbage", "answered '??!', which is not a legal move here"),
        ("gtp", "babbles", "answered 'not an answer' to 'protocol_version', which is not GTP"),
        ("nboard", "floods", "did not answer 'go' within 0.4 s"),
        ("gtp", "has children", "did not answer 'genmove b' within 0.4 s"),
    ],
)
def test_what_goes_wrong_is_one_sentence_and_leaves_nothing_behind(protocol, habit, happened, started, monkeypatch):
    monkeypatch.setattr(external, "START", 0.5 if habit == "deaf" else 20.0)
    line, hurried = command(protocol, habit), "within 0.4 s" in happened or habit == "deaf"
    program = outsider(f"{protocol}@{0.4 if hurried else 20}:{line}", OTHELLO)
    with pytest.raises(ExternalError) as raised:
        program.decide(first_turn())
    sentence = str(raised.value)
    assert sentence.startswith(f"'{line}' ")
    assert happened in sentence
    assert "\n" not in sentence
    assert gone(started[0])


def test_a_program_that_refuses_the_board_says_so(started):
    program = Gtp(OTHELLO, command("gtp"))
    program.introduce = lambda: program.say("set_board green")
    with pytest.raises(ExternalError, match=r"refused 'set_board green' \(unknown command\)"):
        program.decide(first_turn())


@pytest.mark.slow
def test_games_before_a_failure_are_kept(started):
    field = [contestant("random", OTHELLO), contestant(f"gtp:{command('gtp', 'illegal')}", OTHELLO)]
    jobs = [Job(0, (0, 0)), Job(1, (0, 0)), Job(2, (0, 1)), Job(3, (0, 0))]
    games, finished = play(OTHELLO, field, jobs, size=4), []
    with pytest.raises(ExternalError, match="answered 'A1', which is not a legal move here"):
        finished.extend(number for number, _ in games)
    assert sorted(finished) == [0, 1, 3]


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("gtp", "'gtp' names no program: expected gtp:COMMAND or gtp@SECONDS:COMMAND"),
        ("gtp:", "no program is named: expected a command line"),
        ("nboard@10", "'nboard@10' names no program"),
        ("gtp:no-such-program -l 1", "the program 'no-such-program' was not found: expected one that is installed"),
        ("gtp:'unfinished", "is not a command line"),
        ("gtp@soon:cat", "has 'soon' for seconds a move: expected a number above 0"),
        ("gtp@-1:cat", "has '-1' for seconds a move"),
        ("nboard@5/0:cat", "has '0' for a depth: expected a number above 0"),
        ("gtp@5/8:cat", "has a depth, which only nboard takes"),
    ],
)
def test_specs_that_name_no_program(spec, sentence):
    with pytest.raises(ExternalError) as raised:
        outsider(spec, OTHELLO)
    assert sentence in str(raised.value)


def test_specs_of_programs():
    program = outsider("nboard@2.5/12:cat -u 'a b:c'", OTHELLO)
    assert isinstance(program, NBoard)
    assert (program.seconds, program.depth, program.process.words[1:]) == (2.5, 12, ["-u", "a b:c"])
    assert outsider("gtp:cat", OTHELLO).seconds == external.SECONDS
    assert outsider("nboard@/3:cat", OTHELLO).depth == 3
    assert outsider("random", OTHELLO) is None
    assert outsider("alphabeta:4:positional", OTHELLO) is None
    with pytest.raises(ExternalError, match="'cat' plays othello, not ur"):
        outsider("gtp:cat", make("ur"))


@pytest.mark.slow
def test_gtp_rhino_plays(started):
    try:
        rhino = contestant(f"gtp:{RHINO}", OTHELLO)
    except ExternalError:
        pytest.skip("gtp-rhino (Debian package grhino) is not installed")
    records = dict(play(OTHELLO, [contestant("random", OTHELLO), rhino], balanced_jobs(OTHELLO, 2, 2, seed=0)))
    assert [records[number].seats.index(rhino.spec) for number in (0, 1)] == [1, 0]
    for record in records.values():
        replay(OTHELLO, record)
