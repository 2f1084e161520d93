"""The Royal Game of Ur in plain Python, slow and obvious: the referee for the engine.

A position is a dict: `waiting`, `on` and `home` give a number, a set of squares and a number for each side,
`turn` is the side to move or throw, `throw` the throw to be played or None.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

Position = dict[str, Any]

SIDES = ("first", "second")
WAY = {
    "first": ["a4", "a3", "a2", "a1", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "a8", "a7"],
    "second": ["c4", "c3", "c2", "c1", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "c8", "c7"],
}
ROSETTES = {"a1", "c1", "b4", "a7", "c7"}
OTHER = {"first": "second", "second": "first"}


def start(pieces: int) -> Position:
    return {
        "waiting": dict.fromkeys(SIDES, pieces),
        "on": {side: frozenset() for side in SIDES},
        "home": dict.fromkeys(SIDES, 0),
        "turn": "first",
        "throw": None,
    }


def winner(position: Position) -> str | None:
    for side in SIDES:
        if position["waiting"][side] == 0 and not position["on"][side]:
            return side
    return None


def throws(rules: str, dice: int) -> dict[int, Fraction]:
    """Chances of the throws, by throwing every die both ways."""
    if rules == "paper":
        return {1: Fraction(1, 2), 2: Fraction(1, 2)}
    chances = {0: Fraction(1)}
    for _ in range(dice):
        after: dict[int, Fraction] = {}
        for points, chance in chances.items():
            for side_up in (0, 1):
                after[points + side_up] = after.get(points + side_up, Fraction(0)) + chance / 2
        chances = after
    return chances


def moves(position: Position, rules: str) -> dict[str, Position]:
    """Every legal move by name, with the position it leads to (the next throw still to come)."""
    if winner(position) or position["throw"] is None:
        return {}
    after = {}
    mover, throw = position["turn"], position["throw"]
    pieces = sorted(position["on"][mover]) + (["start"] if position["waiting"][mover] else [])
    for origin in pieces if throw else []:
        target = destination(position, origin, rules)
        if target is not None:
            after[f"{origin}-{target}"] = move(position, origin, target, rules)
    return after or {"pass": {**position, "turn": OTHER[mover], "throw": None}}


def destination(position: Position, origin: str, rules: str) -> str | None:
    """Where the piece on `origin` comes to stand, None if it may not move."""
    mover, throw = position["turn"], position["throw"]
    mine, theirs = position["on"][mover], position["on"][OTHER[mover]]
    way = ["start", *WAY[mover], "off"]
    steps = way.index(origin) + throw
    if steps >= len(way):
        return None
    target = way[steps]
    if target == "b4" and "b4" in theirs:
        if rules == "finkel":
            return None
        target = "b5"
    return None if target in mine else target


def move(position: Position, origin: str, target: str, rules: str) -> Position:
    mover = position["turn"]
    opponent = OTHER[mover]
    waiting, on, home = dict(position["waiting"]), dict(position["on"]), dict(position["home"])
    if origin == "start":
        waiting[mover] -= 1
    on[mover] = on[mover] - {origin}
    if target == "off":
        home[mover] += 1
    else:
        on[mover] = on[mover] | {target}
    if target in on[opponent]:
        on[opponent] = on[opponent] - {target}
        waiting[opponent] += 1
    again = rules == "finkel" and target in ROSETTES
    turn = mover if again else opponent
    return {"waiting": waiting, "on": on, "home": home, "turn": turn, "throw": None}


def thrown(position: Position, rules: str, dice: int) -> Iterator[tuple[Fraction, Position]]:
    for throw, chance in throws(rules, dice).items():
        yield chance, {**position, "throw": throw}
