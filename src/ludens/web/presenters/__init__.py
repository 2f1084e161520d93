"""The presenters, one file for each game. A game without one cannot be shown on the page."""

from importlib import import_module

from ludens.web.presenter import Presenter

PRESENTERS = {
    "othello": "ludens.web.presenters.othello:OthelloPresenter",
    "chung-toi": "ludens.web.presenters.chung_toi:ChungToiPresenter",
    "ur": "ludens.web.presenters.ur:UrPresenter",
    "onitama": "ludens.web.presenters.onitama:OnitamaPresenter",
    "okey": "ludens.web.presenters.okey:OkeyPresenter",
}
"""By the game's id; imported when asked for."""


def presenter(game: str) -> Presenter:
    """Who shows `game`."""
    module, _, name = PRESENTERS[game].partition(":")
    kind: type[Presenter] = getattr(import_module(module), name)
    return kind()
