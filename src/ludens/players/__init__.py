"""The players, and the text that names one: `random`, `alphabeta:4:positional`. One file and one line add another."""

from typing import Any

from ludens.core.agent_files import resolve
from ludens.core.game import Game, S, variant
from ludens.core.player import Player
from ludens.players.alpha_beta import AlphaBeta
from ludens.players.evaluators import EVALUATORS
from ludens.players.expectimax import Expectimax
from ludens.players.learned import learned
from ludens.players.mcts import MCTS
from ludens.players.okey import OkeyGreedy, Thesis
from ludens.players.optimal import Optimal
from ludens.players.simple import Greedy, Random, SmartRandom

PLAYERS: dict[str, type[Player[Any]]] = {
    "random": Random,
    "smart-random": SmartRandom,
    "greedy": Greedy,
    "thesis": Thesis,
    "okey-greedy": OkeyGreedy,
    "alphabeta": AlphaBeta,
    "expectimax": Expectimax,
    "mcts": MCTS,
    "optimal": Optimal,
}
FORMULAS = ("positional", "mobility", "material")
"""Evaluators that also play under their own name, as in their papers: `positional` is `greedy:positional`."""


def player(spec: str, game: Game[S]) -> Player[S]:
    """Whoever `spec` names, ready to play `game`; ValueError says what was expected."""
    name, *options = resolve(spec, game.id, variant(game)).split(":")
    if name == "run":
        return learned(":".join(options), game)
    kind = _named(name, game)
    if kind is None:
        expected = f"expected one of {', '.join(names_for(game))}"
        if name in PLAYERS or name in FORMULAS:
            raise ValueError(f"'{spec}' cannot play {game.id}: {expected}")
        raise ValueError(f"unknown player '{spec}': {expected}, an agent's name, or run:FOLDER")
    try:
        return kind.from_options(game, (name, *options) if name in FORMULAS else tuple(options))
    except ValueError as error:
        raise ValueError(f"'{spec}' names no player of {game.id}: {error}") from None


def names_for(game: Game[Any]) -> list[str]:
    """The names that specs for `game` begin with."""
    return [name for name in (*PLAYERS, *FORMULAS) if _named(name, game)]


def _named(name: str, game: Game[Any]) -> type[Player[Any]] | None:
    """Who plays `game` under a name, if anybody does."""
    if name in FORMULAS:
        return Greedy if game.id in EVALUATORS[name].games else None
    if name == "greedy" and OkeyGreedy.plays(game):
        return OkeyGreedy  # one act ahead there, too, but no evaluator sees only one's own tiles
    kind = PLAYERS.get(name)
    return kind if kind and kind.plays(game) else None
