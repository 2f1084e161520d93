"""Two files a paper: its numbers and plans, and its report. Adding one is these two files and one line here."""

from ludens.papers.chung_toi_report import ChungToiPaper
from ludens.papers.experiment import Paper
from ludens.papers.okey_report import OkeyPaper
from ludens.papers.onitama_report import OnitamaPaper
from ludens.papers.othello_report import OthelloPaper
from ludens.papers.ur_report import UrPaper

_ALL: tuple[type[Paper], ...] = (ChungToiPaper, UrPaper, OthelloPaper, OnitamaPaper, OkeyPaper)
PAPERS: dict[str, type[Paper]] = {paper.name: paper for paper in _ALL}
