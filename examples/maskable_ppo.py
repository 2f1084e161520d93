"""MaskablePPO of sb3-contrib learns 6x6 Othello against a random opponent. Needs `pip install sb3-contrib`."""

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO

import ludens  # noqa: F401  registers the games with gymnasium

STEPS, GAMES = 50_000, 200


def results(model: MaskablePPO, seed: int) -> str:
    """How the model fares in new games, from random seats."""
    env = gymnasium.make("ludens/Othello-v0", size=6, seat="random")
    observation, info = env.reset(seed=seed)
    rewards: list[float] = []
    while len(rewards) < GAMES:
        mask = info["action_mask"].astype(bool)
        action, _ = model.predict(observation, action_masks=mask, deterministic=True)
        observation, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            rewards.append(float(reward))
            observation, info = env.reset()
    won, lost = np.mean(np.array(rewards) > 0), np.mean(np.array(rewards) < 0)
    return f"{won:.1%} won, {lost:.1%} lost of {GAMES} games"


def main() -> None:
    """Play, learn, play again."""
    env = gymnasium.make("ludens/Othello-v0", size=6, seat="random")
    model = MaskablePPO("MlpPolicy", env, learning_rate=1e-3, n_steps=1024, batch_size=128, n_epochs=5, seed=0)
    print(f"before: {results(model, seed=1)}")
    model.learn(STEPS)
    print(f"after {STEPS} steps: {results(model, seed=2)}")


if __name__ == "__main__":
    main()
