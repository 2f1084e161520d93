"""The optimal player does what its table says and never loses what it holds."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludens.core.game import random_action
from ludens.games.chung_toi import ChungToi
from ludens.games.othello import Othello
from ludens.games.ur import Ur
from ludens.oracles.chung_toi import ChungToiOracle
from ludens.oracles.regret import positions, regret_of
from ludens.players import names_for
from ludens.players import player as named
from ludens.players.optimal import Optimal

GAME = ChungToi()
LANES = 256


@pytest.fixture(scope="module")
def player(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDENS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield Optimal.from_options(GAME, ())


@pytest.fixture(scope="module")
def table(player):
    return player.init(jax.random.key(0))


@pytest.mark.slow
def test_it_never_loses_to_random_play_and_mostly_wins(player, table) -> None:
    def turn(s, keys):
        def one(s, seat, key):
            mine, other = jax.random.split(key)
            a = jnp.where(GAME.player(s) == seat, player.act(table, mine, s).action, random_action(GAME, s, other))
            return GAME.apply(s, a)

        return jax.vmap(one)(s, seats, keys), None

    seats = jnp.arange(LANES) % 2
    starts = jax.vmap(GAME.init)(jax.random.split(jax.random.key(0), LANES))
    keys = jax.random.split(jax.random.key(1), (GAME.turn_limit, LANES))
    ends, _ = jax.jit(partial(jax.lax.scan, turn))(starts, keys)
    results = np.asarray(jax.vmap(GAME.returns)(ends))[np.arange(LANES), seats]
    assert results.min() >= 0
    assert results.mean() > 0.9


@pytest.mark.slow
def test_it_has_no_regret_and_varies_among_equals(player, table) -> None:
    states = positions(ChungToiOracle(GAME), table, 200, jax.random.key(2))
    found = regret_of(ChungToiOracle(GAME), table, player, table, states, jax.random.key(3))
    assert (found.mean_regret, found.best) == (0, 1)
    start = GAME.init(jax.random.key(0))
    keys = jax.random.split(jax.random.key(4), 200)
    actions, scores = jax.jit(jax.vmap(lambda key: player.act(table, key, start)))(keys)
    best = np.flatnonzero(np.asarray(scores[0]) == 0)
    assert set(np.asarray(actions).tolist()) <= set(best.tolist())
    assert len(set(np.asarray(actions).tolist())) > 1


def test_it_wins_at_once_if_it_can(player, table) -> None:
    s = GAME.read("RxRx--/------/W+W+-- turn white")
    decision = jax.jit(player.act)(table, jax.random.key(0), s)
    assert bool(GAME.done(GAME.apply(s, decision.action)))
    assert float(decision.scores[decision.action]) == 1


def test_variants_that_nobody_has_solved_are_refused(player) -> None:
    with pytest.raises(
        ValueError, match="'optimal' cannot play yet: ur in this variant has no table yet: expected one"
    ):
        named("optimal", Ur(rules="finkel"))
    assert "optimal" not in names_for(Ur(rules="finkel"))
    for game in (Othello(), Othello(size=6)):
        with pytest.raises(ValueError, match="too large to be solved in this variant: expected one of chung-toi, ur"):
            Optimal.from_options(game, ())
    with pytest.raises(ValueError, match="options it cannot take"):
        Optimal.from_options(GAME, ("3",))
