"""What a reproduction is made of: rows that set our figure beside the paper's, tables, and figures as plain data.

Everything here is JSON on disk, so that tables, figures and pages can be drawn again without training again.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias

JSON: TypeAlias = Any
"""What `json` reads and writes."""
Scale: TypeAlias = Literal["quick", "full"]
Verdict: TypeAlias = Literal["agrees", "better", "worse", "differs", "ours alone"]


@dataclass(frozen=True)
class Row:
    """One figure, ours beside the paper's."""

    measure: str
    """What was measured, in words a reader of the paper knows: `won against smart random after 2,000 games`."""
    paper: float | None
    """The paper's figure; None where it has none."""
    ours: float
    ci95: tuple[float, float] | None
    """95 % interval of ours; None for an exact figure, or one that was measured once, such as a time."""
    seeds: int
    """Independent training runs behind it; 0 where nothing was trained."""
    verdict: Verdict
    where: str = ""
    """Where the paper says so: `table 1`, `figure 3`."""
    unit: str = "share"
    """`share` is shown in percent; anything else follows the number: `moves`, `games/s`."""


def verdict(
    paper: float | None, ours: float, ci95: tuple[float, float] | None, *, more_is_better: bool | None = True
) -> Verdict:
    """`agrees` if the paper's figure lies in our interval, else better or worse, whichever way is good, if one is."""
    if paper is None:
        return "ours alone"
    low, high = ci95 or (ours, ours)
    if low <= paper <= high:
        return "agrees"
    if more_is_better is None:
        return "differs"
    return "better" if (ours > paper) == more_is_better else "worse"


@dataclass(frozen=True)
class Table:
    """A table to be read."""

    name: str
    """Of its files: `table-1`."""
    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str | float | int | None]]


@dataclass(frozen=True)
class Series:
    """One line of a figure."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    """The lower and upper edge of its band."""
    high: Sequence[float] | None = None
    paper: bool = False
    """Whether these are the paper's numbers, which are drawn apart."""


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    x: str
    y: str
    series: Sequence[Series]
    lines: Mapping[str, float] = field(default_factory=dict)
    """Levels to compare with, by label: perfect play, the paper's final figure."""


@dataclass(frozen=True)
class Figure:
    """Panels side by side."""

    name: str
    """Of its files: `figure-3`."""
    title: str
    panels: Sequence[Panel]


@dataclass(frozen=True)
class Results:
    """What came out."""

    rows: Sequence[Row]
    tables: Sequence[Table]
    figures: Sequence[Figure]
    findings: Sequence[str]
    """What a reader should take away, each a sentence or two."""
    deviations: Sequence[str]
    """Where we did not do what the paper did, or it did not say, and why."""


class Workshop(Protocol):
    """Where a reproduction works: its scale and seeds, its folder, its progress."""

    scale: Scale
    seeds: int
    """Independent training runs of each experiment; set by the person or the paper's `usual_seeds`."""

    def part(self, name: str, settings: Mapping[str, JSON], compute: Callable[[], JSON]) -> JSON:
        """`compute()`, kept under `name`: asked again with equal settings, also in a later run, it is only read.

        So an interrupted reproduction goes on where it was.
        """

    def folder(self, name: str) -> Any:
        """A folder (`Path`) for a training run of this reproduction, kept between runs."""

    def progress(self, what: str, share: float) -> None:
        """Show how far a piece of work has come, 0 to 1."""


class Part(NamedTuple):
    """Something that can be computed apart from the rest of a paper, in a process of its own."""

    compute: Callable[[], JSON]
    """Asks the workshop for it, which keeps it."""
    after: tuple[str, ...] = ()
    """Names of parts that must be there before."""
    on_cores: bool = False
    """Whether an accelerator is of little use to it: one game at a time, or more to compile than to compute."""


class Paper(ABC):
    """One paper and our reproduction of it."""

    name: ClassVar[str]
    """What a person types: `chung-toi`."""
    title: ClassVar[str]
    reference: ClassVar[str]
    """Authors, year, where it appeared."""
    usual_seeds: ClassVar[Mapping[Scale, int]]

    def parts(self, shop: Workshop) -> Mapping[str, Part]:
        """Parts of `run` that can be computed side by side, by name, the longest first; none unless a paper says so."""
        return {}

    @abstractmethod
    def run(self, shop: Workshop) -> Results:
        """All experiments at the workshop's scale. Reads like the paper: experiment by experiment."""
