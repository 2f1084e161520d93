"""Okey: be the first to hold 14 tiles that all stand in sets, or in seven pairs.

Rules. 106 tiles: 1 to 13 in four colours, twice, and two false jokers. A numbered tile is turned up, the
indicator; the tile of its colour one higher (after 13 comes 1) is the joker, wild for any tile, and the false
jokers are played as the joker's own face. Everybody gets 14 tiles, the starter 15, who begins by discarding. Then
each seat in turn draws from the centre or takes what the seat before has just discarded, and discards one. Who
keeps 14 tiles all in sets (groups, runs; see `melds.py`) or, where allowed, in seven pairs has won. A discard
after the last tile of the centre that does not win ends the deal as a draw: nobody may take it any more.

Sources. The thesis "Playing the Turkish tile game Okey with deep reinforcement learning" (Uygun, 2019) for two
seats; common Turkish rules for three and four: runs of any length, pairs, more points for throwing a joker last.

Tiles are 52 faces, colour * 13 + number - 1 (red, black, green, yellow), and 52, the joker: 53 kinds of two tiles.
The joker's own face exists as the two false jokers, and the indicator is gone from play, which leaves 105 tiles.
A state only counts tiles. There is no order of the centre, so none can leak.

    action     meaning
    0          draw a tile from the centre: fate chooses it
    1          take the tile that the seat before has just discarded
    2 .. 54    discard kind a - 2
    55         show the indicator's twin (with `show_indicator`), as the start of one's first turn in a deal: it
               has been dealt, not drawn, so this happens once a deal at most; the turn goes on

Match play. All start at `match` points. A win counts 2, doubled for pairs, doubled for throwing a joker last. In
the thesis the winner's score drops by that, and who reaches 0 has won. With `losers_drop` each loser's score drops,
the match ends when somebody reaches 0, and the highest score wins (equals share). Showing the twin counts 1 the same
way, and partners' scores move together. A drawn deal changes nothing. The next seat starts the next deal.

    observation, float32[N], seats counted from the observer on
    53         own hand, count / 2
    53         the tile that can be taken, one-hot
    53 P       discards that lie before each seat, count / 2
    53 (P-1)   tiles that all know each other seat to hold, count / 2
    52         the indicator, one-hot
    1          tiles in the centre / tiles there after the deal
    3          phase: draw, fate, discard, one-hot
    P          seat to move, one-hot
    P, P       scores / match, and the deal's starter, one-hot (in match play only)
"""

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from ludens.core.game import Game, where
from ludens.core.settings import setting
from ludens.core.types import Action, Array, Key
from ludens.games.okey import text as okey_text
from ludens.games.okey.deal import share_out
from ludens.games.okey.melds import finished_by_pairs, finished_by_sets

KINDS, FACES, JOKER = 53, 52, 52
TILES = 105
"""Tiles in play: all but the indicator."""
HAND = 14
DRAW, FATE, DISCARD, DEAL, OVER = range(len(okey_text.PHASES))
"""Draw or take; a tile from the centre is due; discard; fate deals (match play); the end."""
TAKE, FIRST_DISCARD, SHOW = 1, 2, 55
"""Actions 1, the first of 2 .. 54, and 55."""


class State(NamedTuple):
    """A position of `P` seats. What is in neither `hands` nor `discards` is in the centre."""

    hands: Array
    """Tiles each seat holds, `int8[P, 53]`. In a view, other seats' rows are their `known` rows."""
    known: Array
    """Tiles that all know a seat to hold: taken or shown, and no equal one thrown since; at the end all of the
    winner's, `int8[P, 53]`."""
    discards: Array
    """Tiles that lie where each seat threw them, the offer included and taken ones not, `int8[P, 53]`."""
    indicator: Array
    """Face of the tile turned up, `int32[]`; -1 before fate has turned it."""
    left: Array
    """Tiles in the centre, `int32[]`; while fate deals, with those still to be dealt (106: the indicator, too)."""
    turn: Array
    """Seat to move, `int32[]`; while fate deals, the starter; at the end, the seat whose turn it would be."""
    phase: Array
    """`DRAW`, `FATE`, `DISCARD`, `DEAL` or `OVER`, `int32[]`."""
    offer: Array
    """Kind that can be taken, `int32[]`; -1 but in phase `DRAW`."""
    winner: Array
    """Seat that finished the deal, `int32[]`; -1 while it is on and after a draw."""
    worth: Array
    """What that finish counts, `int32[]`: 2, 4 or 8; 0 without a winner."""
    scores: Array
    """Points in match play, `int32[P]`; zeros in a single deal."""
    starter: Array
    """Seat that began this deal, `int32[]`."""
    first: Array
    """Seats that have not yet thrown a tile in this deal, `int32[]`; always 0 without `show_indicator`."""


