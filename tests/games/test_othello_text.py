"""Whole games of Othello as text: published games, round trips of random ones, passes, errors."""

import re
from functools import cache

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

from ludens.core.game import random_action
from ludens.games.othello import SIZES, Othello
from ludens.games.othello_text import read_ggf, read_ggf_file, read_transcript, write_ggf, write_transcript

GAME = Othello()
USUAL = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"

# From the archive of the GGS server, with the result it recorded; evaluations and times left out except in the first.
HERCULE_SCORP = (
    "(;GM[Othello]PC[GGS/os]DT[2010.10.17_05:23:05.MDT]PB[hercule]PW[scorp+]RB[2082.33]RW[1669.67]TI[10:00//02:00]TY[8]"
    f"RE[+6.000]{USUAL}B[D3//3.95]W[c5/-18.40/0.10]B[E6//2.30]W[d2/-2.42/0.04]B[C3//2.48]W[e3/0.46]B[F3//2.03]"
    "W[f5/2.46]B[F6//2.91]W[c2/0.46]B[F4//2.61]W[c4/-10.46]B[D6//4.02]W[g4/-10.49]B[G3//3.60]W[c6/16.49]B[B5//2.50]"
    "W[e2/0.49]B[B4//3.08]W[g5/-4.49]B[F2//3.18]W[h3/-4.56]B[H6//2.90]W[e7/-4.56]B[F7//3.07]W[c7/-4.56]B[D1//3.68]"
    "W[b6/-2.56]B[E8//3.37]W[d7/-2.56]B[G6//14.23]W[h5/0.30/0.01]B[C1//21.32]W[e1/0.76/0.01]B[C8//5.11]W[a3/-1.36]"
    "B[A4//3.36]W[a5/-1.43]B[D8//3.72]W[b7/-3.46]B[H4//3.05]W[b3/-3.42]B[H2//3.28]W[b1/-0.25]B[B2//3.29]"
    "W[h7/-6.00/0.02]B[H8//2.95]W[g2/-6.00]B[G1//3.37]W[g8/-6.00]B[F8//2.83]W[g7/-6.00]B[A7//3.00]W[a8/-6.00]"
    "B[B8//2.26]W[a6/-6.00]B[A2//2.76]W[a1/-6.00]B[H1//2.54]W[f1];)"
)
PUBLISHED = {
    "hercule scorp+ 2010": (
        "d3c5e6d2c3e3f3f5f6c2f4c4d6g4g3c6b5e2b4g5f2h3h6e7f7c7d1b6e8d7g6h5c1e1c8a3a4a5d8b7h4b3h2b1b2h7h8g2g1g8f8g7a7a8b8"
        "a6a2a1h1f1",
        6,
    ),
    "fangr patzer 2000": (
        "e6f4c3c4d3d6f6c6f5g5g6e3f2f7e7f3h5e2c5b6b4b5b3a4a3h4h3d8c7d7c8e8c2g4f1h6g3h2a5d2e1b2b7d1g2a6a7h1f8a8b8a2a1g1c1"
        "b1h7h8g7g8",
        -40,
    ),
    "Saio1200 Saio3000 2003": (
        "d3c5e6d2c6d6b5f5e7f6f4f3g4d7g3g5h6h5h4e8c7h3c3h7e3b6g6f7d8c2d1c4b4a5f8f2e2a4a3b3f1g7b7c8a6a7c1b2a8b8a2e1h8g8h2"
        "g1h1g2a1b1",
        0,
    ),
    "Saio7000 Saio3001 2010": (
        "e6f4d3c4c3d6f6c6f5g5g4f7h6g6e7f8d8e2c5b5e3h5h4f3h7f2d2b3c2c7d7e8g8e1c1g3g1f1d1g2a4b7b4a5c8a3h1b6a6b2a1b8a8a7a2"
        "b1h2h3h8g7",
        0,
    ),
}
RANDOM_START = "BO[8 --**O--- --**---- --*OO--- ****OO-- ---O*--- --O-*--- -------- -------- *]"
MATCH = (  # two games at once from the same drawn start, edax and Roxane, 2009; the second has a pass
    f"2 (;GM[Othello]PB[edax]PW[Roxane]TY[s8r18]RE[-10.000]{RANDOM_START}B[f1]W[C5]B[d6]W[B6]B[f5]W[D7]B[b5]W[F3]B[e2]"
    "W[A5]B[e7]W[C7]B[f6]W[A3]B[d8]W[G5]B[g6]W[F8]B[f7]W[H6]B[a6]W[A7]B[b3]W[G4]B[f2]W[C8]B[h3]W[H4]B[b8]W[A2]B[g3]"
    "W[G8]B[b2]W[A1]B[b1]W[G2]B[h5]W[G1]B[h1]W[H2]B[e8]W[A8]B[b7]W[G7]B[h7]W[H8];)"
    f"(;GM[Othello]PB[Roxane]PW[edax]TY[s8r18]RE[-10.000]{RANDOM_START}B[F1]W[C5]B[D6]W[B6]B[F5]W[D7]B[G3]W[F6]B[B5]"
    "W[G5]B[G4]W[F3]B[A7]W[B2]B[B3]W[A5]B[A6]W[A3]B[F2]W[B1]B[E2]W[H4]B[F7]W[E7]B[C8]W[A8]B[C7]W[H3]B[G6]W[B8]B[B7]"
    "W[D8]B[H5]W[G1]B[E8]W[G2]B[A1]W[A2]B[H1]W[H2]B[PA]W[F8]B[G7]W[H8]B[H7]W[H6]B[G8];)"
)
# Nine moves, white is wiped out with 51 squares left.
SHORTEST = "e6f4e3f6g5d6e7f5c5"


