"""The four ways in docs/architecture.md: every file is there, and none is longer than fifteen files."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONGEST = 15


def test_no_way_through_the_house_passes_more_than_fifteen_files() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.partition("## Four ways through the house")[2].partition("\n## ")[0]
    ways = [re.findall(r"^(\d+)\. `([\w/.]+)`", way, re.MULTILINE) for way in section.split("\n**")[1:]]
    assert len(ways) == 4
    for way in ways:
        assert [int(number) for number, _ in way] == list(range(1, len(way) + 1))
        assert 8 < len(way) <= LONGEST
        assert len({file for _, file in way}) == len(way)
        assert all((ROOT / "src" / "ludens" / file).is_file() for _, file in way)
