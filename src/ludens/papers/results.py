"""What a reproduction is made of: rows that set our figure beside the paper's, tables, figures as plain data.

`results.json` holds a `Reproduction`: the results, and where they came from. So tables, figures and pages can be drawn
again without training again.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from ludens.arena.statistics import wilson
from ludens.papers.codec import JSON, SPARSE, decode, encode, format_json
from ludens.papers.provenance import Device

FORMAT = 1
"""Goes up whenever a file would be read differently."""
NAME = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*")
"""What names files: `figure-3`."""
Scale: TypeAlias = Literal["quick", "full"]
Interval: TypeAlias = tuple[float, float]
Verdict: TypeAlias = Literal["agrees", "better", "worse", "differs", "cannot tell", "ours alone"]
Better: TypeAlias = Literal["more", "less"] | None
"""Which way a figure should go; None where neither is good."""
TOO_WIDE_SHARE, TOO_WIDE_ELO = 0.5, 200.0
"""An interval of ours that is wider holds nearly anything, so that its overlap with the paper's says nothing."""


class Estimate(NamedTuple):
    """A figure with its 95 % interval."""

    value: float
    ci95: Interval | None = None
    """None for an exact figure, or one that was measured once, such as a time."""


@dataclass(frozen=True)
class Row:
    """One figure, ours beside the paper's."""

    measure: str
    """What was measured, in words a reader of the paper knows: `won against smart random after 2,000 games`."""
    paper: float | None
    """The paper's figure; None where it has none."""
    ours: float
    ci95: Interval | None
    """95 % interval of ours; None for an exact figure, or one that was measured once, such as a time."""
    seeds: int
    """Independent training runs behind it; 0 where nothing was trained."""
    verdict: Verdict
    where: str = ""
    """Where the paper says so: `table 1`, `figure 3`."""
    unit: str = "share"
    """`share` is shown in percent; anything else follows the number: `moves`, `games/s`."""
    paper_ci95: Interval | None = field(default=None, metadata=SPARSE)
    """95 % interval of the paper's figure, by the number of games it rests on; None where the paper does not say."""

    @classmethod
    def compare(
        cls,
        measure: str,
        ours: Estimate,
        seeds: int,
        paper: float | None = None,
        where: str = "",
        *,
        unit: str = "share",
        better: Better = "more",
        paper_games: int | None = None,
        paper_ci95: Interval | None = None,
        too_wide: float | None = None,
    ) -> "Row":
        """A row with its verdict. `paper_games` are those that a share of the paper's was measured in."""
        if paper is not None and paper_games is not None:
            paper_ci95 = wilson(paper * paper_games, paper_games)
        if too_wide is None and unit == "share":
            too_wide = TOO_WIDE_SHARE
        found = verdict(paper, *ours, better=better, paper_ci95=paper_ci95, too_wide=too_wide or math.inf)
        return cls(measure, paper, ours.value, ours.ci95, seeds, found, where, unit, paper_ci95)


def verdict(
    paper: float | None,
    ours: float,
    ci95: Interval | None,
    *,
    better: Better = "more",
    paper_ci95: Interval | None = None,
    too_wide: float = math.inf,
) -> Verdict:
    """Whether our interval and the paper's overlap; if not, whether ours is better or worse, or neither.

    A figure without an interval is its own. Where they overlap and ours is wider than `too_wide`, nobody can tell.
    """
    if paper is None:
        return "ours alone"
    low, high = ci95 or (ours, ours)
    paper_low, paper_high = paper_ci95 or (paper, paper)
    if low <= paper_high and paper_low <= high:
        return "cannot tell" if high - low > too_wide else "agrees"
    if better is None:
        return "differs"
    return "better" if (ours > paper) == (better == "more") else "worse"


@dataclass(frozen=True)
class ReportTable:
    name: str
    """Of its files: `table-1`."""
    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str | float | int | None]]


@dataclass(frozen=True)
class Series:
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
    title: str
    x: str
    y: str
    series: Sequence[Series]
    lines: Mapping[str, float] = field(default_factory=dict)
    """Levels to compare with, by label: perfect play, the paper's final figure."""


@dataclass(frozen=True)
class Figure:
    name: str
    """Of its files: `figure-3`."""
    title: str
    panels: Sequence[Panel]


@dataclass(frozen=True)
class Results:
    rows: Sequence[Row]
    tables: Sequence[ReportTable]
    figures: Sequence[Figure]
    findings: Sequence[str]
    """What a reader should take away, each a sentence or two."""
    deviations: Sequence[str]
    """Where we did not do what the paper did, or it did not say, and why."""


@dataclass(frozen=True)
class Work:
    """Parts that were computed in the same place with the same sources."""

    device: Device
    commit: str | None
    parts: int
    seconds: float


