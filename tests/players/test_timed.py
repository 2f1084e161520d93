"""Players who decide by the clock."""

import time

import jax
import numpy as np
import pytest

from ludens.arena.match import balanced_jobs, contestant, play
from ludens.games import make
from ludens.players import player
from ludens.players.timed import TimedAlphaBeta

CHUNG_TOI = make("chung-toi")
KEY = jax.random.key(0)


def test_specs() -> None:
    who = player("alphabeta:0.5s:result", CHUNG_TOI, on_host=True)
    assert isinstance(who, TimedAlphaBeta)
    assert who.seconds == 0.5
    assert isinstance(player("alphabeta:2s", CHUNG_TOI, on_host=True), TimedAlphaBeta)
    for spec in ("alphabeta:0s", "alphabeta:1.s", "alphabeta:9999s", "alphabeta:1s:discs"):
        with pytest.raises(ValueError, match="expected"):
            player(spec, CHUNG_TOI, on_host=True)


def test_where_players_are_compiled_they_are_refused() -> None:
    with pytest.raises(ValueError, match="'alphabeta:1s' decides by the clock: expected a player that can be compiled"):
        player("alphabeta:1s", CHUNG_TOI)


def test_it_wins_keeps_its_time_and_takes_part_in_matches() -> None:
    both = [contestant("alphabeta:0.05s", CHUNG_TOI), contestant("random", CHUNG_TOI)]
    records = [record for _, record in play(CHUNG_TOI, both, balanced_jobs(CHUNG_TOI, 2, 4, seed=1))]
    assert [record.returns[record.seats.index("alphabeta:0.05s")] for record in records] == [1.0] * 4

    start = CHUNG_TOI.init(KEY)
    for analyse in (False, True):
        who = both[0].player.asked(None, KEY, start, analyse=analyse)  # compiled by now
        begun = time.monotonic()
        decision = who(KEY, start)
        assert time.monotonic() - begun < 0.5  # with room for a machine that does other things, too
        legal = np.asarray(CHUNG_TOI.legal(start))
        assert legal[int(decision.action)]
        np.testing.assert_array_equal(np.isfinite(decision.scores), legal)
