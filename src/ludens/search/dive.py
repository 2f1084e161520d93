"""What a search of one position holds while it is under way (`deep.py`): its stack, its table, and what it was asked.

Shapes: `A` actions, `R` levels of the stack, `M` children of a node, `T` slots of the table.
"""

from typing import Any, NamedTuple

import numpy as np

from ludens.core.types import Array

NONE = np.int32(np.iinfo(np.int32).min)
"""Key of a child that does not wait."""
FIRST = np.int32(np.iinfo(np.int32).max & ~0xFFFF)
"""Key of a child that is tried before all others, apart from its place."""
PLAIN, HIGH, LOW = 0, 1, 2
"""How a node is searched: in full, or as a probe that is to show that it is above or below its window."""


class Rows(NamedTuple):
    """The children of the nodes on the stack, everything `[R, M]`."""

    state: Any
    """The position."""
    move: Array
    """What leads to it, `int32[R, M]`."""
    sign: Array
    """+1 if the same side moves there, else -1, `float32[R, M]`."""
    worth: Array
    """What it is worth to the node's mover at first sight, `float32[R, M]`."""
    key: Array
    """How promising it is, with its place in the lowest bits, `int32[R, M]`; `NONE` if it does not wait."""


class Nodes(NamedTuple):
    """The nodes on the stack, everything `[R]`."""

    alpha: Array
    beta: Array
    best: Array
    """Best value so far to the mover, `float32[R]`."""
    choice: Array
    """The move it belongs to, `int32[R]`."""
    entered: Array
    """The move by which the node was entered, `int32[R]`."""
    sign: Array
    """+1 if the same side moves in the node above, else -1, `float32[R]`."""
    hash: Array
    """`uint32[R, 2]`."""
    place: Array
    """Where the node waited in the row above, `int32[R]`."""
    left: Array
    """Plies to look ahead, `int32[R]`."""
    scout: Array
    """Whether it was only asked if it is better than the best so far, `bool[R]`."""
    narrow: Array
    """Whether there is nothing between alpha and beta, `bool[R]`."""
    probe: Array
    """`PLAIN`, `HIGH` or `LOW`, `int32[R]`."""
    whole: Array
    """The search that a probe may save: its plies, `int32[R]`,"""
    bound: Array
    """and the bound that it would then have shown, `float32[R]`."""
    known: Array
    """Plies of what the table had when the node was entered, `int32[R]`; 0 if nothing."""
    again: Array
    """Place of the child that must be searched again, `int32[R]`; -1 if none."""
    wide: Array
    """Whether it must be with the whole window, being better than the best so far, `bool[R]`; else a probe failed."""


class Child(NamedTuple):
    """What waits at a node and is most promising."""

    live: Array
    """Whether there is any and the node is not refuted, `bool[]`."""
    place: Array
    """In its row, `int32[]`."""
    state: Any
    move: Array
    sign: Array
    worth: Array
    hash: Array


class Plan(NamedTuple):
    """How a child is searched: the fields of `Nodes` that say so."""

    alpha: Array
    beta: Array
    left: Array
    scout: Array
    narrow: Array
    probe: Array
    whole: Array
    bound: Array


class Dive(NamedTuple):
    """A search under way. The node at level 0 is none: its only child is the root."""

    rows: Rows
    nodes: Nodes
    table: Array
    """`uint32[T, 4]`: both words of the hash; move, kind of value and depth; the value."""
    level: Array
    """Where the search is, `int32[]`; -1 when it is over."""
    exact: Array
    """Whether every root move gets its true value, `bool[]`."""
    doubt: Array
    """Standard deviations by which a probe must convince, `float32[]`; 0: there are no probes."""
    order: Array
    """How promising root moves are, `float32[A]`."""
    scores: Array
    """Values of root moves, `float32[A + 1]`; -inf if not yet known. Those that were refuted have bounds."""
    evaluated: Array
    """Positions made and evaluated, `int32[]`."""
