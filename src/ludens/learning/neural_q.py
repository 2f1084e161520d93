"""Neural Q-learning: N. J. van Eck, M. van Wezel, "Application of reinforcement learning to the game of Othello",
Computers & Operations Research 35, 2008; sections 2.1.1, 2.1.2 and 4.3.

Two learners, black and white, play each other, each with weights of its own. For a decision a in s, after which the
learner next decides in s',

    Q_target(s, a) = (1 - alpha) Q(s, a) + alpha (r + gamma max_a' Q(s', a'))                (equation 11)

and the error Q_target - Q is backpropagated. The reward r is 0 until the end and then +1, -1 or 0. Moves are tried in
proportion to exp(Q / T) with T = a b^n after n games, and the best is played once T is below c.

Where the paper leaves room:
    - Equations 12 and 13 have biases; equation 14 and the paper's count of weights (5,632 and 149,760) do not. We have
      them.
    - What follows a decision is the learner's own next decision: the opponent's moves in between, and passes, are the
      world's answer.
    - Equal values are chosen between at random.
    - If `games` is not 15,000,000, T falls over them as it does in the paper over that number.
    - With several games side by side, see `q_net_learner.py`; `num_envs=1` is the paper's.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludens.core.game import S
from ludens.learning.q_net_learner import QNetLearner


@dataclass(frozen=True)
class NeuralQ(QNetLearner[S]):
    """The paper's two learners."""

    name: ClassVar[str] = "neural-q"
    learners: ClassVar[int] = 2
