"""The learners by name. Adding one is one file and one line here."""

from typing import Any

from ludens.core.game import Game
from ludens.learning.a2c import A2C
from ludens.learning.alphazero import AlphaZero
from ludens.learning.ddpg import DDPG
from ludens.learning.distill import Distill
from ludens.learning.dqn import DQN, DoubleDQN
from ludens.learning.expected_sarsa import ExpectedSarsa
from ludens.learning.learner import Learner
from ludens.learning.minimax_q import MinimaxQ
from ludens.learning.minimax_v import MinimaxV
from ludens.learning.monte_carlo import MonteCarlo
from ludens.learning.neural_q import NeuralQ
from ludens.learning.okey_actor_critic import OkeyActorCritic
from ludens.learning.patterns import PatternLearner
from ludens.learning.ppo import PPO
from ludens.learning.q_learning import QLearning
from ludens.learning.sarsa import Sarsa
from ludens.learning.sarsa_lambda import SarsaLambda
from ludens.learning.td_lambda import TDLambda
from ludens.learning.td_table import TDTable

_KINDS: tuple[type[Learner[Any]], ...] = (
    TDLambda,
    TDTable,
    MonteCarlo,
    QLearning,
    ExpectedSarsa,
    Sarsa,
    SarsaLambda,
    DQN,
    DoubleDQN,
    NeuralQ,
    MinimaxQ,
    MinimaxV,
    PatternLearner,
    DDPG,
    OkeyActorCritic,
    A2C,
    PPO,
    AlphaZero,
    Distill,
)
LEARNERS: dict[str, type[Learner[Any]]] = {kind.name: kind for kind in _KINDS}


def learner(name: str, game: Game[Any], settings: dict[str, Any]) -> Learner[Any]:
    """The learner called `name` for `game`, with `settings` in place of defaults; ValueError says what was expected."""
    if name not in LEARNERS or not LEARNERS[name].learns(game):
        known = [each for each, kind in LEARNERS.items() if kind.learns(game)]
        other_rules = name in LEARNERS and game.id in LEARNERS[name].games
        what = f"{game.id} by these rules" if other_rules else game.id
        raise ValueError(f"'{name}' cannot learn {what}: expected one of {', '.join(known)}")
    kind = LEARNERS[name]
    return kind(game, kind.config_type(**settings))