@cache
def usual_start(game):
    return game.init(jax.random.key(0))


@cache
def replayed(game):
    """Compiled: the position after `actions` (`int32[T]`, padded with -1) from `start`."""
    return jax.jit(lambda start, actions: lax.scan(lambda s, a: (game.apply(s, a), None), start, actions)[0])


def final(game, start, actions):
    """The position after all actions."""
    return replayed(game)(start, np.array(actions + [-1] * (128 - len(actions)), np.int32))


def black_margin(s):
    """Black's discs less white's."""
    lead = int(s.own.total() - s.opponent.total())
    return lead if s.turn == 0 else -lead


def same(s, t):
    return all(np.array_equal(x, y) for x, y in zip(jax.tree.leaves(s), jax.tree.leaves(t), strict=True))


@cache
def random_games(size):
    """A hundred complete games, passes included, as lists of actions."""
    game = Othello(size=size)

    def turn(s, key):
        a = random_action(game, s, key)
        return game.apply(s, a), (a, game.done(s))

    def one(key):
        return lax.scan(turn, game.init(key), jax.random.split(key, game.turn_limit))[1]

    actions, over = jax.jit(jax.vmap(one))(jax.random.split(jax.random.key(size), 100))
    return [[int(a) for a in line[~ended]] for line, ended in zip(np.asarray(actions), np.asarray(over), strict=True)]


games = st.tuples(st.sampled_from(SIZES), st.integers(0, 99), st.integers(0, 128)).map(
    lambda drawn: (Othello(size=drawn[0]), random_games(drawn[0])[drawn[1]][: drawn[2]])
)
player_names = st.text(st.characters(exclude_characters="[]", exclude_categories=["C", "Z"]), min_size=1)


# ---------------------------------------------------------------------- transcripts


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_games_end_as_recorded(name):
    text, margin = PUBLISHED[name]
    actions = read_transcript(GAME, text)
    s = final(GAME, usual_start(GAME), actions)
    assert s.over
    assert black_margin(s) == margin
    assert write_transcript(GAME, actions) == text


def test_forced_passes_are_put_in_on_reading_and_left_out_on_writing():
    text, _ = PUBLISHED["fangr patzer 2000"]  # black passes before g7 and before g8
    actions = read_transcript(GAME, text)
    assert [GAME.name(a, None) for a in actions[-5:]] == ["h8", "pass", "g7", "pass", "g8"]
    assert len(actions) == 62
    for written in ("h8pag7pag8", "h8 PASS g7 -- g8", "H8PSG7g8", "h8--g7 pass g8"):
        assert read_transcript(GAME, text.replace("h8g7g8", written)) == actions


