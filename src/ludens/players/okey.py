"""Okey's players: the opponent in Uygun 2019, who keeps its sets, and one who counts how far it is from finishing.

Both know their own tiles and what lies on the table, finish as soon as they can (with the discard that counts most),
show the indicator's twin whenever it may be shown, and never throw a joker away unless that finishes.
"""

from functools import partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ludens.core.game import sample
from ludens.core.player import Decision, Player, best
from ludens.core.types import Array, Key
from ludens.games.okey import DISCARD, DRAW, FACES, FIRST_DISCARD, HAND, JOKER, KINDS, SHOW, TILES, Okey, State
from ludens.games.okey.melds import Arrangement, arrange, distance
from ludens.players.lookahead import after_each, for_each
from ludens.search.tree import LeafJudge

FINISHED = 50
"""Least value of sets that hold 14 tiles: four sets at most, each worth 5 for every tile but one."""
SHOWN = 100.0
"""What `OkeyGreedy` scores showing the twin with: more than any other act, since it costs nothing."""
WANTED_WEIGHT = 5e-4
"""What `OkeyGreedy` takes off for each tile beside which the next seat could lay a discard: it decides ties only."""
_OPEN, _FINISH, _USUAL_CHANCE = 0.9, 5.0, 0.25
"""In `hands_judge`: the most an open position is worth, the logit of a discard that wins (others: minus the distance),
and how often a draw brings a hand nearer, for a hand of 15 that has still to discard."""


class Thesis(Player[State]):
    """The computer opponent of Uygun 2019, chapter 3.

    Whether it draws from the centre or takes the discard is a coin toss, but it never breaks a set: it throws a free
    tile. Free is what the best arrangement by the thesis's hand value leaves over; every free tile is equally likely,
    and every tile if none is free.
    """

    scores_are: ClassVar[str] = "probability"
    games: ClassVar[tuple[str, ...]] = ("okey",)
    game: Okey

    def act(self, params: Any, key: Key, view: State) -> Decision:
        """Draw or take with equal chance; discard a free tile. Its scores are the probabilities."""
        legal = self.game.legal(view)
        hand = jnp.where(view.phase == DISCARD, _hand(view), 0)  # who draws need not look: no tiles, no search
        sets = arrange(hand, longest_run=_longest_run(self.game))
        spare = _free(hand, sets).at[JOKER].set(0)
        spare = jnp.where(spare.any(), spare, hand.at[JOKER].set(0))
        weights = _by_action(self.game, jnp.ones(FIRST_DISCARD), spare)
        finishes = _finishes(self.game, view, (sets.value >= FINISHED) | _nearly_pairs(self.game, hand))
        weights = jnp.where(finishes.any(), (finishes == finishes.max()).astype(jnp.float32), weights)
        if self.game.show_indicator:
            weights = jnp.where(legal[SHOW], jnp.arange(self.game.num_actions) == SHOW, weights)
        weights = jnp.where(legal, weights, 0.0)
        scores = jnp.where(legal, weights / jnp.maximum(weights.sum(), 1e-9), -jnp.inf)
        return Decision(action=sample(weights, key), scores=scores)


