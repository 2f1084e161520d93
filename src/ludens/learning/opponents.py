"""Learning against somebody: who plays the seats that the learner does not, and when it meets somebody stronger.

Opponents are named by specs, the easiest first, as in `alphabeta:1:material alphabeta:2:material`. The learner meets
the first until it has won enough of its latest games, then the next, and so on: a curriculum. `self` names nobody: the
learner plays all seats.

Which seat the learner has in a game is drawn when the game begins and remembered: a seat below 0 is yet to be drawn.
"""

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.game import Game, S
from ludens.core.player import Player
from ludens.core.types import Array, Key
from ludens.learning.learner import Mean, Means
from ludens.players import player
from ludens.players.alpha_beta import AlphaBeta, one_search

SELF = "self"
UNSEATED = -1


@dataclass(frozen=True)
class Opponents(Generic[S]):
    """Those who are met one after the other; nobody if the learner plays all seats itself."""

    levels: tuple[Player[S], ...]

    @classmethod
    def named(cls, specs: str, game: Game[S]) -> "Opponents[S]":
        """From specs with blanks between them, or `self`; ValueError says what was expected."""
        if not specs.split():
            raise ValueError(f"there are no opponents: expected specs such as 'random', or '{SELF}'")
        return cls(() if specs.split() == [SELF] else tuple(player(spec, game) for spec in specs.split()))

    def act(self, level: Array, views: S, keys: Key, theirs: Array) -> Array:
        """Moves `int32[B]` of the opponent at `level` (`int32[]`) where it is `theirs` (`bool[B]`), else any numbers.

        Nobody thinks where no move is theirs.
        """
        nothing = jnp.zeros(theirs.shape, jnp.int32)
        if not self.levels:
            return nothing
        met = jnp.clip(level, 0, len(self.levels) - 1)

        def moves(who: Player[S]) -> Any:
            params = who.init(jax.random.key(0))
            return lambda: who.act_batch(params, keys, views).action.astype(jnp.int32)

        def moves_to_depth(who: AlphaBeta[S], depths: tuple[int, ...]) -> Any:
            params, depth = who.init(jax.random.key(0)), jnp.array(depths, jnp.int32)[met]
            return lambda: who.act_batch_to(depth, params, keys, views).action.astype(jnp.int32)

        # Compiling a search for an accelerator takes longer than many a run. On a CPU each depth has a faster one.
        same = one_search(self.levels) if jax.default_backend() != "cpu" else None
        choices = [moves_to_depth(*same)] if same else [moves(who) for who in self.levels]
        which = jnp.where(theirs.any(), 1 if same else met + 1, 0)
        chosen: Array = lax.switch(which, [lambda: nothing, *choices])
        return chosen


def seated(seats: Array, keys: Key, players: int) -> Array:
    """The learner's seats `int32[B]`, drawn from `keys` `[B]` where they are not known yet."""
    drawn = jax.vmap(lambda key: jax.random.randint(jax.random.fold_in(key, players), (), 0, players))(keys)
    return jnp.where(seats < 0, drawn.astype(jnp.int32), seats)


class Curriculum(NamedTuple):
    """How the learner does against the opponent it meets now."""

    level: Array  # whom it meets, `int32[]`
    wins: Array  # which of its latest games against that one it has won, `bool[W]`, a ring
    played: Array  # games against that one, `int32[]`
    halved: Array  # where a game is under way that began against the one before, `bool[B]`: it says little about either

    @classmethod
    def init(cls, window: int, games: int) -> "Curriculum":
        """The easiest opponent, and so many `games` side by side, none of which has ended yet."""
        return cls(jnp.int32(0), jnp.zeros(window, jnp.bool_), jnp.int32(0), jnp.zeros(games, jnp.bool_))

    def after(self, won: Array, done: Array, *, promote_at: float, levels: int) -> "Curriculum":
        """With games that are `done` and perhaps `won`, both `bool[B]`; the next opponent at that win rate."""
        window, counts = self.wins.shape[0], done & ~self.halved
        order = self.played + jnp.cumsum(counts, dtype=jnp.int32) - 1
        # Of more games than the ring holds only the latest count: older ones are not written at all.
        count = counts.sum(dtype=jnp.int32)
        latest = counts & (order >= self.played + count - window)
        wins = self.wins.at[jnp.where(latest, order % window, window)].set(won, mode="drop")
        played = self.played + count
        passed = (played >= window) & (wins.sum() >= promote_at * window) & (self.level < levels - 1)
        return Curriculum(
            self.level + passed,
            jnp.where(passed, False, wins),
            jnp.where(passed, 0, played),
            (self.halved | passed) & ~done,
        )


def after_games(
    curriculum: Curriculum, results: Array, done: Array, *, promote_at: float, levels: int
) -> tuple[Curriculum, Means]:
    """The curriculum after games with these `results` (`float32[B]`) that are `done` (`bool[B]`), and their metrics."""
    metrics = {
        "won": Mean.of(results > 0, done),
        "drawn": Mean.of(results == 0, done),
        "level": Mean.of(jnp.broadcast_to(curriculum.level + 1.0, done.shape), done),
    }
    if levels:
        curriculum = curriculum.after(results > 0, done, promote_at=promote_at, levels=levels)
    return curriculum, metrics
