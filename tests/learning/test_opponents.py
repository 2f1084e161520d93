"""Who is met, in which seat, and when somebody stronger comes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludens.core.player import Decision, Player
from ludens.core.types import Key
from ludens.games.chung_toi import ChungToi
from ludens.games.onitama import Onitama
from ludens.learning.opponents import SELF, UNSEATED, Curriculum, Opponents, seated
from ludens.players.alpha_beta import AlphaBeta, one_search
from ludens.players.simple import Random

GAME = ChungToi()
KEYS = jax.random.split(jax.random.key(3), 6)
VIEWS = jax.vmap(GAME.init)(KEYS)


class Always(Player[Any]):
    """Plays one move, which is its name here."""

    move: int = 0

    def act(self, params: Any, key: Key, view: Any) -> Decision:
        return Decision(jnp.int32(self.move), jnp.zeros(GAME.num_actions))


class Three(Always):
    move = 3


class Five(Always):
    move = 5


class Thinks(Always):
    """Says so when it does."""

    thought: list[int] = []  # noqa: RUF012  # shared on purpose: what is compiled writes into it

    def act(self, params: Any, key: Key, view: Any) -> Decision:
        jax.debug.callback(lambda: Thinks.thought.append(1))
        return super().act(params, key, view)


def test_opponents_are_named_easiest_first() -> None:
    game = Onitama()
    levels = Opponents.named("random  alphabeta:1:material alphabeta:2:material", game).levels
    assert [type(who) for who in levels] == [Random, AlphaBeta, AlphaBeta]
    assert [who.depth for who in levels[1:] if isinstance(who, AlphaBeta)] == [1, 2]
    assert Opponents.named(SELF, game).levels == Opponents.named(" self ", game).levels == ()
    with pytest.raises(ValueError, match=r"^there are no opponents: expected specs such as 'random', or 'self'$"):
        Opponents.named(" ", game)
    with pytest.raises(ValueError, match="unknown player 'nobody': expected one of"):
        Opponents.named("random nobody", game)
    with pytest.raises(ValueError, match="unknown player 'self'"):  # nobody is met besides oneself
        Opponents.named("random self", game)


@pytest.mark.slow
@pytest.mark.parametrize("specs", ["alphabeta:1:result alphabeta:3:result alphabeta:2:result", "alphabeta:2:result"])
def test_on_an_accelerator_one_search_serves_all_depths(specs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same moves, though nothing but the deepest search is compiled."""
    opponents = Opponents.named(specs, GAME)
    keys = jax.random.split(jax.random.key(8), 32)
    states = jax.vmap(GAME.init)(keys)
    for _ in range(4):  # some moves on, where there is something to be seen
        states = jax.vmap(lambda s, key: GAME.apply(s, Random(GAME).act(None, key, s).action))(states, keys)
    theirs = jnp.ones(32, bool)
    alone = [np.asarray(who.act_batch(None, keys, states).action) for who in opponents.levels]
    assert len(alone) == 1 or (alone[0] != alone[1]).any()
    monkeypatch.setattr("ludens.learning.opponents.jax.default_backend", lambda: "gpu")
    searched: list[int] = []
    monkeypatch.setattr(AlphaBeta, "act_batch", lambda *_: searched.append(1))
    act = jax.jit(opponents.act)
    for level, expected in enumerate(alone):
        np.testing.assert_array_equal(act(jnp.int32(level), states, keys, theirs), expected)
    assert not searched


def test_players_that_differ_in_more_than_depth_have_no_search_in_common() -> None:
    game = Onitama()
    first, second, other = (
        AlphaBeta.from_options(game, (depth, by))
        for depth, by in (("1", "material"), ("3", "material"), ("2", "result"))
    )
    assert one_search((first, second)) == (second, (1, 3))
    assert one_search((second,)) == (second, (3,))
    for players in ((first, other), (Random(game), first), ()):
        assert one_search(players) is None


def test_whoever_is_met_moves() -> None:
    act = jax.jit(Opponents((Three(GAME), Five(GAME))).act)
    theirs = jnp.array([True, False, True, True, False, False])
    for level, move in ((0, 3), (1, 5), (2, 5), (-1, 3)):  # beyond the last it stays the last
        moves = np.asarray(act(jnp.int32(level), VIEWS, KEYS, theirs))
        assert moves.dtype == np.int32
        assert set(moves[np.asarray(theirs)].tolist()) == {move}
    alone = jax.jit(Opponents(()).act)(jnp.int32(0), VIEWS, KEYS, theirs)
    assert alone.shape == theirs.shape


