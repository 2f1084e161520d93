"""The papers' results on the page: what `ludens reproduce` wrote, as it stands in the file.

Results are looked for where the settings say, as `NAME/results.json` or `NAME.json`; the first found of a paper counts,
so what somebody reproduced here comes before what was published.
"""

import json
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from ludens.web.server.schemas import REFUSALS, UnknownError, checked_name

FORMAT = 1
"""Of the files that the page can show."""
NEEDED = {"paper": str, "title": str, "scale": str, "date": str, "rows": list, "tables": list, "figures": list}


class PaperState(BaseModel):
    """A paper of which there are results."""

    name: str
    title: str
    reference: str
    scale: str
    date: str
    seeds: int
    verdicts: dict[str, int]
    """How often our figures agree with the paper's, are better, worse, differ or stand alone."""


def routes(folders: tuple[Path, ...]) -> APIRouter:
    """Which papers have results in the folders, and the results of each."""
    router = APIRouter(prefix="/api/papers", tags=["papers"], responses=REFUSALS)

    @router.get("")
    def list_papers() -> list[PaperState]:
        """Papers with results, by name."""
        return [_summary(name, made) for name, made in sorted(_found(folders).items())]

    @router.get("/{name}")
    def get_paper(name: str) -> dict[str, Any]:
        """The results of a paper as `results.json` has them."""
        made = _found(folders, checked_name(name, "paper"))
        if name not in made:
            raise UnknownError(f"there are no results of a paper '{name}': expected one of those listed")
        return made[name]

    return router


def _found(folders: tuple[Path, ...], name: str = "*") -> dict[str, dict[str, Any]]:
    """Results by the paper's name."""
    found: dict[str, dict[str, Any]] = {}
    for folder in folders:
        for path in (*sorted(folder.glob(f"{name}/results.json")), *sorted(folder.glob(f"{name}.json"))):
            if (made := _read(path)) is not None:
                found.setdefault(made["paper"], made)
    return found


def _read(path: Path) -> dict[str, Any] | None:
    """The results in a file; None if it holds something else, or is being written."""
    try:
        made = json.loads(path.read_bytes(), parse_constant=lambda _: None)  # JSON in browsers has no NaN
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(made, dict) or made.get("format") != FORMAT:
        return None
    return made if all(isinstance(made.get(key), kind) for key, kind in NEEDED.items()) else None


def _summary(name: str, made: dict[str, Any]) -> PaperState:
    verdicts = [row["verdict"] for row in made["rows"] if isinstance(row, dict) and isinstance(row.get("verdict"), str)]
    return PaperState(
        name=name,
        title=made["title"],
        reference=str(made.get("reference", "")),
        scale=made["scale"],
        date=made["date"],
        seeds=int(made.get("seeds", 0)),
        verdicts={verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)},
    )
