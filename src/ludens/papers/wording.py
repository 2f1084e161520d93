"""How numbers and verdicts are written, the same in terminals, tables and pages."""

import math
from collections import Counter
from collections.abc import Iterable

from ludens.papers.paper import Row, Scale, Verdict
from ludens.papers.reproduction import Reproduction

NOTHING = "–"
"""Stands where there is no figure."""
HEADS = ("measure", "paper", "ours", "95 % interval", "seeds", "verdict", "in the paper")
VERDICTS: dict[Verdict, str] = {
    "agrees": "the paper's figure lies in our interval",
    "better": "ours is better than the paper's figure, which lies outside our interval",
    "worse": "ours is worse than the paper's figure, which lies outside our interval",
    "differs": "the paper's figure lies outside our interval, and neither way is better",
    "ours alone": "the paper has no such figure",
}


def row_cells(row: Row) -> list[str]:
    """A row under `HEADS`."""
    paper = NOTHING if row.paper is None else amount(row.paper, row.unit, shortest=True)
    seeds = f"{row.seeds:,}" if row.seeds else NOTHING
    return [row.measure, paper, amount(row.ours, row.unit), interval(row), seeds, row.verdict, row.where or NOTHING]


def interval(row: Row) -> str:
    """The 95 % interval: `88.9 to 90.3 %`."""
    if row.ci95 is None:
        return "–"
    low, high = row.ci95
    if row.unit == "share":
        return f"{percent(low)} to {percent(high)} %"
    return f"{number(low)} to {number(high)}"


def amount(value: float, unit: str, *, shortest: bool = False) -> str:
    """A figure with its unit: `89.6 %`, `1,532 games/s`."""
    if unit == "share":
        digits = percent(value)
        return f"{digits.removesuffix('.0') if shortest else digits} %"
    return f"{number(value)} {unit}".rstrip()


def percent(share: float) -> str:
    """A share in percent, with one digit after the point; with more where it would look like all or nothing."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}"
    digits = 1
    while digits < 4 and float(f"{100 * share:.{digits}f}") in (0.0, 100.0):
        digits += 1
    return _minus(f"{100 * share:.{digits}f}")


def number(value: float) -> str:
    """Four digits that count, thousands set apart."""
    if not math.isfinite(value):
        return NOTHING
    if value == int(value) or abs(value) >= 1000:
        return _minus(f"{value:,.0f}")
    return _minus(f"{value:.4g}")


def cell(value: str | float | None) -> str:
    """A cell of a table."""
    if value is None:
        return NOTHING
    return " ".join(value.split()) if isinstance(value, str) else number(value)


def duration(seconds: float) -> str:
    """As people say it: `48 s`, `12 min`, `2 h 5 min`."""
    if seconds < 99.5:
        return f"{seconds:.0f} s" if seconds >= 9.5 else f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def count_of_verdicts(rows: Iterable[Row]) -> str:
    """`agrees 2, better 1, worse 1, differs 1, ours alone 3`."""
    counts = Counter(row.verdict for row in rows)
    return ", ".join(f"{each} {counts[each]}" for each in VERDICTS if counts[each])


def reduced(paper: str, scale: Scale) -> str:
    """What has to be said where results are not at the paper's scale; nothing where they are."""
    if scale == "full":
        return ""
    return (
        "Reduced scale: `--quick` trains and plays less than the paper did, so its figures say little about the paper. "
        f"The paper's scale is `ludens reproduce {paper} --full`."
    )


def provenance_lines(made: Reproduction) -> dict[str, str]:
    """Where the results come from, by head."""
    return {
        "command": made.command,
        "scale": "the paper's (full)" if made.scale == "full" else "reduced (quick)",
        "seeds": f"{made.seeds:,}",
        "device": "; ".join(dict.fromkeys(str(device) for device in made.devices)),
        "time": time_of_parts(made),
        "commit": ", ".join(_short(each) for each in made.commits),
        "date": made.date,
        "versions": ", ".join(f"{name} {version}" for name, version in made.versions.items()),
    }


def time_of_parts(made: Reproduction) -> str:
    """How long they took, one by one: by the clock it may be less if several are computed at once."""
    return f"{duration(made.seconds)}, all parts added up"


def _short(commit: str | None) -> str:
    return "unknown" if commit is None else commit[:12] + "-dirty" * commit.endswith("-dirty")


def _minus(text: str) -> str:
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")
