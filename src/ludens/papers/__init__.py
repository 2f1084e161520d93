"""One file per paper: its numbers beside ours. Adding one is one file and one line here."""

from ludens.papers.chung_toi import ChungToiPaper
from ludens.papers.paper import Paper

PAPERS: dict[str, type[Paper]] = {paper.name: paper for paper in (ChungToiPaper,)}