def test_nobody_thinks_where_no_move_is_theirs() -> None:
    act = jax.jit(Opponents((Thinks(GAME),)).act)
    for theirs, thinks in ((jnp.zeros(6, bool), False), (jnp.arange(6) == 2, True)):
        Thinks.thought.clear()
        jax.block_until_ready(act(jnp.int32(0), VIEWS, KEYS, theirs))
        jax.effects_barrier()
        assert bool(Thinks.thought) == thinks


def test_seats_are_drawn_once_and_evenly() -> None:
    keys = jax.random.split(jax.random.key(0), 4000)
    drawn = np.asarray(seated(jnp.full(4000, UNSEATED), keys, 2))
    assert set(drawn.tolist()) == {0, 1}
    assert abs(drawn.mean() - 0.5) < 0.05
    np.testing.assert_array_equal(seated(jnp.asarray(drawn), keys[::-1], 2), drawn)
    of_four = np.asarray(seated(jnp.full(4000, UNSEATED), keys, 4))
    assert (np.abs(np.bincount(of_four) / 4000 - 0.25) < 0.05).all()
    assert seated(jnp.full(3, UNSEATED), keys[:3], 2).dtype == jnp.int32


def after(curriculum: Curriculum, *won: bool, rate: float = 0.6, levels: int = 4) -> Curriculum:
    """One game after the other."""
    step = STEPS.setdefault((rate, levels), jax.jit(lambda c, w: c.after(w, w | True, promote_at=rate, levels=levels)))
    for each in won:
        curriculum = step(curriculum, jnp.array([each]))
    return curriculum


STEPS: dict[tuple[float, int], Any] = {}


def test_the_next_opponent_comes_at_exactly_sixty_of_the_latest_hundred() -> None:
    begin = Curriculum.init(100, 1)
    short = after(begin, *[True] * 99)
    assert (int(short.level), int(short.played)) == (0, 99)  # ninety-nine wins, but not a hundred games yet
    full = after(short, False)
    assert (int(full.level), int(full.played), int(full.wins.sum())) == (1, 0, 0)  # and nothing is carried over

    almost = after(begin, *[False] * 41, *[True] * 59)
    assert int(almost.level) == 0
    assert int(after(almost, False).level) == 0  # still 59 of the latest hundred
    assert int(after(almost, True).level) == 1  # a lost one has left, a won one has come: 60
    forgotten = after(begin, *[True] * 59, *[False] * 41)
    assert int(after(forgotten, True).level) == 0  # a won one has left: 59
    assert int(after(full, *[True] * 99).level) == 1
    assert int(after(full, *[True] * 100).level) == 2


def test_nobody_comes_after_the_last() -> None:
    last = after(Curriculum.init(5, 1), *[True] * 40, levels=3)
    assert (int(last.level), int(last.played)) == (2, 30)
    assert int(after(Curriculum.init(5, 1), *[True] * 40, levels=1).level) == 0


LANES = 7


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.lists(
        st.lists(st.sampled_from(["won", "lost", "going on"]), min_size=LANES, max_size=LANES), min_size=1, max_size=20
    )
)
def test_many_games_at_once_against_a_list(rounds: list[list[str]]) -> None:
    window, enough, levels = 5, 0.6, 3  # a ring shorter than the number of lanes
    step = STEPS.setdefault(
        (window, levels), jax.jit(lambda c, won, done: c.after(won, done, promote_at=enough, levels=levels))
    )
    curriculum = Curriculum.init(window, LANES)
    level, results, halved = 0, [], set()  # type: tuple[int, list[bool], set[int]]
    for games in rounds:
        won, done = ([each in which for each in games] for which in (("won",), ("won", "lost")))
        curriculum = step(curriculum, jnp.array(won), jnp.array(done))
        results += [won[lane] for lane in range(LANES) if done[lane] and lane not in halved]
        halved -= {lane for lane in range(LANES) if done[lane]}
        if len(results) >= window and sum(results[-window:]) >= enough * window and level < levels - 1:
            level, results = level + 1, []
            halved = {lane for lane in range(LANES) if not done[lane]}  # these go on against somebody else
        assert (int(curriculum.level), int(curriculum.played)) == (level, len(results))
        assert int(curriculum.wins.sum()) == sum(results[-window:])
