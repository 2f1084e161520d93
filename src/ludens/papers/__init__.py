"""One file per paper: its numbers beside ours. Adding one is one file and one line here."""

from ludens.papers.chung_toi import ChungToiPaper
from ludens.papers.othello import OthelloPaper
from ludens.papers.paper import Paper
from ludens.papers.ur import UrPaper

PAPERS: dict[str, type[Paper]] = {paper.name: paper for paper in (ChungToiPaper, UrPaper, OthelloPaper)}
