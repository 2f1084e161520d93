"""The rules of all games, as one worker knows them: every act on the page is checked and made here.

Nothing is remembered between calls; a call brings the states it is about. Acts of many tables that play the same
variant are made together, by one compiled call, and follow the arena's streams: a game on the page is the very game
that `arena.live_game.LiveGame` plays with the same seed and acts. Seats that play at random answer in the same call.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludens.arena import ply as plies
from ludens.arena.ply import NOTHING, START, Place, acts, compiled_openings, keys, opening_stream, play_stream
from ludens.core.game import Game, random_action, where
from ludens.core.types import Array
from ludens.games.okey import Okey
from ludens.games.othello import Othello
from ludens.games.othello_text import read_transcript
from ludens.web.protocol import Act, Ask, Begun, Course, Resumed, TablePosition, Variant
from ludens.web.worker.catalogue import game_of
from ludens.web.worker.render import Look, Scene, known, packing, position, presenter, scene_of, tell

TOGETHER = 64
"""Positions in a batch. Fewer are filled up: a call of one would save a third of a millisecond, and compiling another
shape takes seconds."""
DRAWN = -1
"""In place of an action: let the lots decide."""
LONGEST_ANSWER = 100
"""Acts that seats which play at random make in one call."""
NOBODY = Course(seed=0, stream=0, actions=(), movers=(), persons=())


class BatchSeen(NamedTuple):
    """What the rules say of positions, everything `[B]`."""

    mover: Array
    done: Array
    returns: Array
    legal: Array
    views: Any
    """The states as an onlooker and as each seat knows them, `uint8[B, 1 + P, N]`; () where nothing is hidden."""


class BatchMade(NamedTuple):
    """What became of acts, everything `[B]`."""

    action: Array
    allowed: Array
    outcomes: Array
    before: Any  # the views before it
    state: Array  # what it led to, `uint8[B, N]`
    after: BatchSeen


def prepare(variant: Variant) -> None:
    """Compile what tables of this variant will ask for."""
    begun = begin(variant, 0, None, None, ())
    resume(variant, NOBODY, begun.start, [begun.outcomes])
    advance(variant, [Ask(NOBODY, begun.first.state, begun.first.mover, None, ())])


def begin(variant: Variant, seed: int, start: str | None, transcript: str | None, persons: Sequence[int]) -> Begun:
    """Lay a table: a fresh deal or a given position, then the moves of a transcript; ValueError if it cannot be."""
    game = game_of(variant)
    if start is None:
        opened = compiled_openings(game, 0)(np.array([opening_stream(seed)], np.uint32))
        dealt, state = (jax.tree.map(lambda x: np.asarray(x)[0], s) for s in (opened.start, opened.state))
        outcomes = acts(opened.outcomes)
    else:
        dealt = _given(game, start)
        state, rolled = settle(game)(dealt, np.uint32(opening_stream(seed)))
        outcomes = acts(rolled)
    course = Course(seed, play_stream(seed, range(game.num_players)), [], [], persons)
    packed = packing(game).pack(state)
    first = position(_looks(game, [packed], 0)[0], course, None)
    shows = presenter(game.id)
    return Begun(
        title=shows.title,
        names=shows.seats(game),
        can_undo=game.can_undo,
        hidden=game.hidden,
        start=game.show(dealt),
        stream=course.stream,
        outcomes=outcomes,
        first=first,
        acts=list(_transcribed(game, course, first, dealt, transcript)) if transcript else [],
    )


def advance(variant: Variant, asks: Sequence[Ask]) -> list[list[Act] | str]:
    """Make acts, each with the random answers to it: the acts made, or the sentence that refuses the first."""
    game = game_of(variant)
    out: list[list[Act] | str] = [[] for _ in asks]
    due = dict(enumerate(asks))
    while due:  # rounds of acts, each for all tables where one is due
        some = dict(list(due.items())[:TOGETHER])
        for number, made in zip(some, _make(game, list(some.values())), strict=True):
            ask, answer = due.pop(number), out[number]
            if isinstance(made, str) or isinstance(answer, str):
                out[number] = made if isinstance(made, str) else answer
                continue
            answer.append(made)
            if not made.now.over and made.now.mover in ask.answering and len(answer) < LONGEST_ANSWER:
                due[number] = Ask(_gone_on(ask, made.action), made.now.state, made.now.mover, None, ask.answering)
    return out


def resume(variant: Variant, course: Course, start: str, outcomes: Sequence[Sequence[int]]) -> Resumed:
    """Play a game again from its start, its acts, and what fate did before the first and after each."""
    game = game_of(variant)
    states = [follow(game, game.read(start), DRAWN, outcomes[0])]
    for action, rolled in zip(course.actions, outcomes[1:], strict=True):
        states.append(follow(game, states[-1], action, rolled))
    pack = packing(game)
    packed = [pack.pack(state) for state in states]
    seen = _looks(game, packed, 0)
    names = [game.name(action, state) for action, state in zip(course.actions, states, strict=False)]
    movers = [look.mover for look in seen[:-1]]
    return Resumed(names, movers, packed, _now(seen[-2:], course._replace(movers=movers)))


def show(variant: Variant, course: Course, states: Sequence[bytes]) -> TablePosition:
    """Where a game stands, from its last two states (or the only one)."""
    game = game_of(variant)
    return _now(_looks(game, states, len(course.actions) + 1 - len(states)), course)


def history(variant: Variant, course: Course, states: Sequence[bytes], open_hands: bool) -> list[dict[str, Any]]:
    """Every position of a game, as whoever looks at the table now may see them, or with all hands open."""
    game = game_of(variant)
    seen = _looks(game, states, 0)
    seat = course.looker(seen[-1].mover)
    told, before = [], None
    for ply, look in enumerate(seen):
        so_far = course._replace(actions=course.actions[:ply], movers=course.movers[:ply])
        scene = scene_of(look, so_far, seat, open_hands=open_hands)
        told.append(tell(scene, before, so_far))
        before = scene
    return told


def views(variant: Variant, states: Sequence[bytes], seats: Sequence[int]) -> list[bytes]:
    """Each of a game's states as the seat beside it knows it."""
    game = game_of(variant)
    if not game.hidden or not states:
        return list(states)
    return [look.known(seat) for look, seat in zip(_looks(game, states, 0), seats, strict=True)]


