"""A learner that plays at random, in Gymnasium: one seat of Othello against a random opponent."""

import gymnasium

import ludens  # noqa: F401  registers the games with gymnasium


def main(games: int = 20) -> None:
    """Play some games from random seats and count the results."""
    env = gymnasium.make("ludens/Othello-v0", opponent="random", seat="random", render_mode="ansi")
    env.action_space.seed(0)
    results = {1.0: 0, 0.0: 0, -1.0: 0}
    _, info = env.reset(seed=0)
    for _ in range(games):
        over = False
        while not over:
            action = env.action_space.sample(mask=info["action_mask"])
            _, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        results[float(reward)] += 1
        final = env.render()
        _, info = env.reset()
    print(f"the last game ended as {final}")
    print(f"{games} games at random: {results[1.0]} won, {results[0.0]} drawn, {results[-1.0]} lost")


if __name__ == "__main__":
    main()
