"""Everybody meets everybody, in every seat, with the same luck."""

from collections import Counter
from itertools import combinations

import pytest

from ludens.arena.tournament import fixtures


def test_a_round_robin_of_nine_has_36_games() -> None:
    games = list(fixtures(9, 2, 100, 0))
    assert len(games) == 3600
    assert len({(game.round, game.pairing) for game in games}) == 3600
    assert [(game.round, game.pairing) for game in games] == sorted((game.round, game.pairing) for game in games)
    for number in (0, 99):
        met = [tuple(sorted(game.seats)) for game in games if game.round == number]
        assert met == list(combinations(range(9), 2))
    played = Counter(player for game in games for player in game.seats)
    assert set(played.values()) == {800}


@pytest.mark.parametrize(("players", "seats"), [(3, 2), (5, 2), (4, 3), (5, 4), (4, 4)])
def test_a_block_gives_everybody_every_seat_with_the_same_deal(players: int, seats: int) -> None:
    games = list(fixtures(players, seats, 3 * seats, 5))
    tables = list(combinations(range(players), seats))
    for block in range(3):
        for pairing, table in enumerate(tables):
            together = [g for g in games if g.round // seats == block and g.pairing == pairing]
            assert len(together) == seats
            assert len({g.seed for g in together}) == 1
            for player in table:
                assert sorted(g.seats.index(player) for g in together) == list(range(seats))
    assert len({g.seed for g in games}) == 3 * len(tables)
    assert all(0 <= g.seed < 2**32 for g in games)


def test_each_block_seats_a_table_anew() -> None:
    starts = {game.seats for game in fixtures(4, 4, 400, 1) if game.round % 4 == 0}
    assert len(starts) == 24  # all orders come up in 100 blocks


def test_more_rounds_begin_with_the_same_games_and_another_seed_with_others() -> None:
    short, long = list(fixtures(4, 2, 3, 7)), list(fixtures(4, 2, 8, 7))
    assert long[: len(short)] == short
    assert {game.seed for game in long}.isdisjoint(game.seed for game in fixtures(4, 2, 8, 8))
