"""Positions from random games of any variant, from all stages but more often the last moves; and what players owe."""

from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludens.core.game import Game, random_action, step

STEPS = 240


@cache
def positions(game: Game[Any], games: int, seed: int = 0) -> Any:
    """States `[8 * games]`, none of them finished: four spread over each game and the last four decisions of it."""

    def walk(key: Any) -> Any:
        def turn(s: Any, key: Any) -> Any:
            choose, fate = jax.random.split(key)
            return step(game, s, random_action(game, s, choose), fate), (s, game.done(s))

        start, rest = jax.random.split(key)
        return jax.lax.scan(turn, game.init(start), jax.random.split(rest, STEPS))[1]

    states, done = jax.jit(jax.vmap(walk))(jax.random.split(jax.random.key(seed), games))
    length = (~np.asarray(done)).sum(1)
    spread = (length[:, None] * np.array([0.0, 0.25, 0.5, 0.75])).astype(int)
    late = np.maximum(length[:, None] - np.arange(1, 5), 0)
    steps = np.concatenate([spread, late], 1)
    rows = np.repeat(np.arange(games), 8)
    return jax.tree.map(lambda x: jnp.asarray(np.asarray(x)[rows, steps.reshape(-1)]), states)


def views(game: Game[Any], states: Any) -> Any:
    """The states as their movers see them."""
    return facts(game)(states)[0]


@cache
def facts(game: Game[Any]) -> Any:
    """What every test asks of states, compiled once: views, legal acts, movers, whether it is over, returns."""

    def of(s: Any) -> Any:
        mover = game.player(s)
        return game.view(s, mover), game.legal(s), mover, game.done(s), game.returns(s)

    return jax.jit(jax.vmap(of))


@cache
def compiled(player: Any) -> Any:
    """The player's `act_batch`, compiled; equal players share it."""
    return jax.jit(partial(player.act_batch, player.init(jax.random.key(0))))


def check_decisions(player: Any, states: Any, seed: int = 0) -> Any:
    """The player's decisions in `states`, after checking what every player owes: legal acts and scores where legal."""
    game = player.game
    keys = jax.random.split(jax.random.key(seed), len(jax.tree.leaves(states)[0]))
    seen, legal, *_ = facts(game)(states)
    decisions = compiled(player)(keys, seen)
    legal = np.asarray(legal)
    scores, actions = np.asarray(decisions.scores), np.asarray(decisions.action)
    assert actions.dtype == np.int32
    assert scores.dtype == np.float32
    assert legal[np.arange(len(actions)), actions].all()
    assert np.isfinite(scores[legal]).all()
    assert (scores[~legal] == -np.inf).all()
    if player.scores_are == "probability":
        np.testing.assert_allclose(np.where(legal, scores, 0).sum(1), 1, rtol=1e-5)
        assert (scores[np.arange(len(actions)), actions] > 0).all()
    else:
        assert (scores[np.arange(len(actions)), actions] == scores.max(1)).all()
    return decisions


def duel(first: Any, second: Any, games: int, seed: int = 0) -> tuple[int, int, int]:
    """Wins, draws and losses of `first` against `second` at all other seats, taking each seat equally often."""
    game = first.game
    seats = np.arange(games) % game.num_players
    after = jax.jit(jax.vmap(partial(step, game)))
    s = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(seed), games))
    for turn in range(game.turn_limit):
        keys = [jax.random.split(jax.random.fold_in(jax.random.key(seed), 3 * turn + i), games) for i in range(3)]
        seen, _, movers, over, _ = facts(game)(s)
        if over.all():
            break
        ours, theirs = compiled(first)(keys[0], seen).action, compiled(second)(keys[1], seen).action
        s = after(s, np.where(np.asarray(movers) == seats, ours, theirs), keys[2])
    result = np.asarray(facts(game)(s)[-1])[np.arange(games), seats]
    return int((result > 0).sum()), int((result == 0).sum()), int((result < 0).sum())