def test_a_pass_at_the_end_is_written():
    text, _ = PUBLISHED["fangr patzer 2000"]
    actions = read_transcript(GAME, text)[:-1]
    assert actions[-1] == 64
    assert write_transcript(GAME, actions) == text[:-2] + "pa"
    assert read_transcript(GAME, text[:-2] + "pa") == actions
    assert read_transcript(GAME, text[:-2]) == actions[:-1]


def test_transcripts_may_be_typed_freely():
    actions = read_transcript(GAME, "f5d6c3d3")
    for typed in ("F5D6C3D3", "f5 d6  c3\nd3 ", "1. f5 d6 2. c3 d3", "1.f5 2.d6 3.c3 4.d3", "F5d6 C3d3"):
        assert read_transcript(GAME, typed) == actions
    assert read_transcript(GAME, "") == read_transcript(GAME, " \n") == []
    assert write_transcript(GAME, []) == ""


def test_a_transcript_may_start_anywhere():
    start = GAME.read("XO" + "-" * 62 + " O")
    assert read_transcript(GAME, "c1", start=start) == [64, 2]
    assert write_transcript(GAME, [64, 2], start=start) == "c1"


@pytest.mark.slow
@given(games)
@settings(max_examples=60, deadline=None)
def test_transcripts_round_trip(played):
    game, actions = played
    text = write_transcript(game, actions)
    assert read_transcript(game, text) == actions
    assert re.fullmatch(r"([a-h][1-8])*(pa)?", text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "a1",
            "move 1: 'a1' is not a legal move in othello: expected a square such as f5, or pass; here one of d3, c4, ",
        ),
        ("f5d6f5", "move 3: 'f5' is not a legal move in othello: "),
        ("f5 f10", "move 2: 'f10' is not a legal move in othello: "),
        ("f5i9", "move 2: 'i9' is not a legal move in othello: "),
        ("f5pa", "move 2: 'pa' is not a legal move in othello: .*; here one of f4, d6, f6"),
        ("f5??", "move 2: '??' is not a legal move in othello: "),
        ("f5d", "move 2: 'd' is not a legal move in othello: "),
        ("5f", "move 1: '5f' is not a legal move in othello: "),
        ("1.", "move 1: '1.' is not a legal move in othello: "),
        ("f5 ٣", "move 2: '٣' is not a legal move in othello: "),
        (SHORTEST + "a1", "move 10: 'a1' cannot be played in othello: expected no more moves, the game is over"),
        (SHORTEST + "pass", "move 10: 'pass' cannot be played in othello: expected no more moves, the game is over"),
    ],
)
def test_transcript_errors_name_the_move(text, sentence):
    sentence = re.escape(sentence).replace(r"\.\*", ".*")
    with pytest.raises(ValueError, match=f"^{sentence}"):
        read_transcript(GAME, text)


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ([0], "move 1: 'a1' is not a legal move in othello: "),
        ([37, 64], "move 2: 'pass' is not a legal move in othello: "),
        ([37, 65], "move 2: 'b9' is not a legal move in othello: "),
        ([37, -1], "move 2: 'h0' is not a legal move in othello: "),
    ],
)
def test_illegal_actions_are_not_written(actions, sentence):
    for write in (write_transcript, write_ggf):
        with pytest.raises(ValueError, match=f"^{sentence}"):
            write(GAME, actions)


def test_a_forced_pass_left_out_of_the_actions_is_not_written():
    text, _ = PUBLISHED["fangr patzer 2000"]
    actions = [a for a in read_transcript(GAME, text) if a != 64]
    with pytest.raises(ValueError, match=r"^move 59: 'g7' is not a legal move in othello: .*; here pass"):
        write_transcript(GAME, actions)


# ---------------------------------------------------------------------- GGF