class OkeyGreedy(Player[State]):
    """Stays as close to a finished hand as it can.

    It takes the offer if that brings the hand closer, else draws. It discards so that the fewest tiles are missing;
    among such discards, so that the most tiles out of its sight would bring it closer; among those, what fits the
    least beside the tiles that the next seat is known to hold.
    """

    games: ClassVar[tuple[str, ...]] = ("okey",)
    game: Okey

    def act(self, params: Any, key: Key, view: State) -> Decision:
        """A best act; scores are minus the tiles expected to be missing, or what a finish counts."""
        legal = self.game.legal(view)
        hand, unseen = _hand(view), self.game.unseen(view)
        discards, fewest = self._discards(view, hand, unseen)
        scores = _by_action(self.game, self._draws(view, hand, unseen), discards)
        # A joker that finishes could stand for any other tile, so that throwing this one would finish, too.
        finishes = _finishes(self.game, view, fewest == 0)
        scores = jnp.where(finishes > 0, finishes.astype(jnp.float32), scores)
        if self.game.show_indicator:
            scores = jnp.where(jnp.arange(self.game.num_actions) == SHOW, SHOWN, scores)
        return best(jnp.where(legal, scores, -jnp.inf), key)

    def _draws(self, view: State, hand: Array, unseen: Array) -> Array:
        """Minus the tiles missing after a draw, on average, and after taking the offer: `float32[2]`."""
        drawing = view.phase == DRAW
        candidates = (unseen > 0) | (jnp.arange(KINDS) == view.offer)
        missing = for_each(_with, self._distance, candidates & drawing, hand)
        share = unseen / jnp.maximum(unseen.sum(), 1).astype(jnp.float32)
        taken = jnp.where(jnp.arange(KINDS) == view.offer, missing, 0).sum()
        return -jnp.stack([(share * missing).sum(), taken.astype(jnp.float32)])

    def _discards(self, view: State, hand: Array, unseen: Array) -> tuple[Array, Array]:
        """The score of discarding each kind, `float32[53]`: minus the tiles then missing, and less than 1 for ties.

        And the fewest tiles that are then missing, `int32[]`.
        """
        throwable = (hand > 0) & (jnp.arange(KINDS) < JOKER) & (view.phase == DISCARD)
        missing = for_each(_without, self._distance, throwable, hand)
        fewest = jnp.where(throwable, missing, TILES).min()

        def chances(_: None, args: tuple[Array, Array, Array], rest: Array) -> Array:
            """Tiles out of sight that bring `rest` closer, `int32[]`."""
            unseen, fewest = args[1:]
            closer = for_each(_with, self._distance, unseen > 0, rest) < fewest
            return jnp.where(closer, unseen, 0).sum(dtype=jnp.int32)

        tied = throwable & (missing == fewest) & (fewest > 0)
        helpful = for_each(lambda kind, args: _without(kind, args[0]), chances, tied, (hand, unseen, fewest))
        next_known = view.known[(view.turn + 1) % self.game.players]
        wanted = neighbours(next_known, pairs=bool(self.game.pairs))
        return jnp.where(throwable, -missing + helpful / TILES - WANTED_WEIGHT * wanted, -TILES), fewest

    def _distance(self, _: None, hand: Any, changed: Array) -> Array:
        return distance(changed, longest_run=_longest_run(self.game), pairs=bool(self.game.pairs))


def hands_judge(game: Okey) -> LeafJudge[State]:
    """Judges by how many tiles hands are from a finished one; random games of Okey finish next to never.

    A position is worth more the further the best hand of our side is ahead of the best of the others, yet never as much
    as a win. Our own hand counts as nearer by the chance that the next draw brings it nearer. Of discards, those that
    keep the mover nearest are looked at most, a winning one above all.
    """
    far = jax.vmap(partial(distance, longest_run=game.longest_run or 5, pairs=bool(game.pairs)))
    seats, kinds = jnp.arange(game.players), jnp.arange(KINDS)

    def judge(params: Any, key: Key, s: State, seat: Array) -> tuple[Array, Array]:
        ours, movers, unseen = s.hands[seat], s.hands[s.turn], game.unseen(s)
        draws = ours.sum() == HAND
        drawn = (kinds[:, None] == kinds) & draws & (unseen > 0)[:, None]  # [53, 53]
        held = jnp.nonzero(movers > 0, size=HAND + 1, fill_value=KINDS)[0]
        thrown = held[:, None] == kinds  # [15, 53]
        # All hands in one call: it compiles to a large search.
        hands = jnp.concatenate([s.hands, ours + drawn.astype(jnp.int8), movers - thrown.astype(jnp.int8)])
        missing, if_drawn, if_thrown = jnp.split(far(hands), (game.players, game.players + KINDS))

        nearer = jnp.where(if_drawn < missing[seat], unseen, 0).sum() / jnp.maximum(unseen.sum(), 1)
        missing = missing - jnp.where(seats == seat, jnp.where(draws, nearer, _USUAL_CHANCE), 0)
        allied = game.side(seats) == game.side(seat)
        lead = jnp.where(allied, HAND, missing).min() - jnp.where(allied, missing, HAND).min()

        liking = jnp.where(if_thrown == 0, _FINISH, -if_thrown.astype(jnp.float32))
        discards = jnp.where(thrown & (s.phase == DISCARD), liking[:, None], 0).sum(axis=0)
        logits = jnp.zeros(game.num_actions, jnp.float32).at[FIRST_DISCARD:SHOW].set(discards)
        return logits, _OPEN * jnp.tanh(lead / 2)

    return judge


