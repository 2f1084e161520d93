"""Code written for Pgx: a thousand games at once, compiled, restarting as they end."""

import jax
import jax.numpy as jnp
from pgx.experimental.wrappers import auto_reset

import ludens
from ludens.adapters.pgx_env import PgxEnv

BATCH, STEPS = 1000, 200


def main() -> None:
    """Play at random and say how the first player does."""
    env = PgxEnv(ludens.make("othello", size=6))
    advance = jax.vmap(auto_reset(env.step, env.init))

    def turn(state, key):  # type: ignore[no-untyped-def]  # Pgx carries no types
        choose, fate = jax.random.split(key)
        action = jax.random.categorical(choose, jnp.log(state.legal_action_mask), axis=-1)
        state = advance(state, action, jax.random.split(fate, BATCH))
        return state, (state.terminated, state.rewards)

    start, play = jax.random.split(jax.random.PRNGKey(0))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(start, BATCH))
    _, (ended, rewards) = jax.lax.scan(jax.jit(turn), state, jax.random.split(play, STEPS))
    games, won = int(ended.sum()), int((rewards[..., 0] > 0).sum())
    print(f"{games} games in {BATCH * STEPS} steps: the first player won {won / games:.1%}")


if __name__ == "__main__":
    main()
