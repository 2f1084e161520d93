"""Patterns: entries against a plain reading of the board, and positions that turning makes of each other."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.bits import to_int
from ludens.core.game import random_action, where
from ludens.games.othello import Othello
from ludens.players.othello_patterns import OthelloTables, patterns
from ludens.players.pattern_tables import total
from ludens.players.patterns import PatternAgent, blank

PHASES = 3
LETTERS = {size: "abcdefgh"[:size] for size in (4, 6, 8)}
COUNTS = {4: 18, 6: 34, 8: 46}
SHAPES_8 = (
    "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2",
    "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "a5 b6 c7 d8",
)


@cache
def some_positions(size):
    """From a random game, none of them the end."""
    game = Othello(size=size)

    def walk(s, key):
        t = game.apply(s, random_action(game, s, key))
        return where(game.done(t), s, t), s

    keys = jax.random.split(jax.random.key(size), size**2)
    played = jax.jit(lambda: jax.lax.scan(walk, game.init(keys[0]), keys)[1])()
    return game, [jax.tree.map(lambda x, at=at: x[at], played) for at in range(1, size**2 - 4, size)]


def stacked(states):
    return jax.tree.map(lambda *each: jnp.stack(each), *states)


def cells(game, s):
    """The board row by row: 0 empty, 1 of the side to move, 2 the other's."""
    own, opponent = to_int(s.own), to_int(s.opponent)
    return [(own >> i & 1) + 2 * (opponent >> i & 1) for i in range(game.size**2)]


def number(digits):
    """What they are in base 3, the first the most significant."""
    return int("".join(map(str, digits)), 3)


@pytest.mark.parametrize("size", [pytest.param(4, marks=pytest.mark.slow), pytest.param(6, marks=pytest.mark.slow), 8])
def test_entries_are_what_the_squares_say(size):
    game, found = some_positions(size)
    known = patterns(size)
    for mirrored, squares in ((False, known.squares), (True, known.mirrored)):
        read = jax.jit(partial(OthelloTables(game).entries, PHASES, mirrored=mirrored))
        index = np.asarray(read(jax.vmap(OthelloTables(game).board)(stacked(found))))
        for s, column in zip(found, index.T, strict=True):
            lying = cells(game, s)
            count, moves = size**2 - lying.count(0), int(game.legal(s)[:-1].sum())
            phase = (count - 4) * PHASES // (size**2 - 3)
            by_hand = [
                offset + number([lying[i] for i in order if i >= 0])
                for offset, order in zip(known.offsets, squares, strict=True)
            ]
            by_hand += [known.discs + count, known.moves + moves]
            assert column.tolist() == [each + phase * known.entries for each in by_hand]
            assert int(OthelloTables(game).plies(s)) == count - 4


@pytest.mark.parametrize("size", [4, 6, 8])
def test_patterns_do_not_share_entries_but_with_their_images(size):
    known = patterns(size)
    assert len(known.squares) == COUNTS[size]
    places = [frozenset(order[order >= 0].tolist()) for order in known.squares]
    assert len(set(places)) == len(places)
    lengths = {offset: len(place) for offset, place in zip(known.offsets, places, strict=True)}
    ends = [offset + 3**length for offset, length in sorted(lengths.items())]
    assert ends[:-1] == sorted(lengths)[1:]
    assert ends[-1] == known.discs
    for place, order in zip(places, known.mirrored, strict=True):
        assert frozenset(order[order >= 0].tolist()) == place


def test_the_patterns_of_logistello_are_there():
    names = [f"{column}{row}" for row in range(1, 9) for column in LETTERS[8]]
    found = [{names[i] for i in order if i >= 0} for order in patterns(8).squares]
    assert all(set(shape.split()) in found for shape in SHAPES_8)
    assert sorted(map(len, found)) == sorted(
        [10] * 4 + [8] * 14 + [7] * 4 + [6] * 4 + [5] * 4 + [4] * 4 + [9] * 4 + [10] * 8
    )


