"""The command line as a person and as a program meet it."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jax
import pytest

from ludens.cli import app as cli
from ludens.cli.inputs import game_from
from ludens.cli.reports import describe
from ludens.core import agent_files
from ludens.core.compiling import cores_as_devices, loops_in_one_kernel
from ludens.games import GAMES, make
from variants import slow_but

Ludens = Callable[..., tuple[int, str, str]]
"""The fixture in `conftest.py`."""
SMALLEST = {"othello": ("--size", "4"), "ur": ("--pieces", "1")}
"""Variants whose games are short, where there are any."""


def test_help_answers_without_jax() -> None:
    code = (
        "import sys; from ludens.cli.app import app; app(['--help'], result_action='return_value'); "
        "print('jax' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "perft" in said
    assert said.strip().endswith("False")


def test_compiled_programs_are_kept_where_that_is_possible(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for home, kept in ((tmp_path / "home", True), (tmp_path / "file" / "below", False)):
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(home))
        monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
        cli.keep_what_is_compiled()
        assert ("JAX_COMPILATION_CACHE_DIR" in os.environ) == kept
        assert home.exists() == kept


def test_importing_every_command_leaves_the_devices_to_be_chosen() -> None:
    """`on_all_cores` comes after the imports, so none of them may look for devices."""
    code = (
        "from ludens.cli.app import app; names = list(app.resolved_commands()); "
        "from jax._src import xla_bridge; print(*names, xla_bridge._backends)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "tournament" in said
    assert said.strip().endswith("{}")


@pytest.mark.parametrize(
    "words",
    [
        ("match", "othello", "nobody", "random"),
        ("eval", "nowhere"),
        ("tournament", "othello", "nobody"),
        ("train", "othello", "nobody"),
    ],
)
def test_all_that_play_many_games_do_so_under_the_same_settings_of_xla(
    ludens: Ludens, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_something=1")
    assert ludens(*words)[0] == 2
    told = os.environ["XLA_FLAGS"]
    monkeypatch.setenv("XLA_FLAGS", "--xla_something=1")
    cores_as_devices()
    loops_in_one_kernel()
    assert told == os.environ["XLA_FLAGS"] != "--xla_something=1"


def test_list(ludens: Ludens, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = ludens("list", "--json")
    assert code == 0
    listed = json.loads(out)
    assert list(listed) == list(GAMES)
    (size,) = listed["othello"].pop("settings")
    assert (size["option"], size["kind"], size["default"]) == ("--size", "int", 8)
    assert listed["othello"] == {
        "about": "Othello (Reversi) on a board of 4, 6 or 8 squares a side.",
        "players": 2,
        "actions": 65,
        "options": {"--size": "8"},
        "specs": ["random", "smart-random", "greedy", "alphabeta", "mcts", "positional", "mobility"],
        "agents": list(agent_files.shipped("othello")),
        "learners": ["dqn", "double-dqn", "neural-q", "minimax-q", "minimax-v", "patterns", "a2c", "ppo", "alphazero"],
    }
    assert "optimal" in listed["ur"]["specs"]
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = ludens("list")
    assert code == 0
    names = {name for facts in listed.values() for which in ("specs", "agents", "learners") for name in facts[which]}
    assert all(name in out for name in names | set(GAMES) | {"--show-indicator"})  # whole, however narrow


def test_list_tells_all_about_a_game_or_a_learner(ludens: Ludens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # so that nothing is broken into lines
    code, out, _ = ludens("list", "ppo", "ur", "--json")
    assert code == 0
    ppo, ur = json.loads(out).values()
    assert "ppo" in ur["learners"]
    assert "ur" in ppo["games"]
    assert {each["option"] for each in ppo["settings"]} == set(ppo["options"]) >= {"--num-envs", "--gamma"}
    assert all(each["help"] for each in ppo["settings"] + ur["settings"])
    assert {each["name"]: (each["least"], each["most"]) for each in ur["settings"]}["pieces"] == (1, 7)
    code, out, _ = ludens("list", "ppo")
    assert code == 0
    assert all(option in out for option in ppo["options"])
    assert "number, 1 or more" in out


def test_perft(ludens: Ludens) -> None:
    assert ludens("perft", "othello", "--depth", "5", "--json")[:2] == (0, '{"perft": [4, 12, 56, 244, 1396]}\n')
    start = "rrRrr/5/5/5/bbBbb blue goose,dragon red mantis,eel side crane turn blue"
    code, out, _ = ludens("perft", "onitama", "--depth", "3", "--position", start, "--json")
    assert (code, json.loads(out)) == (0, {"perft": [10, 120, 1272]})
    # A position may begin with a hyphen.
    empty = "-" * 16 + " X"
    assert ludens("perft", "othello", "--size", "4", "--depth", "2", "--position", empty, "--json")[:2] == (
        0,
        '{"perft": [1, 1]}\n',
    )
    code, out, _ = ludens("perft", "chung-toi", "--depth=2")
    assert code == 0
    assert "288" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("perft", "chess"), "unknown game 'chess': expected one of othello, chung-toi, ur, onitama, okey"),
        (("perft", "othello", "--size", "5"), "--size is 5: expected one of 4, 6, 8"),
        (("perft", "othello", "--size", "big"), "--size is 'big': expected one of 4, 6, 8"),
        (("perft", "othello", "--size"), "--size of othello stands alone: expected a value after it"),
        (("perft", "othello", "--rules", "finkel"), "othello cannot take '--rules': expected --size"),
        (("perft", "othello", "extra"), "othello cannot take 'extra': expected --size"),
        (("perft", "othello", "--depth", "0"), "--depth is 0: expected 1 to 200"),
        (("perft", "othello", "--depth", "99999999999"), "--depth is 99999999999: expected 1 to 200"),
        (("perft", "ur", "--seed", "9" * 25), f"--seed is {'9' * 25}: expected 0 to 9,223,372,036,854,775,807"),
        (("watch", "onitama", "--seed", "9" * 25), f"--seed is {'9' * 25}: expected 0 to"),
        (("perft", "othello", "--position", "XO"), "'XO' is not a position of othello: expected 64 characters"),
        (("perft", "ur", "--rules", "chess"), "--rules is 'chess': expected one of paper, finkel"),
        (("perft", "ur", "--pieces", "8"), "expected a whole number from 1 to 7"),
        (("perft", "onitama", "--cards", "dragon,horse"), "onitama needs five cards, not 2"),
        (("perft", "onitama", "--cards", "dragon,horse,ox,boar,cat"), "expected a list of names out of tiger, dragon"),
        (
            (
                *("perft", "onitama", "--position"),
                "rrRrr/5/5/5/bBBbb blue goose,dragon red mantis,eel side crane turn blue",
            ),
            "blue has 2 masters: expected one",
        ),
        (("watch", "othello", "--by", "nobody"), "unknown player 'nobody': expected one of random"),
        (("watch", "othello", "--by", "random,random,random"), "names 3 players: expected one for all, or 2"),
        (("watch", "othello", "--delay", "-1"), "--delay is -1.0: expected 0 to 3600 seconds"),
        (("watch", "othello", "--delay", "nan"), "--delay is nan: expected 0 to 3600 seconds"),
        (("play", "othello", "--seat", "2"), "--seat is 2: expected 0 to 1"),
        (("watch", "ur", "--by", "positional"), "'positional' cannot play ur: expected one of random, smart-random"),
        (("watch", "othello", "--by", "gtp:no-such-program"), "'no-such-program'"),
        (("match", "ur", "positional", "random"), "'positional' cannot play ur: expected one of random"),
        (("match", "othello", "random", "mcts:no"), "simulations is 'no': expected a whole number"),
        (("match", "othello", "random", "random", "--games", "0"), "--games is 0: expected 1 to 10,000,000"),
        (("match", "ur", "random", "random", "--games", "9" * 20), f"--games is {'9' * 20}: expected 1 to 10,000,000"),
        (("match", "ur", "random", "random", "--out", "a" * 300), "cannot be used (File name too long): expected"),
        (("match", "ur", "random", "random", "--out", os.devnull), f"'{os.devnull}' cannot be written: expected"),
        (("match", "othello", "random", "random", "--size", "5"), "expected one of 4, 6, 8"),
        (("match", "ur", "random", "gtp:gtp-rhino"), "plays othello, not ur"),
        (("match", "othello", "random", "gtp:sh -c 'exit 3'", "--games", "2"), "ended"),
        (("tournament", "othello", "random"), "expected"),
        (("tournament", "othello", "random", "mobility", "--rounds", "0"), "--rounds is 0: expected 1 or more"),
        (("tournament", "ur", "random", "greedy", "--rounds", "9" * 17), "games: expected 10,000,000 games at most"),
        (("tournament", "ur", "random", "greedy", "--out", "a" * 300), "cannot be used (File name too long): expected"),
        (("solve", "onitama"), "onitama is too large to be solved in this variant: expected one of chung-toi, ur"),
        (("solve", "othello"), "othello is too large to be solved in this variant"),
        (("solve", "othello", "--position", 64 * "-" + "X"), "this position has 64 empty squares: expected at most 26"),
        (("solve", "ur", "--position", "nonsense"), "is not a position of ur"),
        (("bench", "chess"), "unknown game 'chess'"),
        (("nonsense",), "nonsense"),
        (("perft",), "game"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(ludens: Ludens, words: tuple[str, ...], sentence: str) -> None:
    code, out, err = ludens(*words)
    assert code == 2
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        words = [sys.executable, "-m", "ludens", "list"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("ludens: what was to be written cannot be (No space left on device): expected")
    assert done.stderr.count("\n") == 1


def test_who_has_no_home_keeps_no_compiled_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    cli.keep_what_is_compiled()
    assert "JAX_COMPILATION_CACHE_DIR" not in os.environ


def test_a_database_of_somebody_else_is_refused_and_left_alone(ludens: Ludens, tmp_path: Path) -> None:
    book = tmp_path / "tournament.sqlite"
    with sqlite3.connect(book) as connection:
        connection.execute("create table theirs (x)")
    connection.close()
    before = book.read_bytes()
    code, out, err = ludens("tournament", "chung-toi", "random", "smart-random", "--out", str(tmp_path))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "expected" in err
    assert book.read_bytes() == before


@pytest.mark.slow
def test_cores_and_whole_loops_change_nothing_but_speed(ludens: Ludens, tmp_path: Path) -> None:
    """In a process of its own the command begins JAX as it likes; in this one JAX has long begun with one device."""
    words = ("match", "othello", "positional", "random", "--size", "6", "--games", "16", "--out")
    assert ludens(*words, str(tmp_path / "here"))[0] == 0
    command = [sys.executable, "-m", "ludens", *words, str(tmp_path / "there")]
    subprocess.run(command, check=True, capture_output=True)
    here, there = (sorted((tmp_path / name).read_text().splitlines()) for name in ("here", "there"))
    assert len(here) == 16
    assert here == there


@pytest.mark.slow
def test_an_end_game_of_othello(ludens: Ludens) -> None:
    problem = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
    code, out, _ = ludens("solve", "othello", "--position", problem, "--json")
    facts = json.loads(out)
    assert (code, facts["score"]) == (0, 18)
    published = {"g8": 18, "h1": 12, "h7": 6, "a2": 6}
    assert {move["name"]: move["score"] for move in facts["moves"] if move["name"] in published} == published


def test_an_end_game_that_is_over_needs_no_search(ludens: Ludens) -> None:
    over = 20 * "X" + 16 * "O" + " X"
    code, out, _ = ludens("solve", "othello", "--size", "6", "--position", over, "--json")
    facts = json.loads(out)
    assert (code, facts["score"], facts["moves"]) == (0, 20 - 16, [])


def test_three_tiles_of_a_face_are_refused(ludens: Ludens) -> None:
    okey = make("okey")
    start = okey.show(okey.init(jax.random.key(1)))
    before, _, rest = start.partition("hands ")
    first, second, third, *others = rest.split()
    three = f"{before}hands {first} {first} {first} {' '.join(others)}"
    code, out, err = ludens("perft", "okey", "--depth", "1", "--position", three)
    assert (code, out) == (2, "")
    assert err == f"ludens: 3 tiles {first} are in sight: expected at most 2\n"
    assert {second, third} != {first}


def test_watch_tells_the_whole_game(ludens: Ludens) -> None:
    code, out, _ = ludens("watch", "ur", "--rules", "finkel", "--pieces", "2", "--seed", "5", "--json")
    assert code == 0
    record = json.loads(out)
    assert record["variant"] == {"rules": "finkel", "pieces": 2, "dice": 4}
    assert sorted(record["returns"]) == [-1.0, 1.0]
    assert json.loads(ludens("watch", "ur", "--rules", "finkel", "--pieces", "2", "--seed", "5", "--json")[1]) == record
    # It can be replayed from what is written.
    game = make("ur", rules="finkel", pieces=2)
    s, fate = game.read(record["start"]), iter(record["chance"])
    for action, name in zip(record["actions"], record["moves"], strict=True):
        assert game.name(action, s) == name
        s = game.apply(s, action)
        if float(game.chance(s).sum()) > 0:
            s = game.roll(s, next(fate))
    assert game.show(s) == record["final"]


@pytest.mark.parametrize("name", slow_but(sorted(GAMES, key="okey".__eq__), 4))
def test_every_game_can_be_watched(ludens: Ludens, name: str) -> None:
    code, out, _ = ludens("watch", name, *SMALLEST.get(name, ()), "--seed", "2", "--delay", "0")
    assert code == 0
    assert "after" in out.splitlines()[-1]


def test_play_a_game_with_help_undo_and_mistakes(ludens: Ludens) -> None:
    typed = "help\nmoves\nz9\na1\nf5\nundo\nundo\nboard\nf5\n"
    code, out, _ = ludens("play", "othello", "--seed", "1", typed=typed)
    assert code == 0
    assert "d3, c4, f5, e6" in out
    assert "'z9' is not a legal move in othello: expected a square such as f5, or pass" in out
    assert "'a1' is not a legal move" in out
    assert "There is nothing to take back." in out
    assert out.count("seat 1 (random)") == 2
    assert out.rstrip().endswith("Bye.")


@pytest.mark.parametrize("move", ["z9", "a1", "pass", "f5 d6"])
def test_a_script_with_an_illegal_move_ends_with_a_sentence(ludens: Ludens, move: str) -> None:
    code, _, err = ludens("play", "othello", "--seed", "1", typed=move, terminal=False)
    assert code == 2
    assert f"'{move}' is not a legal move in othello: expected a square such as f5, or pass; here one of" in err
    assert err.count("\n") == 1


def test_play_to_the_end(ludens: Ludens) -> None:
    """A person who types every square in turn finishes a game of 4x4."""
    squares = [f"{file}{rank}" for rank in range(1, 5) for file in "abcd"] + ["pass"]
    code, out, _ = ludens("play", "othello", "--size", "4", "--seed", "3", typed="\n".join(squares * 20))
    assert code == 0
    assert "after" in out.splitlines()[-1]


def test_undo_is_refused_where_fate_would_be_seen_twice(ludens: Ludens) -> None:
    assert "ur has no undo" in ludens("play", "ur", "--seed", "1", typed="undo")[1]


def test_the_second_seat_is_answered_first(ludens: Ludens) -> None:
    out = ludens("play", "chung-toi", "--seat", "1", "--seed", "1", typed="quit")[1]
    assert "seat 0 (random)" in out


def test_a_person_sees_only_their_own_tiles(ludens: Ludens) -> None:
    out = ludens("play", "okey", "--players", "4", "--teams", "--seed", "1", typed="quit")[1]
    assert out.count("?14") == 3


def test_options_become_fields() -> None:
    assert game_from("ur", ("--rules", "finkel", "--pieces=3")) == make("ur", rules="finkel", pieces=3)
    assert game_from("chung-toi", ("--no-hop", "--allow-pass")) == make("chung-toi", hop=False, allow_pass=True)
    assert game_from("chung-toi", ("--hop=false",)) == make("chung-toi", hop=False)
    cards = "dragon,elephant,goose,rooster,monkey"
    assert game_from("onitama", ("--cards", cards)) == make("onitama", cards=tuple(cards.split(",")))
    assert game_from("okey", ("--players", "4", "--teams")) == make("okey", players=4, teams=True)
    assert describe("okey")["--players"] == "2"
    for word, sentence in (
        ("--hop=perhaps", "expected true or false"),
        ("--no-hop=true", "cannot take '--no-hop=true'"),
    ):
        with pytest.raises(ValueError, match=sentence):
            game_from("chung-toi", (word,))
