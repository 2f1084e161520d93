"""The glossary speaks of what exists: each of our words occurs in the file named beside it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = re.findall(r"^\| (.+?) \| (.+?) \| `(.+\.py)` \|$", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)


def test_it_has_enough_terms_and_none_twice() -> None:
    terms = [ours for ours, _, _ in ROWS]
    assert 20 <= len(terms) <= 40
    assert len(set(terms)) == len(terms)


@pytest.mark.parametrize(("ours", "file"), [(ours, file) for ours, _, file in ROWS])
def test_a_term_occurs_where_the_glossary_says(ours: str, file: str) -> None:
    source = (ROOT / "src" / "ludens" / file).read_text()
    for word in re.findall(r"`(\w+)`", ours) or [ours]:
        assert re.search(rf"\b{word}\b", source, re.IGNORECASE), f"{word} is not in {file}"
