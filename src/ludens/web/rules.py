"""The rules of all games, as one worker knows them: every act on the page is checked and made here.

Nothing is remembered between calls; a call brings the states it is about. Acts of many tables that play the same
variant are made together, by one compiled call, and follow the arena's streams: a game on the page is the very game
that `arena.live_game.LiveGame` plays with the same seed and acts. Seats that play at random answer in the same call.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np

from ludens.arena.ply import Place, acts, compiled_openings, opening_stream, play_stream
from ludens.arena.record import Record, plain_variant
from ludens.core.game import Game
from ludens.games.okey import Okey
from ludens.games.othello import Othello
from ludens.games.othello_text import read_transcript, write_ggf, write_transcript
from ludens.web import catalogue
from ludens.web.catalogue import describe, game_of, whole_variant
from ludens.web.exchange import Act, Ask, Begun, Course, Position, Resumed, Variant
from ludens.web.packing import packing
from ludens.web.presenter import Scene
from ludens.web.presenters import presenter
from ludens.web.rulebook import DRAWN, TOGETHER, Made, follow, make_acts, settle
from ludens.web.showing import Look, known, looker, looks, position, scene_of, tell

__all__ = ["describe", "whole_variant"]

LONGEST_ANSWER = 100
"""Acts that seats which play at random make in one call."""
NOBODY = Course(seed=0, stream=0, actions=(), movers=(), persons=())


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
    first = position(looks(game, [packed], 0)[0], course, None)
    shows = presenter(game.id)
    return Begun(
        variant=variant,
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
    seen = looks(game, packed, 0)
    names = [game.name(action, state) for action, state in zip(course.actions, states, strict=False)]
    movers = [look.mover for look in seen[:-1]]
    return Resumed(names, movers, packed, _now(seen[-2:], course._replace(movers=movers)))


def show(variant: Variant, course: Course, states: Sequence[bytes]) -> Position:
    """Where a game stands, from its last two states (or the only one)."""
    game = game_of(variant)
    return _now(looks(game, states, len(course.actions) + 1 - len(states)), course)


def history(variant: Variant, course: Course, states: Sequence[bytes], open_hands: bool) -> str:
    """Every position of a game as JSON, as whoever looks at the table now may see them, or with all hands open."""
    game = game_of(variant)
    seen = looks(game, states, 0)
    seat = looker(course.persons, seen[-1].mover)
    told, before = [], None
    for ply, look in enumerate(seen):
        so_far = course._replace(actions=course.actions[:ply], movers=course.movers[:ply])
        scene = scene_of(look, so_far, seat, open_hands=open_hands)
        told.append(tell(scene, before, so_far))
        before = scene
    return json.dumps({"states": told}, separators=(",", ":"))


def views(variant: Variant, states: Sequence[bytes], seats: Sequence[int]) -> list[bytes]:
    """Each of a game's states as the seat beside it knows it."""
    game = game_of(variant)
    if not game.hidden:
        return list(states)
    return [look.known(seat) for look, seat in zip(looks(game, states, 0), seats, strict=True)]


def record(
    variant: Variant,
    seed: int,
    specs: Sequence[str],
    start: str,
    outcomes: Sequence[Sequence[int]],
    course: Course,
    returns: Sequence[float],
) -> dict[str, Any]:
    """The game so far, as the arena writes games down."""
    return Record(
        game=variant.game,
        variant=plain_variant(game_of(variant)),
        seed=seed,
        seats=tuple(specs),
        start=start,
        opening=0,
        actions=tuple(course.actions),
        chance=tuple(c for rolled in outcomes for c in rolled),
        returns=tuple(returns),
    ).to_dict()


def ggf(variant: Variant, start: str, actions: Sequence[int], black: str, white: str, date: str) -> str:
    """A game of Othello in GGF."""
    game = game_of(variant)
    if not isinstance(game, Othello):
        raise ValueError(f"GGF cannot be written of {game.id}: expected a game of othello")
    return write_ggf(game, actions, black=black, white=white, date=date, start=game.read(start))


def transcript(variant: Variant, start: str, actions: Sequence[int]) -> str:
    """A game of Othello as its squares, one after the other."""
    game = game_of(variant)
    if not isinstance(game, Othello):
        raise ValueError(f"a transcript cannot be written of {game.id}: expected a game of othello")
    return write_transcript(game, actions, start=game.read(start))


def check(variant: Variant, path: str) -> None:
    """ValueError unless somebody is called by this spec who can play the variant."""
    catalogue.agent(game_of(variant), path)


# ---------------------------------------------------------------------- beginning


def _given(game: Game[Any], text: str) -> Any:
    """The position in `text`, if it is all of a position."""
    state = game.read(text)
    if isinstance(game, Okey) and (state.hands.sum(axis=1) != game.hand_sizes(state)).any():
        raise ValueError(f"'{text}' is a position as one seat sees it: expected all tiles of all hands")
    return state


def _transcribed(game: Game[Any], course: Course, now: Position, start: Any, text: str) -> Iterator[Act]:
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


def _now(last: Sequence[Look], course: Course) -> Position:
    """The position of the last look, given the one before it too if there is one."""
    look, before = last[-1], None
    if len(last) > 1:
        so_far = course._replace(actions=course.actions[:-1], movers=course.movers[:-1])
        before = scene_of(last[0], so_far, looker(course.persons, look.mover), open_hands=False)
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
    made: Made = jax.tree.map(np.asarray, make_acts(game)(Place(streams, plies), before, actions))
    return [_act(game, ask, row, made) for row, ask in enumerate(asks)]


def _act(game: Game[Any], ask: Ask, row: int, made: Made) -> Act | str:
    """What became of one ask, given what became of its batch."""
    action, pack = int(made.action[row]), packing(game)
    if not made.allowed[row]:
        return game.rejection(f"action {action}", pack.one(ask.state))
    course = _gone_on(ask, action)
    look = Look.at(game, made.state[row].tobytes(), made.after, row, len(course.actions))
    seat = looker(course.persons, look.mover)
    view = pack.one(known(ask.state, made.before[row] if game.hidden else None, seat))
    before = Scene(game, view, seat, ask.mover, False, ask.course.seed, ask.course.movers, ask.course.actions)
    return Act(action, game.name(action, view), acts(made.outcomes[row]), position(look, course, before))


def _gone_on(ask: Ask, action: int) -> Course:
    """The course of a game after one more act."""
    course = ask.course
    return course._replace(actions=[*course.actions, action], movers=[*course.movers, ask.mover])
