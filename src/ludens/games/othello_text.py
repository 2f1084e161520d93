"""Whole games of Othello as text: transcripts such as `f5d6c3` and GGF, the Generic Game Format of the GGS server.

A transcript is the squares played, one after the other. Passes are left out, for the rules force them; only a pass
that ends the transcript is written (`pa`), because nothing after it would show it. Reading also takes upper case,
blanks, move numbers (`1. f5`) and passes written as `pa`, `ps`, `pass` or `--`.

GGF (https://skatgame.net/mburo/ggsa/ggf): a game is a list of tags between `(;` and `;)`, black is `*`, white is `O`:

    (;GM[Othello]PC[GGS/os]DT[2010.10.17]PB[Ann]PW[Bob]RE[+6.00]TI[10:00//02:00]TY[8]
    BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[d3//3.95]W[c5/-18.40/0.10];)

`TY` is the board's size with letters about how colours and start were chosen, `BO` is size, squares and side to move.
A move is the square or `PA`, then perhaps an evaluation and seconds, which are skipped. `RE` is black's margin, where
the winner is given the empty squares. A number in front of a game (GGS counts those of a match) is skipped too.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import jax
import numpy as np

from ludens.core.bits import to_int
from ludens.core.types import Action, Array
from ludens.games.othello import Othello, State

WRITTEN_MOVE = re.compile(r"\s*(?:\d+\.+\s*)?(pass|pa|ps|--|[a-z]\d+|\S{1,8})", re.IGNORECASE)
GAME_OPENS = re.compile(r"\s*(?:\d+\s*)?\(\s*;")
TAG = re.compile(r"[\s;]*([A-Za-z]+)\s*\[([^\]]*)\]")
GAME_CLOSES = re.compile(r"[\s;]*\)")
BOARD_TYPE = re.compile(r"s?(\d+)([a-z0-9]*)", re.IGNORECASE)
RESULT = re.compile(r"(?:\?|([+-]?\d+(?:\.\d*)?))(?::.*)?")


class GgfGame(NamedTuple):
    """A game as a GGF file has it."""

    game: Othello  # the variant: the size of the board
    start: State  # the position before the first move
    actions: list[int]  # the moves, passes included
    black: str  # the players' names, `?` where the file has none
    white: str
    result: float | None  # black's margin as the file claims it, which a resigned game has as well
    tags: dict[str, str]  # every tag but the moves, as written


def write_transcript(game: Othello, actions: Sequence[Action], *, start: State | None = None) -> str:
    """`f5d6c3...`; ValueError names the first action that is not legal."""
    names, _ = _replay(game, start or _usual_start(game), actions)
    return "".join(name for name in names if name != "pass") + ("pa" if names[-1:] == ["pass"] else "")


def read_transcript(game: Othello, text: str, *, start: State | None = None) -> list[int]:
    """The actions of a transcript, forced passes put in; ValueError names the first move that cannot be played."""
    written = [(match[1], None) for match in WRITTEN_MOVE.finditer(text)]
    return _follow(game, start or _usual_start(game), written)[0]


def write_ggf(
    game: Othello,
    actions: Sequence[Action],
    *,
    black: str = "?",
    white: str = "?",
    place: str = "Ludens",
    date: str = "",
    result: float | None = None,
    start: State | None = None,
) -> str:
    """One game in GGF. A `result` that is not given is counted on the board, or `?` if the game is not over."""
    first = start or _usual_start(game)
    names, last = _replay(game, first, actions)
    if result is None and bool(last.over):
        result = _margin(game, last)
    tags = {"GM": "Othello", "PC": place, "DT": date, "PB": black, "PW": white}
    if unfit := [value for value in tags.values() if set(value) & set("[]")]:
        raise ValueError(f"'{unfit[0]}' cannot be written in GGF: expected text without square brackets")
    tags |= {"RE": "?" if result is None else f"{result:+.2f}", "TY": f"{game.size}"}
    tags["BO"] = f"{game.size} {game.show(first).replace('X', '*')}"
    header = "".join(f"{tag}[{value}]" for tag, value in tags.items() if value)
    moves = (f"{'BW'[(int(first.turn) + i) % 2]}[{name[:2].upper()}]" for i, name in enumerate(names))
    return f"(;{header}{''.join(moves)};)"


def read_ggf(text: str) -> GgfGame:
    """The only game of a GGF text; ValueError says what is wrong with it."""
    games = list(read_ggf_file(text))
    if len(games) != 1:
        raise ValueError(f"the GGF text holds {len(games)} games: expected one")
    return games[0]


def read_ggf_file(text: str) -> Iterator[GgfGame]:
    """All games of a GGF file, one after the other; ValueError says which is wrong, and how."""
    text, at, number = text.rstrip(), 0, 0
    while at < len(text):
        number += 1
        try:
            tags, at = _tags(text, at)
            game = _ggf_game(tags)
        except ValueError as error:
            raise ValueError(f"GGF game {number}: {error}") from None
        yield game


def _tags(text: str, at: int) -> tuple[list[tuple[str, str]], int]:
    """The tags of the game that begins at `at`, and where it ends; values may hold anything but `]`."""
    if not (opens := GAME_OPENS.match(text, at)):
        raise ValueError(f"'{text[at : at + 20].strip()}' does not begin a game: expected (;GM[Othello]")
    at, tags = opens.end(), []
    while tag := TAG.match(text, at):
        at = tag.end()
        tags.append((tag[1].upper(), tag[2].strip()))
    if not (closes := GAME_CLOSES.match(text, at)):
        raise ValueError(f"'{text[at : at + 20].strip()}' is not a tag: expected one such as B[F5], or ;) at the end")
    return tags, closes.end()


def _ggf_game(written: list[tuple[str, str]]) -> GgfGame:
    """The game that the tags of one GGF game describe."""
    moves = [(value.split("/")[0].strip(), "BW".index(tag)) for tag, value in written if tag in ("B", "W")]
    tags = {tag: value for tag, value in written if tag not in ("B", "W")}
    if tags.get("GM", "").lower() != "othello":
        raise ValueError(f"GM[{tags.get('GM', '')}] is not othello: expected GM[Othello]")
    game, start = _ggf_start(tags)
    result = RESULT.fullmatch(tags.get("RE") or "?")
    if not result:
        raise ValueError(f"RE[{tags['RE']}] is not a result: expected black's margin such as +12.00, or ?")
    actions, black, white = _follow(game, start, moves)[0], tags.get("PB") or "?", tags.get("PW") or "?"
    return GgfGame(game, start, actions, black, white, float(result[1]) if result[1] else None, tags)


def _ggf_start(tags: dict[str, str]) -> tuple[Othello, State]:
    """The variant and the position before the first move, from `TY` and `BO`; one of them is enough."""
    board = tags.get("BO", "").split()
    kind = BOARD_TYPE.fullmatch(tags.get("TY") or "".join(board[:1]))
    if not kind:
        raise ValueError(f"TY[{tags.get('TY', '')}] does not tell the size of the board: expected TY[8] or BO[8 ...]")
    if "a" in kind[2].lower():
        raise ValueError(f"TY[{tags['TY']}] is the game that fewer discs win: expected othello, such as TY[8]")
    game = Othello(size=int(kind[1]))
    if not board:
        return game, _usual_start(game)
    squares, cells = game.size**2, "".join(board[1:]).upper().replace("X", "*").replace(".", "-")
    if board[0] != f"{game.size}" or len(cells) != squares + 1 or set(cells) - set("*O-") or cells[-1] == "-":
        expected = f"{game.size}, {squares} squares *, O or - row by row from a1, then * or O to move"
        raise ValueError(f"BO[{tags['BO']}] is not a position: expected {expected}")
    return game, game.read(cells.replace("*", "X"))


def _margin(game: Othello, s: State) -> float:
    """Black's discs less white's at the end; the winner is given the empty squares, as on GGS and in tournaments."""
    own, opponent = to_int(s.own).bit_count(), to_int(s.opponent).bit_count()
    lead = own - opponent if int(s.turn) == 0 else opponent - own
    return lead + math.copysign(game.size**2 - own - opponent, lead) if lead else 0.0


def _replay(game: Othello, s: State, actions: Sequence[Action]) -> tuple[list[str], State]:
    """The names of legal `actions` and the position after them."""
    names = [game.name(a, s) for a in actions]
    return names, _follow(game, s, [(name, (int(s.turn) + i) % 2) for i, name in enumerate(names)])[1]


def _follow(game: Othello, s: State, written: Iterable[tuple[str, int | None]]) -> tuple[list[int], State]:
    """The actions that moves (each with its seat or None) stand for, forced passes put in, and where they lead."""
    apply, legal_in = _compiled(game)
    passing = game.size**2
    meanings = {game.name(a, s): a for a in range(passing)} | dict.fromkeys(("pass", "pa", "ps", "--"), passing)
    actions: list[int] = []
    for number, (text, seat) in enumerate(written, start=1):
        a = meanings.get(text.lower())
        legal = np.asarray(legal_in(s))
        if legal[passing] and a != passing and seat != int(s.turn):
            actions.append(passing)
            s = apply(s, passing)
            legal = np.asarray(legal_in(s))
        if seat not in (None, int(s.turn)) and legal.any():
            mover = "white" if s.turn else "black"
            raise ValueError(f"move {number}: '{text}' is out of turn: expected {mover} to move")
        if a is None or not legal[a]:
            raise ValueError(f"move {number}: {game.rejection(text, s)}")
        actions.append(a)
        s = apply(s, a)
    return actions, s


@cache
def _compiled(game: Othello) -> tuple[Callable[..., State], Callable[..., Array]]:
    """`apply` and `legal`, compiled because files may hold thousands of games."""
    return jax.jit(game.apply), jax.jit(game.legal)


@cache
def _usual_start(game: Othello) -> State:
    return game.init(jax.random.key(0))
