"""What the docs name exists: source files by the end of their path, modules by their dots."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
ROOMS = ("src", "tests", "benchmarks", "examples")
SOURCES = [f"/{path.relative_to(ROOT)}" for room in ROOMS for path in (ROOT / room).rglob("*.*")]
TO_BE_WRITTEN = re.compile(r"^## The file: .*$", re.MULTILINE)
"""The heading of a file that the page asks its reader to write."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_file_and_module_that_a_page_names_exists(page: Path) -> None:
    text = TO_BE_WRITTEN.sub("", page.read_text(encoding="utf-8"))
    files = {name for name in re.findall(r"`([\w/.-]+\.(?:py|js|css))`", text) if not re.search("[A-Z]{4}", name)}
    assert not {name for name in files if not any(source.endswith(f"/{name}") for source in SOURCES)}
    for module in re.findall(r"`ludens\.([a-z_.]+)`", text):
        parts = module.split(".")
        homes = ["/".join(parts), "/".join(parts[:-1])]  # the last may be a name in a module
        assert any((ROOT / "src" / "ludens" / f"{home}{end}").exists() for home in homes for end in (".py", "")), module