def _longest_run(game: Okey) -> int:
    """As `melds` asks for it: runs without a limit split into runs of up to 5."""
    return game.longest_run or 5


def _hand(view: State) -> Array:
    return view.hands[view.turn]


def _free(hand: Array, sets: Arrangement) -> Array:
    """Tiles that stand in none of the sets, `int32[53]`."""
    played = jnp.where(sets.wild, JOKER, sets.faces)
    return hand - (played[..., None] == jnp.arange(KINDS)).sum((0, 1), dtype=jnp.int32)


def _nearly_pairs(game: Okey, hand: Array) -> Array:
    """Whether 15 tiles less one may be seven pairs, `bool[]`: one tile too many is single at most."""
    singles = (hand[:JOKER] == 1).sum(dtype=jnp.int32)
    return (singles <= hand[JOKER] + 1) & bool(game.pairs)


def _finishes(game: Okey, view: State, possible: Array) -> Array:
    """What each action counts that finishes the deal, `int32[A]`; 0 for the others, and if it is not `possible`.

    Every discard has to be tried, so whoever asks says first whether one may finish (`bool[]`): few hands do.
    Asked of the single deal: in match play the table would be cleared at once.
    """
    return after_each(game.one_deal, _worth, None, view, among=game.legal(view) & possible)


def _worth(_: None, s: State, t: State) -> Array:
    """What the finish counts that led from `s` to `t`, `int32[]`."""
    return t.worth


def _by_action(game: Okey, draws: Array, discards: Array) -> Array:
    """Numbers for drawing and taking, `[2]`, and for each kind to discard, `[53]`, by action: `float32[A]`."""
    both = jnp.concatenate([draws.astype(jnp.float32), discards.astype(jnp.float32)])
    return jnp.pad(both, (0, game.num_actions - len(both)))


def _with(kind: Array, hand: Array) -> Array:
    """The hand and one more tile, `int8[53]`."""
    return hand + (jnp.arange(KINDS) == kind).astype(hand.dtype)


def _without(kind: Array, hand: Array) -> Array:
    """The hand less one tile, `int8[53]`."""
    return hand - (jnp.arange(KINDS) == kind).astype(hand.dtype)


def neighbours(known: Array, *, pairs: bool) -> Array:
    """How many of the tiles `known` (`int8[53]`) each kind could stand beside in a set, or in a pair: `int32[53]`."""
    colour, number = jnp.arange(FACES) // 13, jnp.arange(FACES) % 13
    apart = jnp.abs(number[:, None] - number)
    in_run = (colour[:, None] == colour) & (jnp.minimum(apart, 13 - apart) <= 2) & (apart > 0)
    in_group = (colour[:, None] != colour) & (apart == 0)
    same = (jnp.arange(FACES)[:, None] == jnp.arange(FACES)) & pairs
    fits = in_run | in_group | same
    return jnp.pad((fits * known[:FACES]).sum(1, dtype=jnp.int32), (0, 1))
