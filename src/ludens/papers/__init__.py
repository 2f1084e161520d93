"""One file per paper: its numbers beside ours. Adding one is one file and one line here."""

from ludens.papers.chung_toi import ChungToiPaper
from ludens.papers.okey import OkeyPaper
from ludens.papers.onitama import OnitamaPaper
from ludens.papers.othello import OthelloPaper
from ludens.papers.paper import Paper
from ludens.papers.ur import UrPaper

_ALL: tuple[type[Paper], ...] = (ChungToiPaper, UrPaper, OthelloPaper, OnitamaPaper, OkeyPaper)
PAPERS: dict[str, type[Paper]] = {paper.name: paper for paper in _ALL}