def test_a_game_from_the_archive():
    found = read_ggf(HERCULE_SCORP)
    assert found.game == GAME
    assert same(found.start, usual_start(GAME))
    assert write_transcript(GAME, found.actions) == PUBLISHED["hercule scorp+ 2010"][0]
    assert (found.black, found.white, found.result) == ("hercule", "scorp+", 6.0)
    assert found.tags["TI"] == "10:00//02:00"
    assert found.tags["PC"] == "GGS/os"
    assert set(found.tags) == {"GM", "PC", "DT", "PB", "PW", "RB", "RW", "TI", "TY", "RE", "BO"}


def test_a_match_from_a_drawn_start():
    for found, players in zip(read_ggf_file(MATCH), [("edax", "Roxane"), ("Roxane", "edax")], strict=True):
        assert GAME.show(found.start) == "--XXO-----XX------XOO---XXXXOO-----OX-----O-X------------------- X"
        assert (found.black, found.white) == players
        s = final(GAME, found.start, found.actions)
        assert s.over
        assert black_margin(s) == found.result == -10
    assert 64 in found.actions


def test_what_is_written():
    actions = read_transcript(GAME, "f5d6")
    assert write_ggf(GAME, actions, black="Ann", white="Bob", date="2024.05.01", result=12) == (
        "(;GM[Othello]PC[Ludens]DT[2024.05.01]PB[Ann]PW[Bob]RE[+12.00]TY[8]"
        "BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6];)"
    )
    assert write_ggf(Othello(size=4), []) == ("(;GM[Othello]PC[Ludens]PB[?]PW[?]RE[?]TY[4]BO[4 -----O*--*O----- *];)")


def test_passes_are_written():
    text, _ = PUBLISHED["fangr patzer 2000"]
    assert write_ggf(GAME, read_transcript(GAME, text)).endswith("W[H8]B[PA]W[G7]B[PA]W[G8];)")


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_result_is_counted(name):
    text, margin = PUBLISHED[name]
    assert read_ggf(write_ggf(GAME, read_transcript(GAME, text))).result == margin


def test_the_winner_is_given_the_empty_squares():
    actions = read_transcript(GAME, SHORTEST)
    assert "RE[+64.00]" in write_ggf(GAME, actions)
    assert "RE[+13.00]" in write_ggf(GAME, actions, result=13.0)
    drawn = GAME.read("XX------" + "-" * 48 + "------OO X")
    assert "RE[+0.00]" in write_ggf(GAME, [], start=drawn)
    lost = GAME.read("X-------" + "-" * 48 + "------OO O")
    assert "RE[-62.00]" in write_ggf(GAME, [], start=lost)  # one disc against two, and the 61 empty squares


@pytest.mark.slow
@given(games, player_names, player_names, st.none() | st.integers(-64, 64))
@settings(max_examples=60, deadline=None)
def test_ggf_round_trips(played, black, white, result):
    game, actions = played
    found = read_ggf(write_ggf(game, actions, black=black, white=white, place="here", date="2024", result=result))
    assert found.game == game
    assert found.actions == actions
    assert (found.black, found.white) == (black, white)
    assert same(found.start, usual_start(game))
    s = final(game, found.start, actions)
    if result is not None:
        assert found.result == result
    elif s.over:
        assert np.sign(found.result) == np.sign(black_margin(s))
    else:
        assert found.result is None


def test_any_position_may_be_the_start():
    found = read_ggf("(;GM[Othello]TY[6]BO[6 *O---- ------ ------ ------ ------ ------ O]B[c1];)")
    assert found.game == Othello(size=6)
    assert found.actions == [36, 2]  # white's forced pass, which was left out
    again = read_ggf(write_ggf(found.game, found.actions, start=found.start))
    assert again.game == found.game
    assert again.actions == found.actions
    assert same(again.start, found.start)
    assert read_ggf("(;GM[Othello]BO[4 .... .ox. .xo. .... x]B[b1];)").actions == [1]


