"""Boards drawn for the terminal, one function per game; a game without one shows its line of text.

Pictures are made from `game.show`, so nothing here knows a rule, and nothing hidden can appear.
"""

import re
from collections.abc import Callable
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ludens.core.game import Game, legal_actions
from ludens.games.okey.text import LABELS
from ludens.games.onitama import CARDS

DIM = "dim"
FIRST, SECOND = "bold cyan", "bold magenta"
TILE_STYLES = {"r": "bold red", "b": "bold white", "g": "bold green", "y": "bold yellow"}


def draw(game: Game[Any], view: Any, seat: int | None = None) -> RenderableType:
    """The position `view` as a picture, for the person in `seat` if there is one."""
    drawer = DRAWERS.get(game.id)
    return drawer(game, view, seat) if drawer else Text(game.show(view))


def _othello(game: Game[Any], view: Any, seat: int | None) -> RenderableType:
    """Discs, and a small dot where the mover can place."""
    squares, mover = game.show(view).split()
    size = int(len(squares) ** 0.5)
    can_place = set(legal_actions(game, view))
    symbols = {"X": ("●", FIRST), "O": ("○", SECOND)}
    picture = Text("  " + " ".join("abcdefgh"[:size]) + "\n", DIM)
    for row in range(size):
        picture.append(f"{row + 1} ", DIM)
        for column in range(size):
            i = row * size + column
            picture.append(*symbols.get(squares[i], ("·", "bold green") if i in can_place else (" ", "")))
            picture.append(" ")
        picture.append("\n")
    black, white = squares.count("X"), squares.count("O")
    picture.append("●", FIRST).append(f" black {black}   ").append("○", SECOND).append(f" white {white}   ")
    return picture.append(_whose_turn(game, view, "black" if mover == "X" else "white"), DIM)


def _chung_toi(game: Game[Any], view: Any, seat: int | None) -> RenderableType:
    """Pieces with their arrows: + along ranks and files, x along diagonals."""
    ranks, mover = game.show(view).split(" turn ")
    picture = Text()
    for number, rank in zip("321", ranks.split("/"), strict=True):
        picture.append(f"{number}  ", DIM)
        for cell in re.findall("..", rank):
            style = {"W": FIRST, "R": SECOND, "-": DIM}[cell[0]]
            picture.append({"-": " · "}.get(cell[0], f"{cell} "), style).append(" ")
        picture.append("\n")
    picture.append("   " + "   ".join("abc") + "\n", DIM)
    return (
        picture.append("W white", FIRST)
        .append("  ")
        .append("R red   ", SECOND)
        .append(_whose_turn(game, view, mover), DIM)
    )


def _onitama(game: Game[Any], view: Any, seat: int | None) -> RenderableType:
    """The board and, beside it, the five cards as their owners see them."""
    board, *words = game.show(view).split()
    hands = dict(zip(words[::2], words[1::2], strict=True))
    styles = {"b": "cyan", "B": FIRST, "r": "red", "R": "bold red"}
    picture = Text()
    for number, rank in zip("54321", board.split("/"), strict=True):
        picture.append(f"{number} ", DIM)
        for cell in re.sub(r"\d", lambda empty: "." * int(empty[0]), rank):
            picture.append(f"{'·' if cell == '.' else cell} ", styles.get(cell, DIM))
        picture.append("\n")
    picture.append("  a b c d e\n", DIM).append(_whose_turn(game, view, hands["turn"]), DIM)
    grid = Table.grid(padding=(0, 2))
    cards = [("red", card) for card in hands["red"].split(",")]
    cards += [("side", hands["side"])] + [("blue", card) for card in hands["blue"].split(",")]
    grid.add_row(picture, *(_card(owner, card) for owner, card in cards))
    return grid


def _card(owner: str, card: str) -> Text:
    """One card: where it leads from the middle, forward being up."""
    picture = Text(f"{owner}\n{card}\n", {"red": "red", "blue": "cyan"}.get(owner, DIM))
    stamp, offsets = CARDS[card]
    for forward in (2, 1, 0, -1, -2):
        for right in (-2, -1, 0, 1, 2):
            here = "o" if (right, forward) == (0, 0) else "■" if (right, forward) in offsets else "·"
            picture.append(here, DIM if here == "·" else "bold")
        picture.append("\n")
    return picture.append(f"{stamp} stamp", DIM)


def _ur(game: Game[Any], view: Any, seat: int | None) -> RenderableType:
    """The twenty squares, who waits and who is home, and the throw."""
    first, second, mover, throw = game.show(view).split("; ")
    standing = dict.fromkeys(re.findall(r"\b[abc]\d\b", first), ("●", FIRST))
    standing |= dict.fromkeys(re.findall(r"\b[abc]\d\b", second), ("○", SECOND))
    picture = Text()
    for row in "abc":
        picture.append(f"{row} ", DIM)
        for column in "12345678":
            square = row + column
            exists = row == "b" or column not in "56"
            empty = "*" if square in ("a1", "c1", "b4", "a7", "c7") else "·"
            picture.append(*standing.get(square, (empty if exists else " ", DIM)))
            picture.append(" ")
        picture.append("\n")
    picture.append("  1 2 3 4 5 6 7 8   * rosette\n", DIM)
    for symbol, style, side in (("●", FIRST, first), ("○", SECOND, second)):
        counts = re.sub(r" on [^;]*?(?= home)", "", side)
        picture.append(f"{symbol} ", style).append(f"{counts}\n")
    return picture.append(f"{_whose_turn(game, view, mover.removeprefix('turn '))}, {throw}", DIM)


def _okey(game: Game[Any], view: Any, seat: int | None) -> RenderableType:
    """The rack of the person (of everybody, if nobody looks), the tile on offer and what lies on the table."""
    words = re.split(rf"\b({'|'.join(LABELS)})\b", game.show(view))
    labels = {part: value.strip() for part, value in zip(words[1::2], words[2::2], strict=True)}
    lines: list[RenderableType] = []
    for part in ("indicator", "offer", "centre"):
        if part in labels:
            lines.append(Text(f"{part:>9}  ", DIM) + _tiles(labels[part]))
    for part in ("discards", "hands"):
        for owner, tiles in enumerate(labels.get(part, "").split("/")):
            who = "you" if owner == seat else f"seat {owner}"
            lines.append(Text(f"{who + ' ' + part.removesuffix('s'):>14}  ", DIM) + _tiles(tiles.strip()))
    turn = "the game is over"
    if not bool(game.done(view)):
        mover = "you" if str(seat) == labels["turn"] else f"seat {labels['turn']}"
        turn = f"{mover} to {labels['phase']}"
    scores = f"   scores {labels['scores']}" if "scores" in labels else ""
    lines.append(Text(turn + scores, DIM))
    return Group(*lines)


def _tiles(text: str) -> Text:
    picture = Text()
    for tile in text.split():
        picture.append(f"{tile} ", TILE_STYLES.get(tile[0], "bold") if tile[-1:].isdigit() or "*" in tile else "bold")
    return picture


def _whose_turn(game: Game[Any], view: Any, mover: str) -> str:
    """`black to move`, or that nobody is."""
    return "the game is over" if bool(game.done(view)) else f"{mover} to move"


DRAWERS: dict[str, Callable[[Game[Any], Any, int | None], RenderableType]] = {
    "othello": _othello,
    "chung-toi": _chung_toi,
    "onitama": _onitama,
    "ur": _ur,
    "okey": _okey,
}
