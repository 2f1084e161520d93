"""Results of papers over HTTP: what stands in the files, and nothing else."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from ludens.web.server.routes.papers import routes

DOCS = Path(__file__).parents[2] / "docs" / "papers"


def ask(folders: tuple[Path, ...], name: str | None = None) -> Any:
    """What the routes answer, asked without a server."""
    path = "/api/papers" if name is None else "/api/papers/{name}"
    (route,) = (each for each in routes(folders).routes if getattr(each, "path", None) == path)
    endpoint: Any = route.endpoint  # type: ignore[attr-defined]  # every route of ours has one
    return endpoint() if name is None else endpoint(name)


def test_published_results_come_as_they_are() -> None:
    folders = (DOCS,)
    names = sorted(path.stem for path in DOCS.glob("*.json"))
    assert [each.name for each in ask(folders)] == names
    for name in names:
        assert ask(folders, name) == json.loads((DOCS / f"{name}.json").read_bytes())


def test_own_results_come_before_published_ones(tmp_path: Path) -> None:
    made = json.loads((DOCS / "ur.json").read_bytes()) | {"scale": "quick", "seeds": 1}
    (tmp_path / "ur").mkdir()
    (tmp_path / "ur" / "results.json").write_text(json.dumps(made))
    folders = (tmp_path, DOCS)
    (ur,) = (each for each in ask(folders) if each.name == "ur")
    assert (ur.scale, ur.seeds) == ("quick", 1)
    assert sum(ur.verdicts.values()) == len(made["rows"])
    assert ask(folders, "ur")["scale"] == "quick"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"format": 1}', '{"format": 2, "paper": "ur"}', "[" * 100_000, "\udcff"]
)
def test_files_that_hold_something_else_are_left_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.json").write_bytes(text.encode(errors="surrogateescape"))
    assert ask((tmp_path,)) == []


def test_what_browsers_cannot_read_is_null(tmp_path: Path) -> None:
    made = json.loads((DOCS / "ur.json").read_bytes())
    made["figures"][0]["panels"][0]["series"][0]["y"][0] = float("nan")
    (tmp_path / "ur.json").write_text(json.dumps(made))
    assert ask((tmp_path,), "ur")["figures"][0]["panels"][0]["series"][0]["y"][0] is None


@pytest.mark.parametrize(
    ("name", "status"),
    [("none", 404), (".ur", 422), ("..%2F..%2Fdocs%2Fpapers%2Fur", 404), ("..%5Cur", 422), ("ur%00", 422), ("*", 422)],
)
def test_no_name_leads_elsewhere(http: httpx.Client, name: str, status: int) -> None:
    answer = http.get(f"/api/papers/{name}")
    assert answer.status_code == status
    assert "expected" in answer.json()["detail"]