def images(game, s):
    """A position turned and mirrored in all eight ways, as text and read again."""
    squares, mover = game.show(s).split()
    grid = np.array(list(squares)).reshape(game.size, game.size)
    ways = [np.rot90(each, turns) for each in (grid, grid.T) for turns in range(4)]
    return [game.read("".join(way.ravel()) + mover) for way in ways]


def tied(game):
    """Tables in which a pattern and its mirror image have the same entry: as many as there are, drawn at random."""
    known, rng = patterns(game.size), np.random.default_rng(1)
    tables = rng.integers(-99, 100, (PHASES, known.entries)).astype(np.int16)
    for offset, order, mirrored in zip(known.offsets, known.squares, known.mirrored, strict=True):
        order, mirrored = order[order >= 0], mirrored[mirrored >= 0]
        digits = np.stack(np.unravel_index(np.arange(3 ** len(order)), (3,) * len(order)))
        at = dict(zip(order, digits, strict=True))
        image = np.ravel_multi_index([at[square] for square in mirrored], (3,) * len(order))
        tables[:, offset + np.arange(len(image))] = tables[:, offset + np.minimum(np.arange(len(image)), image)]
    return jnp.asarray(tables)


@pytest.mark.parametrize("size", [6, 8])
def test_a_position_and_its_images_are_worth_the_same(size):
    game, found = some_positions(size)
    tables = tied(game)
    agent = PatternAgent.from_facts(game, {"phases": PHASES}, lambda shapes: tables)
    assert agent.init(jax.random.key(0)).shape == agent.shapes().shape
    value = jax.jit(jax.vmap(agent.value, in_axes=(None, 0)))
    for s in found[:3]:
        values = np.asarray(value(tables, stacked(images(game, s))))
        assert len(set(values.tolist())) == 1
    assert len({float(value(tables, stacked([s] * 8))[0]) for s in found}) > 3


def test_one_position_and_many_and_many_tables():
    game, found = some_positions(6)
    known, tables, states = OthelloTables(game), tied(game), stacked(found)
    one = jax.jit(known.worth)
    alone = [float(one(tables, s)) for s in found]
    several = jax.vmap(known.worth, in_axes=(None, 0))
    assert np.asarray(jax.jit(several)(tables, states)).tolist() == alone
    index = np.asarray(known.entries(PHASES, jax.vmap(known.board)(states)))
    plain = np.asarray(tables).reshape(-1)[index].astype(int).sum(axis=0)
    assert np.asarray(total(tables, jnp.asarray(index))).tolist() == plain.tolist()
    assert alone == [each / known.unit for each in plain]
    of_each = jax.jit(jax.vmap(several, in_axes=(0, None)))(jnp.stack([tables, 2 * tables]), states)
    assert np.asarray(of_each).tolist() == [alone, [2 * each for each in alone]]


def test_an_agent_plays_to_the_greatest_lead():
    game, found = some_positions(4)
    tables = tied(game)
    agent = PatternAgent.from_facts(game, {"kind": "patterns", "phases": PHASES}, lambda shapes: tables)
    act, judge, apply = jax.jit(agent.act), jax.jit(OthelloTables(game).worth), jax.jit(game.apply)
    for s in found:
        decision = act(tables, jax.random.key(0), s)
        legal = np.flatnonzero(game.legal(s))
        assert np.flatnonzero(np.isfinite(decision.scores)).tolist() == legal.tolist()
        for a in legal:
            t = apply(s, a)
            turned = 1 if int(t.turn) == int(s.turn) else -1
            lying = cells(game, t)
            ahead = lying.count(1) - lying.count(2)
            final = ahead + np.sign(ahead) * lying.count(0)
            worth = final if bool(game.done(t)) else float(judge(tables, t))
            assert float(decision.scores[a]) == turned * worth
        assert int(decision.action) == int(np.argmax(decision.scores))


def test_tables_that_know_nothing():
    game, found = some_positions(6)
    assert blank(game, 5).shape == (5, patterns(6).entries)
    assert float(OthelloTables(game).worth(blank(game, 5), found[0])) == 0
