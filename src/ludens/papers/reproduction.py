"""A finished reproduction: what came out, and where it came from. `results.json` holds one."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from ludens.papers.paper import JSON, Results, Row, Scale
from ludens.papers.plain import laid_out, plain, read
from ludens.papers.provenance import Device

FORMAT = 1
"""Goes up whenever a file would be read differently."""
NAME = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*")
"""What names files: `figure-3`."""


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
        _check(self.results)

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
        facts = plain(self)
        outcome = facts.pop("results")
        return {"format": FORMAT, **facts, **outcome}

    def to_json(self) -> str:
        """The text of `results.json`."""
        return laid_out(self.to_dict()) + "\n"

    @classmethod
    def from_dict(cls, facts: JSON) -> "Reproduction":
        """The reproduction that `to_dict` wrote down; ValueError if it is anything else."""
        if not isinstance(facts, dict) or "format" not in facts:
            raise ValueError("it has no 'format'")
        if facts["format"] != FORMAT:
            raise ValueError(f"its format is {facts['format']!r} where {FORMAT} should stand")
        names = {field.name for field in fields(Results)}
        outcome = read(Results, {name: each for name, each in facts.items() if name in names})
        others = {name: each for name, each in facts.items() if name not in names and name != "format"}
        return read(cls, others | {"results": outcome})  # type: ignore[no-any-return]  # `read` gives what it is asked for

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


def _check(results: Results) -> None:
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
    numbers = [row.ours, *(row.ci95 or ()), *([] if row.paper is None else [row.paper])]
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError(f"row '{row.measure}' has a number that is not finite")
    if row.ci95 is not None and row.ci95[0] > row.ci95[1]:
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
