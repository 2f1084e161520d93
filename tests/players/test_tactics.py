"""Wins and blocks against their definition, spelled out move by move with the rules of each game."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import Game
from ludens.games import make
from ludens.players.tactics import blocks, wins, wins_and_blocks
from players.positions import positions

GAMES = [
    make("othello", size=4),
    make("chung-toi", allow_pass=True),
    make("onitama"),
    make("ur", rules="paper", pieces=3),
    make("ur", rules="finkel", pieces=2),
]


class Rules:
    """A game's functions on single positions, compiled, with plain numbers as results."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self.apply, self.roll, self.facts = jax.jit(game.apply), jax.jit(game.roll), jax.jit(self._facts)

    def _facts(self, s: Any) -> Any:
        return self.game.legal(s), self.game.chance(s), self.game.player(s), self.game.returns(s)

    def moves(self, s: Any) -> dict[int, Any]:
        legal, *_ = self.facts(s)
        return {int(a): self.apply(s, int(a)) for a in np.flatnonzero(legal)}

    def result(self, s: Any, t: Any) -> float:
        return float(self.facts(t)[3][int(self.facts(s)[2])])

    def wins(self, s: Any) -> set[int]:
        return {a for a, t in self.moves(s).items() if self.result(s, t) > 0}

    def blocks(self, s: Any) -> set[int]:
        return {a for a, t in self.moves(s).items() if self.result(s, t) >= 0 and not self.threatens(s, t)}

    def threatens(self, s: Any, t: Any) -> bool:
        """Whether the opponent of the mover in `s` has a move in `t`, after some throw, that wins."""
        _, chance, player, _ = self.facts(t)
        if int(player) == int(self.facts(s)[2]):
            return False
        throws = [self.roll(t, int(c)) for c in np.flatnonzero(chance)] or [t]
        return any(self.wins(u) for u in throws)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_wins_and_blocks_are_what_they_are_called(game: Game[Any]) -> None:
    states = positions(game, 12)
    found = jax.jit(jax.vmap(partial(_all_three, game)))(states)
    rules, seen = Rules(game), set[str]()
    for row in range(96)[:: 1 if game.id == "chung-toi" else 3]:
        s = jax.tree.map(lambda x, row=row: x[row], states)
        winning, blocking, left = ({int(a) for a in np.flatnonzero(mask[row])} for mask in found)
        legal = set(rules.moves(s))
        assert winning == rules.wins(s)
        assert blocking == rules.blocks(s)
        assert left == (winning or blocking or legal)
        seen.add("win" if winning else "danger" if blocking != legal else "quiet")
    assert seen == {"win", "danger", "quiet"}


@pytest.mark.slow
def test_a_move_that_loses_at_once_is_no_block() -> None:
    game = make("othello", size=4)
    states = positions(game, 12)

    def results(s: Any) -> Any:
        return jax.vmap(lambda a: game.returns(game.apply(s, a))[game.player(s)])(jnp.arange(game.num_actions))

    losing = np.asarray(jax.jit(jax.vmap(results))(states) < 0) & np.asarray(jax.vmap(game.legal)(states))
    assert losing.any()
    assert not (np.asarray(jax.jit(jax.vmap(partial(blocks, game)))(states)) & losing).any()


def test_what_is_hidden_is_not_looked_at() -> None:
    game = make("okey", players=2)
    s = game.init(jax.random.key(0))
    np.testing.assert_array_equal(jax.jit(partial(wins_and_blocks, game))(game.view(s, 0)), game.legal(s))


def _all_three(game: Game[Any], s: Any) -> Any:
    return wins(game, s), blocks(game, s), wins_and_blocks(game, s)
