"""What there is to know about a table: who sits there and what they play, and the game so far."""

import json
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from ludens.web.exchange import Act, Agent, Begun, Position, Resumed, Variant

KEPT = ("title", "seed", "stream", "start", "can_undo", "hidden", "labelled", "given")
"""Facts that the book has as they are."""


@dataclass
class Chair:
    """A seat and who sits there."""

    name: str
    spec: str | None
    """Of an agent; None for a person."""
    label: str
    agent: Agent | None = None
    """Who thinks there; None for persons and for those who play at random."""

    @property
    def is_person(self) -> bool:
        """Whether a person sits there."""
        return self.spec is None


@dataclass
class Facts:
    """What never changes about a table."""

    id: str
    variant: Variant
    title: str
    chairs: list[Chair]
    seed: int
    stream: int
    start: str
    can_undo: bool
    hidden: bool
    labelled: bool
    """Whether somebody gave the table its title."""
    given: bool
    """Whether it began from a given position."""

    @classmethod
    def of(cls, table: str, begun: Begun, chairs: list[Chair], seed: int, label: str | None, *, given: bool) -> "Facts":
        """Those of a table that was just laid."""
        return cls(
            id=table,
            variant=begun.variant,
            title=label or begun.title,
            chairs=chairs,
            seed=seed,
            stream=begun.stream,
            start=begun.start,
            can_undo=begun.can_undo,
            hidden=begun.hidden,
            labelled=label is not None,
            given=given,
        )

    @classmethod
    def read(cls, table: str, variant: Variant, chairs: list[Chair], told: dict[str, Any]) -> "Facts":
        """Those in the book."""
        kept = {name: told[name] for name in KEPT}
        return cls(id=table, variant=variant, chairs=chairs, **kept)

    def elsewhere(self, table: str, chairs: list[Chair]) -> "Facts":
        """The same for another table."""
        return replace(self, id=table, chairs=chairs)

    @property
    def seats(self) -> list[dict[str, Any]]:
        """Who sits where, as the page is told."""
        return [
            {
                "seat": seat,
                "name": chair.name,
                "kind": "person" if chair.is_person else "agent",
                "spec": chair.spec,
                "label": chair.label,
            }
            for seat, chair in enumerate(self.chairs)
        ]

    @cached_property
    def written(self) -> str:
        """As the book keeps them."""
        told = {"game": self.variant.game, "variant": json.loads(self.variant.fields), "seats": self.seats}
        return json.dumps(told | {name: getattr(self, name) for name in KEPT})


@dataclass
class Log:
    """A game so far."""

    now: Position
    states: list[bytes]
    """Before the first act, and after each."""
    outcomes: list[list[int]]
    """What fate did before the first act, and after each."""
    actions: list[int] = field(default_factory=list)
    movers: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    past: list[str] = field(default_factory=list)
    """Each act as the page is told of it, JSON."""
    taken_back: list[int] = field(default_factory=list)
    """Plies at which a move was taken back, where that is not quite fair."""
    version: int = 0
    """Goes up with every change."""

    @classmethod
    def begun(cls, begun: Begun) -> "Log":
        """A game that has just begun, with the moves of its transcript."""
        log = cls(begun.first, [begun.first.state], [begun.outcomes])
        for act in begun.acts:
            log.add(act)
        return log

    @classmethod
    def resumed(cls, resumed: Resumed, course: dict[str, Any]) -> "Log":
        """A game from the book, played again."""
        log = cls(
            now=resumed.now,
            states=resumed.states,
            outcomes=course["outcomes"],
            actions=course["actions"],
            taken_back=course["taken_back"],
            version=course["version"],
        )
        for mover, name in zip(resumed.movers, resumed.names, strict=True):
            log._name(mover, name)
        return log

    def add(self, act: Act) -> None:
        """One act more."""
        self.actions.append(act.action)
        self._name(self.now.mover, act.name)
        self.outcomes.append(act.outcomes)
        self.states.append(act.now.state)
        self.now = act.now
        self.version += 1

    def cut(self, ply: int) -> None:
        """Back to where so many acts had been made; `now` must be shown anew."""
        del self.actions[ply:], self.movers[ply:], self.names[ply:], self.past[ply:]
        del self.outcomes[ply + 1 :], self.states[ply + 1 :]

    def _name(self, mover: int, name: str) -> None:
        """Write down who made the next act, and what it is called."""
        again = ',"taken_back":true' if len(self.movers) in self.taken_back else ""
        self.movers.append(mover)
        self.names.append(name)
        self.past.append(f'{{"ply":{len(self.movers)},"seat":{mover},"name":{_quoted(name)}{again}}}')

    def written(self) -> str:
        """As the book keeps it."""
        kept = {"actions": self.actions, "outcomes": self.outcomes, "taken_back": self.taken_back}
        return json.dumps(kept | {"version": self.version}, separators=(",", ":"))


@lru_cache(maxsize=4096)
def _quoted(name: str) -> str:
    """A move's name in JSON: there are few, and all are written often."""
    return json.dumps(name)