# ---------------------------------------------------------------------- beginning


def _given(game: Game[Any], text: str) -> Any:
    """The position in `text`, if it is all of a position."""
    state = game.read(text)
    if isinstance(game, Okey) and (state.hands.sum(axis=1) != game.hand_sizes(state)).any():
        raise ValueError(f"'{text}' is a position as one seat sees it: expected all tiles of all hands")
    return state


def _transcribed(game: Game[Any], course: Course, now: TablePosition, start: Any, text: str) -> Iterator[Act]:
    """The acts of a transcript, one after the other."""
    if not isinstance(game, Othello):
        raise ValueError(f"a transcript cannot be read in {game.id}: expected one of othello alone")
    for action in read_transcript(game, text, start=start):
        made = _make(game, [Ask(course, now.state, now.mover, action, ())])[0]
        if isinstance(made, str):
            raise ValueError(made)
        yield made
        course = course._replace(actions=[*course.actions, action], movers=[*course.movers, now.mover])
        now = made.now


def _now(last: Sequence[Look], course: Course) -> TablePosition:
    """The position of the last look, given the one before it too if there is one."""
    look, before = last[-1], None
    if len(last) > 1:
        so_far = course._replace(actions=course.actions[:-1], movers=course.movers[:-1])
        before = scene_of(last[0], so_far, course.looker(look.mover), open_hands=False)
    return position(look, course, before)


# ---------------------------------------------------------------------- acting


def _make(game: Game[Any], asks: Sequence[Ask]) -> list[Act | str]:
    """One act at each of up to `TOGETHER` tables, or the sentence that refuses it."""
    pack = packing(game)
    streams, plies, actions = (np.zeros(TOGETHER, kind) for kind in (np.uint32, np.int32, np.int32))
    for row, ask in enumerate(asks):
        streams[row], plies[row] = ask.course.stream, len(ask.course.actions)
        actions[row] = DRAWN if ask.action is None else ask.action
    before = pack.batch([ask.state for ask in asks], TOGETHER)
    made: BatchMade = jax.tree.map(np.asarray, make_acts(game)(Place(streams, plies), before, actions))
    return [_act(game, ask, row, made) for row, ask in enumerate(asks)]


