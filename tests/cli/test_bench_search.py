"""The plain search that `ludens bench search` is measured against is a fair one: it finds the same values."""

import jax

from ludens.cli import bench_search
from ludens.cli.plain_othello import plain_search
from ludens.games import make


def test_both_searches_find_the_same_values() -> None:
    bench_search._check(bench_search._positions(bench_search.AGREE))


def test_the_plain_search_counts_what_it_makes() -> None:
    s = make("othello").init(jax.random.key(0))
    black, white = (int(board.lo) | int(board.hi) << 32 for board in (s.own, s.opponent))
    assert plain_search((black, white), 1)[1] == 4
    value, nodes = plain_search((black, white), 2)
    assert 4 + 3 <= nodes <= 4 + 12
    assert -1000 < value < 1000
