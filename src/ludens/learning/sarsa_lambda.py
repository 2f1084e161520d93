"""Sarsa(lambda) with a table: TD(lambda) for moves, the middle ground that the paper on Ur wishes for (section 6).

It learns from the lambda-return (`tabular.Episodic`) once a game is over: the forward view, whose changes over a game
are those of eligibility traces that are applied at its end. So a turn costs the same however long the game is.
S. Malhotra, G. Malik, "Solving Royal Game of Ur Using Reinforcement Learning", 2022, gives no lambda; 0.9 is ours.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludens.core.game import S
from ludens.core.settings import setting
from ludens.learning.learner import Config
from ludens.learning.tabular import Episodic, TabularConfig


@dataclass(frozen=True)
class SarsaLambdaConfig(TabularConfig):
    lambda_: float = setting(0.9, "Lambda: 0 looks one own turn ahead, 1 is Monte Carlo.", least=0, most=1)


@dataclass(frozen=True)
class SarsaLambda(Episodic[S]):
    """Learns from all the rest of a game, the near future counting most."""

    name: ClassVar[str] = "sarsa-lambda"
    config_type: ClassVar[type[Config]] = SarsaLambdaConfig

    config: SarsaLambdaConfig

    @property
    def trace(self) -> float:
        return self.config.lambda_
