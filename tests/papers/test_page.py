"""The report: one page that needs nothing else, shows everything, and takes all text as text."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens.papers import page
from ludens.papers.paper import Results, Row, Table
from ludens.papers.wording import VERDICTS
from papers.test_reproduction import reproduction

VOID = {"meta", "path", "circle", "use", "br", "rect"}


class Outline(HTMLParser):
    """Tags that close as they opened, ids, links, classes, and the visible text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.tags = list[str](), list[str]()
        self.ids, self.links, self.chips = list[str](), list[str](), list[str]()
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.ids += [str(found["id"])] if "id" in found else []
        self.links += [str(found[name]) for name in ("href", "src", "xlink:href") if name in found]
        if "chip" in str(found.get("class")).split():
            self.chips.append(str(found["class"]).removeprefix("chip "))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


@pytest.fixture(scope="module")
def made() -> str:
    return page.page([reproduction(scale="quick"), reproduction(paper="second", title="Second")])


@pytest.fixture(scope="module")
def outline(made: str) -> Outline:
    return Outline(made)


def test_it_needs_nothing_from_elsewhere(made: str, outline: Outline) -> None:
    assert all(link.startswith("#") for link in outline.links)
    assert not {"script", "img", "link", "iframe", "image"} & set(outline.tags)
    assert "@import" not in made
    assert re.findall(r"url\((?!#)", made) == []
    assert "default-src 'none'" in made


def test_ids_are_there_once_and_links_lead_to_them(outline: Outline) -> None:
    assert len(outline.ids) == len(set(outline.ids))
    assert {link[1:] for link in outline.links} <= set(outline.ids)
    assert {"fake-game", "second"} <= set(outline.ids)


def test_colours_of_figures_follow_light_and_dark(made: str) -> None:
    drawings = re.findall(r'<svg [^>]*class="figure".*?</svg>', made, re.DOTALL)
    assert len(drawings) == 4
    assert re.findall(r"#[0-9a-fA-F]{6}\b", "".join(drawings)) == []
    used = set(re.findall(r"var\(--([a-z0-9-]+)\)", made))
    assert {"series-0", "ground", "ink"} <= used
    light, dark = made.split("@media (prefers-color-scheme: dark)", 1)
    for name in used:
        assert f"--{name}:" in light or f"--{name}:" in made
        assert made.count(f"--{name}:") == 2, name  # once for light, once for dark
    assert dark


def test_everything_is_shown(outline: Outline) -> None:
    words = " ".join(outline.text.split())
    facts = reproduction()
    for row in facts.results.rows:
        assert row.measure in words
    for text in ["89.5 to", "90 %", "15,327 games/s", "12 moves", *VERDICTS.values(), facts.reference, facts.date]:
        assert text.replace("89.5 to", "88.9 to") in words, text
    assert words.count(facts.command) >= 4  # beside the rows and in the provenance of both
    assert "NVIDIA H200" in words
    assert "jax 0.10.2" in words
    assert "The paper does not state alpha_0 * 2; we use 0.1." in words
    assert "1. a & b <i>not italic</i>" in words
    assert outline.tags.count("caption") == 1 + 2 * 2
    assert outline.tags.count("figcaption") == 4
    assert outline.chips[:5] == ["agrees", "better", "differs", "ours-alone", "ours-alone"]


def test_a_reduced_scale_is_said_only_where_it_is(made: str) -> None:
    first, second = made.split('<article id="second">')
    assert first.count('class="banner"') == 1
    assert "Reduced scale" in first
    assert "banner" not in second.split("</article>")[0]


NASTY = st.text(st.sampled_from(list("<>&\"'`/=ab -!")), max_size=20)


@settings(max_examples=40)
@given(NASTY, NASTY)
def test_all_text_is_escaped(one: str, other: str) -> None:
    rows = [Row(one, None, 0.5, None, 1, "ours alone", other, other)]
    outcome = Results(rows, [Table("t", one, [one, other], [[other, one]])], [], [one], [other])
    safe = Outline(page.page([reproduction(Results([], [], [], [], []))]))
    seen = Outline(page.page([reproduction(outcome, title=one, reference=other, command=one, versions={one: other})]))
    allowed = {*safe.tags, "code", "ul", "li", "section", "h3", "strong", "td"}
    assert set(seen.tags) <= allowed
    words, plain = "".join(seen.text.split()), "".join(one.split())
    assert plain.replace("`", "") in words.replace("`", "")


def test_collect_leaves_out_what_is_not_ours_and_says_so(tmp_path: Path) -> None:
    for name, text in [("b", reproduction(paper="b").to_json()), ("a", reproduction(paper="a").to_json()), ("x", "{}")]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text(text)
    made, left_out = page.collect(tmp_path)
    assert [each.paper for each in made] == ["a", "b"]
    (sentence,) = left_out
    assert "left out of the report" in sentence
    assert str(tmp_path / "x" / "results.json") in sentence
