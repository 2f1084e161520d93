"""Agents that play at random, in PettingZoo: every seat of every game, whoever's turn it is."""

from ludens.adapters import pettingzoo_env
from ludens.games import GAMES


def main() -> None:
    """Play one game of each kind and tell how it went."""
    for name in GAMES:
        env = pettingzoo_env.env(name, render_mode="ansi")
        env.reset(seed=0)
        for seat, agent in enumerate(env.possible_agents):
            env.action_space(agent).seed(seat)
        turns, results = 0, {}
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            if terminated or truncated:
                results[agent] = reward
                env.step(None)
            else:
                env.step(env.action_space(agent).sample(observation["action_mask"]))
                turns += 1
        print(f"{name}: {turns} turns, {results}")
        print(f"  {env.render()}")


if __name__ == "__main__":
    main()
