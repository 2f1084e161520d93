"""Presets: settings under a name, which `ludens train GAME LEARNER --preset NAME` begins with.

Those in the table are for small machines. The others are the champions' own: the command on the card of a champion that
ships is a preset, called `champion` if it is that of the game's usual variant, and else by the agent's name.
"""

import shlex
from typing import Any, NamedTuple

from ludens.core import agent_files
from ludens.core.game import Game, variant
from ludens.core.settings import from_options


class Preset(NamedTuple):
    about: str
    options: tuple[str, ...]
    """Of the variant and of the learner, as a person types them: `--size=6`."""

    def fields(self, *kinds: type[Any]) -> list[dict[str, Any]]:
        """The same as fields of dataclasses: of a game, of a learner's configuration."""
        return [from_options(kind, self.options) for kind in kinds]


PRESETS: dict[tuple[str, str], dict[str, Preset]] = {
    ("alphazero", "othello"): {
        "small": Preset(
            "6x6, on two cores in less than ten minutes; without a search it then beats alphabeta:2.",
            (
                "--size=6",
                "--episodes=12000",
                "--num-envs=64",
                "--simulations=16",
                "--considered=8",
                "--blocks=2",
                "--channels=32",
                "--batch-size=256",
                "--random-plies=6",
            ),
        ),
    },
}
"""By learner and game."""


def presets(learner: str, usual: Game[Any]) -> dict[str, Preset]:
    """What `learner` offers for a game, by name; `usual` is the game in its usual variant."""
    found = dict(PRESETS.get((learner, usual.id), {}))
    for agent, facts in agent_files.shipped(usual.id).items():
        program, *rest = shlex.split(facts["training"]["command"])
        if facts["champion"] and [program, *rest[:3]] == ["ludens", "train", usual.id, learner]:
            at_home = agent_files.fits(facts, usual.id, variant(usual))
            name = agent_files.CHAMPION if at_home and agent_files.CHAMPION not in found else agent
            found[name] = Preset(f"As {agent} was trained, on {facts['training']['device']}.", tuple(rest[3:]))
    return found


def preset(learner: str, usual: Game[Any], name: str) -> Preset:
    """The one called `name`; ValueError names those that there are."""
    known = presets(learner, usual)
    if name not in known:
        expected = f"one of {', '.join(known)}" if known else "none, as there are none for this game"
        raise ValueError(f"{learner} on {usual.id} has no preset '{name}': expected {expected}")
    return known[name]