@dataclass(frozen=True)
class Okey(Game[State]):
    """Okey for two seats as in the thesis, for three or four as it is commonly played."""

    players: int = setting(2, "Seats at the table.", choices=(2, 3, 4))
    longest_run: int | None = setting(
        None, "Most tiles in a run, 0 for no limit: 4 for two seats, 0 for more.", choices=(0, 4, 5)
    )
    pairs: bool | None = setting(None, "Seven pairs finish, too: as a rule with three or four seats.")
    joker_finish: bool | None = setting(
        None, "A joker thrown last doubles the points: as a rule with three or four seats."
    )
    teams: bool = setting(False, "Four seats: 0 and 2 play together against 1 and 3 (eşli Okey).")
    match: int = setting(0, "Points everybody starts a match with, commonly 20; 0 for one deal.", least=0, most=100)
    losers_drop: bool = setting(False, "Losers' points drop instead of the winner's.")
    show_indicator: bool = setting(False, "The indicator's twin may be shown for a point (gösterge).")

    id: ClassVar[str] = "okey"
    notation: ClassVar[str] = "draw, take, or discard and a tile such as r5, y13 or okey"
    turn_limit: ClassVar[int] = 10_000
    hidden: ClassVar[bool] = True
    can_undo: ClassVar[bool] = False
    num_chance: ClassVar[int] = KINDS

    def __post_init__(self) -> None:
        super().__post_init__()
        common = self.players > 2
        for field, default in (
            ("longest_run", 0 if common else 4),
            ("pairs", common),
            ("joker_finish", common),
        ):
            if getattr(self, field) is None:
                object.__setattr__(self, field, default)
        if self.teams and self.players != 4:
            raise ValueError(f"okey has no teams with {self.players} players: expected players=4")

    @property
    def num_players(self) -> int:
        return self.players

    @property
    def num_actions(self) -> int:
        """55, and one more where the indicator's twin can be shown."""
        return SHOW + self.show_indicator

    @property
    def one_deal(self) -> "Okey":
        return replace(self, match=0)

    @property
    def rolls(self) -> int:
        """One tile; in match play also a whole deal, tile by tile: the indicator, then the hands."""
        return HAND * self.players + 2 if self.match else 1

    def side(self, seat: Array) -> Array:
        return seat % 2 if self.teams else seat

    # ------------------------------------------------------------------ the rules

    def init(self, key: Key) -> State:
        """The first deal, indicator and hands included; seat 0 starts."""
        noise = jax.random.uniform(key, (1 + 2 * KINDS,))
        s = self.cleared(jnp.int32(0), jnp.full(self.players, self.match, jnp.int32))
        s = s._replace(
            indicator=(noise[0] * FACES).astype(jnp.int32),
            left=jnp.int32(self._centre_after_deal),
            phase=jnp.int32(DISCARD),
        )
        return s._replace(hands=share_out(self.unseen(s), self.hand_sizes(s), noise[1:]))

    def cleared(self, starter: Array, scores: Array) -> State:
        """The table before a deal: nothing turned up, nothing dealt."""
        nothing = jnp.zeros((self.players, KINDS), jnp.int8)
        none, zero = jnp.int32(-1), jnp.int32(0)
        first = jnp.int32(self.players if self.show_indicator else 0)
        left, phase = jnp.int32(TILES + 1), jnp.int32(DEAL)
        return State(nothing, nothing, nothing, none, left, starter, phase, none, none, zero, scores, starter, first)

    def player(self, s: State) -> Array:
        return s.turn

    def legal(self, s: State) -> Array:
        """Draw or take; then discard a kind one holds. From the mover's own tiles and public facts alone."""
        draws = jnp.full(FIRST_DISCARD, s.phase == DRAW)
        discards = (self._of(s.hands, s.turn) > 0) & (s.phase == DISCARD)
        shows = self._may_show(s)[None] if self.show_indicator else jnp.zeros(0, bool)
        return jnp.concatenate([draws, discards, shows])

    def _allows(self, s: State, a: Array) -> Array:
        holds = ((jnp.arange(KINDS) == a - FIRST_DISCARD) & (self._of(s.hands, s.turn) > 0)).any()
        allowed = jnp.where(a < FIRST_DISCARD, s.phase == DRAW, holds & (s.phase == DISCARD))
        return allowed | ((a == SHOW) & self._may_show(s)) if self.show_indicator else allowed

    def _apply(self, s: State, a: Array) -> State:
        takes, throws = a == TAKE, (a >= FIRST_DISCARD) & (a < SHOW)
        kind = jnp.where(takes, s.offer, a - FIRST_DISCARD)
        seats = jnp.arange(self.players)[:, None]
        after = (s.turn + 1) % self.players
        tile = (jnp.arange(KINDS) == kind) & (takes | throws)
        mine = tile & (seats == s.turn)
        change = jnp.where(mine, jnp.where(takes, 1, -1), 0).astype(jnp.int8)
        before = tile & (seats == (s.turn - 1) % self.players)

        hands = s.hands + change
        known = jnp.maximum(s.known + change, 0)
        discards = s.discards + (mine & throws).astype(jnp.int8) - (before & takes).astype(jnp.int8)
        worth = jnp.where(throws, self._worth(self._of(hands, s.turn), kind), 0)
        won = worth > 0
        ended = throws & (won | (s.left == 0))
        phase = jnp.where(throws, DRAW, jnp.where(takes, DISCARD, FATE))
        t = s._replace(
            hands=hands,
            known=jnp.where(won & (seats == s.turn), hands, known),
            discards=discards,
            turn=jnp.where(throws, after, s.turn),
            phase=jnp.where(ended, OVER, phase),
            offer=jnp.where(throws & ~ended, kind, -1),
            winner=jnp.where(won, s.turn, -1),
            worth=worth,
        )
        if self.show_indicator:
            t = t._replace(first=jnp.maximum(s.first - throws, 0))
            t = where(a == SHOW, self._shown(s), t)
        if self.match:
            t = t._replace(scores=s.scores + self.points(t) + self._drop(s.turn, (a == SHOW).astype(jnp.int32)))
            decided = (t.scores <= 0).any()
            t = t._replace(phase=jnp.where(decided, OVER, t.phase), offer=jnp.where(decided, -1, t.offer))
            next_starter = (s.starter + 1) % self.players
            t = where(ended & ~decided, self.cleared(next_starter, t.scores), t)
        return t

    def chance(self, s: State) -> Array:
        """The next tile, in proportion to what is left in the centre; in a view, to all that is out of sight."""
        weights = self.unseen(s).astype(jnp.float32)
        due = s.phase == FATE
        if self.match:
            weights = jnp.where(s.indicator < 0, jnp.arange(KINDS) < FACES, weights)
            due = due | (s.phase == DEAL)
        return jnp.where(due, weights / jnp.maximum(weights.sum(), 1), 0)

    def roll(self, s: State, c: Action) -> State:
        """A tile from the centre for the mover; while fate deals, the indicator or the next tile of a hand."""
        left = s.left - 1
        seat, dealing, turned_up = s.turn, jnp.bool_(False), jnp.bool_(False)
        if self.match:
            dealing, turned_up = s.phase == DEAL, s.left > TILES
            dealt_to = (s.starter + jnp.maximum(TILES - s.left - 1, 0) // HAND) % self.players
            seat = jnp.where(dealing, dealt_to, s.turn)
        tile = (jnp.arange(KINDS) == c) & (jnp.arange(self.players)[:, None] == seat) & ~turned_up
        return s._replace(
            hands=s.hands + tile.astype(jnp.int8),
            indicator=jnp.where(turned_up, jnp.asarray(c, jnp.int32), s.indicator),
            left=left,
            phase=jnp.where(dealing & (left > self._centre_after_deal), DEAL, DISCARD),
        )

    def done(self, s: State) -> Array:
        return s.phase == OVER

    def returns(self, s: State) -> Array:
        """Winners share +1 and losers share -1; in teams each seat gets its team's +1 or -1; a draw is 0."""
        wins = self.side(jnp.arange(self.players)) == self.side(s.winner)
        if self.match:
            wins = s.scores == s.scores.max() if self.losers_drop else s.scores <= 0
        wins = wins & self.done(s) & ((s.winner >= 0) | (self.match > 0))
        count = wins.sum()
        share = jnp.where(wins, 1 / jnp.maximum(count, 1), -1 / jnp.maximum(self.players - count, 1))
        result = jnp.where(wins, 1.0, -1.0) if self.teams else share
        return jnp.where(count > 0, result, 0.0).astype(jnp.float32)

    def points(self, s: State) -> Array:
        """What the finished deal changes in the scores, `int32[P]`: never above 0."""
        return self._drop(s.winner, s.worth)

    def view(self, s: State, seat: Array | int) -> State:
        """Other seats' hands shrink to what is known of them. Nothing else is secret: the centre is not stored."""
        own = jnp.arange(self.players)[:, None] == seat
        return s._replace(hands=jnp.where(own, s.hands, s.known))

    def determinize(self, view: State, key: Key) -> State:
        """All ways to share out the unseen tiles are equally likely.

        What the others' decisions suggest is ignored, even that a seat which played on cannot have been finished.
        """
        hidden = self.hand_sizes(view) - view.hands.sum(axis=1, dtype=jnp.int32)
        dealt = share_out(self.unseen(view), hidden, jax.random.uniform(key, (2 * KINDS,)))
        return view._replace(hands=view.hands + dealt)

    def unseen(self, s: State) -> Array:
        """Tiles not in sight, `int8[53]`: the centre; in a view, with what others hold and have not shown."""
        in_play = 2 - (jnp.arange(KINDS) == s.indicator).astype(jnp.int8)
        return in_play - (s.hands + s.discards).sum(axis=0, dtype=jnp.int8)

    def hand_sizes(self, s: State) -> Array:
        """Tiles each seat holds, `int32[P]`: public even where the tiles are not."""
        seats = jnp.arange(self.players)
        # A match can end before the first discard, when the starter's twin of the indicator takes the last point.
        to_discard = (s.phase == DISCARD) | (s.phase == OVER) & (s.first == self.players)
        extra = to_discard & (seats == s.turn)
        order = (seats - s.starter) % self.players
        before = jnp.where(order > 0, HAND * order + 1, 0)
        so_far = jnp.clip(TILES - s.left - before, 0, HAND + (order == 0))
        return jnp.where(s.phase == DEAL, so_far, HAND + extra).astype(jnp.int32)

    def observe(self, s: State, seat: Array | int | None = None) -> Array:
        """The table in the module's docstring, `float32[N]`."""
        seat = s.turn if seat is None else jnp.asarray(seat, jnp.int32)
        order = [(seat + i) % self.players for i in range(self.players)]
        parts = [
            self._of(s.hands, seat) / 2,
            jnp.arange(KINDS) == s.offer,
            *(self._of(s.discards, other) / 2 for other in order),
            *(self._of(s.known, other) / 2 for other in order[1:]),
            jnp.arange(FACES) == s.indicator,
            jnp.minimum(s.left / self._centre_after_deal, 1)[None],
            jnp.arange(DISCARD + 1) == s.phase,
            jnp.stack(order) == s.turn,
        ]
        if self.match:
            scores = jnp.stack([self._of(s.scores[:, None], other)[0] for other in order])
            parts += [jnp.clip(scores / self.match, -1, 1), jnp.stack(order) == s.starter]
        return jnp.concatenate([part.astype(jnp.float32) for part in parts])

    # ------------------------------------------------------------------ helpers

    @property
    def _centre_after_deal(self) -> int:
        return TILES - HAND * self.players - 1

    def _of(self, rows: Array, seat: Array) -> Array:
        """Row `seat` of `[P, N]`: a masked sum, since a gather per game would be slow."""
        return jnp.where(jnp.arange(self.players)[:, None] == seat, rows, 0).sum(axis=0, dtype=rows.dtype)

    def _may_show(self, s: State) -> Array:
        """Whether the mover's first turn begins and it holds the indicator's twin, not yet shown, `bool[]`."""
        opening = (s.phase == DRAW) & (s.first > 0) | (s.phase == DISCARD) & (s.first == self.players)
        hidden = self._of(s.hands - s.known, s.turn)
        return opening & ((hidden > 0) & (jnp.arange(KINDS) == s.indicator)).any()

    def _shown(self, s: State) -> State:
        """The mover's twin of the indicator on the table for all to see."""
        twin = (jnp.arange(self.players)[:, None] == s.turn) & (jnp.arange(KINDS) == s.indicator)
        return s._replace(known=s.known + twin.astype(jnp.int8))

    def _worth(self, hand: Array, thrown: Array) -> Array:
        """What discarding `thrown` and keeping `hand` counts, `int32[]`: 0 if the hand is not finished."""
        in_sets = finished_by_sets(hand, longest_run=self.longest_run or 5)
        in_pairs = finished_by_pairs(hand) if self.pairs else jnp.bool_(False)
        double = (thrown == JOKER) & bool(self.joker_finish)
        return jnp.where(in_pairs, 4, jnp.where(in_sets, 2, 0)).astype(jnp.int32) << double

    def _drop(self, seat: Array, worth: Array) -> Array:
        """Changes of the scores when `seat` earns `worth`, `int32[P]`."""
        earns = self.side(jnp.arange(self.players)) == self.side(seat)
        return jnp.where(earns ^ self.losers_drop, -worth, 0).astype(jnp.int32)

    # ------------------------------------------------------------------ text, on the host

    def name(self, a: Action, s: State) -> str:
        """`draw`, `take`, `discard r5`, `discard okey` or `show`."""
        return okey_text.name(int(a))

    def parse(self, text: str, s: State) -> int:
        """As named; a tile alone is a discard, and `false` is the face that the false jokers play."""
        try:
            return super().parse(okey_text.spelled_out(text, s), s)
        except ValueError:
            raise ValueError(self.rejection(text, s)) from None

    def show(self, s: State) -> str:
        """One line, as `text.py` describes."""
        return okey_text.show(self, s)

    def read(self, text: str) -> State:
        """The position or view in a line as `text.py` describes."""
        return okey_text.read(self, text)