@dataclass(frozen=True)
class Reproduction:
    """One paper's results and their provenance. Checked when made: ValueError says what cannot be."""

    paper: str
    title: str
    reference: str
    scale: Scale
    command: str
    """What gives these results again."""
    date: str
    seeds: int
    versions: Mapping[str, str]
    device: Device
    """Where the command ran. Parts may have been computed elsewhere: see `work`."""
    commit: str | None
    seconds: float
    """What it took in all, parts included that an earlier, interrupted command had computed."""
    work: Sequence[Work]
    """Where its parts were computed."""
    results: Results

    def __post_init__(self) -> None:
        _check_names("paper", [self.paper])
        check(self.results)

    @property
    def devices(self) -> list[Device]:
        """Wherever something was computed."""
        return list(dict.fromkeys(each.device for each in self.work)) or [self.device]

    @property
    def commits(self) -> list[str | None]:
        """Whatever sources something was computed with, the command's own last."""
        return list(dict.fromkeys([each.commit for each in self.work if each.commit != self.commit] + [self.commit]))

    def to_dict(self) -> dict[str, JSON]:
        """As JSON has it: the results stand beside their provenance."""
        facts = encode(self)
        outcome = facts.pop("results")
        return {"format": FORMAT, **facts, **outcome}

    def to_json(self) -> str:
        """The text of `results.json`."""
        return format_json(self.to_dict()) + "\n"

    @classmethod
    def from_dict(cls, facts: JSON) -> "Reproduction":
        """The reproduction that `to_dict` wrote down; ValueError if it is anything else."""
        if not isinstance(facts, dict) or "format" not in facts:
            raise ValueError("it has no 'format'")
        if facts["format"] != FORMAT:
            raise ValueError(f"its format is {facts['format']!r} where {FORMAT} should stand")
        names = {field.name for field in fields(Results)}
        outcome = decode(Results, {name: each for name, each in facts.items() if name in names})
        others = {name: each for name, each in facts.items() if name not in names and name != "format"}
        return decode(cls, others | {"results": outcome})  # type: ignore[no-any-return]  # it gives what it is asked for

    @classmethod
    def load(cls, path: Path) -> "Reproduction":
        """From a file; one sentence (ValueError) if it cannot be read or is not ours."""
        try:
            return cls.from_dict(json.loads(path.read_bytes()))
        except OSError as error:
            raise ValueError(f"{path} cannot be read ({error.strerror}): expected results of a reproduction") from None
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise ValueError(f"{path} is not JSON, or not all of it: expected results of a reproduction") from None
        except (ValueError, OverflowError, RecursionError) as error:
            raise ValueError(f"{path} holds no results of a reproduction: {error}") from None


def check(results: Results) -> None:
    """ValueError about the first thing that could not be shown."""
    _check_names("table", [table.name for table in results.tables])
    _check_names("figure", [figure.name for figure in results.figures])
    for row in results.rows:
        _check_row(row)
    for table in results.tables:
        if any(len(cells) != len(table.heads) for cells in table.rows):
            raise ValueError(f"table '{table.name}' has a row that is not as long as its heads")
    for figure in results.figures:
        if not figure.panels:
            raise ValueError(f"figure '{figure.name}' has no panel")
        if not all(math.isfinite(level) for panel in figure.panels for level in panel.lines.values()):
            raise ValueError(f"figure '{figure.name}' has a level that is not finite")
        for series in (series for panel in figure.panels for series in panel.series):
            if (series.low is None) != (series.high is None):
                raise ValueError(f"'{series.label}' in figure '{figure.name}' has half a band")
            edges = [edge for edge in (series.y, series.low, series.high) if edge is not None]
            if any(len(edge) != len(series.x) for edge in edges):
                raise ValueError(f"'{series.label}' in figure '{figure.name}' has more of x than of y, or less")


def _check_row(row: Row) -> None:
    intervals = [each for each in (row.ci95, row.paper_ci95) if each is not None]
    numbers = [row.ours, *(end for each in intervals for end in each), *([] if row.paper is None else [row.paper])]
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError(f"row '{row.measure}' has a number that is not finite")
    if any(low > high for low, high in intervals):
        raise ValueError(f"row '{row.measure}' has an interval that ends before it begins")


def _check_names(what: str, names: Iterable[str]) -> None:
    """They become names of files, so a stranger's must not lead elsewhere, and none may hide another."""
    seen: set[str] = set()
    for name in names:
        if not NAME.fullmatch(name):
            raise ValueError(f"{what} '{name}' has a name that no file should have")
        if name in seen or (what == "table" and name == "rows"):
            raise ValueError(f"{what} '{name}' has a name that is taken")
        seen.add(name)
