"""How figures, verdicts and origins are written, the same in terminals, tables and pages."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ludens.core.tables import csv_table, markdown_table
from ludens.papers.results import Estimate, Interval, ReportTable, Reproduction, Row, Scale, Verdict

NOTHING = "–"
"""Stands where there is no figure."""
HEADS = ("measure", "paper", "ours", "95 % interval", "seeds", "verdict", "in the paper")
CSV_HEADS = (
    *("measure", "paper", "paper_low", "paper_high", "ours", "low", "high"),
    *("seeds", "verdict", "where", "unit", "command"),
)
VERDICTS: dict[Verdict, str] = {
    "agrees": "our interval overlaps the paper's, or holds its figure where that has none",
    "better": "the intervals lie apart, and ours is better",
    "worse": "the intervals lie apart, and ours is worse",
    "differs": "the intervals lie apart, and neither way is better",
    "cannot tell": "the intervals overlap, but ours is so wide that this says nothing",
    "ours alone": "the paper has no such figure",
}


# ---------------------------------------------------------------------- rows and tables


def row_cells(row: Row) -> list[str]:
    paper = NOTHING if row.paper is None else format_amount(row.paper, row.unit, shortest=True)
    if row.paper_ci95 is not None:
        paper += f" ({format_interval(row.paper_ci95, row.unit).removesuffix(' %')})"
    interval = NOTHING if row.ci95 is None else format_interval(row.ci95, row.unit)
    seeds = f"{row.seeds:,}" if row.seeds else NOTHING
    return [row.measure, paper, format_amount(row.ours, row.unit), interval, seeds, row.verdict, row.where or NOTHING]


def rows_markdown(rows: Iterable[Row]) -> str:
    return markdown_table(HEADS, [row_cells(row) for row in rows], [head in HEADS[1:5] for head in HEADS])


def rows_csv(rows: Iterable[Row], command: str) -> str:
    """The same for programs: shares from 0 to 1, every row with the command that gives it."""
    none = (None, None)
    lines = [
        [
            *(row.measure, row.paper, *(row.paper_ci95 or none), row.ours, *(row.ci95 or none)),
            *(row.seeds, row.verdict, row.where, row.unit, command),
        ]
        for row in rows
    ]
    return csv_table(CSV_HEADS, lines)


def table_markdown(table: ReportTable) -> str:
    cells = [[format_cell(each) for each in row] for row in table.rows]
    return markdown_table(table.heads, cells, numeric_columns(table))


def numeric_columns(table: ReportTable) -> list[bool]:
    """Which columns hold numbers: all but the first whose cells all begin with one, or are empty."""
    columns = [[format_cell(row[i]) for row in table.rows] for i in range(len(table.heads))]

    def numbers(cells: Sequence[str]) -> bool:
        filled = [cell for cell in cells if cell not in ("", NOTHING)]
        return bool(filled) and all(re.match(r"[−+(-]?\d", cell) for cell in filled)

    return [i > 0 and numbers(cells) for i, cells in enumerate(columns)]


# ---------------------------------------------------------------------- figures


def percent(share: float) -> str:
    """`5.9 %`; with more digits where it would look like all or nothing: `99.98 %`."""
    return f"{_percent(share)} %"


def with_interval(estimate: Estimate) -> str:
    """`5.9 (5.1 to 6.8)`, in percent."""
    value, ci95 = estimate
    return _percent(value) + (f" ({_percent(ci95[0])} to {_percent(ci95[1])})" if ci95 else "")


def format_interval(ci95: Interval, unit: str = "share") -> str:
    """`88.9 to 90.3 %`."""
    low, high = ci95
    if unit == "share":
        return f"{_percent(low)} to {_percent(high)} %"
    return f"{format_number(low)} to {format_number(high)}"


def format_spread(shares: Iterable[float]) -> str:
    """From the least to the most: `20.0 to 34.0 %`."""
    found = list(shares)
    return format_interval((min(found), max(found)))


def format_amount(value: float, unit: str = "share", *, shortest: bool = False) -> str:
    """A figure with its unit: `89.6 %`, `1,532 games/s`."""
    if unit == "share":
        return f"{_percent(value).removesuffix('.0')} %" if shortest else percent(value)
    return f"{format_number(value)} {unit}".rstrip()


def _percent(share: float) -> str:
    """A share in percent, with one digit after the point; with more where it would look like all or nothing."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}"
    digits = 1
    while digits < 4 and float(f"{100 * share:.{digits}f}") in (0.0, 100.0):
        digits += 1
    return _minus(f"{100 * share:.{digits}f}")


def format_number(value: float) -> str:
    """Four digits that count, thousands set apart."""
    if not math.isfinite(value):
        return NOTHING
    if value == int(value) or abs(value) >= 1000:
        return _minus(f"{value:,.0f}")
    return _minus(f"{value:.4g}")


def format_cell(value: str | float | None) -> str:
    if value is None:
        return NOTHING
    return " ".join(value.split()) if isinstance(value, str) else format_number(value)


def format_list(names: Sequence[str], nobody: str = "none") -> str:
    """`one, another and a third`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or nobody


def format_duration(seconds: float) -> str:
    """As people say it: `48 s`, `12 min`, `2 h 5 min`."""
    if seconds < 99.5:
        return f"{seconds:.0f} s" if seconds >= 9.5 else f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


# ---------------------------------------------------------------------- results as a whole


def format_verdicts(rows: Iterable[Row]) -> str:
    """`agrees 2, better 1, worse 1, differs 1, ours alone 3`."""
    counts = Counter(row.verdict for row in rows)
    return ", ".join(f"{each} {counts[each]}" for each in VERDICTS if counts[each])


def scale_warning(paper: str, scale: Scale) -> str:
    """What has to be said where results are not at the paper's scale; nothing where they are."""
    if scale == "full":
        return ""
    return (
        "Reduced scale: `--quick` trains and plays less than the paper did, so its figures say little about the paper. "
        f"The paper's scale is `ludens reproduce {paper} --full`."
    )


def format_time_of_parts(made: Reproduction) -> str:
    """How long they took, one by one: by the clock it may be less if several are computed at once."""
    return f"{format_duration(made.seconds)}, all parts added up"


def provenance_lines(made: Reproduction) -> dict[str, str]:
    return {
        "scale": "the paper's (full)" if made.scale == "full" else "reduced (quick)",
        "seeds": f"{made.seeds:,}",
        "device": "; ".join(dict.fromkeys(str(device) for device in made.devices)),
        "time": format_time_of_parts(made),
        "commit": ", ".join(_short(each) for each in made.commits),
        "date": made.date,
        "versions": ", ".join(f"{name} {version}" for name, version in made.versions.items()),
    }


def _short(commit: str | None) -> str:
    return "unknown" if commit is None else commit[:12] + "-dirty" * commit.endswith("-dirty")


def _minus(text: str) -> str:
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")
