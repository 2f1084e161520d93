"""The player who grows a tree of what may come: `mcts:400`; `mcts:400:material` lets an evaluator judge the leaves."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, cast

import jax
import jax.numpy as jnp
from jax import lax

from ludens.core.evaluator import Evaluator
from ludens.core.game import Game, S, pick
from ludens.core.player import Decision, Player
from ludens.core.types import Array, Key
from ludens.games import okey
from ludens.games.okey.melds import distance
from ludens.players.evaluators import evaluator
from ludens.search.mcts import Judge, Search, movers_view, rollouts, search

MOST_SIMULATIONS = 100_000
WORLDS = 16
"""Ways in which hidden facts are imagined, if there are as many simulations."""
_OPEN, _FINISH, _USUAL_CHANCE = 0.9, 5.0, 0.25
"""Okey: the most an open position is worth, the logit of a discard that wins (of others minus the distance), and how
often a draw brings a hand nearer, for a hand of 15 that has still to discard."""


@dataclass(frozen=True)
class MCTS(Player[S]):
    """Plays the move most looked into; of several the one with the best mean, and of those any.

    Scores are mean results for the mover, -1 to 1, so that `(1 + score) / 2` is the chance to win where nothing is
    drawn. A legal move that was never tried has nothing to speak for it and gets -1.
    """

    simulations: int = 400
    """Positions looked at for one decision."""
    evaluator: Evaluator[S] | None = None
    """Who judges the leaves; None: a random game from there on, in Okey the distances to a finished hand."""

    def __post_init__(self) -> None:
        if type(self.simulations) is not int or not 1 <= self.simulations <= MOST_SIMULATIONS:
            raise ValueError(_wrong_simulations(self.simulations))

    @classmethod
    def from_options(cls, game: Game[S], options: tuple[str, ...]) -> Self:
        """`400` simulations, and the name of an evaluator if one is to judge the leaves."""
        if len(options) > 2:
            raise ValueError(f"it has {len(options)} options: expected simulations and an evaluator at most")
        number = options[0] if options else str(cls.simulations)
        if not (number.isascii() and number.isdigit() and len(number) <= len(str(MOST_SIMULATIONS))):
            raise ValueError(_wrong_simulations(number))
        return cls(game, int(number), evaluator(options[1], game) if len(options) > 1 else None)

    def init(self, key: Key) -> Any:
        """What the evaluator needs."""
        return None if self.evaluator is None else self.evaluator.init(key)

    def act(self, params: Any, key: Key, view: S) -> Decision:
        """Search from one position."""
        decisions = self._together(params, key[None], jax.tree.map(lambda x: jnp.asarray(x)[None], view))
        only: Decision = jax.tree.map(lambda x: x[0], decisions)
        return only

    def act_batch(self, params: Any, keys: Key, views: S) -> Decision:
        """Search from many positions.

        On CPUs one after the other: a batch of trees is copied as a whole for each step back from a leaf, which with
        32 positions of Chung Toi and 400 simulations takes seven times as long as the searches themselves.
        """
        decisions: Decision = lax.platform_dependent(params, keys, views, cpu=self._one_by_one, default=self._together)
        return decisions

    def _one_by_one(self, params: Any, keys: Key, views: S) -> Decision:
        def lane(key_and_view: tuple[Key, S]) -> Decision:
            key, view = key_and_view
            nothing = Decision(jnp.int32(0), jnp.full(self.game.num_actions, -jnp.inf, jnp.float32))
            decision: Decision = lax.cond(self.game.done(view), lambda: nothing, lambda: self.act(params, key, view))
            return decision

        decisions: Decision = lax.map(lane, (keys, views))
        return decisions

    def _together(self, params: Any, keys: Key, views: S) -> Decision:
        split = jax.vmap(jax.random.split)(keys)
        game = self._searched
        found = search(
            game,
            self._judge(game),
            params,
            split[:, 0],
            views,
            simulations=self.simulations,
            determinize=cast(Any, game).determinize if game.hidden else None,
            worlds=min(WORLDS, self.simulations) if game.hidden else 1,
        )
        legal = jax.vmap(game.legal)(views)
        return jax.vmap(_decide)(found, legal, jax.vmap(partial(jax.random.bits, dtype=jnp.uint32))(split[:, 1]))

    @property
    def _searched(self) -> Game[S]:
        """The game that is searched. A match of Okey is played deal by deal: a deal won is the end of the tree."""
        if isinstance(self.game, okey.Okey):
            return cast(Game[S], replace(self.game, match=0))
        return self.game

    def _judge(self, game: Game[S]) -> Judge[S]:
        judge = self.evaluator
        if judge is not None:
            alike = jnp.zeros(game.num_actions, jnp.float32)
            return movers_view(game, lambda params, s: (alike, jnp.clip(judge.value(params, s) / judge.win, -1, 1)))
        if isinstance(game, okey.Okey):
            return cast(Judge[S], okey_hands(game))
        return rollouts(game)


def okey_hands(game: okey.Okey) -> Judge[okey.State]:
    """Judges by how many tiles hands are from a finished one; random games of Okey finish next to never.

    A position is worth more the further the best hand of our side is ahead of the best of the others, yet never as much
    as a win. Our own hand counts as nearer by the chance that the next draw brings it nearer. Of discards, those that
    keep the mover nearest are looked at most, a winning one above all.
    """
    far = jax.vmap(partial(distance, longest_run=game.longest_run or 5, pairs=bool(game.pairs)))
    seats, kinds = jnp.arange(game.players), jnp.arange(okey.KINDS)

    def judge(params: Any, key: Key, s: okey.State, seat: Array) -> tuple[Array, Array]:
        ours, movers, unseen = s.hands[seat], s.hands[s.turn], game.unseen(s)
        draws = ours.sum() == okey.HAND
        drawn = (kinds[:, None] == kinds) & draws & (unseen > 0)[:, None]  # [53, 53]
        held = jnp.nonzero(movers > 0, size=okey.HAND + 1, fill_value=okey.KINDS)[0]
        thrown = held[:, None] == kinds  # [15, 53]
        # All hands in one call: it compiles to a large search.
        hands = jnp.concatenate([s.hands, ours + drawn.astype(jnp.int8), movers - thrown.astype(jnp.int8)])
        missing, if_drawn, if_thrown = jnp.split(far(hands), (game.players, game.players + okey.KINDS))

        nearer = jnp.where(if_drawn < missing[seat], unseen, 0).sum() / jnp.maximum(unseen.sum(), 1)
        missing = missing - jnp.where(seats == seat, jnp.where(draws, nearer, _USUAL_CHANCE), 0)
        allied = game.side(seats) == game.side(seat)
        lead = jnp.where(allied, okey.HAND, missing).min() - jnp.where(allied, missing, okey.HAND).min()

        liking = jnp.where(if_thrown == 0, _FINISH, -if_thrown.astype(jnp.float32))
        discards = jnp.where(thrown & (s.phase == okey.DISCARD), liking[:, None], 0).sum(axis=0)
        logits = jnp.zeros(game.num_actions, jnp.float32).at[okey.FIRST_DISCARD : okey.SHOW].set(discards)
        return logits, _OPEN * jnp.tanh(lead / 2)

    return judge


def _decide(found: Search, legal: Array, noise: Array) -> Decision:
    """The decision of one lane."""
    tried = legal & (found.visits > 0)
    most = tried & (found.visits == jnp.where(tried, found.visits, 0).max())
    best = most & (found.values == jnp.where(most, found.values, -jnp.inf).max())
    scores = jnp.where(tried, found.values, -1)
    return Decision(pick(best, noise), jnp.where(legal, scores, -jnp.inf).astype(jnp.float32))


def _wrong_simulations(given: object) -> str:
    return f"simulations is {given!r}: expected a whole number from 1 to {MOST_SIMULATIONS}"