def _act(game: Game[Any], ask: Ask, row: int, made: BatchMade) -> Act | str:
    """What became of one ask, given what became of its batch."""
    action, pack = int(made.action[row]), packing(game)
    if not made.allowed[row]:
        return game.rejection(f"action {action}", pack.one(ask.state))
    course = _gone_on(ask, action)
    look = _look(game, made.state[row].tobytes(), made.after, row, len(course.actions))
    seat = course.looker(look.mover)
    view = pack.one(known(ask.state, made.before[row] if game.hidden else None, seat))
    before = Scene(game, view, seat, ask.mover, False, ask.course.seed, ask.course.movers, ask.course.actions)
    return Act(action, game.name(action, view), acts(made.outcomes[row]), position(look, course, before))


def _gone_on(ask: Ask, action: int) -> Course:
    """The course of a game after one more act."""
    course = ask.course
    return course._replace(actions=[*course.actions, action], movers=[*course.movers, ask.mover])


# ---------------------------------------------------------------------- compiled, on batches of positions


@lru_cache(maxsize=64)
def make_acts(game: Game[Any]) -> Callable[[Place, Any, Any], BatchMade]:
    """Acts (`DRAWN`: any legal one) in a batch of packed states, each at its place in its game's randomness."""
    pack = packing(game)

    def one(place: Place, packed: Array, a: Array) -> BatchMade:
        s = pack.from_bytes(packed)
        choice, fate = keys(place)
        drawn = random_action(game, game.view(s, game.player(s)), choice)
        a = jnp.where(a == DRAWN, drawn, a)
        after = plies.act(game, s, a, fate)
        state = pack.to_bytes(after.state)
        return BatchMade(a, after.allowed, after.outcomes, _views(game, s), state, _seen(game, after.state))

    return jax.jit(jax.vmap(one))


@lru_cache(maxsize=64)
def see(game: Game[Any]) -> Callable[[Any], BatchSeen]:
    """What the rules say of a batch of packed states."""
    pack = packing(game)
    return jax.jit(jax.vmap(lambda packed: _seen(game, pack.from_bytes(packed))))


@lru_cache(maxsize=64)
def settle(game: Game[Any]) -> Callable[[Any, Any], tuple[Any, Array]]:
    """One position after what fate does before the first act, and its outcomes, given the opening's stream."""
    return jax.jit(lambda s, stream: plies.settle(game, s, keys(Place(stream, START))[1]))


def follow(game: Game[Any], s: Any, a: int, outcomes: Sequence[int]) -> Any:
    """One position after an act (`DRAWN`: none) and what fate is known to have done then."""
    padded = np.full(game.rolls, NOTHING, np.int32)
    padded[: len(outcomes)] = outcomes
    return jax.tree.map(np.asarray, _follow(game)(s, np.int32(a), padded))


@lru_cache(maxsize=64)
def _follow(game: Game[Any]) -> Callable[[Any, Any, Any], Any]:
    def known(s: Any, a: Array, outcomes: Array) -> Any:
        def roll(s: Any, c: Array) -> tuple[Any, None]:
            return where(c == NOTHING, s, game.roll(s, c)), None

        s = where(a == DRAWN, s, game.apply(s, a))
        return jax.lax.scan(roll, s, outcomes)[0] if game.rolls else s

    return jax.jit(known)


def _seen(game: Game[Any], s: Any) -> BatchSeen:
    return BatchSeen(game.player(s), game.done(s), game.returns(s), game.legal(s), _views(game, s))


def _views(game: Game[Any], s: Any) -> Any:
    """As each seat knows it; nobody sits at -1, who therefore knows what all know."""
    seats = jnp.arange(-1, game.num_players)
    return jax.vmap(lambda seat: packing(game).to_bytes(game.view(s, seat)))(seats) if game.hidden else ()


def _looks(game: Game[Any], packed: Sequence[bytes], first_ply: int) -> list[Look]:
    """States of one game, ply by ply, as the rules see them."""
    found: list[Look] = []
    for start in range(0, len(packed), TOGETHER):
        some = packed[start : start + TOGETHER]
        seen: BatchSeen = jax.tree.map(np.asarray, see(game)(packing(game).batch(some, TOGETHER)))
        found += [_look(game, each, seen, row, first_ply + start + row) for row, each in enumerate(some)]
    return found


def _look(game: Game[Any], packed: bytes, seen: BatchSeen, row: int, ply: int) -> Look:
    return Look(
        game=game,
        packed=packed,
        mover=int(seen.mover[row]),
        over=bool(seen.done[row]) or ply >= game.turn_limit,
        returns=seen.returns[row].tolist(),
        legal=seen.legal[row].nonzero()[0].tolist(),
        views=seen.views[row] if game.hidden else None,
    )
