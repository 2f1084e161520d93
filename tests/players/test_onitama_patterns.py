"""Onitama's patterns: entries against a plain reading of the position, and what mirroring makes of it."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import random_action, where
from ludens.games.onitama import CARDS, NAMES, Onitama
from ludens.players.onitama_patterns import OnitamaTables
from ludens.players.patterns import PatternAgent

GAME = Onitama()
TABLES = OnitamaTables(GAME)
PHASES = 2
LINES = [[row * 5 + col + i for i in range(3)] for row in range(5) for col in range(3)]
LINES += [[(row + i) * 5 + col for i in range(3)] for row in range(3) for col in range(5)]
BLOCKS = [[(row + i) * 5 + col + j for i in range(2) for j in range(3)] for row in range(4) for col in range(3)]
ENTRIES = jax.jit(TABLES.entries, static_argnums=0, static_argnames="mirrored")


@cache
def some_positions():
    """From random games, `[64]`, none of them the end."""

    def walk(s, key):
        t = GAME.apply(s, random_action(GAME, s, key))
        return where(GAME.done(t), s, t), s

    def one(key):
        return jax.tree.map(lambda x: x[::4], jax.lax.scan(walk, GAME.init(key), jax.random.split(key, 32))[1])

    states = jax.jit(jax.vmap(one))(jax.random.split(jax.random.key(0), 8))
    return jax.tree.map(lambda x: x.reshape(64, *x.shape[2:]), states)


def attacked(pieces, cards, forward):
    """Squares that a side reaches with these cards; `forward` is 1 for the mover and -1 for the opponent."""
    found = set()
    for square in (i for i in range(25) if pieces >> i & 1):
        for right, ahead in (offset for card in cards for offset in CARDS[NAMES[card]][1]):
            row, col = square // 5 + forward * ahead, square % 5 + forward * right
            if 0 <= row < 5 and 0 <= col < 5:
                found.add(row * 5 + col)
    return found


def test_lines_and_blocks_are_what_the_squares_say():
    states = jax.device_get(some_positions())
    index = np.asarray(ENTRIES(PHASES, jax.vmap(TABLES.board)(some_positions())))
    for column, *position in zip(index.T, *states[:7], strict=True):
        boards, own_cards, opp_cards = [int(x) for x in position[:4]], position[4], position[5]
        by_own = attacked(boards[0] | boards[1], own_cards, 1)
        by_opponent = attacked(boards[2] | boards[3], opp_cards, -1)
        pieces = [sum((k + 1) * (board >> i & 1) for k, board in enumerate(boards)) for i in range(25)]
        states_of = [piece + 5 * (i in by_own) + 10 * (i in by_opponent) for i, piece in enumerate(pieces)]
        phase = (boards[0].bit_count() + boards[2].bit_count()) * PHASES // 9 * TABLES.entries_of_a_phase
        for row, (a, b, c) in enumerate(LINES):
            assert column[row] == phase + row * 20**3 + states_of[a] * 400 + states_of[b] * 20 + states_of[c]
        for row, block in enumerate(BLOCKS):
            number = int("".join(str(pieces[i]) for i in block), 5)
            assert column[len(LINES) + row] == phase + len(LINES) * 20**3 + row * 5**6 + number


def test_no_two_tables_share_an_entry_and_all_are_inside():
    index = np.asarray(ENTRIES(PHASES, jax.vmap(TABLES.board)(some_positions())))
    assert index.min() >= 0
    assert index.max() < PHASES * TABLES.entries_of_a_phase
    rows = [set((row % TABLES.entries_of_a_phase).tolist()) for row in index]
    shared = {(i, j) for i in range(len(rows)) for j in range(i) if rows[i] & rows[j]}
    first = len(LINES) + len(BLOCKS)
    assert shared == {(first + 1, first), (first + 3, first + 2)}  # the two cards in one hand


def test_mirror_images_are_those_of_the_game():
    states = some_positions()
    images = jax.vmap(lambda s: GAME.transform(s, 1))(states)
    plain, of_images = (np.asarray(ENTRIES(PHASES, jax.vmap(TABLES.board)(each))) for each in (states, images))
    np.testing.assert_array_equal(of_images, ENTRIES(PHASES, jax.vmap(TABLES.board)(states), mirrored=True))
    assert (of_images != plain).any()


@pytest.mark.slow
def test_the_same_position_counts_the_same_for_both_sides():
    """Blue to move, and the same board turned with red to move: who has the stones is no part of a value."""
    rng = np.random.default_rng(0)
    tables = jnp.asarray(rng.integers(-99, 99, (PHASES, TABLES.entries_of_a_phase)), jnp.int16)
    agent = PatternAgent(GAME, lambda shapes: tables, PHASES)
    states = some_positions()
    value = jax.jit(jax.vmap(agent.value, (None, 0)))
    values = np.asarray(value(tables, states))
    np.testing.assert_array_equal(values, value(tables, states._replace(turn=1 - states.turn)))
    assert len(set(values.tolist())) > 50
    assert np.abs(values).max() <= 1


def test_pieces_that_left_home_are_plies():
    start = GAME.read("rrRrr/5/5/5/bbBbb blue ox,boar red elephant,horse side crab turn blue")
    later = GAME.read("r1Rrr/5/1r3/2B2/bb1bb blue ox,boar red elephant,horse side crab turn red")
    assert int(TABLES.plies(start)) == 0
    assert int(TABLES.plies(later)) == 2