def test_several_games_with_all_the_blanks_there_may_be():
    text = f"""
      1 (;GM[Othello] PB[a ; ) b]
        TY[8]
        CO[unknown tags (;are;) kept]
        {USUAL}
        B[f5//0.01] ; W[ D6 /-2.3/ 1.5 ]
      ;)
    (;GM[othello]TY[8]RE[?];)(;GM[Othello]TY[s8kr18b]RE[-64.00:r] B[ F5 ])
    """
    first, second, third = read_ggf_file(text)
    assert (first.black, first.white, first.result) == ("a ; ) b", "?", None)
    assert first.tags["CO"] == "unknown tags (;are;) kept"
    assert write_transcript(GAME, first.actions) == "f5d6"
    assert (second.actions, second.result) == ([], None)
    assert (third.actions, third.result) == ([37], -64.0)
    assert list(read_ggf_file("  \n")) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the GGF text holds 0 games: expected one"),
        ("(;GM[Othello]TY[8];)(;GM[Othello]TY[8];)", "the GGF text holds 2 games: expected one"),
        ("f5d6", "GGF game 1: 'f5d6' does not begin a game: expected (;GM[Othello]"),
        ("(;GM[Othello]TY[8];) and more", "GGF game 2: 'and more' does not begin a game: expected (;GM[Othello]"),
        ("(;GM[Othello]TY[8]", "GGF game 1: '' is not a tag: expected one such as B[F5], or ;) at the end"),
        ("(;GM[Othello]TY[8]B[f5;)", "GGF game 1: 'B[f5;)' is not a tag: expected one such as B[F5]"),
        ("(;TY[8];)", "GGF game 1: GM[] is not othello: expected GM[Othello]"),
        ("(;GM[Amazons]TY[10];)", "GGF game 1: GM[Amazons] is not othello: expected GM[Othello]"),
        ("(;GM[Othello];)", "GGF game 1: TY[] does not tell the size of the board: expected TY[8] or BO[8 ...]"),
        ("(;GM[Othello]TY[big];)", "GGF game 1: TY[big] does not tell the size of the board"),
        ("(;GM[Othello]TY[10];)", "GGF game 1: size is 10 in othello: expected one of 4, 6, 8"),
        ("(;GM[Othello]TY[8a];)", "GGF game 1: TY[8a] is the game that fewer discs win: expected othello"),
        (f"(;GM[Othello]TY[6]{USUAL};)", "is not a position: expected 6, 36 squares *, O or - row by row from a1"),
        ("(;GM[Othello]BO[4 -----O*--*O-----];)", "is not a position: expected 4, 16 squares"),
        ("(;GM[Othello]BO[4 -----O*--*O----- -];)", "is not a position: expected 4, 16 squares"),
        ("(;GM[Othello]BO[4 -----O*--*O----- Q];)", "BO[4 -----O*--*O----- Q] is not a position: expected 4, 16"),
        ("(;GM[Othello]BO[];)", "GGF game 1: TY[] does not tell the size of the board"),
        ("(;GM[Othello]TY[8]RE[black];)", "GGF game 1: RE[black] is not a result: expected black's margin"),
        ("(;GM[Othello]TY[8]B[a1];)", "GGF game 1: move 1: 'a1' is not a legal move in othello: expected a square"),
        ("(;GM[Othello]TY[8]B[];)", "GGF game 1: move 1: '' is not a legal move in othello"),
        ("(;GM[Othello]TY[8]B[pa];)", "GGF game 1: move 1: 'pa' is not a legal move in othello"),
        ("(;GM[Othello]TY[8]W[f5];)", "GGF game 1: move 1: 'f5' is out of turn: expected black to move"),
        ("(;GM[Othello]TY[8]B[f5]B[d6];)", "GGF game 1: move 2: 'd6' is out of turn: expected white to move"),
        (
            "(;GM[Othello]BO[4 *O-- ---- ---- ---- *]B[c1]W[d1];)",
            "GGF game 1: move 2: 'd1' cannot be played in othello: expected no more moves, the game is over",
        ),
    ],
)
def test_ggf_errors_say_what_was_expected(text, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        read_ggf(text)


def test_names_with_brackets_cannot_be_written():
    with pytest.raises(ValueError, match=r"'a\]b' cannot be written in GGF: expected text without square brackets"):
        write_ggf(GAME, [], black="a]b")
