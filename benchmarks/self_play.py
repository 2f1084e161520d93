"""Self-play led by a net: Ludens' trees and rules beside mctx's trees with Pgx's Othello, and where the time goes.

    python benchmarks/self_play.py                              two cores: 64 games, a net of 2 blocks of 16
    python benchmarks/self_play.py --games 4096 --blocks 5 --channels 96     a GPU

Both sides play Othello with the same net, number of games and simulations, by Gumbel's search; both begin finished
games anew. A move is one search and one step in each game. The best of three runs counts. The net's share is what as
many calls of it take by themselves; that of trees and rules is what the search takes with the smallest net there is.
Pgx and mctx come with `pip install -e '.[peers,dev]'`.
"""

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mctx
import pgx
from pgx.experimental import auto_reset

from ludens.core.game import step, where
from ludens.games import make
from ludens.nets.residual import ResidualNet
from ludens.search.mcts import gumbel_search, movers_view

GAME = make("othello")
CONSIDERED = 16


def ours(net: Any, games: int, simulations: int) -> tuple[Any, Callable[..., Any]]:
    judge = movers_view(GAME, lambda net, s: net(GAME.observe(s)))

    def move(net: Any, states: Any, key: Any) -> Any:
        search, fates, deals = jax.random.split(key, (3, games))
        found = gumbel_search(GAME, judge, net, search, states, simulations=simulations, considered=CONSIDERED)
        after = jax.vmap(lambda s, a, key: step(GAME, s, a, key))(states, found.action, fates)
        over = jax.vmap(GAME.done)(after)
        return jax.vmap(where)(over, jax.vmap(GAME.init)(deals), after)

    return jax.vmap(GAME.init)(jax.random.split(jax.random.key(0), games)), move


def theirs(net: Any, games: int, simulations: int) -> tuple[Any, Callable[..., Any]]:
    env = pgx.make("othello")
    again = auto_reset(env.step, env.init)

    def look(net: Any, state: Any) -> Any:
        logits, value = jax.vmap(net)(state.observation.transpose(0, 3, 1, 2))
        return jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min), value

    def expand(net: Any, key: Any, action: Any, state: Any) -> Any:
        mover = state.current_player
        state = jax.vmap(env.step)(state, action)
        logits, value = look(net, state)
        reward = state.rewards[jnp.arange(games), mover]
        value = jnp.where(state.terminated, 0.0, value)
        discount = jnp.where(state.terminated, 0.0, jnp.where(state.current_player == mover, 1.0, -1.0))
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), state

    def move(net: Any, state: Any, key: Any) -> Any:
        search, deals = jax.random.split(key)
        logits, value = look(net, state)
        found = mctx.gumbel_muzero_policy(
            net,
            search,
            mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state),
            expand,
            simulations,
            invalid_actions=~state.legal_action_mask,
            max_num_considered_actions=CONSIDERED,
        )
        return jax.vmap(again)(state, found.action, jax.random.split(deals, games))

    return jax.vmap(env.init)(jax.random.split(jax.random.key(0), games)), move


def seconds(net: Any, start: Any, move: Callable[..., Any], moves: int) -> float:
    """For one move in all games: the best of three runs of `moves`."""

    @jax.jit
    def run(net: Any, states: Any, key: Any) -> Any:
        def one(states: Any, key: Any) -> tuple[Any, None]:
            return move(net, states, key), None

        return jax.lax.scan(one, states, jax.random.split(key, moves))[0]

    states = jax.block_until_ready(run(net, start, jax.random.key(1)))
    times = []
    for number in range(3):
        begun = time.perf_counter()
        states = jax.block_until_ready(run(net, states, jax.random.key(2 + number)))
        times.append((time.perf_counter() - begun) / moves)
    return min(times)


def net_alone(net: Any, start: Any, calls: int) -> float:
    """For `calls` of the net about all games."""

    def move(net: Any, states: Any, key: Any) -> Any:
        logits, _ = jax.vmap(lambda s: net(GAME.observe(s)))(states)
        never = (logits[:, 0] > 1e6).astype(states.own.lo.dtype)  # but no call can be left out or made only once
        return states._replace(own=states.own._replace(lo=states.own.lo ^ never))

    return calls * seconds(net, start, move, calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("games", 64), ("simulations", 32), ("blocks", 2), ("channels", 16), ("moves", 4)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    told = parser.parse_args()
    shape = jax.eval_shape(GAME.observe, jax.eval_shape(GAME.init, jax.random.key(0))).shape
    net = ResidualNet.create(jax.random.key(0), shape, GAME.num_actions, blocks=told.blocks, channels=told.channels)
    nothing = ResidualNet.create(jax.random.key(0), shape, GAME.num_actions, blocks=0, channels=1)
    start, move = ours(net, told.games, told.simulations)
    mine = seconds(net, start, move, told.moves)
    light = seconds(nothing, start, move, told.moves)
    alone = net_alone(net, start, told.simulations + 1)
    other = seconds(net, *theirs(net, told.games, told.simulations), told.moves)
    found = vars(told) | {
        "device": jax.devices()[0].device_kind,
        "jax": jax.__version__,
        "ludens_moves_per_second": told.games / mine,
        "pgx_mctx_moves_per_second": told.games / other,
        "ratio": other / mine,
        "net_share": alone / mine,
        "trees_and_rules_share": light / mine,
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
