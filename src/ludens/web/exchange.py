"""What the web process and its workers say to each other; nothing here knows JAX, which only workers import.

A state travels as bytes (`packing.py`): whoever holds it need not understand it.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Variant(NamedTuple):
    """A game with its variant, in a form that can be compared and sent."""

    game: str
    """The game's id."""
    fields: str
    """The fields that make the variant, all of them, as JSON."""


class Course(NamedTuple):
    """A game so far, as far as showing it needs it."""

    seed: int
    stream: int
    """Of what is random from the first act on."""
    actions: Sequence[int]
    movers: Sequence[int]
    """Who made each act."""
    persons: Sequence[int]
    """Seats where people sit: the one to move looks, or else the first."""


class Ask(NamedTuple):
    """An act that somebody wants to make."""

    course: Course
    state: bytes
    """Where."""
    mover: int
    """Who."""
    action: int | None
    """What; None: any legal act, drawn by the game's own lots."""
    answering: Sequence[int]
    """Seats of agents that play at random: they go on at once, for as long as it is their turn."""


class Act(NamedTuple):
    """An act that was made."""

    action: int
    name: str
    outcomes: list[int]
    """What fate did after it."""
    now: "Position"


class Position(NamedTuple):
    """Where a game stands, and how it looks."""

    state: bytes
    view: bytes
    """The state as the mover knows it."""
    mover: int
    over: bool
    returns: list[float]
    shown: str
    """What the page is told: the members of a JSON object, without its braces."""


class Begun(NamedTuple):
    """A table that was laid."""

    variant: Variant
    title: str
    names: list[str]
    """What seats are called."""
    can_undo: bool
    hidden: bool
    start: str
    """The position as it was dealt or given, by `game.show`."""
    stream: int
    outcomes: list[int]
    """What fate did before the first act."""
    first: Position
    acts: list[Act]
    """Those that a transcript brought along."""


class Resumed(NamedTuple):
    """A game that was played again from what was written down."""

    names: list[str]
    """What each act is called."""
    movers: list[int]
    states: list[bytes]
    """Before the first act, and after each."""
    now: Position


class Agent(NamedTuple):
    """An agent that plays one variant."""

    variant: Variant
    spec: str
    """As the page writes it: `run:NAME`."""
    path: str
    """As players are made: `run:FOLDER/NAME`."""
    stamp: int
    """Which state of a learned agent's weights; 0 for the others."""


class Question(NamedTuple):
    """A position that an agent is to judge, as its mover knows it."""

    course: Course
    view: bytes
    mover: int
    looker: int | None
    """For whom a judgement counts: seat 0 if nobody in particular."""
    played: int | None = None
    """The act to be graded."""
