"""The players, and the text that names one: `random`, `alphabeta:4:positional`. One file and one line add another."""

from typing import Any

from ludens.core.agent_files import resolve
from ludens.core.game import Game, S, variant
from ludens.core.player import Player
from ludens.oracles import oracle_for
from ludens.oracles.store import untold
from ludens.players.alpha_beta import AlphaBeta
from ludens.players.evaluators import EVALUATORS
from ludens.players.expectimax import Expectimax
from ludens.players.learned import learned
from ludens.players.mcts import MCTS
from ludens.players.okey import OkeyGreedy, Thesis
from ludens.players.optimal import Optimal
from ludens.players.simple import Greedy, Random, SmartRandom
from ludens.players.timed import TimedAlphaBeta, is_time
from ludens.players.timed_mcts import TimedMCTS

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
TIMED: dict[str, type[Player[Any]]] = {"alphabeta": TimedAlphaBeta, "mcts": TimedMCTS}
"""Who thinks for a time, if the word after the name is one: `alphabeta:1s`."""
FORMULAS = ("positional", "mobility", "material")
"""Evaluators that also play under their own name, as in their papers: `positional` is `greedy:positional`."""


def player(spec: str, game: Game[S], *, on_host: bool = False) -> Player[S]:
    """Whoever `spec` names, ready to play `game`; ValueError says what was expected.

    Only where players are asked on the host may they be such as decide by the clock.
    """
    name, *options = resolve(spec, game.id, variant(game)).split(":")
    if name == "run":
        return learned(":".join(options), game)
    kind = _named(name, game)
    if kind is None:
        if name == "optimal" and oracle_for(game) is not None:
            raise ValueError(f"'{spec}' cannot play yet: {untold(game)}")
        expected = f"expected one of {', '.join(names_for(game))}"
        if name in PLAYERS or name in FORMULAS:
            raise ValueError(f"'{spec}' cannot play {game.id}: {expected}")
        raise ValueError(f"unknown player '{spec}': {expected}, an agent's name, or run:FOLDER")
    if name in TIMED and options and is_time(options[0]):
        kind = TIMED[name]
    if not (kind.compiled or on_host):
        raise ValueError(f"'{spec}' decides by the clock: expected a player that can be compiled, such as {name}:4")
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
